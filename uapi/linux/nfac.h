/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * nfac: the control device, /dev/nfac
 *
 * Documentation
 * =============
 *
 * The device is a misc device, mode 0600. Opening it needs CAP_NET_ADMIN in
 * the user namespace that owns the opener's network namespace; all that an open
 * file does concerns that network namespace, also after the file was passed to another
 * process, and every ioctl and write checks the capability again. A set, an attachment and an event
 * belong to exactly one network namespace; an open file keeps the namespace alive, a
 * set or an attachment does not.
 *
 * write(): appends to the file's staged blob (see nfac_blob.h). A file has one
 * staged blob; NFAC_IOC_COMMIT or NFAC_IOC_DISCARD ends it, and so does closing
 * the file. A staged blob is private to its file.
 *	EPERM	the caller does not have the capability any more
 *	EFBIG	the blob would exceed the namespace's limit
 *	ENOMEM	no memory, the staged blob is as it was before the call
 *	EINTR	killed
 * As any write(), it may write fewer bytes than given.
 *
 * read(): returns whole struct nfac_event, as many as fit; each is as long as its
 * @size says, which may be more than here; poll() reports POLLIN when there are some.
 * A file is subscribed to events by NFAC_IOC_SUBSCRIBE, else by its first read() or poll().
 *	EINVAL	the buffer is shorter than one event
 *	EAGAIN	no event and O_NONBLOCK
 *	EDQUOT	the ring for the events would exceed the namespace's limit
 *	ENOSPC	64 files are subscribed in the namespace
 *	EPERM	not subscribed yet, and the capability is lost
 * A reader has a ring of its own, as large as the module parameter event_ring was when it
 * subscribed. An event that finds it full is lost for this reader and counted in @lost of
 * the next one that does not.
 *
 * A packet is inspected whole, but no more than 1,024 matches of it are reported
 * and counted; past that it counts as NFAC_SKIP_OUTPUT_CAP.
 *
 * ioctl(): every argument but that of NFAC_IOC_DISCARD, which has none, begins
 * with its size and version. The kernel accepts a larger size than it knows, and a smaller one
 * down to that of the first version; it refuses a version that it does not know (EPROTO), and
 * unknown bits, and bytes past what it knows, that are not zero (EINVAL). It writes back as many
 * bytes as both know.
 * When a commit is refused, @fault of struct nfac_ioc_commit says why.
 * Errors common to all: EFAULT (bad pointer: where only the answer could not be
 * written, the request has been carried out), EPERM (capability lost).
 */
#ifndef _UAPI_LINUX_NFAC_H
#define _UAPI_LINUX_NFAC_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define NFAC_DEVICE		"nfac"		/* /dev/nfac */
#define NFAC_VERSION		1		/* of every struct here */

#define NFAC_NAME_LEN		32		/* set name with its NUL */
#define NFAC_IFNAME_LEN		16
#define NFAC_PORTS_MAX		16		/* ports in one attachment */
#define NFAC_FAULT_LEN		128		/* message with its NUL */
#define NFAC_PROTOCOL_WORDS	8		/* a bit for each IP protocol */

/* Hooks, the first five numbered as NF_INET_*. */
enum nfac_hook {
	NFAC_HOOK_PREROUTING	= 0,
	NFAC_HOOK_INPUT		= 1,
	NFAC_HOOK_FORWARD	= 2,
	NFAC_HOOK_OUTPUT	= 3,
	NFAC_HOOK_POSTROUTING	= 4,
	NFAC_HOOK_INGRESS	= 5,	/* of a device: all frames that it receives */
	NFAC_HOOK_EGRESS	= 6,	/* of a device: all frames that it sends */
	NFAC_HOOK_XDP		= 7,	/* of a device: frames that an XDP program brings */
	NFAC_HOOK_TC		= 8,	/* of a device: packets that a program of tc brings */
};

#define NFAC_PRIORITY_DEFAULT	(-190)	/* after defrag and conntrack, before mangle */

/* What an attachment does; struct nfac_ioc_attach.flags. */
#define NFAC_ATTACH_DROP	(1u << 0)  /* drop a packet that matches */
#define NFAC_ATTACH_REPORT	(1u << 1)  /* send match events */
#define NFAC_ATTACH_MARK	(1u << 2)  /* set mark/mark_mask on a match */
#define NFAC_ATTACH_CT_MARK	(1u << 3)  /* set ct_mark/ct_mask on a match */
#define NFAC_ATTACH_WHEN_MARK	(1u << 4)  /* only packets with these bits */
#define NFAC_ATTACH_STREAM	(1u << 5)  /* follow TCP streams */
#define NFAC_ATTACH_SKIP_DROP	(1u << 6)  /* drop what cannot be inspected; for other */
					   /* protocols see PROTOCOL_DROP */
#define NFAC_ATTACH_IPV4	(1u << 7)  /* neither or both: both families */
#define NFAC_ATTACH_IPV6	(1u << 8)
#define NFAC_ATTACH_RAW		(1u << 9)  /* other protocols: all past the IP header */
#define NFAC_ATTACH_CT_LABEL	(1u << 10) /* set conntrack label bit ct_label */
#define NFAC_ATTACH_GAP_DROP	(1u << 11) /* stream: drop past a gap, so that */
					   /* the sender sends in order */
#define NFAC_ATTACH_GAP_PASS	(1u << 12) /* stream: leave the rest of a flow */
					   /* with a gap unscanned (counted) */
					   /* neither: restart after the gap */
#define NFAC_ATTACH_ACT_INEXACT	(1u << 13) /* drop and mark for inexact rules, too */
#define NFAC_ATTACH_PICKUP	(1u << 14) /* with GAP_DROP: follow connections that were */
					   /* not seen from their SYN and SYN-ACK, too */
#define NFAC_ATTACH_FULL_DROP	(1u << 15) /* stream: drop, or pass, what finds no */
#define NFAC_ATTACH_FULL_PASS	(1u << 16) /* slot in the flow table; neither: drop */
					   /* with GAP_DROP or SKIP_DROP */
#define NFAC_ATTACH_DAMAGED_PASS (1u << 17) /* with DROP: pass packets when the set is */
					   /* damaged (NFAC_SKIP_CORRUPT) */
#define NFAC_ATTACH_BRIDGE	(1u << 18) /* the hook of bridges, not that of IP: */
					   /* frames that their ports receive and send */
#define NFAC_ATTACH_BUDGET_MATCH (1u << 19) /* rules that the budget leaves unevaluated hold, */
#define NFAC_ATTACH_BUDGET_PASS	(1u << 20) /* or do not; neither: they hold with DROP */
#define NFAC_ATTACH_DEFRAG	(1u << 21) /* hooks of IP: have fragments put together */
					   /* before them, as conntrack does */
#define NFAC_ATTACH_PORT_RANGES	(1u << 22) /* ports are pairs: first and last of a range */
#define NFAC_ATTACH_PROTOCOL_DROP (1u << 23) /* with SKIP_DROP: drop protocols that are not */
					   /* inspected, those in allow and neighbour */
					   /* discovery excepted */
#define NFAC_ATTACH_CANDIDATE	(1u << 24) /* set candidate_mark/candidate_mask on packets */
					   /* in which an inexact rule may hold */
#define NFAC_ATTACH_FLAGS	((1u << 25) - 1)

/* Why a packet was not inspected, or only in part; names in sysfs are the same. */
enum nfac_skip {
	NFAC_SKIP_FRAGMENT,	/* an IP fragment that was not reassembled */
	NFAC_SKIP_TRUNCATED,	/* headers truncated, or wrong about their length */
	NFAC_SKIP_TOO_DEEP,	/* more IPv6 extension headers, VLAN tags or labels */
				/* than are followed */
	NFAC_SKIP_PROTOCOL,	/* neither TCP nor UDP, and not RAW; passes even with */
				/* SKIP_DROP, unless PROTOCOL_DROP says otherwise */
	NFAC_SKIP_UNREADABLE,	/* the skb's pages cannot be mapped */
	NFAC_SKIP_OUTPUT_CAP,	/* inspected, but more matches than reported */
	NFAC_SKIP_NO_MEMORY,	/* never: attach allocates the whole flow table */
	NFAC_SKIP_TABLE_FULL,	/* stream: no slot in the flow table; inspected by */
				/* itself, passed or dropped as FULL_* say */
	NFAC_SKIP_GAP,		/* stream: bytes before this segment are missing; */
				/* inspected by itself, passed or dropped as GAP_* say */
	NFAC_SKIP_CORRUPT,	/* the scrub found the set damaged; it is no longer */
				/* matched against until it is reloaded */
	NFAC_SKIP_BUDGET,	/* inspected, but rules were not evaluated to their end: */
				/* more anchors than NFAC_PENDING_MAX, or their budget */
	NFAC_SKIP_WINDOW,	/* stream: outside the receiver's window, or discarded by it */
				/* for a timestamp or acknowledgment; inspected by itself, */
				/* and dropped with GAP_DROP */
	NFAC_SKIP_MAX,
	NFAC_SKIP_NONE = NFAC_SKIP_MAX,	/* inspected in full */
};

/* Bits of struct nfac_event.flags. */
#define NFAC_EVENT_INEXACT	(1u << 0)  /* a condition of the rule was not checked */
#define NFAC_EVENT_DECODED	(1u << 1)  /* the pattern is in the payload behind its */
					   /* escapes; offset is where it begins before */
					   /* they are decoded */

/* Values of struct nfac_event.verdict. */
#define NFAC_VERDICT_ACCEPT	0	/* only reported; rules behind may drop it */
#define NFAC_VERDICT_DROP	1
#define NFAC_VERDICT_MARK	2

/**
 * struct nfac_event - one match, as read() gives it
 * @size: of this event, bytes: the next one begins right after them
 * @lost: events that this reader lost between the previous event and this one
 * @time_ns: wall clock, nanoseconds since 1970
 * @offset: of the match's first byte in the packet's payload; negative when
 *	the match began in an earlier segment of a followed stream. Counted back from
 *	its end, without an urgent byte that is not part of the stream
 * @stream_offset: the same from where the flow was first followed; equal to @offset
 *	where no stream is followed
 * @pattern: the pattern's id
 * @length: of the pattern, bytes
 * @payload_len: bytes of payload in the packet
 * @mark: the packet's mark, as the attachment leaves it
 * @attachment: id, from 1; rules (textsearch, xt match) send no events
 * @packet: running number of the inspected packet within the attachment, from 1;
 *	packets without payload have none
 * @ifindex_in: 0 when there is none
 * @sport: source port, host order
 * @dport: destination port, host order
 * @family: AF_INET or AF_INET6
 * @protocol: IPPROTO_*
 * @hook: enum nfac_hook
 * @verdict: NFAC_VERDICT_*: what the attachment did with the packet
 * @saddr: source address, network order; an IPv4 address in the first 4 bytes
 * @daddr: destination address, likewise
 * @set: name, NUL-padded
 * @flags: NFAC_EVENT_*
 * @reserved: 0
 */
struct nfac_event {
	__u32 size;
	__u32 lost;
	__u64 time_ns;
	__s64 offset;
	__s64 stream_offset;
	__u64 packet;
	__u32 pattern;
	__u32 length;
	__u32 payload_len;
	__u32 mark;
	__u32 attachment;
	__u32 ifindex_in;
	__u16 sport;
	__u16 dport;
	__u8 family;
	__u8 protocol;
	__u8 hook;
	__u8 verdict;
	__u8 saddr[16];
	__u8 daddr[16];
	char set[NFAC_NAME_LEN];
	__u32 flags;
	__u32 reserved;
};

/**
 * struct nfac_ioc_commit - verify the staged blob and publish it under a name
 * @size: sizeof(struct nfac_ioc_commit)
 * @version: NFAC_VERSION
 * @name: 1 .. NFAC_NAME_LEN - 1 printable bytes, no '/', no space, not "." or ".."
 * @flags: 0
 * @fault_word: out: index of the first faulty 32-bit word of a refused blob
 * @verify_ns: out: time the verifier took
 * @load_ns: out: time from the call's start until the set was in force
 * @fault: out: the fault as a sentence; empty when there was none
 *
 * Errors: EINVAL (name, flags, no staged blob: fault says which), EBADMSG (the
 * blob is faulty: @fault, @fault_word), EPROTO (blob version), ENOMEM, EDQUOT
 * (the namespace's memory limit, module parameter netns_memory_limit), ENOSPC
 * (1,024 sets in the namespace), EINTR (killed). After an error the old set of
 * that name, if any, is in force, and the staged blob is discarded unless the call itself
 * was refused (EFAULT, EPERM, its size or version, EINTR). Attachments and rules that hold
 * a set use the new one at once: each packet is matched against either the old one or the
 * new one.
 */
struct nfac_ioc_commit {
	__u32 size;
	__u32 version;
	char name[NFAC_NAME_LEN];
	__u32 flags;
	__u32 fault_word;
	__u64 verify_ns;
	__u64 load_ns;
	char fault[NFAC_FAULT_LEN];
};

/**
 * struct nfac_ioc_name - unload, scrub or subscribe by a set's name
 * @size: sizeof(struct nfac_ioc_name)
 * @version: NFAC_VERSION
 * @name: the set; for NFAC_IOC_SUBSCRIBE empty means all sets of the namespace
 * @flags: 0
 * @result: out: NFAC_IOC_VERIFY: the index of the first damaged tile, or
 *	NFAC_RESULT_*
 *
 * Errors: ENOENT (no such set), EBUSY (unload: attached, or held by a rule;
 * subscribe: this file is subscribed already), EUCLEAN (verify: the set is damaged),
 * subscribe also ENOMEM, EDQUOT and ENOSPC (64 files are subscribed in the namespace).
 * When an unload returns, the set's memory is free.
 */
struct nfac_ioc_name {
	__u32 size;
	__u32 version;
	char name[NFAC_NAME_LEN];
	__u32 flags;
	__u32 result;
};

/**
 * struct nfac_ioc_attach - attach a set to a hook, or read an attachment back
 * @size: sizeof(struct nfac_ioc_attach)
 * @version: NFAC_VERSION
 * @name: the set
 * @id: attach: out, the new attachment's id, from 1, never used twice;
 *	NFAC_IOC_GET_ATTACH: in, the lowest id wanted, out, the one found
 * @flags: NFAC_ATTACH_*
 * @hook: enum nfac_hook
 * @priority: netfilter priority, -2147483647 .. 2147483646
 * @protocol: 0 (TCP and UDP), IPPROTO_TCP, IPPROTO_UDP, or with RAW any
 * @nports: 0 (any port) .. NFAC_PORTS_MAX; with PORT_RANGES even
 * @ports: destination ports, host order
 * @iif: incoming interface's name, empty: any; at NFAC_HOOK_INGRESS, XDP and TC the device. "*" at
 *	the end matches any further bytes, except at the hooks of devices
 * @oif: outgoing interface's name, empty: any; at NFAC_HOOK_EGRESS the device
 * @mark: bits to set, all within @mark_mask
 * @mark_mask: the only bits of the mark that are changed
 * @ct_mark: the same for the conntrack mark
 * @ct_mask: the same for the conntrack mark
 * @when_mark: inspect only packets whose mark & @when_mask equals this
 * @when_mask: bits that are compared
 * @ct_label: conntrack label bit, 0 .. 127
 * @pad: 0
 * @allow: with PROTOCOL_DROP: protocols that pass; protocol N is bit N % 32 of word N / 32. A
 *	caller whose struct ends before it (NFAC_ATTACH_SIZE_MIN) gives none and reads none
 * @candidate_mark: with CANDIDATE: bits to set where all conditions of an inexact rule hold that
 *	the kernel checks, so that user space checks the others in these packets
 * @candidate_mask: the only bits that are changed then; it has none of @mark_mask
 *
 * With PROTOCOL_DROP, these pass even if @allow has not their protocol: frames without an IP
 * header, as ARP's; neighbour discovery (ICMPv6 of types 133 .. 137 with hop limit 255); and where
 * @nports is not 0, protocols without ports.
 *
 * A mark is set when a packet matches; when it does not, the mark stays as it is.
 *
 * The flags MARK, CT_MARK, WHEN_MARK and CANDIDATE need a mask that is not 0, and a mask needs its
 * flag. @iif is refused at NFAC_HOOK_OUTPUT, @oif at NFAC_HOOK_PREROUTING and
 * NFAC_HOOK_INPUT. CT_MARK and CT_LABEL turn on connection tracking in the namespace;
 * labels are set only on connections that are younger than the first request for labels.
 * The first attachment with STREAM allocates the namespace's flow table (module
 * parameter flows_max), the last one frees it. Each attachment follows streams for itself,
 * and each direction of a connection for itself. A segment with bytes that completed a
 * match before is marked or dropped again, without an event; other bytes that were sent
 * before are not inspected again.
 *
 * NFAC_HOOK_INGRESS needs @iif, NFAC_HOOK_EGRESS @oif, each refuses the other one, and the
 * device must exist. A device that is renamed keeps the attachment, which reads back with the
 * new name; a device that goes, or moves to another namespace, takes it along.
 * NFAC_HOOK_INGRESS refuses CT_MARK and CT_LABEL, as conntrack has not seen its packets.
 * With STREAM the kernel must have both hooks.
 *
 * NFAC_HOOK_XDP and NFAC_HOOK_TC are like NFAC_HOOK_INGRESS, but a BPF program on the device brings
 * the packets, by bpf_nfac_xdp_match() or bpf_nfac_skb_match(): without one the attachment sees
 * none. @priority decides between attachments of the same device. STREAM is refused, and at
 * NFAC_HOOK_XDP MARK, WHEN_MARK and CANDIDATE, too. The kernel must have the module nfac_bpf.
 *
 * With BRIDGE, @iif and @oif are ports of bridges; @iif is refused at NFAC_HOOK_POSTROUTING too,
 * CT_MARK and CT_LABEL need the kernel's nf_conntrack_bridge; the hooks of devices are refused.
 *
 * A set may be attached more than once. An attachment keeps the module from being
 * removed, and its set from being unloaded, but not from being reloaded.
 *
 * Errors: ENOENT (no such set), ENODEV (no device of that name, at a hook of devices; other
 * interface names are not checked), EINVAL (a value outside its range or mask, flags that
 * exclude each other), ENOSPC (64 attachments in the namespace), EOPNOTSUPP (no conntrack
 * in this kernel, or none of its marks or labels, or no such hook), E2BIG (netfilter has too
 * many hooks), ENOMEM, EDQUOT (the flow table would exceed the namespace's limit).
 */
struct nfac_ioc_attach {
	__u32 size;
	__u32 version;
	char name[NFAC_NAME_LEN];
	__u32 id;
	__u32 flags;
	__u32 hook;
	__s32 priority;
	__u16 protocol;
	__u16 nports;
	__u16 ports[NFAC_PORTS_MAX];
	char iif[NFAC_IFNAME_LEN];
	char oif[NFAC_IFNAME_LEN];
	__u32 mark;
	__u32 mark_mask;
	__u32 ct_mark;
	__u32 ct_mask;
	__u32 when_mark;
	__u32 when_mask;
	__u32 ct_label;
	__u32 pad;
	__u32 allow[NFAC_PROTOCOL_WORDS];
	__u32 candidate_mark;
	__u32 candidate_mask;
};

/* Of the struct without @allow and what follows it. */
#define NFAC_ATTACH_SIZE_MIN	156

/**
 * struct nfac_ioc_detach - remove an attachment
 * @size: sizeof(struct nfac_ioc_detach)
 * @version: NFAC_VERSION
 * @id: the attachment
 * @flags: 0
 *
 * Errors: ENOENT.
 */
struct nfac_ioc_detach {
	__u32 size;
	__u32 version;
	__u32 id;
	__u32 flags;
};

/**
 * struct nfac_ioc_set - the figures of a set
 * @size: sizeof(struct nfac_ioc_set)
 * @version: NFAC_VERSION
 * @after: in: give the first set whose name sorts after this one
 * @name: out
 * @generation: out: counts the loads under this name, from 1
 * @attachments: out
 * @references: out: rules that hold the set (textsearch, xt match)
 * @patterns: out
 * @states: out: nodes of the patterns' trie with its root
 * @node_bytes: out: the automaton's nodes
 * @total_bytes: out: all that the kernel needs to match
 * @slab_bytes: out: pages of nfac_node that the set pins
 * @checksum: out: of the whole blob, as its header has it
 *
 * Errors: ENOENT (no more sets).
 */
struct nfac_ioc_set {
	__u32 size;
	__u32 version;
	char after[NFAC_NAME_LEN];
	char name[NFAC_NAME_LEN];
	__u32 generation;
	__u32 attachments;
	__u32 references;
	__u32 patterns;
	__u64 states;
	__u64 node_bytes;
	__u64 total_bytes;
	__u64 slab_bytes;
	__u64 checksum;
};

/**
 * struct nfac_pattern_count - how often a pattern matched, on one CPU
 * @id: the pattern's; an id has an entry for each CPU that saw it: add them up
 * @pad: 0
 * @hits: matches. A rule of a set with rules matches when it holds
 * @seen: seconds since 1970 of the last one
 */
struct nfac_pattern_count {
	__u32 id;
	__u32 pad;
	__u64 hits;
	__u64 seen;
};

#define NFAC_COUNTS_ROOM	128	/* entries in one answer */

/**
 * struct nfac_ioc_counts - counts of a set's patterns, piece by piece
 * @size: sizeof(struct nfac_ioc_counts)
 * @version: NFAC_VERSION
 * @name: the set
 * @cursor: in: 0 to begin, then as the last answer has it; out: for the next call
 * @generation: in, unless @cursor is 0: as the last answer has it; out: of the load that is read
 * @count: out: entries in @entry; less than NFAC_COUNTS_ROOM: there are no more
 * @slots: out: patterns that each CPU can count (module parameter pattern_slots); 0: this load has
 *	no counts, as the parameter was 0, or memory or budget did not suffice
 * @flags: 0
 * @checksum: out: of the load's blob, see struct nfac_ioc_set
 * @uncounted: out: matches of patterns that found no slot
 * @entry: out: patterns that matched, in no order
 *
 * Counts begin at 0 with each load, because another list gives an id to another pattern. A count
 * that grows while it is read has its old or its new value.
 *
 * Errors: ENOENT (no such set, or no load yet), ESTALE (the set was loaded anew since @cursor was
 * 0: begin again).
 */
struct nfac_ioc_counts {
	__u32 size;
	__u32 version;
	char name[NFAC_NAME_LEN];
	__u64 cursor;
	__u32 generation;
	__u32 count;
	__u32 slots;
	__u32 flags;
	__u64 checksum;
	__u64 uncounted;
	struct nfac_pattern_count entry[NFAC_COUNTS_ROOM];
};

/**
 * struct nfac_bpf_match - what a BPF program learns of a packet
 * @attachment: with @matches, the id of the attachment that found the first one
 * @matches: that attachments act on: not those of inexact rules, unless ACT_INEXACT is set
 * @offset: of the first match in the payload, as in struct nfac_event
 * @pattern: of the first match
 * @length: of the first match, bytes
 * @skips: bits 1 << NFAC_SKIP_*: what could not be inspected
 * @reserved: 0
 *
 * int bpf_nfac_xdp_match(struct xdp_md *ctx, __u32 attachment,
 *			  struct nfac_bpf_match *match, __u32 size);
 * int bpf_nfac_skb_match(struct __sk_buff *ctx, __u32 attachment,
 *			  struct nfac_bpf_match *match, __u32 size);
 *
 * Functions of the module nfac_bpf, for programs of the types XDP and SCHED_CLS. They inspect the
 * packet at the attachment with the id @attachment, of NFAC_HOOK_XDP or NFAC_HOOK_TC; 0: at all of
 * the program's device, by priority, until one drops the packet. It is inspected, counted and
 * reported as the attachment's flags say; the verdict is the program's to carry out.
 *
 * Return: NFAC_VERDICT_*, ENOENT: there is no such attachment, EINVAL: @size is too small.
 */
struct nfac_bpf_match {
	__u32 attachment;
	__u32 matches;
	__s64 offset;
	__u32 pattern;
	__u32 length;
	__u32 skips;
	__u32 reserved;
};

/* struct nfac_ioc_name.result when it is no tile's index. */
#define NFAC_RESULT_SOUND	0xffffffffu
#define NFAC_RESULT_TABLES	0xfffffffeu	/* prefilter, hash tables, outputs */

#define NFAC_IOC_MAGIC		0xAC
#define NFAC_IOC_COMMIT		_IOWR(NFAC_IOC_MAGIC, 1, struct nfac_ioc_commit)
#define NFAC_IOC_DISCARD	_IO(NFAC_IOC_MAGIC, 2)
#define NFAC_IOC_UNLOAD		_IOWR(NFAC_IOC_MAGIC, 3, struct nfac_ioc_name)
#define NFAC_IOC_ATTACH		_IOWR(NFAC_IOC_MAGIC, 4, struct nfac_ioc_attach)
#define NFAC_IOC_DETACH		_IOWR(NFAC_IOC_MAGIC, 5, struct nfac_ioc_detach)
#define NFAC_IOC_GET_SET	_IOWR(NFAC_IOC_MAGIC, 6, struct nfac_ioc_set)
#define NFAC_IOC_GET_ATTACH	_IOWR(NFAC_IOC_MAGIC, 7, struct nfac_ioc_attach)
#define NFAC_IOC_SUBSCRIBE	_IOWR(NFAC_IOC_MAGIC, 8, struct nfac_ioc_name)
#define NFAC_IOC_VERIFY		_IOWR(NFAC_IOC_MAGIC, 9, struct nfac_ioc_name)
#define NFAC_IOC_GET_COUNTS	_IOWR(NFAC_IOC_MAGIC, 10, struct nfac_ioc_counts)

#endif /* _UAPI_LINUX_NFAC_H */
