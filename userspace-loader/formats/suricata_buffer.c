// SPDX-License-Identifier: GPL-2.0
/*
 * The table of Suricata's buffers by keyword, and how a name is encoded in DNS.
 */
#include <string.h>

#include "suricata.h"

#define LABEL_MAX	63	/* RFC 1035 */

static const struct buffer buffers[] = {
	{ "http.method", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_METHOD },
	{ "http.uri", BUFFER_NORMALISED, false, NFAC_BUFFER_HTTP_URI },
	{ "http.uri.raw", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_URI_RAW },
	{ "http.request_line", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_REQUEST_LINE },
	{ "http.response_line", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_RESPONSE_LINE },
	{ "http.protocol", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_PROTOCOL },
	{ "http.start", BUFFER_NORMALISED, false, -1 },
	{ "http.header", BUFFER_NORMALISED, false, NFAC_BUFFER_HTTP_HEADER },
	{ "http.header.raw", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_HEADER_RAW },
	{ "http.request_header", BUFFER_NORMALISED, false, -1 },
	{ "http.response_header", BUFFER_NORMALISED, false, -1 },
	{ "http.header_names", BUFFER_NAMES, false, NFAC_BUFFER_HTTP_HEADER_NAMES },
	{ "http.host", BUFFER_AS_IS, true, NFAC_BUFFER_HTTP_HOST },
	{ "http.host.raw", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_HOST_RAW },
	{ "http.user_agent", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_USER_AGENT },
	{ "http.cookie", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_COOKIE },
	{ "http.accept", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_ACCEPT },
	{ "http.accept_enc", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_ACCEPT_ENC },
	{ "http.accept_lang", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_ACCEPT_LANG },
	{ "http.connection", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_CONNECTION },
	{ "http.content_len", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_CONTENT_LEN },
	{ "http.content_type", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_CONTENT_TYPE },
	{ "http.location", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_LOCATION },
	{ "http.referer", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_REFERER },
	{ "http.server", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_SERVER },
	{ "http.stat_code", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_STAT_CODE },
	{ "http.stat_msg", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_STAT_MSG },
	{ "http.request_body", BUFFER_NORMALISED, false, NFAC_BUFFER_HTTP_REQUEST_BODY },
	{ "http.response_body", BUFFER_NORMALISED, false, NFAC_BUFFER_HTTP_RESPONSE_BODY },
	/* sticky, from before the dots */
	{ "http_accept", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_ACCEPT },
	{ "http_accept_enc", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_ACCEPT_ENC },
	{ "http_accept_lang", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_ACCEPT_LANG },
	{ "http_connection", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_CONNECTION },
	{ "http_content_len", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_CONTENT_LEN },
	{ "http_content_type", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_CONTENT_TYPE },
	{ "http_header_names", BUFFER_NAMES, false, NFAC_BUFFER_HTTP_HEADER_NAMES },
	{ "http_protocol", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_PROTOCOL },
	{ "http_referer", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_REFERER },
	{ "http_request_line", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_REQUEST_LINE },
	{ "http_response_line", BUFFER_AS_IS, false, NFAC_BUFFER_HTTP_RESPONSE_LINE },
	{ "http_start", BUFFER_NORMALISED, false, -1 },
	{ "file.data", BUFFER_NORMALISED, false, NFAC_BUFFER_FILE_DATA },
	{ "file.name", BUFFER_NORMALISED, false, -1 },
	{ "file_data", BUFFER_NORMALISED, false, NFAC_BUFFER_FILE_DATA },
	{ "email.from", BUFFER_AS_IS, false, -1 },
	{ "email.to", BUFFER_AS_IS, false, -1 },
	{ "email.subject", BUFFER_NORMALISED, false, -1 },
	{ "email.cc", BUFFER_AS_IS, false, -1 },
	{ "email.date", BUFFER_AS_IS, false, -1 },
	{ "email.message_id", BUFFER_AS_IS, false, -1 },
	{ "email.x_mailer", BUFFER_AS_IS, false, -1 },
	{ "smtp.helo", BUFFER_AS_IS, false, -1 },
	{ "smtp.mail_from", BUFFER_AS_IS, false, -1 },
	{ "smtp.rcpt_to", BUFFER_AS_IS, false, -1 },
	{ "dns.query", BUFFER_DNS, false, NFAC_BUFFER_DNS_QUERY },
	{ "dns_query", BUFFER_DNS, false, NFAC_BUFFER_DNS_QUERY },
	{ "dns.query.name", BUFFER_DNS, false, NFAC_BUFFER_DNS_QUERY },
	{ "dns.queries.rrname", BUFFER_DNS, false, NFAC_BUFFER_DNS_QUERY },
	{ "tls.sni", BUFFER_AS_IS, true, NFAC_BUFFER_TLS_SNI },
	{ "tls_sni", BUFFER_AS_IS, true, NFAC_BUFFER_TLS_SNI },
	{ "tls.certs", BUFFER_AS_IS, false, NFAC_BUFFER_TLS_CERTS },
	{ "tls.random", BUFFER_AS_IS, false, -1 },
	{ "ssh.proto", BUFFER_AS_IS, false, NFAC_BUFFER_SSH_PROTO },
	{ "ssh.software", BUFFER_AS_IS, false, NFAC_BUFFER_SSH_SOFTWARE },
	{ "ssh_proto", BUFFER_AS_IS, false, NFAC_BUFFER_SSH_PROTO },
	{ "ssh_software", BUFFER_AS_IS, false, NFAC_BUFFER_SSH_SOFTWARE },
	{ "ftp.command", BUFFER_AS_IS, false, -1 },
	{ "ftp.command_data", BUFFER_AS_IS, false, -1 },
	{ "sip.method", BUFFER_AS_IS, false, -1 },
	{ "sip.uri", BUFFER_AS_IS, false, -1 },
	{ "sip.request_line", BUFFER_AS_IS, false, -1 },
	{ "sip.response_line", BUFFER_AS_IS, false, -1 },
	{ "sip.stat_code", BUFFER_AS_IS, false, -1 },
	{ "sip.stat_msg", BUFFER_AS_IS, false, -1 },
	{ "sip.protocol", BUFFER_AS_IS, false, -1 },
	{ "sip.from", BUFFER_AS_IS, false, -1 },
	{ "sip.to", BUFFER_AS_IS, false, -1 },
	{ "sip.via", BUFFER_AS_IS, false, -1 },
	{ "sip.user_agent", BUFFER_AS_IS, false, -1 },
	{ "sip.content_type", BUFFER_AS_IS, false, -1 },
	{ "snmp.community", BUFFER_AS_IS, false, -1 },
	{ "rfb.name", BUFFER_AS_IS, false, -1 },
	{ "mqtt.connect.clientid", BUFFER_AS_IS, false, -1 },
	{ "mqtt.connect.username", BUFFER_AS_IS, false, -1 },
	{ "mqtt.connect.password", BUFFER_AS_IS, false, -1 },
	{ "mqtt.connect.willtopic", BUFFER_AS_IS, false, -1 },
	{ "mqtt.connect.willmessage", BUFFER_AS_IS, false, -1 },
	{ "mqtt.subscribe.topic", BUFFER_AS_IS, false, -1 },
	{ "mqtt.unsubscribe.topic", BUFFER_AS_IS, false, -1 },
	{ "mqtt.publish.topic", BUFFER_AS_IS, false, -1 },
	{ "mqtt.publish.message", BUFFER_AS_IS, false, -1 },
	{ "krb5.cname", BUFFER_AS_IS, false, -1 },
	{ "krb5.sname", BUFFER_AS_IS, false, -1 },
	{ "pgsql.query", BUFFER_AS_IS, false, -1 },
	{ "ldap.request.dn", BUFFER_AS_IS, false, -1 },
	{ "dce_stub_data", BUFFER_AS_IS, false, -1 },
	{ "dcerpc.stub_data", BUFFER_AS_IS, false, -1 },
	{ "frame", BUFFER_AS_IS, false, -1 },	/* its value says which */
	{ "tcp.hdr", BUFFER_COMPUTED, false, -1 },	/* headers are not searched */
	{ "udp.hdr", BUFFER_COMPUTED, false, -1 },
	{ "ipv4.hdr", BUFFER_COMPUTED, false, -1 },
	{ "ipv6.hdr", BUFFER_COMPUTED, false, -1 },
	{ "icmpv4.hdr", BUFFER_COMPUTED, false, -1 },
	{ "icmpv6.hdr", BUFFER_COMPUTED, false, -1 },
	{ "base64_data", BUFFER_COMPUTED, false, -1 },
	{ "smb_named_pipe", BUFFER_COMPUTED, false, -1 },	/* UTF-16 in the packet */
	{ "smb_share", BUFFER_COMPUTED, false, -1 },
	{ "dnp3_data", BUFFER_COMPUTED, false, -1 },
	{ "ja3_hash", BUFFER_COMPUTED, false, -1 },
	{ "ja3.hash", BUFFER_COMPUTED, false, -1 },
	{ "ja3_string", BUFFER_COMPUTED, false, -1 },
	{ "ja3.string", BUFFER_COMPUTED, false, -1 },
	{ "ja3s.hash", BUFFER_COMPUTED, false, -1 },
	{ "ja3s.string", BUFFER_COMPUTED, false, -1 },
	{ "tls.cert_subject", BUFFER_DN, false, NFAC_BUFFER_TLS_CERT_SUBJECT },
	{ "tls.cert_issuer", BUFFER_DN, false, NFAC_BUFFER_TLS_CERT_ISSUER },
	{ "tls.cert_serial", BUFFER_COMPUTED, false, NFAC_BUFFER_TLS_CERT_SERIAL },
	{ "tls.cert_fingerprint", BUFFER_COMPUTED, false, -1 },
	{ "tls_cert_subject", BUFFER_DN, false, NFAC_BUFFER_TLS_CERT_SUBJECT },
	{ "tls_cert_issuer", BUFFER_DN, false, NFAC_BUFFER_TLS_CERT_ISSUER },
	{ "tls_cert_serial", BUFFER_COMPUTED, false, NFAC_BUFFER_TLS_CERT_SERIAL },
	{ "tls_cert_fingerprint", BUFFER_COMPUTED, false, -1 },
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
					       BUFFER_COMPUTED, false, -1 };
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
