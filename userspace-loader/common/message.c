// SPDX-License-Identifier: GPL-2.0
/*
 * Messages on standard error, and text of foreign origin made fit for a line.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

__thread FILE *message_to;

FILE *message_stream(void)
{
	return message_to ? message_to : stderr;
}

/* What was typed may be in it, with control bytes. */
static void say(const char *format, va_list args)
{
	char *text = NULL, *shown = NULL;

	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	else
		shown = name_on_line(text);
	fprintf(message_stream(), "%s\n", shown ? shown : format);
	free(shown);
	free(text);
}

static struct {
	const char *file;
	unsigned int line;
} place;

void message_place(const char *file, unsigned int line)
{
	place.file = file;
	place.line = line;
}

void (*message_begins)(void);

static void begin(void)
{
	if (message_begins && !message_to)
		message_begins();
	fputs("nfac: ", message_stream());
}

static void say_place(const char *file, unsigned int line)
{
	char *shown = name_on_line(file);

	fprintf(message_stream(), "%s", !*file ? "''" : shown ? shown : "?");
	free(shown);
	if (line)
		fprintf(message_stream(), ":%u", line);
	fputs(": ", message_stream());
}

int complain(const char *format, ...)
{
	va_list args;

	begin();
	if (place.file)
		say_place(place.file, place.line);
	va_start(args, format);
	say(format, args);
	va_end(args);
	return -1;
}

char *name_on_line(const char *name)
{
	char *text = malloc(strlen(name) * 4 + 1), *to = text;

	if (!text)
		return NULL;
	for (; *name; name++) {
		if (*name == '\n')
			to = stpcpy(to, "\\n");
		else if (iscntrl((unsigned char)*name))
			to += sprintf(to, "\\x%02x", (unsigned char)*name);
		else
			*to++ = *name;
	}
	*to = 0;
	return text;
}

int complain_at(const char *file, unsigned int line, const char *format, ...)
{
	va_list args;

	begin();
	say_place(file, line);
	va_start(args, format);
	say(format, args);
	va_end(args);
	return -1;
}

int finish_output(int status)
{
	static bool reported;

	if ((fflush(stdout) || ferror(stdout)) && !reported) {
		reported = true;
		complain("cannot write the output: %s", strerror(errno));
		return NFAC_EXIT_ERROR;
	}
	return status;
}
