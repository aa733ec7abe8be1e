// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "suricata.h"

#define LABEL_MAX	63	/* RFC 1035 */

static const struct buffer buffers[] = {
	{ "http.method", BUFFER_AS_IS, false },
	{ "http.uri", BUFFER_NORMALISED, false },
	{ "http.uri.raw", BUFFER_AS_IS, false },
	{ "http.request_line", BUFFER_AS_IS, false },
	{ "http.response_line", BUFFER_AS_IS, false },
	{ "http.protocol", BUFFER_AS_IS, false },
	{ "http.start", BUFFER_NORMALISED, false },
	{ "http.header", BUFFER_NORMALISED, false },
	{ "http.header.raw", BUFFER_AS_IS, false },
	{ "http.request_header", BUFFER_NORMALISED, false },
	{ "http.response_header", BUFFER_NORMALISED, false },
	{ "http.header_names", BUFFER_COMPUTED, false },
	{ "http.host", BUFFER_AS_IS, true },
	{ "http.host.raw", BUFFER_AS_IS, false },
	{ "http.user_agent", BUFFER_AS_IS, false },
	{ "http.cookie", BUFFER_AS_IS, false },
	{ "http.accept", BUFFER_AS_IS, false },
	{ "http.accept_enc", BUFFER_AS_IS, false },
	{ "http.accept_lang", BUFFER_AS_IS, false },
	{ "http.connection", BUFFER_AS_IS, false },
	{ "http.content_len", BUFFER_AS_IS, false },
	{ "http.content_type", BUFFER_AS_IS, false },
	{ "http.location", BUFFER_AS_IS, false },
	{ "http.referer", BUFFER_AS_IS, false },
	{ "http.server", BUFFER_AS_IS, false },
	{ "http.stat_code", BUFFER_AS_IS, false },
	{ "http.stat_msg", BUFFER_AS_IS, false },
	{ "http.request_body", BUFFER_NORMALISED, false },
	{ "http.response_body", BUFFER_NORMALISED, false },
	{ "http_accept", BUFFER_AS_IS, false },		/* sticky, from before the dots */
	{ "http_accept_enc", BUFFER_AS_IS, false },
	{ "http_accept_lang", BUFFER_AS_IS, false },
	{ "http_connection", BUFFER_AS_IS, false },
	{ "http_content_len", BUFFER_AS_IS, false },
	{ "http_content_type", BUFFER_AS_IS, false },
	{ "http_header_names", BUFFER_COMPUTED, false },
	{ "http_protocol", BUFFER_AS_IS, false },
	{ "http_referer", BUFFER_AS_IS, false },
	{ "http_request_line", BUFFER_AS_IS, false },
	{ "http_response_line", BUFFER_AS_IS, false },
	{ "http_start", BUFFER_NORMALISED, false },
	{ "file.data", BUFFER_NORMALISED, false },
	{ "file.name", BUFFER_NORMALISED, false },
	{ "file_data", BUFFER_NORMALISED, false },
	{ "email.from", BUFFER_AS_IS, false },
	{ "email.to", BUFFER_AS_IS, false },
	{ "email.subject", BUFFER_NORMALISED, false },
	{ "email.cc", BUFFER_AS_IS, false },
	{ "email.date", BUFFER_AS_IS, false },
	{ "email.message_id", BUFFER_AS_IS, false },
	{ "email.x_mailer", BUFFER_AS_IS, false },
	{ "smtp.helo", BUFFER_AS_IS, false },
	{ "smtp.mail_from", BUFFER_AS_IS, false },
	{ "smtp.rcpt_to", BUFFER_AS_IS, false },
	{ "dns.query", BUFFER_DNS, false },
	{ "dns_query", BUFFER_DNS, false },
	{ "dns.query.name", BUFFER_DNS, false },
	{ "dns.queries.rrname", BUFFER_DNS, false },
	{ "tls.sni", BUFFER_AS_IS, true },
	{ "tls_sni", BUFFER_AS_IS, true },
	{ "tls.certs", BUFFER_AS_IS, false },
	{ "tls.random", BUFFER_AS_IS, false },
	{ "ssh.proto", BUFFER_AS_IS, false },
	{ "ssh.software", BUFFER_AS_IS, false },
	{ "ssh_proto", BUFFER_AS_IS, false },
	{ "ssh_software", BUFFER_AS_IS, false },
	{ "ftp.command", BUFFER_AS_IS, false },
	{ "ftp.command_data", BUFFER_AS_IS, false },
	{ "sip.method", BUFFER_AS_IS, false },
	{ "sip.uri", BUFFER_AS_IS, false },
	{ "sip.request_line", BUFFER_AS_IS, false },
	{ "sip.response_line", BUFFER_AS_IS, false },
	{ "sip.stat_code", BUFFER_AS_IS, false },
	{ "sip.stat_msg", BUFFER_AS_IS, false },
	{ "sip.protocol", BUFFER_AS_IS, false },
	{ "sip.from", BUFFER_AS_IS, false },
	{ "sip.to", BUFFER_AS_IS, false },
	{ "sip.via", BUFFER_AS_IS, false },
	{ "sip.user_agent", BUFFER_AS_IS, false },
	{ "sip.content_type", BUFFER_AS_IS, false },
	{ "snmp.community", BUFFER_AS_IS, false },
	{ "rfb.name", BUFFER_AS_IS, false },
	{ "mqtt.connect.clientid", BUFFER_AS_IS, false },
	{ "mqtt.connect.username", BUFFER_AS_IS, false },
	{ "mqtt.connect.password", BUFFER_AS_IS, false },
	{ "mqtt.connect.willtopic", BUFFER_AS_IS, false },
	{ "mqtt.connect.willmessage", BUFFER_AS_IS, false },
	{ "mqtt.subscribe.topic", BUFFER_AS_IS, false },
	{ "mqtt.unsubscribe.topic", BUFFER_AS_IS, false },
	{ "mqtt.publish.topic", BUFFER_AS_IS, false },
	{ "mqtt.publish.message", BUFFER_AS_IS, false },
	{ "krb5.cname", BUFFER_AS_IS, false },
	{ "krb5.sname", BUFFER_AS_IS, false },
	{ "pgsql.query", BUFFER_AS_IS, false },
	{ "ldap.request.dn", BUFFER_AS_IS, false },
	{ "dce_stub_data", BUFFER_AS_IS, false },
	{ "dcerpc.stub_data", BUFFER_AS_IS, false },
	{ "frame", BUFFER_AS_IS, false },	/* its value says which */
	{ "tcp.hdr", BUFFER_COMPUTED, false },	/* headers are not looked at */
	{ "udp.hdr", BUFFER_COMPUTED, false },
	{ "ipv4.hdr", BUFFER_COMPUTED, false },
	{ "ipv6.hdr", BUFFER_COMPUTED, false },
	{ "icmpv4.hdr", BUFFER_COMPUTED, false },
	{ "icmpv6.hdr", BUFFER_COMPUTED, false },
	{ "base64_data", BUFFER_COMPUTED, false },
	{ "smb_named_pipe", BUFFER_COMPUTED, false },	/* UTF-16 in the packet */
	{ "smb_share", BUFFER_COMPUTED, false },
	{ "dnp3_data", BUFFER_COMPUTED, false },
	{ "ja3_hash", BUFFER_COMPUTED, false },
	{ "ja3.hash", BUFFER_COMPUTED, false },
	{ "ja3_string", BUFFER_COMPUTED, false },
	{ "ja3.string", BUFFER_COMPUTED, false },
	{ "ja3s.hash", BUFFER_COMPUTED, false },
	{ "ja3s.string", BUFFER_COMPUTED, false },
	{ "tls.cert_subject", BUFFER_COMPUTED, false },
	{ "tls.cert_issuer", BUFFER_COMPUTED, false },
	{ "tls.cert_serial", BUFFER_COMPUTED, false },
	{ "tls.cert_fingerprint", BUFFER_COMPUTED, false },
	{ "tls_cert_subject", BUFFER_COMPUTED, false },
	{ "tls_cert_issuer", BUFFER_COMPUTED, false },
	{ "tls_cert_serial", BUFFER_COMPUTED, false },
	{ "tls_cert_fingerprint", BUFFER_COMPUTED, false },
};

static const struct {
	const char *modifier, *buffer;
} modifiers[] = {
	{ "http_uri", "http.uri" },
	{ "http_raw_uri", "http.uri.raw" },
	{ "http_method", "http.method" },
	{ "http_header", "http.header" },
	{ "http_raw_header", "http.header.raw" },
	{ "http_user_agent", "http.user_agent" },
	{ "http_cookie", "http.cookie" },
	{ "http_host", "http.host" },
	{ "http_raw_host", "http.host.raw" },
	{ "http_stat_code", "http.stat_code" },
	{ "http_stat_msg", "http.stat_msg" },
	{ "http_client_body", "http.request_body" },
	{ "http_server_body", "http.response_body" },
};

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))

const struct buffer *buffer_find(const char *keyword)
{
	/* one that came after us, of which we cannot say what it holds */
	static const struct buffer unknown = { "a buffer that nfac does not know",
					       BUFFER_COMPUTED, false };
	size_t i;

	for (i = 0; i < COUNT(buffers); i++)
		if (!strcmp(buffers[i].name, keyword))
			return &buffers[i];
	/* all of Suricata's newer ones have a dot in their names, and hardly anything else */
	return strchr(keyword, '.') ? &unknown : NULL;
}

const struct buffer *buffer_of_modifier(const char *keyword)
{
	size_t i;

	for (i = 0; i < COUNT(modifiers); i++)
		if (!strcmp(modifiers[i].modifier, keyword))
			return buffer_find(modifiers[i].buffer);
	return NULL;
}

static void longer(const uint8_t *bytes, size_t length, uint8_t *to, size_t *best)
{
	if (length <= *best)
		return;
	memmove(to, bytes, length);
	*best = length;
}

bool buffer_dns(const struct content *content, uint8_t *to, size_t *length)
{
	const uint8_t *at = content->bytes, *end = at + content->length, *dot;
	bool begins = content->startswith && !content->dotprefix;
	uint8_t wire[512];
	size_t used = 0;

	*length = 0;
	if (content->length + 2 > sizeof(wire))
		return false;
	for (;; at = dot + 1, begins = true) {
		dot = memchr(at, '.', end - at);
		if (!dot)
			break;
		/* a dot at the very beginning only says that a label begins behind it */
		if (dot == content->bytes)
			continue;
		if (dot - at > LABEL_MAX || dot == at)
			return false;
		if (begins)
			wire[used++] = dot - at;
		memcpy(wire + used, at, dot - at);
		used += dot - at;
	}
	if (end - at > LABEL_MAX)
		return false;
	if (at < end && (content->endswith || !begins)) {
		/* the last label is whole, or it is the only one and a part of one */
		if (begins)
			wire[used++] = end - at;
		memcpy(wire + used, at, end - at);
		used += end - at;
		if (content->endswith)
			wire[used++] = 0;
	} else if (at < end) {
		longer(at, end - at, to, length);
	}
	longer(wire, used, to, length);
	return *length;
}
