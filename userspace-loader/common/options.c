// SPDX-License-Identifier: GPL-2.0
/*
 * Parsers of options' values, and argp's parser with "did you mean" added.
 */
#include <argp.h>
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "message.h"
#include "names.h"
#include "nearest.h"
#include "options.h"

static const struct argp_option help_table[] = {
	{ NULL, 'h', NULL, 0, "Give this help list", -1 },
	{ 0 }
};

static error_t parse_help(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != 'h')
		return ARGP_ERR_UNKNOWN;
	argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
	return 0;
}

/* A search for an option among those of a parser and its children. */
struct option_search {
	const char *name;	/* long; NULL: by @key */
	int key;
	struct nearest nearest;
	bool found, value;	/* @value: the next word is the option's */
};

/* The beginning of a long name will do. */
static bool is_sought(const struct option_search *search, const struct argp_option *option)
{
	if (!search->name)
		return option->key == search->key;
	return option->name && !strncmp(option->name, search->name, strlen(search->name));
}

static void search_table(struct option_search *search, const struct argp_option *option)
{
	bool value = false;

	for (; option->name || option->doc || option->key; option++) {
		/* an alias has the value of the option before it */
		if (!(option->flags & OPTION_ALIAS))
			value = option->arg && !(option->flags & OPTION_ARG_OPTIONAL);
		if (search->name && option->name)
			nearest_try(&search->nearest, option->name);
		if (!is_sought(search, option))
			continue;
		search->found = true;
		search->value = value;
		if (search->name && option->name && !strcmp(option->name, search->name))
			return;
	}
}

static void search_options(struct option_search *search, const struct argp *argp)
{
	const struct argp_child *child = argp->children;

	if (argp->options)
		search_table(search, argp->options);
	for (; child && child->argp && !search->found; child++)
		search_options(search, child->argp);
}

/* Of an option like "--jsn" name the one that was meant, and end the program. */
static void suggest(const char *program, const struct option_search *search)
{
	fprintf(stderr, "%s: unrecognized option '--%s' (did you mean '--%s'?)\n", program,
		search->name, search->nearest.name);
	fprintf(stderr, "Try `%s --help' or `%s --usage' for more information.\n", program,
		program);
	exit(argp_err_exit_status);
}

/* Return: the next word belongs to this long option. */
static bool check_long(const struct argp *argp, const char *program, const char *word)
{
	char *name = strndup(word, strcspn(word, "="));
	struct option_search search = { .name = name, .nearest.word = name };
	bool built_in;

	if (!name)
		return false;
	search_options(&search, argp);
	built_in = !strncmp("help", name, strlen(name)) || !strncmp("usage", name, strlen(name)) ||
		   !strncmp("version", name, strlen(name));
	if (!search.found && !built_in && *nearest_hint(&search.nearest))
		suggest(program, &search);
	free(name);
	return search.value && !word[strcspn(word, "=")];
}

/* Return: the next word belongs to the last of these short options. */
static bool check_short(const struct argp *argp, const char *letters)
{
	for (; *letters; letters++) {
		struct option_search search = { .key = *letters };

		search_options(&search, argp);
		if (search.value)
			return !letters[1];
	}
	return false;
}

/* getopt() names no option that is near to one that there is not. */
static void check_names(const struct argp *argp, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strncmp(argv[i], "--", 2))
			i += check_long(argp, argv[0], argv[i] + 2);
		else if (argv[i][0] == '-')
			i += check_short(argp, argv[i] + 1);
	}
}

void options_parse(const struct argp *argp, int argc, char **argv, void *input)
{
	const struct argp help = { .options = help_table, .parser = parse_help };
	const struct argp_child children[] = {
		{ argp, 0, NULL, 0 },
		{ &help, 0, NULL, 0 },
		{ 0 }
	};
	/* argp hands the input of one without a parser to its first child */
	const struct argp both = { .children = children };

	check_names(argp, argc, argv);
	argp_parse(&both, argc, argv, 0, NULL, input);
}

int option_once(const struct argp_option *table, int key, uint32_t *given)
{
	uint32_t bit = 1;
	int i;

	for (i = 0; table[i].name || table[i].doc || table[i].key; i++) {
		if (!table[i].arg)
			continue;
		if (table[i].key == key && *given & bit)
			return complain("--%s is given twice", table[i].name);
		if (table[i].key == key)
			*given |= bit;
		bit <<= 1;
	}
	return 0;
}

const struct argp_option *option_find(const struct argp_option *table, const char *name,
				      struct nearest *nearest)
{
	const struct argp_option *found = NULL;

	for (; table->name || table->doc; table++) {
		if (!table->name)
			continue;
		if (!strcmp(table->name, name))
			found = table;
		if (nearest)
			nearest_try(nearest, table->name);
	}
	return found;
}

int parse_number(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
	bool hex = text[0] == '0' && (text[1] | 0x20) == 'x';
	char *end;

	/* strtoull() accepts white space, a sign, and octal */
	if (!isdigit((unsigned char)*text) || (hex && !isxdigit((unsigned char)text[2])))
		return -1;
	errno = 0;
	*value = strtoull(text, &end, hex ? 16 : 10);
	return errno || *end || *value < least || *value > most ? -1 : 0;
}

uint32_t parse_limit(struct argp_state *state, const char *option, const char *text,
		     uint32_t least, uint32_t most)
{
	uint64_t number = 0;

	if (parse_number(text, least, most, &number))
		argp_error(state, "%s %s: not a number from %u to %u", option, text, least, most);
	return number;
}

/* A number of 32 bits, or the name of one. */
static int mark_value(const char *option, const char *text, const char *what, const char *word,
		      uint64_t *value)
{
	struct nearest nearest = { .word = word };

	if (!parse_number(word, 0, UINT32_MAX, value) ||
	    !name_value(mark_names, word, UINT32_MAX, value, &nearest))
		return 0;
	return complain("%s %s: the %s is not a number of 32 bits, nor a name in %s%s", option,
			text, what, mark_names[0], nearest_hint(&nearest));
}

int parse_mark(const char *option, const char *text, uint32_t *value, uint32_t *mask)
{
	const char *slash = strchrnul(text, '/');
	char *first = strndup(text, slash - text);
	uint64_t v = 0, m = UINT32_MAX;
	int err;

	if (!first)
		return complain("out of memory");
	err = mark_value(option, text, "value", first, &v);
	if (!err && *slash)
		err = mark_value(option, text, "mask", slash + 1, &m);
	if (!err && !m)
		err = complain("%s %s: the mask is 0, it has no bits", option, text);
	else if (!err && v & ~m)
		err = complain("%s %s: value has bits outside its mask", option, text);
	free(first);
	*value = v;
	*mask = m;
	return err;
}

int parse_label(const char *option, const char *text, uint32_t *bit)
{
	struct nearest nearest = { .word = text };
	uint64_t value;

	if (parse_number(text, 0, 127, &value) &&
	    name_value(label_names, text, 127, &value, &nearest))
		return complain("%s %s: not a bit from 0 to 127, nor a name in %s%s", option, text,
				label_names[0], nearest_hint(&nearest));
	*bit = value;
	return 0;
}

/* Return: 0; -1, silently. */
static int service_port(const char *name, uint16_t *port)
{
	struct servent *service = isalpha((unsigned char)*name) ? getservbyname(name, NULL) : NULL;

	if (!service)
		return -1;
	*port = ntohs(service->s_port);
	return 0;
}

/* The service whose name is nearest; the hint stays in @nearest. */
static const char *service_hint(struct nearest *nearest)
{
	struct servent *service;
	char found[sizeof(nearest->hint)] = "";

	setservent(1);
	while ((service = getservent())) {
		const char *before = nearest->name;

		nearest_try(nearest, service->s_name);
		if (nearest->name == before)
			continue;
		snprintf(found, sizeof(found), "%s", service->s_name);
		nearest->name = found;
	}
	endservent();
	return nearest_hint(nearest);
}

/* A number, a range, or a name. */
static int one_range(const char *option, const char *text, char *word, uint16_t *first,
		     uint16_t *last)
{
	struct nearest nearest = { .word = word };
	uint64_t low, high;
	char *dash;

	if (!service_port(word, first)) {
		*last = *first;
		return 0;
	}
	dash = isdigit((unsigned char)*word) ? strchr(word, '-') : NULL;
	if (dash)
		*dash = 0;
	if (parse_number(word, 1, UINT16_MAX, &low) ||
	    parse_number(dash ? dash + 1 : word, 1, UINT16_MAX, &high)) {
		if (dash)
			*dash = '-';
		return complain("%s %s: '%s' is not a port: 1 to 65535, a range as 8000-8100, or a service's name%s",
				option, text, word, service_hint(&nearest));
	}
	*first = low;
	*last = high;
	return low <= high ? 0 :
	       complain("%s %s: the range from %u to %u is empty", option, text, *first, *last);
}

static int add_range(const char *option, const char *text, struct ports *ports, uint16_t first,
		     uint16_t last)
{
	bool ranges = ports->ranges || first != last;
	unsigned int i, most = ranges ? NFAC_PORTS_MAX / 2 : NFAC_PORTS_MAX;

	for (i = 0; i < ports->count; i++)
		if (ports->items[i].first == first && ports->items[i].last == last)
			return 0;
	if (ports->count >= most)
		return complain(ranges ?
				"%s %s: more than %u ports and ranges of ports in one attachment" :
				"%s %s: more than %u ports in one attachment", option, text, most);
	ports->ranges = ranges;
	ports->items[ports->count].first = first;
	ports->items[ports->count++].last = last;
	return 0;
}

int parse_ports(const char *option, const char *text, struct ports *ports)
{
	char *copy = strdup(text), *rest = copy, *one;
	uint16_t first = 0, last = 0;
	int err = 0;

	if (!copy)
		return complain("out of memory");
	while (!err && (one = strsep(&rest, ",")))
		err = one_range(option, text, one, &first, &last) ||
		      add_range(option, text, ports, first, last) ? -1 : 0;
	free(copy);
	return err;
}

static int add_protocol(const char *option, const char *text, const char *word, uint32_t *bits)
{
	const struct protoent *known = getprotobyname(word);
	uint64_t number;

	if (known)
		number = known->p_proto;
	else if (parse_number(word, 0, UINT8_MAX, &number))
		return complain("%s %s: '%s' is not a protocol: 0 to 255, a name of /etc/protocols, or all",
				option, text, word);
	if (number == IPPROTO_TCP || number == IPPROTO_UDP)
		return complain("%s %s: '%s' is inspected, so it need not be allowed", option, text,
				word);
	bits[number / 32] |= 1u << number % 32;
	return 0;
}

int parse_protocols(const char *option, const char *text, uint32_t *bits, bool *all)
{
	char *copy, *rest, *one;
	int err = 0;

	if (!strcmp(text, "all")) {
		*all = true;
		return 0;
	}
	copy = strdup(text);
	if (!copy)
		return complain("out of memory");
	rest = copy;
	while (!err && (one = strsep(&rest, ",")))
		err = add_protocol(option, text, one, bits);
	free(copy);
	return err;
}

int parse_hook(const char *text, uint32_t *hook)
{
	struct nearest nearest = { .word = text };

	for (*hook = 0; hook_names[*hook]; ++*hook) {
		if (!strcmp(hook_names[*hook], text))
			return 0;
		nearest_try(&nearest, hook_names[*hook]);
	}
	return complain("unknown hook '%s'%s: there are prerouting, input, forward, output, postrouting, ingress, egress, xdp and tc",
			text, nearest_hint(&nearest));
}

static const struct {
	const char *name;
	int value;
} priorities[] = {
	{ "raw", -300 },
	{ "conntrack", PRIORITY_CONNTRACK },
	{ "mangle", -150 },
	{ "dstnat", -100 },
	{ "filter", 0 },
	{ "security", 50 },
	{ "srcnat", 100 },
};

static bool named_priority(const char *text, size_t length, long long *value)
{
	size_t i;

	for (i = 0; i < sizeof(priorities) / sizeof(*priorities); i++) {
		if (strlen(priorities[i].name) != length ||
		    memcmp(priorities[i].name, text, length))
			continue;
		*value = priorities[i].value;
		return true;
	}
	return false;
}

int parse_priority(const char *text, int32_t *priority)
{
	size_t name = strcspn(text, "+-");
	const char *number = text;
	long long base = 0;
	uint64_t value = 0;
	bool minus;

	if (name && named_priority(text, name, &base))
		number += name;
	else if (name && isalpha((unsigned char)*text))
		return complain("unknown priority '%s': a number, or raw, conntrack, mangle, dstnat, filter, security, srcnat with or without +N or -N",
				text);
	minus = *number == '-';
	if (number != text && !*number)
		value = 0;
	else if (parse_number(number + (*number == '-' || *number == '+'), 0, 1ull << 33, &value))
		return complain("priority '%s' is not a number, or is out of range", text);
	base += minus ? -(long long)value : (long long)value;
	/* netfilter reserves both ends of the range */
	if (base < -2147483647LL || base > 2147483646LL)
		return complain("priority %s is out of range: -2147483647 to 2147483646", text);
	*priority = base;
	return 0;
}

int parse_interface(const char *option, const char *text, char *name)
{
	if (!*text)
		return complain("%s: the interface's name is empty", option);
	if (strlen(text) >= NFAC_IFNAME_LEN)
		return complain("%s %s: an interface's name has at most %d bytes", option, text,
				NFAC_IFNAME_LEN - 1);
	if (strpbrk(text, "/ \t\n"))
		return complain("%s %s: an interface's name has no slash and no blanks", option,
				text);
	if (text[strcspn(text, "*")] && text[strcspn(text, "*") + 1])
		return complain("%s %s: '*', for any further characters, comes at the end alone",
				option, text);
	strcpy(name, text);
	return 0;
}

int parse_duration(const char *option, const char *text, uint64_t *seconds)
{
	size_t digits = strspn(text, "0123456789");
	char *number = strndup(text, digits);
	uint64_t unit = 1;
	int err;

	if (!number)
		return complain("out of memory");
	switch (text[digits]) {
	case 'd':
		unit *= 24;	/* fall through */
	case 'h':
		unit *= 60;	/* fall through */
	case 'm':
		unit *= 60;	/* fall through */
	case 's':
		digits++;
	}
	err = text[digits] ? -1 : parse_number(number, 1, 1000000000 / unit, seconds);
	free(number);
	if (err)
		return complain("%s %s: not a duration, such as 90, 90s, 10m, 2h, 1d",
				option, text);
	*seconds *= unit;
	return 0;
}
