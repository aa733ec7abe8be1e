// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration files in TOML: tables [set.NAME] and [[attach]].
 */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/device.h"
#include "common/message.h"
#include "common/nearest.h"
#include "common/options.h"
#include "config.h"
#include "toml.h"

#define FILE_BYTES_MAX	(4u << 20)
#define KEYS_MAX	32	/* different ones in a table: more than there are */

enum table { TABLE_NONE, TABLE_SET, TABLE_ATTACH };

/**
 * struct reader - where the reader is
 * @folder: of the file, for relative names
 * @table: the table that is open
 * @set, @attachment: the one that is filled
 * @keys: of this table so far
 */
struct reader {
	struct config *config;
	const char *folder;
	enum table table;
	struct config_set *set;
	struct config_attachment *attachment;
	char *keys[KEYS_MAX];
	size_t key_count;
};

static int fault(const struct reader *reader, unsigned int line, const char *what)
{
	return complain_at(reader->config->file, line, "%s", what);
}

/* A list of ports is one value of the option: "80,443". */
static char *join(const struct toml_entry *entry)
{
	size_t i, length = 1;
	char *text, *to;

	for (i = 0; i < entry->count; i++)
		length += strlen(entry->items[i].text) + 1;
	text = malloc(length);
	to = text;
	for (i = 0; text && i < entry->count; i++)
		to += sprintf(to, "%s%s", i ? "," : "", entry->items[i].text);
	if (text)
		*to = 0;
	else
		complain("out of memory");
	return text;
}

/*
 * May the option have this value? A switch has true or false, any other option text or a number.
 * Return: 1: give it to the option; 0: it is false, which is as without it; -1 after saying no.
 */
static int fits(const struct toml_entry *entry, const struct argp_option *option)
{
	const struct toml_scalar *value = entry->items;

	if (!option->arg) {
		if (entry->array || value->kind != TOML_BOOLEAN)
			return complain("%s is true or false", option->name);
		return !strcmp(value->text, "true");
	}
	if (entry->array && strcmp(option->name, "dport") && strcmp(option->name, "allow-protocol"))
		return complain("%s has one value, and no list of them", option->name);
	if (entry->array && !entry->count)
		return complain("the list is empty: leave the key out");
	for (size_t i = 0; i < entry->count; i++)
		if (value[i].kind == TOML_BOOLEAN)
			return complain("%s takes %s, not %s", option->name, option->arg,
					value[i].text);
	return 1;
}

static int attach_key(struct reader *reader, const struct toml_entry *entry)
{
	struct config_attachment *at = reader->attachment;
	struct nearest nearest = { .word = entry->names[0] };
	const struct argp_option *option;
	char *value;
	int err;

	if (!strcmp(entry->names[0], "set")) {
		if (entry->array || entry->items->kind != TOML_STRING)
			return complain("set is the name of a set, as text");
		if (set_name_check(entry->items->text))
			return -1;
		strcpy(at->set, entry->items->text);
		return 0;
	}
	nearest_try(&nearest, "set");
	option = attach_option_find(entry->names[0], &nearest);
	if (!option)
		return complain("an attachment has no key '%s'%s; its keys are set, and the options of `nfac attach`",
				entry->names[0], nearest_hint(&nearest));
	err = fits(entry, option);
	if (err <= 0)
		return err;
	value = option->arg ? join(entry) : NULL;
	if (option->arg && !value)
		return -1;
	err = attach_option_give(&at->options, option, value);
	free(value);
	return err;
}

/* A list of texts, or one. */
static int each_text(const struct reader *reader, const struct toml_entry *entry,
		     int (*give)(const struct reader *reader, const char *text))
{
	size_t i;

	if (!entry->count)
		return complain("the list is empty: leave the key out");
	for (i = 0; i < entry->count; i++) {
		if (entry->items[i].kind != TOML_STRING)
			return complain("%s is text, or a list of texts", entry->names[0]);
		if (give(reader, entry->items[i].text))
			return -1;
	}
	return 0;
}

static int give_file(const struct reader *reader, const char *text)
{
	return config_set_file(reader->set, reader->folder, text);
}

static int give_vars(const struct reader *reader, const char *text)
{
	(void)reader;
	return *text ? texts_add(&reader->set->vars, text) : complain("vars: an empty name");
}

static int give_set_var(const struct reader *reader, const char *text)
{
	return texts_add(&reader->set->set_vars, text);
}

static int set_key(struct reader *reader, const struct toml_entry *entry)
{
	const char *name = entry->names[0];
	struct nearest nearest = { .word = name };
	const struct argp_option *option;
	int err;

	if (!strcmp(name, "files"))
		return each_text(reader, entry, give_file);
	if (!strcmp(name, "vars"))
		return each_text(reader, entry, give_vars);
	if (!strcmp(name, "set-var"))
		return each_text(reader, entry, give_set_var);
	nearest_try(&nearest, "files");
	option = format_option_find(name, &nearest);
	if (!option)
		return complain("a set has no key '%s'%s; its keys are files, format, nocase, quiet, vars and set-var",
				name, nearest_hint(&nearest));
	err = fits(entry, option);
	return err <= 0 ? err : config_set_option(reader->set, option, entry->items->text);
}

static bool key_again(struct reader *reader, const char *name)
{
	size_t i;

	for (i = 0; i < reader->key_count; i++)
		if (!strcmp(reader->keys[i], name))
			return true;
	if (reader->key_count < KEYS_MAX)
		reader->keys[reader->key_count++] = strdup(name) ?: "";
	return false;
}

static void forget_keys(struct reader *reader)
{
	while (reader->key_count) {
		char *key = reader->keys[--reader->key_count];

		if (*key)
			free(key);
	}
}

static int read_key(struct reader *reader, const struct toml_entry *entry)
{
	if (reader->table == TABLE_NONE)
		return fault(reader, entry->line,
			     "a key before the first table; there are [set.NAME] and [[attach]]");
	if (key_again(reader, entry->names[0]))
		return complain("the key '%s' is in this table already", entry->names[0]);
	return reader->table == TABLE_SET ? set_key(reader, entry) : attach_key(reader, entry);
}

/* Check what is complete. Return: 0; -1 after saying what is wrong with it. */
static int finish_table(struct reader *reader)
{
	struct config_attachment *at = reader->attachment;

	forget_keys(reader);
	if (reader->table == TABLE_SET) {
		message_place(reader->config->file, reader->set->line);
		if (!reader->set->faulty && !reader->set->files.count)
			return complain("set '%s' has no files", reader->set->name);
	} else if (reader->table == TABLE_ATTACH && !at->faulty) {
		message_place(reader->config->file, at->line);
		if (!*at->set)
			return complain("an attachment without set = \"NAME\"");
		strcpy(at->options.attach.name, at->set);
		return attach_check_hook(&at->options);
	}
	return 0;
}

static int open_set(struct reader *reader, const struct toml_entry *entry)
{
	const struct config_set *other;

	if (entry->what == TOML_ARRAY_TABLE)
		return complain("a set is [set.NAME], with single brackets");
	if (entry->name_count != 2)
		return complain("a set is [set.NAME]; a name with a dot is put in quotes");
	if (set_name_check(entry->names[1]))
		return -1;
	other = config_find_set(reader->config, entry->names[1]);
	if (other)
		return complain("set '%s' is in line %u already", other->name, other->line);
	reader->set = config_add_set(reader->config, entry->names[1], entry->line);
	if (!reader->set)
		return -1;
	reader->table = TABLE_SET;
	return 0;
}

static int open_table(struct reader *reader, const struct toml_entry *entry)
{
	struct nearest nearest = { .word = entry->names[0] };

	if (!strcmp(entry->names[0], "set"))
		return open_set(reader, entry);
	if (!strcmp(entry->names[0], "attach")) {
		if (entry->what == TOML_TABLE || entry->name_count != 1)
			return complain("an attachment is [[attach]], with double brackets");
		reader->attachment = config_add_attachment(reader->config, entry->line);
		if (!reader->attachment)
			return -1;
		reader->table = TABLE_ATTACH;
		return 0;
	}
	nearest_try(&nearest, "set");
	nearest_try(&nearest, "attach");
	return complain("no table '%s' is known%s; there are [set.NAME] and [[attach]]",
			entry->names[0], nearest_hint(&nearest));
}

/* The open table has a fault, or there is one outside of tables. */
static void faulty(struct reader *reader)
{
	bool *mark = reader->table == TABLE_SET ? &reader->set->faulty :
		     reader->table == TABLE_ATTACH ? &reader->attachment->faulty : NULL;

	if (!mark || !*mark)
		reader->config->faults++;
	if (mark)
		*mark = true;
}

/* What belongs to a table that was refused is passed over without further messages. */
static void read_toml(struct config *config, const struct file *file, const char *folder)
{
	struct reader reader = { .config = config, .folder = folder };
	struct toml_entry entry = { 0 };
	struct toml toml;
	int got;

	toml_open(&toml, file);
	while ((got = toml_next(&toml, &entry))) {
		if (got < 0) {
			faulty(&reader);
			/* a header that cannot be read opens a table, too */
			if (entry.what != TOML_KEY) {
				forget_keys(&reader);
				reader.table = TABLE_NONE;
			}
			toml_skip_table(&toml);
			continue;
		}
		if (entry.what != TOML_KEY) {
			if (finish_table(&reader))
				faulty(&reader);
			reader.table = TABLE_NONE;
			message_place(config->file, entry.line);
			if (open_table(&reader, &entry)) {
				faulty(&reader);
				toml_skip_table(&toml);
			}
			continue;
		}
		message_place(config->file, entry.line);
		if (read_key(&reader, &entry)) {
			faulty(&reader);
			if (reader.table == TABLE_NONE)
				toml_skip_table(&toml);
		}
	}
	if (finish_table(&reader))
		faulty(&reader);
	message_place(NULL, 0);
	toml_entry_free(&entry);
}

/* Each attachment belongs to a set of the file. */
static void check_names(struct config *config)
{
	size_t i, k;

	for (i = 0; i < config->attachment_count; i++) {
		struct config_attachment *at = &config->attachments[i];
		struct nearest nearest = { .word = at->set };
		const struct config_set *set = config_find_set(config, at->set);

		if (at->faulty || (set && !set->faulty))
			continue;
		at->faulty = true;
		config->faults++;
		for (k = 0; k < config->set_count; k++)
			nearest_try(&nearest, config->sets[k].name);
		if (set)
			complain_at(config->file, at->line, "its set '%s' is refused", at->set);
		else
			complain_at(config->file, at->line, "this file has no set '%s'%s", at->set,
				    nearest_hint(&nearest));
	}
}

/* Is the first word one of nfac-boot's lines? */
static bool is_lines(const struct file *file)
{
	const char *at = (const char *)file->bytes, *end = at + file->size;
	size_t length;

	while (at < end && (*at == '#' || strchr(" \t\r\n", *at))) {
		const char *next = *at == '#' ? memchr(at, '\n', end - at) : at;

		at = next ? next + 1 : end;
	}
	for (length = 0; at + length < end && !strchr(" \t\r\n", at[length]); length++)
		;
	return (length == 4 && !memcmp(at, "load", 4)) ||
	       (length == 6 && !memcmp(at, "attach", 6));
}

int config_read(struct config *config, const char *name)
{
	char *copy = strdup(name), *folder;
	struct file file;

	config->file = strdup(file_shown_name(name));
	if (!copy || !config->file) {
		free(copy);
		return complain("out of memory");
	}
	if (file_read(&file, name, FILE_BYTES_MAX, NULL)) {
		free(copy);
		return -1;
	}
	folder = strcmp(name, "-") ? dirname(copy) : ".";
	file.name = config->file;
	config->old = is_lines(&file);
	if (config->old)
		config_read_lines(config, &file);
	else
		read_toml(config, &file, folder);
	check_names(config);
	file_close(&file);
	free(copy);
	return 0;
}
