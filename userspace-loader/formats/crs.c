// SPDX-License-Identifier: GPL-2.0
/*
 * crs: phrase lists of the OWASP Core Rule Set, as they are written for ModSecurity's
 * @pmFromFile: white space at both ends is removed, empty lines and lines that begin with
 * '#' are skipped, letters match in either case. ModSecurity 2 also reads |42| as a byte; a
 * bar is a bar here, as for ModSecurity 3.
 */
#include "formats.h"

/* isspace() of the C locale */
static bool blank(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

int crs_read(struct pattern_list *list, const struct format_options *options,
	     struct line_reader *lines)
{
	struct nfac_pattern *pattern;
	const uint8_t *line;
	size_t length;

	(void)options;
	while (line_next(lines, &line, &length)) {
		while (length && blank(*line)) {
			line++;
			length--;
		}
		while (length && blank(line[length - 1]))
			length--;
		if (!length || *line == '#')
			continue;
		line_doubt(lines, line, length);
		pattern = pattern_list_add(list, &lines->place, line, length);
		if (!pattern)
			return -1;
		pattern->nocase = true;
	}
	return 0;
}
