// SPDX-License-Identifier: GPL-2.0
/*
 * The origin of a loaded set, as a TOML table beside its blob: written when the set is loaded,
 * read by nfac save.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/message.h"
#include "common/set_file.h"
#include "origin.h"

/* The set's table; NULL after saying why there is none. */
static char *table_of(const struct config_set *set)
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);
	int err;

	if (!to) {
		complain("out of memory");
		return NULL;
	}
	err = config_print_set(to, set);
	if (fclose(to) || err) {
		free(text);
		return NULL;
	}
	return text;
}

int origin_keep(const struct config_set *set)
{
	uint64_t checksum = set_source_checksum(&set->source);
	char *now, *kept;
	int err = 0;

	if (!set_file_is(set->name, checksum))
		err = set_file_keep(set->name, &set->source);
	if (err)
		return err;
	now = set->files.count ? table_of(set) : NULL;
	kept = set_file_origin(set->name, checksum);
	if (!now || !kept || strcmp(now, kept))
		err = set_file_keep_origin(set->name, checksum, now);
	free(now);
	free(kept);
	return err;
}

int origin_of_load(struct config_set *set, const char *name, const struct format_options *format,
		   char *const *files, size_t count)
{
	struct stat st;
	size_t i;

	strncpy(set->name, name, sizeof(set->name) - 1);
	set->format = *format;
	for (i = 0; i < count; i++) {
		/* what comes through a pipe cannot be read again */
		if (!strcmp(files[i], "-") || (!stat(files[i], &st) && !S_ISREG(st.st_mode))) {
			texts_free(&set->files);
			return 0;
		}
		if (config_set_file(set, ".", files[i]))
			return -1;
	}
	for (i = 0; i < format->vars_count; i++)
		if (texts_add(&set->vars, format->vars[i]))
			return -1;
	for (i = 0; i < format->set_var_count; i++)
		if (texts_add(&set->set_vars, format->set_vars[i]))
			return -1;
	return 0;
}

int origin_print(FILE *to, const struct nfac_ioc_set *set)
{
	struct config_set copy = { 0 };
	char path[SET_FILE_ROOM], *table;
	int err;

	table = set_file_origin(set->name, set->checksum);
	if (table) {
		fputs(table, to);
		free(table);
		return 0;
	}
	if (!set_file_is(set->name, set->checksum))
		return complain("set '%s': it is not known from which files it was made; load it again",
				set->name);
	set_file_path(path, set->name);
	complain("set '%s': it is not known from which files it was made; %s is a copy, which does not outlive a restart",
		 set->name, path);
	strcpy(copy.name, set->name);
	err = texts_add(&copy.files, path) || config_print_set(to, &copy);
	texts_free(&copy.files);
	return err ? -1 : 0;
}
