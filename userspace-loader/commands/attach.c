// SPDX-License-Identifier: GPL-2.0
/*
 * nfac attach: attach a set to a hook, to inspect packets.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attach_options.h"
#include "commands.h"
#include "common/attach_request.h"
#include "common/device.h"
#include "common/message.h"
#include "common/options.h"

struct arguments {
	struct attach_options options;
	const char *name;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->options;
		state->child_inputs[1] = &args->options;
		break;
	case ARGP_KEY_ARG:
		if (args->name)
			argp_error(state, "one set at a time");
		args->name = arg;
		break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no set named");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int cmd_attach(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &attach_where_argp, 0, NULL, 0 },
		{ &attach_argp, 0, NULL, 0 },
		{ 0 }
	};
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "NAME",
		.doc = "Attach a set to a hook of this network namespace, to inspect packets; prints the attachment's id.",
		.children = children,
	};
	struct arguments args = { 0 };
	struct nfac_ioc_attach *attach = &args.options.attach;
	int device, err;

	attach_defaults(&args.options);
	options_parse(&argp, argc, argv, &args);
	if (attach_check_hook(&args.options) || set_name_check(args.name))
		return NFAC_EXIT_ERROR;
	strcpy(attach->name, args.name);
	device = device_open();
	if (device < 0)
		return NFAC_EXIT_ERROR;
	err = attach_request(device, attach);
	if (!err) {
		printf("%u\n", attach->id);
		attach_warn_of_twin(device, attach);
		attach_warn(attach);
	}
	close(device);
	return err ? NFAC_EXIT_ERROR : NFAC_EXIT_OK;
}
