// SPDX-License-Identifier: GPL-2.0
/*
 * Events to systemd's journal, by sd_journal_send().
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "common/device.h"
#include "journal.h"
#include "text.h"
#include "common/message.h"

#ifdef HAVE_JOURNAL
/* the place in our source is of no interest */
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <syslog.h>
#include <systemd/sd-journal.h>

#define JOURNAL_SOCKET	"/run/systemd/journal/socket"

int event_journal_check(void)
{
	/* without a journal sd_journal_send() succeeds, and does nothing */
	if (access(JOURNAL_SOCKET, W_OK))
		return complain_at(JOURNAL_SOCKET, 0, "%m: no journal runs here");
	return 0;
}

void event_journal(const struct nfac_event *event, const struct pattern_text *text,
		   uint64_t folded)
{
	char source[EVENT_ADDRESS_ROOM], target[EVENT_ADDRESS_ROOM], when[40], protocol[16];
	static bool reported;
	int err;

	event_time(when, sizeof(when), event->time_ns, 'T');
	event_address(source, event, event->saddr);
	event_address(target, event, event->daddr);
	event_protocol(protocol, sizeof(protocol), event, false);
	err = sd_journal_send("MESSAGE=%.*s: pattern %" PRIu32 " \"%s\" at offset %" PRId64
			      ", length %" PRIu32 ", %s %s port %u > %s port %u, %s",
			      NFAC_NAME_LEN, event->set, text->shown, text->plain,
			      (int64_t)event->offset, event->length, protocol, source,
			      event->sport, target, event->dport, event_verdict(event),
			      "PRIORITY=%d", LOG_WARNING,
			      "SYSLOG_IDENTIFIER=nfac",
			      "NFAC_TIME=%sZ", when,
			      "NFAC_SET=%.*s", NFAC_NAME_LEN, event->set,
			      "NFAC_PATTERN_ID=%" PRIu32, text->shown,
			      "NFAC_PATTERN=%s", text->plain,
			      "NFAC_LABEL=%s", text->label ? text->label : "",
			      "NFAC_OFFSET=%" PRId64, (int64_t)event->offset,
			      "NFAC_LENGTH=%" PRIu32, event->length,
			      "NFAC_PROTO=%s", protocol,
			      "NFAC_SRC=%s", source,
			      "NFAC_SPORT=%u", event->sport,
			      "NFAC_DST=%s", target,
			      "NFAC_DPORT=%u", event->dport,
			      "NFAC_HOOK=%s", hook_name(event->hook),
			      "NFAC_ATTACHMENT=%" PRIu32, event->attachment,
			      "NFAC_PACKET=%" PRIu64, (uint64_t)event->packet,
			      "NFAC_MARK=%" PRIu32, event->mark,
			      "NFAC_VERDICT=%s", event_verdict(event),
			      "NFAC_LOST=%" PRIu32, event->lost,
			      "NFAC_FOLDED=%" PRIu64, folded,
			      NULL);
	if (err < 0 && !reported) {
		reported = true;
		complain("the journal does not take an event: %s", strerror(-err));
	}
}

#else /* !HAVE_JOURNAL */

int event_journal_check(void)
{
	return complain("--journal: nfac was built without libsystemd");
}

void event_journal(const struct nfac_event *event, const struct pattern_text *text,
		   uint64_t folded)
{
	(void)event;
	(void)text;
	(void)folded;
}

#endif /* HAVE_JOURNAL */
