// SPDX-License-Identifier: GPL-2.0
/*
 * nfac_kunit.ko: does nfac.ko's init, runs the suites, does its exit.
 *
 * The suites are run from here and not from KUnit's own section, which is run before a
 * module's init.
 */

#include <linux/module.h>

#include "suites.h"

static struct kunit_suite * const suites[] = {
	&suite_tile_store,
	&suite_verify,
	&suite_verify_words,
	&suite_matcher,
	&suite_payload,
	&suite_stats,
	&suite_memory,
	&suite_event,
	&suite_scan,
	&suite_load,
	&suite_hook,
	&suite_set,
	&suite_attachment,
	&suite_flow,
	&suite_evasion,
	&suite_desync,
	&suite_init,
};

static int __init nfac_kunit_init(void)
{
	int err = kunit_shipped_init();

	if (err)
		return err;
	return __kunit_test_suites_init(suites, ARRAY_SIZE(suites));
}

static void __exit nfac_kunit_exit(void)
{
	__kunit_test_suites_exit((struct kunit_suite **)suites, ARRAY_SIZE(suites));
	kunit_shipped_exit();
}

module_init(nfac_kunit_init);
module_exit(nfac_kunit_exit);
