// SPDX-License-Identifier: GPL-2.0
/*
 * The threads of nfac scan, a ring of jobs, and the order of what they print.
 *
 * scan.c adds files and calls scan_pool_drain(). A thread prints into memory, at most OUTPUT_MAX
 * bytes for all jobs together; the adding thread writes it in the order of the files.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/file.h"
#include "common/message.h"
#include "common/pattern_text.h"
#include "common/progress.h"
#include "scan.h"
#include "scan_parts.h"
#include "scan_pool.h"

/* Files and parts that are searched or wait; what finished ones print waits with them. */
#define JOBS		256u
/* Bytes that wait to be written: of the job whose turn it is, and of all jobs together. */
#define OUTPUT_MAX	(8u << 20)
#define OUTPUT_ALL_MAX	(64u << 20)
/* A stream's buffer; and what a job gets first, as most files of a tree print little. */
#define STREAM_ROOM	(64u << 10)
#define FIRST_ROOM	256u
/* Small files that wait for a thread before one is woken: a wake takes as long as some of them. */
#define BATCH		16u
/* What the job whose turn it is has printed when the thread that writes is woken, in bytes. */
#define OUTPUT_WAKE	(256u << 10)
/* Otherwise it looks this often for something to write, in ns: a terminal shows it at once. */
#define LOOK_EVERY	10000000

/**
 * struct job - a file, or a part of one
 * @name: of the file; @parts: NULL: it is searched as a whole
 * @part: number of the part
 * @scan: of the thread that searches it
 * @out, @used, @room: what it prints
 * @messages: of @message_bytes: what it says on standard error
 * @large: bytes of a text that is to be divided, whose size was not known; else 0
 * @capture: it is one, and the thread that added it searches it
 * @done: it was searched; @err: with what success
 * @begun: some of what it prints was written
 */
struct job {
	char *name;
	struct scan_parts *parts;
	unsigned int part;
	struct scan scan;
	char *out, *messages;
	size_t used, room, message_bytes;
	int64_t large;
	bool capture, done, begun;
	int err;
};

/**
 * struct scan_pool - threads and their jobs
 * @jobs: a ring: from @head on they wait for their turn to be printed, from @next on for a thread,
 *	up to @tail
 * @lock: of all; @work: a job waits for a thread, or @ending; @change: there is something to
 *	write, or to add; @drained: what a job printed was written
 * @undone: jobs that are not done; @wake_at: number of them at which @change is signalled
 * @waiting: bytes that were printed and are not written yet
 * @failed: standard output cannot be written
 * @err: some job failed
 */
struct scan_pool {
	struct scan *scan;
	pthread_mutex_t lock;
	pthread_cond_t work, change, drained;
	struct job jobs[JOBS];
	uint64_t head, next, tail;
	unsigned int undone, wake_at;
	size_t waiting;
	bool ending, failed;
	int err;
	unsigned int count;
	pthread_t threads[];
};

/*
 * A thread: its stream prints into the job that it has. @texts: of patterns that it prints;
 * @messages: where its messages go, @said: of @said_bytes
 */
struct worker {
	struct scan_pool *pool;
	struct job *job;
	struct pattern_texts *texts;
	FILE *messages;
	char *said;
	size_t said_bytes;
};

static bool make_room(struct job *job, size_t bytes)
{
	size_t room = job->room ? job->room : FIRST_ROOM;
	char *out;

	while (room - job->used < bytes)
		room *= 2;
	if (room == job->room)
		return true;
	out = realloc(job->out, room);
	if (!out)
		return false;
	job->out = out;
	job->room = room;
	return true;
}

/* The job whose turn it is never waits for others. */
static bool may_print(const struct scan_pool *pool, const struct job *job)
{
	if (job == &pool->jobs[pool->head % JOBS])
		return job->used < OUTPUT_MAX;
	return pool->waiting < OUTPUT_ALL_MAX;
}

/* What a thread prints. Return: as write(), 0: an error, which ends the search. */
static ssize_t on_output(void *context, const char *bytes, size_t length)
{
	struct worker *worker = context;
	struct scan_pool *pool = worker->pool;
	struct job *job = worker->job;
	bool failed;

	pthread_mutex_lock(&pool->lock);
	while (!may_print(pool, job) && !pool->failed) {
		pthread_cond_signal(&pool->change);
		pthread_cond_wait(&pool->drained, &pool->lock);
	}
	failed = pool->failed || !make_room(job, length);
	if (!failed) {
		memcpy(job->out + job->used, bytes, length);
		job->used += length;
		pool->waiting += length;
		if (job->used >= OUTPUT_WAKE && job == &pool->jobs[pool->head % JOBS])
			pthread_cond_signal(&pool->change);
	}
	pthread_mutex_unlock(&pool->lock);
	return failed ? 0 : (ssize_t)length;
}

/* What was said while the job ran is the job's. */
static void take_messages(struct worker *worker, struct job *job)
{
	if (!worker->messages || !ftello(worker->messages) || fflush(worker->messages))
		return;
	job->messages = malloc(worker->said_bytes);
	if (job->messages) {
		job->message_bytes = worker->said_bytes;
		memcpy(job->messages, worker->said, worker->said_bytes);
	}
	rewind(worker->messages);
}

static void run(struct worker *worker, FILE *out)
{
	struct job *job = worker->job;

	job->scan.out = out;
	job->scan.texts = worker->texts;
	job->scan.search.context = &job->scan;
	progress_key(job);
	message_to = worker->messages;
	if (job->parts)
		job->err = scan_part(&job->scan, job->parts, job->part);
	else
		job->err = scan_input(&job->scan, job->name);
	/* an error of the stream belongs to this job alone */
	if (fflush(out))
		job->err = -1;
	clearerr(out);
	message_to = NULL;
	take_messages(worker, job);
}

static void *work(void *context)
{
	static const cookie_io_functions_t io = { .write = on_output };
	struct scan_pool *pool = context;
	struct worker worker = {
		.pool = pool,
		.texts = pattern_texts_new(pool->scan->image),
	};
	FILE *out = fopencookie(&worker, "w", io);

	worker.messages = open_memstream(&worker.said, &worker.said_bytes);
	if (out)
		setvbuf(out, NULL, _IOFBF, STREAM_ROOM);
	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (pool->next == pool->tail && !pool->ending)
			pthread_cond_wait(&pool->work, &pool->lock);
		if (pool->next == pool->tail)
			break;
		worker.job = &pool->jobs[pool->next++ % JOBS];
		pthread_mutex_unlock(&pool->lock);
		if (out)
			run(&worker, out);
		else
			worker.job->err = complain("out of memory");
		pthread_mutex_lock(&pool->lock);
		worker.job->done = true;
		pool->undone--;
		if (pool->undone <= pool->wake_at)
			pthread_cond_signal(&pool->change);
	}
	pthread_mutex_unlock(&pool->lock);
	file_close_folder();
	if (out)
		fclose(out);
	if (worker.messages)
		fclose(worker.messages);
	free(worker.said);
	pattern_texts_free(worker.texts);
	return NULL;
}

/* Write what the job has printed so far; of two files with lines of context "--" separates them. */
static void write_output(struct scan_pool *pool, struct job *job)
{
	const struct scan_options *options = pool->scan->options;
	/* a capture has no lines */
	const bool lines = options->separated && !options->only && !options->count &&
			   !options->list && !options->matches && job->scan.printed;
	size_t used = job->used;
	char *out = job->out;

	if (!used)
		return;
	job->out = NULL;
	job->used = 0;
	job->room = 0;
	pool->waiting -= used;
	pthread_cond_broadcast(&pool->drained);
	pthread_mutex_unlock(&pool->lock);
	if (lines && pool->scan->printed && !job->begun)
		fputs("--\n", stdout);
	job->begun = true;
	pool->scan->printed |= lines;
	fwrite(out, 1, used, stdout);
	free(out);
	pthread_mutex_lock(&pool->lock);
	if (ferror(stdout)) {
		pool->failed = true;
		pthread_cond_broadcast(&pool->drained);
	}
}

/* The lines of a part behind the one in which printing ended. */
static void drop_output(struct scan_pool *pool, struct job *job)
{
	pool->waiting -= job->used;
	job->used = 0;
	pthread_cond_broadcast(&pool->drained);
}

/*
 * Search a text by threads of its own, and print what they find; the pool's threads go on with the
 * files behind it.
 */
static int search_large(struct scan_pool *pool, const struct job *job)
{
	struct scan_pool *parts = scan_pool_new(pool->scan, pool->count);
	int err;

	if (!parts)
		return -1;
	scan_pool_add(parts, job->name, job->large);
	err = scan_pool_drain(parts);
	scan_pool_free(parts);
	return err;
}

/* The job is done: its messages and its figures. */
static void finish(struct scan_pool *pool, struct job *job)
{
	struct scan *scan = pool->scan;
	const bool stopped = job->parts && scan_parts_stopped(job->parts);
	/* a file that became shorter is so for all parts behind */
	const bool again = job->parts && job->err && !scan_parts_fails(job->parts);

	if (job->message_bytes && !stopped && !again) {
		fflush(stdout);
		fwrite(job->messages, 1, job->message_bytes, stderr);
	}
	if (!stopped) {
		scan->matches += job->scan.matches;
		scan->selected += job->scan.selected;
		scan->bytes += job->scan.bytes;
	}
	if (job->capture && scan_input(scan, job->name))
		job->err = -1;
	if (job->large && search_large(pool, job))
		job->err = -1;
	if (job->parts && scan_parts_done(job->parts, scan, job->part, job->scan.selected))
		job->err = -1;
	if (job->err)
		pool->err = -1;
	free(job->messages);
	free(job->out);
	free(job->name);
	memset(job, 0, sizeof(*job));
}

/*
 * Wait until half of the jobs are done, or for a while: a wake for each would take as long as a
 * small file does.
 */
static void wait_for_jobs(struct scan_pool *pool)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += LOOK_EVERY;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pool->wake_at = pool->undone / 2;
	pthread_cond_timedwait(&pool->change, &pool->lock, &until);
	pool->wake_at = 0;
}

/* Print the first job; @wait for its end, or only if it is over. Return: it is over. */
static bool retire(struct scan_pool *pool, bool wait)
{
	struct job *job = &pool->jobs[pool->head % JOBS];

	if (!wait && !job->done)
		return false;
	progress_turn(job);
	/* jobs that are too few for a thread to be woken may be what is waited for */
	if (!job->done)
		pthread_cond_broadcast(&pool->work);
	while (job->used || !job->done) {
		if (!job->used)
			wait_for_jobs(pool);
		else if (job->parts && scan_parts_stopped(job->parts))
			drop_output(pool, job);
		else
			write_output(pool, job);
	}
	/* no thread has the job any more */
	pthread_mutex_unlock(&pool->lock);
	progress_turn(NULL);
	finish(pool, job);
	pthread_mutex_lock(&pool->lock);
	pool->head++;
	pthread_cond_broadcast(&pool->drained);
	return true;
}

/*
 * Captures are searched by the thread that adds them where one depends on the other: rules that
 * are confirmed have thresholds over all of them. A single one is as well searched there.
 */
static bool captures_are_left(const struct scan *scan)
{
	const struct scan_options *options = scan->options;

	return options->confirm || (options->input_count == 1 && !options->recursive);
}

static void push(struct scan_pool *pool, const char *name, int64_t size,
		 struct scan_parts *parts, unsigned int part)
{
	struct job *job;

	pthread_mutex_lock(&pool->lock);
	while (pool->head < pool->tail && retire(pool, pool->tail - pool->head == JOBS))
		;
	job = &pool->jobs[pool->tail % JOBS];
	job->name = name ? strdup(name) : NULL;
	job->parts = parts;
	job->part = part;
	job->scan = *pool->scan;
	job->scan.pool = NULL;
	job->scan.capture_found = captures_are_left(pool->scan) ? &job->capture : NULL;
	job->scan.large_found = size == SIZE_UNKNOWN ? &job->large : NULL;
	job->scan.matches = 0;
	job->scan.selected = 0;
	job->scan.bytes = 0;
	job->scan.printed = false;
	if (name && !job->name) {
		pool->err = complain("out of memory");
	} else {
		pool->tail++;
		pool->undone++;
		if (size >= (int64_t)STREAM_ROOM || pool->tail - pool->next >= BATCH)
			pthread_cond_signal(&pool->work);
	}
	pthread_mutex_unlock(&pool->lock);
}

void scan_pool_add(struct scan_pool *pool, const char *name, int64_t size)
{
	struct scan_parts *parts = scan_parts_open(pool->scan, name, size);
	unsigned int part, count;

	if (!parts) {
		push(pool, name, size, NULL, 0);
		return;
	}
	/* the last part frees them */
	count = scan_parts_count(parts);
	for (part = 0; part < count; part++)
		push(pool, NULL, size, parts, part);
}

int scan_pool_drain(struct scan_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	while (pool->head < pool->tail)
		retire(pool, true);
	pthread_mutex_unlock(&pool->lock);
	return pool->err;
}

void scan_pool_free(struct scan_pool *pool)
{
	unsigned int i;

	if (!pool)
		return;
	scan_pool_drain(pool);
	pthread_mutex_lock(&pool->lock);
	pool->ending = true;
	pthread_cond_broadcast(&pool->work);
	pthread_mutex_unlock(&pool->lock);
	for (i = 0; i < pool->count; i++)
		pthread_join(pool->threads[i], NULL);
	pthread_cond_destroy(&pool->work);
	pthread_cond_destroy(&pool->change);
	pthread_cond_destroy(&pool->drained);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

bool scan_pool_serves(const struct scan *scan)
{
	const struct scan_options *options = scan->options;

	return !options->summary && !options->write && !options->interface;
}

struct scan_pool *scan_pool_new(struct scan *scan, unsigned int threads)
{
	struct scan_pool *pool = calloc(1, sizeof(*pool) + threads * sizeof(pthread_t));
	pthread_condattr_t clock;

	if (!pool) {
		complain("out of memory");
		return NULL;
	}
	pool->scan = scan;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->work, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&pool->change, &clock);
	pthread_condattr_destroy(&clock);
	pthread_cond_init(&pool->drained, NULL);
	while (pool->count < threads &&
	       !pthread_create(&pool->threads[pool->count], NULL, work, pool))
		pool->count++;
	if (pool->count)
		return pool;
	scan_pool_free(pool);
	complain("no threads");
	return NULL;
}
