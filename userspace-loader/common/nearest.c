// SPDX-License-Identifier: GPL-2.0
/*
 * The distance between two names, and the nearest name.
 */
#include <stdio.h>
#include <string.h>

#include "nearest.h"

/* Bytes of the longest name that is compared. */
#define NAME_LONGEST	32

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * Insertions, deletions, substitutions and exchanges of neighbours that turn one into the other
 * (optimal string alignment, Damerau 1964).
 */
static unsigned int distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	unsigned int rows[NAME_LONGEST + 1][NAME_LONGEST + 1];
	size_t i, j;

	for (i = 0; i <= a_length; i++)
		rows[i][0] = i;
	for (j = 0; j <= b_length; j++)
		rows[0][j] = j;
	for (i = 1; i <= a_length; i++) {
		for (j = 1; j <= b_length; j++) {
			rows[i][j] = least(least(rows[i - 1][j], rows[i][j - 1]) + 1,
					   rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				rows[i][j] = least(rows[i][j], rows[i - 2][j - 2] + 1);
		}
	}
	return rows[a_length][b_length];
}

void nearest_try(struct nearest *nearest, const char *name)
{
	size_t typed = strlen(nearest->word), length = strlen(name);
	unsigned int far;

	if (!typed || typed > NAME_LONGEST || length > NAME_LONGEST)
		return;
	far = distance(nearest->word, typed, name, length);
	/* a beginning of two letters is near, however much is missing */
	if (typed > 1 && !strncmp(nearest->word, name, typed))
		far = 1;
	if (far > (length < 6 ? 2 : length / 3) || far >= length - 1)
		return;
	if (nearest->name && nearest->distance <= far)
		return;
	nearest->name = name;
	nearest->distance = far;
}

const char *nearest_hint(struct nearest *nearest)
{
	nearest->hint[0] = 0;
	if (nearest->name)
		snprintf(nearest->hint, sizeof(nearest->hint), " (did you mean '%s'?)",
			 nearest->name);
	return nearest->hint;
}
