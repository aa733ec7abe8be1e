// SPDX-License-Identifier: GPL-2.0
/*
 * How often each byte occurs in traffic, which is mostly text such as HTTP and HTML. The compiler
 * uses it to estimate how much text a map passes.
 */
#include "byte_frequency.h"

void byte_frequencies(double *share)
{
	double sum = 0;
	int c;

	for (c = 0; c < 256; c++) {
		if (c >= 'a' && c <= 'z')
			share[c] = 25;
		else if (c == ' ' || c == '\n' || c == '\r' || c == '/')
			share[c] = 20;
		else if (c >= '0' && c <= '9')
			share[c] = 10;
		else if (c >= ' ' && c < 127)
			share[c] = 4;
		else
			share[c] = 0.5;
		sum += share[c];
	}
	for (c = 0; c < 256; c++)
		share[c] /= sum;
}
