// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "message.h"

static void say(const char *format, va_list args)
{
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

int complain(const char *format, ...)
{
	va_list args;

	fputs("nfac: ", stderr);
	va_start(args, format);
	say(format, args);
	va_end(args);
	return -1;
}

int complain_at(const char *file, unsigned int line, const char *format, ...)
{
	va_list args;

	if (line)
		fprintf(stderr, "nfac: %s:%u: ", file, line);
	else
		fprintf(stderr, "nfac: %s: ", file);
	va_start(args, format);
	say(format, args);
	va_end(args);
	return -1;
}

int finish_output(int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		complain("cannot write the output: %s", strerror(errno));
		return NFAC_EXIT_ERROR;
	}
	return status;
}
