//! Whether two points of a box have the same image under sums of their coordinates.
//!
//! They have exactly when some difference of coordinates, not all of them 0, makes every sum 0. Each difference is below the
//! size of its factor. Those that must be 0 are found first, to a fixpoint:
//!
//! - a coordinate whose coefficient is larger than all that the others of a sum can make up for,
//! - a coordinate whose differences must be multiples of a number that is not below its size, because all other
//!   coefficients of a sum are.
//!
//! For one sum of two terms that decides: with coefficients `s`, `t`, sizes `m`, `n` and `g` their greatest common divisor, no
//! two points meet exactly when `t/g >= m` or `s/g >= n`. What is left is searched within a budget.

/// What is known of two points of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collision {
    /// No two have one image.
    None,
    /// Some two have.
    Found,
    /// The search reached its budget. Two may have one image.
    Undecided,
}

/// How many partial differences are looked at.
const BUDGET: u64 = 1 << 17;

/// Decides it for sums, each with coefficients and the numbers of their factors, over factors of these sizes. A factor longer
/// than 1 that is in no sum makes points collide.
pub fn collision(sums: &[Vec<(u64, usize)>], sizes: &[u64]) -> Collision {
    let mut differences = Differences::new(sums, sizes);
    if !differences.pin() {
        return Collision::Undecided;
    }
    differences.search()
}

/// A coordinate that may differ, by its factor's size less 1, and whether it is known that it does not.
struct Differences<'s> {
    sums: &'s [Vec<(u64, usize)>],
    /// The largest difference of each factor: 0 once it is known to be none.
    most: Vec<u64>,
    budget: u64,
}

impl<'s> Differences<'s> {
    fn new(sums: &'s [Vec<(u64, usize)>], sizes: &[u64]) -> Differences<'s> {
        Differences {
            sums,
            most: sizes.iter().map(|size| size.saturating_sub(1)).collect(),
            budget: BUDGET,
        }
    }

    /// Takes from the budget; false where it is used up.
    fn pay(&mut self, steps: usize) -> bool {
        let left = self.budget.checked_sub(steps as u64);
        self.budget = left.unwrap_or(0);
        left.is_some()
    }

    /// The terms of a sum that may still differ.
    fn open(&self, sum: &[(u64, usize)]) -> Vec<(u64, usize)> {
        let open = sum.iter().filter(|(_, factor)| self.most[*factor] > 0);
        open.copied().collect()
    }

    /// Finds the differences that must be 0, to a fixpoint; false where the budget was used up.
    fn pin(&mut self) -> bool {
        loop {
            let mut found = false;
            for sum in self.sums {
                let open = self.open(sum);
                if !self.pay(open.len()) {
                    return false;
                }
                let reach = |(c, factor): &(u64, usize)| {
                    u128::from(*c).saturating_mul(u128::from(self.most[*factor]))
                };
                let total = open.iter().map(reach).fold(0, u128::saturating_add);
                let others = gcds_of_the_others(&open);
                let pinned: Vec<usize> = open
                    .iter()
                    .zip(others)
                    .filter(|(term @ (c, factor), others)| {
                        let too_large = u128::from(*c) > total - reach(term);
                        // Of the others every sum is a multiple of their divisor.
                        let multiple = others / gcd(*others, *c).max(1);
                        too_large || multiple > self.most[*factor]
                    })
                    .map(|((_, factor), _)| *factor)
                    .collect();
                found |= !pinned.is_empty();
                pinned.into_iter().for_each(|factor| self.most[factor] = 0);
            }
            if !found {
                return true;
            }
        }
    }

    /// Looks for differences that are not all 0. The first that is not 0 is above 0, since the negated ones do the same.
    fn search(&mut self) -> Collision {
        let factors: Vec<usize> = (0..self.most.len()).filter(|f| self.most[*f] > 0).collect();
        // Whoever is in no sum is free to differ.
        let in_no_sum = |factor: &usize| {
            let mut terms = self.sums.iter().flatten();
            !terms.any(|(_, other)| other == factor)
        };
        if factors.is_empty() {
            return Collision::None;
        }
        if !self.pay(factors.len().saturating_mul(self.sums.len())) {
            return Collision::Undecided;
        }
        if factors.iter().any(in_no_sum) {
            return Collision::Found;
        }
        let sums: Vec<Sum> = self
            .sums
            .iter()
            .map(|sum| Sum::new(sum, &factors, &self.most))
            .collect();
        let mut chosen: Vec<i128> = Vec::with_capacity(factors.len());
        let mut partial = vec![0i128; sums.len()];
        let mut next: Option<i128> = Some(0);
        loop {
            if !self.pay(sums.len()) {
                return Collision::Undecided;
            }
            let depth = chosen.len();
            let most = |depth: usize| i128::from(self.most[factors[depth]]);
            match next {
                Some(value) => {
                    let mut sums = sums.iter().zip(&mut partial);
                    sums.by_ref()
                        .for_each(|(sum, partial)| *partial += sum.coefficients[depth] * value);
                    chosen.push(value);
                }
                // This depth is exhausted: the one before goes on.
                None => match chosen.pop() {
                    None => return Collision::None,
                    Some(value) => {
                        let depth = chosen.len();
                        for (sum, partial) in sums.iter().zip(&mut partial) {
                            *partial -= sum.coefficients[depth] * value;
                        }
                        let first = chosen.iter().all(|value| *value == 0);
                        next = following(value, most(depth), first);
                        continue;
                    }
                },
            }
            let done = chosen.len();
            let possible = sums
                .iter()
                .zip(&partial)
                .all(|(sum, p)| sum.allows(*p, done));
            if possible && done == factors.len() {
                if chosen.iter().any(|value| *value != 0) {
                    return Collision::Found;
                }
                next = None;
            } else {
                next = possible.then_some(0);
            }
        }
    }
}

/// The value after this one in the order 0, 1, -1, 2, -2 … up to `most`; without the negative ones where `first`.
fn following(value: i128, most: i128, first: bool) -> Option<i128> {
    let next = match value {
        1.. if !first => -value,
        1.. => value + 1,
        _ => 1 - value,
    };
    (next <= most).then_some(next)
}

/// A sum by the depth of the search.
struct Sum {
    /// The coefficient of the coordinate that is chosen at each depth.
    coefficients: Vec<i128>,
    /// From each depth on, how far what is not yet chosen reaches, and the divisor of its coefficients.
    rest: Vec<(i128, i128)>,
}

impl Sum {
    fn new(sum: &[(u64, usize)], factors: &[usize], most: &[u64]) -> Sum {
        let coefficient = |factor: &usize| {
            let terms = sum.iter().filter(|(_, other)| other == factor);
            terms.map(|(c, _)| i128::from(*c)).sum()
        };
        let coefficients: Vec<i128> = factors.iter().map(coefficient).collect();
        let mut rest = vec![(0, 0)];
        for (depth, factor) in factors.iter().enumerate().rev() {
            let (reach, divisor): (i128, i128) = rest[rest.len() - 1];
            let c = coefficients[depth];
            let further = c.saturating_mul(i128::from(most[*factor]));
            rest.push((reach.saturating_add(further), gcd_signed(divisor, c)));
        }
        rest.reverse();
        Sum { coefficients, rest }
    }

    /// Whether what is not yet chosen can make up for the sum so far.
    fn allows(&self, partial: i128, depth: usize) -> bool {
        let (reach, divisor) = self.rest[depth];
        match divisor {
            0 => partial == 0,
            _ => partial.abs() <= reach && partial % divisor == 0,
        }
    }
}

/// For each term the greatest common divisor of the other coefficients; 0 where there is no other.
fn gcds_of_the_others(terms: &[(u64, usize)]) -> Vec<u64> {
    let scan = |divisor: &mut u64, (c, _): &(u64, usize)| {
        let before = *divisor;
        *divisor = gcd(before, *c);
        Some(before)
    };
    let before = terms.iter().scan(0, scan);
    let mut after: Vec<u64> = terms.iter().rev().scan(0, scan).collect();
    after.reverse();
    before.zip(after).map(|(a, b)| gcd(a, b)).collect()
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn gcd_signed(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}
