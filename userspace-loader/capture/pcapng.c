// SPDX-License-Identifier: GPL-2.0
/*
 * The reader of pcapng's blocks. A length is used only after it was compared with its second copy
 * and with BLOCK_MAX, because the file may be damaged or hostile.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pcapng.h"
#include "common/message.h"

#define SECTION_MAGIC	0x1a2b3c4d
/* Bytes of a block, as in libpcap: a longer one is damage, and not worth the memory. */
#define BLOCK_MAX	(16u << 20)
/* Interfaces of a section; `tcpdump -i any` and mergecap write some dozens. */
#define INTERFACES_MAX	65536u

enum {
	BLOCK_SECTION	= 0x0a0d0d0a,
	BLOCK_INTERFACE	= 1,
	BLOCK_OLD	= 2,	/* the packet block of before 2010 */
	BLOCK_SIMPLE	= 3,
	BLOCK_PACKET	= 6,
};

enum { OPTION_END, OPTION_RESOLUTION = 9, OPTION_OFFSET = 14 };

/* @units: of a time stamp in a second */
struct interface {
	uint16_t link;
	uint32_t snap;
	uint64_t units;
	int64_t offset;
};

/*
 * @swapped: the section is in the other byte order
 * @interfaces: of the section
 * @body: of the block, behind its type and length; has room for BLOCK_MAX bytes, of which those
 *	that no block reaches take no memory
 */
struct pcapng {
	FILE *stream;
	bool swapped;
	struct interface *interfaces;
	uint32_t count;
	uint8_t *body;
	uint32_t length;
};

struct pcapng *pcapng_new(FILE *stream)
{
	struct pcapng *ng = calloc(1, sizeof(*ng));

	if (ng) {
		ng->stream = stream;
		ng->body = calloc(1, BLOCK_MAX);
	}
	if (ng && ng->body)
		return ng;
	free(ng);
	complain("out of memory");
	return NULL;
}

void pcapng_free(struct pcapng *ng)
{
	if (!ng)
		return;
	free(ng->interfaces);
	free(ng->body);
	free(ng);
}

static uint32_t order32(const struct pcapng *ng, uint32_t value)
{
	return ng->swapped ? __builtin_bswap32(value) : value;
}

static uint32_t get32(const struct pcapng *ng, uint32_t at)
{
	uint32_t value;

	memcpy(&value, ng->body + at, sizeof(value));
	return order32(ng, value);
}

static uint16_t get16(const struct pcapng *ng, uint32_t at)
{
	uint16_t value;

	memcpy(&value, ng->body + at, sizeof(value));
	return ng->swapped ? __builtin_bswap16(value) : value;
}

static uint64_t get64(const struct pcapng *ng, uint32_t at)
{
	uint64_t value;

	memcpy(&value, ng->body + at, sizeof(value));
	return ng->swapped ? __builtin_bswap64(value) : value;
}

static int damaged(const char **why, const char *text)
{
	*why = text;
	return -1;
}

/* Read behind a block's type and length what it has, with the length at its end. */
static int read_body(struct pcapng *ng, uint32_t total, uint32_t have, const char **why)
{
	if (total < 12 + have || total > BLOCK_MAX || total % 4)
		return damaged(why, "a block's length is damaged");
	if (fread(ng->body + have, total - 8 - have, 1, ng->stream) != 1)
		return damaged(why, "truncated block");
	ng->length = total - 12;
	if (get32(ng, ng->length) != total)
		return damaged(why, "a block's two lengths differ");
	return 0;
}

/* A section begins: its byte order is behind the length. */
static int read_section(struct pcapng *ng, uint32_t total, const char **why)
{
	uint32_t magic;

	if (fread(&magic, sizeof(magic), 1, ng->stream) != 1)
		return damaged(why, "truncated block");
	ng->swapped = magic != SECTION_MAGIC;
	if (order32(ng, magic) != SECTION_MAGIC)
		return damaged(why, "a section's magic number is damaged");
	ng->count = 0;
	total = order32(ng, total);
	if (total < 28)
		return damaged(why, "a block's length is damaged");
	memcpy(ng->body, &magic, sizeof(magic));
	if (read_body(ng, total, sizeof(magic), why))
		return -1;
	if (get16(ng, 4) != 1)
		return damaged(why, "a section of a version other than 1");
	return 0;
}

/* 10^-N seconds, or 2^-N with the highest bit. Return: units of a second; 0: more than 64 bits. */
static uint64_t units(uint8_t resolution)
{
	uint64_t n = 1;
	int power = resolution & 0x7f;

	if (resolution & 0x80)
		return power < 64 ? 1ull << power : 0;
	if (power > 19)
		return 0;
	while (power--)
		n *= 10;
	return n;
}

static int read_interface(struct pcapng *ng, const char **why)
{
	struct interface *all, *new;
	uint32_t at, length;

	if (ng->length < 8)
		return damaged(why, "truncated interface");
	if (ng->count == INTERFACES_MAX)
		return damaged(why, "too many interfaces");
	all = reallocarray(ng->interfaces, ng->count + 1, sizeof(*all));
	if (!all)
		return damaged(why, "out of memory");
	ng->interfaces = all;
	new = &all[ng->count++];
	*new = (struct interface){ get16(ng, 0), get32(ng, 4), 1000000, 0 };
	for (at = 8; at + 4 <= ng->length && get16(ng, at) != OPTION_END; at += 4 + length) {
		length = get16(ng, at + 2);
		if (at + 4 + length > ng->length)
			return damaged(why, "truncated interface");
		if (get16(ng, at) == OPTION_RESOLUTION && length == 1)
			new->units = units(ng->body[at + 4]);
		if (get16(ng, at) == OPTION_OFFSET && length == 8)
			new->offset = get64(ng, at + 4);
		length = (length + 3) & ~3u;
	}
	return 0;
}

/* Seconds whose nanoseconds 64 bits hold: 1970 to 2262, and as long before. */
#define SECONDS_MAX	(INT64_MAX / 1000000000 - 1)

/* Return: 0 for another time: damage, and no date. */
static int64_t nanoseconds(const struct interface *in, uint64_t time)
{
	uint64_t part;
	int64_t seconds;

	if (!in->units || time / in->units > SECONDS_MAX ||
	    __builtin_add_overflow((int64_t)(time / in->units), in->offset, &seconds) ||
	    seconds > SECONDS_MAX || seconds < -SECONDS_MAX)
		return 0;
	part = time % in->units;
	/* products of up to 64 bits are exact; finer units are rounded below a nanosecond */
	if (in->units <= 16000000000ull)
		part = part * 1000000000 / in->units;
	else
		part = (double)part / in->units * 1000000000;
	return seconds * 1000000000 + part;
}

static int read_packet(const struct pcapng *ng, uint32_t type, struct pcapng_packet *packet,
		       const char **why)
{
	uint32_t head = type == BLOCK_SIMPLE ? 4 : 20, id = 0;
	const struct interface *in;
	uint64_t time = 0;

	if (ng->length < head)
		return damaged(why, "truncated block");
	if (type == BLOCK_PACKET)
		id = get32(ng, 0);
	else if (type == BLOCK_OLD)
		id = get16(ng, 0);
	if (id >= ng->count)
		return damaged(why, "a packet of an interface that is not described");
	in = &ng->interfaces[id];
	if (type == BLOCK_SIMPLE) {
		packet->sent = get32(ng, 0);
		packet->captured = packet->sent;
		if (in->snap && packet->captured > in->snap)
			packet->captured = in->snap;
	} else {
		time = (uint64_t)get32(ng, 4) << 32 | get32(ng, 8);
		packet->captured = get32(ng, 12);
		packet->sent = get32(ng, 16);
	}
	if (packet->captured > ng->length - head)
		return damaged(why, "a packet is longer than its block");
	packet->link = in->link;
	packet->time_ns = type == BLOCK_SIMPLE ? 0 : nanoseconds(in, time);
	packet->frame = ng->body + head;
	return 1;
}

int pcapng_next(struct pcapng *ng, struct pcapng_packet *packet, const char **why)
{
	uint32_t head[2], type;
	size_t got;

	while ((got = fread(head, 1, sizeof(head), ng->stream)) == sizeof(head)) {
		type = order32(ng, head[0]);
		if (head[0] == BLOCK_SECTION ? read_section(ng, head[1], why) :
					       read_body(ng, order32(ng, head[1]), 0, why))
			return -1;
		if (type == BLOCK_INTERFACE && read_interface(ng, why))
			return -1;
		if (type == BLOCK_PACKET || type == BLOCK_SIMPLE || type == BLOCK_OLD)
			return read_packet(ng, type, packet, why);
	}
	return got ? damaged(why, "truncated block") : 0;
}
