// SPDX-License-Identifier: GPL-2.0
/*
 * The module's init: when it fails half way nothing is left, and it can be repeated.
 */

#include "help.h"
#include "suites.h"

/* Init and exit are sections of their own; this runs while they are all there. */
static void __ref init_fails(struct kunit *test)
{
	unsigned int nth, failed = 0;
	bool hit = true;
	int err;

	kunit_shipped_exit();
	for (nth = 1; hit; nth++) {
		help_fault_at(nth);
		err = kunit_shipped_init();
		hit = help_fault_end();
		if (hit && err) {
			failed++;
			KUNIT_EXPECT_EQ(test, err, -ENOMEM);
			continue;
		}
		KUNIT_EXPECT_EQ(test, err, 0);
		if (hit)
			kunit_shipped_exit();
	}
	KUNIT_EXPECT_GE(test, failed, 3u);
}

static struct kunit_case init_cases[] = {
	KUNIT_CASE(init_fails),
	{}
};

struct kunit_suite suite_init = {
	.name = "nfac_init",
	.test_cases = init_cases,
};
