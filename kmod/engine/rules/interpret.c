// SPDX-License-Identifier: GPL-2.0
/*
 * The interpreter: does a rule hold over a window?
 *
 * nfac_scan_confirm() and `nfac scan` call it for each rule whose anchor matched. It reads a
 * program that nfac_programs_verify() has checked, and never repeats those checks.
 *
 * Conditions of one buffer form a group, evaluated in order. Where the next condition is relative
 * to a content, an earlier occurrence of that content is not final: a stack of retries takes the
 * search back to it (backtracking, as Suricata's content inspection). A rule that names buffers of
 * a protocol holds if all its groups hold for one message of the window.
 *
 * Cost: the budget counts each byte that a search or a parser reads. The program ends when it
 * is used up. The stack has one entry for each condition, in the scratch memory.
 */
#include "conditions.h"

size_t nfac_rules_scratch_bytes(void)
{
	return sizeof(struct nfac_rules_scratch);
}

struct nfac_window *nfac_rules_window(struct nfac_rules_scratch *s)
{
	memset(&s->own, 0, sizeof(s->own));
	return &s->own;
}

struct nfac_match_memory *nfac_rules_match_memory(struct nfac_rules_scratch *s)
{
	return &s->match;
}

struct nfac_scan *nfac_rules_scan(struct nfac_rules_scratch *s)
{
	return &s->scan;
}

u64 nfac_rules_cost(const struct nfac_rules_scratch *s)
{
	return s->budget - s->left;
}

enum nfac_app nfac_rules_app(const struct nfac_window *w)
{
	const u8 *at = w->bytes;

	if (w->app != NFAC_APP_ANY)
		return w->app;
	if (!w->length)
		return NFAC_APP_ANY;
	if (w->protocol == IP_UDP)
		return nfac_dns_begins(w) ? NFAC_APP_DNS : NFAC_APP_ANY;
	if (w->protocol != IP_TCP)
		return NFAC_APP_ANY;
	if (nfac_http_begins(at, w->length))
		return NFAC_APP_HTTP;
	if (nfac_tls_begins(at, w->length))
		return NFAC_APP_TLS;
	if (w->length >= 4 && !memcmp(at, "SSH-", 4))
		return NFAC_APP_SSH;
	if (w->length >= 8 && (!memcmp(at + 4, "\xffSMB", 4) || !memcmp(at + 4, "\xfeSMB", 4)))
		return NFAC_APP_SMB;
	if (w->length >= 4 && (!memcmp(at, "EHLO", 4) || !memcmp(at, "HELO", 4)))
		return NFAC_APP_SMTP;
	if (w->length >= 5 && (!memcmp(at, "USER ", 5) || !memcmp(at, "FEAT\r", 5)))
		return NFAC_APP_FTP;
	return nfac_dns_begins(w) ? NFAC_APP_DNS : NFAC_APP_ANY;
}

bool nfac_rules_may_decode(const u8 *bytes, u32 length, u8 protocol)
{
	return protocol == IP_TCP && nfac_http_may_begin(bytes, length);
}

void nfac_rules_begin(struct nfac_rules_scratch *s, const struct nfac_window *window, u64 budget)
{
	s->window = window;
	s->budget = budget;
	s->left = budget;
	s->granted = false;
	s->message = 0;
	/* transforms of the payload use decoded memory without a message */
	s->used = 0;
	s->full = false;
	s->app = nfac_rules_app(window);
}

/* Forget the message that was parsed. */
static void message_reset(struct nfac_rules_scratch *s, u32 begin)
{
	memset(s->slice, 0, sizeof(s->slice));
	s->begin = begin;
	s->end = s->window->length;
	s->used = 0;
	s->changed = 0;
	s->full = false;
	s->more = false;
}

static bool message_parse(struct nfac_rules_scratch *s)
{
	switch (s->app) {
	case NFAC_APP_HTTP:
		return nfac_http_parse(s);
	case NFAC_APP_DNS:
		return nfac_dns_parse(s);
	case NFAC_APP_TLS:
		return nfac_tls_parse(s);
	case NFAC_APP_SSH:
		return nfac_ssh_parse(s);
	default:
		return false;
	}
}

/* Parse the first message, unless it is parsed. */
static bool message_first(struct nfac_rules_scratch *s)
{
	if (s->message == 1)
		return s->present;
	message_reset(s, s->window->message);
	s->message = 1;
	s->present = message_parse(s);
	return s->present;
}

/* Parse the message behind the one that is parsed. */
static bool message_next(struct nfac_rules_scratch *s)
{
	if (s->more || s->end <= s->begin || s->end >= s->window->length)
		return false;
	message_reset(s, s->end);
	s->message++;
	return message_parse(s);
}

/* Was the message that is parsed the window's last one, and has it ended? */
static bool messages_ended(const struct nfac_rules_scratch *s)
{
	return s->app == NFAC_APP_HTTP && s->message && !s->more && s->end == s->window->length &&
	       s->end > s->begin;
}

u32 nfac_rules_message(struct nfac_rules_scratch *s)
{
	bool there;

	if (s->app != NFAC_APP_HTTP)
		return 0;
	for (there = message_first(s); there && !s->more; there = message_next(s))
		if (messages_ended(s))
			return s->end;
	return s->begin;
}

const u8 *nfac_rules_buffer(struct nfac_rules_scratch *s, u32 buffer, u32 *length)
{
	const struct nfac_slice *slice = &s->slice[buffer];

	if (!message_first(s) || slice->state != NFAC_SLICE_WHOLE || !slice->length)
		return NULL;
	*length = slice->length;
	return slice->at;
}

void nfac_rules_decoded(struct nfac_rules_scratch *s, nfac_decoded_fn fn, void *context)
{
	u32 buffer;
	bool there;

	if (s->app != NFAC_APP_HTTP)
		return;
	for (there = message_first(s); there; there = message_next(s)) {
		for (buffer = 0; buffer < NFAC_BUFFER_MAX; buffer++)
			if (s->changed >> buffer & 1 && s->slice[buffer].length &&
			    nfac_rules_spend(s, s->slice[buffer].length))
				fn(context, s->slice[buffer].at, s->slice[buffer].length, s->begin);
	}
}

/* The window's own bytes: of the packet where the rule is about packets. */
static struct nfac_slice payload_slice(const struct nfac_rules_scratch *s, u32 flags)
{
	const struct nfac_window *w = s->window;

	if (w->stream && w->packet && flags & NFAC_PROGRAM_PACKET)
		return (struct nfac_slice) { w->packet, w->packet_length, NFAC_SLICE_WHOLE };
	return (struct nfac_slice) {
		w->bytes, w->length,
		w->stream && !w->whole ? NFAC_SLICE_PART : NFAC_SLICE_WHOLE,
	};
}

static struct nfac_slice hostname_slice(const struct nfac_rules_scratch *s)
{
	return s->slice[s->app == NFAC_APP_DNS ? NFAC_BUFFER_DNS_QUERY :
			s->app == NFAC_APP_TLS ? NFAC_BUFFER_TLS_SNI : NFAC_BUFFER_HTTP_HOST];
}

/* One group: the conditions in the words @at .. @end - 1. Return: all of them hold. */
static bool group_holds(struct nfac_rules_scratch *s, const __le32 *p, u32 at, u32 end,
			const struct nfac_slice *slice)
{
	struct nfac_step step = { .scratch = s, .slice = slice };
	struct nfac_retry *top;
	u32 depth = 0;

	while (at < end) {
		const struct nfac_condition *c = (const struct nfac_condition *)(p + at);

		step.resume = 0;
		step.base = step.pos;
		/* what counts from a match that was not looked for cannot be checked */
		if (step.lost && le32_to_cpu(c->flags) & NFAC_CONDITION_RELATIVE) {
			s->lost = true;
			return true;
		}
		while (!nfac_condition_holds(c, &step)) {
			if (at > s->farthest)
				s->farthest = at;
			/* take back the last content that may be elsewhere, too */
			if (!depth || s->left < 0)
				return false;
			top = &s->retry[--depth];
			at = top->condition;
			c = (const struct nfac_condition *)(p + at);
			step.base = top->base;
			step.resume = top->resume;
		}
		if (nfac_condition_retries(c, p, at + nfac_condition_words(c), end)) {
			top = &s->retry[depth++];
			top->condition = at;
			top->base = step.base;
			top->resume = step.found + 1;
		}
		at += nfac_condition_words(c);
	}
	return true;
}

/* The same of a stream's bytes, where a size is the packet's. */
static bool payload_needs_whole(const struct nfac_condition *c, bool patient)
{
	const enum nfac_condition_type type = nfac_condition_type(c);
	const u32 flags = le32_to_cpu(c->flags);

	if (type == NFAC_CONDITION_CONTENT && flags & NFAC_CONDITION_NEGATED)
		return true;
	/* without patience, what is there is the stream so far */
	if (!patient)
		return false;
	if (type == NFAC_CONDITION_CONTENT)
		return flags & NFAC_CONDITION_ENDSWITH;
	return flags & NFAC_CONDITION_NEGATED && (type == NFAC_CONDITION_ISDATAAT ||
						  type == NFAC_CONDITION_USER);
}

static bool is_body(const struct nfac_condition *c)
{
	const enum nfac_buffer buffer = nfac_condition_buffer(c);

	return buffer == NFAC_BUFFER_HTTP_REQUEST_BODY || buffer == NFAC_BUFFER_FILE_DATA ||
	       buffer == NFAC_BUFFER_HTTP_RESPONSE_BODY;
}

/* Is there a condition that bytes to come can break? */
static bool group_needs_whole(const __le32 *p, u32 at, u32 end, bool patient)
{
	const struct nfac_condition *c;

	for (; at < end; at += nfac_condition_words(c)) {
		c = (const struct nfac_condition *)(p + at);
		if (nfac_condition_buffer(c) == NFAC_BUFFER_PAYLOAD) {
			if (payload_needs_whole(c, patient))
				return true;
			continue;
		}
		if (le32_to_cpu(c->flags) & (NFAC_CONDITION_NEGATED | NFAC_CONDITION_ENDSWITH) ||
		    nfac_condition_type(c) == NFAC_CONDITION_SIZE)
			return true;
		/* an expression may end with the buffer; a body may be as long as the connection */
		if (nfac_condition_type(c) == NFAC_CONDITION_USER && !is_body(c))
			return true;
	}
	return false;
}

/* The word behind the group that begins at @at. */
static u32 group_end(const __le32 *p, u32 at, u32 end)
{
	const struct nfac_condition *first = (const struct nfac_condition *)(p + at), *c;

	do {
		c = (const struct nfac_condition *)(p + at);
		at += nfac_condition_words(c);
		c = (const struct nfac_condition *)(p + at);
	} while (at < end && nfac_condition_is_grouped(c) &&
		 nfac_condition_buffer(c) == nfac_condition_buffer(first) &&
		 nfac_condition_transforms(c) == nfac_condition_transforms(first));
	return at;
}

static bool is_decoded(const struct nfac_rules_scratch *s, const struct nfac_slice *slice)
{
	return slice->at >= s->decoded && slice->at <= s->decoded + NFAC_RULES_DECODED_MAX;
}

/* All groups, over the message that is parsed. */
static enum nfac_outcome groups_hold(struct nfac_rules_scratch *s, const __le32 *p, u32 flags,
				     u32 end)
{
	u32 at = sizeof(struct nfac_program) / 4, behind;
	const struct nfac_window *w = s->window;

	for (; at < end; at = behind) {
		const struct nfac_condition *c = (const struct nfac_condition *)(p + at);
		const enum nfac_buffer buffer = nfac_condition_buffer(c);
		const bool full = s->full;
		struct nfac_slice slice;
		u32 kept = s->used;
		bool holds, cut;

		behind = at + nfac_condition_words(c);
		if (!nfac_condition_is_grouped(c))
			continue;
		behind = group_end(p, at, end);
		slice = buffer == NFAC_BUFFER_PAYLOAD ? payload_slice(s, flags) :
			buffer == NFAC_BUFFER_HOSTNAME ? hostname_slice(s) : s->slice[buffer];
		if (slice.state == NFAC_SLICE_ABSENT) {
			if (at > s->farthest)
				s->farthest = at;
			return NFAC_RULE_FAILS;
		}
		if (slice.state == NFAC_SLICE_PART && w->stream && !w->whole &&
		    group_needs_whole(p, at, behind, w->patient))
			return NFAC_RULE_LATER;
		if (nfac_condition_transforms(c))
			nfac_transform(s, &slice, nfac_condition_transforms(c));
		holds = group_holds(s, p, at, behind, &slice);
		/* a buffer that is not whole shows neither what is missing nor that it is */
		cut = s->full && (is_decoded(s, &slice) || nfac_condition_transforms(c));
		s->full = full;
		s->used = kept;
		if (s->left < 0 ||
		    (cut && (!holds || group_needs_whole(p, at, behind, w->patient))))
			return NFAC_RULE_BUDGET;
		if (!holds)
			return NFAC_RULE_FAILS;
	}
	return NFAC_RULE_HOLDS;
}

/* Does the program name a buffer of a message? */
static bool has_messages(const __le32 *p, u32 end)
{
	u32 at = sizeof(struct nfac_program) / 4;
	const struct nfac_condition *c;

	for (; at < end; at += nfac_condition_words(c)) {
		c = (const struct nfac_condition *)(p + at);
		if (nfac_condition_is_grouped(c) && nfac_condition_buffer(c))
			return true;
	}
	return false;
}

/* Are all its contents of the payload, and has one a place of its own? */
static bool has_places(const __le32 *p, u32 end)
{
	u32 at = sizeof(struct nfac_program) / 4;
	const struct nfac_condition *c;
	bool some = false;
	u32 flags;

	for (; at < end; at += nfac_condition_words(c)) {
		c = (const struct nfac_condition *)(p + at);
		if (nfac_condition_is_grouped(c) && nfac_condition_buffer(c))
			return false;
		flags = le32_to_cpu(c->flags);
		some |= nfac_condition_type(c) == NFAC_CONDITION_CONTENT &&
			!(flags & NFAC_CONDITION_RELATIVE) &&
			flags & (NFAC_CONDITION_HAS_OFFSET | NFAC_CONDITION_HAS_DEPTH);
	}
	return some;
}

static enum nfac_outcome over_messages(struct nfac_rules_scratch *s, const __le32 *p, u32 flags,
				       u32 end)
{
	enum nfac_outcome outcome, best = NFAC_RULE_FAILS;
	bool there, ended = false;

	if (s->window->cut)
		return NFAC_RULE_CUT;
	for (there = message_first(s); there; there = message_next(s)) {
		outcome = groups_hold(s, p, flags, end);
		if (outcome == NFAC_RULE_HOLDS || outcome == NFAC_RULE_BUDGET)
			return outcome;
		if (outcome == NFAC_RULE_LATER)
			best = outcome;
		ended = messages_ended(s);
	}
	/* a message to come has anchors of its own */
	return best == NFAC_RULE_FAILS && s->window->stream && !ended ? NFAC_RULE_LATER : best;
}

/* Over the payload: the stream's bytes, or the packet's alone. */
static enum nfac_outcome over_payload(struct nfac_rules_scratch *s, const __le32 *p, u32 flags,
				      u32 end)
{
	const struct nfac_window *w = s->window;
	const bool packet = w->stream && w->packet && !(flags & NFAC_PROGRAM_STREAM) &&
			    has_places(p, end);
	enum nfac_outcome outcome;

	if (w->slid && has_places(p, end)) {
		outcome = packet ? NFAC_RULE_FAILS : NFAC_RULE_CUT;
	} else {
		outcome = groups_hold(s, p, flags, end);
		/* bytes to come may bring what was not there */
		if (outcome == NFAC_RULE_FAILS && !(flags & NFAC_PROGRAM_PACKET))
			outcome = NFAC_RULE_LATER;
	}
	/* a raw content's place counts in the packet, too, as Suricata has it */
	if (packet && outcome != NFAC_RULE_HOLDS && outcome != NFAC_RULE_BUDGET &&
	    groups_hold(s, p, flags | NFAC_PROGRAM_PACKET, end) == NFAC_RULE_HOLDS)
		outcome = NFAC_RULE_HOLDS;
	return outcome;
}

/* The program's own flags: direction and state of the connection, application protocol. */
static enum nfac_outcome head_holds(const struct nfac_rules_scratch *s,
				    const struct nfac_program *head, bool *unchecked)
{
	const u32 flags = le32_to_cpu(head->flags), app = le32_to_cpu(head->app) & 0xff;
	const u32 protocol = le32_to_cpu(head->app) >> 8 & 0xff;
	const struct nfac_window *w = s->window;
	const u8 wanted = flags & NFAC_PROGRAM_TO_SERVER ? NFAC_DIRECTION_TO_SERVER :
			  flags & NFAC_PROGRAM_TO_CLIENT ? NFAC_DIRECTION_TO_CLIENT :
							   NFAC_DIRECTION_UNKNOWN;

	if (protocol == NFAC_PROTOCOL_ICMP && w->protocol && !nfac_is_icmp(w->protocol))
		return NFAC_RULE_FAILS;
	if (protocol && protocol != NFAC_PROTOCOL_ICMP && w->protocol && protocol != w->protocol)
		return NFAC_RULE_FAILS;
	/* a rule about one packet was evaluated when that packet came */
	if (flags & NFAC_PROGRAM_PACKET && w->stream && !w->packet)
		return NFAC_RULE_FAILS;
	if (wanted && w->direction && wanted != w->direction)
		return NFAC_RULE_FAILS;
	*unchecked = (wanted && !w->direction) ||
		     (flags & NFAC_PROGRAM_ESTABLISHED && w->established < 0);
	if (flags & NFAC_PROGRAM_ESTABLISHED && !w->established)
		return NFAC_RULE_LATER;
	if (app && app != s->app)
		return s->app == NFAC_APP_ANY && w->stream && !w->whole && w->length < 16 ?
		       NFAC_RULE_LATER : NFAC_RULE_FAILS;
	return NFAC_RULE_HOLDS;
}

/* Conditions on the packet's headers and the connection, one by one. */
static enum nfac_outcome fields_hold(const struct nfac_rules_scratch *s, const __le32 *p, u32 end,
				     bool swapped, bool *unchecked, u32 *failed)
{
	u32 at = sizeof(struct nfac_program) / 4;
	const struct nfac_condition *c;

	for (; at < end; at += nfac_condition_words(c)) {
		c = (const struct nfac_condition *)(p + at);
		if (nfac_condition_is_grouped(c))
			continue;
		*failed = at;
		switch (nfac_field_holds(c, s->window, swapped)) {
		case NFAC_FIELD_FAILS:
			return NFAC_RULE_FAILS;
		case NFAC_FIELD_UNKNOWN:
			*unchecked = true;
			break;
		default:
			break;
		}
	}
	return NFAC_RULE_HOLDS;
}

enum nfac_outcome nfac_rules_evaluate(struct nfac_rules_scratch *s, const __le32 *programs,
				      u32 program, u32 *failed)
{
	const __le32 *p = programs + program;
	const struct nfac_program *head = (const struct nfac_program *)p;
	const u32 flags = le32_to_cpu(head->flags), end = le32_to_cpu(head->words);
	const struct nfac_window *w = s->window;
	enum nfac_outcome outcome;
	bool unchecked = false;
	u32 word = 0;

	s->farthest = 0;
	s->program = program;
	s->lost = false;
	outcome = head_holds(s, head, &unchecked);
	if (outcome == NFAC_RULE_HOLDS)
		outcome = fields_hold(s, p, end, false, &unchecked, &word);
	if (outcome == NFAC_RULE_FAILS && word && flags & NFAC_PROGRAM_BIDIRECTIONAL)
		outcome = fields_hold(s, p, end, true, &unchecked, &word);
	if (outcome == NFAC_RULE_HOLDS) {
		word = 0;
		if (has_messages(p, end))
			outcome = over_messages(s, p, flags, end);
		else
			outcome = over_payload(s, p, flags, end);
	}
	if (failed)
		*failed = s->farthest ? s->farthest : word;
	if (outcome == NFAC_RULE_LATER && (!w->stream || w->whole))
		outcome = NFAC_RULE_FAILS;
	unchecked |= flags & NFAC_PROGRAM_INEXACT || (flags & NFAC_PROGRAM_CONFIRM && !w->user);
	if (w->bits && flags & NFAC_PROGRAM_SETS_FLOWBITS && outcome != NFAC_RULE_FAILS &&
	    outcome != NFAC_RULE_LATER)
		nfac_flowbits_apply(p, end, w->bits, outcome == NFAC_RULE_HOLDS && !unchecked);
	if (outcome != NFAC_RULE_HOLDS)
		return outcome;
	return unchecked ? NFAC_RULE_UNCHECKED : NFAC_RULE_HOLDS;
}
