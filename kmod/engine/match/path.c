// SPDX-License-Identifier: GPL-2.0
/*
 * Paths: the instruction sets that the matcher can use, and the choice among them.
 */
#include "matcher.h"

const char *const nfac_path_names[NFAC_PATH_MAX] = {
	[NFAC_PATH_NOFILTER]	= "nofilter",
	[NFAC_PATH_PORTABLE]	= "portable",
#ifdef __aarch64__
	[NFAC_PATH_VECTOR]	= "neon",
#else
	[NFAC_PATH_VECTOR]	= "avx2",
#endif
};

enum nfac_path nfac_path_best(void)
{
#ifdef NFAC_HAVE_VECTOR
	if (nfac_have_vector())
		return NFAC_PATH_VECTOR;
#endif
	return NFAC_PATH_PORTABLE;
}
