/* SPDX-License-Identifier: GPL-2.0 */
/*
 * "Did you mean": the name that is nearest to a mistyped one.
 */
#ifndef _NFAC_NEAREST_H
#define _NFAC_NEAREST_H

/**
 * struct nearest - a search among names
 * @word: what was typed
 * @name: the nearest name so far; NULL: none is near
 * @distance: of both; 0 before the first name
 */
struct nearest {
	const char *word, *name;
	unsigned int distance;
	char hint[64];
};

/* Compare the word with one of the names. */
void nearest_try(struct nearest *nearest, const char *name);

/* " (did you mean 'NAME'?)", or nothing if no name is near. */
const char *nearest_hint(struct nearest *nearest);

#endif /* _NFAC_NEAREST_H */
