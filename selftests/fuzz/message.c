// SPDX-License-Identifier: GPL-2.0
/*
 * The fuzzers' messages: made, so that a bad format or string is found, and dropped.
 */
#include <stdarg.h>
#include <stdio.h>

#include "userspace-loader/common/message.h"

void (*message_begins)(void);

static int drop(const char *format, va_list args)
{
	static char text[4096];

	vsnprintf(text, sizeof(text), format, args);
	return -1;
}

int complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	drop(format, args);
	va_end(args);
	return -1;
}

int complain_at(const char *file, unsigned int line, const char *format, ...)
{
	va_list args;

	(void)file;
	(void)line;
	va_start(args, format);
	drop(format, args);
	va_end(args);
	return -1;
}
