// SPDX-License-Identifier: GPL-2.0
/*
 * Windows: rules over the last bytes of a direction and the segment that follows them.
 *
 * A rule whose conditions do not hold yet stays with the window while its anchor is in there,
 * and is evaluated again with each segment. One that has held is not reported again for the
 * same message.
 *
 * Buffers of a protocol are those of the message that has not ended, and of those behind it. A
 * message that is longer than the window loses its beginning: rules that ask for its buffers are
 * then left unevaluated, and counted, until a segment begins as a message does.
 *
 * Cost: copies at most the window and the segment; the rules' budget is that of the segment.
 */
#include "../decoded_view.h"
#include "flow.h"
#include "window.h"

static_assert(sizeof(struct nfac_decoded) <= NFAC_CONFIRM_BYTES, "it is in the copy's memory");

/* The application protocol that a message's first bytes indicate. */
static enum nfac_app window_begins(const u8 *bytes, u32 length, u8 protocol)
{
	const struct nfac_window w = { .bytes = bytes, .length = length, .protocol = protocol };

	return nfac_rules_app(&w);
}

static void window_reset(struct nfac_flow_window *own, const struct nfac_segment *seg, bool first)
{
	own->generation = seg->generation;
	own->length = 0;
	own->message = 0;
	own->slid = !first;
	own->cut = !first;
	own->app = NFAC_APP_ANY;
	own->rules = 0;
	own->plain = 0;
}

/* The window is for the segment's bytes from @old on. */
static void window_prepare(struct nfac_flow_window *own, const struct nfac_segment *seg, u32 old,
			   bool first)
{
	if (first || !own->length || own->end != seg->seq + old) {
		window_reset(own, seg, first);
		return;
	}
	/* programs of another load */
	if (own->generation != seg->generation) {
		own->rules = 0;
		own->plain = 0;
	}
	own->generation = seg->generation;
}

/* Where a message begins again in a direction that lost the beginning of one. */
static void window_resume(struct nfac_flow_window *own, const u8 *bytes, u32 length, u8 protocol)
{
	enum nfac_app app;

	if (!own->cut || own->app == NFAC_APP_MAX)
		return;
	app = window_begins(bytes, length, protocol);
	if (app == NFAC_APP_ANY || (own->app != NFAC_APP_ANY && own->app != app))
		return;
	own->app = app;
	own->message = own->length;
	own->cut = false;
}

/* Make the window's rules pending again, with offsets from the segment's first byte. */
static void window_retry(const struct nfac_flow_window *own, const struct nfac_segment *seg,
			 struct nfac_pending *pending)
{
	u32 i;

	for (i = 0; i < own->rules; i++)
		if (!own->rule[i].held)
			nfac_pending_add(pending, own->rule[i].program,
					 (s32)(own->rule[i].seq - seg->seq), own->rule[i].length);
}

static struct nfac_window_rule *window_rule(struct nfac_flow_window *own, u32 program)
{
	u32 i;

	for (i = 0; i < own->rules; i++)
		if (own->rule[i].program == program)
			return &own->rule[i];
	return NULL;
}

/* Note what became of a pending rule. */
static void window_note(struct nfac_flow_window *own, const struct nfac_segment *seg,
			struct nfac_scan *scan, u32 i, enum nfac_outcome outcome)
{
	const struct nfac_pending *pending = scan->pending;
	struct nfac_window_rule *rule = window_rule(own, pending->program[i]);
	bool held = outcome == NFAC_RULE_HOLDS || outcome == NFAC_RULE_UNCHECKED;

	if (!held && outcome != NFAC_RULE_LATER) {
		if (rule)
			*rule = own->rule[--own->rules];
		return;
	}
	if (!rule && own->rules == NFAC_WINDOW_RULES) {
		/* it may have held with bytes to come */
		scan->unevaluated += !held;
		scan->crowded |= !held;
		return;
	}
	if (!rule)
		rule = &own->rule[own->rules++];
	rule->program = pending->program[i];
	rule->seq = seg->seq + pending->at[i];
	rule->until = held ? rule->seq : seg->seq + seg->bytes - 1;
	rule->length = pending->length[i];
	rule->held = held;
}

static void window_evaluate(struct nfac_flow_window *own, const struct nfac_segment *seg,
			    struct nfac_scan *scan)
{
	const struct nfac_confirm *confirm = seg->confirm;
	const struct nfac_window_rule *rule;
	enum nfac_outcome outcome;
	u32 i, turn;

	for (i = 0, turn = 0; nfac_scan_next(scan, &i, &turn); i++) {
		rule = window_rule(own, scan->pending->program[i]);
		if (rule && rule->held)
			continue;
		outcome = nfac_scan_evaluate(scan, confirm->scratch, i, confirm->held);
		window_note(own, seg, scan, i, outcome);
	}
}

/* Forget rules whose anchors are before the byte at @seq. */
static void window_forget(struct nfac_flow_window *own, u32 seq)
{
	u32 i = 0;

	while (i < own->rules) {
		if ((s32)(own->rule[i].until - seq) < 0)
			own->rule[i] = own->rule[--own->rules];
		else
			i++;
	}
}

/*
 * Append the payload's bytes @from .. @to - 1, and drop the oldest ones where there is no room.
 * Return: false: they cannot be read, and the window is empty.
 */
static bool window_append(struct nfac_flow_window *own, const struct nfac_source *source, u32 from,
			  u32 to)
{
	u32 length = to - from;
	u32 drop = own->length + length > own->room ? own->length + length - own->room : 0;
	u32 of_new = drop > own->length ? drop - own->length : 0;
	u32 of_old = drop - of_new;
	const u8 *bytes;
	u8 *end;

	if (drop) {
		own->cut |= own->message < drop;
		own->message = own->cut ? 0 : own->message - drop;
		own->slid = true;
		/* from here on the bytes do not show it */
		if (own->app == NFAC_APP_ANY)
			own->app = NFAC_APP_MAX;
	}
	memmove(own->bytes, own->bytes + of_old, own->length - of_old);
	own->length -= of_old;
	end = own->bytes + own->length;
	bytes = nfac_source_bytes(source, from + of_new, to, end);
	if (!bytes) {
		own->length = 0;
		return false;
	}
	if (bytes != end)
		memcpy(end, bytes, length - of_new);
	own->length += length - of_new;
	return true;
}

/* Anchors that found no room among the pending programs. */
static void note_overflow(struct nfac_scan *scan)
{
	scan->unevaluated += scan->pending->overflow;
	scan->crowded |= scan->pending->overflow;
}

/* Header fields, addresses and direction of the window, from its packet and its flow. */
static struct nfac_window *confirm_fields(const struct nfac_confirm *confirm)
{
	struct nfac_window *w = nfac_rules_window(confirm->scratch);
	const struct nfac_segment *seg = confirm->segment;

	confirm->fields(confirm, w);
	if (seg && !w->direction)
		w->direction = seg->direction;
	if (seg && w->established < 0)
		w->established = seg->established;
	return w;
}

/* Without an anchor in the packet: may it have one in a decoded buffer? */
static bool packet_decodes(const struct nfac_confirm *confirm, const struct nfac_scan *scan,
			   const struct nfac_source *source, u32 from, u32 length)
{
	u32 first = length < NFAC_RULES_FIRST ? length : NFAC_RULES_FIRST;
	const u8 *bytes = nfac_source_bytes(source, from, from + first, confirm->copy);

	return bytes && nfac_rules_may_decode(bytes, first, scan->protocol);
}

void nfac_confirm_packet(const struct nfac_confirm *confirm, struct nfac_scan *scan,
			 const struct nfac_source *source, u32 from, u32 to,
			 struct nfac_flowbits *bits)
{
	u32 length = to - from < NFAC_CONFIRM_BYTES ? to - from : NFAC_CONFIRM_BYTES;
	struct nfac_window *w;
	u32 i, turn;

	if (!scan->pending)
		return;
	if (!scan->pending->count && !packet_decodes(confirm, scan, source, from, length))
		return;
	w = confirm_fields(confirm);
	w->bytes = nfac_source_bytes(source, from, from + length, confirm->copy);
	if (!w->bytes || length < to - from)
		scan->unevaluated += scan->pending->count;
	if (!w->bytes)
		return;
	w->length = length;
	w->whole = true;
	w->bits = bits;
	w->packet = w->bytes;
	w->packet_length = length;
	nfac_rules_begin(confirm->scratch, w, nfac_rules_budget(length));
	nfac_scan_buffers(scan, confirm->scratch, from);
	note_overflow(scan);
	for (i = 0, turn = 0; nfac_scan_next(scan, &i, &turn); i++)
		nfac_scan_evaluate(scan, confirm->scratch, i, confirm->held);
}

/* A scan of the decoded view; @base: offset in the payload of the piece's first byte. */
struct decoded_piece {
	struct nfac_scan *scan;
	s64 base;
};

static bool on_decoded(void *context, const struct nfac_hit *hit, u32 begin, u32 end)
{
	const struct decoded_piece *piece = context;

	(void)end;
	return nfac_scan_decoded_hit(piece->scan, hit, piece->base + begin);
}

/* @from: offset in the payload of the first new byte, which is the piece's byte @before. */
static void decoded_piece(struct nfac_scan *scan, struct nfac_decoded *memory, const u8 *raw,
			  u32 before, u32 length, u32 from)
{
	struct decoded_piece piece = { scan, (s64)from - before };

	if (nfac_decoded_scan(scan->automaton, memory, raw, before, length, NFAC_PATH_PORTABLE,
			      NFAC_DECODED_IGNORED, on_decoded, &piece))
		return;
	/* counted as a packet with too many matches, which it has */
	scan->capped = true;
	scan->stopped = true;
}

/*
 * Search the decoded view of the payload's bytes @from .. @to - 1, a piece after the other. Matches
 * may begin at @least.
 */
static void decoded_pieces(const struct nfac_confirm *confirm, struct nfac_scan *scan,
			   const struct nfac_source *source, u32 least, u32 from, u32 to)
{
	struct nfac_decoded *memory = (struct nfac_decoded *)confirm->copy;
	u32 most = nfac_decoded_before(scan->automaton), before, length;
	const u8 *raw;

	for (; from < to && !scan->stopped; from += length) {
		before = from - least < most ? from - least : most;
		length = to - from < NFAC_DECODED_PIECE ? to - from : NFAC_DECODED_PIECE;
		raw = nfac_source_bytes(source, from - before, from + length, memory->raw);
		/* counted as unreadable by the scan of the payload itself */
		if (!raw)
			return;
		decoded_piece(scan, memory, raw, before, length, from);
	}
}

/*
 * Note whether the segment's @bytes new bytes have an escape. Return: neither they nor the @before
 * bytes before them have one.
 */
static bool window_plain(struct nfac_flow_window *own, const struct nfac_scan *scan, u32 before,
			 u32 bytes)
{
	const u32 plain = own->plain;

	own->plain = 0;
	if (scan->escapes)
		return false;
	own->plain = plain + bytes < own->room ? plain + bytes : own->room;
	return plain >= before;
}

/*
 * The same of a segment's first piece, whose first matches may begin in the window. Not inline, so
 * that what follows it does not have its stack. Return: other pieces have to be searched.
 */
static noinline bool window_decoded(struct nfac_flow_window *own, const struct nfac_segment *seg,
				    struct nfac_scan *scan, u32 old)
{
	struct nfac_decoded *memory = (struct nfac_decoded *)seg->confirm->copy;
	u32 before = nfac_decoded_before(scan->automaton), length = seg->bytes - old;
	const u8 *tail, *bytes;

	if (before > own->length)
		before = own->length;
	if (length > NFAC_DECODED_PIECE)
		length = NFAC_DECODED_PIECE;
	if (window_plain(own, scan, before, seg->bytes - old) || scan->stopped)
		return false;
	tail = own->bytes + own->length - before;
	bytes = nfac_source_bytes(seg->source, old, old + length, memory->raw + before);
	if (bytes) {
		memcpy(memory->raw, tail, before);
		if (bytes != memory->raw + before)
			memcpy(memory->raw + before, bytes, length);
		decoded_piece(scan, memory, memory->raw, before, length, old);
	}
	/* a GSO packet's, unless nfac_confirm_rest() has searched them */
	return old + length < seg->bytes && !seg->deferred.there;
}

void nfac_confirm_decoded(const struct nfac_confirm *confirm, struct nfac_scan *scan,
			  const struct nfac_source *source, u32 from, u32 to)
{
	if (scan->escapes)
		decoded_pieces(confirm, scan, source, from, from, to);
}

/*
 * Can no rule hold by the segment? None is pending, and no decoded buffer can add one: those are
 * HTTP's, and the direction has another protocol. Bulk data take this way.
 */
static bool window_idle(const struct nfac_flow_window *own, const struct nfac_pending *pending)
{
	if (pending->count)
		return false;
	if (own->app == NFAC_APP_MAX)
		return true;
	return !own->cut && own->app != NFAC_APP_ANY && own->app != NFAC_APP_HTTP;
}

/* The rules over what the window has and the segment's new bytes, which are at @bytes. */
static void confirm_window(struct nfac_flow_window *own, const struct nfac_segment *seg,
			   struct nfac_scan *scan, u32 old, const u8 *bytes, u32 length)
{
	const struct nfac_confirm *confirm = seg->confirm;
	struct nfac_window *w;

	window_resume(own, bytes, length, scan->protocol);
	if (!scan->pending->count && own->cut)
		return;

	w = confirm_fields(confirm);
	w->bytes = bytes;
	if (own->length) {
		memcpy(confirm->copy, own->bytes, own->length);
		if (bytes != confirm->copy + own->length)
			memcpy(confirm->copy + own->length, bytes, length);
		w->bytes = confirm->copy;
	}
	w->length = own->length + length;
	w->message = own->message;
	w->stream = true;
	w->whole = seg->tcp_flags & NFAC_TCP_FIN;
	w->slid = own->slid;
	w->cut = own->cut;
	w->app = own->app;
	w->bits = &own->bits;
	w->packet = w->bytes + own->length;
	w->packet_length = length;
	nfac_rules_begin(confirm->scratch, w, nfac_rules_budget(length));
	if (own->app == NFAC_APP_ANY && !own->slid)
		own->app = nfac_rules_app(w);
	if (!own->cut)
		nfac_scan_buffers(scan, confirm->scratch, (s32)old - own->length);
	window_evaluate(own, seg, scan);
	if (own->cut || own->app == NFAC_APP_ANY || own->app == NFAC_APP_MAX)
		return;
	own->message = nfac_rules_message(confirm->scratch);
	window_forget(own, seg->seq + old - own->length + own->message);
}

/* Evaluate the pending rules over the window and the segment. */
static void window_confirm(struct nfac_flow_window *own, const struct nfac_segment *seg,
			   struct nfac_scan *scan, u32 old)
{
	u32 length = seg->bytes - old, most = NFAC_CONFIRM_BYTES - own->length;
	const u8 *bytes;

	if (length > most)
		scan->unevaluated += scan->pending->count;
	/* the last ones: a BIG TCP packet's first bytes are no window */
	if (length > most)
		length = most;
	bytes = nfac_source_bytes(seg->source, old, old + length, seg->confirm->copy + own->length);
	if (!bytes) {
		scan->unevaluated += scan->pending->count;
		return;
	}
	confirm_window(own, seg, scan, old, bytes, length);
	note_overflow(scan);
}

void nfac_window_begin(struct nfac_flow_window *own, const struct nfac_segment *seg)
{
	own->bits = seg->bits;
	own->bits_load = seg->generation;
}

/* The flowbits are those of the segment's load. Return: their values. */
static struct nfac_flowbits window_flowbits(struct nfac_flow_window *own,
					    const struct nfac_segment *seg)
{
	if (own->bits_load != seg->generation) {
		memset(&own->bits, 0, sizeof(own->bits));
		own->bits_load = seg->generation;
	}
	return own->bits;
}

/* Note what the segment's rules changed of the flowbits. */
static void window_flowbits_note(const struct nfac_flow_window *own, struct nfac_segment *seg,
				 struct nfac_flowbits was)
{
	seg->bits_changed |= (own->bits.set ^ was.set) | (own->bits.unsure ^ was.unsure);
	seg->bits = own->bits;
}

void nfac_confirm_late(struct nfac_flow_window *own, struct nfac_segment *seg,
		       struct nfac_scan *scan, u32 old)
{
	struct nfac_flowbits was = { 0 };

	if (!nfac_automaton_confirms(scan->automaton))
		return;
	if (own)
		was = window_flowbits(own, seg);
	if (!seg->deferred.there)
		nfac_confirm_decoded(seg->confirm, scan, seg->source, old, seg->bytes);
	else if (seg->deferred.windowed)
		nfac_confirm_decoded(seg->confirm, scan, seg->source, old,
				     old + NFAC_DECODED_PIECE);
	nfac_confirm_packet(seg->confirm, scan, seg->source, old, seg->bytes,
			    own ? &own->bits : NULL);
	if (own)
		window_flowbits_note(own, seg, was);
}

void nfac_confirm_rest(const struct nfac_segment *seg, struct nfac_scan *scan)
{
	const struct nfac_deferred *d = &seg->deferred;

	if (!(scan->automaton->flags & NFAC_SET_DECODE_URL) || !scan->escapes)
		return;
	/* matches of the first piece may begin in the window */
	decoded_pieces(seg->confirm, scan, seg->source, d->old,
		       d->windowed ? d->old + NFAC_DECODED_PIECE : d->old, seg->bytes);
}

/* The rules over the window, with the connection's flowbits. */
static noinline void window_rules(struct nfac_flow_window *own, struct nfac_segment *seg,
				  struct nfac_scan *scan, u32 old)
{
	struct nfac_flowbits was;

	window_retry(own, seg, scan->pending);
	if (window_idle(own, scan->pending))
		return;
	was = window_flowbits(own, seg);
	window_confirm(own, seg, scan, old);
	window_flowbits_note(own, seg, was);
}

void nfac_confirm_segment(struct nfac_flow_window *own, struct nfac_segment *seg,
			  struct nfac_scan *scan, u32 old, bool first)
{
	window_prepare(own, seg, old, first);
	if ((scan->automaton->flags & NFAC_SET_DECODE_URL) && window_decoded(own, seg, scan, old))
		decoded_pieces(seg->confirm, scan, seg->source, old, old + NFAC_DECODED_PIECE,
			       seg->bytes);
	if (scan->pending)
		window_rules(own, seg, scan, old);
	if (!window_append(own, seg->source, old, seg->bytes))
		return;
	window_forget(own, seg->seq + seg->bytes - own->length);
	own->end = seg->seq + seg->bytes;
}
