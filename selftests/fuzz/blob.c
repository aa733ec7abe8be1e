// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: verifier and matcher on hostile blobs.
 *
 * An input is a blob, as long as its header says, and a text behind it. The mutator
 * starts from what the compiler makes and puts the checksum right after each change,
 * or else nothing would ever get past the first look.
 */
#include <stdlib.h>
#include <string.h>

#include "../../kmod/engine/automaton.h"
#include "hostile.h"
#include "libfuzzer.h"

#define TEXT_MAX	300

/* Bytes of the blob that an input begins with. */
static size_t blob_bytes(const uint8_t *data, size_t size)
{
	struct nfac_blob h;

	if (size < sizeof(h))
		return size;
	memcpy(&h, data, sizeof(h));
	return le64_to_cpu(h.bytes) < size ? le64_to_cpu(h.bytes) : size;
}

static size_t fresh(struct dice *d, uint8_t *data, size_t size, size_t room)
{
	void *blob;
	size_t bytes = hostile_real(d, &blob);

	if (!bytes)
		return size;
	if (bytes <= room) {
		memcpy(data, blob, bytes);
		size = bytes;
	}
	free(blob);
	return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed)
{
	struct dice d = dice_new(seed);
	size_t blob = blob_bytes(data, size);
	uint32_t n;

	if (size < sizeof(struct nfac_blob) || !dice_throw(&d, 64)) {
		size = fresh(&d, data, size, room);
		blob = blob_bytes(data, size);
	} else if (!dice_throw(&d, 8)) {
		/* the text */
		n = LLVMFuzzerMutate(data + blob, size - blob, room - blob);
		return blob + n;
	}
	if (!dice_throw(&d, 32)) {
		/* bytes put in or taken out, sections moved */
		blob = LLVMFuzzerMutate(data, blob, room) & ~(size_t)7;
		size = blob;
	} else {
		for (n = 1 + dice_throw(&d, dice_throw(&d, 4) ? 2 : 8); n; n--)
			hostile_word(&d, data, blob);
	}
	if (dice_throw(&d, 4))
		hostile_header(data, blob);
	if (dice_throw(&d, 32))
		hostile_checksum(data, blob);
	return size;
}

/* The blob of one and the text of the other. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b,
				 size_t b_size, uint8_t *out, size_t room, unsigned int seed)
{
	size_t blob = blob_bytes(a, a_size), from = blob_bytes(b, b_size);
	size_t text = b_size - from;

	(void)seed;
	if (blob > room)
		blob = room;
	if (text > room - blob)
		text = room - blob;
	memcpy(out, a, blob);
	memcpy(out + blob, b + from, text);
	return blob + text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t blob = blob_bytes(data, size);
	struct hostile_set *set = hostile_open(data, blob);
	uint8_t text[TEXT_MAX];
	struct nfac_blob h;
	struct dice d;

	if (!set)
		return 0;
	memcpy(&h, data, sizeof(h));
	d = dice_new(le64_to_cpu(h.checksum));
	if (size > blob)
		hostile_scan(&d, set, data + blob, size - blob < 4096 ? size - blob : 4096);
	hostile_scan(&d, set, text, hostile_text(&d, set, text, 1 + dice_throw(&d, TEXT_MAX)));
	/* labels are text too */
	hostile_scan(&d, set, data + sizeof(h), blob - sizeof(h) < 200 ? blob - sizeof(h) : 200);
	hostile_close(set);
	return 0;
}
