// SPDX-License-Identifier: GPL-2.0
/*
 * Scans: an automaton over the bytes of a packet, or of a stream.
 */
#include "scan.h"

static bool nfac_scan_allowed(const struct nfac_scan *scan, const struct nfac_hit *hit)
{
	if (likely(!hit->limits) ||
	    nfac_hit_allowed(hit, scan->origin + scan->base, scan->protocol, scan->sport,
			     scan->dport))
		return true;
	/* in a followed stream an offset may count from the packet's first byte, too */
	return scan->origin && nfac_hit_allowed(hit, scan->base, scan->protocol, scan->sport,
						scan->dport);
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
	if (scan->matches == NFAC_MATCHES_MAX) {
		scan->capped = true;
		scan->stopped = true;
		return false;
	}
	scan->matches++;
	if (scan->found && !scan->found(scan, hit, end - hit->length))
		scan->stopped = true;
	return !scan->stopped;
}

/* A scan that was stopped only moves its stream's cursor on. */
static bool nfac_scan_mute(void *ctx, const struct nfac_hit *hit)
{
	(void)ctx;
	(void)hit;
	return false;
}

/**
 * nfac_scan_text() - scan the next bytes
 * @scan: initialised
 * @text: bytes that follow those of the previous call
 * @len: of @text
 * @path: as for nfac_match_block()
 *
 * Context: as for nfac_match_block().
 */
void nfac_scan_text(struct nfac_scan *scan, const u8 *text, u32 len,
		    enum nfac_path path)
{
	nfac_match_block(scan->automaton, scan->cursor, text, len, path,
			 scan->stopped ? nfac_scan_mute : nfac_scan_hit, scan);
	scan->base += len;
}

/* A rule holds: it is a match, at its anchor. */
static void nfac_scan_holds(struct nfac_scan *scan, u32 i, bool inexact)
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
	scan->inexact = inexact;
	scan->inexact_matches += scan->inexact;
	scan->matches++;
	if (scan->found && !scan->found(scan, &hit, pending->at[i]))
		scan->stopped = true;
	scan->inexact = false;
}

void nfac_scan_confirm(struct nfac_scan *scan, const struct nfac_window *window,
		       struct nfac_rules_scratch *scratch, bool held)
{
	const struct nfac_pending *pending = scan->pending;
	u32 i;

	if (!pending)
		return;
	scan->unevaluated += pending->overflow;
	if (!pending->count)
		return;
	nfac_rules_begin(scratch, window, nfac_rules_budget(window->length));
	for (i = 0; i < pending->count; i++) {
		switch (nfac_rules_evaluate(scratch, scan->automaton->programs,
					    pending->program[i], NULL)) {
		case NFAC_RULE_HOLDS:
			nfac_scan_holds(scan, i, false);
			break;
		case NFAC_RULE_UNCHECKED:
			nfac_scan_holds(scan, i, true);
			break;
		case NFAC_RULE_BUDGET:
			scan->unevaluated++;
			if (held)
				nfac_scan_holds(scan, i, true);
			break;
		default:
			scan->unconfirmed++;
		}
	}
}
