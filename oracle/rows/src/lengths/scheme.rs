//! The condition on lengths under which two walks that meet exist.
//!
//! A part of a walk that leads from a row back to this row, `d` places further, becomes a *loop*: it can be taken `k`
//! times in succession if it can be taken in the first and in the last of these rounds, since what each step requires
//! is linear in the round. That holds for `k = 0` too. The number of rounds is determined by the lengths: by the place
//! where the walk ends, by the edge up to which the loop could go on, or because it is the number that was met.

use super::form::{Condition, Form, Formula, Point};
use super::graph::{Clash, Comparison, End, Spot, Step};
use super::ranks::Ranks;
use crate::symbols::SymbolicRow;

/// The greatest number of steps of a loop's body.
const LONGEST_BODY: usize = 64;

/// A part of a walk.
#[derive(Clone, Debug)]
enum Part {
    Step(Step),
    Loop { body: Vec<Step>, rounds: i64 },
}

/// Walks from written axes, each of them either to a written axis or to the place where it meets another one.
type Chain = Vec<Part>;

/// Collects parts that lead back to the row from which they begin into loops.
fn fold(walk: &[Step], comparisons: &[Comparison]) -> Chain {
    let mut chain = Chain::new();
    let mut at = 0;
    while let Some(step) = walk.get(at) {
        match longest_loop(&walk[at..], comparisons) {
            None => {
                chain.push(Part::Step(*step));
                at += 1;
            }
            Some((length, rounds)) => {
                chain.push(Part::Loop {
                    body: walk[at..at + length].to_vec(),
                    rounds: rounds as i64,
                });
                at += length * rounds;
            }
        }
    }
    chain
}

/// Returns the body's length and the rounds of the loop with which the walk begins. One that is repeated and covers
/// most comes first, then the shortest one.
fn longest_loop(walk: &[Step], comparisons: &[Comparison]) -> Option<(usize, usize)> {
    (1..=LONGEST_BODY.min(walk.len()))
        .take_while(|length| walk[length - 1].stays_inside())
        .filter(|length| returns(&walk[..*length], comparisons))
        .map(|length| (length, repeats(walk, length)))
        .max_by_key(|&(length, rounds)| {
            let covered = if rounds > 1 { length * rounds } else { 0 };
            (covered, std::cmp::Reverse(length))
        })
}

/// Tells whether the steps lead back to the row variable from which they begin.
fn returns(body: &[Step], comparisons: &[Comparison]) -> bool {
    let row = |step: &Step, side: usize| comparisons[step.comparison].rows[side].var;
    let first = body.first().map(|step| row(step, step.source));
    let last = body.last().map(|step| row(step, 1 - step.source));
    first == last
}

/// Counts the times that the first steps of a walk are taken in succession.
fn repeats(walk: &[Step], length: usize) -> usize {
    let body = &walk[..length];
    let rounds = walk.chunks_exact(length);
    rounds.take_while(|round| *round == body).count()
}

impl Step {
    /// Tells whether it leads from the value of a row variable to the value of one.
    fn stays_inside(&self) -> bool {
        self.from == Spot::Content && self.to == Spot::Content
    }
}

/// Cuts a walk after each step to a written axis.
fn cut(chain: Chain) -> Vec<Chain> {
    let mut chains = vec![Chain::new()];
    for part in chain {
        let ends = matches!(&part, Part::Step(step) if step.to != Spot::Content);
        if let Some(last) = chains.last_mut() {
            last.push(part);
        }
        if ends {
            chains.push(Chain::new());
        }
    }
    chains.retain(|chain| !chain.is_empty());
    chains
}

/// The number of rounds of a loop, or the way in which it is determined.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Rounds {
    /// A fixed number of rounds.
    Fixed(i64),
    /// The number of further rounds that would be possible.
    Left(i64),
    /// Rounds that the place where the walk ends determines.
    Solved,
    /// Rounds that this form gives.
    Known(Form),
}

/// The rounds of each loop of a walk, and the number of further ones that are possible.
type Survey = Vec<(i64, i64)>;

/// Returns, for each loop of each walk, the way in which its number of rounds is determined. One loop is solved for.
fn plans(surveys: &[Survey]) -> Vec<Vec<Rounds>> {
    // Behind the loop that is solved for, places depend on its count, so that no loop there is measured from an edge.
    // Nothing is behind the last loop of a walk, so there is always one that can be solved for.
    let choice = |chain: usize, at: usize| {
        let behind = &surveys[chain][at + 1..];
        let fixed = behind.iter().filter(|(rounds, left)| left < rounds);
        (fixed.count(), -surveys[chain][at].0)
    };
    let loops = surveys.iter().enumerate();
    let loops = loops.flat_map(|(chain, survey)| (0..survey.len()).map(move |at| (chain, at)));
    let solved = loops.min_by_key(|&(chain, at)| choice(chain, at));
    let plan = |chain: usize, at: usize| {
        let (rounds, left) = surveys[chain][at];
        match solved {
            Some(place) if place == (chain, at) => Rounds::Solved,
            _ if left < rounds => Rounds::Left(left),
            _ => Rounds::Fixed(rounds),
        }
    };
    surveys
        .iter()
        .enumerate()
        .map(|(chain, survey)| (0..survey.len()).map(|at| plan(chain, at)).collect())
        .collect()
}

/// Returns the condition on lengths under which the two walks of a clash exist. They exist at the given point.
pub(super) fn condition(
    comparisons: &[Comparison],
    ranks: &Ranks,
    point: &Point,
    clash: &Clash,
) -> Condition {
    let mut scheme = Scheme {
        comparisons,
        ranks,
        point,
        condition: Condition::default(),
    };
    let mut open = Vec::new();
    for walk in &clash.walks {
        let mut chains = cut(fold(walk, comparisons));
        if clash.inside {
            open.extend(chains.pop());
        }
        for chain in chains {
            scheme.segment(&[chain]);
        }
    }
    if !open.is_empty() {
        scheme.segment(&open);
    }
    scheme.condition
}

struct Scheme<'a> {
    comparisons: &'a [Comparison],
    ranks: &'a Ranks,
    point: &'a Point,
    condition: Condition,
}

/// The place to which a step leads: a place of a row's value, or a written axis if this form is 0.
struct Passed {
    /// Forms that have to be natural numbers.
    naturals: Vec<Form>,
    place: Form,
}

impl Scheme<'_> {
    fn value(&self, form: &Form) -> i64 {
        self.condition.value(form, self.point)
    }

    /// Requires that a walk between written axes exists, or that two walks exist and end at the same place.
    fn segment(&mut self, chains: &[Chain]) {
        let surveys: Vec<Survey> = chains.iter().map(|chain| self.survey(chain)).collect();
        let mut plans = plans(&surveys);
        let ends: Vec<Form> = chains
            .iter()
            .zip(&mut plans)
            .map(|(chain, plan)| self.follow(chain, plan, false))
            .collect();
        let signs = [1, -1];
        let mut distance = Form::default();
        for (end, sign) in ends.iter().zip(signs) {
            distance = distance + &(end.clone() * sign);
        }
        let solved = plans.iter().enumerate().find_map(|(chain, plan)| {
            let at = plan.iter().position(|r| matches!(r, Rounds::Solved))?;
            Some((chain, at))
        });
        match solved {
            None => self.condition.require(Formula::Zero(distance)),
            Some((chain, at)) => {
                let drift = signs[chain] * self.drift_of(&chains[chain], at);
                let form = distance * -drift.signum();
                let count = self.condition.quotient(form.clone(), drift.abs());
                let rest = form - &(count.clone() * drift.abs());
                self.condition.require(Formula::Zero(rest));
                plans[chain][at] = Rounds::Known(count);
            }
        }
        for (chain, plan) in chains.iter().zip(&mut plans) {
            self.follow(chain, plan, true);
        }
    }

    fn survey(&self, chain: &Chain) -> Survey {
        let mut survey = Vec::new();
        let mut place = Form::default();
        for part in chain {
            match part {
                Part::Step(step) => place = self.pass(step, &place).place,
                Part::Loop { body, rounds } => {
                    let (_, most) = self.edge(body, &place);
                    survey.push((*rounds, most - rounds));
                    place = place + *rounds * self.drift(body);
                }
            }
        }
        survey
    }

    /// Returns the place where a walk ends. The first loop that is solved for counts as not taken. The requirements of
    /// the walk are added to the condition if `record` is set.
    fn follow(&mut self, chain: &Chain, plan: &mut [Rounds], record: bool) -> Form {
        let mut place = Form::default();
        let mut plan = plan.iter_mut();
        for part in chain {
            match part {
                Part::Step(step) => {
                    let passed = self.pass(step, &place);
                    place = passed.place;
                    if record {
                        let naturals = passed.naturals.into_iter();
                        naturals.for_each(|form| self.condition.require(Formula::Natural(form)));
                    }
                }
                Part::Loop { body, .. } => {
                    let Some(rounds) = plan.next() else { continue };
                    let count = self.count(body, &place, rounds);
                    if record {
                        self.require_loop(body, &place, &count);
                    }
                    place = place + &(count * self.drift(body));
                }
            }
        }
        place
    }

    fn count(&mut self, body: &[Step], place: &Form, rounds: &mut Rounds) -> Form {
        match rounds {
            Rounds::Fixed(number) => Form::number(*number),
            Rounds::Solved => Form::default(),
            Rounds::Known(count) => count.clone(),
            Rounds::Left(left) => {
                let (slack, _) = self.edge(body, place);
                let most = self.condition.quotient(slack, self.drift(body).abs()) + 1;
                let count = most + -*left;
                *rounds = Rounds::Known(count.clone());
                count
            }
        }
    }

    /// Returns the distance between a loop that begins at the place and the edge at which it ends, and the number of
    /// rounds that are possible.
    fn edge(&self, body: &[Step], place: &Form) -> (Form, i64) {
        let drift = self.drift(body);
        let first = self.body(body, place).naturals;
        let second = self.body(body, &(place.clone() + drift)).naturals;
        let nearer = |(first, second): &(Form, Form)| {
            let by = self.value(first) - self.value(second);
            by.is_positive()
        };
        first
            .into_iter()
            .zip(second)
            .filter(nearer)
            .map(|(form, _)| {
                let rounds = self.value(&form).div_euclid(drift.abs()) + 1;
                (form, rounds)
            })
            .min_by_key(|(_, rounds)| *rounds)
            .unwrap_or_default()
    }

    /// Returns the number of places by which a loop moves, at the present lengths.
    fn drift(&self, body: &[Step]) -> i64 {
        self.value(&self.body(body, &Form::default()).place)
    }

    fn drift_of(&self, chain: &Chain, at: usize) -> i64 {
        let mut bodies = chain.iter().filter_map(|part| match part {
            Part::Loop { body, .. } => Some(body),
            Part::Step(_) => None,
        });
        bodies.nth(at).map_or(0, |body| self.drift(body))
    }

    /// Requires that a loop can be taken so many times from the place on, and moves as far as it does now.
    fn require_loop(&mut self, body: &[Step], place: &Form, count: &Form) {
        let drift = self.drift(body);
        let moved = self.body(body, &Form::default()).place;
        self.condition.require(Formula::Zero(moved + -drift));
        self.condition.require(Formula::Natural(count.clone()));
        let last = place.clone() + &((count.clone() + -1) * drift);
        let rounds = [place, &last].map(|place| self.body(body, place).naturals);
        let rounds = rounds.into_iter().flatten();
        for form in rounds {
            let possible = Formula::NoneOr(count.clone(), form);
            self.condition.require(possible);
        }
    }

    /// Takes one round of a loop.
    fn body(&self, body: &[Step], place: &Form) -> Passed {
        let mut round = Passed {
            naturals: Vec::new(),
            place: place.clone(),
        };
        for step in body {
            let passed = self.pass(step, &round.place);
            round.naturals.extend(passed.naturals);
            round.place = passed.place;
        }
        round
    }

    /// Takes one step, from the place if it begins in the value of a row.
    fn pass(&self, step: &Step, place: &Form) -> Passed {
        let comparison = &self.comparisons[step.comparison];
        let [source, target] = [step.source, 1 - step.source].map(|side| &comparison.rows[side]);
        let here = self.index_in(source, step.from, place);
        let mut naturals = Vec::new();
        if !comparison.equal {
            // Only the axes of the upper row's flank on this side are compared.
            let (flank, index) = match step.end {
                End::Front => {
                    let flank = Form::length_of(&source.leading) + &self.ranks.leading(source.var);
                    (flank, here.clone())
                }
                End::Back => {
                    let flank =
                        Form::length_of(&source.trailing) + &self.ranks.trailing(source.var);
                    (flank, self.rank(source) - &here + -1)
                }
            };
            naturals.push(flank - &index + -1);
        }
        let there = match step.end {
            End::Front => here,
            End::Back => self.rank(target) - &self.rank(source) + &here,
        };
        let origin = self.index_in(target, step.to, &Form::default());
        let place = there - &origin;
        if step.to == Spot::Content {
            naturals.push(place.clone());
            naturals.push(self.ranks.rank(target.var) - &place + -1);
        }
        Passed { naturals, place }
    }

    /// Returns the distance of an axis from the front of a row.
    fn index_in(&self, row: &SymbolicRow, spot: Spot, place: &Form) -> Form {
        let leading = Form::length_of(&row.leading);
        match spot {
            Spot::Leading(at) => Form::number(at as i64),
            Spot::Content => leading + place,
            Spot::Trailing(at) => leading + &self.ranks.rank(row.var) + at as i64,
        }
    }

    /// Returns the number of axes of a row.
    fn rank(&self, row: &SymbolicRow) -> Form {
        self.ranks.rank(row.var) + row.explicit() as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Axis;

    /// Returns constraints between a row and itself, of which each step of a walk takes one.
    fn comparisons() -> Vec<Comparison> {
        let row = |var| SymbolicRow {
            leading: Vec::new(),
            var: Some(var),
            trailing: Vec::new(),
        };
        let between = |one, other| Comparison {
            rows: [row(one), row(other)],
            equal: false,
        };
        vec![between(0, 0), between(0, 0), between(0, 0), between(1, 0)]
    }

    fn walk(constraints: &str) -> Vec<Step> {
        let step = |letter: u8| Step {
            comparison: usize::from(letter - b'a'),
            source: 1,
            end: End::Front,
            from: Spot::Content,
            to: Spot::Content,
        };
        constraints.bytes().map(step).collect()
    }

    /// `a`, `b` and `c` lead from a row to itself, `d` leads to another one.
    #[test]
    fn a_loop_is_the_part_that_covers_most_by_being_repeated() {
        for (constraints, body) in [
            ("a", Some((1, 1))),
            ("ab", Some((1, 1))),
            ("aaab", Some((1, 3))),
            ("ababa", Some((2, 2))),
            ("aabaab", Some((3, 2))),
            // Not six steps twice.
            ("abcabcabcabc", Some((3, 4))),
            ("d", None),
            ("", None),
        ] {
            let found = longest_loop(&walk(constraints), &comparisons());
            assert_eq!(found, body, "{constraints}");
        }
        // A step that ends at a written axis belongs to no loop.
        let mut ends = walk("aaa");
        ends[1].to = Spot::Leading(0);
        assert_eq!(longest_loop(&ends, &comparisons()), Some((1, 1)));
    }

    /// For the loops of two walks, each with its rounds and with those that would still be possible: how the rounds are
    /// determined.
    #[test]
    fn one_loop_is_solved_for_and_others_are_measured_from_an_edge_that_is_near() {
        use Rounds::{Fixed, Left, Solved};
        type Given = &'static [&'static [(i64, i64)]];
        let table: &[(Given, &[&[Rounds]])] = &[
            (&[&[(3, 0)]], &[&[Solved]]),
            (&[&[(3, 9)], &[]], &[&[Solved], &[]]),
            (&[], &[]),
            // The loop with most rounds, whether it ends at an edge or not.
            (&[&[(3, 0)], &[(2, 5)]], &[&[Solved], &[Fixed(2)]]),
            (&[&[(2, 1)], &[(4, 9)]], &[&[Left(1)], &[Solved]]),
            // As many rounds are left as were taken: no edge is near.
            (&[&[(2, 2)], &[(4, 0)]], &[&[Fixed(2)], &[Solved]]),
            (&[&[(3, 5), (2, 2)]], &[&[Solved, Fixed(2)]]),
            (&[&[(2, 0), (3, 5)]], &[&[Left(0), Solved]]),
            // No loop before one that is measured from an edge.
            (&[&[(3, 0), (2, 0)]], &[&[Left(0), Solved]]),
            (
                &[&[(5, 9), (2, 1)], &[(3, 0)]],
                &[&[Fixed(5), Left(1)], &[Solved]],
            ),
        ];
        for (surveys, expected) in table {
            let surveys: Vec<Survey> = surveys.iter().map(|survey| survey.to_vec()).collect();
            assert_eq!(plans(&surveys), *expected, "{surveys:?}");
        }
    }

    /// Each round leads one place further to the front: from the last of six places five rounds are possible.
    #[test]
    fn the_rounds_of_a_loop_are_measured_from_the_edge_to_which_it_leads() {
        let row = |leading| SymbolicRow {
            leading,
            var: Some(0),
            trailing: Vec::new(),
        };
        let comparisons = [Comparison {
            rows: [row(vec![Axis::Dim(0)]), row(Vec::new())],
            equal: false,
        }];
        let (ranks, point) = (Ranks::new(1, &[]), Point(vec![[6, 0]]));
        let mut scheme = Scheme {
            comparisons: &comparisons,
            ranks: &ranks,
            point: &point,
            condition: Condition::default(),
        };
        let last = ranks.leading(Some(0)) + -1;
        let body = walk("a");
        assert_eq!(scheme.drift(&body), -1);
        assert_eq!(scheme.edge(&body, &last).1, 5);
        for left in 0..3 {
            let mut rounds = Rounds::Left(left);
            let count = scheme.count(&body, &last, &mut rounds);
            assert_eq!(count, last.clone() + -left);
            assert_eq!(rounds, Rounds::Known(count));
        }
    }
}
