// SPDX-License-Identifier: GPL-2.0
/*
 * Segments that a receiver discards for their timestamps or their acknowledgment: they are not the
 * stream's, and an attacker cannot raise what they are compared with.
 */

#include <net/tcp.h>

#include "help_flow.h"
#include "suites.h"

/* The set has "acid jazz"; what a receiver gets of these segments decides whether it does. */
#define STRICT	(NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP | NFAC_ATTACH_SKIP_DROP)

/* TSval of the client's SYN. */
#define STAMP	5000u

static struct nfac_attachment *stamps_att;

/* @at bytes behind the client's first one, with TSval STAMP + @after. */
static unsigned int stamps_send(struct kunit *test, u32 at, s32 after, const char *text)
{
	const struct flow_segment segment = {
		.sport = 1, .flags = TCPHDR_ACK, .at = at, .ack = FLOW_SERVER, .window = U16_MAX,
		.stamps = true, .value = STAMP + after, .echo = 9, .text = text,
		.len = strlen(text),
	};

	return flow_segment(test, stamps_att, &segment);
}

/* The server acknowledges @at bytes. */
static void stamps_ack(struct kunit *test, u32 at)
{
	const struct flow_segment segment = {
		.sport = 1, .back = true, .flags = TCPHDR_ACK, .at = FLOW_SERVER, .ack = at,
		.window = U16_MAX, .stamps = true, .value = 9, .echo = STAMP, .text = "",
	};

	flow_segment(test, stamps_att, &segment);
}

static void stamps_syn(struct kunit *test, bool stamps, u32 value)
{
	const struct flow_segment segment = {
		.sport = 1, .flags = TCPHDR_SYN, .at = -1, .window = U16_MAX, .stamps = stamps,
		.value = value, .text = "",
	};

	flow_segment(test, stamps_att, &segment);
}

static void stamps_syn_ack(struct kunit *test, bool stamps, u32 echo)
{
	const struct flow_segment segment = {
		.sport = 1, .back = true, .flags = TCPHDR_SYN | TCPHDR_ACK, .at = FLOW_SERVER - 1,
		.window = U16_MAX, .stamps = stamps, .value = 9, .echo = echo, .text = "",
	};

	flow_segment(test, stamps_att, &segment);
}

/* A connection in which the SYN has timestamps, if @mine, and the SYN-ACK, if @other. */
static void stamps_open(struct kunit *test, u32 flags, bool mine, bool other)
{
	stamps_att = flow_attach(test, flags);
	stamps_syn(test, mine, STAMP);
	stamps_syn_ack(test, other, STAMP);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 0, 0, ""), PASSED);
}

static u64 stamps_skipped(void)
{
	return help_count(stamps_att, NFAC_COUNT_SKIPPED + NFAC_SKIP_WINDOW);
}

/* The receiver discards the decoy and takes the real bytes. */
static void stamps_old(struct kunit *test)
{
	stamps_open(test, STRICT, true, true);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 0, 10, "ac"), PASSED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 2, 9, "xxxx"), DROPPED);
	KUNIT_EXPECT_EQ(test, stamps_skipped(), 1ull);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 2, 10, "id"), PASSED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 4, 11, " jazz"), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_matches(stamps_att), 1ull);
	help_detach(stamps_att);
}

/* With other policies only what no receiver takes is not the stream's. */
static void stamps_certain(struct kunit *test)
{
	static const u32 gaps[] = { 0, NFAC_ATTACH_GAP_PASS };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(gaps); i++) {
		stamps_open(test, NFAC_ATTACH_DROP | gaps[i], true, true);
		stamps_ack(test, 0);
		KUNIT_EXPECT_EQ(test, stamps_send(test, 0, 10, "ac"), PASSED);
		KUNIT_EXPECT_EQ(test, stamps_send(test, 2, 8, "xxxx"), PASSED);
		KUNIT_EXPECT_EQ(test, stamps_skipped(), 1ull);
		KUNIT_EXPECT_EQ_MSG(test, stamps_send(test, 2, 8, "attack"), DROPPED,
				    "scanned by itself");
		/* Linux takes one that is older by 1 */
		KUNIT_EXPECT_EQ(test, stamps_send(test, 2, 9, "id"), PASSED);
		/* not acknowledged: the receiver need not have remembered it */
		KUNIT_EXPECT_EQ(test, stamps_send(test, 4, 1000, " "), PASSED);
		KUNIT_EXPECT_EQ(test, stamps_send(test, 5, 11, "jazz"), DROPPED);
		help_detach(stamps_att);
	}
}

/* Timestamps say nothing unless both SYNs had them. */
static void stamps_negotiated(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 3; i++) {
		stamps_open(test, STRICT, i & 1, i & 2);
		KUNIT_EXPECT_EQ(test, stamps_send(test, 0, 10, "ac"), PASSED);
		KUNIT_EXPECT_EQ(test, stamps_send(test, 2, -1000, "id"), PASSED);
		KUNIT_EXPECT_EQ(test, flow_send(test, stamps_att, 1, TCPHDR_ACK, 4, " jazz", 5),
				DROPPED);
		KUNIT_EXPECT_EQ(test, flow_matches(stamps_att), 1ull);
		KUNIT_EXPECT_EQ(test, stamps_skipped(), 0ull);
		help_detach(stamps_att);
	}
}

/* A segment without them: Linux takes it, others do not. */
static void stamps_missing(struct kunit *test)
{
	stamps_open(test, STRICT, true, true);
	KUNIT_EXPECT_EQ(test, flow_send(test, stamps_att, 1, TCPHDR_ACK, 0, "xxxx", 4), DROPPED);
	KUNIT_EXPECT_EQ(test, stamps_skipped(), 1ull);
	help_detach(stamps_att);
	stamps_open(test, NFAC_ATTACH_DROP, true, true);
	KUNIT_EXPECT_EQ(test, flow_send(test, stamps_att, 1, TCPHDR_ACK, 0, "acid ", 5), PASSED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 5, 1, "jazz"), DROPPED);
	help_detach(stamps_att);
}

/* What the receiver remembers of a retransmission, or of an acknowledgment, counts. */
static void stamps_remembered(struct kunit *test)
{
	const u32 resent[] = { 0, 3, 4 };	/* from where: all, the last byte, none */
	u32 i;

	for (i = 0; i < ARRAY_SIZE(resent); i++) {
		stamps_open(test, STRICT, true, true);
		KUNIT_EXPECT_EQ(test, stamps_send(test, 0, 1, "acid"), PASSED);
		KUNIT_EXPECT_EQ(test, stamps_send(test, resent[i], 50, &"acid"[resent[i]]), PASSED);
		KUNIT_EXPECT_EQ_MSG(test, stamps_send(test, 4, 49, "decoy"), DROPPED, "%u", i);
		KUNIT_EXPECT_EQ_MSG(test, stamps_send(test, 4, 50, "real"), PASSED, "%u", i);
		help_detach(stamps_att);
	}
}

/* A segment that the receiver discards raises nothing: the connection's own ones pass on. */
static void stamps_poison(struct kunit *test)
{
	stamps_open(test, STRICT, true, true);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 0, 1, "ninebytes"), PASSED);
	stamps_ack(test, 9);
	/* ahead of the stream, outside the window, before the last acknowledgment */
	KUNIT_EXPECT_EQ(test, stamps_send(test, 100, 1 << 20, "far"), DROPPED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 0x30000000, 1 << 20, "far"), DROPPED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 100, 1 << 20, ""), PASSED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 0, 1 << 20, "nine"), PASSED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 8, 1 << 20, ""), PASSED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 9, 2, "more"), PASSED);
	help_detach(stamps_att);

	/* an acknowledgment of what was not sent is not the receiver's */
	stamps_open(test, STRICT, true, true);
	stamps_ack(test, 0x10000000);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 0, 1, "acid"), PASSED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 0, 9, "acid"), PASSED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 4, 8, "decoy"), DROPPED);
	help_detach(stamps_att);
}

/* A SYN that is sent again does not take back what the first one agreed to. */
static void stamps_again(struct kunit *test)
{
	stamps_open(test, STRICT, true, true);
	stamps_syn(test, false, 0);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 0, 10, "ac"), PASSED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 2, 9, "xxxx"), DROPPED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 0x30000000, 11, "far"), DROPPED);
	KUNIT_EXPECT_EQ_MSG(test, stamps_skipped(), 2ull, "the window is known, too");
	help_detach(stamps_att);

	/* the server may have taken the second one's */
	stamps_att = flow_attach(test, STRICT);
	stamps_syn(test, true, STAMP);
	stamps_syn(test, true, STAMP + 7);
	stamps_syn_ack(test, true, STAMP + 7);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 0, 6, "decoy"), DROPPED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 0, 7, "real"), PASSED);
	help_detach(stamps_att);
}

/* The clock wraps around, and begins with 0 in some hosts' SYNs. */
static void stamps_wrap(struct kunit *test)
{
	stamps_open(test, STRICT, true, true);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 0, (s32)(-2 - STAMP), "a"), DROPPED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 0, 0x7fffffff, "a"), PASSED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 1, (s32)(-2 - STAMP), "b"), PASSED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 2, (s32)(0 - STAMP), "c"), PASSED);
	/* 0 is older than 1, and not no timestamp */
	KUNIT_EXPECT_EQ(test, stamps_send(test, 3, (s32)(-2 - STAMP), "decoy"), DROPPED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 3, (s32)(1 - STAMP), "d"), PASSED);
	help_detach(stamps_att);

	stamps_att = flow_attach(test, STRICT);
	stamps_syn(test, true, 0);
	stamps_syn_ack(test, true, 0);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 0, (s32)(0x90000000 - STAMP), "a"), PASSED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 1, (s32)(0x8fffffff - STAMP), "x"), DROPPED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 1, (s32)(0x90000001 - STAMP), "b"), PASSED);
	help_detach(stamps_att);
}

/* The server's direction: the SYN-ACK's own timestamp is the first one. */
static void stamps_back(struct kunit *test)
{
	struct flow_segment segment = {
		.sport = 1, .back = true, .flags = TCPHDR_ACK, .at = FLOW_SERVER, .ack = 0,
		.window = U16_MAX, .stamps = true, .text = "decoy", .len = 5,
	};

	stamps_open(test, STRICT, true, true);
	segment.value = 8;
	KUNIT_EXPECT_EQ(test, flow_segment(test, stamps_att, &segment), DROPPED);
	segment.value = 9;
	KUNIT_EXPECT_EQ(test, flow_segment(test, stamps_att, &segment), PASSED);
	help_detach(stamps_att);
}

/* An end that the receiver discards is none: the stream goes on, and no SYN begins another one. */
static void stamps_end(struct kunit *test)
{
	struct flow_segment fin = {
		.sport = 1, .flags = TCPHDR_ACK | TCPHDR_FIN, .at = 2, .ack = FLOW_SERVER,
		.window = U16_MAX, .stamps = true, .value = STAMP, .text = "",
	};

	stamps_open(test, STRICT, true, true);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 0, 10, "ac"), PASSED);
	flow_segment(test, stamps_att, &fin);
	fin.value = STAMP + 10;
	fin.ack = FLOW_SERVER + 1;
	flow_segment(test, stamps_att, &fin);
	/* behind the position: only after an end */
	KUNIT_EXPECT_EQ(test, flow_send(test, stamps_att, 1, TCPHDR_SYN, 0, "", 0), DROPPED);
	KUNIT_EXPECT_EQ(test, stamps_send(test, 2, 11, "id jazz"), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_matches(stamps_att), 1ull);
	help_detach(stamps_att);
}

/* An acknowledgment of what the server has not sent: receivers answer it, and take no byte. */
static void stamps_unsent(struct kunit *test)
{
	static const u32 gaps[] = { 0, NFAC_ATTACH_GAP_DROP };
	struct flow_segment segment = {
		.sport = 1, .flags = TCPHDR_ACK, .at = 2, .window = U16_MAX, .text = "decoy",
		.len = 5,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(gaps); i++) {
		stamps_att = flow_attach(test, NFAC_ATTACH_DROP | gaps[i]);
		flow_open(test, stamps_att, 1);
		KUNIT_EXPECT_EQ(test, flow_text(test, stamps_att, 1, 0, "ac"), PASSED);
		segment.ack = FLOW_SERVER + 1;
		KUNIT_EXPECT_EQ(test, flow_segment(test, stamps_att, &segment),
				gaps[i] ? DROPPED : PASSED);
		KUNIT_EXPECT_EQ(test, stamps_skipped(), 1ull);
		flow_back(test, stamps_att, 1, TCPHDR_ACK, FLOW_SERVER, "hello");
		segment.ack = FLOW_SERVER + 6;
		KUNIT_EXPECT_EQ(test, flow_segment(test, stamps_att, &segment),
				gaps[i] ? DROPPED : PASSED);
		KUNIT_EXPECT_EQ(test, stamps_skipped(), 2ull);
		segment.ack = FLOW_SERVER + 5;
		segment.text = "id jazz";
		segment.len = 7;
		KUNIT_EXPECT_EQ(test, flow_segment(test, stamps_att, &segment), DROPPED);
		KUNIT_EXPECT_EQ(test, flow_matches(stamps_att), 1ull);
		help_detach(stamps_att);
		segment.text = "decoy";
		segment.len = 5;
	}
}

static struct kunit_case stamps_cases[] = {
	KUNIT_CASE(stamps_old),
	KUNIT_CASE(stamps_certain),
	KUNIT_CASE(stamps_negotiated),
	KUNIT_CASE(stamps_missing),
	KUNIT_CASE(stamps_remembered),
	KUNIT_CASE(stamps_poison),
	KUNIT_CASE(stamps_again),
	KUNIT_CASE(stamps_wrap),
	KUNIT_CASE(stamps_back),
	KUNIT_CASE(stamps_end),
	KUNIT_CASE(stamps_unsent),
	{}
};

struct kunit_suite suite_stamps = {
	.name = "nfac_stamps",
	.init = flow_init,
	.exit = flow_exit,
	.test_cases = stamps_cases,
};
