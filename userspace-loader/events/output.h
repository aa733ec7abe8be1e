/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output files of events, which a program such as logrotate(8) renames while they are written.
 */
#ifndef _NFAC_EVENT_OUTPUT_H
#define _NFAC_EVENT_OUTPUT_H

/**
 * output_open() - let standard output be a file from now on, at its end
 * @name: of the file; made with mode 0640 if there is none. NULL: nothing is done
 *
 * Called again with the same name after the file was renamed, it goes on in a new one.
 *
 * Return: 0; -1 after saying why, standard output being as before.
 */
int output_open(const char *name);

#endif /* _NFAC_EVENT_OUTPUT_H */
