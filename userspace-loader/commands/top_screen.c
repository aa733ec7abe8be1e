// SPDX-License-Identifier: GPL-2.0
/*
 * The terminal of nfac top: ncurses' screen, its keys, and messages that have to wait until it
 * ends.
 */
#ifdef HAVE_NCURSES

#include <curses.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/message.h"
#include "top_screen.h"

/*
 * @first: line below the fixed ones that is shown first
 * @messages: where stderr goes meanwhile, as a message would mar the screen; -1: nowhere else
 * @real: where it went before
 */
static struct {
	SCREEN *terminal;
	size_t first;
	int messages, real;
} screen;

static void hold_messages(void)
{
	fflush(stderr);
	screen.messages = memfd_create("messages", MFD_CLOEXEC);
	screen.real = screen.messages < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	if (screen.real >= 0)
		dup2(screen.messages, STDERR_FILENO);
}

static void print_messages(void)
{
	char text[512];
	ssize_t got;

	fflush(stderr);
	if (screen.real >= 0) {
		dup2(screen.real, STDERR_FILENO);
		close(screen.real);
		lseek(screen.messages, 0, SEEK_SET);
		while ((got = read(screen.messages, text, sizeof(text))) > 0)
			fwrite(text, 1, got, stderr);
	}
	if (screen.messages >= 0)
		close(screen.messages);
}

int top_screen_open(void)
{
	const char *name = getenv("TERM");

	screen.terminal = newterm(NULL, stdout, stdin);
	if (!screen.terminal)
		return complain("the terminal '%s' is not known, or cannot move its cursor; -b prints screens as text",
				name ? name : "");
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	hold_messages();
	return 0;
}

void top_screen_close(void)
{
	endwin();
	delscreen(screen.terminal);
	print_messages();
}

void top_screen_size(size_t *width, size_t *height)
{
	*width = COLS;
	*height = LINES;
}

/* Lines below the fixed ones that the screen has room for. */
static size_t room(const struct top_lines *lines)
{
	size_t rows = LINES;

	return lines->fixed < rows ? rows - lines->fixed : 0;
}

static size_t last_first(const struct top_lines *lines)
{
	size_t below = lines->count - lines->fixed;

	return below > room(lines) ? below - room(lines) : 0;
}

static void draw_line(size_t row, const struct top_line *line)
{
	attr_t look = line->look == TOP_HEADING ? A_REVERSE :
		      line->look == TOP_WARNING ? A_BOLD : A_NORMAL;

	if (row >= (size_t)LINES)
		return;
	attrset(look);
	mvaddnstr(row, 0, line->text, COLS);
	/* a heading is a bar over the whole width */
	if (line->look == TOP_HEADING && strlen(line->text) < (size_t)COLS)
		hline(' ' | A_REVERSE, COLS - strlen(line->text));
	attrset(A_NORMAL);
}

void top_screen_draw(const struct top_lines *lines)
{
	size_t i;

	if (screen.first > last_first(lines))
		screen.first = last_first(lines);
	erase();
	for (i = 0; i < lines->fixed; i++)
		draw_line(i, &lines->line[i]);
	for (i = 0; i < room(lines) && lines->fixed + screen.first + i < lines->count; i++)
		draw_line(lines->fixed + i, &lines->line[lines->fixed + screen.first + i]);
	refresh();
}

static enum top_key scroll_to(const struct top_lines *lines, size_t first)
{
	screen.first = first;
	top_screen_draw(lines);
	return TOP_KEY_OTHER;
}

enum top_key top_screen_key(const struct top_lines *lines)
{
	size_t page = room(lines) > 1 ? room(lines) - 1 : 1;

	switch (getch()) {
	case ERR:
		return TOP_KEY_NONE;
	case 'q':
	case 'Q':
		return TOP_KEY_QUIT;
	case ' ':
		return TOP_KEY_NOW;
	case 's':
		return TOP_KEY_SOURCES;
	case KEY_RESIZE:
		return TOP_KEY_RESIZED;
	case KEY_DOWN:
		return scroll_to(lines, screen.first + 1);
	case KEY_UP:
		return scroll_to(lines, screen.first ? screen.first - 1 : 0);
	case KEY_NPAGE:
		return scroll_to(lines, screen.first + page);
	case KEY_PPAGE:
		return scroll_to(lines, screen.first > page ? screen.first - page : 0);
	}
	return TOP_KEY_OTHER;
}

#endif /* HAVE_NCURSES */
