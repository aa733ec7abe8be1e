// SPDX-License-Identifier: GPL-2.0
/*
 * How long a large set keeps its admin waiting: verifying and filling the tiles.
 */
#include <linux/ktime.h>

#include "bench.h"

#define ROUNDS	5

int bench_load_show(struct seq_file *m, void *v)
{
	int round;

	for (round = 0; round < ROUNDS; round++) {
		u64 start = ktime_get_ns(), verify_ns, ns;
		struct nfac_fault fault;
		struct nfac_load *load;

		load = nfac_load_create(bench_input.budget, bench_input.big,
					bench_input.big_bytes, &fault, &verify_ns);
		ns = ktime_get_ns() - start;
		if (IS_ERR(load)) {
			seq_printf(m, "refused %ld word %u: %s\n", PTR_ERR(load), fault.word,
				   fault.what ? fault.what : "no fault named");
			return 0;
		}
		seq_printf(m, "load gen-100k %zu %llu %llu\n", bench_input.big_bytes, ns,
			   verify_ns);
		nfac_load_free(load);
	}
	return 0;
}
