/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events as `nfac watch` and `nfac queue` write them, with --json or --eve, read back.
 */
#ifndef _NFAC_REPORT_EVENT_INPUT_H
#define _NFAC_REPORT_EVENT_INPUT_H

#include "common/input.h"
#include "findings.h"

/**
 * event_input_read() - add the events of one input to the findings
 * @name: of @in, for messages
 * @lines: set to the number of events
 *
 * Lines of JSON that are no events, as statistics and Suricata's other records, are passed over.
 * Lines that are not JSON are reported with their number, and the rest is read.
 *
 * Return: 0; -1 after saying why.
 */
int event_input_read(struct findings *findings, const char *name, struct input *in,
		     uint64_t *lines);

#endif /* _NFAC_REPORT_EVENT_INPUT_H */
