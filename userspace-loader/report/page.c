// SPDX-License-Identifier: GPL-2.0
/*
 * The page of nfac report: head, verdict, figures, charts, explanations. page_tables.c has its
 * tables.
 */
#include <inttypes.h>

#include "../kmod/version.h"
#include "chart.h"
#include "common/human.h"
#include "html.h"
#include "page.h"

/* Nothing but this file's own style is loaded or run, whatever a text in it contains. */
#define POLICY	"default-src 'none'; style-src 'unsafe-inline'"

static void print_head(FILE *to, const struct page *page)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", to);
	fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"" POLICY "\">\n", to);
	fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n", to);
	fputs("<meta name=\"generator\" content=\"nfac " NFAC_RELEASE "\">\n", to);
	fputs("<title>nfac report: ", to);
	html_text(to, page->title);
	fprintf(to, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", page_style);
}

/* "3 h 20 min" */
static void print_length(FILE *to, int64_t ns)
{
	const int64_t seconds = ns / 1000000000;
	struct human text;

	if (seconds < 120)
		fputs(human_time(&text, ns / 1e9), to);
	else if (seconds < 7200)
		fprintf(to, "%" PRId64 " min %" PRId64 " s", seconds / 60, seconds % 60);
	else if (seconds < 2 * 86400)
		fprintf(to, "%" PRId64 " h %" PRId64 " min", seconds / 3600, seconds / 60 % 60);
	else
		fprintf(to, "%" PRId64 " days %" PRId64 " h", seconds / 86400,
			seconds / 3600 % 24);
}

static void print_title(FILE *to, const struct page *page)
{
	const struct findings *f = page->findings;

	fputs("<header>\n<p class=\"faint\">nfac report: ", to);
	fputs(f->from_events ? "what has matched" : "what would have matched", to);
	fputs("</p>\n<h1>", to);
	html_text(to, page->title);
	fputs("</h1>\n<p class=\"faint\">", to);
	if (page->input_count == 1)
		html_text(to, page->inputs[0].name);
	else
		html_count(to, page->input_count, "input", "inputs");
	if (f->first) {
		fputs(" · ", to);
		html_time(to, f->first);
		fputs(" to ", to);
		html_time(to, f->last);
		fputs(" UTC (", to);
		print_length(to, f->last - f->first);
		fputs(")", to);
	}
	fputs("</p>\n</header>\n", to);
}

static const char *at_least(const struct page *page)
{
	return page->findings->distinct.full ? "at least " : "";
}

static void print_inexact(FILE *to, const struct findings *f)
{
	if (!f->inexact)
		return;
	fputs("<p>", to);
	html_count(to, f->inexact, "match is", "matches are");
	fputs(" inexact: some condition of the rule was not checked. <code>--drop</code> and <code>--mark</code> leave their packets alone unless <code>--act inexact</code> is given.</p>\n",
	      to);
}

/* What enforcing would do: the sentence for which the page is opened. */
static void print_verdict(FILE *to, const struct page *page)
{
	const struct findings *f = page->findings;
	const uint64_t packets = page->search ? page->search->counts.packets : 0;

	fprintf(to, "<section class=\"card verdict%s\">\n<p>", f->matches ? "" : " none");
	if (!f->matches) {
		fputs("<b>Nothing matched.</b>", to);
	} else if (f->from_events) {
		fputs("<b>", to);
		html_count(to, f->matches, "match", "matches");
		fprintf(to, "</b> in %s", at_least(page));
		html_count(to, f->matched_connections, "connection", "connections");
		fputs("; of these ", to);
		html_number(to, f->dropped);
		fputs(" were dropped.", to);
	} else {
		fprintf(to, "With <code>--drop</code>, <b>%s", at_least(page));
		html_number(to, f->exact_packets);
		fputs(" of ", to);
		html_count(to, packets, "packet", "packets");
		fputs("</b> would be dropped (", to);
		html_share(to, f->exact_packets, packets);
		fprintf(to, "), in <b>%s", at_least(page));
		html_number(to, f->exact_connections);
		fputs(" of ", to);
		html_count(to, f->connections, "connection", "connections");
		fputs("</b>.", to);
	}
	fputs("</p>\n", to);
	print_inexact(to, f);
	if (f->lost) {
		fputs("<p>", to);
		html_count(to, f->lost, "event was", "events were");
		fputs(" lost before they were written, and are not in any figure.</p>\n", to);
	}
	fputs("</section>\n", to);
}

static void open_tile(FILE *to, const char *what, uint64_t number)
{
	fprintf(to, "<div class=\"card\"><small>%s</small><b>", what);
	html_number(to, number);
	fputs("</b><small>", to);
}

static void close_tile(FILE *to)
{
	fputs("</small></div>\n", to);
}

static void print_capture_tiles(FILE *to, const struct page *page)
{
	const struct findings *f = page->findings;
	const struct capture_counts *counts = &page->search->counts;
	struct human size;

	open_tile(to, "Packets matched", f->matched_packets);
	fputs("of ", to);
	html_number(to, counts->packets);
	fprintf(to, ", %s", human_size(&size, counts->bytes));
	close_tile(to);
	open_tile(to, "Connections matched", f->matched_connections);
	fputs("of ", to);
	html_number(to, f->connections);
	close_tile(to);
	open_tile(to, "Not inspected", page_uninspected(page));
	html_share(to, page_uninspected(page), counts->packets);
	fputs(" of all packets", to);
	close_tile(to);
}

static void print_event_tiles(FILE *to, const struct page *page)
{
	const struct findings *f = page->findings;
	uint64_t lines = 0;
	size_t i;

	for (i = 0; i < page->input_count; i++)
		lines += page->inputs[i].packets;
	open_tile(to, "Events", lines);
	fputs("lines of the inputs", to);
	close_tile(to);
	open_tile(to, "Connections matched", f->matched_connections);
	fputs("protocol, addresses and ports", to);
	close_tile(to);
	open_tile(to, "Matches dropped", f->dropped);
	html_share(to, f->dropped, f->matches);
	close_tile(to);
}

static void print_tiles(FILE *to, const struct page *page)
{
	const struct findings *f = page->findings;

	fputs("<section class=\"tiles\">\n", to);
	open_tile(to, "Matches", f->matches);
	html_number(to, f->matches - f->inexact);
	fputs(" exact, ", to);
	html_number(to, f->inexact);
	fputs(" inexact", to);
	close_tile(to);
	if (page->search)
		print_capture_tiles(to, page);
	else
		print_event_tiles(to, page);
	open_tile(to, "Patterns matched", f->patterns.count);
	if (page->patterns) {
		fputs("of ", to);
		html_number(to, page->patterns);
	}
	close_tile(to);
	open_tile(to, "Sources", f->sources.count);
	fputs("to ", to);
	html_count(to, f->destinations.count, "destination", "destinations");
	close_tile(to);
	fputs("</section>\n", to);
}

static void print_chart(FILE *to, const struct page *page)
{
	fputs("<section class=\"card\">\n<p class=\"legend\"><i class=\"exact\"></i>exact", to);
	fputs("<i class=\"inexact\"></i>inexact", to);
	if (page->search)
		fputs("<i class=\"packets\"></i>packets searched", to);
	fputs("</p>\n<h2>Matches over time</h2>\n", to);
	if (page->findings->timeline.used)
		chart_time(to, page->findings);
	else
		fputs("<p class=\"faint\">No packet has a time.</p>\n", to);
	if (page->findings->untimed) {
		fputs("<p class=\"faint\">", to);
		html_count(to, page->findings->untimed, "match has", "matches have");
		fputs(" no time.</p>\n", to);
	}
	fputs("</section>\n", to);
}

static void print_notes(FILE *to, const struct page *page)
{
	fputs("<section class=\"card\">\n<dl>\n", to);
	fputs("<dt>match</dt><dd>One occurrence of a pattern, or a rule that holds. A packet may have several.</dd>\n",
	      to);
	fputs("<dt>exact, inexact</dt><dd>All conditions of the rule were checked; or some condition was not, so the rule may not hold.</dd>\n",
	      to);
	fputs("<dt>connection</dt><dd>Protocol with both addresses and ports. The source is the sender of the packet with the match, which may be the server.</dd>\n",
	      to);
	if (page->search && page->search->stream)
		fputs("<dt>--stream</dt><dd>TCP streams were followed: a match may span segments.</dd>\n",
		      to);
	else if (page->search)
		fputs("<dt>without --stream</dt><dd>Each packet was searched by itself: a match that spans segments is missing.</dd>\n",
		      to);
	if (page->findings->distinct.full)
		fputs("<dt>at least</dt><dd>There are more different connections and packets than are kept; their numbers are lower bounds.</dd>\n",
		      to);
	fputs("</dl>\n</section>\n", to);
}

void page_print(FILE *to, const struct page *page)
{
	print_head(to, page);
	print_title(to, page);
	print_verdict(to, page);
	print_tiles(to, page);
	print_chart(to, page);
	page_tables(to, page);
	fputs("<div class=\"two\">\n", to);
	page_skipped(to, page);
	page_inputs(to, page);
	fputs("</div>\n", to);
	print_notes(to, page);
	fputs("</main>\n</body>\n</html>\n", to);
}
