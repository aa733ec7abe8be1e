// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: the readers of pattern files; READER says which. What a reader takes must
 * compile, and what is compiled must verify.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace-loader/formats/formats.h"
#include "libfuzzer.h"

#define COMPILE_MAX	4096	/* bytes of file: above, compiling takes all the time */

static void compile(const struct pattern_list *list)
{
	struct nfac_image *image;
	const char *why = "?";
	size_t bytes;
	void *blob;

	if (nfac_compile(list->items, list->count, NULL, &blob, &bytes))
		abort();
	image = nfac_image_open(blob, bytes, &why, NULL);
	if (!image) {
		fprintf(stderr, "what was read and compiled is refused: %s\n", why);
		abort();
	}
	nfac_image_close(image);
	free(blob);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct format_options options = { .nocase = size & 1, .quiet = !(size & 2) };
	struct pattern_list list = { 0 };
	/* a copy of its own: ASan finds a read past the end, and nothing may be written */
	uint8_t *file = malloc(size + !size);
	struct line_reader lines = {
		.at = file, .end = file + size, .place = { .file = "fuzz" },
	};
	size_t i;

	memcpy(file, data, size);
	if (!READER(&list, &options, &lines)) {
		for (i = 0; i < list.count; i++)
			if (!list.items[i].length || list.items[i].length > 65535)
				abort();
		/* a sixteenth of them: reading is what is to be fuzzed */
		if (list.count && size < COMPILE_MAX && (size * 7 + data[size / 2]) % 16 == 0)
			compile(&list);
	}
	if (size && memcmp(file, data, size))
		abort();
	pattern_list_free(&list);
	free(file);
	return 0;
}
