// SPDX-License-Identifier: GPL-2.0
/*
 * Rules: conditions that hold and that just fail, buffers of HTTP, DNS and TLS, the budget, and
 * programs that the verifier refuses.
 */

#include <linux/in.h>
#include <linux/slab.h>

#include "../kmod/engine/rules/rules.h"
#include "suites.h"

#define RULES_WORDS	128

/*
 * A program that is built word by word, and the memory to evaluate it. One for the suite: a case
 * begins it anew.
 */
static struct {
	__le32 words[RULES_WORDS];
	u32 count;
	u32 conditions;
	struct nfac_window window;
	struct nfac_rules_scratch *scratch;
} rules;

static int rules_init(struct kunit *test)
{
	rules.scratch = kunit_kzalloc(test, nfac_rules_scratch_bytes(), GFP_KERNEL);
	return rules.scratch ? 0 : -ENOMEM;
}

static void rules_begin(const char *payload, size_t length)
{
	memset(rules.words, 0, sizeof(rules.words));
	rules.count = sizeof(struct nfac_program) / 4;
	rules.conditions = 0;
	memset(&rules.window, 0, sizeof(rules.window));
	rules.window.bytes = payload;
	rules.window.length = length;
	rules.window.packet = payload;
	rules.window.packet_length = length;
	rules.window.whole = true;
	rules.window.protocol = IPPROTO_TCP;
	rules.window.ports = true;
	rules.window.sport = 40000;
	rules.window.dport = 80;
	rules.window.direction = NFAC_DIRECTION_TO_SERVER;
	rules.window.established = 1;
}

static void rules_add(enum nfac_condition_type type, enum nfac_buffer buffer, u32 flags,
		      const u32 *arguments, u32 count)
{
	u32 i;

	rules.words[rules.count++] = cpu_to_le32(type | (2 + count) << 8 | buffer << 24);
	rules.words[rules.count++] = cpu_to_le32(flags);
	for (i = 0; i < count; i++)
		rules.words[rules.count++] = cpu_to_le32(arguments[i]);
	rules.conditions++;
}

static void rules_content(enum nfac_buffer buffer, u32 flags, const char *text, s32 offset,
			  s32 depth)
{
	u32 length = strlen(text), words = (length + 3) / 4;
	__le32 *to = &rules.words[rules.count];

	to[0] = cpu_to_le32(NFAC_CONDITION_CONTENT | (5 + words) << 8 | buffer << 24);
	to[1] = cpu_to_le32(flags);
	to[2] = cpu_to_le32(length);
	to[3] = cpu_to_le32(offset);
	to[4] = cpu_to_le32(depth);
	memcpy(to + 5, text, length);
	rules.count += 5 + words;
	rules.conditions++;
}

/* Verify the program and evaluate it. */
static enum nfac_outcome rules_outcome(struct kunit *test, u32 flags, enum nfac_app app)
{
	u8 starts[RULES_WORDS / 8] = { 0 };
	const char *what;
	u32 at = 0;

	rules.words[0] = cpu_to_le32(rules.count);
	rules.words[1] = cpu_to_le32(7);
	rules.words[2] = cpu_to_le32(flags);
	rules.words[3] = cpu_to_le32(app | rules.conditions << 16);
	what = nfac_programs_verify(rules.words, rules.count, starts, &at);
	KUNIT_EXPECT_STREQ(test, what ?: "", "");
	if (what)
		return NFAC_RULE_FAILS;
	KUNIT_EXPECT_EQ(test, starts[0], 1);
	nfac_rules_begin(rules.scratch, &rules.window, nfac_rules_budget(rules.window.length));
	return nfac_rules_evaluate(rules.scratch, rules.words, 0, NULL);
}

#define HAS_BOTH	(NFAC_CONDITION_HAS_OFFSET | NFAC_CONDITION_HAS_DEPTH)

/* One content in "0123456789". */
static enum nfac_outcome rules_digits(struct kunit *test, u32 flags, const char *text, s32 offset,
				      s32 depth)
{
	rules_begin("0123456789", 10);
	rules_content(NFAC_BUFFER_PAYLOAD, flags, text, offset, depth);
	return rules_outcome(test, 0, NFAC_APP_ANY);
}

static void rules_places(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rules_digits(test, 0, "789", 0, 0), NFAC_RULE_HOLDS);
	KUNIT_EXPECT_EQ(test, rules_digits(test, 0, "987", 0, 0), NFAC_RULE_FAILS);
	KUNIT_EXPECT_EQ(test, rules_digits(test, NFAC_CONDITION_NEGATED, "987", 0, 0),
			NFAC_RULE_HOLDS);
	KUNIT_EXPECT_EQ(test, rules_digits(test, HAS_BOTH, "345", 3, 3), NFAC_RULE_HOLDS);
	KUNIT_EXPECT_EQ(test, rules_digits(test, HAS_BOTH, "345", 4, 6), NFAC_RULE_FAILS);
	KUNIT_EXPECT_EQ(test, rules_digits(test, HAS_BOTH, "345", 0, 5), NFAC_RULE_FAILS);
	KUNIT_EXPECT_EQ(test, rules_digits(test, HAS_BOTH, "345", 0, 6), NFAC_RULE_HOLDS);
	KUNIT_EXPECT_EQ(test, rules_digits(test, NFAC_CONDITION_ENDSWITH, "89", 0, 0),
			NFAC_RULE_HOLDS);
	KUNIT_EXPECT_EQ(test, rules_digits(test, NFAC_CONDITION_ENDSWITH, "78", 0, 0),
			NFAC_RULE_FAILS);
}

/* The first "ab" is too far from "cd"; the second is not. */
static void rules_backtracking(struct kunit *test)
{
	static const char text[] = "ab....ab.cd";

	rules_begin(text, strlen(text));
	rules_content(NFAC_BUFFER_PAYLOAD, 0, "ab", 0, 0);
	rules_content(NFAC_BUFFER_PAYLOAD, NFAC_CONDITION_RELATIVE | NFAC_CONDITION_HAS_DEPTH, "cd",
		      0, 3);
	KUNIT_EXPECT_EQ(test, rules_outcome(test, 0, NFAC_APP_ANY), NFAC_RULE_HOLDS);

	rules_begin(text, strlen(text));
	rules_content(NFAC_BUFFER_PAYLOAD, 0, "ab", 0, 0);
	rules_content(NFAC_BUFFER_PAYLOAD, NFAC_CONDITION_RELATIVE | NFAC_CONDITION_HAS_DEPTH, "cd",
		      0, 2);
	KUNIT_EXPECT_EQ(test, rules_outcome(test, 0, NFAC_APP_ANY), NFAC_RULE_FAILS);
}

static const char rules_request[] =
	"POST /a/./b/../%63.php?x=%41 HTTP/1.1\r\nHost: EXAMPLE.com:80\r\nUser-Agent: ld\r\n"
	"Cookie: c=1\r\nContent-Length: 4\r\n\r\nbody"
	"GET /second HTTP/1.1\r\nHost: b\r\n\r\n";

static enum nfac_outcome rules_http(struct kunit *test, enum nfac_buffer buffer, const char *text)
{
	rules_begin(rules_request, strlen(rules_request));
	rules_content(buffer, HAS_BOTH | NFAC_CONDITION_ENDSWITH, text, 0, strlen(text));
	return rules_outcome(test, NFAC_PROGRAM_TO_SERVER, NFAC_APP_HTTP);
}

static void rules_http_buffers(struct kunit *test)
{
	static const struct {
		enum nfac_buffer buffer;
		const char *text;
	} whole[] = {
		{ NFAC_BUFFER_HTTP_METHOD, "POST" },
		{ NFAC_BUFFER_HTTP_URI, "/a/c.php?x=A" },
		{ NFAC_BUFFER_HTTP_URI_RAW, "/a/./b/../%63.php?x=%41" },
		{ NFAC_BUFFER_HTTP_PROTOCOL, "HTTP/1.1" },
		{ NFAC_BUFFER_HTTP_HOST, "example.com" },
		{ NFAC_BUFFER_HTTP_HOST_RAW, "EXAMPLE.com:80" },
		{ NFAC_BUFFER_HTTP_USER_AGENT, "ld" },
		{ NFAC_BUFFER_HTTP_COOKIE, "c=1" },
		{ NFAC_BUFFER_HTTP_REQUEST_BODY, "body" },
		{ NFAC_BUFFER_HTTP_HEADER_NAMES,
		  "\r\nHost\r\nUser-Agent\r\nCookie\r\nContent-Length\r\n\r\n" },
		/* of the request that follows */
		{ NFAC_BUFFER_HTTP_URI, "/second" },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(whole); i++)
		KUNIT_EXPECT_EQ_MSG(test, rules_http(test, whole[i].buffer, whole[i].text),
				    NFAC_RULE_HOLDS, "%s", whole[i].text);
	KUNIT_EXPECT_EQ(test, rules_http(test, NFAC_BUFFER_HTTP_HEADER, "Cookie: c=1\r\n"),
			NFAC_RULE_FAILS);
	KUNIT_EXPECT_EQ(test, rules_http(test, NFAC_BUFFER_HTTP_STAT_CODE, "200"),
			NFAC_RULE_FAILS);
	/* both of one request, and not of two */
	rules_begin(rules_request, strlen(rules_request));
	rules_content(NFAC_BUFFER_HTTP_METHOD, 0, "POST", 0, 0);
	rules_content(NFAC_BUFFER_HTTP_URI, 0, "/second", 0, 0);
	KUNIT_EXPECT_EQ(test, rules_outcome(test, 0, NFAC_APP_HTTP), NFAC_RULE_FAILS);
	/* what does not speak HTTP has none of its buffers */
	rules_begin("SSH-2.0-x\r\n/second", 18);
	rules_content(NFAC_BUFFER_HTTP_URI, 0, "/second", 0, 0);
	KUNIT_EXPECT_EQ(test, rules_outcome(test, 0, NFAC_APP_HTTP), NFAC_RULE_FAILS);
}

static void rules_dns(struct kunit *test)
{
	static const char query[] =
		"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x03WWW\x07" "example\x03" "com\x00"
		"\x00\x01\x00\x01";
	/* a name that points at itself */
	static const char loop[] =
		"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\xc0\x0c\x00\x01\x00\x01";
	const char *const names[] = { "www.example.com", "example" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		rules_begin(query, sizeof(query) - 1);
		rules.window.protocol = IPPROTO_UDP;
		rules_content(NFAC_BUFFER_DNS_QUERY, 0, names[i], 0, 0);
		KUNIT_EXPECT_EQ(test, rules_outcome(test, 0, NFAC_APP_DNS), NFAC_RULE_HOLDS);
	}
	rules_begin(loop, sizeof(loop) - 1);
	rules.window.protocol = IPPROTO_UDP;
	rules_content(NFAC_BUFFER_DNS_QUERY, 0, "a", 0, 0);
	KUNIT_EXPECT_EQ(test, rules_outcome(test, 0, NFAC_APP_DNS), NFAC_RULE_FAILS);
}

static void rules_sni(struct kunit *test)
{
	static const u8 hello[] = {
		22, 3, 1, 0, 65, 1, 0, 0, 61, 3, 3,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 2, 0x13, 1, 1, 0, 0, 18,
		0, 0, 0, 14, 0, 12, 0, 0, 9, 'B', 'a', 'd', '.', 't', 'e', 's', 't', '.',
	};
	u32 cut;

	rules_begin(hello, sizeof(hello));
	rules_content(NFAC_BUFFER_TLS_SNI, 0, "bad.test", 0, 0);
	KUNIT_EXPECT_EQ(test, rules_outcome(test, 0, NFAC_APP_TLS), NFAC_RULE_HOLDS);
	/* cut anywhere, it ends the parser and no more */
	for (cut = 0; cut < sizeof(hello) - 1; cut++) {
		rules_begin(hello, cut);
		rules_content(NFAC_BUFFER_TLS_SNI, 0, "bad.test", 0, 0);
		KUNIT_EXPECT_EQ(test, rules_outcome(test, 0, NFAC_APP_TLS), NFAC_RULE_FAILS);
	}
}

static void rules_numbers(struct kunit *test)
{
	/* the word 0x0102 at offset 2 is greater than 0x0101, and no more */
	static const u32 greater[] = { 2 << 16 | 1u << 24, 2, 0x0101, 1, 0, 0 };
	static const u32 equal[] = { 2 << 16 | 2u << 24, 2, 0x0101, 1, 0, 0 };
	static const u32 sizes[] = { 4, 5 }, less[] = { 1, 3 };
	static const u32 at[] = { 3 }, behind[] = { 4 };
	static const char bytes[] = { 0, 0, 1, 2 };

	rules_begin(bytes, 4);
	rules_add(NFAC_CONDITION_BYTE_TEST, NFAC_BUFFER_PAYLOAD, 0, greater, 6);
	rules_add(NFAC_CONDITION_SIZE, NFAC_BUFFER_PAYLOAD, 0, sizes, 2);
	rules_add(NFAC_CONDITION_ISDATAAT, NFAC_BUFFER_PAYLOAD, 0, at, 1);
	rules_add(NFAC_CONDITION_ISDATAAT, NFAC_BUFFER_PAYLOAD, NFAC_CONDITION_NEGATED, behind, 1);
	KUNIT_EXPECT_EQ(test, rules_outcome(test, 0, NFAC_APP_ANY), NFAC_RULE_HOLDS);
	rules_begin(bytes, 4);
	rules_add(NFAC_CONDITION_BYTE_TEST, NFAC_BUFFER_PAYLOAD, 0, equal, 6);
	KUNIT_EXPECT_EQ(test, rules_outcome(test, 0, NFAC_APP_ANY), NFAC_RULE_FAILS);
	rules_begin(bytes, 4);
	rules_add(NFAC_CONDITION_SIZE, NFAC_BUFFER_PAYLOAD, 0, less, 2);
	KUNIT_EXPECT_EQ(test, rules_outcome(test, 0, NFAC_APP_ANY), NFAC_RULE_FAILS);
}

static void rules_headers(struct kunit *test)
{
	static const u32 web[] = { 80 | 80 << 16 }, tls[] = { 443u | 443u << 16 };
	enum nfac_outcome outcome;

	rules_begin("x", 1);
	rules_add(NFAC_CONDITION_DPORT, 0, 0, web, 1);
	KUNIT_EXPECT_EQ(test, rules_outcome(test, 0, NFAC_APP_ANY), NFAC_RULE_HOLDS);
	rules_begin("x", 1);
	rules_add(NFAC_CONDITION_DPORT, 0, 0, tls, 1);
	KUNIT_EXPECT_EQ(test, rules_outcome(test, 0, NFAC_APP_ANY), NFAC_RULE_FAILS);
	rules_begin("x", 1);
	rules_add(NFAC_CONDITION_SPORT, 0, 0, web, 1);
	KUNIT_EXPECT_EQ(test, rules_outcome(test, NFAC_PROGRAM_BIDIRECTIONAL, NFAC_APP_ANY),
			NFAC_RULE_HOLDS);
	rules_begin("x", 1);
	KUNIT_EXPECT_EQ(test, rules_outcome(test, NFAC_PROGRAM_TO_CLIENT, NFAC_APP_ANY),
			NFAC_RULE_FAILS);
	/* a direction that nothing shows: the rule is not checked in full */
	rules_begin("x", 1);
	rules.window.direction = NFAC_DIRECTION_UNKNOWN;
	outcome = rules_outcome(test, NFAC_PROGRAM_TO_CLIENT, NFAC_APP_ANY);
	KUNIT_EXPECT_EQ(test, outcome, NFAC_RULE_UNCHECKED);
}

/* A rule with the content "x" that changes or tests the bits of @mask. */
static enum nfac_outcome rules_flowbits(struct kunit *test, struct nfac_flowbits *bits,
					enum nfac_flowbits_action action, u32 mask, u32 flags)
{
	const u32 arguments[] = { action, mask, mask };

	rules_begin("x", 1);
	rules_content(NFAC_BUFFER_PAYLOAD, 0, "x", 0, 0);
	rules_add(NFAC_CONDITION_FLOWBITS, 0, 0, arguments, 3);
	rules.window.bits = bits;
	flags |= action > NFAC_FLOWBITS_ISNOTSET ? NFAC_PROGRAM_SETS_FLOWBITS :
						   NFAC_PROGRAM_TESTS_FLOWBITS;
	return rules_outcome(test, flags, NFAC_APP_ANY);
}

static void rules_flowbits_known(struct kunit *test)
{
	struct nfac_flowbits bits = { 0 };

	KUNIT_EXPECT_EQ(test, rules_flowbits(test, &bits, NFAC_FLOWBITS_ISSET, 1, 0),
			NFAC_RULE_FAILS);
	KUNIT_EXPECT_EQ(test, rules_flowbits(test, &bits, NFAC_FLOWBITS_ISNOTSET, 1, 0),
			NFAC_RULE_HOLDS);
	KUNIT_EXPECT_EQ(test, rules_flowbits(test, &bits, NFAC_FLOWBITS_SET, 1, 0),
			NFAC_RULE_HOLDS);
	KUNIT_EXPECT_EQ(test, bits.set, 0x100000001ull);
	KUNIT_EXPECT_EQ(test, bits.unsure, 0);
	/* a|b: one of them */
	KUNIT_EXPECT_EQ(test, rules_flowbits(test, &bits, NFAC_FLOWBITS_ISSET, 3, 0),
			NFAC_RULE_HOLDS);
	KUNIT_EXPECT_EQ(test, rules_flowbits(test, &bits, NFAC_FLOWBITS_ISNOTSET, 3, 0),
			NFAC_RULE_HOLDS);
	KUNIT_EXPECT_EQ(test, rules_flowbits(test, &bits, NFAC_FLOWBITS_ISNOTSET, 1, 0),
			NFAC_RULE_FAILS);
	KUNIT_EXPECT_EQ(test, rules_flowbits(test, &bits, NFAC_FLOWBITS_TOGGLE, 3, 0),
			NFAC_RULE_HOLDS);
	KUNIT_EXPECT_EQ(test, bits.set, 0x200000002ull);
	KUNIT_EXPECT_EQ(test, rules_flowbits(test, &bits, NFAC_FLOWBITS_UNSET, 2, 0),
			NFAC_RULE_HOLDS);
	KUNIT_EXPECT_EQ(test, bits.set, 0);
	/* without a connection */
	KUNIT_EXPECT_EQ(test, rules_flowbits(test, NULL, NFAC_FLOWBITS_ISSET, 1, 0),
			NFAC_RULE_UNCHECKED);
	KUNIT_EXPECT_EQ(test, rules_flowbits(test, NULL, NFAC_FLOWBITS_SET, 1, 0),
			NFAC_RULE_HOLDS);
}

/* What a rule changes that was not checked in full makes the rules inexact that test it. */
static void rules_flowbits_unsure(struct kunit *test)
{
	struct nfac_flowbits bits = { 0 };

	KUNIT_EXPECT_EQ(test, rules_flowbits(test, &bits, NFAC_FLOWBITS_SET, 1,
					     NFAC_PROGRAM_INEXACT), NFAC_RULE_UNCHECKED);
	KUNIT_EXPECT_EQ(test, rules_flowbits(test, &bits, NFAC_FLOWBITS_ISSET, 1, 0),
			NFAC_RULE_UNCHECKED);
	KUNIT_EXPECT_EQ(test, rules_flowbits(test, &bits, NFAC_FLOWBITS_ISNOTSET, 1, 0),
			NFAC_RULE_UNCHECKED);
	/* the other one of a|b is known */
	KUNIT_EXPECT_EQ(test, rules_flowbits(test, &bits, NFAC_FLOWBITS_ISNOTSET, 3, 0),
			NFAC_RULE_HOLDS);
	KUNIT_EXPECT_EQ(test, rules_flowbits(test, &bits, NFAC_FLOWBITS_TOGGLE, 1, 0),
			NFAC_RULE_HOLDS);
	KUNIT_EXPECT_EQ(test, rules_flowbits(test, &bits, NFAC_FLOWBITS_ISSET, 1, 0),
			NFAC_RULE_UNCHECKED);
	KUNIT_EXPECT_EQ(test, rules_flowbits(test, &bits, NFAC_FLOWBITS_SET, 1, 0),
			NFAC_RULE_HOLDS);
	KUNIT_EXPECT_EQ(test, rules_flowbits(test, &bits, NFAC_FLOWBITS_ISSET, 1, 0),
			NFAC_RULE_HOLDS);
	/* a bit that is set for certain remains so */
	KUNIT_EXPECT_EQ(test, rules_flowbits(test, &bits, NFAC_FLOWBITS_SET, 1,
					     NFAC_PROGRAM_INEXACT), NFAC_RULE_UNCHECKED);
	KUNIT_EXPECT_EQ(test, bits.unsure, 0);
}

/* The head names what the conditions do: the order of evaluation depends on it. */
static void rules_flowbits_flags(struct kunit *test)
{
	static const u32 set[] = { NFAC_FLOWBITS_SET, 1, 0 };
	static const u32 flags[] = { 0, NFAC_PROGRAM_TESTS_FLOWBITS,
		NFAC_PROGRAM_SETS_FLOWBITS | NFAC_PROGRAM_TESTS_FLOWBITS };
	u8 starts[RULES_WORDS / 8];
	u32 i, at;

	rules_begin("x", 1);
	rules_add(NFAC_CONDITION_FLOWBITS, 0, 0, set, 3);
	KUNIT_EXPECT_EQ(test, rules_outcome(test, NFAC_PROGRAM_SETS_FLOWBITS, NFAC_APP_ANY),
			NFAC_RULE_HOLDS);
	KUNIT_EXPECT_EQ(test, nfac_rules_turn(rules.words, 0), 0);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		memset(starts, 0, sizeof(starts));
		rules.words[2] = cpu_to_le32(flags[i]);
		KUNIT_EXPECT_NOT_NULL(test, nfac_programs_verify(rules.words, rules.count, starts,
								 &at));
	}
	KUNIT_EXPECT_EQ(test, nfac_rules_turn(rules.words, 0), 1);
}

/* Contents that nearly match everywhere end by the budget. */
static void rules_bounded(struct kunit *test)
{
	const u32 length = 60000;
	char *text = kunit_kzalloc(test, length, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, text);
	memset(text, 'a', length);
	rules_begin(text, length);
	rules_content(NFAC_BUFFER_PAYLOAD, 0, "aaaa", 0, 0);
	for (i = 0; i < 3; i++)
		rules_content(NFAC_BUFFER_PAYLOAD, NFAC_CONDITION_RELATIVE, "aaaa", 0, 0);
	rules_content(NFAC_BUFFER_PAYLOAD, NFAC_CONDITION_RELATIVE, "b", 0, 0);
	KUNIT_EXPECT_EQ(test, rules_outcome(test, 0, NFAC_APP_ANY), NFAC_RULE_BUDGET);
	KUNIT_EXPECT_LE(test, nfac_rules_cost(rules.scratch), nfac_rules_budget(length) + 16);
}

/* Each word of a program, changed: refused, or a program that ends. */
static void rules_hostile(struct kunit *test)
{
	static const u32 values[] = { 0, 1, 0x7f, 0xff00, 0xffff, 0x7fffffff, 0xffffffff };
	static const u32 jump[] = { 2 << 16, 0, 0, 1, 0, 0 };
	u8 starts[RULES_WORDS / 8];
	u32 word, i, at, refused = 0;
	__le32 was;

	rules_begin(rules_request, strlen(rules_request));
	rules_content(NFAC_BUFFER_HTTP_URI, HAS_BOTH, "c.php", 0, 20);
	rules_content(NFAC_BUFFER_HTTP_URI, NFAC_CONDITION_RELATIVE, "x", 0, 0);
	rules_add(NFAC_CONDITION_BYTE_JUMP, NFAC_BUFFER_PAYLOAD, 0, jump, 6);
	rules_outcome(test, 0, NFAC_APP_HTTP);
	for (word = 0; word < rules.count; word++) {
		was = rules.words[word];
		for (i = 0; i < ARRAY_SIZE(values); i++) {
			memset(starts, 0, sizeof(starts));
			rules.words[word] = cpu_to_le32(values[i]);
			if (nfac_programs_verify(rules.words, rules.count, starts, &at)) {
				KUNIT_EXPECT_LE(test, at, rules.count);
				refused++;
				continue;
			}
			nfac_rules_begin(rules.scratch, &rules.window, 100000);
			nfac_rules_evaluate(rules.scratch, rules.words, 0, NULL);
		}
		rules.words[word] = was;
	}
	KUNIT_EXPECT_GT(test, refused, rules.count);
}

/*
 * Programs that a fixed factor puts into one slot: with a secret one each has its place. As many as
 * there is room for are kept, one more is an overflow.
 */
static void rules_pending(struct kunit *test)
{
	struct nfac_pending *pending = kunit_kzalloc(test, sizeof(*pending), GFP_KERNEL);
	u64 secret = 0x243f6a8885a308d3ull;
	u32 round, i, program;

	KUNIT_ASSERT_NOT_NULL(test, pending);
	for (round = 0; round < 1000; round++) {
		secret = secret * 6364136223846793005ull + 1442695040888963407ull;
		nfac_pending_key(pending, secret);
		nfac_pending_init(pending);
		for (i = 0, program = 0; pending->count < NFAC_PENDING_MAX - 1; program += 7) {
			if (round % 2 && (program * 0x9e3779b1u >> 16) % 512 > 32)
				continue;
			nfac_pending_add(pending, program, i, 4);
			KUNIT_ASSERT_FALSE_MSG(test, pending->overflow, "round %u, program %u",
					       round, i);
			KUNIT_ASSERT_EQ(test, pending->count, ++i);
		}
		nfac_pending_add(pending, 0, i, 4);
		KUNIT_EXPECT_EQ(test, pending->count, NFAC_PENDING_MAX - 1);
		nfac_pending_add(pending, program, i, 4);
		KUNIT_EXPECT_FALSE(test, pending->overflow);
		nfac_pending_add(pending, program + 1, i, 4);
		KUNIT_EXPECT_TRUE(test, pending->overflow);
	}
}

static struct kunit_case rules_cases[] = {
	KUNIT_CASE(rules_places),
	KUNIT_CASE(rules_backtracking),
	KUNIT_CASE(rules_http_buffers),
	KUNIT_CASE(rules_dns),
	KUNIT_CASE(rules_sni),
	KUNIT_CASE(rules_numbers),
	KUNIT_CASE(rules_headers),
	KUNIT_CASE(rules_flowbits_known),
	KUNIT_CASE(rules_flowbits_unsure),
	KUNIT_CASE(rules_flowbits_flags),
	KUNIT_CASE(rules_pending),
	KUNIT_CASE(rules_bounded),
	KUNIT_CASE(rules_hostile),
	{}
};

struct kunit_suite suite_rules = {
	.name = "nfac_rules",
	.init = rules_init,
	.test_cases = rules_cases,
};
