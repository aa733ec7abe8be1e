/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Configuration: the sets of a network namespace and their attachments, as a file says them.
 *
 * Two syntaxes: TOML (config.c), and the `load` and `attach` lines of /etc/nfac/nfac.conf
 * (lines.c), which nfac-boot read. Keys and options are those of `nfac load` and `nfac attach`,
 * and are checked by the same functions.
 */
#ifndef _NFAC_CONFIG_H
#define _NFAC_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "commands/attach_options.h"
#include "common/set_source.h"

/* Texts, in their order; all owned. */
struct texts {
	char **items;
	size_t count;
};

/**
 * struct config_set - one set
 * @line: where it begins
 * @faulty: something in it was refused; or it could not be compiled
 * @files: absolute names, which may have wildcards
 * @vars, @set_vars: of rules; the latter prevail
 * @format: format, nocase and quiet
 * @format_name: owns @format.format
 * @source: the blob; empty before config_compile()
 */
struct config_set {
	char name[NFAC_NAME_LEN];
	unsigned int line;
	bool faulty;
	struct texts files, vars, set_vars;
	struct format_options format;
	char *format_name;
	struct set_source source;
};

/**
 * struct config_attachment - one attachment
 * @options: of it @options.attach is ready for the kernel once the file was read
 */
struct config_attachment {
	char set[NFAC_NAME_LEN];
	unsigned int line;
	bool faulty;
	struct attach_options options;
};

/**
 * struct config - all of a file
 * @file: its name
 * @old: it has the syntax of nfac-boot
 * @faults: how many sets, attachments and further parts were refused
 */
struct config {
	char *file;
	bool old;
	unsigned int faults;
	struct config_set *sets;
	size_t set_count;
	struct config_attachment *attachments;
	size_t attachment_count;
};

/**
 * config_read() - read a file
 * @config: zero; to be freed by config_free() in either case
 *
 * Every mistake is reported with file and line. A set or an attachment with one is marked as
 * faulty, and so are the attachments of such a set.
 *
 * Return: 0, also when there are faults; -1 after saying why nothing could be read.
 */
int config_read(struct config *config, const char *file);
void config_free(struct config *config);

/* The set of that name, or NULL. */
struct config_set *config_find_set(const struct config *config, const char *name);

/*
 * Compile a set, or read its blob, and verify it. Reports with file and line.
 * Return: 0; -1 after saying why not, and marking it and its attachments as faulty.
 */
int config_compile(struct config *config, struct config_set *set);

/* The table of a set, as TOML. Return: 0; -1 after saying why it cannot be written. */
int config_print_set(FILE *to, const struct config_set *set);

/* That of an attachment. Return: 0; -1 after saying why it cannot be written. */
int config_print_attachment(FILE *to, const struct nfac_ioc_attach *attach);

/* For the readers. Return: the new one, zero but for set name and line; NULL without memory. */
struct config_set *config_add_set(struct config *config, const char *name, unsigned int line);
struct config_attachment *config_add_attachment(struct config *config, unsigned int line);

/* Append copies. Return: 0; -1 after saying that there is no memory. */
int texts_add(struct texts *texts, const char *text);
void texts_free(struct texts *texts);

/*
 * An option of a set by its name: format, nocase, quiet, set-var, vars; @value: NULL or a text.
 * Return: 0; -1 after saying what is wrong.
 */
int config_set_option(struct config_set *set, const struct argp_option *option,
		      const char *value);

/*
 * Append a file's name: absolute, or relative to @folder.
 * Return: 0; -1 after saying what is wrong.
 */
int config_set_file(struct config_set *set, const char *folder, const char *name);

/* Read `load` and `attach` lines. */
void config_read_lines(struct config *config, const struct file *file);

#endif /* _NFAC_CONFIG_H */
