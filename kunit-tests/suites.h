/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The suites, one for each concept, and the shipped module's init and exit.
 */
#ifndef _NFAC_KUNIT_SUITES_H
#define _NFAC_KUNIT_SUITES_H

#include <kunit/test.h>

extern struct kunit_suite suite_tile_store;
extern struct kunit_suite suite_verify;
extern struct kunit_suite suite_verify_words;
extern struct kunit_suite suite_matcher;
extern struct kunit_suite suite_payload;
extern struct kunit_suite suite_stats;
extern struct kunit_suite suite_memory;
extern struct kunit_suite suite_event;
extern struct kunit_suite suite_scan;
extern struct kunit_suite suite_load;
extern struct kunit_suite suite_hook;
extern struct kunit_suite suite_set;
extern struct kunit_suite suite_attachment;
extern struct kunit_suite suite_evasion;
extern struct kunit_suite suite_desync;
extern struct kunit_suite suite_flow;
extern struct kunit_suite suite_init;

int kunit_shipped_init(void);
void kunit_shipped_exit(void);

#endif /* _NFAC_KUNIT_SUITES_H */
