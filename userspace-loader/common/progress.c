// SPDX-License-Identifier: GPL-2.0
/*
 * The progress bar: drawn by the thread whose input is printed next.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "human.h"
#include "input.h"
#include "message.h"
#include "progress.h"

#define FIRST		1.0	/* seconds without a bar: most searches are over by then */
#define BETWEEN		0.1	/* seconds from one drawing to the next */
#define CELLS		24u

/* The input that this thread searches. @size: in bytes; 0: no bar; @key: what it is for */
static __thread struct {
	const char *name;
	const struct input *in;
	const void *key;
	int64_t size;
	double begin, last;
} bar;

/* The terminal's line. @lock: of it and of @turn: searches for this key may draw. */
static struct {
	pthread_mutex_t lock;
	bool permitted, drawn;
	const void *turn;
} line = { .lock = PTHREAD_MUTEX_INITIALIZER };

void progress_permit(bool silent_output)
{
	line.permitted = isatty(STDERR_FILENO) && (silent_output || !isatty(STDOUT_FILENO));
	message_begins = progress_hide;
}

void progress_begin(const char *name, const struct input *in)
{
	bar.name = name;
	bar.in = in;
	bar.size = line.permitted ? input_size(in) : 0;
	bar.begin = clock_seconds();
	bar.last = bar.begin + FIRST - BETWEEN;
}

static void erase(void)
{
	if (line.drawn)
		fputs("\r\33[K", stderr);
	line.drawn = false;
}

void progress_hide(void)
{
	pthread_mutex_lock(&line.lock);
	erase();
	pthread_mutex_unlock(&line.lock);
}

void progress_key(const void *key)
{
	bar.key = key;
}

void progress_turn(const void *key)
{
	pthread_mutex_lock(&line.lock);
	if (line.turn != key)
		erase();
	line.turn = key;
	pthread_mutex_unlock(&line.lock);
}

static void draw(int64_t at, double now)
{
	const double share = at > bar.size ? 1 : (double)at / bar.size;
	const double seconds = now - bar.begin;
	struct human rate;
	char cells[CELLS + 1];
	unsigned int i;

	for (i = 0; i < CELLS; i++)
		cells[i] = i < share * CELLS ? '#' : '.';
	cells[CELLS] = 0;
	fprintf(stderr, "\r%.40s [%s] %3.0f %% %s", bar.name, cells, share * 100,
		human_rate(&rate, at / seconds));
	if (share > 0.01)
		fprintf(stderr, ", %.0f s left", seconds / share - seconds);
	fputs("\33[K", stderr);
	fflush(stderr);
	line.drawn = true;
}

void progress_at(int64_t at)
{
	double now;

	if (!bar.size)
		return;
	now = clock_seconds();
	if (now - bar.last < BETWEEN)
		return;
	bar.last = now;
	pthread_mutex_lock(&line.lock);
	if (line.turn == bar.key)
		draw(at < 0 ? input_position(bar.in) : at, now);
	pthread_mutex_unlock(&line.lock);
}

void progress_end(void)
{
	if (bar.size)
		progress_hide();
	bar.size = 0;
}
