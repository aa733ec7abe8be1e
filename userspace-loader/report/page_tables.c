// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of the page: patterns, sources, destinations, inputs, what was not inspected.
 */
#include "chart.h"
#include "common/human.h"
#include "html.h"
#include "page.h"

/* A card with a table; names of columns that begin with a space are of text. */
static void open_table(FILE *to, const char *id, const char *title, const char *const *columns)
{
	fprintf(to, "<section class=\"card\">\n<h2>%s</h2>\n<div class=\"scroll\">", title);
	fprintf(to, "<table id=\"%s\">\n<tr>", id);
	for (; *columns; columns++) {
		if (**columns == ' ')
			fprintf(to, "<th class=\"left\">%s</th>", *columns + 1);
		else
			fprintf(to, "<th>%s</th>", *columns);
	}
	fputs("</tr>\n<tbody>\n", to);
}

static void close_table(FILE *to)
{
	fputs("</tbody></table></div>\n", to);
}

static void print_cell(FILE *to, uint64_t number)
{
	fputs(number ? "<td>" : "<td class=\"zero\">", to);
	html_number(to, number);
	fputs("</td>", to);
}

/* Rows that are not shown, and matches without a row. */
static void print_rest(FILE *to, const struct tallies *table, size_t rows, const char *what)
{
	uint64_t matches = table->others;
	size_t i;

	for (i = rows; i < table->count; i++)
		matches += table->all[i].matches;
	if (!matches)
		return;
	fputs("<p class=\"faint\">", to);
	if (table->others)
		fputs("more than ", to);
	html_number(to, table->count - rows);
	fprintf(to, " more %s, with ", what);
	html_count(to, matches, "match", "matches");
	fputs("</p>\n", to);
}

static void print_pattern(FILE *to, const struct page *page, const struct tally *tally)
{
	fprintf(to, "<tr><td>%u</td><td class=\"what\">", tally->shown);
	if (tally->label) {
		html_text(to, tally->label);
		fputs("<small><code>", to);
	} else {
		fputs("<code>", to);
	}
	html_text(to, tally->text ? tally->text : "?");
	fputs(tally->label ? "</code></small>" : "</code>", to);
	if (tally->set && *tally->set) {
		fputs("<small>set ", to);
		html_text(to, tally->set);
		fputs("</small>", to);
	}
	fputs("</td><td class=\"cell\">", to);
	chart_bar(to, tally, page->findings->patterns.all[0].matches);
	fputs("</td>", to);
	print_cell(to, tally->matches);
	print_cell(to, tally->inexact);
	if (page->search)
		print_cell(to, tally->packets);
	print_cell(to, tally->connections);
	print_cell(to, tally->peers);
	fputs("<td>", to);
	if (tally->series && page->findings->timeline.used)
		chart_spark(to, tally, &page->findings->timeline);
	fputs("</td><td class=\"time\">", to);
	html_time(to, tally->last);
	fputs("</td></tr>\n", to);
}

static void print_patterns(FILE *to, const struct page *page)
{
	static const char *const of_captures[] = {
		"id", " pattern, or rule and its anchor", "", "matches", "inexact", "packets",
		"connections", "sources", " over time", "last (UTC)", NULL
	};
	static const char *const of_events[] = {
		"id", " pattern or rule", "", "matches", "inexact", "connections", "sources",
		" over time", "last (UTC)", NULL
	};
	const struct tallies *table = &page->findings->patterns;
	size_t rows = table->count < page->rows ? table->count : page->rows, i;

	open_table(to, "patterns", "Patterns and rules", page->search ? of_captures : of_events);
	for (i = 0; i < rows; i++)
		print_pattern(to, page, &table->all[i]);
	close_table(to);
	print_rest(to, table, rows, "patterns");
	fputs("</section>\n", to);
}

static void print_addresses(FILE *to, const struct page *page, const struct tallies *table,
			    const char *id, const char *title)
{
	static const char *const columns[] = {
		" address", "", "matches", "inexact", "connections", "patterns", NULL
	};
	size_t rows = table->count < page->rows ? table->count : page->rows, i;

	open_table(to, id, title, columns);
	for (i = 0; i < rows; i++) {
		const struct tally *tally = &table->all[i];

		fputs("<tr><td class=\"left\"><code>", to);
		html_text(to, tally->text ? tally->text : "?");
		fputs("</code></td><td class=\"cell\">", to);
		chart_bar(to, tally, table->all[0].matches);
		fputs("</td>", to);
		print_cell(to, tally->matches);
		print_cell(to, tally->inexact);
		print_cell(to, tally->connections);
		print_cell(to, tally->peers);
		fputs("</tr>\n", to);
	}
	close_table(to);
	print_rest(to, table, rows, id);
	fputs("</section>\n", to);
}

void page_tables(FILE *to, const struct page *page)
{
	const struct findings *f = page->findings;

	if (!f->matches)
		return;
	print_patterns(to, page);
	fputs("<div class=\"two\">\n", to);
	print_addresses(to, page, &f->sources, "sources", "Sources");
	print_addresses(to, page, &f->destinations, "destinations", "Destinations");
	fputs("</div>\n", to);
}

uint64_t page_uninspected(const struct page *page)
{
	const struct capture_counts *counts = &page->search->counts;
	uint64_t all = counts->other + counts->encrypted;
	int why;

	for (why = 0; why < NFAC_SKIP_MAX; why++)
		all += counts->skipped[why];
	return all;
}

/* Return: there was a row to print. */
static bool print_reason(FILE *to, uint64_t number, const char *what, const char *explanation)
{
	if (!number)
		return false;
	fprintf(to, "<tr><td class=\"what\">%s<small>%s</small></td>", what, explanation);
	print_cell(to, number);
	fputs("</tr>\n", to);
	return true;
}

static const char *explain(int why)
{
	switch (why) {
	case NFAC_SKIP_FRAGMENT:
		return "inspect at prerouting with conntrack in use, where datagrams are whole";
	case NFAC_SKIP_TRUNCATED:
		return "headers that are cut, or contradict the packet's length";
	case NFAC_SKIP_TOO_DEEP:
		return "more extension headers than are followed";
	case NFAC_SKIP_PROTOCOL:
		return "neither TCP nor UDP";
	case NFAC_SKIP_GAP:
		return "segments behind missing bytes: a match across them is missing";
	case NFAC_SKIP_WINDOW:
		return "segments outside the receiver's window, searched by themselves";
	case NFAC_SKIP_UNREADABLE:
		return "segments whose new bytes were captured in part";
	case NFAC_SKIP_TABLE_FULL:
		return "segments searched by themselves, as the flow table was full";
	case NFAC_SKIP_OUTPUT_CAP:
		return "segments with more than 1,024 matches, of which 1,024 count";
	}
	return "";
}

void page_skipped(FILE *to, const struct page *page)
{
	const struct capture_search *s = page->search;
	static const char *const columns[] = { " reason", "count", NULL };
	struct human size;
	bool some = false;
	int why;

	if (!s)
		return;
	open_table(to, "skipped", "Not inspected, or in part", columns);
	for (why = 0; why < NFAC_SKIP_MAX; why++)
		some |= print_reason(to, s->counts.skipped[why] + s->skipped[why], skip_name(why),
				     explain(why));
	some |= print_reason(to, s->counts.other, "not IP", "neither IPv4 nor IPv6, as ARP");
	some |= print_reason(to, s->counts.encrypted, "encrypted", "data frames of 802.11");
	some |= print_reason(to, s->counts.cut, "cut", "searched as far as the capture has them");
	some |= print_reason(to, s->rule_counts.budget, "budget",
			     "evaluations of rules that the budget ended");
	some |= print_reason(to, s->rule_counts.overflow, "anchors",
			     "packets with more anchors than are evaluated");
	some |= print_reason(to, s->rule_counts.gaps, "gaps",
			     "missing bytes in streams that rules read");
	if (!some)
		fputs("<tr><td class=\"what\">nothing</td><td>0</td></tr>\n", to);
	close_table(to);
	fputs("<p class=\"faint\">", to);
	html_number(to, page->findings->packets);
	fprintf(to, " packets were searched, of which %s are payload.</p>\n</section>\n",
		human_size(&size, s->bytes));
}

void page_inputs(FILE *to, const struct page *page)
{
	static const char *const of_captures[] = { " file", "packets", "matches", NULL };
	static const char *const of_events[] = { " file", "events", "matches", NULL };
	size_t i;

	open_table(to, "inputs", "Inputs", page->search ? of_captures : of_events);
	for (i = 0; i < page->input_count; i++) {
		fputs("<tr><td class=\"what\"><code>", to);
		html_text(to, page->inputs[i].name);
		fputs("</code></td>", to);
		print_cell(to, page->inputs[i].packets);
		print_cell(to, page->inputs[i].matches);
		fputs("</tr>\n", to);
	}
	close_table(to);
	fputs("</section>\n", to);
}
