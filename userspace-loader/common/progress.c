// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "human.h"
#include "input.h"
#include "message.h"
#include "progress.h"

#define FIRST		1.0	/* seconds without a bar: most searches are over by then */
#define BETWEEN		0.1	/* seconds from one drawing to the next */
#define CELLS		24u

/* @size: of the input, bytes; 0: there is no bar */
static struct {
	bool permitted, drawn;
	const char *name;
	const struct input *in;
	int64_t size;
	double begin, last;
} bar;

void progress_permit(bool silent_output)
{
	bar.permitted = isatty(STDERR_FILENO) && (silent_output || !isatty(STDOUT_FILENO));
	message_begins = progress_hide;
}

void progress_begin(const char *name, const struct input *in)
{
	bar.name = name;
	bar.in = in;
	bar.size = bar.permitted ? input_size(in) : 0;
	bar.begin = clock_seconds();
	bar.last = bar.begin + FIRST - BETWEEN;
}

void progress_hide(void)
{
	if (bar.drawn)
		fputs("\r\33[K", stderr);
	bar.drawn = false;
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
	bar.drawn = true;
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
	draw(at < 0 ? input_position(bar.in) : at, now);
}

void progress_end(void)
{
	progress_hide();
	bar.size = 0;
}
