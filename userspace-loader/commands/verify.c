// SPDX-License-Identifier: GPL-2.0
/*
 * nfac verify: have the kernel compare loaded sets with their checksums.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "commands.h"
#include "common/device.h"
#include "common/message.h"
#include "common/options.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	char ***names = state->input;

	(void)arg;
	if (key != ARGP_KEY_ARGS)
		return ARGP_ERR_UNKNOWN;
	*names = state->argv + state->next;
	return 0;
}

/* Return: an exit status; NFAC_EXIT_NOTHING: the set is damaged. */
static int verify(int device, const char *name)
{
	struct nfac_ioc_name arg = { .size = sizeof(arg), .version = NFAC_VERSION };

	strncpy(arg.name, name, sizeof(arg.name) - 1);
	if (!ioctl(device, NFAC_IOC_VERIFY, &arg)) {
		printf("set '%s' is sound\n", name);
		return NFAC_EXIT_OK;
	}
	if (errno != EUCLEAN) {
		device_set_error(name, errno);
		return NFAC_EXIT_ERROR;
	}
	printf("set '%s' is damaged: ", name);
	if (arg.result == NFAC_RESULT_TABLES)
		printf("its tables (prefilter, outputs)");
	else
		printf("tile %u", arg.result);
	puts("; load it again");
	return NFAC_EXIT_NOTHING;
}

static int verify_all(int device)
{
	int status = NFAC_EXIT_OK, got, one;
	struct nfac_ioc_set set = { 0 };

	while ((got = device_next_set(device, &set)) == 1) {
		one = verify(device, set.name);
		if (one > status)
			status = one;
	}
	return got < 0 ? NFAC_EXIT_ERROR : status;
}

int cmd_verify(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "[NAME...]",
		.doc = "Have the kernel check the memory of these sets, or of all, against their checksums.\vExit status: 0: sound, 1: a set is damaged, 2: error.",
	};
	int status = NFAC_EXIT_OK, device, one;
	char **names = NULL;

	options_parse(&argp, argc, argv, &names);
	for (int i = 0; names && names[i]; i++)
		if (set_name_check(names[i]))
			return NFAC_EXIT_ERROR;
	device = device_open();
	if (device < 0)
		return NFAC_EXIT_ERROR;
	if (!names)
		status = verify_all(device);
	for (; names && *names; names++) {
		one = verify(device, *names);
		if (one > status)
			status = one;
	}
	close(device);
	return status;
}
