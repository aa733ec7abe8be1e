// SPDX-License-Identifier: GPL-2.0
/*
 * What teaches iptables and ip6tables, legacy and nft, the match of xt_nfac.ko:
 *
 *	-m nfac [!] --set SET [--from N] [--to N]
 */
#include <stdio.h>
#include <string.h>

#include <xtables.h>

#include <linux/xt_nfac.h>

enum { O_SET, O_FROM, O_TO };

static const struct xt_option_entry nfac_options[] = {
	{ .name = "set", .id = O_SET, .type = XTTYPE_STRING, .min = 1,
	  .max = XT_NFAC_NAME_LEN - 1, .flags = XTOPT_MAND | XTOPT_INVERT | XTOPT_PUT,
	  XTOPT_POINTER(struct xt_nfac_info, set) },
	{ .name = "from", .id = O_FROM, .type = XTTYPE_UINT32, .flags = XTOPT_PUT,
	  XTOPT_POINTER(struct xt_nfac_info, from) },
	{ .name = "to", .id = O_TO, .type = XTTYPE_UINT32, .flags = XTOPT_PUT,
	  XTOPT_POINTER(struct xt_nfac_info, to) },
	XTOPT_TABLEEND,
};

static void nfac_help(void)
{
	printf("nfac match options:\n"
	       "[!] --set SET     the payload contains a pattern of the set\n"
	       "    --from N      from its byte N on, counted from 0 (0)\n"
	       "    --to N        before its byte N (to the end)\n");
}

static void nfac_init(struct xt_entry_match *match)
{
	struct xt_nfac_info *info = (void *)match->data;

	info->to = UINT32_MAX;
}

static void nfac_parse(struct xt_option_call *cb)
{
	struct xt_nfac_info *info = cb->data;

	xtables_option_parse(cb);
	if (cb->entry->id == O_SET && cb->invert)
		info->flags |= XT_NFAC_INVERT;
}

static void nfac_check(struct xt_fcheck_call *cb)
{
	const struct xt_nfac_info *info = cb->data;

	if (info->from >= info->to)
		xtables_error(PARAMETER_PROBLEM,
			      "nfac: --from %u is not below --to %u\n",
			      info->from, info->to);
}

static void nfac_save(const void *ip, const struct xt_entry_match *match)
{
	const struct xt_nfac_info *info = (const void *)match->data;

	(void)ip;
	printf("%s --set", info->flags & XT_NFAC_INVERT ? " !" : "");
	xtables_save_string(info->set);
	if (info->from)
		printf(" --from %u", info->from);
	if (info->to != UINT32_MAX)
		printf(" --to %u", info->to);
}

static void nfac_print(const void *ip, const struct xt_entry_match *match,
		       int numeric)
{
	(void)numeric;
	printf(" nfac");
	nfac_save(ip, match);
}

static struct xtables_match nfac_match = {
	.family = NFPROTO_UNSPEC,
	.name = "nfac",
	.version = XTABLES_VERSION,
	.size = XT_ALIGN(sizeof(struct xt_nfac_info)),
	.userspacesize = offsetof(struct xt_nfac_info, held),
	.help = nfac_help,
	.init = nfac_init,
	.print = nfac_print,
	.save = nfac_save,
	.x6_parse = nfac_parse,
	.x6_fcheck = nfac_check,
	.x6_options = nfac_options,
};

static __attribute__((constructor)) void nfac_register(void)
{
	xtables_register_match(&nfac_match);
}
