// SPDX-License-Identifier: GPL-2.0
/*
 * nfac-bench: nfac and its peers, on the same patterns and the same payloads.
 *
 * For each set all matchers are built; for each traffic they take turns, round by
 * round, so that whatever disturbs the machine disturbs all of them. Time is the
 * thread's CPU time on one pinned CPU. Every matcher must find the same matches
 * or the run fails.
 */
#include <argp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "export.h"
#include "results.h"
#include "search.h"
#include "set.h"
#include "text.h"

#define MATCHERS_MAX	16
#define WARMUP_BYTES	8000000	/* a longer text is run in by a quarter of it */

static struct options {
	const char *data;
	const char *json;
	const char *sets;
	const char *traffic;
	const char *matchers;
	const char *build_only;
	const char *export;
	unsigned int rounds;
	size_t honest_bytes;
	size_t hostile_bytes;
	size_t thin;
	unsigned int steps;
	double round_seconds;
} opt = {
	.data = "../data",
	.sets = "words-2358,words-mixed,words-10,crs,et,runs,gen-10k,gen-30k,gen-100k",
	.rounds = 7,
	.honest_bytes = 42000000,
	.hostile_bytes = 8000000,
	.thin = 1,
	.steps = 400,
	.round_seconds = 0.6,
};

/* The matchers of one set: its automata, in the order of bench_matchers[]. */
static struct stand {
	const struct bench_matcher *m;
	void *automaton;
	unsigned int variant;
	double seconds[BENCH_ROUNDS_MAX];
	double beside[BENCH_ROUNDS_MAX];
	struct bench_hits hits;
} stands[MATCHERS_MAX];

/*
 * Bars that hold two texts or two sets against each other, of one matcher: the other side
 * takes its turn in the same rounds, or a bar would be decided by the minute's neighbours.
 */
static struct beside {
	const struct bench_text *honest;
	void *exact;			/* nfac's automaton of words-2358, beside words-mixed */
	struct bench_text patterns;	/* words-2358 as hostile-patterns */
} beside;

static bool listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (!strncmp(at, name, len) && (!at[len] || at[len] == ','))
			return true;
	return !list;
}

/* Asked for by its name, or as one of the hostile kinds. */
static bool wanted(const char *traffic)
{
	return listed(opt.traffic, traffic) ||
	       (!strncmp(traffic, "hostile-", 8) && listed(opt.traffic, "hostile"));
}

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static double pass(struct stand *s, unsigned int variant, const struct bench_text *text)
{
	double start = now(CLOCK_THREAD_CPUTIME_ID);

	s->hits = s->m->count(s->m, s->automaton, variant, text);
	return now(CLOCK_THREAD_CPUTIME_ID) - start;
}

/* The seconds for a MB of what a matcher on a text is held against; 0: nothing. */
static double pass_beside(struct stand *s, const char *set, const struct bench_text *text)
{
	struct stand other = *s;

	if (!strcmp(s->m->name, "nfac-nofilter") && strcmp(text->name, "honest")) {
		text = beside.honest;
	} else if (beside.exact && !strcmp(set, "words-mixed") && !strcmp(s->m->name, "nfac")) {
		other.automaton = beside.exact;
		if (!strcmp(text->name, beside.patterns.name))
			text = &beside.patterns;
		else if (text != beside.honest)
			return 0;
	} else {
		return 0;
	}
	return pass(&other, s->variant, text) / (text->bytes / 1e6);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Warms up, takes each matcher's fastest variant, and compares what they found. */
static int prepare(const struct bench_text *text, const char *set)
{
	const struct stand *first = NULL;

	for (struct stand *s = stands; s->m; s++) {
		unsigned int variants = s->m->variants ? s->m->variants(s->m) : 1;
		double best = 0;

		if (!s->automaton)
			continue;
		pass(s, 0, text);
		for (unsigned int v = 0; variants > 1 && v < variants; v++) {
			double seconds = pass(s, v, text);

			if (!v || seconds < best) {
				best = seconds;
				s->variant = v;
			}
		}
		if (!first)
			first = s;
		if (s->hits.matches == first->hits.matches && s->hits.sum == first->hits.sum)
			continue;
		fprintf(stderr, "%s, %s: %s finds %llu matches (sum %llx), ", set,
			text->name, first->m->name,
			(unsigned long long)first->hits.matches,
			(unsigned long long)first->hits.sum);
		fprintf(stderr, "%s finds %llu (sum %llx)\n", s->m->name,
			(unsigned long long)s->hits.matches,
			(unsigned long long)s->hits.sum);
		return -1;
	}
	return 0;
}

/* The first 1 / @share of a text's records; borrows its memory. */
static struct bench_text head_of(const struct bench_text *text, size_t share)
{
	struct bench_text head = *text;

	head.records = (text->records - 1) / share + 1;
	head.bytes = head.ends[head.records - 1];
	return head;
}

/*
 * A text that makes matchers report many matches a byte would take minutes: it is
 * cut so that a round of all matchers ends in opt.round_seconds.
 */
static void shorten(struct bench_text *text)
{
	struct bench_text part = head_of(text, 16);
	double seconds = 0;
	size_t records;

	for (struct stand *s = stands; s->m; s++)
		if (s->automaton)
			seconds += pass(s, 0, &part);
	records = part.records * opt.round_seconds / seconds + 1;
	if (records < text->records) {
		text->records = records;
		text->bytes = text->ends[records - 1];
	}
}

static int measure(const struct bench_text *text, const char *set, const char *note)
{
	struct bench_text warmup = head_of(text, text->bytes > WARMUP_BYTES ? 4 : 1);

	if (prepare(text, set))
		return -1;
	for (unsigned int round = 0; round < opt.rounds; round++) {
		for (struct stand *s = stands; s->m; s++) {
			if (!s->automaton)
				continue;
			/*
			 * The one before may have emptied the caches (a DFA of a
			 * gigabyte does) or filled them for its own kin.
			 */
			pass(s, s->variant, &warmup);
			s->seconds[round] = pass(s, s->variant, text);
			s->beside[round] = pass_beside(s, set, text);
		}
	}
	for (struct stand *s = stands; s->m; s++) {
		double mb = text->bytes / 1e6;
		struct bench_result r = { .matches = s->hits.matches };
		const struct bench_build *b;

		if (!s->automaton)
			continue;
		qsort(s->seconds, opt.rounds, sizeof(*s->seconds), by_value);
		qsort(s->beside, opt.rounds, sizeof(*s->beside), by_value);
		b = builds_find(set, s->m->name);
		snprintf(r.set, sizeof(r.set), "%s", set);
		snprintf(r.traffic, sizeof(r.traffic), "%s", text->name);
		snprintf(r.matcher, sizeof(r.matcher), "%s", s->m->name);
		snprintf(r.note, sizeof(r.note), "%s", note);
		r.bytes = b ? b->bytes : 0;
		r.mbps = mb / s->seconds[opt.rounds / 2];
		r.mbps_min = mb / s->seconds[opt.rounds - 1];
		r.mbps_max = mb / s->seconds[0];
		if (s->beside[0])
			r.beside = 1 / s->beside[opt.rounds / 2];
		results_add(&r);
	}
	return 0;
}

/* Builds once more in a process of its own, for the peak memory of it. */
static size_t peak_of(const char *self, const char *set, const char *matcher)
{
	struct rusage usage;
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		execl(self, self, "--data", opt.data, "--sets", set, "--build-only", matcher,
		      (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0 || status)
		return 0;
	return (size_t)usage.ru_maxrss * 1024;
}

static void build_all(const struct bench_set *set, const char *self)
{
	struct stand *s = stands;

	memset(stands, 0, sizeof(stands));
	for (size_t i = 0; i < bench_matchers_count; i++) {
		const struct bench_matcher *m = &bench_matchers[i];
		struct bench_build b = { .patterns = set->count };
		const char *why = "";
		double start;

		if (!listed(opt.matchers, m->name))
			continue;
		s->m = m;
		snprintf(b.set, sizeof(b.set), "%s", set->name);
		snprintf(b.matcher, sizeof(b.matcher), "%s", m->name);
		start = now(CLOCK_THREAD_CPUTIME_ID);
		for (struct stand *o = stands; m->same_as && o < s; o++)
			if (!strcmp(o->m->name, m->same_as))
				s->automaton = o->automaton;
		if (!s->automaton)
			s->automaton = m->build(m, set, &why);
		b.seconds = now(CLOCK_THREAD_CPUTIME_ID) - start;
		if (s->automaton) {
			b.bytes = m->bytes(m, s->automaton);
			if (m->build == nfac_build)
				b.states = nfac_states(s->automaton, &b.node_bytes);
			if (set->count >= 100000 && !m->same_as)
				b.peak = peak_of(self, set->name, m->name);
		} else {
			snprintf(b.why, sizeof(b.why), "%s", why);
		}
		builds_add(&b);
		s++;
	}
}

static void free_all(void)
{
	for (struct stand *s = stands; s->m; s++) {
		bool shared = false;

		for (struct stand *o = stands; o < s; o++)
			shared |= o->automaton == s->automaton;
		if (s->automaton && !shared)
			s->m->free(s->m, s->automaton);
	}
}

static double fastest(struct stand *s, const struct bench_text *text)
{
	double best = pass(s, s->variant, text);

	for (int i = 0; i < 2; i++) {
		double seconds = pass(s, s->variant, text);

		best = seconds < best ? seconds : best;
	}
	return best / text->bytes * 1e9;
}

/* Cost of a candidate: the first matcher's nanoseconds a byte. */
static double cost_alone(void *ctx, const struct bench_text *text)
{
	(void)ctx;
	return fastest(&stands[0], text);
}

/* Cost of a candidate: the first matcher's time against the best automaton's. */
static double cost_ratio(void *ctx, const struct bench_text *text)
{
	double best = 0;

	(void)ctx;
	for (struct stand *s = stands; s->m; s++) {
		double t;

		if (!s->automaton || (strcmp(s->m->name, "daachorse") &&
				      strcmp(s->m->name, "rust-nfa")))
			continue;
		t = fastest(s, text);
		if (!best || t < best)
			best = t;
	}
	return best ? fastest(&stands[0], text) / best : 0;
}

static int run_hostile(const struct bench_set *set)
{
	struct trie *trie = bench_trie_build(set);
	int ret = trie ? 0 : -1;

	for (size_t i = 0; !ret && i < hostile_kinds_count + 2; i++) {
		struct bench_text text = { .bytes = 0 };
		char note[160] = "";
		const char *kind = i < hostile_kinds_count ? hostile_kinds[i] :
				   i > hostile_kinds_count ? "hostile-ratio" : "hostile-search";

		if (!wanted(kind))
			continue;
		if (i < hostile_kinds_count) {
			ret = hostile_make(&text, set, kind, opt.hostile_bytes);
			if (!ret && set->fold)
				ret = text_fold(&text);
		} else {
			bool ratio = i > hostile_kinds_count;

			snprintf(text.name, sizeof(text.name), "%s", kind);
			ret = search_worst(&text, set, trie, opt.hostile_bytes, opt.steps,
					   ratio ? cost_ratio : cost_alone, NULL, note);
		}
		if (!ret)
			shorten(&text);
		ret = ret || measure(&text, set->name, note);
		text_free(&text);
	}
	bench_trie_free(trie);
	results_worst(set->name);
	return ret;
}

/* What nfac with words-mixed is held against. */
static int beside_words(void)
{
	struct bench_set words = { .count = 0 };
	const char *why = "";
	int ret;

	if (set_load(&words, "words-2358", opt.data))
		return -1;
	ret = hostile_make(&beside.patterns, &words, "hostile-patterns", opt.hostile_bytes);
	beside.exact = nfac_build(bench_matchers, &words, &why);
	set_free(&words);
	if (beside.exact)
		return ret;
	fprintf(stderr, "words-2358: %s\n", why);
	return -1;
}

static int run_set(const char *name, struct bench_text *honest, const char *self)
{
	struct bench_set set = { .count = 0 };
	int ret;

	if (set_load(&set, name, opt.data))
		return -1;
	fprintf(stderr, "%s: %zu patterns\n", name, set.count);
	build_all(&set, self);
	ret = set.fold ? text_fold(honest) : 0;
	if (!ret && !strcmp(name, "words-mixed") && !beside.exact)
		ret = beside_words();
	if (!ret && wanted("honest"))
		ret = measure(honest, name, "");
	if (!ret && (!opt.traffic || strstr(opt.traffic, "hostile")))
		ret = run_hostile(&set);
	free_all();
	set_free(&set);
	return ret;
}

static int build_only(void)
{
	struct bench_set set = { .count = 0 };
	const char *why = "";

	if (set_load(&set, opt.sets, opt.data))
		return 1;
	for (size_t i = 0; i < bench_matchers_count; i++)
		if (!strcmp(bench_matchers[i].name, opt.build_only))
			return !bench_matchers[i].build(&bench_matchers[i], &set, &why);
	return 1;
}

static void pin(void)
{
	cpu_set_t cpus;
	int last = 0;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &cpus))
			last = i;
	CPU_ZERO(&cpus);
	CPU_SET(last, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

static const struct argp_option argp_options[] = {
	{ "data", 'd', "DIR", 0, "Patterns and traffic, default ../data", 0 },
	{ "sets", 's', "A,B", 0, "Only these sets", 0 },
	{ "matchers", 'm', "A,B", 0, "Only these matchers", 0 },
	{ "traffic", 't', "A,B", 0, "Only honest, hostile or a kind of it", 0 },
	{ "rounds", 'r', "N", 0, "Rounds, 1 .. 64 (7)", 0 },
	{ "quick", 'q', NULL, 0, "A fifth of the traffic, 3 rounds", 0 },
	{ "json", 'j', "FILE", 0, "Write the results to FILE", 0 },
	{ "export", 'x', "DIR", 0, "Write what the benchmark in the kernel reads", 0 },
	{ "build-only", 'b', "MATCHER", 0, "Build the set and leave", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'd':
		opt.data = arg;
		break;
	case 's':
		opt.sets = arg;
		break;
	case 'm':
		opt.matchers = arg;
		break;
	case 't':
		opt.traffic = arg;
		break;
	case 'r':
		opt.rounds = strtoul(arg, NULL, 10);
		if (!opt.rounds || opt.rounds > BENCH_ROUNDS_MAX)
			argp_error(state, "rounds: 1 .. %d", BENCH_ROUNDS_MAX);
		break;
	case 'q':
		opt.rounds = 3;
		opt.honest_bytes = 8000000;
		opt.hostile_bytes = 1500000;
		opt.thin = 5;
		opt.steps = 120;
		opt.round_seconds = 0.15;
		break;
	case 'j':
		opt.json = arg;
		break;
	case 'x':
		opt.export = arg;
		break;
	case 'b':
		opt.build_only = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct argp argp = { argp_options, parse, NULL,
		"Measure nfac and its peers on the same patterns and payloads.", 0, 0, 0 };
	struct bench_text honest = { .bytes = 0 };
	char *list, *name, *rest;
	int ret = 0;

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	if (opt.build_only)
		return build_only();
	pin();
	if (honest_load(&honest, opt.data, opt.honest_bytes, opt.thin))
		return 1;
	fprintf(stderr, "honest traffic: %zu bytes in %zu records\n", honest.bytes,
		honest.records);
	beside.honest = &honest;
	if (opt.export)
		return export_all(opt.export, opt.data, &honest) ? 1 : 0;
	list = strdup(opt.sets);
	for (name = strtok_r(list, ",", &rest); !ret && name; name = strtok_r(NULL, ",", &rest))
		ret = run_set(name, &honest, argv[0]);
	free(list);
	text_free(&honest);
	text_free(&beside.patterns);
	if (beside.exact)
		nfac_free(bench_matchers, beside.exact);
	results_table(stdout);
	if (ret)
		return 1;
	results_bars(stdout);
	return opt.json && results_json(opt.json) ? 1 : 0;
}
