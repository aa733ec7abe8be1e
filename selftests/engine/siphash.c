// SPDX-License-Identifier: GPL-2.0
/*
 * The hash of the tool's flow table gives the vectors that SipHash's authors published (key
 * 00 .. 0f, text 00, 01, ...). Prints KTAP.
 */
#include <stdio.h>

#include "../../userspace-loader/capture/siphash.h"

/* Of texts of 0, 8, ... 56 bytes; as 64-bit numbers, of which the first byte is the lowest. */
static const uint64_t published[] = {
	0x726fdb47dd0e0e31, 0x93f5f5799a932462, 0x3f2acc7f57c29bdb, 0xb8ad50c6f649af94,
	0x7127512f72f27cce, 0x0e3ea96b5304a7d0, 0xe612a3cb9ecba951, 0xb78dbfaf3a8d83bd,
};

int main(void)
{
	const size_t count = sizeof(published) / sizeof(*published);
	const uint64_t key[2] = { 0x0706050403020100, 0x0f0e0d0c0b0a0908 };
	uint64_t words[sizeof(published) / sizeof(*published)];
	size_t i, wrong = 0;

	for (i = 0; i < count; i++)
		words[i] = 0x0706050403020100 + i * 0x0808080808080808;
	printf("KTAP version 1\n1..%zu\n", count);
	for (i = 0; i < count; i++) {
		int right = siphash(words, i, key) == published[i];

		printf("%s %zu siphash of %zu bytes\n", right ? "ok" : "not ok", i + 1, i * 8);
		wrong += !right;
	}
	return wrong > 0;
}
