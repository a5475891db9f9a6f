//! The question whether two points of a box have the same image under sums of their coordinates.
//!
//! They do exactly when some vector of coordinate differences, not all of them 0, makes every sum 0. Each difference is
//! smaller in absolute value than the size of its factor. First the differences that must be 0 are found, to a
//! fixpoint:
//!
//! - where a coefficient is larger than the sum that all other terms together can balance,
//! - where the other coefficients of a sum force a difference to be a multiple of a number that is not below its size.
//!
//! For one sum of two terms this is a decision: with coefficients `s`, `t`, their greatest common divisor `g`, and
//! sizes `m`, `n`, no two points meet exactly when `t/g >= m` or `s/g >= n`. The differences that are left are searched
//! within a budget.

/// The answer to whether two points of a box have the same image, as far as it was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collision {
    /// No two points have the same image.
    None,
    /// Some two points have the same image.
    Found,
    /// The search reached its budget. Two points may have the same image.
    Undecided,
}

/// The largest number of partial differences that are examined.
const BUDGET: u64 = 1 << 17;

/// Decides whether points collide, for sums given as coefficients with the numbers of their factors, over factors of
/// these sizes. A factor longer than 1 that is in no sum makes points collide; a factor without a size is at 0 always.
pub fn collision(sums: &[Vec<(u64, usize)>], sizes: &[u64]) -> Collision {
    let mut differences = Differences::new(sums, sizes);
    if !differences.pin() {
        return Collision::Undecided;
    }
    differences.search()
}

/// The differences of coordinates that are still possible.
struct Differences<'s> {
    sums: &'s [Vec<(u64, usize)>],
    /// The largest possible difference for each factor: at first its size less 1, and 0 once the difference is known to
    /// be 0.
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

    /// Takes steps from the budget; false if it is used up.
    fn pay(&mut self, steps: usize) -> bool {
        let left = self.budget.checked_sub(steps as u64);
        self.budget = left.unwrap_or(0);
        left.is_some()
    }

    /// Returns the terms of a sum that may still differ.
    fn open(&self, sum: &[(u64, usize)]) -> Vec<(u64, usize)> {
        let open = sum
            .iter()
            .filter(|(_, factor)| self.most.get(*factor).is_some_and(|most| *most > 0));
        open.copied().collect()
    }

    /// Finds the differences that must be 0, to a fixpoint; false if the budget was used up.
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
                        // Every sum of the other terms is a multiple of the divisor of their coefficients.
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

    /// Looks for differences that are not all 0. The first nonzero one is taken to be positive, since negating all of
    /// them changes nothing.
    fn search(&mut self) -> Collision {
        let factors: Vec<usize> = (0..self.most.len()).filter(|f| self.most[*f] > 0).collect();
        // A factor that is in no sum may have any difference.
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
                // This depth is exhausted: go on at the one before it.
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

/// Returns the value after this one in the order 0, 1, -1, 2, -2 … up to `most`; without negative values if `first`.
fn following(value: i128, most: i128, first: bool) -> Option<i128> {
    let next = match value {
        1.. if !first => -value,
        1.. => value + 1,
        _ => 1 - value,
    };
    (next <= most).then_some(next)
}

/// A sum, indexed by the depth of the search.
struct Sum {
    /// The coefficient of the coordinate that is chosen at each depth.
    coefficients: Vec<i128>,
    /// The largest sum that the terms not yet chosen can reach, and the divisor of their coefficients, for each depth.
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

    /// Tells whether the terms not yet chosen can still bring the sum to 0.
    fn allows(&self, partial: i128, depth: usize) -> bool {
        let (reach, divisor) = self.rest[depth];
        match divisor {
            0 => partial == 0,
            _ => partial.abs() <= reach && partial % divisor == 0,
        }
    }
}

/// Returns, for each term, the greatest common divisor of the other coefficients; 0 where there is no other.
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
