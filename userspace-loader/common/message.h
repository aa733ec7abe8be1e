/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages: what went wrong, as a sentence on stderr, with file and line.
 */
#ifndef _NFAC_MESSAGE_H
#define _NFAC_MESSAGE_H

#include <stdio.h>

/* Exit statuses, as grep has them; commands without matches use the outer two. */
enum nfac_exit {
	NFAC_EXIT_OK	  = 0,	/* found, done */
	NFAC_EXIT_NOTHING = 1,	/* nothing found */
	NFAC_EXIT_ERROR	  = 2,
};

/**
 * complain() - "nfac: TEXT"
 *
 * Control bytes are escaped, as by name_on_line().
 *
 * Return: -1, so that a caller can say `return complain(...)`.
 */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * complain_at() - "nfac: FILE:LINE: TEXT"
 * @line: from 1; 0: the file as a whole
 *
 * Return: -1.
 */
int complain_at(const char *file, unsigned int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Where the calling thread's messages go; NULL: to standard error. */
extern __thread FILE *message_to;

/* That stream, for a line that is written piece by piece. */
FILE *message_stream(void);

/* Called before each message, to take from its line what is drawn there; NULL: nothing is. */
extern void (*message_begins)(void);

/**
 * message_place() - name a place in all that complain() reports from now on
 * @file: NULL: none any more; else it must stay valid
 *
 * For a value that is checked by the same function wherever it was written: complain() then
 * reports as complain_at() does.
 */
void message_place(const char *file, unsigned int line);

/**
 * name_on_line() - a file's name, or other text of foreign origin, for a line of text
 *
 * Control bytes are escaped: they would end the line, or speak to the terminal.
 *
 * Return: the text, to be freed; NULL without memory.
 */
char *name_on_line(const char *name);

/**
 * finish_output() - flush stdout, and report it, once, when output was lost
 * @status: exit status so far
 *
 * Return: @status, or NFAC_EXIT_ERROR where it was reported.
 */
int finish_output(int status);

#endif /* _NFAC_MESSAGE_H */
