/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs in words, for `nfac explain` and `nfac test`.
 */
#ifndef _NFAC_PROGRAM_TEXT_H
#define _NFAC_PROGRAM_TEXT_H

#include <stdio.h>

#include "../../kmod/engine/rules/rules.h"

/* A line for each property and condition of a verified program, in its order. */
void program_print(FILE *to, const struct nfac_program *program);

/* One condition of a verified program, without a line's end. */
void condition_print(FILE *to, const struct nfac_condition *condition);

/* The name that rules have for a buffer: "http.uri"; "payload". */
const char *buffer_text(unsigned int buffer);

#endif /* _NFAC_PROGRAM_TEXT_H */
