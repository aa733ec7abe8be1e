/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Vectors of 32 bytes: the operations that prefilter_vector.c is written in.
 *
 * A processor with vectors has a back end, which implements the functions below: vector_avx2.h for
 * x86-64, vector_neon.h for arm64. All give the same results bit for bit. A new one is named in
 * path.c and ../files.mk, too.
 *
 * vec: 32 bytes, numbered in the order of memory. A lane is a 32-bit number of four of them, little
 * endian. vec_eight: 8 bytes.
 *
 *   vec_load(), vec_store()     32 bytes at any alignment
 *   vec_load_halves()           16 bytes from one address, then 16 from another
 *   vec_load_twice()            the same 16 bytes in both halves: a table
 *   vec_each8(), 32, 64()       one number in each byte, lane, or eight bytes
 *   vec_and(), vec_or(), vec_xor()
 *   vec_add32(), vec_multiply32()      of lanes, modulo 2^32
 *   vec_up32(), vec_down32()    shift lanes by a constant; vec_down32_by(): by a variable
 *   vec_scale32()               upper half of each lane, from 16 bits to 0 .. @n - 1; lower half: 0
 *   vec_equal8(), vec_zero8()   all bits of each byte that is equal, that is 0
 *   vec_between8()              all bits of each byte from @first to @last, 1 .. 126
 *   vec_lower_nibbles(), vec_upper_nibbles()   of each byte, as a number 0 .. 15
 *   vec_lookup()                bytes of a table, in each half by 16 indices 0 .. 15
 *   vec_choose()                bytes of @positive or, where @x has bit 7, of @negative
 *
 * A bit for each byte, the first one lowest:
 *
 *   vec_signs8(), vec_signs64() bit 7 of each byte of a vector, of two
 *   vec_mask8(), vec_mask64()   the same where each byte is 0 or 255, which NEON does faster
 *   vec_mask64_mixed()          vec_mask64() where the bytes of two vectors alternate
 *   vec_zeros32(), vec_signs32()       a bit for each lane that is 0; bit 31 of each lane
 *   vec_low_bits16()            bit 0 of 32 numbers of 16 bits
 *
 * Bytes that change their places:
 *
 *   vec_pack32()                32 lanes of four vectors, each up to 255, as bytes in that order
 *   vec_fetch()                 the bytes of a map at eight indices: lanes of a vector
 *   vec_join()                  four times eight bytes, one behind the other
 *   vec_interleave()            four times eight bytes: the first of each, the second of each, ...
 */
#ifndef _NFAC_MATCH_VECTOR_H
#define _NFAC_MATCH_VECTOR_H

#include "../freestanding.h"

#ifdef __x86_64__
#include "vector_avx2.h"
#else
#include "vector_neon.h"
#endif

#endif /* _NFAC_MATCH_VECTOR_H */
