// SPDX-License-Identifier: GPL-2.0
/*
 * The bars: what the project has promised to reach, held against a run's results.
 */
#include <string.h>

#include "results.h"

static int missed;

static double speed(const char *set, const char *traffic, const char *matcher)
{
	const struct bench_result *r = results_find(set, traffic, matcher);

	return r ? r->mbps : 0;
}

/* What a result is held against, measured in its own rounds. */
static double beside(const char *set, const char *traffic, const char *matcher)
{
	const struct bench_result *r = results_find(set, traffic, matcher);

	return r ? r->beside : 0;
}

static double memory(const char *set, const char *matcher)
{
	const struct bench_build *b = builds_find(set, matcher);

	return b && !b->why[0] ? b->bytes : 0;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* A bar passes or fails only where both of its sides were measured. */
static void check(FILE *out, const char *what, double value, double against, bool at_least,
		  double bar)
{
	double ratio = against ? value / against : 0;
	bool ok = at_least ? ratio >= bar : ratio <= bar;

	if (!value || !against)
		return;
	missed += !ok;
	fprintf(out, "%-4s %-62s %8.3f  (%s %.2f)\n", ok ? "ok" : "MISS", what, ratio,
		at_least ? ">=" : "<=", bar);
}

/* A figure that is printed but has no bar. */
static void inform(FILE *out, const char *what, double value, double against)
{
	if (value && against)
		fprintf(out, "     %-62s %8.3f\n", what, value / against);
}

static double best_automaton(const char *set, const char *traffic)
{
	return larger(speed(set, traffic, "daachorse"), speed(set, traffic, "rust-nfa"));
}

static double best_peer(const char *set, const char *traffic)
{
	return larger(best_automaton(set, traffic),
		      larger(speed(set, traffic, "hyperscan"),
			     speed(set, traffic, "rust-dfa")));
}

static void judge_reference(FILE *out)
{
	static const char set[] = "words-2358";
	const struct bench_build *b = builds_find(set, "nfac");
	double hostile = speed(set, "hostile", "nfac");

	if (!b || b->why[0])
		return;
	check(out, "words: all that the set needs, bytes a state", b->bytes, b->states,
	      false, 6.5);
	check(out, "words: nodes alone, bytes a state", b->node_bytes, b->states, false, 5.0);
	check(out, "words: memory against daachorse", b->bytes, memory(set, "daachorse"),
	      false, 0.5);
	check(out, "words: memory against rust-nfa", b->bytes, memory(set, "rust-nfa"),
	      false, 0.5);
	check(out, "words: memory against hyperscan", b->bytes, memory(set, "hyperscan"),
	      false, 0.5);
	check(out, "words: honest, best path, against hyperscan", speed(set, "honest", "nfac"),
	      speed(set, "honest", "hyperscan"), true, 1.25);
	check(out, "words: honest, portable, against hyperscan",
	      speed(set, "honest", "nfac-portable"), speed(set, "honest", "hyperscan"), true,
	      0.8);
	check(out, "words: honest, portable, against daachorse",
	      speed(set, "honest", "nfac-portable"), speed(set, "honest", "daachorse"), true,
	      5);
	check(out, "words: honest, no filter, against daachorse",
	      speed(set, "honest", "nfac-nofilter"), speed(set, "honest", "daachorse"), true,
	      1.4);
	check(out, "words: worst hostile, against the best of daachorse, rust-nfa", hostile,
	      best_automaton(set, "hostile"), true, 1.2);
	inform(out, "words: what a search against that very ratio finds",
	       speed(set, "hostile-ratio", "nfac"), best_automaton(set, "hostile-ratio"));
	check(out, "words: hostile against honest, no filter",
	      speed(set, "hostile", "nfac-nofilter"), beside(set, "hostile", "nfac-nofilter"),
	      true, 0.5);
}

static void judge_mixed(FILE *out)
{
	check(out, "half the words nocase: memory against all exact",
	      memory("words-mixed", "nfac"), memory("words-2358", "nfac"), false, 1.3);
	check(out, "half the words nocase: honest time against all exact",
	      beside("words-mixed", "honest", "nfac"), speed("words-mixed", "honest", "nfac"),
	      false, 1.3);
	check(out, "half the words nocase: hostile time against all exact",
	      beside("words-mixed", "hostile-patterns", "nfac"),
	      speed("words-mixed", "hostile-patterns", "nfac"), false, 1.3);
}

static void judge_wide(FILE *out, const char *set)
{
	char what[80];

	snprintf(what, sizeof(what), "%s: memory against daachorse", set);
	check(out, what, memory(set, "nfac"), memory(set, "daachorse"), false, 0.5);
	snprintf(what, sizeof(what), "%s: honest against the best peer", set);
	check(out, what, speed(set, "honest", "nfac"), best_peer(set, "honest"), true, 1.0);
	snprintf(what, sizeof(what), "%s: worst hostile against the best peer", set);
	check(out, what, speed(set, "hostile", "nfac"), best_peer(set, "hostile"), true, 1.0);
}

int results_bars(FILE *out)
{
	const struct bench_build *b = builds_find("gen-100k", "nfac");

	missed = 0;
	fprintf(out, "\nBars (those whose sides were measured)\n");
	judge_reference(out);
	judge_mixed(out);
	check(out, "crs: honest against hyperscan", speed("crs", "honest", "nfac"),
	      speed("crs", "honest", "hyperscan"), true, 0.8);
	check(out, "crs: worst hostile against daachorse", speed("crs", "hostile", "nfac"),
	      speed("crs", "hostile", "daachorse"), true, 1.1);
	judge_wide(out, "et");
	judge_wide(out, "gen-30k");
	if (b && !b->why[0]) {
		check(out, "gen-100k: compile, seconds", b->seconds, 1, false, 10);
		check(out, "gen-100k: compile, peak GB", b->peak / 1e9, 1, false, 1.5);
	}
	return missed;
}
