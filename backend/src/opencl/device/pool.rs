//! The sharing of a buffer by tensors: two may overlap there if no launch lies within the lifetimes of both.
//!
//! All lifetimes are known before the first launch, so the tensors can be placed by size as well as by time, and the
//! way that takes least room is chosen. The crate `offset-allocator` was considered. It divides a block of a size that
//! is given beforehand, and answers one request at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

/// The launches between which the values of a tensor are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lifetime {
    /// The number of values of the tensor.
    pub values: u64,
    /// The launch that writes it first.
    pub first: usize,
    /// The last launch that touches it.
    pub last: usize,
}

/// The places of some tensors in a buffer that they share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pool {
    /// The beginning of the values of each tensor.
    pub places: Vec<u64>,
    /// The number of values of the buffer.
    pub values: u64,
}

/// The number of values at whose multiples tensors begin, which is a cache line.
const ALIGNED: u64 = 16;

/// The parts of the buffer that no tensor occupies, by their beginning.
#[derive(Default)]
struct Free {
    lengths: BTreeMap<u64, u64>,
    /// The same parts by length and beginning.
    by_length: BTreeSet<(u64, u64)>,
}

impl Free {
    fn remove(&mut self, at: u64) -> Option<u64> {
        let length = self.lengths.remove(&at)?;
        self.by_length.remove(&(length, at));
        Some(length)
    }

    /// Adds a part, as one with the free parts beside it.
    fn add(&mut self, mut at: u64, mut length: u64) {
        let before = self.lengths.range(..at).next_back();
        if let Some((begin, _)) = before.filter(|(begin, length)| *begin + *length == at) {
            at = *begin;
            length += self.remove(at).unwrap_or_default();
        }
        length += self.remove(at + length).unwrap_or_default();
        self.lengths.insert(at, length);
        self.by_length.insert((length, at));
    }

    /// Takes a part of this length: from the shortest part that is long enough, or else from the end of the buffer,
    /// which becomes longer.
    fn take(&mut self, length: u64, values: &mut u64) -> u64 {
        let last = self.lengths.last_key_value();
        let last = last.filter(|(at, length)| *at + *length == *values);
        let fitting = self.by_length.range((length, 0)..).next();
        let at = match (fitting, last) {
            (Some((_, at)), _) => *at,
            (None, Some((at, _))) => *at,
            (None, None) => *values,
        };
        let found = self.remove(at).unwrap_or_default();
        if found > length {
            self.add(at + length, found - length);
        }
        *values = (*values).max(at + length);
        at
    }
}

/// The most tensors that are placed by size, which compares each with all that are placed already.
const BY_SIZE: usize = 2048;

/// Divides buffers among the tensors: those that are there, which end at `ends` and of which each begins where the one
/// before ends, and a further one behind them for the tensors that do not fit. No tensor lies in two buffers. Of some
/// divisions the one that takes the least room is chosen.
pub(super) fn assign(lifetimes: &[Lifetime], ends: &[u64]) -> Pool {
    let by_time = by_time(lifetimes);
    let mut ways = vec![in_one(by_time, ends)];
    if lifetimes.len() <= BY_SIZE {
        ways.push(by_size(lifetimes, ends));
        ways.push(in_one(by_size(lifetimes, &[]), ends));
    }
    ways.into_iter()
        .min_by_key(|pool| pool.values)
        .unwrap_or_default()
}

/// Puts the division into one of the buffers, or into a further one if none is large enough.
fn in_one(mut pool: Pool, ends: &[u64]) -> Pool {
    let begins = iter::once(0).chain(ends.iter().copied());
    let mut large = begins.zip(ends.iter().map(Some).chain([None]));
    let fitting = large.find(|(begin, end)| end.is_none_or(|end| begin + pool.values <= *end));
    let (begin, _) = fitting.unwrap_or_default();
    for place in &mut pool.places {
        *place += begin;
    }
    pool.values += begin;
    pool
}

/// Returns the room that a tensor takes.
fn length(one: &Lifetime) -> u64 {
    one.values.max(1).next_multiple_of(ALIGNED)
}

/// Places the largest tensor first, each in the smallest gap between those that are needed at one time with it. Buffers
/// end at `ends`.
fn by_size(lifetimes: &[Lifetime], ends: &[u64]) -> Pool {
    let mut order: Vec<usize> = (0..lifetimes.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(lifetimes[*at].values), *at));
    let mut pool = Pool {
        places: vec![0; lifetimes.len()],
        values: 0,
    };
    let mut placed: Vec<usize> = Vec::with_capacity(order.len());
    for at in order {
        let one = &lifetimes[at];
        let together = |other: &&usize| {
            let other = &lifetimes[**other];
            other.first <= one.last && one.first <= other.last
        };
        let others = placed.iter().filter(together);
        let others = others.map(|other| {
            let place = pool.places[*other];
            (place, place + length(&lifetimes[*other]))
        });
        // A gap ends with its buffer.
        let mut taken: Vec<(u64, u64)> =
            others.chain(ends.iter().map(|end| (*end, *end))).collect();
        taken.sort_unstable();
        let mut end = 0;
        let mut best: Option<(u64, u64)> = None;
        for (begin, behind) in taken {
            let gap = begin.saturating_sub(end);
            if gap >= length(one) && best.is_none_or(|(least, _)| gap < least) {
                best = Some((gap, end));
            }
            end = end.max(behind);
        }
        pool.places[at] = best.map_or(end, |(_, place)| place);
        pool.values = pool.values.max(pool.places[at] + length(one));
        placed.push(at);
    }
    pool
}

/// Places the tensors in one pass over the launches: a tensor takes the shortest free part that is long enough. Large
/// tensors that begin together choose first.
fn by_time(lifetimes: &[Lifetime]) -> Pool {
    let mut order: Vec<usize> = (0..lifetimes.len()).collect();
    order.sort_by_key(|at| {
        let one = &lifetimes[*at];
        (one.first, std::cmp::Reverse(one.values), *at)
    });
    let mut pool = Pool {
        places: vec![0; lifetimes.len()],
        values: 0,
    };
    let mut free = Free::default();
    // The tensors that have a place, by the last launch that touches them.
    let mut placed: BTreeSet<(usize, usize)> = BTreeSet::new();
    for at in order {
        let one = &lifetimes[at];
        while let Some((last, done)) = placed
            .first()
            .copied()
            .filter(|(last, _)| *last < one.first)
        {
            placed.remove(&(last, done));
            free.add(pool.places[done], length(&lifetimes[done]));
        }
        pool.places[at] = free.take(length(one), &mut pool.values);
        placed.insert((one.last, at));
    }
    pool
}

/// Returns the most values that are needed at one launch. No division among buffers takes fewer.
pub(super) fn least(lifetimes: &[Lifetime]) -> u64 {
    let mut changes: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
    for one in lifetimes {
        changes.entry(one.first).or_default().0 += one.values;
        changes.entry(one.last + 1).or_default().1 += one.values;
    }
    let (mut held, mut most) = (0, 0);
    for (begun, ended) in changes.into_values() {
        held = held - ended + begun;
        most = most.max(held);
    }
    most
}

/// Finds two tensors that overlap and are needed at one launch, or a tensor that reaches beyond the buffer in which it
/// begins, if there is such a mistake. It does not depend on how the places were chosen.
pub(super) fn mistake(lifetimes: &[Lifetime], pool: &Pool, ends: &[u64]) -> Option<String> {
    let mut changes: Vec<(usize, bool, usize)> = Vec::new();
    for (at, one) in lifetimes.iter().enumerate() {
        let place = pool.places.get(at);
        let end = place.and_then(|place| place.checked_add(one.values));
        let own = |place: u64| ends.iter().find(|end| place < **end).copied();
        let room = place.map_or(0, |place| own(*place).unwrap_or(pool.values));
        if end.is_none_or(|end| end > room) || one.last < one.first {
            return Some(format!("tensor {at} does not fit the shared buffer"));
        }
        changes.push((one.first, true, at));
        changes.push((one.last + 1, false, at));
    }
    // At each launch, tensors end before others begin.
    changes.sort_unstable();
    let mut held: BTreeMap<u64, u64> = BTreeMap::new();
    for (_, begins, at) in changes {
        let (place, values) = (pool.places[at], lifetimes[at].values);
        if !begins {
            held.remove(&place);
            continue;
        }
        let before = held.range(..place + values).next_back();
        if before.is_some_and(|(other, values)| other + values > place) {
            return Some(format!("tensor {at} overlaps another one that is needed"));
        }
        held.insert(place, values);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lifetime(values: u64, first: usize, last: usize) -> Lifetime {
        Lifetime {
            values,
            first,
            last,
        }
    }

    #[test]
    fn a_chain_takes_the_room_of_two() {
        let chain: Vec<Lifetime> = (0..100).map(|at| lifetime(64, at, at + 1)).collect();
        let pool = assign(&chain, &[]);
        assert_eq!(pool.values, 128);
        assert_eq!(least(&chain), 128);
        assert_eq!(mistake(&chain, &pool, &[]), None);
    }

    #[test]
    fn small_tensors_take_the_place_of_a_large_one() {
        let large = [
            lifetime(96, 0, 0),
            lifetime(32, 1, 2),
            lifetime(64, 1, 1),
            lifetime(64, 2, 2),
            lifetime(128, 3, 3),
        ];
        let pool = assign(&large, &[]);
        assert_eq!((pool.places, pool.values), (vec![0, 64, 0, 0, 0], 128));
    }

    /// Of three tensors at one time two go into the buffers that are there, and the third into one of its own length.
    #[test]
    fn buffers_that_are_there_are_used() {
        let three = [lifetime(64, 0, 1), lifetime(96, 0, 1), lifetime(32, 0, 1)];
        let pool = assign(&three, &[80, 144]);
        assert_eq!(
            pool,
            Pool {
                places: vec![80, 144, 0],
                values: 240
            }
        );
        assert_eq!(mistake(&three, &pool, &[80, 144]), None);
        let alone = assign(&three[..1], &[32, 128]);
        assert_eq!((alone.places, alone.values), (vec![32], 96));
    }

    #[test]
    fn mistakes_are_found() {
        let both = [lifetime(4, 0, 2), lifetime(4, 2, 3)];
        let found = |places: [u64; 2], values: u64| {
            let places = places.to_vec();
            mistake(&both, &Pool { places, values }, &[]).is_some()
        };
        assert!(!found([0, 4], 8));
        assert!(!found([4, 0], 8));
        assert!(found([0, 0], 8), "one place");
        assert!(found([0, 3], 8), "the end of the first");
        assert!(found([3, 0], 8), "the beginning of the first");
        assert!(found([0, 4], 7), "too short");
        let beyond = Pool {
            places: vec![0, 6],
            values: 10,
        };
        assert!(mistake(&both, &beyond, &[8]).is_some(), "in two buffers");
        assert_eq!(mistake(&both, &beyond, &[6]), None);
        let apart = [lifetime(4, 0, 1), lifetime(4, 2, 3)];
        let places = vec![0, 0];
        assert_eq!(mistake(&apart, &Pool { places, values: 4 }, &[]), None);
    }

    #[test]
    fn drawn_lifetimes_share_without_mistakes_and_near_the_least() {
        let mut state = 7_u64;
        let mut draw = |most: u64| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) % most
        };
        let mut together = [0; 2];
        for _ in 0..300 {
            let count = 1 + draw(60);
            let all: Vec<Lifetime> = (0..count)
                .map(|_| {
                    let first = draw(40) as usize;
                    lifetime(32 * (1 + draw(50)), first, first + draw(10) as usize)
                })
                .collect();
            for pool in [by_time(&all), by_size(&all, &[])] {
                assert_eq!(mistake(&all, &pool, &[]), None, "{all:?}");
                assert!(least(&all) <= pool.values, "{all:?}");
                assert!(pool.values <= 2 * least(&all), "{all:?}");
            }
            together[0] += least(&all);
            together[1] += assign(&all, &[]).values;
            // The same in buffers that are there.
            let ends: Vec<u64> = (1..=draw(4))
                .map(|end| end * 16 * (1 + draw(200)))
                .collect();
            let ends: Vec<u64> = BTreeSet::from_iter(ends).into_iter().collect();
            let pool = assign(&all, &ends);
            assert_eq!(mistake(&all, &pool, &ends), None, "{all:?} {ends:?}");
            let behind = ends.last().copied().unwrap_or_default();
            assert!(pool.values <= behind + assign(&all, &[]).values);
        }
        // On the average one part in twenty more than the least.
        assert!(together[1] * 20 <= together[0] * 21, "{together:?}");
    }
}
