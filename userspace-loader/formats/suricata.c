// SPDX-License-Identifier: GPL-2.0
#include "formats.h"
#include "message.h"
int suricata_read(struct pattern_list *list, const struct format_options *options,
		  struct line_reader *lines)
{
	(void)list; (void)options;
	return complain_at(lines->place.file, 0, "Suricata rules cannot be read yet");
}
