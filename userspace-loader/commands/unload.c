// SPDX-License-Identifier: GPL-2.0
/*
 * nfac unload: remove sets from the kernel.
 */
#include <unistd.h>

#include "commands.h"
#include "common/device.h"
#include "common/message.h"
#include "common/options.h"
#include "common/set_file.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	char ***names = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_ARGS:
		*names = state->argv + state->next;
		break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no set named");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int unload(int device, const char *name)
{
	if (device_unload(device, name))
		return -1;
	set_file_forget(name);
	return 0;
}

int cmd_unload(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "NAME...",
		.doc = "Take sets out of the kernel. A set that is attached, or held by a rule, stays.",
	};
	int status = NFAC_EXIT_OK, device;
	char **names = NULL;

	options_parse(&argp, argc, argv, &names);
	for (int i = 0; names[i]; i++)
		if (set_name_check(names[i]))
			return NFAC_EXIT_ERROR;
	device = device_open();
	if (device < 0)
		return NFAC_EXIT_ERROR;
	for (; *names; names++)
		if (unload(device, *names))
			status = NFAC_EXIT_ERROR;
	close(device);
	return status;
}
