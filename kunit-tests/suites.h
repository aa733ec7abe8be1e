/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The suites, one for each concept, and the shipped module's init and exit.
 *
 * A new suite is a file suite_NAME.c and a line here.
 */
#ifndef _NFAC_KUNIT_SUITES_H
#define _NFAC_KUNIT_SUITES_H

#include <kunit/test.h>

#define KUNIT_SUITES(X)		\
	X(suite_tile_store)	\
	X(suite_verify)		\
	X(suite_verify_words)	\
	X(suite_matcher)	\
	X(suite_rules)		\
	X(suite_payload)	\
	X(suite_frame)		\
	X(suite_stats)		\
	X(suite_memory)		\
	X(suite_counts)		\
	X(suite_event)		\
	X(suite_scan)		\
	X(suite_load)		\
	X(suite_hook)		\
	X(suite_program)	\
	X(suite_set)		\
	X(suite_attachment)	\
	X(suite_flow)		\
	X(suite_flow_table)	\
	X(suite_evasion)	\
	X(suite_desync)		\
	X(suite_stamps)		\
	X(suite_large)		\
	X(suite_init)

#define KUNIT_DECLARE_SUITE(name)	extern struct kunit_suite name;
KUNIT_SUITES(KUNIT_DECLARE_SUITE)

int kunit_shipped_init(void);
void kunit_shipped_exit(void);

#endif /* _NFAC_KUNIT_SUITES_H */
