// SPDX-License-Identifier: GPL-2.0
//! The Rust peers behind the C interface of `peers.h`.
//!
//! One handle is one automaton over one set. None of the peers can mix exact
//! and caseless patterns, so a set with any caseless pattern is built from
//! lower-case patterns and scanned over lower-case text (the caller lowers it,
//! outside of the measured time). A hit of a key that stands for an exact
//! pattern is then compared with the raw text, as every user of these crates
//! has to do; sets that are all exact or all caseless skip that step.

mod search;

use aho_corasick::automaton::Automaton;
use aho_corasick::{dfa, nfa::contiguous, MatchKind};
use search::{Hits, Keys, Text};
use std::collections::HashMap;
use std::ffi::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// A pattern as C hands it over; the bytes are borrowed for the build alone.
#[repr(C)]
pub struct PeerPattern {
    bytes: *const u8,
    len: u32,
    nocase: u32,
}

/// What a pass over a text found.
#[repr(C)]
pub struct PeerHits {
    matches: u64,
    sum: u64,
}

enum Engine {
    Nfa(contiguous::NFA),
    Dfa(dfa::DFA),
    Daachorse1(daachorse1::DoubleArrayAhoCorasick<u32>),
    Daachorse5(daachorse5::DoubleArrayAhoCorasick<u32>),
}

pub struct Peer {
    engine: Engine,
    keys: Keys,
    /// Scans the lower-case copy of a text.
    fold: bool,
}

const KIND_NFA: u32 = 0;
const KIND_DFA: u32 = 1;
const KIND_DAACHORSE1: u32 = 2;
const KIND_DAACHORSE5: u32 = 3;

/// The distinct keys to build from, and the patterns that each represents.
fn make_keys(patterns: &[PeerPattern], fold: bool) -> (Vec<Vec<u8>>, Keys) {
    let mut keys: Vec<Vec<u8>> = Vec::with_capacity(patterns.len());
    let mut members: Vec<Vec<u32>> = Vec::new();
    let mut seen: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut exact: Vec<Option<Box<[u8]>>> = Vec::new();
    let mut plain = true;

    for (id, p) in patterns.iter().enumerate() {
        // SAFETY: the caller promises `len` readable bytes at `bytes`.
        let raw = unsafe { std::slice::from_raw_parts(p.bytes, p.len as usize) };
        let key = if fold {
            raw.to_ascii_lowercase()
        } else {
            raw.to_vec()
        };
        let needs_check = fold && p.nocase == 0;
        let at = *seen.entry(key.clone()).or_insert_with(|| {
            keys.push(key);
            members.push(Vec::new());
            keys.len() - 1
        });
        members[at].push(id as u32);
        plain &= !needs_check && at == id;
        exact.push(needs_check.then(|| raw.into()));
    }
    let keys_out = if plain {
        Keys::Plain
    } else {
        Keys::Grouped { members, exact }
    };
    (keys, keys_out)
}

fn build(kind: u32, patterns: &[PeerPattern]) -> Option<Peer> {
    let fold = patterns.iter().any(|p| p.nocase != 0);
    let (bytes, keys) = make_keys(patterns, fold);
    let engine = match kind {
        KIND_NFA => Engine::Nfa(
            contiguous::Builder::new()
                .match_kind(MatchKind::Standard)
                .build(&bytes)
                .ok()?,
        ),
        KIND_DFA => Engine::Dfa(
            dfa::Builder::new()
                .match_kind(MatchKind::Standard)
                .build(&bytes)
                .ok()?,
        ),
        KIND_DAACHORSE1 => {
            Engine::Daachorse1(daachorse1::DoubleArrayAhoCorasick::new(&bytes).ok()?)
        }
        KIND_DAACHORSE5 => {
            Engine::Daachorse5(daachorse5::DoubleArrayAhoCorasick::new(&bytes).ok()?)
        }
        _ => return None,
    };
    Some(Peer { engine, keys, fold })
}

fn bytes_of(peer: &Peer) -> usize {
    match &peer.engine {
        Engine::Nfa(a) => a.memory_usage(),
        Engine::Dfa(a) => a.memory_usage(),
        Engine::Daachorse1(a) => a.heap_bytes(),
        Engine::Daachorse5(a) => a.heap_bytes(),
    }
}

/// How many ways of calling it this kind has; the bench takes the fastest.
fn variants_of(kind: u32) -> u32 {
    match kind {
        KIND_NFA | KIND_DFA => 2,
        _ => 1,
    }
}

fn count(peer: &Peer, variant: u32, text: &Text) -> Hits {
    match (&peer.engine, variant) {
        (Engine::Nfa(a), 0) => search::by_iterator(a, &peer.keys, text),
        (Engine::Nfa(a), _) => search::by_states(a, &peer.keys, text),
        (Engine::Dfa(a), 0) => search::by_iterator(a, &peer.keys, text),
        (Engine::Dfa(a), _) => search::by_states(a, &peer.keys, text),
        (Engine::Daachorse1(a), _) => search::each(&peer.keys, text, |record, sink| {
            for m in a.find_overlapping_iter(record) {
                sink.hit(m.value(), m.end());
            }
        }),
        (Engine::Daachorse5(a), _) => search::each(&peer.keys, text, |record, sink| {
            for m in a.find_overlapping_iter(record) {
                sink.hit(m.value(), m.end());
            }
        }),
    }
}

/// Builds the automaton `kind` of `n` patterns; null when the crate refuses.
///
/// # Safety
/// `patterns` points to `n` patterns whose bytes are readable.
#[no_mangle]
pub unsafe extern "C" fn peer_build(
    kind: u32,
    patterns: *const PeerPattern,
    n: usize,
) -> *mut c_void {
    let patterns = std::slice::from_raw_parts(patterns, n);
    match catch_unwind(AssertUnwindSafe(|| build(kind, patterns))) {
        Ok(Some(peer)) => Box::into_raw(Box::new(peer)).cast(),
        _ => std::ptr::null_mut(),
    }
}

/// The memory the automaton holds, as its own crate reports it.
///
/// # Safety
/// `peer` came from `peer_build`.
#[no_mangle]
pub unsafe extern "C" fn peer_bytes(peer: *const c_void) -> usize {
    bytes_of(&*peer.cast::<Peer>())
}

#[no_mangle]
pub extern "C" fn peer_variants(kind: u32) -> u32 {
    variants_of(kind)
}

/// Scans all records of a text, each from the automaton's start.
///
/// # Safety
/// `peer` came from `peer_build`; `raw`, and for a set with caseless
/// patterns `folded`, have `ends[n - 1]` bytes.
#[no_mangle]
pub unsafe extern "C" fn peer_count(
    peer: *const c_void,
    variant: u32,
    raw: *const u8,
    folded: *const u8,
    ends: *const u32,
    n: usize,
) -> PeerHits {
    let peer = &*peer.cast::<Peer>();
    let ends = std::slice::from_raw_parts(ends, n);
    let scanned = if peer.fold { folded } else { raw };
    let len = ends.last().map_or(0, |&e| e as usize);
    let text = Text {
        raw: std::slice::from_raw_parts(raw, len),
        scanned: std::slice::from_raw_parts(scanned, len),
        ends,
    };
    let hits = count(peer, variant, &text);
    PeerHits {
        matches: hits.matches,
        sum: hits.sum,
    }
}

/// # Safety
/// `peer` came from `peer_build` and is not used again.
#[no_mangle]
pub unsafe extern "C" fn peer_free(peer: *mut c_void) {
    drop(Box::from_raw(peer.cast::<Peer>()));
}
