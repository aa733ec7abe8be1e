// SPDX-License-Identifier: GPL-2.0
/*
 * TLS: the server's name of a ClientHello (RFC 8446, RFC 6066), and subject, issuer and serial
 * number of the first certificate where it is in the clear (TLS 1.2 and older; RFC 5280).
 *
 * Handshake messages may be cut over records: their bytes are joined in the decoded memory first.
 *
 * Cost: each byte of the joined handshake is read a constant number of times. All lengths are
 * checked against the bytes that are there; a malformed part ends the parser.
 */
#include "buffers.h"

#define RECORD_HEADER	5u
#define TYPE_HANDSHAKE	22u
#define CLIENT_HELLO	1u
#define CERTIFICATE	11u
#define EXTENSION_NAME	0u
/* bytes joined: a ClientHello with post-quantum keys takes 1.8 KB */
#define HANDSHAKE_MAX	6144u

/* certificates of a chain that become buffers: Suricata has no limit, chains have 2 to 4 */
#define CERTIFICATES_MAX	8u

#define DER_INTEGER	0x02
#define DER_SEQUENCE	0x30
#define DER_SET		0x31
#define DER_VERSION	0xa0
#define RELATIVE_NAMES_MAX	16u

struct bytes {
	const u8 *at;
	u32 length;
};

bool nfac_tls_begins(const u8 *at, u32 length)
{
	return length >= 6 && at[0] == TYPE_HANDSHAKE && at[1] == 3 && at[2] <= 4 &&
	       nfac_be16(at + 3) >= 4 && (at[5] == CLIENT_HELLO || at[5] == 2);
}

/* Join the handshake records. @more: the last one has not ended. */
static struct bytes join(struct nfac_rules_scratch *s, bool *more)
{
	const u8 *bytes = s->window->bytes;
	u32 at = 0, from = s->used, part;

	*more = true;
	while (s->window->length - at >= RECORD_HEADER) {
		u32 length = nfac_be16(bytes + at + 3);

		if (bytes[at] != TYPE_HANDSHAKE || bytes[at + 1] != 3) {
			*more = false;
			break;
		}
		at += RECORD_HEADER;
		part = s->window->length - at < length ? s->window->length - at : length;
		if (part > HANDSHAKE_MAX - (s->used - from))
			part = HANDSHAKE_MAX - (s->used - from);
		if (part > NFAC_RULES_DECODED_MAX - s->used)
			part = NFAC_RULES_DECODED_MAX - s->used;
		if (!nfac_rules_spend(s, part))
			break;
		memcpy(s->decoded + s->used, bytes + at, part);
		s->used += part;
		if (part < length)
			break;
		at += length;
	}
	return (struct bytes) { s->decoded + from, s->used - from };
}

/* Take @n bytes from the front of @b into @part. */
static bool take(struct bytes *b, u32 n, struct bytes *part)
{
	if (b->length < n)
		return false;
	part->at = b->at;
	part->length = n;
	b->at += n;
	b->length -= n;
	return true;
}

/* Take a vector whose length has @n bytes. */
static bool take_vector(struct bytes *b, u32 n, struct bytes *part)
{
	struct bytes head;

	if (!take(b, n, &head))
		return false;
	return take(b, n == 1 ? head.at[0] : n == 2 ? nfac_be16(head.at) : nfac_be24(head.at),
		    part);
}

static void server_name(struct nfac_rules_scratch *s, struct bytes hello)
{
	struct bytes part, extensions, name;
	u32 from = s->used, i, type;

	if (!take(&hello, 34, &part) || !take_vector(&hello, 1, &part) ||
	    !take_vector(&hello, 2, &part) || !take_vector(&hello, 1, &part) ||
	    !take_vector(&hello, 2, &extensions))
		return;
	while (take(&extensions, 2, &part)) {
		type = nfac_be16(part.at);
		if (!take_vector(&extensions, 2, &part))
			return;
		if (type != EXTENSION_NAME)
			continue;
		/* a list of names, of which the first counts: type, length, name */
		if (!take_vector(&part, 2, &name) || !take(&name, 1, &part) || part.at[0] ||
		    !take_vector(&name, 2, &part))
			return;
		for (i = 0; i < part.length; i++)
			if (!nfac_decoded_put(s, nfac_lower(part.at[i])))
				return;
		nfac_slice_set(s, NFAC_BUFFER_TLS_SNI, s->decoded + from, part.length,
			       NFAC_SLICE_WHOLE);
		return;
	}
}

/* Take a DER element. Return: its tag, -1: malformed. */
static int take_der(struct bytes *b, struct bytes *value)
{
	struct bytes head, size;
	u32 length, i;

	if (!take(b, 2, &head))
		return -1;
	length = head.at[1];
	if (length & 0x80) {
		if ((length & 0x7f) > 3 || !take(b, length & 0x7f, &size))
			return -1;
		for (length = 0, i = 0; i < size.length; i++)
			length = length << 8 | size.at[i];
	}
	return take(b, length, value) ? head.at[0] : -1;
}

static bool put_text(struct nfac_rules_scratch *s, const char *text)
{
	while (*text)
		if (!nfac_decoded_put(s, *text++))
			return false;
	return true;
}

/* Short name of an attribute type; dotted numbers are not spelled out. */
static const char *attribute(const struct bytes *oid)
{
	static const u8 email[] = { 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x01 };

	if (oid->length == 3 && oid->at[0] == 0x55 && oid->at[1] == 4) {
		switch (oid->at[2]) {
		case 3:
			return "CN";
		case 5:
			return "serialNumber";
		case 6:
			return "C";
		case 7:
			return "L";
		case 8:
			return "ST";
		case 10:
			return "O";
		case 11:
			return "OU";
		}
	}
	if (oid->length == sizeof(email) && !memcmp(oid->at, email, sizeof(email)))
		return "emailAddress";
	return "UNDEF";
}

/* A distinguished name as Suricata writes it: "C=US, O=Example, CN=a.example". */
static void distinguished_name(struct nfac_rules_scratch *s, struct bytes names,
			       enum nfac_buffer buffer)
{
	struct bytes set, pair, oid, value;
	u32 from = s->used, count = 0, i;

	while (names.length && count++ < RELATIVE_NAMES_MAX) {
		if (take_der(&names, &set) != DER_SET || take_der(&set, &pair) != DER_SEQUENCE ||
		    take_der(&pair, &oid) < 0 || take_der(&pair, &value) < 0)
			break;
		if (count > 1 && !put_text(s, ", "))
			break;
		if (!put_text(s, attribute(&oid)) || !put_text(s, "="))
			break;
		for (i = 0; i < value.length; i++)
			if (!nfac_decoded_put(s, value.at[i]))
				break;
	}
	if (s->used > from)
		nfac_slice_set(s, buffer, s->decoded + from, s->used - from, NFAC_SLICE_WHOLE);
}

/* "0A:1B:..." */
static void serial_number(struct nfac_rules_scratch *s, struct bytes number)
{
	static const char digits[] = "0123456789ABCDEF";
	u32 from = s->used, i;

	if (number.length > 1 && !number.at[0]) {
		number.at++;
		number.length--;
	}
	for (i = 0; i < number.length; i++)
		if ((i && !nfac_decoded_put(s, ':')) ||
		    !nfac_decoded_put(s, digits[number.at[i] >> 4]) ||
		    !nfac_decoded_put(s, digits[number.at[i] & 15]))
			return;
	nfac_slice_set(s, NFAC_BUFFER_TLS_CERT_SERIAL, s->decoded + from, s->used - from,
		       NFAC_SLICE_WHOLE);
}

/* The bytes of the certificate that this message is about. Return: there is another one. */
static bool whole_certificate(struct nfac_rules_scratch *s, struct bytes list)
{
	struct bytes one = { NULL, 0 };
	u32 i;

	for (i = 0; i < s->message; i++)
		if (!take_vector(&list, 3, &one))
			return false;
	if (one.length)
		nfac_slice_set(s, NFAC_BUFFER_TLS_CERTS, one.at, one.length, NFAC_SLICE_WHOLE);
	return list.length && s->message < CERTIFICATES_MAX;
}

/* The first certificate of the list. */
static void certificate(struct nfac_rules_scratch *s, struct bytes list)
{
	struct bytes first, body, part;
	int tag;

	if (!take_vector(&list, 3, &first) ||
	    take_der(&first, &body) != DER_SEQUENCE || take_der(&body, &part) != DER_SEQUENCE)
		return;
	body = part;
	tag = take_der(&body, &part);
	if (tag == DER_VERSION)
		tag = take_der(&body, &part);
	if (tag != DER_INTEGER)
		return;
	serial_number(s, part);
	/* signature algorithm, issuer, validity, subject */
	if (take_der(&body, &part) < 0 || take_der(&body, &part) != DER_SEQUENCE)
		return;
	distinguished_name(s, part, NFAC_BUFFER_TLS_CERT_ISSUER);
	if (take_der(&body, &part) < 0 || take_der(&body, &part) != DER_SEQUENCE)
		return;
	distinguished_name(s, part, NFAC_BUFFER_TLS_CERT_SUBJECT);
}

bool nfac_tls_parse(struct nfac_rules_scratch *s)
{
	struct bytes handshake, head, body, list;

	if (!nfac_tls_begins(s->window->bytes, s->window->length))
		return false;
	handshake = join(s, &s->more);
	s->end = s->window->length;
	while (take(&handshake, 1, &head) && take_vector(&handshake, 3, &body)) {
		if (head.at[0] == CLIENT_HELLO)
			server_name(s, body);
		if (head.at[0] != CERTIFICATE || !take_vector(&body, 3, &list))
			continue;
		certificate(s, list);
		/* a message for each certificate: the next one begins, as it were, a byte later */
		if (whole_certificate(s, list) && s->message < s->window->length) {
			s->end = s->message;
			s->more = false;
		}
	}
	return true;
}

/* The banner "SSH-2.0-software comment". */
bool nfac_ssh_parse(struct nfac_rules_scratch *s)
{
	const u8 *at = s->window->bytes, *end, *dash;
	u32 length = s->window->length;

	if (s->message > 1 || length < 9 || memcmp(at, "SSH-", 4))
		return false;
	length = length < 255 ? length : 255;
	end = memchr(at, '\n', length);
	s->more = !end;
	s->end = s->window->length;
	if (!end || !nfac_rules_spend(s, length))
		return true;
	if (end[-1] == '\r')
		end--;
	dash = memchr(at + 4, '-', end - at - 4);
	if (!dash)
		return true;
	nfac_slice_set(s, NFAC_BUFFER_SSH_PROTO, at + 4, dash - at - 4, NFAC_SLICE_WHOLE);
	nfac_slice_set(s, NFAC_BUFFER_SSH_SOFTWARE, dash + 1, end - dash - 1, NFAC_SLICE_WHOLE);
	return true;
}
