#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Validates lines of EVE JSON: eve_schema.py <FILE. Prints what is wrong, and the number of lines.

Field names and types are those of Suricata's etc/schema.json for events of the types alert and
stats, as far as nfac has them; another field is an error, as there. Releases of Suricata 7 do not
contain that file. In alert.metadata any key is accepted, with a list of strings: Suricata copies
what a rule has there.
"""
import json
import sys

import jsonschema

TEXT = {"type": "string"}
PORT = {"type": "integer", "minimum": 0, "maximum": 65535}


def closed(required, **properties):
    return {"type": "object", "additionalProperties": False, "required": required.split(),
            "properties": properties}


COUNT = {"type": "integer", "minimum": 0}
TIMESTAMP = {"type": "string",
             "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d+[+\-]\d+$"}

STATS = closed(
    "timestamp event_type stats",
    timestamp=TIMESTAMP,
    event_type={"const": "stats"},
    stats=closed(
        "uptime",
        uptime=COUNT,
        capture=closed("", kernel_packets=COUNT, kernel_drops=COUNT),
        decoder=closed("", pkts=COUNT, bytes=COUNT),
        detect=closed("", alert=COUNT),
        ips=closed("", accepted=COUNT, blocked=COUNT, rejected=COUNT, replaced=COUNT)))

ALERT = closed(
    "timestamp event_type flow_id src_ip dest_ip proto alert",
    timestamp=TIMESTAMP,
    event_type={"const": "alert"},
    flow_id={"type": "integer", "minimum": 0},
    in_iface=TEXT,
    src_ip=TEXT, src_port=PORT,
    dest_ip=TEXT, dest_port=PORT,
    proto=TEXT, app_proto=TEXT,
    http=closed(
        "", hostname=TEXT, url=TEXT, http_user_agent=TEXT, http_content_type=TEXT, http_refer=TEXT,
        http_method=TEXT, protocol=TEXT, status=COUNT, length=COUNT),
    dns=closed("query", query={"type": "array", "items": closed(
        "type rrname", type=TEXT, rrname=TEXT)}),
    tls=closed("", sni=TEXT, subject=TEXT, issuerdn=TEXT, serial=TEXT),
    alert=closed(
        "action gid signature_id rev signature category severity",
        action={"enum": ["allowed", "blocked"]},
        gid={"type": "integer"}, signature_id={"type": "integer"}, rev={"type": "integer"},
        signature=TEXT, category=TEXT,
        severity={"type": "integer", "minimum": 1, "maximum": 255},
        metadata={"type": "object", "additionalProperties": {"type": "array", "items": TEXT}}))


def main():
    alert, stats = jsonschema.Draft7Validator(ALERT), jsonschema.Draft7Validator(STATS)
    lines = 0
    for line in sys.stdin:
        lines += 1
        record = json.loads(line)
        validator = stats if record.get("event_type") == "stats" else alert
        for error in validator.iter_errors(record):
            print(f"line {lines}: {'.'.join(map(str, error.path))}: {error.message}")
    print(lines, "lines")


main()
