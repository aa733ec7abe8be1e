// SPDX-License-Identifier: GPL-2.0
//! Passes over a text: every record from the start state, every overlapping
//! match counted with its pattern id and its end.

use aho_corasick::automaton::{Automaton, OverlappingState};
use aho_corasick::{Anchored, Input};

/// The records of a text; `scanned` is what the automaton reads.
pub struct Text<'a> {
    pub raw: &'a [u8],
    pub scanned: &'a [u8],
    pub ends: &'a [u32],
}

/// The patterns that a key of the automaton represents.
pub enum Keys {
    /// Key i is pattern i, and a hit of it is a match.
    Plain,
    /// Key i represents `members[i]`; those with bytes in `exact` must be
    /// compared with the raw text.
    Grouped {
        members: Vec<Vec<u32>>,
        exact: Vec<Option<Box<[u8]>>>,
    },
}

/// The number of matches, and a sum over ids and ends that all matchers share.
#[derive(Default)]
pub struct Hits {
    pub matches: u64,
    pub sum: u64,
}

impl Hits {
    #[inline(always)]
    fn add(&mut self, id: u32, end: usize) {
        self.matches += 1;
        self.sum = self
            .sum
            .wrapping_add(u64::from(id).wrapping_mul(0x9e37_79b1))
            .wrapping_add(end as u64);
    }
}

/// Where a pass reports the hits of one record.
pub struct Sink<'a> {
    keys: &'a Keys,
    raw: &'a [u8],
    hits: Hits,
}

impl Sink<'_> {
    #[inline(always)]
    pub fn hit(&mut self, key: u32, end: usize) {
        match self.keys {
            Keys::Plain => self.hits.add(key, end),
            Keys::Grouped { members, exact } => self.members(&members[key as usize], exact, end),
        }
    }

    fn members(&mut self, members: &[u32], exact: &[Option<Box<[u8]>>], end: usize) {
        for &id in members {
            match &exact[id as usize] {
                Some(bytes) if raw_differs(self.raw, bytes, end) => {}
                _ => self.hits.add(id, end),
            }
        }
    }
}

fn raw_differs(raw: &[u8], bytes: &[u8], end: usize) -> bool {
    raw[end - bytes.len()..end] != *bytes
}

/// Calls `scan` for each record of the text, with a sink for its hits.
#[inline(always)]
pub fn each<F>(keys: &Keys, text: &Text, mut scan: F) -> Hits
where
    F: FnMut(&[u8], &mut Sink),
{
    let mut sink = Sink {
        keys,
        raw: &[],
        hits: Hits::default(),
    };
    let mut start = 0;
    for &end in text.ends {
        let end = end as usize;
        sink.raw = &text.raw[start..end];
        scan(&text.scanned[start..end], &mut sink);
        start = end;
    }
    sink.hits
}

/// The crate's own overlapping search, with its prefilter where it has one.
pub fn by_iterator<A: Automaton>(aut: &A, keys: &Keys, text: &Text) -> Hits {
    each(keys, text, |record, sink| {
        let input = Input::new(record);
        let mut state = OverlappingState::start();
        while aut.try_find_overlapping(&input, &mut state).is_ok() {
            match state.get_match() {
                Some(m) => sink.hit(m.pattern().as_u32(), m.end()),
                None => break,
            }
        }
    })
}

/// State by state through the crate's low-level interface.
pub fn by_states<A: Automaton>(aut: &A, keys: &Keys, text: &Text) -> Hits {
    let Ok(start) = aut.start_state(Anchored::No) else {
        return Hits::default();
    };
    each(keys, text, |record, sink| {
        let mut sid = start;
        for (at, &byte) in record.iter().enumerate() {
            sid = aut.next_state(Anchored::No, sid, byte);
            if aut.is_special(sid) && aut.is_match(sid) {
                for i in 0..aut.match_len(sid) {
                    sink.hit(aut.match_pattern(sid, i).as_u32(), at + 1);
                }
            }
        }
    })
}
