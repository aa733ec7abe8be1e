/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A stream of a file's bytes, unpacked where gzip packed them. It hands out what is there:
 * gzread() of zlib waits for 64 kB of a pipe, in which there may be an hour's packets.
 */
#ifndef _NFAC_UNZIP_H
#define _NFAC_UNZIP_H

#include <stdio.h>

struct unzip;

/**
 * unzip_open() - open a file, or standard input for "-"
 * @from: set; it lives as long as the stream
 *
 * What is on standard output is written out before a pipe is waited for.
 *
 * Return: the stream; NULL after saying why.
 */
FILE *unzip_open(const char *name, struct unzip **from);

/* What went wrong in reading; NULL: nothing did. */
const char *unzip_error(const struct unzip *from);

#endif /* _NFAC_UNZIP_H */
