// SPDX-License-Identifier: GPL-2.0
/*
 * Lookahead masks: the bits on which the patterns behind an entry agree, so that most false
 * candidates are rejected without loading a record.
 */
#include <string.h>

#include "entries.h"
#include "../../kmod/engine/blob.h"

/* The bytes of a long text behind its q-gram; *@known: mask of those that exist. */
static uint32_t bytes_behind(const struct trie_key *key, uint32_t *known)
{
	uint32_t i, bytes = 0;

	*known = 0;
	for (i = 0; i < NFAC_GRAM && i + NFAC_GRAM < key->length; i++) {
		bytes |= (uint32_t)key->bytes[NFAC_GRAM + i] << 8 * i;
		*known |= 0xffu << 8 * i;
	}
	return bytes;
}

/*
 * Find the bits on which all texts with @gram agree. There is at least one, and they are adjacent.
 */
static void agree(const struct outputs *o, const uint8_t *gram, uint32_t *mask,
		  uint32_t *lookahead)
{
	size_t i = outputs_first_key(o, gram, NFAC_GRAM);
	uint32_t bytes, known;

	*lookahead = bytes_behind(&o->keys[i], mask);
	/* a text that is the q-gram alone comes first: no bit is left */
	for (i++; *mask && i < o->keys_count && !memcmp(o->keys[i].bytes, gram, NFAC_GRAM); i++) {
		bytes = bytes_behind(&o->keys[i], &known);
		*mask &= known & ~(bytes ^ *lookahead);
	}
	*lookahead &= *mask;
}

void entries_write(uint8_t *slots, const struct table *t, const struct outputs *o)
{
	struct nfac_blob_entry *entry = (struct nfac_blob_entry *)slots;
	uint32_t i, mask, lookahead;

	for (i = 0; i < t->slots; i++) {
		entry[i].gram = cpu_to_le32(t->pairs[i].key);
		entry[i].reference = cpu_to_le32(t->pairs[i].value);
		if (t->pairs[i].value == NFAC_NONE)
			continue;
		agree(o, (const uint8_t *)&entry[i].gram, &mask, &lookahead);
		entry[i].mask = cpu_to_le32(mask);
		entry[i].lookahead = cpu_to_le32(lookahead);
	}
}
