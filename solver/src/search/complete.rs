//! Complete mode: decides satisfiability where policy gives up (Rem. 6.7).
//!
//! Propagation goes first, and what it settles is never branched on. What is left open is finite choice: which
//! overlap solves a split equation, how long a rotated word is, how long the word of an unknown content is, and
//! where the marker stands in a known content. The search is depth first with an explicit stack; a solution found
//! bounds the rest, so that the one returned has the least total rank.
//!
//! *The length that is looked up to.* A word that nothing else bounds is tried up to twice the number of axes
//! written in the problem. No such length is enough for every set: two rows of one content with their markers at
//! opposite edges double whatever lies below both, so that the least rank can be exponential in the number of
//! variables. What is found up to it is a solution; where nothing is found and some word was not tried at every length
//! that the other constraints allow, the answer is `unknown`, never `unsat`.

use lozenge_vocabulary::{Ground, Rule, Verdict};
use serde::{Deserialize, Serialize};

use crate::explain::refusal::{Extent, Refusal};
use crate::explain::solution::Solution;
use crate::options::Limits;
use crate::propagate::equality::{Middle, Residue};
use crate::search::intervals::{Intervals, Refuted};
use crate::state::engine::{Deferred, Engine};
use crate::state::facts::{Claim, Failure, Why};
use crate::state::rows::{Content, Core};
use crate::term::{NONE, Term};

/// The answer of complete mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// `sat`, `unsat`, or `unknown` when a limit was reached.
    pub verdict: Verdict,
    /// A solution, when there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub solution: Option<Ground>,
    /// Whether no solution has a smaller total rank.
    pub least: bool,
    /// How many branches were taken; 0 when propagation alone decided.
    pub branches: u64,
    /// The length up to which words were tried, when some were not tried beyond.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bound: Option<u32>,
    /// The limit that was reached.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub limit: Option<String>,
    /// Why propagation refuses, when it does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub refusal: Option<Box<Refusal>>,
}

/// A choice to be made.
#[derive(Clone, Debug)]
enum Choice {
    /// `s · x = y · t`: y is a proper prefix of s, or s begins y.
    Split {
        x: u32,
        y: u32,
        s: Vec<Term>,
        t: Vec<Term>,
        deferred: u32,
    },
    /// `s · x = x · t`: x repeats s.
    Rotation { x: u32, s: Vec<Term> },
    /// A word of that many unknown letters.
    Length { var: u32 },
    /// The marker goes after that many axes.
    Marker { var: u32, word: Vec<Term> },
}

/// A choice, and which of its branches comes next.
struct Frame {
    choice: Choice,
    first: u32,
    next: u32,
    end: u32,
}

struct Search {
    limits: Limits,
    cap: u32,
    branches: u64,
    capped: bool,
    best: Option<(u64, Ground)>,
}

impl Engine {
    /// Decides the problem of a fresh engine.
    pub(crate) fn decide(&mut self, limits: Limits) -> Decision {
        let wanted = 2 * self.problem.terms.len() + 2;
        self.decide_up_to(wanted, limits)
    }

    /// Decides it with words of up to `wanted` letters where nothing else bounds them.
    fn decide_up_to(&mut self, wanted: usize, limits: Limits) -> Decision {
        let mut search = Search {
            limits,
            cap: wanted.min(limits.rank as usize) as u32,
            branches: 0,
            capped: false,
            best: None,
        };
        if let Err(failure) = self.propagate() {
            let refusal = Box::new(self.refusal(&failure, Extent::Solve));
            return search.decision(Verdict::Unsat, Some(refusal), false);
        }
        match self.choice() {
            Ok(None) => {
                let ground = Solution::new(self).ground();
                search.best = Some((0, ground));
                search.decision(Verdict::Sat, None, false)
            }
            _ => match self.intervals(search.cap) {
                Err(refuted) => {
                    search.capped = refuted == Refuted::Cap;
                    search.decision(Verdict::Unsat, None, false)
                }
                Ok(_) => self.search(search),
            },
        }
    }

    /// No solution of this state has a smaller total rank.
    fn least_total(&self, intervals: &Intervals) -> u64 {
        let names = &self.problem.row_names;
        intervals.total((0..names.len() as u32).filter(|var| !names.name(*var).is_empty()))
    }

    fn search(&mut self, mut search: Search) -> Decision {
        self.try_policy(&mut search);
        let mut frames: Vec<Frame> = Vec::new();
        let mut exhausted = false;
        // Each open frame holds a snapshot of the state before its current branch.
        self.descend(&mut frames, &mut search);
        while let Some(frame) = frames.last_mut() {
            if frame.next > frame.first {
                self.rollback();
            }
            if frame.next == frame.end || self.beaten(&search) {
                frames.pop();
                continue;
            }
            if search.branches == search.limits.branches {
                exhausted = true;
                break;
            }
            search.branches += 1;
            let branch = frame.next;
            frame.next += 1;
            let choice = frame.choice.clone();
            self.snapshot();
            if self
                .take(&choice, branch)
                .and_then(|()| self.settle())
                .is_ok()
                && !self.beaten(&search)
            {
                self.descend(&mut frames, &mut search);
            }
        }
        let verdict = match (&search.best, exhausted) {
            (Some(_), _) => Verdict::Sat,
            (None, true) => Verdict::Unknown,
            (None, false) => Verdict::Unsat,
        };
        search.decision(verdict, None, exhausted)
    }

    /// The policy's own answer is a first solution, and a bound.
    fn try_policy(&mut self, search: &mut Search) {
        self.snapshot();
        if self.solve().is_ok() {
            search.offer(self);
        }
        self.rollback();
    }

    fn beaten(&self, search: &Search) -> bool {
        search
            .best
            .as_ref()
            .is_some_and(|best| Solution::new(self).total_rank() >= best.0)
    }

    /// Opens the next choice of a state that has settled; without one, the state is a solution.
    fn descend(&mut self, frames: &mut Vec<Frame>, search: &mut Search) {
        match self.choice() {
            Ok(Some(choice)) => {
                if let Some((first, end)) = self.branches_of(&choice, search) {
                    frames.push(Frame {
                        choice,
                        first,
                        next: first,
                        end,
                    });
                }
            }
            Ok(None) => search.offer(self),
            Err(_) => {}
        }
    }

    /// The branches of a choice that the lengths allow; `None` when they allow nothing at all.
    fn branches_of(&self, choice: &Choice, search: &mut Search) -> Option<(u32, u32)> {
        let intervals = match self.intervals(search.cap) {
            Ok(intervals) => intervals,
            Err(refuted) => {
                search.capped |= refuted == Refuted::Cap;
                return None;
            }
        };
        let least = self.least_total(&intervals);
        if search.best.as_ref().is_some_and(|best| least >= best.0) {
            return None;
        }
        let (low, high) = match choice {
            Choice::Split { s, .. } => (0, s.len() as i64),
            Choice::Rotation { x: var, .. } | Choice::Length { var } => {
                let len = self.rows.nodes.at(*var).len;
                let (low, high) = intervals.rank(*var, i64::from(len[0] + len[1]));
                let cap = i64::from(search.cap);
                search.capped |= high.is_none_or(|high| high > cap);
                (low, high.map_or(cap, |high| high.min(cap)))
            }
            Choice::Marker { var, word } => {
                // The rank is known, so that the interval of one flank says what the other leaves.
                let known = i64::from(self.rows.nodes.at(*var).len[0]);
                let (low, high) = intervals.leading(*var);
                (
                    low - known,
                    high.map_or(word.len() as i64, |high| high - known),
                )
            }
        };
        let end = high as u32 + 1;
        (low <= high).then_some((low as u32, end))
    }

    /// What is to be chosen next: deferred equations first, then markers that an inequality asks about.
    fn choice(&mut self) -> Result<Option<Choice>, Failure> {
        for id in 0..self.deferred.len() as u32 {
            if !self.deferred.at(id).done
                && let Some(choice) = self.choice_of_equation(id)?
            {
                return Ok(Some(choice));
            }
        }
        for at in 0..self.contents_found.len() as u32 {
            let var = self.contents_found.get(at);
            if let Core::Content(content) = self.core(var) {
                return self.choice_of_marker(var, content).map(Some);
            }
        }
        Ok(None)
    }

    fn choice_of_equation(&mut self, id: u32) -> Result<Option<Choice>, Failure> {
        let Deferred { row, why, .. } = self.deferred.get(id);
        let (a, b) = (self.spell(row)?, self.spell(row + 1)?);
        Ok(match self.reduce(&a, &b, why)? {
            Residue::Split(x, y, s, t) => {
                let (first, second) = if a.core == x { (&a, &b) } else { (&b, &a) };
                let after = &second.trail[second.trail.len() - t..];
                Some(Choice::Split {
                    x,
                    y,
                    s: first.lead[first.lead.len() - s..].to_vec(),
                    t: after.iter().rev().copied().collect(),
                    deferred: id,
                })
            }
            Residue::Rotation(x) => {
                // One of the two has nothing beyond what both have.
                let both = a.lead.len().min(b.lead.len());
                let s = [&a.lead[both..], &b.lead[both..]].concat();
                Some(Choice::Rotation { x, s })
            }
            Residue::Done | Residue::Bind(..) => None,
        })
    }

    /// Where the marker of a variable stands in its content, or first how long that is.
    fn choice_of_marker(&mut self, var: u32, content: u32) -> Result<Choice, Failure> {
        let mut inner = self.spell(self.rows.contents.at(content).row)?;
        if inner.core != NONE {
            return Ok(Choice::Length { var: inner.core });
        }
        inner.trail.reverse();
        inner.lead.append(&mut inner.trail);
        let word = inner.lead;
        Ok(Choice::Marker { var, word })
    }

    /// Takes one branch of a choice.
    fn take(&mut self, choice: &Choice, branch: u32) -> Result<(), Failure> {
        let at = branch as usize;
        match choice {
            Choice::Split { y, s, .. } if at < s.len() => {
                self.assume(*y, Middle::new(Vec::new(), NONE, s[..at].to_vec()));
            }
            Choice::Split {
                x,
                y,
                s,
                t,
                deferred,
            } => {
                let word = self.problem.unnamed_row(self.problem.row_tag(*x));
                self.rows.grow(word as usize + 1);
                self.deferred.edit(*deferred).done = true;
                self.assume(*y, Middle::new(s.clone(), word, Vec::new()));
                self.assume(*x, Middle::new(Vec::new(), word, t.clone()));
            }
            Choice::Rotation { x, s } => {
                let period = s.iter().copied().cycle();
                let word = period.take(at).collect();
                self.assume(*x, Middle::new(Vec::new(), NONE, word));
            }
            Choice::Length { var } => {
                let tag = self.problem.row_tag(*var);
                let word: Vec<Term> = (0..at).map(|_| self.problem.unnamed_dim(tag)).collect();
                self.dims.grow(self.problem.dim_names.len());
                self.assume(*var, Middle::new(Vec::new(), NONE, word));
            }
            Choice::Marker { var, word } => {
                let (lead, trail) = word.split_at(at);
                let row = self.content_row(&Middle::new(lead.to_vec(), NONE, trail.to_vec()));
                let why = Why::NONE;
                let content = self.rows.contents.push(Content { row, why });
                self.rows.nodes.edit(*var).core = Core::Content(content);
                self.place(*var, content);
            }
        }
        Ok(())
    }

    fn assume(&mut self, var: u32, middle: Middle) {
        let row = self.content_row(&middle);
        let claim = Claim::Content(var, row);
        let fact = self
            .facts
            .commit(Rule::CloseDeferred, claim, [Why::NONE; 2]);
        self.set_content(var, row, fact);
    }
}

impl Search {
    /// Keeps the solution that the engine stands at. It is smaller than what there was: no other state is gone into.
    fn offer(&mut self, engine: &Engine) {
        let solution = Solution::new(engine);
        self.best = Some((solution.total_rank(), solution.ground()));
    }

    fn decision(
        self,
        verdict: Verdict,
        refusal: Option<Box<Refusal>>,
        exhausted: bool,
    ) -> Decision {
        // A solution that is no longer than what was looked up to is beaten by none beyond.
        let within = |best: &(u64, Ground)| best.0 <= u64::from(self.cap);
        let limit = if exhausted {
            Some(format!("{} branches", self.limits.branches))
        } else if self.capped && refusal.is_none() && !self.best.as_ref().is_some_and(within) {
            Some(format!("{} axes in a row", self.cap))
        } else {
            None
        };
        let unknown = limit.is_some() && self.best.is_none();
        let verdict = if unknown { Verdict::Unknown } else { verdict };
        Decision {
            verdict,
            least: self.best.is_some() && limit.is_none(),
            solution: self.best.map(|best| best.1),
            branches: self.branches,
            bound: self.capped.then_some(self.cap),
            limit,
            refusal,
        }
    }
}

#[cfg(test)]
#[path = "../../tests/random_sets/mod.rs"]
mod random_sets;

#[cfg(test)]
mod tests {
    use lozenge_vocabulary::{Ground, Verdict};

    use super::random_sets::{Draw, Shape, set};
    use super::{Decision, Engine};
    use crate::options::Limits;
    use crate::problem::Problem;

    /// Equations that ask for periods, and inequalities that ask for lengths: what long words come from.
    fn tangle(seed: u64) -> String {
        let mut draw = Draw::new(seed + 1);
        let draw = &mut draw;
        let mut text = String::new();
        for _ in 0..2 + draw.below(4) {
            let (a, b) = (draw.below(3), draw.below(3));
            let (r, s) = (["r", "s", "t"][a as usize], ["r", "s", "t"][b as usize]);
            let period = word(draw, 1, 4);
            let mut turned = period.clone();
            turned.rotate_left(draw.below(period.len() as u64) as usize);
            let (lead, trail) = (word(draw, 0, 5), word(draw, 0, 3));
            let (period, turned) = (period.join(", "), turned.join(", "));
            let (lead, trail) = (lead.join(", "), trail.join(", "));
            text += &match draw.below(7) {
                0 | 1 => format!("[{period} <{r}>] ~ [<{r}> {turned}]\n"),
                2 => format!("[{period} <{r}>] ~ [<{s}> {turned}]\n"),
                3 => format!("<{r}> <= [{lead} <> {trail}]\n"),
                4 => format!("<{r}> <= [{lead} <{s}> {trail}]\n"),
                5 => format!("<{r}> ~ [{lead} <{s}> {trail}]\n"),
                _ => format!("[{lead} <{r}>] <= <{s}>\n"),
            };
        }
        text
    }

    fn word(draw: &mut Draw, least: u64, most: u64) -> Vec<String> {
        let len = least + draw.below(most - least + 1);
        let letters = ["2", "2", "3", "3", "a", "1_"];
        (0..len)
            .map(|_| letters[draw.below(6) as usize].to_string())
            .collect()
    }

    fn decide(problem: &Problem, factor: usize) -> Decision {
        let mut engine = Engine::new(problem.stated_only());
        let written = engine.problem.terms.len();
        engine.decide_up_to(factor * written + 2, Limits::default())
    }

    fn rank(decision: &Decision) -> Option<usize> {
        let total = |ground: &Ground| ground.rows.values().map(|row| row.rank()).sum();
        decision.solution.as_ref().map(total)
    }

    /// On these sets twice the length that is looked up to finds no solution that was not found, and none smaller.
    #[test]
    fn longer_words_find_nothing_else() {
        let shape = Shape {
            constraints: 5,
            flank: 3,
            row_vars: 3,
            dim_vars: 2,
            equalities: 7,
        };
        let sets = std::env::var("LOZENGE_SETS").ok();
        let sets = sets.and_then(|n| n.parse().ok()).unwrap_or(1500);
        let (mut rests_on_it, mut longest) = (0, 0.0_f64);
        for seed in 0..sets {
            let problems = [
                Problem::parse(&tangle(seed)).expect("in the notation"),
                Problem::from(&set(seed, &shape)),
            ];
            for problem in problems {
                let (near, far) = (decide(&problem, 2), decide(&problem, 4));
                rests_on_it += usize::from(near.verdict == Verdict::Unknown);
                let shown = format!("{seed}:\n{}", problem.to_set());
                assert_eq!(rank(&near), rank(&far), "{shown}");
                assert_eq!(
                    near.verdict == Verdict::Unsat,
                    far.verdict == Verdict::Unsat,
                    "{shown}"
                );
                let rows = near.solution.iter().flat_map(|ground| ground.rows.values());
                let most = rows.map(|row| row.rank()).max().unwrap_or(0);
                longest = longest.max(most as f64 / problem.terms.len().max(1) as f64);
            }
        }
        println!("{rests_on_it} unknown; the longest word has {longest} of the axes written");
        assert!(rests_on_it as u64 > sets / 20, "{rests_on_it}");
        assert!(longest > 0.0, "{longest}");
    }
}
