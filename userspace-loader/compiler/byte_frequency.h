/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How often each byte occurs in traffic.
 */
#ifndef _NFAC_BYTE_FREQUENCY_H
#define _NFAC_BYTE_FREQUENCY_H

/* Fill @share, of 256 bytes; their sum is 1. */
void byte_frequencies(double *share);

#endif /* _NFAC_BYTE_FREQUENCY_H */
