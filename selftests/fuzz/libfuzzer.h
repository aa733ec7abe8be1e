/* SPDX-License-Identifier: GPL-2.0 */
/* What libFuzzer calls, and what it gives: its names are its own. */
#ifndef _NFAC_FUZZ_LIBFUZZER_H
#define _NFAC_FUZZ_LIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b,
				 size_t b_size, uint8_t *out, size_t room, unsigned int seed);

#endif /* _NFAC_FUZZ_LIBFUZZER_H */
