// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration files as nfac-boot read them: each line is a command `load` or `attach` without
 * the word nfac, its words separated by blanks, without quotes.
 */
#include <stdlib.h>
#include <string.h>

#include "common/device.h"
#include "common/file.h"
#include "common/message.h"
#include "common/nearest.h"
#include "config.h"

/* The words of a line; "--x y" and "--x=y" are an option and its value. */
struct words {
	char **items;
	size_t count, at;
	bool only_names;	/* "--" came */
};

typedef const struct argp_option *(*find_option)(const char *name, struct nearest *nearest);

/**
 * take() - the next option, or the next word that is none
 * @find: looks an option up
 * @option: out: the option, or NULL
 * @value: out: its value, or NULL; the word
 *
 * Return: 1; 0: there are no more words; -1 after saying what is wrong.
 */
static int take(struct words *words, find_option find, const struct argp_option **option,
		const char **value)
{
	struct nearest nearest = { 0 };
	char *word, *equals;

	*option = NULL;
	if (words->at == words->count)
		return 0;
	word = words->items[words->at++];
	if (!words->only_names && !strcmp(word, "--")) {
		words->only_names = true;
		return take(words, find, option, value);
	}
	*value = word;
	if (words->only_names || *word != '-' || !word[1])
		return 1;
	if (!strcmp(word, "-q")) {
		*option = find("quiet", NULL);
		*value = NULL;
		if (*option)
			return 1;
		complain("unknown option '-q'");
		return -1;
	}
	equals = strchr(word, '=');
	if (equals)
		*equals = 0;
	nearest.word = word + (word[1] == '-' ? 2 : 1);
	*option = word[1] == '-' ? find(word + 2, &nearest) : NULL;
	if (!*option) {
		complain("unknown option '%s'%s", word, nearest_hint(&nearest));
		return -1;
	}
	*value = equals ? equals + 1 : NULL;
	if (equals && !(*option)->arg) {
		complain("%s takes no value", word);
		return -1;
	}
	if ((*option)->arg && !equals) {
		if (words->at == words->count) {
			complain("%s takes a value", word);
			return -1;
		}
		*value = words->items[words->at++];
	}
	return 1;
}

static int read_load(struct config *config, struct words *words, unsigned int line)
{
	const struct argp_option *option;
	struct config_set parsed = { 0 }, *set;
	const char *value;
	int got;

	while ((got = take(words, format_option_find, &option, &value)) == 1) {
		if (option)
			got = config_set_option(&parsed, option, value);
		else if (!*parsed.name)
			got = set_name_check(value) ? -1 :
			      (strcpy(parsed.name, value), 0);
		else
			got = config_set_file(&parsed, ".", value);
		if (got)
			break;
	}
	if (!got && !parsed.files.count)
		got = complain("load takes a name and a file");
	set = config_find_set(config, parsed.name);
	if (!got && set)
		got = complain("set '%s' is in line %u already", set->name, set->line);
	if (!set && *parsed.name)
		set = config_add_set(config, parsed.name, line);
	else
		set = NULL;
	parsed.line = line;
	parsed.faulty = got;
	if (set) {
		*set = parsed;
		return got;
	}
	texts_free(&parsed.files);
	texts_free(&parsed.vars);
	texts_free(&parsed.set_vars);
	free(parsed.format_name);
	return -1;
}

static int read_attach(struct config *config, struct words *words, unsigned int line)
{
	struct config_attachment *at = config_add_attachment(config, line);
	const struct argp_option *option;
	const char *value;
	int got;

	if (!at)
		return -1;
	while ((got = take(words, attach_option_find, &option, &value)) == 1) {
		if (option)
			got = attach_option_give(&at->options, option, value);
		else if (*at->set)
			got = complain("one set at a time");
		else if (value)
			got = set_name_check(value) ? -1 : (strcpy(at->set, value), 0);
		if (got)
			break;
	}
	if (!got && !*at->set)
		got = complain("no set named");
	strcpy(at->options.attach.name, at->set);
	if (!got)
		got = attach_check_hook(&at->options);
	at->faulty = got;
	return got;
}

static int read_words(struct config *config, struct words *words, unsigned int line)
{
	const char *command = words->items[words->at++];
	struct nearest nearest = { .word = command };

	if (!strcmp(command, "load"))
		return read_load(config, words, line);
	if (!strcmp(command, "attach"))
		return read_attach(config, words, line);
	nearest_try(&nearest, "load");
	nearest_try(&nearest, "attach");
	return complain("only load and attach are known here, not '%s'%s", command,
			nearest_hint(&nearest));
}

static int split(struct words *words, char *line)
{
	char **larger, *word;

	line[strcspn(line, "#")] = 0;
	while ((word = strsep(&line, " \t\r"))) {
		if (!*word)
			continue;
		larger = realloc(words->items, (words->count + 1) * sizeof(*larger));
		if (!larger)
			return complain("out of memory");
		words->items = larger;
		larger[words->count++] = word;
	}
	return 0;
}

void config_read_lines(struct config *config, const struct file *file)
{
	const char *at = (const char *)file->bytes, *stop = at + file->size, *end;
	unsigned int line = 0;

	for (; at < stop; at = end + 1) {
		struct words words = { 0 };
		char *text;

		end = memchr(at, '\n', stop - at);
		end = end ? end : stop;
		message_place(config->file, ++line);
		text = strndup(at, end - at);
		if (!text || split(&words, text) ||
		    (words.count && read_words(config, &words, line)))
			config->faults++;
		free(words.items);
		free(text);
	}
	message_place(NULL, 0);
}
