// SPDX-License-Identifier: GPL-2.0
/*
 * nfac_kunit.ko: does nfac.ko's init, runs the suites, does its exit.
 *
 * The suites are run from here and not from KUnit's own section, which is run before a
 * module's init.
 */

#include <linux/module.h>

#include "suites.h"

#define KUNIT_ADDRESS(name)	&name,

static struct kunit_suite *suites[] = {
	KUNIT_SUITES(KUNIT_ADDRESS)
};

static unsigned int suites_count;

static char *suite = "";
module_param(suite, charp, 0444);
MODULE_PARM_DESC(suite, "run this suite alone, with or without nfac_ before its name");

static char *test_case = "";
module_param(test_case, charp, 0444);
MODULE_PARM_DESC(test_case, "run this case alone");

static bool nfac_kunit_wanted(const char *name)
{
	return !*suite || !strcmp(name, suite) ||
	       (!strncmp(name, "nfac_", 5) && !strcmp(name + 5, suite));
}

/* Keep the wanted case of a suite. Return: it has one. */
static bool nfac_kunit_keep_case(struct kunit_case *cases)
{
	struct kunit_case *c;

	if (!*test_case)
		return true;
	for (c = cases; c->run_case; c++) {
		if (strcmp(c->name, test_case))
			continue;
		cases[0] = *c;
		memset(&cases[1], 0, sizeof(cases[1]));
		return true;
	}
	return false;
}

/* Keep the wanted suites. */
static void nfac_kunit_filter(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(suites); i++)
		if (nfac_kunit_wanted(suites[i]->name) &&
		    nfac_kunit_keep_case(suites[i]->test_cases))
			suites[suites_count++] = suites[i];
}

static int __init nfac_kunit_init(void)
{
	int err;

	nfac_kunit_filter();
	err = kunit_shipped_init();
	if (err)
		return err;
	return __kunit_test_suites_init(suites, suites_count);
}

static void __exit nfac_kunit_exit(void)
{
	__kunit_test_suites_exit(suites, suites_count);
	kunit_shipped_exit();
}

module_init(nfac_kunit_init);
module_exit(nfac_kunit_exit);
