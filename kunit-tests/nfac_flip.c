// SPDX-License-Identifier: GPL-2.0
/*
 * Damages a set, for tests of the scrub. Built for test kernels only.
 *
 *   insmod nfac_flip.ko set=NAME [tile=N] [word=N] [bit=N]
 *
 * flips one bit of a word of a tile of the set that is in force in the caller's
 * network namespace, as a stray pointer or a bad memory cell would. tile=-1 means the
 * prefilter's word. Inserted once more it restores the bit.
 */

#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>

#include "../kmod/pattern_set.h"
#include "../kmod/search_api.h"

static char *set;
module_param(set, charp, 0);
static int tile;
module_param(tile, int, 0);
static unsigned int word;
module_param(word, uint, 0);
static unsigned int bit;
module_param(bit, uint, 0);

/* Under rcu_read_lock(), which keeps the load. */
static int nfac_flip(const struct nfac_load *load)
{
	u32 *at;

	if (!load || bit > 31)
		return -EINVAL;
	if (tile < 0) {
		if (word >= load->tables_bytes / sizeof(*at))
			return -ERANGE;
		at = load->tables;
	} else {
		if (tile >= load->tiles.count || word >= NFAC_TILE_WORDS)
			return -ERANGE;
		at = (u32 *)load->tiles.tile[tile];
	}
	WRITE_ONCE(at[word], READ_ONCE(at[word]) ^ BIT(bit));
	return 0;
}

static int __init nfac_flip_init(void)
{
	struct nfac_set *held;
	int err;

	if (!set)
		return -EINVAL;
	held = nfac_search_get_set(current->nsproxy->net_ns, set);
	if (!held)
		return -ENOENT;
	rcu_read_lock();
	err = nfac_flip(nfac_set_load(held));
	rcu_read_unlock();
	nfac_search_put_set(held);
	return err;
}

static void __exit nfac_flip_exit(void)
{
}

module_init(nfac_flip_init);
module_exit(nfac_flip_exit);

MODULE_DESCRIPTION("flips a bit in a set of nfac's, to see the scrub find it");
MODULE_LICENSE("GPL");
