// SPDX-License-Identifier: GPL-2.0
/*
 * Events: in order, none twice, and each that was lost is reported.
 */

#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "../kmod/event.h"
#include "help.h"
#include "suites.h"

#define EVENT_MANY	200u

/*
 * A test runs in a kernel thread, which has no user memory; the task that inserts the
 * module has.
 */
static struct mm_struct *event_mm;
static struct nfac_event __user *event_buffer;
static struct nfac_event event_copy[EVENT_MANY];

static int event_suite_init(struct kunit_suite *suite)
{
	unsigned long at = vm_mmap(NULL, 0, PAGE_ALIGN(sizeof(event_copy)),
				   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0);

	if (IS_ERR_VALUE(at))
		return at;
	event_mm = current->mm;
	mmget(event_mm);
	event_buffer = (struct nfac_event __user *)at;
	return 0;
}

static void event_suite_exit(struct kunit_suite *suite)
{
	vm_munmap((unsigned long)event_buffer, PAGE_ALIGN(sizeof(event_copy)));
	mmput(event_mm);
}

/* Return: events read into event_copy, or an errno. */
static int event_read(struct nfac_reader *reader, size_t bytes)
{
	int got;

	kthread_use_mm(event_mm);
	got = nfac_reader_read(reader, (char __user *)event_buffer, bytes);
	if (got > 0 && copy_from_user(event_copy, event_buffer, got))
		got = -EFAULT;
	kthread_unuse_mm(event_mm);
	return got > 0 ? got / (int)sizeof(struct nfac_event) : got;
}

static u32 event_push(struct nfac_events *events, const char *set, u32 pattern)
{
	struct nfac_event event = { .size = sizeof(event), .pattern = pattern };
	u32 lost;

	strscpy_pad(event.set, set, sizeof(event.set));
	rcu_read_lock();
	lost = nfac_events_push(events, &event);
	rcu_read_unlock();
	return lost;
}

static struct nfac_reader *event_reader(struct kunit *test, struct nfac_events *events,
					const char *name)
{
	char set[NFAC_NAME_LEN] = "";
	struct nfac_reader *reader;

	strscpy_pad(set, name, sizeof(set));
	reader = nfac_reader_create(events, set, nfac_reader_bytes());
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, reader);
	return reader;
}

static void event_order(struct kunit *test)
{
	struct nfac_events events;
	struct nfac_reader *reader;
	int got, i;

	nfac_events_init(&events);
	KUNIT_EXPECT_FALSE(test, nfac_events_wanted(&events));
	KUNIT_EXPECT_EQ(test, event_push(&events, "any", 1), 0u);
	reader = event_reader(test, &events, "");
	KUNIT_EXPECT_TRUE(test, nfac_events_wanted(&events));
	KUNIT_EXPECT_FALSE(test, nfac_reader_ready(reader));
	KUNIT_EXPECT_EQ(test, event_read(reader, sizeof(event_copy)), 0);
	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_EQ(test, event_push(&events, "any", i), 0u);
	KUNIT_EXPECT_TRUE(test, nfac_reader_ready(reader));
	/* what does not fit whole stays */
	KUNIT_EXPECT_EQ(test, event_read(reader, sizeof(struct nfac_event) - 1), 0);
	KUNIT_EXPECT_EQ(test, event_read(reader, 3 * sizeof(struct nfac_event) + 7), 3);
	KUNIT_EXPECT_EQ(test, event_copy[2].pattern, 2u);
	got = event_read(reader, sizeof(event_copy));
	KUNIT_EXPECT_EQ(test, got, 97);
	for (i = 0; i < got; i++) {
		KUNIT_EXPECT_EQ(test, event_copy[i].pattern, i + 3u);
		KUNIT_EXPECT_EQ(test, event_copy[i].lost, 0u);
	}
	KUNIT_EXPECT_FALSE(test, nfac_reader_ready(reader));
	nfac_reader_destroy(&events, reader);
	KUNIT_EXPECT_FALSE(test, nfac_events_wanted(&events));
}

/* A full ring: the oldest stay, the lost are counted, and reported once. */
static void event_full(struct kunit *test)
{
	struct nfac_events events;
	struct nfac_reader *reader;
	char was[32];
	u32 i, lost = 0;

	nfac_events_init(&events);
	KUNIT_ASSERT_GT(test, help_param_get("event_ring", was), 0);
	KUNIT_ASSERT_EQ(test, help_param_set("event_ring", "1"), 0);
	reader = event_reader(test, &events, "");
	KUNIT_EXPECT_EQ_MSG(test, reader->mask, 63u, "never less than 64");
	for (i = 0; i < 100; i++)
		lost += event_push(&events, "any", i);
	KUNIT_EXPECT_EQ(test, lost, 36u);
	KUNIT_EXPECT_EQ(test, event_read(reader, 10 * sizeof(struct nfac_event)), 10);
	KUNIT_EXPECT_EQ(test, event_copy[9].pattern, 9u);
	KUNIT_EXPECT_EQ(test, event_copy[9].lost, 0u);
	/* room again: the next one reports it */
	KUNIT_EXPECT_EQ(test, event_push(&events, "any", 100), 0u);
	KUNIT_EXPECT_EQ(test, event_push(&events, "any", 101), 0u);
	KUNIT_EXPECT_EQ(test, event_read(reader, sizeof(event_copy)), 56);
	KUNIT_EXPECT_EQ(test, event_copy[53].pattern, 63u);
	KUNIT_EXPECT_EQ(test, event_copy[54].pattern, 100u);
	KUNIT_EXPECT_EQ(test, event_copy[54].lost, 36u);
	KUNIT_EXPECT_EQ(test, event_copy[55].lost, 0u);
	nfac_reader_destroy(&events, reader);

	KUNIT_EXPECT_EQ(test, help_param_set("event_ring", "100000000"), 0);
	KUNIT_EXPECT_LE(test, nfac_reader_bytes(), 65536 * (sizeof(struct nfac_slot)) +
			sizeof(struct nfac_reader));
	KUNIT_EXPECT_EQ(test, help_param_set("event_ring", "100"), 0);
	reader = event_reader(test, &events, "");
	KUNIT_EXPECT_EQ_MSG(test, reader->mask, 127u, "a power of two");
	nfac_reader_destroy(&events, reader);
	KUNIT_EXPECT_EQ(test, help_param_set("event_ring", was), 0);
}

/* Positions are 32 bits wide and run over. */
static void event_wraps(struct kunit *test)
{
	struct nfac_events events;
	struct nfac_reader *reader;
	u32 i, start = U32_MAX - 100;

	nfac_events_init(&events);
	reader = event_reader(test, &events, "");
	for (i = 0; i <= reader->mask; i++)
		reader->slots[(start + i) & reader->mask].turn = start + i;
	atomic_set(&reader->head, start);
	reader->tail = start;
	for (i = 0; i < 1000; i++) {
		KUNIT_EXPECT_EQ(test, event_push(&events, "any", i), 0u);
		if (i % 5 != 4)
			continue;
		KUNIT_EXPECT_EQ(test, event_read(reader, sizeof(event_copy)), 5);
		KUNIT_EXPECT_EQ(test, event_copy[4].pattern, i);
	}
	nfac_reader_destroy(&events, reader);
}

static void event_sets(struct kunit *test)
{
	struct nfac_events events;
	struct nfac_reader *all, *web, *longer;

	nfac_events_init(&events);
	all = event_reader(test, &events, "");
	web = event_reader(test, &events, "web");
	longer = event_reader(test, &events, "website");
	event_push(&events, "web", 1);
	event_push(&events, "mail", 2);
	event_push(&events, "website", 3);
	KUNIT_EXPECT_EQ(test, event_read(all, sizeof(event_copy)), 3);
	KUNIT_EXPECT_EQ(test, event_read(web, sizeof(event_copy)), 1);
	KUNIT_EXPECT_EQ(test, event_copy[0].pattern, 1u);
	KUNIT_EXPECT_EQ(test, event_read(longer, sizeof(event_copy)), 1);
	KUNIT_EXPECT_EQ(test, event_copy[0].pattern, 3u);
	/* a reader that is gone gets none, and none is counted as lost */
	nfac_reader_destroy(&events, web);
	KUNIT_EXPECT_EQ(test, event_push(&events, "web", 4), 0u);
	KUNIT_EXPECT_EQ(test, event_read(all, sizeof(event_copy)), 1);
	nfac_reader_destroy(&events, longer);
	nfac_reader_destroy(&events, all);
}

/* A bad buffer loses no event. */
static void event_fault(struct kunit *test)
{
	struct nfac_events events;
	struct nfac_reader *reader;

	nfac_events_init(&events);
	reader = event_reader(test, &events, "");
	event_push(&events, "any", 7);
	kthread_use_mm(event_mm);
	KUNIT_EXPECT_EQ(test, (int)nfac_reader_read(reader, (char __user *)8,
						    sizeof(struct nfac_event)), -EFAULT);
	kthread_unuse_mm(event_mm);
	KUNIT_EXPECT_EQ(test, event_read(reader, sizeof(event_copy)), 1);
	KUNIT_EXPECT_EQ(test, event_copy[0].pattern, 7u);
	nfac_reader_destroy(&events, reader);
}

static int event_sleeper(void *data)
{
	struct nfac_reader *reader = data;

	wait_event_interruptible(reader->wait,
				 nfac_reader_ready(reader) || kthread_should_stop());
	return nfac_reader_ready(reader);
}

/* Wait until a thread sleeps on the reader, or none does any more. */
static bool event_sleeps(struct nfac_reader *reader, bool want)
{
	u32 i;

	for (i = 0; i < 100 && wq_has_sleeper(&reader->wait) != want; i++)
		schedule_timeout_uninterruptible(1);
	return wq_has_sleeper(&reader->wait) == want;
}

/* A sleeping reader is woken. */
static void event_wakes(struct kunit *test)
{
	struct nfac_events events;
	struct nfac_reader *reader;
	struct task_struct *task;

	nfac_events_init(&events);
	reader = event_reader(test, &events, "");
	task = kthread_run(event_sleeper, reader, "nfac_kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	/* it sleeps, or is about to: there is no event yet */
	get_task_struct(task);
	KUNIT_EXPECT_TRUE_MSG(test, event_sleeps(reader, true), "not asleep");
	event_push(&events, "any", 1);
	KUNIT_EXPECT_TRUE_MSG(test, event_sleeps(reader, false), "still asleep");
	KUNIT_EXPECT_EQ(test, kthread_stop(task), 1);
	put_task_struct(task);
	nfac_reader_destroy(&events, reader);
}

static void event_fail(struct kunit *test)
{
	struct nfac_events events;
	char set[NFAC_NAME_LEN] = "";
	struct nfac_reader *reader;
	unsigned int nth;

	nfac_events_init(&events);
	for (nth = 1; nth <= 2; nth++) {
		help_fault_at(nth);
		reader = nfac_reader_create(&events, set, nfac_reader_bytes());
		KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(reader), -ENOMEM);
		KUNIT_EXPECT_TRUE(test, help_fault_end());
		KUNIT_EXPECT_FALSE(test, nfac_events_wanted(&events));
	}
}

/* Each match goes to each reader, so there cannot be any number of them. */
static void event_crowd(struct kunit *test)
{
	struct nfac_reader *reader[NFAC_READERS_MAX], *more;
	struct nfac_events events;
	char was[32];
	u32 i;

	nfac_events_init(&events);
	KUNIT_ASSERT_GT(test, help_param_get("event_ring", was), 0);
	KUNIT_ASSERT_EQ(test, help_param_set("event_ring", "64"), 0);
	for (i = 0; i < NFAC_READERS_MAX; i++)
		reader[i] = event_reader(test, &events, "");
	more = nfac_reader_create(&events, reader[0]->set, nfac_reader_bytes());
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(more), -ENOSPC);
	nfac_reader_destroy(&events, reader[0]);
	reader[0] = event_reader(test, &events, "");
	KUNIT_EXPECT_EQ(test, event_push(&events, "any", 1), 0u);
	for (i = 0; i < NFAC_READERS_MAX; i++) {
		KUNIT_EXPECT_TRUE(test, nfac_reader_ready(reader[i]));
		nfac_reader_destroy(&events, reader[i]);
	}
	KUNIT_EXPECT_FALSE(test, nfac_events_wanted(&events));
	help_param_set("event_ring", was);
}

static struct kunit_case event_cases[] = {
	KUNIT_CASE(event_order),
	KUNIT_CASE(event_full),
	KUNIT_CASE(event_wraps),
	KUNIT_CASE(event_sets),
	KUNIT_CASE(event_fault),
	KUNIT_CASE(event_wakes),
	KUNIT_CASE(event_fail),
	KUNIT_CASE(event_crowd),
	{}
};

struct kunit_suite suite_event = {
	.name = "nfac_event",
	.suite_init = event_suite_init,
	.suite_exit = event_suite_exit,
	.test_cases = event_cases,
};
