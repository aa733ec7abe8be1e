// SPDX-License-Identifier: GPL-2.0
/*
 * The charts of nfac report as SVG elements; page.c and page_tables.c place them.
 */
#include <inttypes.h>
#include <time.h>

#include "chart.h"
#include "html.h"

/* Pixels, as far as the page is as wide as the chart. */
#define LEFT		64.0
#define WIDTH		1000.0
#define RIGHT		(WIDTH - 20)
#define TOP		12.0
#define MATCHES_HEIGHT	190.0
#define GAP		26.0
#define PACKETS_HEIGHT	56.0
#define MARKS_MAX	8
#define SPARK_WIDTH	96.0
#define SPARK_HEIGHT	22.0

/* @from, @to: the time that is drawn */
struct axis {
	int64_t from, to;
	double bar;
};

/* A panel: counts from 0 at @bottom to @most at @top. */
struct panel {
	double top, bottom;
	uint64_t most, step;
};

static double height(const struct panel *panel, uint64_t count)
{
	return (panel->bottom - panel->top) * count / panel->most;
}

/* Steps of 1, 2 or 5 times a power of ten, @steps at most, that end above @most. */
static struct panel panel_of(double top, double high, uint64_t most, unsigned int steps)
{
	static const unsigned int factors[] = { 2, 5, 10 };
	struct panel panel = { .top = top, .bottom = top + high, .step = 1 };
	uint64_t power = 1;
	unsigned int i = 0;

	while (panel.step * steps < most && power < UINT64_MAX / 100 / steps) {
		panel.step = power * factors[i];
		if (++i == 3) {
			power *= 10;
			i = 0;
		}
	}
	panel.most = (most + panel.step - 1) / panel.step * panel.step;
	if (!panel.most)
		panel.most = panel.step;
	return panel;
}

/* "250", "2 k", "1.5 M": all labels of a panel have the unit of the highest. */
static void draw_label(FILE *to, uint64_t at, uint64_t most)
{
	static const char *const units[] = { "", " k", " M", " G", " T", " P" };
	double unit = 1;
	size_t i;

	for (i = 0; i < 5 && most / unit >= 10000; i++)
		unit *= 1000;
	fprintf(to, "%g%s", at / unit, at ? units[i] : "");
}

static void draw_grid(FILE *to, const struct panel *panel, const char *what)
{
	uint64_t at;
	double y;

	for (at = 0; at <= panel->most; at += panel->step) {
		y = panel->bottom - height(panel, at);
		fprintf(to, "<line class=\"%s\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>",
			at ? "grid" : "axis", LEFT, RIGHT, y, y);
		fprintf(to, "<text class=\"end\" x=\"%.0f\" y=\"%.1f\">", LEFT - 7, y + 4);
		draw_label(to, at, panel->most);
		fputs("</text>\n", to);
	}
	fprintf(to, "<text class=\"middle\" transform=\"translate(11 %.1f) rotate(-90)\">%s</text>\n",
		(panel->top + panel->bottom) / 2, what);
}

static void draw_bar(FILE *to, const char *kind, double x, double bottom, double high, double width)
{
	if (high <= 0)
		return;
	/* one match among thousands stays visible */
	if (high < 1)
		high = 1;
	fprintf(to, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
		kind, x, bottom - high, width, high);
}

static void describe(FILE *to, const struct findings *f, uint32_t period)
{
	html_time(to, f->timeline.begin + period * timeline_length(&f->timeline));
	fputs(" UTC: ", to);
	html_number(to, f->exact_series[period]);
	fputs(" exact, ", to);
	html_number(to, f->inexact_series[period]);
	fputs(" inexact", to);
	if (!f->from_events) {
		fputs("; ", to);
		html_count(to, f->packet_series[period], "packet", "packets");
	}
}

static void draw_bars(FILE *to, const struct findings *f, const struct axis *axis,
		      const struct panel *matches, const struct panel *packets)
{
	const double width = axis->bar > 4 ? axis->bar - 1.5 : axis->bar * 0.8;
	double x = LEFT + (axis->bar - width) / 2, low;
	uint32_t i;

	for (i = 0; i < f->timeline.used; i++, x += axis->bar) {
		fputs("<g class=\"period\"><title>", to);
		describe(to, f, i);
		fprintf(to, "</title><rect class=\"hit\" x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"%.0f\"/>",
			x, TOP, width, (packets ? packets->bottom : matches->bottom) - TOP);
		low = height(matches, f->exact_series[i]);
		draw_bar(to, "exact", x, matches->bottom, low, width);
		draw_bar(to, "inexact", x, matches->bottom - low,
			 height(matches, f->inexact_series[i]), width);
		if (packets)
			draw_bar(to, "packets", x, packets->bottom,
				 height(packets, f->packet_series[i]), width);
		fputs("</g>\n", to);
	}
}

/* Steps between marks of time: the least of which there are few enough. */
static int64_t mark_step(int64_t span)
{
	static const double seconds[] = {
		0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30,
		60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200,
		86400, 2 * 86400, 7 * 86400, 14 * 86400, 28 * 86400, 91 * 86400, 364 * 86400,
		1820 * 86400, 3640 * 86400.0,
	};
	const size_t count = sizeof(seconds) / sizeof(*seconds);
	size_t i;

	for (i = 0; i + 1 < count && seconds[i] * 1e9 * MARKS_MAX < span; i++)
		;
	return seconds[i] * 1e9;
}

static void draw_mark(FILE *to, double x, double y, int64_t at, int64_t step)
{
	const char *form = step >= 86400000000000 ? "%Y-%m-%d" :
			   step >= 60000000000 ? "%H:%M" : "%H:%M:%S";
	time_t seconds = at / 1000000000;
	char text[32];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), form, &tm);
	fprintf(to, "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
		x, x, y, y + 4);
	fprintf(to, "<text class=\"middle\" x=\"%.1f\" y=\"%.1f\">%s", x, y + 17, text);
	if (step < 1000000000)
		fprintf(to, ".%03d", (int)(at % 1000000000 / 1000000));
	fputs("</text>\n", to);
}

static void draw_time(FILE *to, const struct axis *axis, int64_t period, double y)
{
	const int64_t span = axis->to - axis->from, step = mark_step(span);
	int64_t at = axis->from + (step - axis->from % step) % step;

	for (; at <= axis->to; at += step)
		draw_mark(to, LEFT + (RIGHT - LEFT) * (at - axis->from) / span, y, at, step);
	fprintf(to, "<text class=\"middle\" x=\"%.1f\" y=\"%.1f\">time (UTC), from ",
		(LEFT + RIGHT) / 2, y + 36);
	html_time(to, axis->from);
	if (period < 1000000000)
		fprintf(to, "; a bar is %" PRId64 " ms</text>\n", period / 1000000);
	else if (period < 60000000000)
		fprintf(to, "; a bar is %" PRId64 " s</text>\n", period / 1000000000);
	else if (period < 3600000000000)
		fprintf(to, "; a bar is %" PRId64 " min</text>\n", period / 60000000000);
	else if (period < 86400000000000)
		fprintf(to, "; a bar is %" PRId64 " h</text>\n", period / 3600000000000);
	else
		fprintf(to, "; a bar is %" PRId64 " days</text>\n", period / 86400000000000);
}

void chart_time(FILE *to, const struct findings *f)
{
	const struct timeline *line = &f->timeline;
	const int64_t period = timeline_length(line);
	struct axis axis = { line->begin, line->begin + period * line->used, 0 };
	uint64_t most = 0, most_packets = 0, both;
	struct panel matches, packets;
	double bottom;
	uint32_t i;

	if (!line->used)
		return;
	axis.bar = (RIGHT - LEFT) / line->used;
	for (i = 0; i < line->used; i++) {
		both = f->exact_series[i] + f->inexact_series[i];
		most = both > most ? both : most;
		most_packets = f->packet_series[i] > most_packets ? f->packet_series[i] :
								    most_packets;
	}
	matches = panel_of(TOP, MATCHES_HEIGHT, most, 4);
	packets = panel_of(matches.bottom + GAP, PACKETS_HEIGHT, most_packets, 2);
	bottom = f->from_events ? matches.bottom : packets.bottom;
	fprintf(to, "<svg class=\"chart\" role=\"img\" viewBox=\"0 0 %.0f %.0f\" aria-label=\"Matches over time\">\n",
		WIDTH, bottom + 44);
	draw_grid(to, &matches, "matches");
	if (!f->from_events)
		draw_grid(to, &packets, "packets");
	draw_bars(to, f, &axis, &matches, f->from_events ? NULL : &packets);
	draw_time(to, &axis, period, bottom);
	fputs("</svg>\n", to);
}

void chart_bar(FILE *to, const struct tally *tally, uint64_t most)
{
	const double exact = 100.0 * (tally->matches - tally->inexact) / most;
	double inexact = 100.0 * tally->inexact / most;

	if (tally->inexact && inexact < 1)
		inexact = 1;
	fprintf(to, "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"exact\" width=\"%.2f\" height=\"10\"/><rect class=\"inexact\" x=\"%.2f\" width=\"%.2f\" height=\"10\"/></svg>",
		exact, exact, inexact);
}

void chart_spark(FILE *to, const struct tally *tally, const struct timeline *line)
{
	const double bar = SPARK_WIDTH / line->used;
	uint64_t most = 1;
	double high;
	uint32_t i;

	for (i = 0; i < line->used; i++)
		most = tally->series[i] > most ? tally->series[i] : most;
	fprintf(to, "<svg class=\"spark\" viewBox=\"0 0 %.0f %.0f\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><path d=\"",
		SPARK_WIDTH, SPARK_HEIGHT);
	for (i = 0; i < line->used; i++) {
		high = SPARK_HEIGHT * tally->series[i] / most;
		if (tally->series[i] && high < 2)
			high = 2;
		if (tally->series[i])
			fprintf(to, "M%.1f %.0fv%.1fh%.2fV%.0fz", i * bar, SPARK_HEIGHT, -high,
				bar, SPARK_HEIGHT);
	}
	fprintf(to, "\"/><path class=\"base\" d=\"M0 %.1fh%.0f\"/></svg>", SPARK_HEIGHT - 0.5,
		SPARK_WIDTH);
}
