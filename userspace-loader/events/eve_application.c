// SPDX-License-Identifier: GPL-2.0
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "../../kmod/engine/rules/program.h"
#include "../../kmod/engine/rules/rules.h"
#include "capture/payload.h"
#include "common/pattern_text.h"
#include "eve_application.h"

/* A member of an object, and the buffer that has its value. */
struct member {
	const char *name;
	uint32_t buffer;
};

static const struct member http[] = {
	{ "hostname", NFAC_BUFFER_HTTP_HOST },
	{ "url", NFAC_BUFFER_HTTP_URI_RAW },
	{ "http_user_agent", NFAC_BUFFER_HTTP_USER_AGENT },
	{ "http_content_type", NFAC_BUFFER_HTTP_CONTENT_TYPE },
	{ "http_refer", NFAC_BUFFER_HTTP_REFERER },
	{ "http_method", NFAC_BUFFER_HTTP_METHOD },
	{ "protocol", NFAC_BUFFER_HTTP_PROTOCOL },
	{ 0 }
};

static const struct member tls[] = {
	{ "sni", NFAC_BUFFER_TLS_SNI },
	{ "subject", NFAC_BUFFER_TLS_CERT_SUBJECT },
	{ "issuerdn", NFAC_BUFFER_TLS_CERT_ISSUER },
	{ "serial", NFAC_BUFFER_TLS_CERT_SERIAL },
	{ 0 }
};

/* The buffer as a string, escaped where it is not UTF-8. Return: NULL: there is none. */
static json_t *buffer_text(struct nfac_rules_scratch *scratch, uint32_t buffer)
{
	uint32_t length = 0;
	const uint8_t *bytes = nfac_rules_buffer(scratch, buffer, &length);
	json_t *text;
	char *escaped;

	if (!bytes)
		return NULL;
	text = json_stringn((const char *)bytes, length);
	if (text)
		return text;
	escaped = pattern_escape(bytes, length);
	text = escaped ? json_string(escaped) : NULL;
	free(escaped);
	return text;
}

static json_t *object_of(struct nfac_rules_scratch *scratch, const struct member *members)
{
	json_t *object = json_object(), *text;

	for (; members->name; members++) {
		text = buffer_text(scratch, members->buffer);
		if (text)
			json_object_set_new(object, members->name, text);
	}
	return object;
}

static json_t *http_object(struct nfac_rules_scratch *scratch)
{
	json_t *object = object_of(scratch, http);
	json_t *status = buffer_text(scratch, NFAC_BUFFER_HTTP_STAT_CODE);

	if (status)
		json_object_set_new(object, "status",
				    json_integer(atoi(json_string_value(status))));
	json_decref(status);
	return object;
}

static void add(json_t *eve, const char *name, json_t *object)
{
	json_object_set_new(eve, "app_proto", json_string(name));
	if (json_object_size(object))
		json_object_set_new(eve, name, object);
	else
		json_decref(object);
}

void eve_application(json_t *eve, const struct payload *payload)
{
	const struct nfac_window window = {
		.bytes = payload->bytes,
		.length = payload->captured < UINT16_MAX ? payload->captured : UINT16_MAX,
		.whole = true,
		.protocol = payload->protocol,
		.ports = payload->ports,
		.sport = payload->sport,
		.dport = payload->dport,
		.established = -1,
	};
	struct nfac_rules_scratch *scratch;
	json_t *name;

	/* a match of a rule over a stream has no packet of its own */
	if (!window.length)
		return;
	scratch = malloc(nfac_rules_scratch_bytes());
	if (!scratch)
		return;
	nfac_rules_begin(scratch, &window, nfac_rules_budget(window.length));
	switch (nfac_rules_app(&window)) {
	case NFAC_APP_HTTP:
		add(eve, "http", http_object(scratch));
		break;
	case NFAC_APP_TLS:
		add(eve, "tls", object_of(scratch, tls));
		break;
	case NFAC_APP_DNS:
		name = buffer_text(scratch, NFAC_BUFFER_DNS_QUERY);
		/* many a UDP payload could be a DNS header: a name shows that it is one */
		if (name)
			add(eve, "dns", json_pack("{s:[{s:s,s:o}]}", "query", "type", "query",
						  "rrname", name));
		break;
	default:
		break;
	}
	free(scratch);
}
