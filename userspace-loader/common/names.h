/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of numbers, where others keep them: marks in iproute2's rt_marks, labels in connlabel.conf.
 */
#ifndef _NFAC_NAMES_H
#define _NFAC_NAMES_H

#include <stdint.h>

struct nearest;

/* Files of lines "NUMBER NAME"; each list ends with NULL, and the first file that has it counts. */
extern const char *const mark_names[], *const label_names[];

/**
 * name_value() - the number that has a name
 * @most: a larger number is passed over
 * @nearest: compared with all names; its hint must be taken before the next call
 *
 * Return: 0; -1, silently: there is no such name.
 */
int name_value(const char *const files[], const char *name, uint64_t most, uint64_t *value,
	       struct nearest *nearest);

#endif /* _NFAC_NAMES_H */
