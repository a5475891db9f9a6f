//! Conj. 8.2, where an equation between derived indices is to hold instead of being checked: `a·o + b·k = c·p + d·q`
//! over loop variables that may be identified. A partition of the variables makes it hold if it does at every point of
//! the loops.

use crate::machinery::{Effort, Finding, Witness};

const NAMES: [&str; 4] = ["o", "k", "p", "q"];

/// The class of each variable; classes are numbered by first occurrence.
type Partition = [usize; 4];

/// Returns every partition of four variables.
fn partitions() -> Vec<Partition> {
    let mut all = Vec::new();
    for code in 0..256usize {
        let partition: Partition = std::array::from_fn(|at| code >> (2 * at) & 3);
        let numbered = (0..4).all(|at| {
            let before = partition[..at].iter().max().map_or(0, |most| most + 1);
            partition[at] <= before
        });
        if numbered {
            all.push(partition);
        }
    }
    all
}

/// Tells whether the first partition identifies nothing that the other does not.
fn is_finer(first: &Partition, other: &Partition) -> bool {
    (0..4).all(|a| (0..a).all(|b| first[a] != first[b] || other[a] == other[b]))
}

/// An equation with the sizes of its variables.
struct Equation {
    coefficients: [i64; 4],
    sizes: [i64; 4],
}

impl Equation {
    /// Tells whether it holds at every point where variables of one class are equal. Classes have one size.
    fn holds(&self, partition: &Partition) -> bool {
        let same_size = (0..4).all(|a| {
            (0..a).all(|b| partition[a] != partition[b] || self.sizes[a] == self.sizes[b])
        });
        // The largest sizes are 3, so two bits are enough for each coordinate.
        same_size
            && (0..256usize).all(|code| {
                let value: [i64; 4] =
                    std::array::from_fn(|at| (code >> (2 * partition[at]) & 3) as i64);
                let inside = value
                    .iter()
                    .zip(self.sizes)
                    .all(|(value, size)| *value < size);
                let sum = |signs: [i64; 4]| -> i64 {
                    (0..4)
                        .map(|at| signs[at] * self.coefficients[at] * value[at])
                        .sum()
                };
                !inside || sum([1, 1, -1, -1]) == 0
            })
    }

    /// Returns the partitions that make it hold and that none finer does.
    fn least(&self) -> Vec<Partition> {
        let all: Vec<Partition> = partitions().into_iter().filter(|p| self.holds(p)).collect();
        let is_least = |p: &Partition| !all.iter().any(|other| other != p && is_finer(other, p));
        all.iter().copied().filter(|p| is_least(p)).collect()
    }

    fn text(&self) -> String {
        let [a, b, c, d] = self.coefficients;
        let [o, k, p, q] = self.sizes;
        format!("{a}*o + {b}*k = {c}*p + {d}*q\no = {o}\nk = {k}\np = {p}\nq = {q}")
    }
}

fn shown(partition: &Partition) -> String {
    let classes = (0..4).map(|class| {
        let members: Vec<&str> = (0..4)
            .filter(|at| partition[*at] == class)
            .map(|at| NAMES[at])
            .collect();
        members.join(" = ")
    });
    let classes: Vec<String> = classes.filter(|class| class.contains('=')).collect();
    format!("{{{}}}", classes.join(", "))
}

/// Tries every equation with coefficients 1 and 2 and sizes 2 and 3.
pub fn search(_: Effort) -> Finding {
    let (mut one, mut several, mut none) = (0u64, 0u64, 0u64);
    let mut witness = None;
    for code in 0..256 {
        let bit = |at: usize| 1 + i64::from(code >> at & 1 == 1);
        let equation = Equation {
            coefficients: std::array::from_fn(bit),
            sizes: std::array::from_fn(|at| 1 + bit(4 + at)),
        };
        let least = equation.least();
        match least.len() {
            0 => none += 1,
            1 => one += 1,
            _ => several += 1,
        }
        if let (None, [first, second, ..]) = (&witness, least.as_slice()) {
            witness = Some(Witness::new(
                equation.text(),
                format!(
                    "both {} and {} make it hold, and nothing less does",
                    shown(first),
                    shown(second)
                ),
            ));
        }
    }
    let scope = format!(
        "equations of two sums of two loop variables, with coefficients 1 and 2 and sizes 2 and 3: {one} have one least partition, \
         {several} have several, and no partition makes {none} hold"
    );
    Finding::exhaustive(scope, 256, witness)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_variables_have_fifteen_partitions() {
        assert_eq!(partitions().len(), 15);
    }

    #[test]
    fn a_difference_of_strides_leaves_one_partition_and_a_sum_with_one_more_none() {
        let equation = |coefficients| Equation {
            coefficients,
            sizes: [2; 4],
        };
        assert_eq!(equation([1, 1, 1, 1]).least(), [[0, 1, 1, 0], [0, 1, 0, 1]]);
        assert_eq!(equation([2, 1, 2, 1]).least(), [[0, 1, 0, 1]]);
        assert!(equation([2, 1, 1, 1]).least().is_empty());
    }
}
