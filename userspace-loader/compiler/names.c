// SPDX-License-Identifier: GPL-2.0
/*
 * The names section: for each pattern struct nfac_blob_name, the pattern, its label, its details.
 */
#include <string.h>

#include "names.h"
#include "../../kmod/engine/freestanding.h"
#include "../../kmod/engine/blob.h"

/* The details follow the label's NUL, and end with a NUL of their own. */
static size_t label_bytes(const struct nfac_pattern *p)
{
	const size_t label = p->label ? strlen(p->label) : 0;

	if (p->details)
		return label + 1 + strlen(p->details) + 1;
	return label ? label + 1 : 0;
}

static size_t name_bytes(size_t length, size_t label)
{
	return (sizeof(struct nfac_blob_name) + length + label + 3) & ~(size_t)3;
}

size_t names_bytes(const struct nfac_pattern *patterns, size_t count)
{
	size_t i, bytes = 0;

	for (i = 0; i < count; i++)
		bytes += name_bytes(patterns[i].length, label_bytes(&patterns[i]));
	return (bytes + NFAC_BLOB_ALIGN - 1) & ~(size_t)(NFAC_BLOB_ALIGN - 1);
}

void names_write(uint8_t *to, const struct nfac_pattern *patterns, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const struct nfac_pattern *p = &patterns[i];
		struct nfac_blob_name head = {
			.id = cpu_to_le32(p->id),
			.length = cpu_to_le32(p->length),
			.label_length = cpu_to_le32(label_bytes(p)),
			.flags = cpu_to_le32(p->nocase),
		};

		memcpy(to, &head, sizeof(head));
		memcpy(to + sizeof(head), p->bytes, p->length);
		if (label_bytes(p)) {
			char *label = (char *)to + sizeof(head) + p->length;

			label = stpcpy(label, p->label ? p->label : "") + 1;
			if (p->details)
				strcpy(label, p->details);
		}
		to += name_bytes(p->length, label_bytes(p));
	}
}

bool names_next(const uint8_t *section, size_t bytes, size_t *at,
		struct nfac_pattern *pattern)
{
	struct nfac_blob_name head;
	size_t length, label, first;

	if (*at > bytes || bytes - *at < sizeof(head))
		return false;
	memcpy(&head, section + *at, sizeof(head));
	length = le32_to_cpu(head.length);
	label = le32_to_cpu(head.label_length);
	if (!length || length > NFAC_PATTERN_MAX || label > NFAC_PATTERN_MAX ||
	    name_bytes(length, label) > bytes - *at)
		return false;
	*pattern = (struct nfac_pattern){
		.bytes = section + *at + sizeof(head),
		.length = length,
		.id = le32_to_cpu(head.id),
		.nocase = le32_to_cpu(head.flags) & 1,
	};
	if (label && !pattern->bytes[length + label - 1]) {
		const char *text = (const char *)pattern->bytes + length;

		first = strlen(text) + 1;
		pattern->label = first > 1 ? text : NULL;
		pattern->details = first < label ? text + first : NULL;
	}
	*at += name_bytes(length, label);
	return true;
}
