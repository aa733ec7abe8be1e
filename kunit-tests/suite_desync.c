// SPDX-License-Identifier: GPL-2.0
/*
 * Desynchronised streams: the receiver of a followed stream accepted another SYN, or did not get
 * a segment that nfac has scanned. No SYN may make nfac's position valid again.
 */

#include <linux/delay.h>
#include <net/tcp.h>

#include "help_flow.h"
#include "suites.h"

/* A connection of one segment. */
static unsigned int desync_hop(struct kunit *test, struct nfac_attachment *att, u16 sport,
			       u32 at, const char *text)
{
	unsigned int verdict;

	flow_send(test, att, sport, TCPHDR_SYN, at - 1, "", 0);
	verdict = flow_text(test, att, sport, at, text);
	flow_send(test, att, sport, TCPHDR_RST, at + strlen(text), "", 0);
	return verdict;
}

/* SYNs, each ahead of the one before, that come around to what was dropped. */
static void desync_circle(struct kunit *test)
{
	static const struct {
		u32 at;
		const char *text;
	} far[] = {
		{ 0x7ffffff1, "acid test" },
		{ 0x7ffffffe, "xxxxacid test" },
		{ 0x80000000, "acid test" },
	};
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP);
	u32 i;

	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "acid ");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "acid test"), DROPPED);
	flow_send(test, att, 1, TCPHDR_RST, 14, "", 0);
	flow_send(test, att, 1, TCPHDR_SYN, 0x7ffffff0, "", 0);
	flow_send(test, att, 1, TCPHDR_SYN, 0xffffff00, "", 0);
	flow_send(test, att, 1, TCPHDR_SYN, 4, "", 0);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "jazz"), DROPPED);

	/* with bytes at each place */
	flow_syn(test, att, 2);
	flow_text(test, att, 2, 0, "acid ");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 2, 5, "acid test"), DROPPED);
	flow_send(test, att, 2, TCPHDR_RST, 14, "", 0);
	desync_hop(test, att, 2, 0x7ffffff1, "xx");
	desync_hop(test, att, 2, 0xffffff01, "xx");
	flow_send(test, att, 2, TCPHDR_SYN, 4, "", 0);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 2, 5, "jazz"), DROPPED);

	/* the receiver is at the first SYN, a match is behind the third, far away */
	for (i = 0; i < ARRAY_SIZE(far); i++) {
		flow_syn(test, att, 10 + i);
		KUNIT_EXPECT_EQ(test, desync_hop(test, att, 10 + i, 5, "jazz"), PASSED);
		desync_hop(test, att, 10 + i, far[i].at, far[i].text);
		flow_send(test, att, 10 + i, TCPHDR_SYN, -8, "", 0);
		KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 10 + i, -7, "xxxxxxxacid "),
				    DROPPED, "%x", far[i].at);
	}
	/* a match there is dropped each time */
	flow_syn(test, att, 20);
	flow_send(test, att, 20, TCPHDR_SYN, 0x7ffffffd, "", 0);
	flow_text(test, att, 20, 0x7ffffffe, "xxxx");
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, flow_text(test, att, 20, 0x80000002, "attack"), DROPPED);
	help_detach(att);
}

/*
 * The receiver has begun anew at a SYN that nfac took for a stray one, or at another SYN than
 * nfac. Bytes that are new to the receiver must be scanned, whatever nfac scanned before.
 */
static void desync_syn(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP);
	static const char before[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxacid ";

	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "xxxx");
	/* it has closed on its own, and takes this one */
	KUNIT_EXPECT_EQ(test, flow_send(test, att, 1, TCPHDR_SYN, 99, "", 0), PASSED);
	flow_send(test, att, 1, TCPHDR_RST, 4, "", 0);
	desync_hop(test, att, 1, 105, "jazz");
	flow_send(test, att, 1, TCPHDR_SYN, 99, "", 0);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 100, "acid "), DROPPED);

	/* back to the first SYN, which it has not taken, when data have passed behind others */
	flow_send(test, att, 2, TCPHDR_SYN, 49, "", 0);
	flow_send(test, att, 2, TCPHDR_SYN, 99, "", 0);
	flow_send(test, att, 2, TCPHDR_RST, 50, "", 0);
	desync_hop(test, att, 2, 105, "jazz");
	flow_send(test, att, 2, TCPHDR_SYN, 199, "", 0);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 2, 50, before), DROPPED);

	/* a byte that keeps us alive is its next one */
	flow_send(test, att, 3, TCPHDR_SYN, 49, "", 0);
	flow_send(test, att, 3, TCPHDR_SYN, 99, "", 0);
	flow_text(test, att, 3, 100, "acid");
	flow_send(test, att, 3, TCPHDR_RST, 50, "", 0);
	flow_send(test, att, 3, TCPHDR_SYN, 104, "", 0);
	flow_text(test, att, 3, 104, " ");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 3, 105, "jazz"), DROPPED);

	/* what was dropped before its SYN does not hide what is dropped behind it */
	flow_text(test, att, 6, 45, "attack");
	flow_syn(test, att, 6);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 6, 0, "attackxxxxxxxxxxxxxxxxxx"), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 6, 22, "xxxxxxxxxxxxxxxxxxxxxxx"), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 6, 0, "acid jazzxxxxxxxxxxxxxxx"), DROPPED);

	/* half way around, which is both before and behind */
	flow_text(test, att, 4, 0, "xxxx");
	flow_text(test, att, 4, 4, "x");
	flow_send(test, att, 4, TCPHDR_SYN, 0x7fffffff, "", 0);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 4, 0x80000005, "jazz"), DROPPED);
	help_detach(att);
}

/* The other direction's RST allows another connection ahead of this one, and nothing else. */
static void desync_reset(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP);
	u32 i;

	for (i = 1; i <= 5; i++) {
		flow_syn(test, att, i);
		flow_back(test, att, i, TCPHDR_SYN | TCPHDR_ACK, -1, "");
		flow_text(test, att, i, 0, "acid ");
		flow_back(test, att, i, TCPHDR_ACK, 0, "xx");
	}
	flow_back(test, att, 1, TCPHDR_RST, 2, "");
	/* and behind a FIN, which takes a number of its own */
	flow_back(test, att, 2, TCPHDR_FIN | TCPHDR_ACK, 2, "");
	flow_back(test, att, 2, TCPHDR_RST, 3, "");
	for (i = 1; i <= 2; i++) {
		flow_send(test, att, i, TCPHDR_SYN, 500, "", 0);
		flow_back(test, att, i, TCPHDR_SYN | TCPHDR_ACK, 600, "");
		KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, i, 501, "acid "), PASSED, "%u", i);
		KUNIT_EXPECT_EQ_MSG(test, flow_back(test, att, i, TCPHDR_ACK, 601, "acid "),
				    PASSED, "%u", i);
		KUNIT_EXPECT_EQ(test, flow_text(test, att, i, 506, "jazz"), DROPPED);
	}
	/* out of its place, as from an attacker that does not see the connection */
	flow_back(test, att, 3, TCPHDR_RST, 3, "");
	flow_send(test, att, 3, TCPHDR_SYN, 500, "", 0);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 3, 501, "xxxx"), DROPPED);
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 3, 5, "xxxx"), PASSED, "it lives");
	/* it did not come from the receiver, or does not come to the sender */
	flow_back(test, att, 4, TCPHDR_RST, 2, "");
	KUNIT_EXPECT_EQ(test, flow_send(test, att, 4, TCPHDR_SYN, 4, "", 0), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 4, 5, "jazz"), DROPPED);
	flow_back(test, att, 5, TCPHDR_RST, 2, "");
	flow_send(test, att, 5, TCPHDR_SYN, 10, "", 0);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 5, 11, "jazz"), PASSED);
	flow_send(test, att, 5, TCPHDR_RST, 15, "", 0);
	KUNIT_EXPECT_EQ(test, flow_send(test, att, 5, TCPHDR_SYN, 4, "", 0), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 5, 5, "acid a"), DROPPED);
	help_detach(att);
}

/* A SYN in silence counts: as a restart wherever the receiver may still wait. */
static void desync_silence(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP);
	char was[32];
	u32 i;

	/* no data behind the last SYN, but a segment before it had a match */
	for (i = 1; i <= 2; i++) {
		flow_syn(test, att, i);
		flow_text(test, att, i, 0, "acid ");
		KUNIT_EXPECT_EQ(test, flow_text(test, att, i, 5, "attack"), DROPPED);
		flow_send(test, att, i, TCPHDR_RST, 11, "", 0);
		flow_send(test, att, i, TCPHDR_SYN, 999, "", 0);
	}
	/* none at all; and one that has ended */
	flow_syn(test, att, 3);
	flow_syn(test, att, 4);
	flow_send(test, att, 5, TCPHDR_SYN, -1, "", 0);
	flow_send(test, att, 5, TCPHDR_RST, 0, "", 0);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_FLOW_RESTARTS), 0ull);

	KUNIT_ASSERT_GT(test, help_param_get("flow_idle", was), 0);
	KUNIT_ASSERT_EQ(test, help_param_set("flow_idle", "0"), 0);
	flow_send(test, att, 1, TCPHDR_SYN, 4, "", 0);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_FLOW_RESTARTS), 1ull);
	flow_send(test, att, 2, TCPHDR_SYN, 999, "", 0);
	KUNIT_EXPECT_EQ_MSG(test, help_count(att, NFAC_COUNT_FLOW_RESTARTS), 2ull,
			    "the match's range is given up");
	flow_send(test, att, 3, TCPHDR_SYN, 4, "", 0);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_FLOW_RESTARTS), 3ull);
	flow_syn(test, att, 4);
	flow_send(test, att, 5, TCPHDR_SYN, 4, "", 0);
	KUNIT_EXPECT_EQ_MSG(test, help_count(att, NFAC_COUNT_FLOW_RESTARTS), 3ull,
			    "the same again, and behind an end");
	KUNIT_EXPECT_EQ(test, help_param_set("flow_idle", was), 0);
	help_detach(att);
}

/* With "drop" silence is no reason to believe a SYN: the receiver may go on where it was. */
static void desync_pause(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP);
	struct flow_segment answer = {
		.sport = 2, .back = true, .flags = TCPHDR_SYN | TCPHDR_ACK, .at = FLOW_SERVER - 1,
		.window = U16_MAX, .text = "",
	};
	char was[32];

	flow_open(test, att, 1);
	flow_text(test, att, 1, 0, "acid ");
	flow_open(test, att, 2);
	flow_text(test, att, 2, 0, "acid ");
	KUNIT_ASSERT_GT(test, help_param_get("flow_idle", was), 0);
	KUNIT_ASSERT_EQ(test, help_param_set("flow_idle", "0"), 0);
	KUNIT_EXPECT_EQ(test, flow_send(test, att, 1, TCPHDR_SYN, 4, "", 0), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "jazz"), DROPPED);
	KUNIT_EXPECT_EQ_MSG(test, flow_matches(att), 1ull, "the stream went on");

	/* one ahead passes, and begins a connection when the receiver agrees */
	KUNIT_EXPECT_EQ(test, flow_send(test, att, 2, TCPHDR_SYN, 99, "", 0), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 2, 100, "jazz"), DROPPED);
	answer.ack = 100;
	flow_segment(test, att, &answer);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_FLOW_RESTARTS), 0ull);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 2, 100, "jazz"), PASSED);
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 2, 5, "jazz"), DROPPED,
			    "no longer where the old one was");
	KUNIT_EXPECT_EQ(test, help_param_set("flow_idle", was), 0);
	help_detach(att);
}

/*
 * A direction loses its slot to a flood after a silence. A SYN at the receiver's position leads it
 * nowhere: it answers with an acknowledgment, and takes the second half of the pattern.
 */
static void desync_lost(struct kunit *test)
{
	static const u32 flags[] = { 0, NFAC_ATTACH_PICKUP };
	struct flow_segment answer = {
		.sport = 1, .back = true, .flags = TCPHDR_SYN | TCPHDR_ACK, .at = FLOW_SERVER - 1,
		.ack = 5, .window = U16_MAX, .text = "",
	};
	struct nfac_attachment *att;
	char was[32];
	u32 i, k;

	KUNIT_ASSERT_GT(test, help_param_get("flow_idle", was), 0);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		att = flow_attach_small(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP | flags[i]);
		flow_open(test, att, 1);
		KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0, "acid "), PASSED);
		flow_window(test, att, 1, 5, U16_MAX);
		/* it is silent longest */
		msleep(20);
		KUNIT_ASSERT_EQ(test, help_param_set("flow_idle", "0"), 0);
		for (k = 2; k < 2 + NFAC_FLOW_SLOTS; k++)
			flow_open(test, att, k);
		KUNIT_ASSERT_EQ(test, help_param_set("flow_idle", was), 0);
		KUNIT_EXPECT_GT(test, help_count(att, NFAC_COUNT_FLOW_EVICTIONS), 0ull);

		/* the last of the others ends, and gives its slot */
		flow_send(test, att, k - 1, TCPHDR_RST, 0, "", 0);
		KUNIT_EXPECT_EQ(test, flow_send(test, att, 1, TCPHDR_SYN, 4, "", 0), PASSED);
		flow_window(test, att, 1, 5, U16_MAX);
		KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "jazz"),
				flags[i] ? PASSED : DROPPED);
		/* a new connection is answered */
		flow_segment(test, att, &answer);
		KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, flags[i] ? 9 : 5, "new"), PASSED);
		help_detach(att);
	}
}

static struct kunit_case desync_cases[] = {
	KUNIT_CASE(desync_circle),
	KUNIT_CASE(desync_syn),
	KUNIT_CASE(desync_reset),
	KUNIT_CASE(desync_silence),
	KUNIT_CASE(desync_pause),
	KUNIT_CASE(desync_lost),
	{}
};

struct kunit_suite suite_desync = {
	.name = "nfac_desync",
	.init = flow_init,
	.exit = flow_exit,
	.test_cases = desync_cases,
};
