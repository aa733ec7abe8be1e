// SPDX-License-Identifier: GPL-2.0
/*
 * nfac save: print what is in force, as a file for nfac apply.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "commands.h"
#include "common/device.h"
#include "common/message.h"
#include "common/options.h"
#include "config/origin.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key == ARGP_KEY_ARG)
		argp_error(state, "it takes no argument");
	return ARGP_ERR_UNKNOWN;
}

static int save(int device)
{
	struct device_attachments all;
	struct nfac_ioc_set set = { 0 };
	size_t i, printed = 0;
	int got, err;

	err = device_attachments(device, &all);
	while (!err && (got = device_next_set(device, &set))) {
		if (got < 0) {
			err = -1;
			break;
		}
		fputs(printed++ ? "\n" : "", stdout);
		err = origin_print(stdout, &set);
	}
	for (i = 0; !err && i < all.count; i++) {
		putchar('\n');
		err = config_print_attachment(stdout, &all.items[i]);
	}
	free(all.items);
	return err;
}

int cmd_save(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.doc = "Print the sets and attachments of this network namespace as a file for `nfac apply'.",
	};
	int device, err;

	options_parse(&argp, argc, argv, NULL);
	device = device_open();
	if (device < 0)
		return NFAC_EXIT_ERROR;
	err = save(device);
	close(device);
	return err ? NFAC_EXIT_ERROR : NFAC_EXIT_OK;
}
