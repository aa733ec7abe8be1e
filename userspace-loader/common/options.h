/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of options: numbers, marks, ports, hooks, priorities; a bad one is refused with a
 * sentence that says what is wrong with it.
 */
#ifndef _NFAC_OPTIONS_H
#define _NFAC_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/nfac.h>

/*
 * Key of the first of a parser's long-only options: past all characters, or argp would take
 * it for a short option. Keys of a command and of its children may be the same: argp passes
 * a long option only to the parser in whose table it is.
 */
#define OPTION_KEYS	0x100

#define PRIORITY_CONNTRACK	(-200)

struct argp;
struct argp_option;
struct argp_state;
struct nearest;

/* argp_parse(), where -h is --help, too, and a mistyped option is answered with a near one. */
void options_parse(const struct argp *argp, int argc, char **argv, void *input);

/*
 * Refuse an option with a value that is given a second time, as the first value would be
 * ignored silently. @table: may lack @key; @given: 0 at first.
 * Return: 0; -1 after saying so.
 */
int option_once(const struct argp_option *table, int key, uint32_t *given);

/*
 * The option of a table that has this long name, or NULL.
 * @nearest: compared with all names of the table meanwhile; may be NULL
 */
const struct argp_option *option_find(const struct argp_option *table, const char *name,
				      struct nearest *nearest);

/* Ranges of ports; one port is a range, too. @ranges: one of them has several */
struct ports {
	uint16_t count;
	bool ranges;
	struct {
		uint16_t first, last;
	} items[NFAC_PORTS_MAX];
};

/* Decimal, or hexadecimal after 0x. Return: 0; -1, silently. */
int parse_number(const char *text, uint64_t least, uint64_t most, uint64_t *value);

/* The number that an option takes; what is none ends the program, by argp_error(). */
uint32_t parse_limit(struct argp_state *state, const char *option, const char *text,
		     uint32_t least, uint32_t most);

/*
 * These report why they return -1; @option is the option's name, "--mark".
 *
 * A mark is V/M, or V alone for the mask 0xffffffff; each is a number, or a name of rt_marks. A
 * label is a bit, or a name of connlabel.conf. Ports are numbers, ranges and names of services,
 * separated by commas; they add to those that are there. An interface's name may end with '*'. A
 * duration is seconds, or a number with s, m, h or d.
 */
int parse_mark(const char *option, const char *text, uint32_t *value, uint32_t *mask);
int parse_label(const char *option, const char *text, uint32_t *bit);
int parse_ports(const char *option, const char *text, struct ports *ports);

/*
 * Protocols by number or name, separated by commas; TCP and UDP are refused. @bits: as
 * nfac_ioc_attach.allow; @all: set for the text "all". Return: 0; -1 after saying why.
 */
int parse_protocols(const char *option, const char *text, uint32_t *bits, bool *all);
int parse_hook(const char *text, uint32_t *hook);
int parse_priority(const char *text, int32_t *priority);
int parse_interface(const char *option, const char *text, char *name);
int parse_duration(const char *option, const char *text, uint64_t *seconds);

#endif /* _NFAC_OPTIONS_H */
