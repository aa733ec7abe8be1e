// SPDX-License-Identifier: GPL-2.0
/*
 * Scans: from the matcher's matches to those that count; see scan.h.
 */
#include "decoded_view.h"
#include "scan.h"

static bool nfac_scan_allowed(const struct nfac_scan *scan, const struct nfac_hit *hit)
{
	if (likely(!hit->limits) ||
	    nfac_hit_allowed(hit, scan->origin + scan->base, scan->protocol, scan->sport,
			     scan->dport))
		return true;
	/* in a followed stream an offset may also count from the packet's first byte */
	return scan->origin && nfac_hit_allowed(hit, scan->base, scan->protocol, scan->sport,
						scan->dport);
}

/* Count a match, and report it. Return: false: no more are wanted. */
static bool nfac_scan_count(struct nfac_scan *scan, const struct nfac_hit *hit, s64 offset)
{
	if (scan->matches == NFAC_MATCHES_MAX) {
		scan->capped = true;
		scan->stopped = true;
		return false;
	}
	scan->matches++;
	if (scan->found && !scan->found(scan, hit, offset))
		scan->stopped = true;
	return !scan->stopped;
}

static bool nfac_scan_hit(void *ctx, const struct nfac_hit *hit)
{
	struct nfac_scan *scan = ctx;
	s64 end = scan->base + hit->end;

	if (scan->only && (end < scan->only || end - hit->length >= scan->only))
		return true;
	if (!nfac_scan_allowed(scan, hit))
		return true;
	if (scan->pending && hit->limits && hit->limits[NFAC_LIMIT_PROGRAM]) {
		nfac_pending_add(scan->pending, le32_to_cpu(hit->limits[NFAC_LIMIT_PROGRAM]) - 1,
				 end - hit->length, hit->length);
		return true;
	}
	return nfac_scan_count(scan, hit, end - hit->length);
}

/* See scan.h. */
bool nfac_scan_decoded_hit(struct nfac_scan *scan, const struct nfac_hit *hit, s64 offset)
{
	struct nfac_hit moved = *hit;
	bool more;

	/* a rule names the buffers in which its anchor counts */
	if (hit->limits && hit->limits[NFAC_LIMIT_PROGRAM])
		return true;
	/* limits count bytes of the payload */
	moved.end = offset + hit->length - scan->base;
	if (!nfac_scan_allowed(scan, &moved))
		return true;
	scan->decoded = true;
	more = nfac_scan_count(scan, hit, offset);
	scan->decoded = false;
	return more;
}

/* Callback of a stopped scan: the stream's cursor still has to advance. */
static bool nfac_scan_stopped(void *ctx, const struct nfac_hit *hit)
{
	(void)ctx;
	(void)hit;
	return false;
}

/**
 * nfac_scan_text() - scan the next bytes
 * @scan: initialised
 * @memory: as for nfac_match_block()
 * @text: bytes that follow those of the previous call
 * @len: of @text
 * @path: as for nfac_match_block()
 *
 * Context: as for nfac_match_block().
 */
void nfac_scan_text(struct nfac_scan *scan, struct nfac_match_memory *memory, const u8 *text,
		    u32 len, enum nfac_path path)
{
	nfac_match_block(memory, scan->automaton, scan->cursor, text, len, path,
			 scan->stopped ? nfac_scan_stopped : nfac_scan_hit, scan);
	scan->base += len;
	if (unlikely(scan->automaton->flags & NFAC_SET_DECODE_URL) && !scan->escapes)
		scan->escapes = nfac_decoded_wanted(scan->automaton, text, len, path);
}

/* A rule holds: report it as a match at its anchor. */
static void nfac_scan_holds(struct nfac_scan *scan, u32 i, enum nfac_outcome outcome)
{
	const struct nfac_pending *pending = scan->pending;
	const struct nfac_program *program = (const struct nfac_program *)
		(scan->automaton->programs + pending->program[i]);
	const u32 flags = le32_to_cpu(program->flags);
	struct nfac_hit hit = {
		.id = le32_to_cpu(program->id),
		.length = pending->length[i],
	};

	if (flags & NFAC_PROGRAM_NOALERT || scan->stopped)
		return;
	if (scan->matches == NFAC_MATCHES_MAX) {
		scan->capped = true;
		scan->stopped = true;
		return;
	}
	hit.end = (s64)pending->at[i] + hit.length;
	scan->inexact = outcome != NFAC_RULE_HOLDS;
	scan->held = outcome == NFAC_RULE_BUDGET;
	scan->inexact_matches += outcome == NFAC_RULE_UNCHECKED;
	scan->matches++;
	if (scan->found && !scan->found(scan, &hit, pending->at[i]))
		scan->stopped = true;
	scan->inexact = false;
	scan->held = false;
}

enum nfac_outcome nfac_scan_evaluate(struct nfac_scan *scan, struct nfac_rules_scratch *scratch,
				     u32 i, bool held)
{
	enum nfac_outcome outcome;

	outcome = nfac_rules_evaluate(scratch, scan->automaton->programs,
				      scan->pending->program[i], NULL);
	switch (outcome) {
	case NFAC_RULE_HOLDS:
	case NFAC_RULE_UNCHECKED:
		nfac_scan_holds(scan, i, outcome);
		break;
	case NFAC_RULE_BUDGET:
		scan->unevaluated++;
		if (held)
			nfac_scan_holds(scan, i, outcome);
		break;
	case NFAC_RULE_CUT:
		scan->unevaluated++;
		break;
	default:
		scan->unconfirmed++;
	}
	return outcome;
}

/* A scan of decoded buffers: the payload's scan, and the memory to work in. */
struct nfac_buffer_scan {
	const struct nfac_scan *scan;
	struct nfac_rules_scratch *scratch;
};

/* The automaton reads a decoded buffer by itself. */
static void nfac_scan_buffer(void *context, const u8 *bytes, u32 length, u32 begin)
{
	const struct nfac_buffer_scan *buffers = context;
	const struct nfac_scan *outer = buffers->scan;
	struct nfac_scan *scan = nfac_rules_scan(buffers->scratch);

	nfac_scan_init(scan, outer->automaton, NULL);
	scan->protocol = outer->protocol;
	scan->sport = outer->sport;
	scan->dport = outer->dport;
	scan->pending = outer->pending;
	scan->base = begin;
	nfac_scan_text(scan, nfac_rules_match_memory(buffers->scratch), bytes, length,
		       NFAC_PATH_PORTABLE);
}

void nfac_scan_buffers(struct nfac_scan *scan, struct nfac_rules_scratch *scratch, s32 base)
{
	struct nfac_buffer_scan buffers = { scan, scratch };
	u32 i = scan->pending->count;

	nfac_rules_decoded(scratch, nfac_scan_buffer, &buffers);
	for (; i < scan->pending->count; i++)
		scan->pending->at[i] += base;
}
