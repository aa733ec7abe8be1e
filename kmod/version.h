/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The release: of all modules, and of the packages, whose scripts read this file.
 */
#ifndef _NFAC_VERSION_H
#define _NFAC_VERSION_H

#define NFAC_RELEASE	"0.1.0"

#endif /* _NFAC_VERSION_H */
