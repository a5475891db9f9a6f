//! Prop. 7.6's criteria in Z3, for symbolic sizes.

use crate::machinery::{Effort, Finding};
use crate::symbolic::prover::Prover;
use z3::ast::{Bool, Int};

/// Returns the largest number of axes and of factors.
fn most(effort: Effort) -> usize {
    if effort == Effort::Quick { 2 } else { 3 }
}

fn below(index: &Int, size: &Int) -> Bool {
    Bool::and(&[index.ge(Int::from_i64(0)), index.lt(size)])
}

/// A label of an axis: a factor, or position 0.
type Label = Option<usize>;

fn labelings(axes: usize, factors: usize) -> Vec<Vec<Label>> {
    let mut all = vec![Vec::new()];
    for _ in 0..axes {
        all = all
            .iter()
            .flat_map(|l: &Vec<Label>| {
                (0..=factors).map(move |f| [l.as_slice(), &[(f < factors).then_some(f)]].concat())
            })
            .collect();
    }
    all
}

struct Point(Vec<Int>);

impl Point {
    fn any(name: &str, factors: usize) -> Point {
        Point(
            (0..factors)
                .map(|j| Int::new_const(format!("{name}{j}")))
                .collect(),
        )
    }

    fn inside(&self, sizes: &[Int]) -> Vec<Bool> {
        self.0.iter().zip(sizes).map(|(s, n)| below(s, n)).collect()
    }

    fn at(&self, label: &Label) -> Int {
        label.map_or(Int::from_i64(0), |j| self.0[j].clone())
    }
}

fn sizes(factors: usize) -> (Vec<Int>, Vec<Bool>) {
    let sizes: Vec<Int> = (0..factors)
        .map(|j| Int::new_const(format!("n{j}")))
        .collect();
    let minted = sizes.iter().map(|n| n.ge(Int::from_i64(2))).collect();
    (sizes, minted)
}

/// Decides Prop. 7.6(i).
pub fn injective(effort: Effort) -> Finding {
    let most = most(effort);
    let mut prover = Prover::new();
    for axes in 0..=most {
        for factors in 0..=most {
            let (n, minted) = sizes(factors);
            let (p, q) = (Point::any("p", factors), Point::any("q", factors));
            for labels in labelings(axes, factors) {
                let same_cell: Vec<Bool> = labels.iter().map(|l| p.at(l).eq(q.at(l))).collect();
                let same_point = Bool::and(
                    &p.0.iter()
                        .zip(&q.0)
                        .map(|(a, b)| a.eq(b))
                        .collect::<Vec<_>>(),
                );
                let missing = (0..factors).find(|j| !labels.contains(&Some(*j)));
                let inside: Vec<Bool> = minted
                    .iter()
                    .cloned()
                    .chain(p.inside(&n))
                    .chain(q.inside(&n))
                    .collect();
                match missing {
                    None => {
                        let assumed: Vec<Bool> = inside.into_iter().chain(same_cell).collect();
                        prover.prove(&assumed, &same_point, || format!("{labels:?} is injective"));
                    }
                    Some(j) => {
                        // Two points that differ in the missing factor only: 0 and 1 are within it.
                        let at = |point: &Point, j: usize, v: i64| point.0[j].eq(Int::from_i64(v));
                        let others = (0..factors)
                            .filter(|k| *k != j)
                            .flat_map(|k| [at(&p, k, 0), at(&q, k, 0)]);
                        let assumed: Vec<Bool> = minted
                            .iter()
                            .cloned()
                            .chain(others)
                            .chain([at(&p, j, 0), at(&q, j, 1)])
                            .collect();
                        let goal: Vec<Bool> = p
                            .inside(&n)
                            .into_iter()
                            .chain(q.inside(&n))
                            .chain(same_cell)
                            .chain([same_point.not()])
                            .collect();
                        prover.prove(&assumed, &Bool::and(&goal), || {
                            format!("{labels:?} collides")
                        });
                    }
                }
            }
        }
    }
    prover
        .finding("every left-hand side within the bounds")
        .within(format!("up to {most} axes and {most} factors"))
}

/// Decides Prop. 7.6(ii).
pub fn surjective(effort: Effort) -> Finding {
    let most = most(effort);
    let mut prover = Prover::new();
    for axes in 0..=most {
        for factors in 0..=most {
            let (n, minted) = sizes(factors);
            let (p, target) = (Point::any("p", factors), Point::any("t", axes));
            for labels in labelings(axes, factors) {
                // An axis has its factor's size; an axis at 0 has size 1 or more.
                let lengths: Vec<Int> = labels
                    .iter()
                    .enumerate()
                    .map(|(i, l)| l.map_or(Int::new_const(format!("m{i}")), |j| n[j].clone()))
                    .collect();
                let fixed: Vec<usize> = (0..axes).filter(|i| labels[*i].is_none()).collect();
                let shared = (0..axes).find_map(|i| {
                    (0..i)
                        .find(|k| labels[i].is_some() && labels[*k] == labels[i])
                        .map(|k| (k, i))
                });
                let hit: Vec<Bool> = labels
                    .iter()
                    .zip(&target.0)
                    .map(|(l, t)| p.at(l).eq(t))
                    .collect();
                let one = |i: &usize| lengths[*i].eq(Int::from_i64(1));
                if shared.is_none() {
                    // The preimage: the index of each axis is the value of its variable.
                    let chosen = labels
                        .iter()
                        .zip(&target.0)
                        .filter_map(|(l, t)| l.map(|j| p.0[j].eq(t)));
                    let rest = (0..factors)
                        .filter(|j| !labels.contains(&Some(*j)))
                        .map(|j| p.0[j].eq(Int::from_i64(0)));
                    let assumed: Vec<Bool> = minted
                        .iter()
                        .cloned()
                        .chain(fixed.iter().map(one))
                        .chain(target.inside(&lengths))
                        .chain(chosen)
                        .chain(rest)
                        .collect();
                    let goal: Vec<Bool> = hit.iter().cloned().chain(p.inside(&n)).collect();
                    prover.prove(&assumed, &Bool::and(&goal), || {
                        format!("{labels:?} is surjective")
                    });
                }
                let missed = match (shared, fixed.first()) {
                    (Some((k, i)), _) => [
                        target.0[k].eq(Int::from_i64(0)),
                        target.0[i].eq(Int::from_i64(1)),
                    ]
                    .to_vec(),
                    (None, Some(i)) => [
                        target.0[*i].eq(Int::from_i64(1)),
                        lengths[*i].gt(Int::from_i64(1)),
                    ]
                    .to_vec(),
                    (None, None) => continue,
                };
                let assumed: Vec<Bool> = minted.iter().cloned().chain(missed).chain(hit).collect();
                prover.prove(&assumed, &Bool::from_bool(false), || {
                    format!("{labels:?} misses a cell")
                });
            }
        }
    }
    prover
        .finding("every left-hand side within the bounds")
        .within(format!("up to {most} axes and {most} factors"))
}
