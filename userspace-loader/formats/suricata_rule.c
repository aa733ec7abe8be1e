// SPDX-License-Identifier: GPL-2.0
/*
 * A rule's options: keyword; keyword:value; up to the closing parenthesis.
 */
#include <ctype.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "suricata.h"

/* Where the contents that follow are looked for. */
struct context {
	const struct buffer *buffer;
	const char *transform;
	bool folded, dotprefix, lowered, raised;
	uint32_t transforms;
};

char *trim(char *text)
{
	char *end;

	text += strspn(text, " \t");
	end = text + strlen(text);
	while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = 0;
	return text;
}

void rule_note(struct rule *rule, const char *what)
{
	size_t i;

	for (i = 0; i < rule->note_count; i++) {
		if (strcmp(rule->notes[i], what))
			continue;
		rule->note_counts[i]++;
		return;
	}
	if (rule->note_count == RULE_NOTES)
		return;
	rule->notes[rule->note_count] = what;
	rule->note_counts[rule->note_count++] = 1;
}

static bool among(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(*words, word))
			return true;
	return false;
}

/* Information for people, without effect on what matches. */
static const char *const remarks[] = {
	"reference", "target", "tag", "rawbytes", "requires", "alert", NULL
};

/* The same; events print them. */
static const char *const details[] = {
	"sid", "gid", "rev", "classtype", "priority", "metadata", NULL
};

/* Further conditions, which do not change where contents are searched. */
static const char *const conditions[] = {
	"absent", "ack", "app-layer-event", "app-layer-protocol", "app-layer-state", "asn1",
	"base64_decode", "bsize", "bypass", "byte_extract", "byte_jump", "byte_math", "byte_test",
	"cip_service", "config", "datarep", "dataset", "dce_iface", "dce_opnum", "decode-event",
	"detection_filter", "dnp3_func", "dnp3_ind", "dnp3_obj", "dsize", "engine-event",
	"enip_command", "entropy", "fileext", "filemagic", "filemd5", "filename", "filesha1",
	"filesha256", "filesize", "filestore", "flags", "flow", "flow.age", "flow.bytes",
	"flow.bytes_toclient", "flow.bytes_toserver", "flow.elephant", "flow.pkts",
	"flow.pkts_toclient", "flow.pkts_toserver", "flowbits", "flowint", "flowvar", "fragbits",
	"fragoffset", "ftpbounce", "ftpdata_command", "geoip", "hostbits", "icmp_id", "icmp_seq",
	"icmpv4-csum", "icmpv6-csum", "icmpv6.mtu", "icode", "id", "ip_proto", "ipopts", "iprep",
	"ipv4-csum", "isdataat", "itype", "krb5.weak_encryption", "krb5_err_code",
	"krb5_msg_type", "l3_proto", "lua", "luajit", "modbus", "nfq_set_mark", "nfs_procedure",
	"nfs_version", "noalert", "pcre", "pktvar", "prefilter", "rpc", "sameip", "seq",
	"ssh.protoversion", "ssh.softwareversion", "ssl_state", "ssl_version", "stream-event",
	"stream_size", "tcp.ack", "tcp.flags", "tcp.mss", "tcp.seq", "tcp.window", "tcp.wscale",
	"tcpv4-csum", "tcpv6-csum", "threshold", "tls.fingerprint", "tls.issuerdn", "tls.store",
	"tls.subject", "tls.version", "tls_cert_expired", "tls_cert_notafter",
	"tls_cert_notbefore", "tls_cert_valid", "tos", "ttl", "udpv4-csum", "udpv6-csum",
	"urilen", "vlan.id", "vlan.layers", "window", "xbits",
	NULL
};

/* These turn a buffer to lower or upper case; matching without case sees both. */
static const char *const foldings[] = {
	"to_lowercase", "to_uppercase", "header_lowercase", NULL
};

static const char *const transforms[] = {
	"strip_whitespace", "compress_whitespace", "to_md5", "to_sha1", "to_sha256", "url_decode",
	"xor", "pcrexform", "strip_pseudo_headers", "from_base64", "luaxform", "decompress",
	"gunzip", "zlib_deflate", "domain", "tld", "subslice", NULL
};

static const char not_quoted[] = "the value is not in quotes (a ';' in it must be escaped)";

/* Takes the quotes off. Return: false: there are none. */
static bool unquote(char **text)
{
	size_t length = strlen(*text);

	if (length < 2 || **text != '"' || (*text)[length - 1] != '"')
		return false;
	(*text)[length - 1] = 0;
	++*text;
	return true;
}

static int hex(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* Decodes in place: the result is never longer. Return: NULL, or what is wrong. */
static const char *decode(char *text, size_t *length)
{
	static const char pairs[] = "between bars there are pairs of hexadecimal digits";
	uint8_t *to = (uint8_t *)text;
	bool digits = false;
	int high = -1;
	char *at;

	for (at = text; *at; at++) {
		if (*at == '"')
			return "a '\"' within the value must be escaped: \\\"";
		if (*at == '|') {
			if (high >= 0)
				return pairs;
			digits = !digits;
		} else if (digits && (*at == ' ' || *at == ',')) {
			continue;
		} else if (digits) {
			if (!isxdigit((unsigned char)*at))
				return pairs;
			if (high >= 0)
				*to++ = high << 4 | hex(*at);
			high = high >= 0 ? -1 : hex(*at);
		} else if (*at == '\\') {
			if (!at[1] || !strchr("\\\";:", at[1]))
				return "bad escape: there are \\\\ \\\" \\; \\:";
			*to++ = *++at;
		} else {
			*to++ = *at;
		}
	}
	*length = to - (uint8_t *)text;
	if (digits)
		return "a bar without its partner";
	return *length ? NULL : "empty pattern";
}

static int add_content(struct pattern_list *list, struct rule *rule, char *value,
		       const struct context *context)
{
	struct rule_condition *condition;
	struct content *content;
	const char *what;
	uint8_t *copy;
	bool negated;
	size_t length;

	if (!value)
		return rule_bad(rule, "content", "no value");
	if (rule->content_count == RULE_CONTENTS)
		return rule_bad(rule, "content", "more of them than nfac expects in a rule");
	negated = *value == '!';
	if (negated)
		value += 1 + strspn(value + 1, " \t");
	if (!unquote(&value))
		return rule_bad(rule, "content", strstr(value, "\",") ?
			   "what Snort 3 has behind the quotes is a keyword here (nocase;)" :
			   not_quoted);
	what = decode(value, &length);
	if (what)
		return rule_bad(rule, "content", what);
	copy = pattern_list_alloc(list, length);
	if (!copy)
		return -1;
	memcpy(copy, value, length);
	condition = rule_condition_add(rule, NFAC_CONDITION_CONTENT);
	if (condition)
		condition->content = rule->content_count;
	content = &rule->contents[rule->content_count++];
	*content = (struct content) {
		.bytes = copy,
		.length = length,
		.negated = negated,
		.buffer = context->buffer,
		.transform = context->transform,
		.folded = context->folded,
		.dotprefix = context->dotprefix,
		.lowered = context->lowered,
		.raised = context->raised,
		.transforms = context->transforms,
	};
	return 0;
}

/*
 * offset, depth, distance or within: a number, or a variable that an earlier condition sets.
 * @which: 0: where the search begins, 1: within how many bytes it ends.
 */
static int set_place(struct rule *rule, struct content *content, const char *keyword,
		     const char *value, int which, int32_t low)
{
	static const uint32_t has[] = { NFAC_CONDITION_HAS_OFFSET, NFAC_CONDITION_HAS_DEPTH };
	static const uint32_t variable[] = {
		NFAC_CONDITION_OFFSET_VARIABLE, NFAC_CONDITION_DEPTH_VARIABLE,
	};
	long number;
	char *end;
	int index;

	if (!value || !*value)
		return rule_bad(rule, keyword, "no value");
	if (content->startswith)
		return rule_bad(rule, keyword, "goes not with startswith, which is a place already");
	if (content->place_flags & has[which])
		return rule_bad(rule, keyword, "the content has one already");
	content->place_flags |= has[which];
	number = strtol(value, &end, 10);
	if (!*end) {
		if (number < low || number > 65535)
			return rule_bad(rule, keyword, low ? "not a number from -65535 to 65535" :
							 "not a number from 0 to 65535");
		content->place[which] = number;
		return 0;
	}
	index = rule_variable(rule, value);
	if (index < 0)
		return rule_bad(rule, keyword, "neither a number nor a variable that is set before");
	content->place_flags |= variable[which];
	content->place[which] = index;
	return 0;
}

/* offset or depth: a place that is not relative. */
static int set_limit(struct rule *rule, struct content *content, const char *keyword,
		     const char *value, int which)
{
	if (content->relative)
		return rule_bad(rule, keyword, "goes with neither distance nor within");
	return set_place(rule, content, keyword, value, which, 0);
}

/* Is its depth or within a number below its length? Then it cannot match. */
static bool is_too_long(const struct content *content)
{
	return !(content->place_flags & NFAC_CONDITION_DEPTH_VARIABLE) &&
	       (size_t)content->place[1] < content->length;
}

static const char too_long[] = "less than the content's length, the rule cannot match";

static const char *const modifiers[] = {
	"nocase", "fast_pattern", "startswith", "endswith", "offset", "depth", "distance",
	"within", "replace", NULL
};

/* Those of them that take no value. */
static const char *const words[] = { "nocase", "startswith", "endswith", NULL };

/* fast_pattern; fast_pattern:only; fast_pattern:OFFSET,LENGTH. */
static int set_fast_pattern(struct rule *rule, struct content *content, const char *value)
{
	unsigned int offset, length;
	char more;

	if (content->fast_pattern)
		return rule_bad(rule, "fast_pattern", "the content has one already");
	content->fast_pattern = true;
	if (!value || !*value)
		return 0;
	content->fast_only = !strcmp(value, "only");
	if (content->fast_only)
		return 0;
	if (sscanf(value, "%u , %u%c", &offset, &length, &more) != 2 || offset > 65535 ||
	    length > 65535)
		return rule_bad(rule, "fast_pattern", "give nothing, only, or OFFSET,LENGTH");
	content->chop_end = offset + length;
	return 0;
}

static int modify(struct rule *rule, const char *keyword, const char *value)
{
	struct content *content;

	if (!rule->content_count)
		return rule_bad(rule, keyword, "no content precedes it");
	content = &rule->contents[rule->content_count - 1];
	if (among(keyword, words) && value && *value)
		return rule_bad(rule, keyword, "takes no value");
	if (!strcmp(keyword, "nocase")) {
		if (content->nocase)
			return rule_bad(rule, keyword, "the content has one already");
		content->nocase = true;
	} else if (!strcmp(keyword, "fast_pattern")) {
		return set_fast_pattern(rule, content, value);
	} else if (!strcmp(keyword, "startswith")) {
		if (content->place_flags)
			return rule_bad(rule, keyword,
					"goes with neither offset, depth, distance, within nor itself");
		content->startswith = true;
		content->place_flags |= NFAC_CONDITION_HAS_OFFSET | NFAC_CONDITION_HAS_DEPTH;
		content->place[0] = 0;
		content->place[1] = content->length;
	} else if (!strcmp(keyword, "endswith")) {
		content->endswith = true;
	} else if (!strcmp(keyword, "offset")) {
		return set_limit(rule, content, keyword, value, 0);
	} else if (!strcmp(keyword, "depth")) {
		if (set_limit(rule, content, keyword, value, 1))
			return -1;
		if (is_too_long(content))
			return rule_bad(rule, keyword, too_long);
	} else if (!strcmp(keyword, "replace")) {
		rule_note(rule, "replace");
	} else {
		if (content->place_flags && !content->relative)
			return rule_bad(rule, keyword, "goes with neither offset nor depth");
		content->relative = true;
		if (!strcmp(keyword, "distance"))
			return set_place(rule, content, keyword, value, 0, -65535);
		if (set_place(rule, content, keyword, value, 1, 0))
			return -1;
		if (is_too_long(content))
			return rule_bad(rule, keyword, too_long);
	}
	return 0;
}

/* As deep as it is long, and at no offset: it begins the buffer. Offset may come last. */
static void find_starts(struct rule *rule)
{
	static const uint32_t variable = NFAC_CONDITION_OFFSET_VARIABLE |
					 NFAC_CONDITION_DEPTH_VARIABLE;
	struct content *content;

	for (content = rule->contents; content < rule->contents + rule->content_count; content++)
		if (content->place_flags & NFAC_CONDITION_HAS_DEPTH && !content->relative &&
		    !(content->place_flags & variable) && !content->place[0] &&
		    (size_t)content->place[1] == content->length)
			content->startswith = true;
}

/* Contents of this buffer need not be there. */
static int set_absent(struct rule *rule, const struct buffer *buffer)
{
	if (rule->absent_count == RULE_ABSENT)
		return rule_bad(rule, "absent", "more of them than nfac expects in a rule");
	rule->absent[rule->absent_count++] = buffer;
	return 0;
}

static int set_msg(struct pattern_list *list, struct rule *rule, char *value)
{
	char *copy, *to;

	if (rule->label)
		return rule_bad(rule, "msg", "the rule has one already");
	if (!value || !unquote(&value))
		return rule_bad(rule, "msg", not_quoted);
	copy = pattern_list_alloc(list, strlen(value) + 1);
	if (!copy)
		return -1;
	for (to = copy; *value; value++) {
		if (*value == '\\' && value[1])
			value++;
		*to++ = *value;
	}
	*to = 0;
	rule->label = copy;
	return 0;
}

/* Keywords that change what the contents behind them mean. Return: was it one? */
static bool set_context(struct context *context, const char *keyword, const char *value)
{
	const struct buffer *buffer;

	if (!strcmp(keyword, "pkt_data")) {
		memset(context, 0, sizeof(*context));
	} else if (among(keyword, foldings)) {
		/* where contents match without case, upper case is lower case */
		context->folded = true;
		context->lowered = !strcmp(keyword, "to_lowercase");
		context->raised = !strcmp(keyword, "to_uppercase");
		context->transforms |= strcmp(keyword, "header_lowercase") ?
				       NFAC_TRANSFORM_LOWERCASE : NFAC_TRANSFORM_HEADER_LOWERCASE;
	} else if (!strcmp(keyword, "dotprefix")) {
		context->dotprefix = true;
		context->transforms |= NFAC_TRANSFORM_DOTPREFIX;
	} else if (!strcmp(keyword, "strip_whitespace") || !strcmp(keyword,
								   "compress_whitespace") ||
		   !strcmp(keyword, "url_decode")) {
		/* the pattern would have to be undone: another content is the anchor, or none */
		context->transforms |= *keyword == 's' ? NFAC_TRANSFORM_STRIP_WHITESPACE :
				       *keyword == 'c' ? NFAC_TRANSFORM_COMPRESS_WHITESPACE :
							 NFAC_TRANSFORM_URL_DECODE;
	} else if (among(keyword, transforms)) {
		context->transform = keyword;
	} else if ((!value || !strcmp(keyword, "frame")) && !among(keyword, conditions)) {
		buffer = buffer_find(keyword);
		if (buffer)
			*context = (struct context) { .buffer = buffer };
		else if (context->buffer)
			/* it came after us, and what it makes of the buffer we cannot say */
			context->transform = keyword;
		else
			return false;
	} else {
		return false;
	}
	return true;
}

static int set_condition(struct pattern_list *list, struct rule *rule, const char *keyword,
			 char *value, const struct context *context)
{
	char *copy = value ? strdup(value) : NULL;
	int done = rule_condition_parse(list, rule, keyword, copy, context->buffer,
					context->transforms);

	free(copy);
	if (done < 0)
		return -1;
	if (!strcmp(keyword, "noalert") || (!strcmp(keyword, "flowbits") && value &&
					    !strcmp(value, "noalert")))
		rule->noalert = true;
	if (!done)
		rule_note(rule, keyword);
	return 0;
}

static int set_option(struct pattern_list *list, struct rule *rule, char *keyword, char *value,
		      struct context *context)
{
	const struct buffer *buffer = buffer_of_modifier(keyword);

	if (among(keyword, details))
		return rule_detail_set(rule, keyword, value);
	if (!strcmp(keyword, "msg"))
		return set_msg(list, rule, value);
	if (!strcmp(keyword, "content"))
		return add_content(list, rule, value, context);
	if (!strcmp(keyword, "uricontent")) {
		const struct context uri = { .buffer = buffer_find("http.uri") };

		return add_content(list, rule, value, &uri);
	}
	if (among(keyword, modifiers))
		return modify(rule, keyword, value);
	if (buffer && !value) {
		if (!rule->content_count)
			return rule_bad(rule, keyword, "no content precedes it");
		if (rule->contents[rule->content_count - 1].buffer)
			return rule_bad(rule, keyword, "the content has a buffer already");
		rule->contents[rule->content_count - 1].buffer = buffer;
		return 0;
	}
	if (!strcmp(keyword, "absent") && set_absent(rule, context->buffer))
		return -1;
	if (among(keyword, remarks))
		return 0;
	if (!strcmp(keyword, "threshold") || !strcmp(keyword, "detection_filter"))
		return rule_threshold_parse(rule, keyword, value);
	if (!strcmp(keyword, "pcre"))
		return rule_pcre_parse(list, rule, value, context->buffer, context->transforms,
				       context->transform);
	if (!set_context(context, keyword, value))
		return set_condition(list, rule, keyword, value, context);
	return 0;
}

/* The ';' that ends an option: one that is not escaped. */
static char *option_end(char *at)
{
	for (; *at && *at != ';'; at++)
		if (*at == '\\' && at[1])
			at++;
	return *at ? at : NULL;
}

/*
 * To lower case, as Suricata takes them in either. What is no keyword may be the end of a rule
 * and the header of another, where the end of a line got lost.
 */
static int check_keyword(const struct rule *rule, char *keyword)
{
	size_t i, shown = 0;

	for (i = 0; keyword[i]; i++)
		keyword[i] = tolower((unsigned char)keyword[i]);
	if (i && !keyword[strspn(keyword, "abcdefghijklmnopqrstuvwxyz0123456789._-")])
		return 0;
	while (shown < 60 && isprint((unsigned char)keyword[shown]))
		shown++;
	return complain_at(rule->place.file, rule->place.line,
			   "'%.*s' is no keyword: does another rule begin in this line, or is a ';' before it not escaped?",
			   (int)shown, keyword);
}

static int parse_options(struct pattern_list *list, struct rule *rule, char *at)
{
	struct context context = { 0 };
	char *end, *colon, *keyword;

	while (*(at += strspn(at, " \t;"))) {
		end = option_end(at);
		if (!end)
			return rule_bad(rule, "the last option", "no ';' at its end");
		*end = 0;
		colon = strchr(at, ':');
		if (colon)
			*colon = 0;
		keyword = trim(at);
		if (check_keyword(rule, keyword) ||
		    set_option(list, rule, keyword, colon ? trim(colon + 1) : NULL, &context))
			return -1;
		at = end + 1;
	}
	return 0;
}

/* The rule's sid, without parsing what precedes it; 0: not found. Quoted text may mislead it. */
static uint32_t find_sid(const char *text)
{
	const char *at = text, *last = NULL;

	while ((at = strstr(at, "sid:"))) {
		if (at == text || strchr("; \t", at[-1]))
			last = at;
		at += strlen("sid:");
	}
	return last ? strtoul(last + strlen("sid:"), NULL, 10) : 0;
}

int rule_parse(struct pattern_list *list, struct rule *rule, char *text)
{
	char *open = strchr(text, '('), *close = strrchr(text, ')');

	if (!open || !close || close[1 + strspn(close + 1, " \t")])
		return complain_at(rule->place.file, rule->place.line,
				   "not a rule: its options must be in parentheses, to the end of the line");
	*open = 0;
	*close = 0;
	rule->early_sid = find_sid(open + 1);
	if (rule_header(rule, text) || parse_options(list, rule, open + 1))
		return -1;
	if (!rule->sid)
		return complain_at(rule->place.file, rule->place.line, "the rule has no sid");
	find_starts(rule);
	return rule_check(rule);
}
