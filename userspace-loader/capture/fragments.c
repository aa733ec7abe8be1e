// SPDX-License-Identifier: GPL-2.0
/*
 * Reassembly of IPv4 and IPv6 fragments; capture.c passes each packet that is a fragment.
 *
 * Cost: a table of fixed size. A fragment's bytes are copied once, and each unit of 8 bytes has a
 * bit.
 */
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "fragments.h"

#define PACKETS		256
#define PACKET_MAX	65535u
#define UNIT		8u	/* fragments are cut at multiples of it */
#define SECONDS		60	/* a packet that is not whole then is given up (Suricata: 60) */

#define IPV4_HEADER	20u
#define IPV6_HEADER	40u
#define HEADER_ROOM	64u	/* in front of the payload: an IPv4 header has 60 at most */
#define EXTENSIONS_MAX	8

/*
 * A packet that is put together.
 *
 * @key: addresses, family, protocol, id
 * @have: a bit for each unit of the payload; @units: of them
 * @end: bytes of the payload, 0: the last fragment did not come
 * @fragments: came; 0: free
 * @bytes: the payload, behind room for the header
 */
struct whole {
	uint8_t key[40];
	int64_t since;
	uint32_t units, end, fragments;
	uint64_t have[(PACKET_MAX / UNIT + 64) / 64];
	uint8_t bytes[HEADER_ROOM + PACKET_MAX + UNIT];
};

struct fragments {
	struct whole *packets[PACKETS];
	uint64_t left;
};

/* A fragment, as its header says. @header: bytes of @packet that the whole one begins with. */
struct fragment {
	uint8_t key[40];
	uint32_t header, offset, length;
	const uint8_t *bytes;
	bool more;
};

static uint32_t get16(const uint8_t *at)
{
	return at[0] << 8 | at[1];
}

struct fragments *fragments_new(void)
{
	struct fragments *table = calloc(1, sizeof(*table));

	if (!table)
		complain("out of memory");
	return table;
}

void fragments_free(struct fragments *table)
{
	size_t i;

	if (!table)
		return;
	for (i = 0; i < PACKETS; i++)
		free(table->packets[i]);
	free(table);
}

static bool read_ipv4(const uint8_t *p, size_t length, struct fragment *f)
{
	uint32_t header, total, word;

	if (length < IPV4_HEADER)
		return false;
	header = (p[0] & 15) * 4;
	total = get16(p + 2);
	word = get16(p + 6);
	if (header < IPV4_HEADER || header > total || total > length || !(word & 0x3fff))
		return false;
	memset(f, 0, sizeof(*f));
	memcpy(f->key, p + 12, 8);
	memcpy(f->key + 32, p + 4, 2);
	f->key[38] = p[9];
	f->key[39] = 4;
	f->header = header;
	f->offset = (word & 0x1fff) * UNIT;
	f->more = word & 0x2000;
	f->bytes = p + header;
	f->length = total - header;
	return true;
}

static bool read_ipv6(const uint8_t *p, size_t length, struct fragment *f)
{
	uint32_t at = IPV6_HEADER, count = 0, total;
	uint8_t next;

	if (length < IPV6_HEADER)
		return false;
	total = IPV6_HEADER + get16(p + 4);
	if (total > length)
		return false;
	next = p[6];
	while (next == IPPROTO_HOPOPTS || next == IPPROTO_ROUTING || next == IPPROTO_DSTOPTS) {
		if (count++ == EXTENSIONS_MAX || at + 8 > total)
			return false;
		next = p[at];
		at += (p[at + 1] + 1) * 8;
	}
	if (next != IPPROTO_FRAGMENT || at + 8 > total || !(get16(p + at + 2) & 0xfff9))
		return false;
	memset(f, 0, sizeof(*f));
	memcpy(f->key, p + 8, 32);
	memcpy(f->key + 32, p + at + 4, 4);
	f->key[38] = p[at];
	f->key[39] = 6;
	/* the headers in front of the fragment's are left out: its payload follows the first */
	f->header = IPV6_HEADER;
	f->offset = get16(p + at + 2) & 0xfff8;
	f->more = p[at + 3] & 1;
	f->bytes = p + at + 8;
	f->length = total - at - 8;
	return true;
}

static bool read_fragment(const uint8_t *packet, size_t length, struct fragment *f)
{
	if (length && packet[0] >> 4 == 4)
		return read_ipv4(packet, length, f);
	return length && packet[0] >> 4 == 6 && read_ipv6(packet, length, f);
}

bool is_fragment(const uint8_t *packet, size_t length)
{
	struct fragment f;

	return read_fragment(packet, length, &f);
}

/* The packet that the fragment belongs to, a new one if need be; NULL: no memory. */
static struct whole *find(struct fragments *table, const struct fragment *f, int64_t now)
{
	struct whole *p;
	size_t i, oldest = 0;

	for (i = 0; i < PACKETS; i++) {
		p = table->packets[i];
		if (p && p->fragments && now - p->since > SECONDS) {
			table->left += p->fragments;
			p->fragments = 0;
		}
		if (p && p->fragments && !memcmp(p->key, f->key, sizeof(p->key)))
			return p;
		if (!table->packets[oldest] || !table->packets[oldest]->fragments)
			continue;
		if (!p || !p->fragments || p->since < table->packets[oldest]->since)
			oldest = i;
	}
	p = table->packets[oldest];
	if (p) {
		table->left += p->fragments;
	} else {
		p = malloc(sizeof(*p));
		if (!p)
			return NULL;
		table->packets[oldest] = p;
	}
	memset(p, 0, sizeof(*p));
	memcpy(p->key, f->key, sizeof(p->key));
	p->since = now;
	return p;
}

/* Copy what no fragment brought before. */
static void put(struct whole *p, const struct fragment *f)
{
	uint32_t at, unit, part;

	for (at = 0; at < f->length; at += UNIT) {
		unit = (f->offset + at) / UNIT;
		if (p->have[unit / 64] >> unit % 64 & 1)
			continue;
		part = f->length - at < UNIT ? f->length - at : UNIT;
		memcpy(p->bytes + HEADER_ROOM + f->offset + at, f->bytes + at, part);
		p->have[unit / 64] |= 1ull << unit % 64;
		p->units++;
	}
}

static bool is_complete(const struct whole *p)
{
	uint32_t unit, units = (p->end + UNIT - 1) / UNIT;

	if (!p->end || p->units < units)
		return false;
	/* units behind the end count for nothing */
	for (unit = 0; unit < units; unit++)
		if (!(p->have[unit / 64] >> unit % 64 & 1))
			return false;
	return true;
}

/* Write the header in front of the payload, as of a packet that was never cut. */
static const uint8_t *finish(struct whole *p, const uint8_t *packet, const struct fragment *f,
			     size_t *length)
{
	uint8_t *at = p->bytes + HEADER_ROOM - f->header;
	uint32_t total = p->end + (f->key[39] == 4 ? f->header : 0);

	if (total > PACKET_MAX)
		return NULL;
	memcpy(at, packet, f->header);
	if (f->key[39] == 4) {
		at[2] = total >> 8;
		at[3] = total;
		at[6] = 0;
		at[7] = 0;
		/* 0: its checksum is yet to be computed */
		at[10] = 0;
		at[11] = 0;
	} else {
		at[4] = total >> 8;
		at[5] = total;
		at[6] = f->key[38];
	}
	*length = p->end + f->header;
	return at;
}

bool fragments_add(struct fragments *table, const uint8_t *packet, size_t length, int64_t now,
		   const uint8_t **whole, size_t *whole_length)
{
	struct fragment f;
	struct whole *p;

	if (!read_fragment(packet, length, &f) || f.offset + f.length > PACKET_MAX) {
		table->left++;
		return false;
	}
	/* a fragment that others follow is cut at a unit (RFC 791) */
	if (f.more)
		f.length -= f.length % UNIT;
	p = find(table, &f, now);
	if (!p || !f.length) {
		table->left++;
		return false;
	}
	p->fragments++;
	put(p, &f);
	if (!f.more && !p->end)
		p->end = f.offset + f.length;
	if (!is_complete(p))
		return false;
	p->fragments = 0;
	*whole = finish(p, packet, &f, whole_length);
	return *whole;
}

uint64_t fragments_left(const struct fragments *table)
{
	uint64_t left = table->left;
	size_t i;

	for (i = 0; i < PACKETS; i++)
		if (table->packets[i])
			left += table->packets[i]->fragments;
	return left;
}
