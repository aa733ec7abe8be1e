# SPDX-License-Identifier: GPL-2.0
#
# The engine's sources: the one list that module, tool, KUnit, fuzzers, engine tests and
# benchmark include. Names are relative to kmod/engine/, without the .c. From the bottom up:
# a folder includes only those before it, and freestanding.h.

nfac-engine-automaton := automaton
nfac-engine-match := match/path match/report match/letter_case match/short_patterns match/flood \
	match/candidates match/suffix_filter match/prefilter match/darray_report match/darray \
	match/records match/matcher
nfac-engine-verify := verify/verify verify/records verify/darray verify/outputs verify/lookahead
nfac-engine-rules := rules/pending rules/conditions rules/fields rules/transform rules/http rules/http_body \
	rules/http_line rules/http_uri rules/dns rules/tls rules/interpret rules/verify_programs
nfac-engine-scan := decoded_view scan
nfac-engine-stream := stream/slots stream/connection stream/window stream/large stream/flow

# The vector path: for these processors this one file is compiled with more of the instruction set,
# and everything with -DNFAC_HAVE_VECTOR. The matcher takes it only on a processor that has it.
nfac-engine-vector := match/prefilter_vector
nfac-engine-vector-machines := x86_64 aarch64
nfac-engine-vector-flags-x86_64 := -mavx2 -mbmi -mbmi2
# of a compiler: x86_64, aarch64, mips, ...
nfac-machine = $(shell $(1) -dumpmachine | cut -d- -f1)

# What a search needs, without streams: a set, its verifier, its rules.
nfac-engine-search := $(nfac-engine-automaton) $(nfac-engine-rules) $(nfac-engine-match) \
	$(nfac-engine-verify) $(nfac-engine-scan)
nfac-engine := $(nfac-engine-search) $(nfac-engine-stream)
