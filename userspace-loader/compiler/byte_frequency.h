/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How often each byte occurs in traffic.
 */
#ifndef _NFAC_BYTE_FREQUENCY_H
#define _NFAC_BYTE_FREQUENCY_H

/* @share: of 256 bytes; the sum of all is 1. */
void byte_frequencies(double *share);

#endif /* _NFAC_BYTE_FREQUENCY_H */
