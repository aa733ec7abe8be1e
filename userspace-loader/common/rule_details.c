// SPDX-License-Identifier: GPL-2.0
/*
 * Details of rules: reading their lines "key=value", and the classes of Suricata's
 * classification.config.
 */
#include <stdlib.h>
#include <string.h>

#include "pattern_text.h"
#include "rule_details.h"

/* Suricata's classification.config, in the order of the names. */
static const struct rule_class classes[] = {
	{ "attempted-admin", "Attempted Administrator Privilege Gain", 1 },
	{ "attempted-dos", "Attempted Denial of Service", 2 },
	{ "attempted-recon", "Attempted Information Leak", 2 },
	{ "attempted-user", "Attempted User Privilege Gain", 1 },
	{ "bad-unknown", "Potentially Bad Traffic", 2 },
	{ "coin-mining", "Crypto Currency Mining Activity Detected", 2 },
	{ "command-and-control", "Malware Command and Control Activity Detected", 1 },
	{ "credential-theft", "Successful Credential Theft Detected", 1 },
	{ "default-login-attempt", "Attempt to login by a default username and password", 2 },
	{ "denial-of-service", "Detection of a Denial of Service Attack", 2 },
	{ "domain-c2", "Domain Observed Used for C2 Detected", 1 },
	{ "exploit-kit", "Exploit Kit Activity Detected", 1 },
	{ "external-ip-check", "Device Retrieving External IP Address Detected", 2 },
	{ "icmp-event", "Generic ICMP event", 3 },
	{ "inappropriate-content", "Inappropriate Content was Detected", 1 },
	{ "misc-activity", "Misc activity", 3 },
	{ "misc-attack", "Misc Attack", 2 },
	{ "network-scan", "Detection of a Network Scan", 3 },
	{ "non-standard-protocol", "Detection of a non-standard protocol or event", 2 },
	{ "not-suspicious", "Not Suspicious Traffic", 3 },
	{ "policy-violation", "Potential Corporate Privacy Violation", 1 },
	{ "protocol-command-decode", "Generic Protocol Command Decode", 3 },
	{ "pup-activity", "Possibly Unwanted Program Detected", 2 },
	{ "rpc-portmap-decode", "Decode of an RPC Query", 2 },
	{ "shellcode-detect", "Executable code was detected", 1 },
	{ "social-engineering", "Possible Social Engineering Attempted", 2 },
	{ "string-detect", "A suspicious string was detected", 3 },
	{ "successful-admin", "Successful Administrator Privilege Gain", 1 },
	{ "successful-dos", "Denial of Service", 2 },
	{ "successful-recon-largescale", "Large Scale Information Leak", 2 },
	{ "successful-recon-limited", "Information Leak", 2 },
	{ "successful-user", "Successful User Privilege Gain", 1 },
	{ "suspicious-filename-detect", "A suspicious filename was detected", 2 },
	{ "suspicious-login", "An attempted login using a suspicious username was detected", 2 },
	{ "system-call-detect", "A system call was detected", 2 },
	{ "targeted-activity", "Targeted Malicious Activity was Detected", 1 },
	{ "tcp-connection", "A TCP connection was detected", 4 },
	{ "trojan-activity", "A Network Trojan was detected", 1 },
	{ "unknown", "Unknown Traffic", 3 },
	{ "unsuccessful-user", "Unsuccessful User Privilege Gain", 1 },
	{ "unusual-client-port-connection", "A client was using an unusual port", 2 },
	{ "web-application-activity", "access to a potentially vulnerable web application", 2 },
	{ "web-application-attack", "Web Application Attack", 1 },
};

static int by_name(const void *name, const void *class)
{
	return strcmp(name, ((const struct rule_class *)class)->name);
}

const struct rule_class *rule_class_find(const char *name)
{
	return bsearch(name, classes, sizeof(classes) / sizeof(*classes), sizeof(*classes),
		       by_name);
}

const char *rule_detail(const char *text, const char *key, size_t *length)
{
	size_t key_length = strlen(key);

	while (text && *text) {
		const char *end = strchrnul(text, '\n');

		if (!strncmp(text, key, key_length) && text[key_length] == '=') {
			text += key_length + 1;
			*length = end - text;
			return text;
		}
		text = *end ? end + 1 : end;
	}
	return NULL;
}

static uint32_t number(const char *text, const char *key)
{
	size_t length;
	const char *value = rule_detail(text, key, &length);

	return value ? strtoul(value, NULL, 10) : 0;
}

/* "key value, key value": each key with its values. Words that are not UTF-8 are left out. */
static json_t *read_metadata(const char *at, size_t length)
{
	const char *end = at + length;
	json_t *object = json_object();

	while (at < end) {
		const char *comma = memchr(at, ',', end - at), *stop = comma ? comma : end, *blank;
		char key[64];
		size_t bytes;
		json_t *values;

		while (at < stop && *at == ' ')
			at++;
		blank = memchr(at, ' ', stop - at);
		bytes = (blank ? blank : stop) - at;
		if (bytes && bytes < sizeof(key)) {
			memcpy(key, at, bytes);
			key[bytes] = 0;
			at = blank ? blank + 1 : stop;
			values = json_object_get(object, key);
			if (!values) {
				values = json_array();
				json_object_set_new(object, key, values);
			}
			json_array_append_new(values, json_stringn(at, stop - at));
		}
		at = stop + 1;
	}
	return object;
}

void rule_details_read(struct rule_details *details, const char *text)
{
	const struct rule_class *class;
	const char *value;
	size_t length;

	memset(details, 0, sizeof(*details));
	if (!text)
		return;
	details->sid = number(text, RULE_DETAIL_SID);
	details->gid = number(text, RULE_DETAIL_GID);
	details->rev = number(text, RULE_DETAIL_REV);
	details->priority = number(text, RULE_DETAIL_PRIORITY);
	value = rule_detail(text, RULE_DETAIL_CLASSTYPE, &length);
	details->classtype = value ? strndup(value, length) : NULL;
	class = details->classtype ? rule_class_find(details->classtype) : NULL;
	if (!rule_detail(text, RULE_DETAIL_PRIORITY, &length))
		details->priority = class ? class->priority : RULE_PRIORITY_DEFAULT;
	value = rule_detail(text, RULE_DETAIL_METADATA, &length);
	details->metadata = value ? read_metadata(value, length) : NULL;
}

void rule_details_free(struct rule_details *details)
{
	free(details->classtype);
	json_decref(details->metadata);
}

void rule_details_add(json_t *object, const struct rule_details *details)
{
	if (!details->sid)
		return;
	json_object_set_new(object, "gid", json_integer(details->gid));
	json_object_set_new(object, "rev", json_integer(details->rev));
	json_object_set_new(object, "priority", json_integer(details->priority));
	if (details->classtype)
		json_object_set_new(object, "classtype", json_text(details->classtype));
	if (details->metadata)
		json_object_set(object, "metadata", details->metadata);
}
