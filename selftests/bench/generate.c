// SPDX-License-Identifier: GPL-2.0
/*
 * Patterns made up from a seed, in the proportions of attack lists: paths with
 * parameters, words of code, header values, and strings of raw bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "set.h"

#define LONGEST		48
#define SHORTEST	4

static const char * const dirs[] = {
	"wp-content", "wp-includes", "plugins", "themes", "admin", "cgi-bin", "uploads",
	"vendor", "api", "v1", "v2", "console", "manager", "jenkins", "phpmyadmin", "backup",
	"config", "etc", "usr", "var", "tmp", "proc", "self", "home", "scripts", "modules",
	"components", "templates", "static", "assets", "old", "test", "dev", "private",
};

static const char * const tails[] = {
	".php", ".asp", ".aspx", ".jsp", ".cgi", ".pl", ".bak", ".sql", ".zip", ".tar.gz",
	".xml", ".json", ".yml", ".conf", ".env", ".log", ".old", ".inc", ".do", ".action",
};

static const char * const words[] = {
	"eval", "exec", "system", "passthru", "shell", "base64", "decode", "union", "select",
	"insert", "update", "delete", "from", "where", "sleep", "benchmark", "load", "file",
	"script", "alert", "onerror", "onload", "document", "cookie", "location", "iframe",
	"java", "lang", "runtime", "process", "builder", "invoke", "class", "loader", "get",
	"set", "put", "request", "response", "upload", "cmd", "powershell", "wget", "curl",
	"bash", "netcat", "python", "perl", "ruby", "admin", "root", "passwd", "shadow",
};

static const char * const joints[] = {
	"(", ")", "=", "%20", "%27", "..", "/", "_", ".", "::", "->", "+", "'", "\"", "<", ">",
	"${", "}", ";", "|", "&", "&&", " ", "-", "0x", "%2e%2e%2f",
};

static const char * const headers[] = {
	"User-Agent: ", "Mozilla/5.0 (", "Host: ", "Cookie: ", "Referer: http://", "X-Api-",
	"Content-Type: ", "Authorization: Basic ", "Server: ", "Accept: ",
};

struct draft {
	uint8_t bytes[256];
	size_t len;
};

static void add(struct draft *d, const char *text)
{
	size_t len = strlen(text);

	if (d->len + len <= sizeof(d->bytes)) {
		memcpy(d->bytes + d->len, text, len);
		d->len += len;
	}
}

static void add_one_of(struct draft *d, struct rng *r, const char * const *list, size_t count)
{
	add(d, list[rng_below(r, count)]);
}

/* A random name: it makes each of a hundred thousand patterns unique. */
static void add_name(struct draft *d, struct rng *r, size_t syllables)
{
	static const char consonants[] = "bcdfghjklmnprstvwz";
	static const char vowels[] = "aeiou";

	while (syllables--) {
		char text[4] = { consonants[rng_below(r, sizeof(consonants) - 1)],
				 vowels[rng_below(r, sizeof(vowels) - 1)] };

		if (!rng_below(r, 4))
			text[2] = consonants[rng_below(r, sizeof(consonants) - 1)];
		add(d, text);
	}
}

static void draft_path(struct draft *d, struct rng *r)
{
	for (size_t n = 1 + rng_below(r, 2); n--; ) {
		add(d, "/");
		add_one_of(d, r, dirs, ARRAY_SIZE(dirs));
	}
	add(d, "/");
	add_name(d, r, 2 + rng_below(r, 3));
	add_one_of(d, r, tails, ARRAY_SIZE(tails));
	if (!rng_below(r, 3)) {
		add(d, "?");
		add_one_of(d, r, words, ARRAY_SIZE(words));
		add(d, "=");
	}
}

static void draft_code(struct draft *d, struct rng *r)
{
	for (size_t n = 1 + rng_below(r, 3); n--; ) {
		add_one_of(d, r, words, ARRAY_SIZE(words));
		add_one_of(d, r, joints, ARRAY_SIZE(joints));
	}
	if (rng_below(r, 2))
		add_name(d, r, 1 + rng_below(r, 3));
	else
		add_one_of(d, r, words, ARRAY_SIZE(words));
}

static void draft_header(struct draft *d, struct rng *r)
{
	add_one_of(d, r, headers, ARRAY_SIZE(headers));
	add_name(d, r, 2 + rng_below(r, 4));
	if (rng_below(r, 2))
		add(d, "/1.0");
}

static void draft_binary(struct draft *d, struct rng *r)
{
	size_t len = 4 + rng_below(r, 21);

	while (d->len < len)
		d->bytes[d->len++] = rng_below(r, 8) ? rng_below(r, 256) : 0;
}

static void draft_one(struct draft *d, struct rng *r)
{
	uint32_t dice = rng_below(r, 100);

	if (dice < 40)
		draft_path(d, r);
	else if (dice < 70)
		draft_code(d, r);
	else if (dice < 85)
		draft_header(d, r);
	else
		draft_binary(d, r);
}

/* Distinct by the set's own rule: set_unique() would drop equal ones later. */
static bool seen_before(uint64_t *seen, size_t slots, const struct draft *d)
{
	uint64_t h = 0x84222325cbf29ceull;
	size_t at;

	for (size_t i = 0; i < d->len; i++)
		h = (h ^ d->bytes[i]) * 0x100000001b3ull;
	h |= 1;
	for (at = (h >> 20) % slots; seen[at]; at = (at + 1) % slots)
		if (seen[at] == h)
			return true;
	seen[at] = h;
	return false;
}

int set_generate(struct bench_set *set, size_t count, size_t length)
{
	struct rng r = { 0x6e666163 + count };
	size_t slots = count * 3;
	uint64_t *seen = calloc(slots, sizeof(*seen));
	int ret = 0;

	if (!seen)
		return -1;
	while (!ret && set->count < count) {
		struct draft d = { .len = 0 };
		size_t most = length ? length : LONGEST;
		size_t least = length ? length : SHORTEST;

		do {
			draft_one(&d, &r);
		} while (d.len < least);
		if (d.len > most)
			d.len = most;
		if (!seen_before(seen, slots, &d))
			ret = set_add(set, d.bytes, d.len, false);
	}
	free(seen);
	return ret;
}
