/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands: each parses its own arguments, with argv[0] "nfac COMMAND", and returns an
 * exit status (enum nfac_exit).
 */
#ifndef _NFAC_COMMANDS_H
#define _NFAC_COMMANDS_H

#include <argp.h>

int cmd_compile(int argc, char **argv);
int cmd_scan(int argc, char **argv);
int cmd_load(int argc, char **argv);
int cmd_unload(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_attach(int argc, char **argv);
int cmd_detach(int argc, char **argv);
int cmd_apply(int argc, char **argv);
int cmd_save(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_test(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_queue(int argc, char **argv);

#endif /* _NFAC_COMMANDS_H */
