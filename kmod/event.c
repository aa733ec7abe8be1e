// SPDX-License-Identifier: GPL-2.0
/*
 * Events: from packets on any CPU to the readers of /dev/nfac.
 */

#include <linux/err.h>
#include <linux/module.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "event.h"

#define NFAC_RING_MIN	64u
#define NFAC_RING_MAX	65536u

/* 4,096 events are a burst of 4 packets at the cap of 1,024 matches each. */
static unsigned int event_ring = 4096;
module_param(event_ring, uint, 0644);
MODULE_PARM_DESC(event_ring, "events that wait for each reader, 64 .. 65536 (4096)");

static DEFINE_PER_CPU(struct nfac_hits *, nfac_hits_cpus);

/* Guards the allocation of all CPUs' nfac_hits_cpus. */
static DEFINE_MUTEX(nfac_hits_lock);

/* Packets see them after the reader, for whom they are allocated, is in its list. */
static int nfac_hits_alloc(void)
{
	int cpu, err = 0;

	mutex_lock(&nfac_hits_lock);
	for_each_possible_cpu(cpu) {
		struct nfac_hits *hits = per_cpu(nfac_hits_cpus, cpu);

		if (hits)
			continue;
		hits = kvzalloc_node(sizeof(*hits), GFP_KERNEL, cpu_to_node(cpu));
		if (!hits) {
			err = -ENOMEM;
			break;
		}
		spin_lock_init(&hits->lock);
		per_cpu(nfac_hits_cpus, cpu) = hits;
	}
	mutex_unlock(&nfac_hits_lock);
	return err;
}

/**
 * nfac_events_exit() - free the memory of the packets' matches
 *
 * Context: process; no packet is inspected any more.
 */
void nfac_events_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		kvfree(per_cpu(nfac_hits_cpus, cpu));
		per_cpu(nfac_hits_cpus, cpu) = NULL;
	}
}

/**
 * nfac_hits_begin() - take the CPU's memory for the matches of a packet
 *
 * Context: softirq, or process; nfac_events_wanted() was true in this RCU read-side critical
 * section; disables softirqs until nfac_hits_end().
 * Return: the memory, empty.
 */
struct nfac_hits *nfac_hits_begin(void)
	__acquires(nfac_hits_cpus)
{
	struct nfac_hits *hits;

	local_bh_disable();
	hits = this_cpu_read(nfac_hits_cpus);
	spin_lock(&hits->lock);
	hits->count = 0;
	return hits;
}

/**
 * nfac_hits_end() - give it back
 * @hits: from nfac_hits_begin(), on the same CPU
 *
 * Context: as nfac_hits_begin(); enables softirqs again.
 */
void nfac_hits_end(struct nfac_hits *hits)
	__releases(nfac_hits_cpus)
{
	spin_unlock(&hits->lock);
	local_bh_enable();
}

void nfac_events_init(struct nfac_events *events)
{
	INIT_LIST_HEAD(&events->readers);
	events->count = 0;
	spin_lock_init(&events->lock);
}

/*
 * Put an event into a reader's ring: reserve a position, write, publish. A writer that is
 * interrupted in between holds up the reader, never another writer.
 */
static bool nfac_reader_push(struct nfac_reader *reader,
			     const struct nfac_event *event)
{
	u32 head = atomic_read(&reader->head);
	struct nfac_slot *slot;

	for (;;) {
		s32 behind;

		slot = &reader->slots[head & reader->mask];
		/* pairs with the release in nfac_reader_take(): the slot is free */
		behind = (s32)(smp_load_acquire(&slot->turn) - head);
		if (behind < 0) {
			atomic_inc(&reader->lost);
			return false;
		}
		if (behind > 0)
			head = atomic_read(&reader->head);
		else if (atomic_try_cmpxchg_relaxed(&reader->head, (int *)&head,
						    head + 1))
			break;
	}

	slot->event = *event;
	/* two writers may split a count between them, but never report it twice */
	slot->event.lost = atomic_read(&reader->lost) ?
			   atomic_xchg(&reader->lost, 0) : 0;
	/* pairs with the acquire in nfac_reader_ready(): the event is whole */
	smp_store_release(&slot->turn, head + 1);

	/* has the barrier that pairs with the sleeper's set_current_state() */
	if (wq_has_sleeper(&reader->wait))
		irq_work_queue(&reader->wake);
	return true;
}

/**
 * nfac_events_push() - send an event to every reader of its set
 * @events: the namespace's
 * @event: complete except for @lost
 *
 * Takes no lock and allocates nothing.
 *
 * Context: any; under rcu_read_lock().
 * Return: number of readers that lost it.
 */
u32 nfac_events_push(struct nfac_events *events, const struct nfac_event *event)
{
	struct nfac_reader *reader;
	u32 lost = 0;

	list_for_each_entry_rcu(reader, &events->readers, link) {
		if (reader->set[0] &&
		    memcmp(reader->set, event->set, sizeof(reader->set)))
			continue;
		if (!nfac_reader_push(reader, event))
			lost++;
	}
	return lost;
}

static void nfac_reader_wake(struct irq_work *work)
{
	struct nfac_reader *reader = container_of(work, struct nfac_reader, wake);

	wake_up_interruptible_poll(&reader->wait, EPOLLIN | EPOLLRDNORM);
}

static u32 nfac_ring_slots(void)
{
	return roundup_pow_of_two(clamp(READ_ONCE(event_ring), NFAC_RING_MIN,
					NFAC_RING_MAX));
}

/**
 * nfac_reader_bytes() - memory that a new reader takes with the current event_ring
 *
 * Context: any.
 */
size_t nfac_reader_bytes(void)
{
	return sizeof(struct nfac_reader) +
	       nfac_ring_slots() * sizeof(struct nfac_slot);
}

static bool nfac_events_add(struct nfac_events *events, struct nfac_reader *reader)
{
	bool room;

	spin_lock(&events->lock);
	room = events->count < NFAC_READERS_MAX;
	if (room) {
		list_add_tail_rcu(&reader->link, &events->readers);
		events->count++;
	}
	spin_unlock(&events->lock);
	return room;
}

/**
 * nfac_reader_create() - create a reader, which gets events from now on
 * @events: the namespace's
 * @set: name of the set, NUL-padded to NFAC_NAME_LEN; empty: all
 * @bytes: from nfac_reader_bytes(); determines the ring's size
 *
 * Context: process, may sleep.
 * Return: the reader, in the list, or an ERR_PTR: -ENOMEM, -ENOSPC.
 */
struct nfac_reader *nfac_reader_create(struct nfac_events *events,
				       const char *set, size_t bytes)
{
	u32 slots = (bytes - sizeof(struct nfac_reader)) /
		    sizeof(struct nfac_slot);
	struct nfac_reader *reader;
	u32 i;

	if (nfac_hits_alloc())
		return ERR_PTR(-ENOMEM);
	reader = kzalloc(sizeof(*reader), GFP_KERNEL_ACCOUNT);
	if (!reader)
		return ERR_PTR(-ENOMEM);
	reader->slots = __vmalloc(array_size(slots, sizeof(*reader->slots)),
				  GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!reader->slots) {
		kfree(reader);
		return ERR_PTR(-ENOMEM);
	}
	for (i = 0; i < slots; i++)
		reader->slots[i].turn = i;
	reader->mask = slots - 1;
	memcpy(reader->set, set, sizeof(reader->set));
	mutex_init(&reader->lock);
	init_waitqueue_head(&reader->wait);
	init_irq_work(&reader->wake, nfac_reader_wake);

	if (nfac_events_add(events, reader))
		return reader;
	vfree(reader->slots);
	kfree(reader);
	return ERR_PTR(-ENOSPC);
}

/**
 * nfac_reader_destroy() - remove and free a reader
 * @events: the namespace's
 * @reader: in the list
 *
 * No thread may be in nfac_reader_read() or asleep on the reader.
 *
 * Context: process; sleeps for a grace period.
 */
void nfac_reader_destroy(struct nfac_events *events, struct nfac_reader *reader)
{
	spin_lock(&events->lock);
	list_del_rcu(&reader->link);
	events->count--;
	spin_unlock(&events->lock);

	synchronize_rcu();
	irq_work_sync(&reader->wake);
	vfree(reader->slots);
	kfree(reader);
}

/**
 * nfac_reader_ready() - is there an event to read?
 * @reader: in the list
 *
 * Context: any.
 */
bool nfac_reader_ready(struct nfac_reader *reader)
{
	u32 tail = READ_ONCE(reader->tail);

	/* pairs with the release in nfac_reader_push() */
	return smp_load_acquire(&reader->slots[tail & reader->mask].turn) ==
	       tail + 1;
}

/*
 * Copy the oldest event out. Its slot is freed only after that, so that a bad buffer loses
 * nothing.
 */
static int nfac_reader_take(struct nfac_reader *reader, char __user *to)
{
	struct nfac_slot *slot = &reader->slots[reader->tail & reader->mask];

	if (copy_to_user(to, &slot->event, sizeof(slot->event)))
		return -EFAULT;
	/* pairs with the acquire in nfac_reader_push() */
	smp_store_release(&slot->turn, reader->tail + reader->mask + 1);
	WRITE_ONCE(reader->tail, reader->tail + 1);
	return 0;
}

/**
 * nfac_reader_read() - copy out as many events as there are and fit
 * @reader: in the list
 * @to: the caller's buffer
 * @bytes: of @to
 *
 * Context: process, may sleep; does not wait for events.
 * Return: bytes copied, whole events, 0 when there is none; -EFAULT; -ERESTARTSYS.
 */
ssize_t nfac_reader_read(struct nfac_reader *reader, char __user *to, size_t bytes)
{
	ssize_t done = 0;
	int err = 0;

	if (mutex_lock_interruptible(&reader->lock))
		return -ERESTARTSYS;
	while (bytes - done >= sizeof(struct nfac_event) &&
	       nfac_reader_ready(reader)) {
		err = nfac_reader_take(reader, to + done);
		if (err)
			break;
		done += sizeof(struct nfac_event);
		cond_resched();
	}
	mutex_unlock(&reader->lock);
	/*
	 * A thread that checked between a slot's release and the new tail has found the ring
	 * empty, and no push will wake it for what is already there.
	 */
	if (nfac_reader_ready(reader))
		wake_up_interruptible_poll(&reader->wait, EPOLLIN | EPOLLRDNORM);
	return done ?: err;
}
