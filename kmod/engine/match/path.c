// SPDX-License-Identifier: GPL-2.0
/*
 * Paths: the instruction sets that the matcher can use, and the choice among them.
 */
#include "matcher.h"

const char *const nfac_path_names[NFAC_PATH_MAX] = {
	[NFAC_PATH_NOFILTER]	= "nofilter",
	[NFAC_PATH_PORTABLE]	= "portable",
	[NFAC_PATH_AVX2]	= "avx2",
};

enum nfac_path nfac_path_best(void)
{
#ifdef NFAC_HAVE_AVX2
	if (nfac_have_avx2())
		return NFAC_PATH_AVX2;
#endif
	return NFAC_PATH_PORTABLE;
}
