// SPDX-License-Identifier: GPL-2.0
/*
 * What the patterns behind an entry have in common, so that most starts in vain are told from
 * the entry's slot alone.
 */
#include <string.h>

#include "entries.h"
#include "../../kmod/engine/blob.h"

/* The bytes of a long text behind its gram, and which of them there are. */
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

/* The texts that begin with @gram, of which there is one, follow one another. */
static void agree(const struct outputs *o, const uint8_t *gram, uint32_t *mask,
		  uint32_t *lookahead)
{
	size_t i = outputs_first_key(o, gram, NFAC_GRAM);
	uint32_t bytes, known;

	*lookahead = bytes_behind(&o->keys[i], mask);
	/* one that ends with the gram comes first: no bit is left */
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
