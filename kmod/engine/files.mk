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
nfac-engine-rules := rules/pending rules/conditions rules/fields rules/transform rules/http rules/http_uri \
	rules/dns rules/tls rules/interpret rules/verify_programs
nfac-engine-scan := decoded_view scan
nfac-engine-stream := stream/slots stream/connection stream/window stream/flow

# The vector path of x86-64, where the compiler may use AVX2 in this one file: the matcher takes
# it only on a processor that has it.
nfac-engine-avx2 := match/prefilter_avx2
nfac-engine-avx2-flags := -mavx2 -mbmi -mbmi2

# What a search needs, without streams: a set, its verifier, its rules.
nfac-engine-search := $(nfac-engine-automaton) $(nfac-engine-rules) $(nfac-engine-match) \
	$(nfac-engine-verify) $(nfac-engine-scan)
nfac-engine := $(nfac-engine-search) $(nfac-engine-stream)
