// SPDX-License-Identifier: GPL-2.0
/*
 * A blob in user space: verified, and bound to the matcher without a copy.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "names.h"
#include "../../kmod/engine/verify/verify.h"
#include "../../kmod/engine/match/matcher.h"

struct nfac_image {
	const uint8_t *blob;
	void *copy;			/* of a blob that was not aligned, or NULL */
	const __le32 **tiles;
	struct nfac_automaton automaton;
	size_t names_at, names_bytes;
	struct name *names;		/* by id; NULL until the first lookup */
	size_t names_count;
};

/* Offset of the first pattern of an id in the names section. */
struct name {
	uint32_t id;
	size_t at;
};

static int verify(const void *blob, size_t size, struct nfac_fault *fault)
{
	void *scratch;
	int err;

	err = nfac_blob_check_header(blob, size, fault);
	if (err)
		return err;
	scratch = calloc(1, nfac_blob_scratch_bytes(blob) + 1);
	if (!scratch)
		return -ENOMEM;
	err = nfac_blob_verify(blob, size, scratch, fault);
	free(scratch);
	return err;
}

struct nfac_image *nfac_image_open(const void *blob, size_t size,
				   const char **why, uint32_t *word)
{
	struct nfac_image *image = calloc(1, sizeof(*image));
	struct nfac_fault fault = { .what = "out of memory" };
	const struct nfac_blob *head;
	const uint8_t *bytes;
	uint32_t i, tiles;
	int err = -ENOMEM;

	if (!image)
		goto fail;
	if ((uintptr_t)blob % NFAC_BLOB_ALIGN) {
		image->copy = aligned_alloc(NFAC_BLOB_ALIGN,
					    (size | (NFAC_BLOB_ALIGN - 1)) + 1);
		if (!image->copy)
			goto fail;
		memcpy(image->copy, blob, size);
		blob = image->copy;
	}
	err = verify(blob, size, &fault);
	if (err)
		goto fail;
	head = blob;
	bytes = blob;
	tiles = le32_to_cpu(head->tiles);
	image->blob = blob;
	image->tiles = calloc(tiles + 1, sizeof(*image->tiles));
	err = -ENOMEM;
	if (!image->tiles)
		goto fail;
	for (i = 0; i < tiles; i++)
		image->tiles[i] = (const __le32 *)(bytes + le64_to_cpu(head->tiles_at)) +
				  (size_t)i * NFAC_TILE_WORDS;
	nfac_automaton_bind(&image->automaton, head, image->tiles,
			    bytes + le64_to_cpu(head->tables_at));
	image->names_at = le64_to_cpu(head->names_at);
	image->names_bytes = le64_to_cpu(head->names_bytes);
	return image;
fail:
	if (why)
		*why = fault.what;
	if (word)
		*word = fault.word;
	nfac_image_close(image);
	errno = -err;
	return NULL;
}

void nfac_image_close(struct nfac_image *image)
{
	if (!image)
		return;
	free(image->names);
	free(image->tiles);
	free(image->copy);
	free(image);
}

const struct nfac_automaton *nfac_image_automaton(const struct nfac_image *image)
{
	return &image->automaton;
}

uint32_t nfac_image_program_words(const struct nfac_image *image)
{
	const struct nfac_blob *head = (const void *)image->blob;

	return le32_to_cpu(head->program_words);
}

void nfac_image_figures(const struct nfac_image *image,
			struct nfac_image_figures *figures)
{
	const struct nfac_blob *head = (const void *)image->blob;

	figures->patterns = le32_to_cpu(head->patterns);
	figures->states = le64_to_cpu(head->states);
	figures->node_bytes = le64_to_cpu(head->node_bytes);
	figures->total_bytes = le64_to_cpu(head->total_bytes);
}

static int by_id(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static bool list_names(struct nfac_image *image)
{
	const uint8_t *section = image->blob + image->names_at;
	struct nfac_pattern pattern;
	size_t at = 0, count = 0, before;

	while (names_next(section, image->names_bytes, &at, &pattern))
		count++;
	image->names = calloc(count + 1, sizeof(*image->names));
	if (!image->names)
		return false;
	for (at = 0, before = 0; image->names_count < count; before = at) {
		if (!names_next(section, image->names_bytes, &at, &pattern))
			break;
		image->names[image->names_count++] = (struct name){ pattern.id, before };
	}
	qsort(image->names, image->names_count, sizeof(*image->names), by_id);
	return true;
}

bool nfac_image_has_byte(const struct nfac_image *image, uint8_t byte)
{
	struct nfac_pattern pattern;
	size_t at = 0, count = 0;

	while (names_next(image->blob + image->names_at, image->names_bytes, &at, &pattern)) {
		if (memchr(pattern.bytes, byte, pattern.length))
			return true;
		count++;
	}
	return !count;
}

bool nfac_image_pattern(struct nfac_image *image, uint32_t id,
			struct nfac_pattern *pattern)
{
	size_t low = 0, high, at;

	if (!image->names && !list_names(image))
		return false;
	high = image->names_count;
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (image->names[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == image->names_count || image->names[low].id != id)
		return false;
	at = image->names[low].at;
	return names_next(image->blob + image->names_at, image->names_bytes, &at, pattern);
}
