// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: captures, compressed or not, as `nfac scan` reads them.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "userspace-loader/capture/capture.h"
#include "libfuzzer.h"

/* Standard input is a file in memory, filled anew each time. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	int fd = memfd_create("capture", 0);

	(void)argc;
	(void)argv;
	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
		abort();
	close(fd);
	return 0;
}

/* Each byte is read, so that ASan finds a payload outside of its packet. */
static void on_payload(void *context, const struct capture_packet *packet,
		       const struct payload *payload)
{
	uint64_t *payloads = context;
	uint8_t sum = 0;
	size_t i;

	for (i = 0; i < payload->captured; i++)
		sum ^= payload->bytes[i];
	/* so that the loop stays */
	*payloads += 1 + (sum && !packet->number);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct capture_counts counts = { 0 };
	uint64_t payloads = 0;
	struct input *in;

	if (ftruncate(STDIN_FILENO, 0) ||
	    pwrite(STDIN_FILENO, data, size, 0) != (ssize_t)size ||
	    lseek(STDIN_FILENO, 0, SEEK_SET))
		abort();
	in = input_open("-");
	if (!in)
		abort();
	capture_read("-", in, true, on_payload, &payloads, &counts);
	input_close(in);
	if (payloads > counts.packets)
		abort();
	return 0;
}
