// SPDX-License-Identifier: GPL-2.0
/*
 * nfac detach: remove attachments.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "common/attach_request.h"
#include "common/device.h"
#include "common/message.h"
#include "common/options.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	char ***ids = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_ARGS:
		*ids = state->argv + state->next;
		break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no attachment named; `nfac list` shows their ids");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int get_id(const char *text, __u32 *id)
{
	uint64_t value;

	if (parse_number(text, 1, UINT32_MAX, &value))
		return complain("'%s' is not an attachment's id: a number from 1 on", text);
	*id = value;
	return 0;
}

static int detach(int device, const char *text)
{
	__u32 id = 0;
	int err;

	if (get_id(text, &id))
		return -1;
	err = detach_request(device, id);
	if (err == -ENOENT)
		return complain("no attachment %u; `nfac list` shows those that are", id);
	return err ? complain("attachment %u: %s", id, device_strerror(-err)) : 0;
}

int cmd_detach(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "ID...",
		.doc = "Remove attachments; the sets stay loaded.",
	};
	int status = NFAC_EXIT_OK, device;
	char **ids = NULL;
	__u32 id;

	options_parse(&argp, argc, argv, &ids);
	for (int i = 0; ids[i]; i++)
		if (get_id(ids[i], &id))
			return NFAC_EXIT_ERROR;
	device = device_open();
	if (device < 0)
		return NFAC_EXIT_ERROR;
	for (; *ids; ids++)
		if (detach(device, *ids))
			status = NFAC_EXIT_ERROR;
	close(device);
	return status;
}
