// SPDX-License-Identifier: GPL-2.0
/*
 * Figures with three significant digits and a unit.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "human.h"

/* Three significant digits and a unit out of @units, each @base times the last. */
static const char *scaled(struct human *to, double value, double base,
			  const char *const *units, const char *suffix)
{
	int digits;

	/* 999.5 would be printed as 1000 */
	while (value >= base * 0.9995 && units[1]) {
		value /= base;
		units++;
	}
	digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
	snprintf(to->text, sizeof(to->text), "%.*f %s%s", digits, value, *units, suffix);
	return to->text;
}

const char *human_size(struct human *to, uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", NULL };

	if (bytes < 1024) {
		snprintf(to->text, sizeof(to->text), "%" PRIu64 " B", bytes);
		return to->text;
	}
	return scaled(to, bytes / 1024.0, 1024, units + 1, "");
}

const char *human_rate(struct human *to, double bytes_per_second)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", NULL };

	if (bytes_per_second < 1000) {
		snprintf(to->text, sizeof(to->text), "%.0f B/s", bytes_per_second);
		return to->text;
	}
	return scaled(to, bytes_per_second, 1000, units, "/s");
}

const char *human_count(struct human *to, uint64_t count)
{
	static const char *const units[] = { "k", "M", "G", "T", NULL };

	if (count < 10000) {
		snprintf(to->text, sizeof(to->text), "%" PRIu64, count);
		return to->text;
	}
	return scaled(to, count / 1000.0, 1000, units, "");
}

const char *human_time(struct human *to, double seconds)
{
	static const char *const units[] = { "ns", "us", "ms", "s", NULL };

	return scaled(to, seconds * 1e9, 1000, units, "");
}

double clock_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}
