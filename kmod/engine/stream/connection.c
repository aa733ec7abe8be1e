// SPDX-License-Identifier: GPL-2.0
/*
 * Connections: how they begin, are agreed to, and end, in one direction.
 */
#include "connection.h"
#include "desync.h"
#include "stamps.h"

/*
 * Largest distance of an acknowledgment from the other side's last byte that proves that its
 * SYN-ACK has arrived: a server may have sent its first data by then. A host that did not see
 * the SYN-ACK guesses such a number with probability 2^-18.
 */
#define NFAC_FLOW_ANSWER_BYTES	16384u

/* The direction begins with the byte at @seq, behind a SYN (@syn) or in mid-stream. */
static void nfac_flow_begin(struct nfac_flow *flow, const struct nfac_segment *seg, u32 seq,
			    bool syn)
{
	nfac_cursor_init(&flow->cursor);
	flow->generation = seg->generation;
	flow->next = seq;
	flow->start = seq;
	flow->scanned_from = seq;
	flow->wraps = 0;
	flow->flags = syn ? NFAC_FLOW_SYN : 0;
	flow->seen = seg->clock.now;
	flow->scale = NFAC_SCALE_NONE;
	if (flow->window)
		nfac_window_begin(flow->window, seg);
	/* an unproven SYN waits for its answer; a direction without a SYN has none to wait for */
	if (flow->peer_scale != NFAC_SCALE_UNPROVEN ||
	    (seg->tcp_flags & (NFAC_TCP_SYN | NFAC_TCP_ACK)) != NFAC_TCP_SYN)
		flow->peer_scale = NFAC_SCALE_NONE;
	flow->offers &= NFAC_OFFERS_REOPENED;
	if (!(seg->tcp_flags & NFAC_TCP_SYN))
		return;
	flow->offers |= seg->tcp_flags & NFAC_TCP_ACK ? NFAC_OFFERS_TO_CLIENT :
							NFAC_OFFERS_TO_SERVER;
	flow->scale = seg->scale;
	if (seg->stamps.there)
		flow->offers |= NFAC_OFFERS_STAMPS;
	if (!(seg->tcp_flags & NFAC_TCP_ACK))
		return;
	flow->peer_scale = seg->peer_scale;
	flow->peer_next = seg->ack;
	if (seg->stamped)
		nfac_flow_stamp(flow, seg, seg->stamps.value);
}

/*
 * Only a silence with "drop" is no reason to believe a SYN: the receiver may have kept the
 * connection longer than flow_idle, and would go on where it was.
 */
static bool nfac_flow_forgotten(const struct nfac_flow *flow, const struct nfac_segment *seg)
{
	return !(seg->policy & NFAC_ATTACH_GAP_DROP) && nfac_flow_idle(flow, seg->clock);
}

/*
 * Does a SYN fall within a live connection? Then it is no beginning, because the receiver
 * ignores it. If the receiver has closed the connection, an RST or its SYN-ACK follows (see
 * nfac_flow_reopened()), or silence, and then the next SYN counts.
 *
 * After a segment with a match, or another SYN, the receiver may be desynchronised. Then
 * another connection counts only if it begins ahead of all that passed, as RFC 6528 has it.
 */
bool nfac_flow_live(const struct nfac_flow *flow, const struct nfac_segment *seg)
{
	/* with "drop" a SYN that was answered is believed before its data, too */
	bool answered = (seg->policy & NFAC_ATTACH_GAP_DROP) && nfac_flow_handshaken(flow);
	bool over = flow->flags & NFAC_FLOW_ENDED ||
		    !(answered || flow->flags & (NFAC_FLOW_DATA | NFAC_FLOW_ASSURED));

	if (nfac_flow_forgotten(flow, seg))
		return false;
	if (nfac_flow_guessed(flow))
		return false;
	/* the same SYN again, before any data */
	if ((flow->flags & (NFAC_FLOW_SYN | NFAC_FLOW_DATA | NFAC_FLOW_ASSURED)) == NFAC_FLOW_SYN &&
	    (flow->next == seg->seq ||
	     (nfac_flow_desynchronised(flow) && flow->match_from == seg->seq)))
		return false;
	if ((flow->flags & NFAC_FLOW_MATCHED) && !(flow->flags & NFAC_FLOW_SYN_DATA))
		over = over && nfac_flow_beyond(flow, seg->seq);
	return !over;
}

/*
 * A connection begins with the byte at @seq. The receiver may still be where it was before,
 * after a segment with a match, or because it has answered another SYN. That range is kept, so
 * that no later SYN can lead back there. What was guessed in mid-stream is not kept, because
 * it may be ahead of this beginning. Before any data the flow follows the SYN that leads
 * furthest, and the first data may still follow the first one (see nfac_flow_other()).
 */
void nfac_flow_anew(struct nfac_flow *flow, struct nfac_segment *seg, u32 seq)
{
	bool idle = nfac_flow_forgotten(flow, seg);
	bool forget = idle || (flow->flags & NFAC_FLOW_SYN_DATA) || nfac_flow_guessed(flow);
	u16 data = flow->flags & NFAC_FLOW_DATA;
	bool lost;
	u16 stays;

	/* retransmitted: what the other side has answered stays in force */
	if (!forget && !data && (flow->flags & NFAC_FLOW_SYN) && seq == flow->start &&
	    seq == flow->next && nfac_flow_handshaken(flow)) {
		flow->seen = seg->clock.now;
		nfac_flow_restamp(flow, seg);
		return;
	}
	if (!forget && !data && (flow->flags & NFAC_FLOW_SYN) &&
	    (seg->policy & NFAC_ATTACH_GAP_DROP)) {
		if (nfac_seq_before(seq, flow->next)) {
			nfac_flow_desync_at(flow, seq);
			return;
		}
		if (flow->next != seq)
			nfac_flow_desync_here(flow);
	}
	/* what has passed behind it does not pass again */
	if (data && nfac_flow_desynchronised(flow))
		flow->match_to++;
	stays = forget ? 0 : flow->flags & NFAC_FLOW_MATCHED;
	/* the receiver may not have seen an end behind a match */
	lost = !(flow->flags & NFAC_FLOW_ENDED) || (forget && (flow->flags & NFAC_FLOW_MATCHED));
	/* without data the receiver may wait all the same, unless it is the same SYN */
	seg->restarted = lost && (data || (idle && (flow->next != seq ||
						    (flow->flags & NFAC_FLOW_MATCHED))));
	nfac_flow_begin(flow, seg, seq, true);
	flow->flags |= stays;
}

/* A direction that was not followed. Its bucket may have no slot, then NULL. */
struct nfac_flow *nfac_flow_enter(struct nfac_flow_bucket *bucket, u64 hash,
				  struct nfac_segment *seg)
{
	struct nfac_flow *flow;

	flow = nfac_flow_take(bucket, hash, seg->attachment, seg->client, seg->clock,
			      &seg->evicted);
	if (flow)
		nfac_flow_begin(flow, seg, seg->seq, seg->tcp_flags & NFAC_TCP_SYN);
	return flow;
}

/*
 * A SYN within a live connection. The receiver may have closed it, which nfac cannot see, and
 * then begins anew: what was scanned is no first copy of what follows. A beginning ahead of
 * the stream's position is behind a gap until the other side's SYN-ACK agrees to it.
 */
void nfac_flow_reopened(struct nfac_flow *flow, struct nfac_segment *seg)
{
	bool drop = seg->policy & NFAC_ATTACH_GAP_DROP;

	if (!seg->bytes && nfac_seq_before(flow->next, seg->seq)) {
		if (drop)
			nfac_flow_desync_here(flow);
		flow->reopened = seg->seq;
		flow->reopened_scale = seg->scale;
		flow->offers &= ~NFAC_OFFERS_REOPENED;
		if (seg->stamps.there)
			flow->offers |= NFAC_OFFERS_REOPENED;
		flow->flags |= NFAC_FLOW_REOPENED;
		return;
	}
	if (drop) {
		nfac_segment_uninspected(seg, NFAC_SKIP_GAP);
		return;
	}
	if (seg->bytes)
		nfac_segment_note(seg, NFAC_SKIP_GAP);
	seg->alone = seg->bytes;
	flow->scanned_from = flow->next;
}

/*
 * The first data follow the first SYN and not the last one: nothing has passed at either
 * position, so the stream begins at the first one.
 */
void nfac_flow_other(struct nfac_flow *flow, const struct nfac_segment *seg)
{
	if ((flow->flags & (NFAC_FLOW_SYN | NFAC_FLOW_DATA)) != NFAC_FLOW_SYN ||
	    !nfac_flow_desynchronised(flow) || seg->seq != flow->match_from)
		return;
	flow->next = seg->seq;
	flow->start = seg->seq;
	flow->scanned_from = seg->seq;
}

/* The first segment behind a SYN with data begins as if the SYN had carried none. */
void nfac_flow_behind_syn(struct nfac_flow *flow, const struct nfac_segment *seg)
{
	if (seg->seq != flow->start || flow->next != flow->scanned_from)
		return;
	nfac_cursor_init(&flow->cursor);
	flow->next = flow->start;
	flow->scanned_from = flow->start;
	flow->flags &= ~(NFAC_FLOW_SYN_DATA | NFAC_FLOW_MATCHED);
}

/*
 * The direction's own segment: the sender has seen the other side's SYN-ACK if it acknowledges
 * it, and then both sides have agreed. Conntrack says the same, if it tracks the connection.
 */
void nfac_flow_agreed(struct nfac_flow *flow, const struct nfac_segment *seg)
{
	if (seg->track.entry)
		flow->flags |= NFAC_FLOW_TRACKED;
	if (flow->flags & NFAC_FLOW_ASSURED)
		return;
	if (seg->track.assured || ((flow->flags & NFAC_FLOW_ANSWERED) &&
				   (seg->tcp_flags & NFAC_TCP_ACK) &&
				   flow->peer_next - seg->ack <= NFAC_FLOW_ANSWER_BYTES))
		flow->flags |= NFAC_FLOW_ASSURED;
}

/*
 * The other side acknowledges a SYN that passed within the connection: the receiver had
 * closed it, and begins anew. The acknowledgment may be forged, so the range of a
 * desynchronised receiver is kept, as behind an RST.
 */
static void nfac_flow_reopen(struct nfac_flow *flow, struct nfac_segment *seg)
{
	u8 scale = flow->reopened_scale;

	if (!(flow->flags & NFAC_FLOW_REOPENED) || seg->ack != flow->reopened ||
	    ((flow->flags & NFAC_FLOW_MATCHED) && !nfac_flow_beyond(flow, flow->reopened)))
		return;
	flow->flags |= NFAC_FLOW_ENDED;
	nfac_flow_anew(flow, seg, flow->reopened);
	flow->scale = scale;
	flow->peer_scale = NFAC_SCALE_NONE;
	flow->flags &= ~NFAC_FLOW_STAMPED;
	flow->offers = NFAC_OFFERS_TO_SERVER |
		       (flow->offers & NFAC_OFFERS_REOPENED ? NFAC_OFFERS_STAMPS : 0);
}

/*
 * The other side's SYN-ACK, of the last SYN or of the first one (see nfac_flow_other()). It has
 * scale and timestamps only if its SYN had.
 */
static void nfac_flow_answered(struct nfac_flow *flow, struct nfac_segment *seg)
{
	bool first = !(flow->flags & NFAC_FLOW_DATA) && nfac_flow_desynchronised(flow) &&
		     seg->ack == flow->match_from;
	bool scaled = seg->scale != NFAC_SCALE_NONE && (first || flow->scale != NFAC_SCALE_NONE);
	bool stamped = seg->stamps.there && (first || (flow->offers & NFAC_OFFERS_STAMPS));

	if (!(flow->flags & NFAC_FLOW_SYN) ||
	    ((flow->flags & NFAC_FLOW_ASSURED) && flow->peer_scale != NFAC_SCALE_UNPROVEN) ||
	    (!first && seg->ack - flow->start > flow->next - flow->start))
		return;
	flow->flags |= NFAC_FLOW_ANSWERED | NFAC_FLOW_WINDOW;
	flow->peer_next = seg->seq + seg->bytes;
	flow->peer_scale = scaled ? seg->scale : 0;
	/* a SYN-ACK's own window has no scale */
	flow->window_end = seg->ack + seg->window;
	if (seg->policy & NFAC_ATTACH_GAP_DROP)
		flow->acked = seg->ack;
	if (stamped)
		nfac_flow_stamp(flow, seg, seg->stamps.echo);
	else
		flow->flags &= ~NFAC_FLOW_STAMPED;
	/* what the first SYN offered is not kept */
	if (first)
		return;
	seg->peer_scale = scaled ? flow->scale : 0;
	seg->stamped = stamped;
}

/* The window that the other side advertises; its right edge never moves back. */
static void nfac_flow_advertised(struct nfac_flow *flow, const struct nfac_segment *seg)
{
	u32 end;

	if (!nfac_flow_handshaken(flow))
		return;
	end = seg->ack + ((u32)seg->window << flow->peer_scale);
	if ((flow->flags & NFAC_FLOW_WINDOW) && !nfac_seq_before(flow->window_end, end))
		return;
	flow->window_end = end;
	flow->flags |= NFAC_FLOW_WINDOW;
}

/**
 * nfac_flow_answer() - learn from a segment of the other side
 * @bucket: where the direction can be that the segment answers, locked
 * @hash: its name: the addresses and ports of @seg, exchanged
 * @seg: for which nfac_segment_answers() holds, and which receivers take; sets @peer_scale and
 *	@bits, and @restarted when another connection began
 *
 * An acknowledgment of bytes that were sent proves that the other side knows the connection.
 *
 * Context: any; under the bucket's lock.
 */
void nfac_flow_answer(struct nfac_flow_bucket *bucket, u64 hash, struct nfac_segment *seg)
{
	struct nfac_flow *flow = nfac_flow_find(bucket, hash);
	bool syn;

	if (!flow)
		return;
	nfac_flow_reopen(flow, seg);
	if (flow->window && flow->window->bits_load == seg->generation)
		seg->bits = flow->window->bits;
	if (seg->tcp_flags & NFAC_TCP_SYN) {
		nfac_flow_answered(flow, seg);
		return;
	}
	syn = flow->flags & NFAC_FLOW_SYN;
	if (seg->ack - flow->start - !syn < flow->next - flow->start + syn)
		flow->flags |= NFAC_FLOW_ASSURED;
	nfac_flow_advertised(flow, seg);
	nfac_flow_acknowledged(flow, seg);
}

/**
 * nfac_flow_share() - let the other direction know which flowbits a segment's rules changed
 * @bucket: where the other direction can be, locked
 * @hash: its name: the addresses and ports of @seg, exchanged
 * @seg: scanned, with @bits_changed
 *
 * A direction that begins later gets them with its SYN-ACK, by nfac_flow_answer().
 *
 * Context: any; under the bucket's lock.
 */
void nfac_flow_share(struct nfac_flow_bucket *bucket, u64 hash, struct nfac_segment *seg)
{
	struct nfac_flow *flow = nfac_flow_find(bucket, hash);
	const u64 changed = seg->bits_changed;
	struct nfac_flow_window *window;

	if (!flow || !flow->window)
		return;
	window = flow->window;
	if (window->bits_load != seg->generation) {
		window->bits = seg->bits;
		window->bits_load = seg->generation;
		return;
	}
	window->bits.set = (window->bits.set & ~changed) | (seg->bits.set & changed);
	window->bits.unsure = (window->bits.unsure & ~changed) | (seg->bits.unsure & changed);
}

/*
 * Does the other side take the RST? A host that does not see the connection cannot make one
 * that it takes. Behind a FIN its number is one higher.
 */
static bool nfac_flow_resets(const struct nfac_flow *flow, const struct nfac_segment *seg)
{
	u32 behind = seg->seq - flow->next;

	return (seg->tcp_flags & NFAC_TCP_RST) && (flow->flags & NFAC_FLOW_SYN) &&
	       (!behind || (behind == 1 && (flow->flags & NFAC_FLOW_ENDED)));
}

/*
 * A FIN or an RST counts at the stream's position only, a FIN with an ACK only: the receiver
 * ignores others (RFC 9293, 3.10.7.4), so an attacker could send them to end the flow alone.
 */
void nfac_flow_closed(struct nfac_flow *flow, struct nfac_segment *seg)
{
	if (!(seg->tcp_flags & (NFAC_TCP_RST | NFAC_TCP_ACK)) ||
	    !(seg->tcp_flags & (NFAC_TCP_RST | NFAC_TCP_FIN)))
		return;
	seg->resets = nfac_flow_resets(flow, seg);
	nfac_flow_end(flow, seg->seq);
}

/**
 * nfac_flow_stray() - note a segment that only some receivers take
 * @bucket: where its direction can be, locked
 * @hash: of its direction
 * @seg: initialised
 *
 * Its SYN may have begun a connection: that is a gap, and no scanned byte is a certain first
 * copy any more. Its urgent pointer may count, also without data.
 *
 * Context: any; under the bucket's lock.
 */
void nfac_flow_stray(struct nfac_flow_bucket *bucket, u64 hash, struct nfac_segment *seg)
{
	struct nfac_flow *flow = nfac_flow_find(bucket, hash);

	if (!(seg->tcp_flags & (NFAC_TCP_SYN | NFAC_TCP_URG)))
		return;
	nfac_segment_uninspected(seg, NFAC_SKIP_GAP);
	if (flow && (seg->tcp_flags & NFAC_TCP_SYN) && !(seg->policy & NFAC_ATTACH_GAP_DROP))
		flow->scanned_from = flow->next;
}

/**
 * nfac_flow_reset() - note an RST from the other side
 * @bucket: where the direction can be that the RST ends, locked
 * @hash: its name: the addresses and ports of the RST, exchanged
 * @seg: the RST, for which nfac_flow_control() has set @resets
 *
 * It may be forged, or lost behind the hook, so the direction goes on with its next bytes. But
 * a SYN ahead of it, as the next connection's is (RFC 6528), begins another connection.
 *
 * Context: any; under the bucket's lock.
 */
void nfac_flow_reset(struct nfac_flow_bucket *bucket, u64 hash, struct nfac_segment *seg)
{
	struct nfac_flow *flow = nfac_flow_find(bucket, hash);

	/* with other policies later bytes are scanned anyway */
	if (!flow || !(seg->policy & NFAC_ATTACH_GAP_DROP) || !(flow->flags & NFAC_FLOW_DATA))
		return;
	nfac_flow_desync_here(flow);
	flow->flags |= NFAC_FLOW_ENDED;
}
