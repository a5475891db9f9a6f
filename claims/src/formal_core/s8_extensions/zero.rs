//! The printed policy of Conj. 8.3 in a small model: one sum of sizes, `t = a ^ b …`, whose total is known. Closing
//! takes the open parts one by one. A part that may be discarded becomes 0 (`close_discard`), another one 1∅, whose
//! size is 1 (`close_interior`). A part that is the only open one gets what the others leave of the total. The rules
//! that guess are data here, and evidence alone: closing in this project guesses no size.

use crate::machinery::{Effort, Finding, Witness};

/// The names of the parts.
const NAMES: [&str; 3] = ["a", "b", "c"];
/// The greatest total.
const TOTAL: u64 = 7;

/// A printed rule of closing that guesses the size of a part.
struct Guess {
    name: &'static str,
    /// True if it is for the parts that may be discarded, false if it is for the others.
    discards: bool,
    size: u64,
}

/// The rules that guess, of which one is for each part.
const GUESSES: [Guess; 2] = [
    Guess {
        name: "close_discard",
        discards: true,
        size: 0,
    },
    Guess {
        name: "close_interior",
        discards: false,
        size: 1,
    },
];

/// A part of the sum.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// True if closing may guess that it is empty.
    discardable: bool,
    /// The size of an atom that is below it. In a sum no part is 1∅, so the part has this size.
    above: Option<u64>,
}

/// A sum of a known total.
#[derive(Clone, Debug)]
struct Sum {
    total: u64,
    parts: Vec<Part>,
}

impl Part {
    /// Tells whether a part of this size satisfies the statements about it.
    fn allows(self, size: u64) -> bool {
        (size > 0 || self.discardable) && self.above.is_none_or(|above| above == size)
    }
}

impl Sum {
    /// Returns every sum of two or three parts, the smallest totals first. A part without a bound may be any; the
    /// bounds are those that are given.
    fn all(bounds: &[Option<u64>]) -> Vec<Sum> {
        let kinds: Vec<Part> = [false, true]
            .into_iter()
            .flat_map(|discardable| bounds.iter().map(move |above| (discardable, *above)))
            .map(|(discardable, above)| Part { discardable, above })
            .collect();
        let mut parts: Vec<Vec<Part>> = vec![Vec::new()];
        let mut sums = Vec::new();
        for count in 1..=NAMES.len() {
            let longer = |first: &Vec<Part>| {
                let first = first.clone();
                kinds
                    .iter()
                    .map(move |last| [first.as_slice(), &[*last]].concat())
            };
            parts = parts.iter().flat_map(longer).collect();
            if count >= 2 {
                let of_total = |total| {
                    let parts = parts.iter().cloned();
                    parts.map(move |parts| Sum { total, parts })
                };
                sums.extend((1..=TOTAL).flat_map(of_total));
            }
        }
        sums
    }

    /// Returns the sizes that the policy gives the parts when it takes them in this order; `None` where it fails.
    fn closed(&self, order: &[usize]) -> Option<Vec<u64>> {
        let mut sizes: Vec<Option<u64>> = vec![None; self.parts.len()];
        let mut next = order.iter();
        loop {
            let given: u64 = sizes.iter().flatten().sum();
            let open = sizes.iter().filter(|size| size.is_none()).count();
            let at = *next.find(|at| sizes[**at].is_none())?;
            let part = self.parts[at];
            let mut guesses = GUESSES.iter();
            let guess = guesses.find(|guess| guess.discards == part.discardable)?;
            let size = match open {
                1 => self.total.checked_sub(given)?,
                _ => guess.size,
            };
            // A part that is guessed to be 1∅ is above every atom; the part that gets the rest of the sum is an atom.
            let is_guessed_unit = open > 1 && !part.discardable;
            if !is_guessed_unit && !part.allows(size) {
                return None;
            }
            sizes[at] = Some(size);
            if open == 1 {
                return sizes.into_iter().collect();
            }
        }
    }

    /// Finds sizes of the parts that satisfy the sum.
    fn solution(&self) -> Option<Vec<u64>> {
        let mut found: Vec<Vec<u64>> = vec![Vec::new()];
        for part in &self.parts {
            let longer = |first: &Vec<u64>| {
                let first = first.clone();
                let sizes = (0..=self.total).filter(|size| part.allows(*size));
                sizes.map(move |size| [first.as_slice(), &[size]].concat())
            };
            found = found.iter().flat_map(longer).collect();
        }
        let adds_up = |sizes: &Vec<u64>| sizes.iter().sum::<u64>() == self.total;
        found.into_iter().find(adds_up)
    }

    /// Returns every order in which the parts can be taken.
    fn orders(&self) -> Vec<Vec<usize>> {
        let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in &self.parts {
            let longer = |first: &Vec<usize>| {
                let first = first.clone();
                let rest = (0..self.parts.len()).filter(|at| !first.contains(at));
                let longer: Vec<Vec<usize>> =
                    rest.map(|at| [first.as_slice(), &[at]].concat()).collect();
                longer
            };
            orders = orders.iter().flat_map(longer).collect();
        }
        orders
    }

    /// Writes the sum in the notation; the discardable parts are named in a comment.
    fn text(&self) -> String {
        let named = || self.parts.iter().zip(NAMES);
        let names: Vec<&str> = named().map(|(_, name)| name).collect();
        let mut lines = vec![
            format!("t = {}", names.join(" ^ ")),
            format!("t = {}", self.total),
        ];
        lines.extend(named().filter_map(|(part, name)| Some(format!("{} <= {name}", part.above?))));
        let may_be_empty: Vec<&str> = named()
            .filter_map(|(part, name)| part.discardable.then_some(name))
            .collect();
        if !may_be_empty.is_empty() {
            lines.push(format!("# discardable: {}", may_be_empty.join(", ")));
        }
        lines.join("\n")
    }

    /// Returns the names of parts in an order.
    fn in_words(order: &[usize]) -> String {
        let names: Vec<&str> = order.iter().map(|at| NAMES[*at]).collect();
        names.join(" before ")
    }

    /// Writes the sizes of the parts, with their names.
    fn shown(sizes: Option<Vec<u64>>) -> String {
        let Some(sizes) = sizes else {
            return "failure".into();
        };
        let shown = NAMES.iter().zip(sizes);
        let shown: Vec<String> = shown
            .map(|(name, size)| format!("{name} = {size}"))
            .collect();
        shown.join(", ")
    }
}

fn searched(sums: Vec<Sum>, scope: &str, against: impl Fn(&Sum) -> Option<String>) -> Finding {
    let tried = sums.len() as u64;
    let witness = sums
        .iter()
        .find_map(|sum| Some(Witness::new(sum.text(), against(sum)?)));
    Finding::exhaustive(
        format!(
            "sums of two and three parts with totals up to {TOTAL}, each part discardable or not{scope}; parts are guessed by {}",
            GUESSES.map(|guess| guess.name).join(" and ")
        ),
        tried,
        witness,
    )
}

/// Searches for a sum and an order in which the sizes that closing gives do not satisfy the sum or the statements about
/// its parts. A guessed 1∅ is one position long and is above every atom.
pub fn sound(_: Effort) -> Finding {
    let bounds = [None, Some(2), Some(3)];
    searched(
        Sum::all(&bounds),
        ", and above no atom, 2 or 3; 1∅ is one position long",
        |sum| {
            let all = sum.orders();
            let mut closed = all.iter().filter_map(|order| sum.closed(order));
            let wrong = closed.find(|sizes| {
                let parts = sum.parts.iter().zip(sizes);
                let mut allowed = parts.map(|(part, size)| part.allows(*size) || *size == 1);
                sizes.iter().sum::<u64>() != sum.total || !allowed.all(|allowed| allowed)
            })?;
            Some(format!("closing gives {}", Sum::shown(Some(wrong))))
        },
    )
}

/// Searches for a sum of which the order of the guesses changes the sizes.
pub fn policy(_: Effort) -> Finding {
    searched(Sum::all(&[None]), "", |sum| {
        let orders = sum.orders();
        let first = sum.closed(&orders[0]);
        let other = orders.iter().find(|order| sum.closed(order) != first)?;
        Some(format!(
            "{} gives {}, {} gives {}",
            Sum::in_words(&orders[0]),
            Sum::shown(first),
            Sum::in_words(other),
            Sum::shown(sum.closed(other)),
        ))
    })
}

/// Searches for a sum that has a solution, and on which closing fails in every order.
pub fn cannot_fail(_: Effort) -> Finding {
    let bounds = [None, Some(2), Some(3)];
    searched(Sum::all(&bounds), ", and above no atom, 2 or 3", |sum| {
        let solution = sum.solution()?;
        let fails = sum.orders().iter().all(|order| sum.closed(order).is_none());
        fails.then(|| {
            format!(
                "closing fails in every order, although {} is a solution",
                Sum::shown(Some(solution))
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(discardable: bool, above: Option<u64>) -> Part {
        Part { discardable, above }
    }

    #[test]
    fn guessing_two_empty_parts_first_leaves_all_to_the_third() {
        let parts = vec![part(true, None), part(false, None), part(true, None)];
        let sum = Sum { total: 7, parts };
        assert_eq!(sum.closed(&[0, 2, 1]), Some(vec![0, 7, 0]));
        assert_eq!(sum.closed(&[1, 0, 2]), Some(vec![0, 1, 6]));
        assert_eq!(sum.orders().len(), 6);
    }

    #[test]
    fn an_empty_part_is_not_above_an_atom() {
        let parts = vec![part(true, Some(3)), part(true, None)];
        let sum = Sum { total: 5, parts };
        assert_eq!(sum.closed(&[0, 1]), None);
        assert_eq!(sum.solution(), Some(vec![3, 2]));
    }
}
