// SPDX-License-Identifier: GPL-2.0
/*
 * Adding up packets and matches: tallies by pattern, source and destination, and the timeline.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/message.h"
#include "findings.h"

#define HOUR_NS		3600000000000ll

/* Values that struct distinct distinguishes by their first word. */
enum counted {
	KIND_CONNECTION = 1, KIND_MATCHED_CONNECTION, KIND_EXACT_CONNECTION,
	KIND_MATCHED_PACKET, KIND_EXACT_PACKET,
	/* of one tally */
	KIND_TALLY_PACKET, KIND_TALLY_CONNECTION, KIND_TALLY_PEER,
};

int findings_init(struct findings *findings)
{
	memset(findings, 0, sizeof(*findings));
	if (distinct_init(&findings->distinct))
		return -1;
	findings->exact_series = timeline_series(&findings->timeline);
	findings->inexact_series = timeline_series(&findings->timeline);
	findings->packet_series = timeline_series(&findings->timeline);
	if (findings->exact_series && findings->inexact_series && findings->packet_series)
		return 0;
	findings_free(findings);
	return complain("out of memory");
}

void findings_free(struct findings *findings)
{
	distinct_free(&findings->distinct);
	timeline_free(&findings->timeline);
	tallies_free(&findings->patterns);
	tallies_free(&findings->sources);
	tallies_free(&findings->destinations);
	tallies_free(&findings->hours);
}

static void no_memory(struct findings *findings)
{
	if (!findings->failed)
		complain("out of memory: not all matches are counted by pattern and address");
	findings->failed = true;
}

static bool is_new(struct findings *findings, enum counted kind, uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t words[] = { kind, a, b, c };

	return distinct_add(&findings->distinct, words, sizeof(words) / sizeof(*words));
}

static void address_words(const struct payload *ends, const uint8_t *address, uint64_t words[3])
{
	uint64_t halves[2];

	memcpy(halves, address, sizeof(halves));
	words[0] = ends->family;
	words[1] = be64toh(halves[0]);
	words[2] = be64toh(halves[1]);
}

static void note_time(int64_t time_ns, int64_t *first, int64_t *last)
{
	if (!time_is_known(time_ns))
		return;
	if (!*first || time_ns < *first)
		*first = time_ns;
	if (time_ns > *last)
		*last = time_ns;
}

void findings_packet(struct findings *findings, uint64_t number, int64_t time_ns,
		     const struct payload *payload)
{
	const uint64_t connection = distinct_connection(&findings->distinct, payload);

	findings->connections += is_new(findings, KIND_CONNECTION, connection, 0, 0);
	/* a tunnel's packet comes once for each packet in it */
	if (number == findings->last_packet)
		return;
	findings->last_packet = number;
	findings->packets++;
	note_time(time_ns, &findings->first, &findings->last);
	if (time_is_known(time_ns))
		findings->packet_series[timeline_period(&findings->timeline, time_ns)]++;
}

/* The tables: keys of two of them may agree. */
enum table { TABLE_PATTERNS, TABLE_SOURCES, TABLE_DESTINATIONS, TABLE_HOURS };

/* What is the same for all tables. */
struct place {
	uint32_t period;
	uint64_t connection;
	const struct finding *finding;
};

/* Return: the tally, NULL: it has no place. */
static struct tally *count(struct findings *findings, enum table which,
			   const uint64_t key[TALLY_KEY_WORDS], const struct place *place,
			   uint64_t peer)
{
	struct tallies *tables[] = { &findings->patterns, &findings->sources,
				     &findings->destinations, &findings->hours };
	const struct finding *finding = place->finding;
	uint64_t id = distinct_hash(&findings->distinct, key, TALLY_KEY_WORDS);
	struct tally *tally = tallies_get(tables[which], key, id);

	if (!tally) {
		tables[which]->others += finding->count;
		return NULL;
	}
	tally->matches += finding->count;
	tally->inexact += finding->inexact ? finding->count : 0;
	tally->connections += is_new(findings, KIND_TALLY_CONNECTION, which, id,
				     place->connection);
	tally->peers += is_new(findings, KIND_TALLY_PEER, which, id, peer);
	if (finding->packet)
		tally->packets += is_new(findings, KIND_TALLY_PACKET, which, id, finding->packet);
	note_time(finding->time_ns, &tally->first, &tally->last);
	return tally;
}

static char *copy(struct findings *findings, const char *text)
{
	char *copied = strdup(text);

	if (!copied)
		no_memory(findings);
	return copied;
}

static uint64_t count_pattern(struct findings *findings, const struct place *place,
			      uint64_t source)
{
	const struct finding *finding = place->finding;
	uint64_t key[TALLY_KEY_WORDS] = { finding->shown };
	struct tally *tally;

	memcpy(key + 1, finding->set, strnlen(finding->set, sizeof(key) - sizeof(*key)));
	tally = count(findings, TABLE_PATTERNS, key, place, source);
	if (tally && !tally->text) {
		tally->text = copy(findings, finding->pattern);
		tally->label = finding->label ? copy(findings, finding->label) : NULL;
		tally->set = copy(findings, finding->set);
		tally->shown = finding->shown;
		tally->series = timeline_series(&findings->timeline);
		if (!tally->series)
			no_memory(findings);
	}
	if (tally && tally->series && time_is_known(finding->time_ns))
		tally->series[place->period] += finding->count;
	return distinct_hash(&findings->distinct, key, TALLY_KEY_WORDS);
}

static void count_address(struct findings *findings, enum table which, const uint8_t *address,
			  const struct place *place, uint64_t pattern)
{
	const struct payload *ends = place->finding->ends;
	uint64_t key[TALLY_KEY_WORDS] = { 0 };
	char text[INET6_ADDRSTRLEN];
	struct tally *tally;

	address_words(ends, address, key);
	tally = count(findings, which, key, place, pattern);
	if (!tally || tally->text)
		return;
	if (!inet_ntop(ends->family, address, text, sizeof(text)))
		strcpy(text, "?");
	tally->text = copy(findings, text);
}

static void count_hour(struct findings *findings, const struct place *place, uint64_t source)
{
	uint64_t hour = place->finding->time_ns / HOUR_NS;
	uint64_t key[TALLY_KEY_WORDS] = { hour };
	time_t seconds = hour * 3600;
	struct tally *tally;
	char text[32];
	struct tm tm;

	tally = count(findings, TABLE_HOURS, key, place, source);
	if (!tally || tally->text)
		return;
	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:00:00Z", &tm);
	tally->text = copy(findings, text);
}

static void count_packet(struct findings *findings, const struct finding *finding)
{
	if (!finding->packet)
		return;
	findings->matched_packets += is_new(findings, KIND_MATCHED_PACKET, finding->packet, 0, 0);
	if (!finding->inexact)
		findings->exact_packets += is_new(findings, KIND_EXACT_PACKET, finding->packet,
						  0, 0);
}

void findings_add(struct findings *findings, const struct finding *finding)
{
	const bool timed = time_is_known(finding->time_ns);
	struct place place = { .finding = finding };
	uint64_t source[3], source_hash, pattern;

	findings->matches += finding->count;
	findings->inexact += finding->inexact ? finding->count : 0;
	findings->dropped += finding->dropped ? finding->count : 0;
	place.connection = distinct_connection(&findings->distinct, finding->ends);
	findings->matched_connections += is_new(findings, KIND_MATCHED_CONNECTION,
						place.connection, 0, 0);
	if (!finding->inexact)
		findings->exact_connections += is_new(findings, KIND_EXACT_CONNECTION,
						      place.connection, 0, 0);
	count_packet(findings, finding);
	if (timed) {
		place.period = timeline_period(&findings->timeline, finding->time_ns);
		(finding->inexact ? findings->inexact_series :
				    findings->exact_series)[place.period] += finding->count;
		note_time(finding->time_ns, &findings->first, &findings->last);
	} else {
		findings->untimed += finding->count;
	}
	address_words(finding->ends, finding->ends->saddr, source);
	source_hash = distinct_hash(&findings->distinct, source, 3);
	pattern = count_pattern(findings, &place, source_hash);
	count_address(findings, TABLE_SOURCES, finding->ends->saddr, &place, pattern);
	count_address(findings, TABLE_DESTINATIONS, finding->ends->daddr, &place, pattern);
	if (timed)
		count_hour(findings, &place, source_hash);
}

void findings_add_match(struct findings *findings, const struct pattern_text *text,
			const struct rule_match *match, uint64_t before)
{
	const struct finding finding = {
		.time_ns = match->time_ns,
		.count = 1,
		.packet = before + match->packet,
		.inexact = match->inexact,
		.set = "",
		.pattern = text->plain,
		.label = text->label,
		.shown = text->shown,
		.ends = match->payload,
	};

	findings_add(findings, &finding);
}

void findings_sort(struct findings *findings)
{
	tallies_sort(&findings->patterns);
	tallies_sort(&findings->sources);
	tallies_sort(&findings->destinations);
	tallies_sort_by_key(&findings->hours);
}
