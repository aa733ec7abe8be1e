// SPDX-License-Identifier: GPL-2.0
/*
 * What a configuration consists of: sets and attachments; how sets are compiled, and how both are
 * written.
 */
#include <ctype.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/attachment.h"
#include "common/device.h"
#include "common/message.h"
#include "config.h"
#include "toml.h"

struct config_set *config_find_set(const struct config *config, const char *name)
{
	size_t i;

	for (i = 0; i < config->set_count; i++)
		if (!strncmp(config->sets[i].name, name, NFAC_NAME_LEN))
			return &config->sets[i];
	return NULL;
}

struct config_set *config_add_set(struct config *config, const char *name, unsigned int line)
{
	size_t count = config->set_count;
	struct config_set *larger = realloc(config->sets, (count + 1) * sizeof(*larger));

	if (!larger) {
		complain("out of memory");
		return NULL;
	}
	config->sets = larger;
	memset(&larger[count], 0, sizeof(*larger));
	strncpy(larger[count].name, name, NFAC_NAME_LEN - 1);
	larger[count].line = line;
	config->set_count++;
	return &larger[count];
}

struct config_attachment *config_add_attachment(struct config *config, unsigned int line)
{
	size_t count = config->attachment_count;
	struct config_attachment *larger = realloc(config->attachments,
						   (count + 1) * sizeof(*larger));

	if (!larger) {
		complain("out of memory");
		return NULL;
	}
	config->attachments = larger;
	memset(&larger[count], 0, sizeof(*larger));
	attach_defaults(&larger[count].options);
	larger[count].line = line;
	config->attachment_count++;
	return &larger[count];
}

static void free_set(struct config_set *set)
{
	texts_free(&set->files);
	texts_free(&set->vars);
	texts_free(&set->set_vars);
	free(set->format_name);
	set_source_close(&set->source);
}

void config_free(struct config *config)
{
	size_t i;

	for (i = 0; i < config->set_count; i++)
		free_set(&config->sets[i]);
	free(config->sets);
	free(config->attachments);
	free(config->file);
	memset(config, 0, sizeof(*config));
}

int config_set_option(struct config_set *set, const struct argp_option *option,
		      const char *value)
{
	if (!strcmp(option->name, "vars"))
		return texts_add(&set->vars, value);
	if (!strcmp(option->name, "set-var"))
		return texts_add(&set->set_vars, value);
	if (strcmp(option->name, "format"))
		return format_option_give(&set->format, option, NULL);
	set->format_name = strdup(value);
	if (!set->format_name)
		return complain("out of memory");
	return format_option_give(&set->format, option, set->format_name);
}

/* Names stay as they are but for what comes before a relative one. */
int config_set_file(struct config_set *set, const char *folder, const char *name)
{
	char *start = NULL, *path = NULL;
	int err = -1;

	if (!*name)
		return complain("a file's name is empty");
	if (!strcmp(name, "-"))
		return complain("a set of a configuration is in files, not in standard input");
	if (*name == '/')
		return texts_add(&set->files, name);
	start = *folder == '/' ? strdup("") : getcwd(NULL, 0);
	if (!strcmp(folder, "."))
		folder = "";
	if (!start || asprintf(&path, "%s%s%s%s%s", start, *start ? "/" : "", folder,
			       *folder ? "/" : "", name) < 0)
		complain("cannot determine the current folder, to which '%s' is relative",
			 name);
	else
		err = texts_add(&set->files, path);
	free(path);
	free(start);
	return err;
}

/* The files that the names match, in the order of the names. */
static int expand(const struct config_set *set, struct texts *files)
{
	size_t i, k;
	glob_t found;
	int err = 0;

	for (i = 0; i < set->files.count && !err; i++) {
		const char *name = set->files.items[i];

		if (!strpbrk(name, "*?[") || !access(name, F_OK)) {
			err = texts_add(files, name);
			continue;
		}
		if (glob(name, GLOB_ERR, NULL, &found))
			return complain("set '%s': no file is named as %s", set->name, name);
		for (k = 0; k < found.gl_pathc && !err; k++)
			err = texts_add(files, found.gl_pathv[k]);
		globfree(&found);
	}
	return err;
}

static int variables(const struct config_set *set)
{
	size_t i;

	rule_variables_clear();
	for (i = 0; i < set->vars.count; i++)
		if (rule_variables_read(set->vars.items[i]))
			return -1;
	for (i = 0; i < set->set_vars.count; i++)
		if (rule_variable_set(set->set_vars.items[i]))
			return -1;
	return 0;
}

static void faulty(struct config *config, struct config_set *set)
{
	size_t i;

	set->faulty = true;
	config->faults++;
	for (i = 0; i < config->attachment_count; i++)
		if (!strcmp(config->attachments[i].set, set->name))
			config->attachments[i].faulty = true;
}

int config_compile(struct config *config, struct config_set *set)
{
	struct texts files = { 0 };
	int err;

	message_place(config->file, set->line);
	err = expand(set, &files) || variables(set);
	if (!err && !files.count) {
		complain("set '%s' has no file", set->name);
		err = -1;
	}
	err = err || set_source_any(&set->source, &set->format, files.items, files.count) ||
	      set_source_bind(&set->source, files.items[0]);
	message_place(NULL, 0);
	texts_free(&files);
	rule_variables_clear();
	if (!err)
		return 0;
	complain_at(config->file, set->line, "set '%s' is refused", set->name);
	set_source_close(&set->source);
	faulty(config, set);
	return -1;
}

static int print_texts(FILE *to, const char *key, const struct texts *texts)
{
	size_t i;

	if (!texts->count)
		return 0;
	fprintf(to, "%s = [", key);
	for (i = 0; i < texts->count; i++) {
		fputs(i ? ", " : "", to);
		if (toml_print_string(to, texts->items[i]))
			return -1;
	}
	fputs("]\n", to);
	return 0;
}

int config_print_set(FILE *to, const struct config_set *set)
{
	fputs("[set.", to);
	if (toml_print_name(to, set->name))
		return -1;
	fputs("]\n", to);
	if (print_texts(to, "files", &set->files))
		return -1;
	if (set->format.format)
		fprintf(to, "format = \"%s\"\n", set->format.format);
	if (set->format.nocase)
		fputs("nocase = true\n", to);
	if (set->format.quiet)
		fputs("quiet = true\n", to);
	return print_texts(to, "vars", &set->vars) || print_texts(to, "set-var", &set->set_vars) ?
	       -1 : 0;
}

struct printer {
	FILE *to;
	int err;
};

/* Numbers and lists of them without quotes. */
static void print_option(void *context, const char *option, const char *value)
{
	struct printer *printer = context;
	const char *comma;

	fprintf(printer->to, "%s = ", option);
	if (!value) {
		fputs("true\n", printer->to);
		return;
	}
	if (value[strspn(value, "0123456789,")]) {
		printer->err |= toml_print_string(printer->to, value);
		putc('\n', printer->to);
		return;
	}
	comma = strchr(value, ',');
	fputs(comma ? "[" : "", printer->to);
	for (; *value; value++)
		fputs(*value == ',' ? ", " : (char[]){ *value, 0 }, printer->to);
	fputs(comma ? "]\n" : "\n", printer->to);
}

int config_print_attachment(FILE *to, const struct nfac_ioc_attach *attach)
{
	struct printer printer = { .to = to };

	fputs("[[attach]]\nset = ", to);
	if (toml_print_string(to, attach->name))
		return -1;
	fprintf(to, "\nhook = \"%s\"\npriority = %d\n", hook_name(attach->hook), attach->priority);
	attachment_options(attach, print_option, &printer);
	return printer.err;
}
