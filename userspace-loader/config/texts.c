// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of texts: files, variables, and what else a configuration names.
 */
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "config.h"

int texts_add(struct texts *texts, const char *text)
{
	char **larger = reallocarray(texts->items, texts->count + 1, sizeof(*larger));

	if (!larger)
		return complain("out of memory");
	texts->items = larger;
	larger[texts->count] = strdup(text);
	if (!larger[texts->count])
		return complain("out of memory");
	texts->count++;
	return 0;
}

void texts_free(struct texts *texts)
{
	while (texts->count)
		free(texts->items[--texts->count]);
	free(texts->items);
	texts->items = NULL;
}
