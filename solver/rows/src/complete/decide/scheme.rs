//! Generalises a clash at given lengths to all lengths at which the same walks exist.
//!
//! A walk is followed with symbolic positions, which are linear in the lengths. Each step adds the condition under
//! which it can be taken. A *loop* is a part of a walk that returns to the row where it began, `drift` places further,
//! and that is repeated in this walk or in an earlier one. The conditions of a loop are linear in the position, so all
//! of its rounds can be taken if the first and the last can. The number of rounds is a quotient of a linear form if the
//! end of the walk determines it; otherwise it is kept as it was.

use lozenge_sizes::{Form, Int, Overflow, Variable};
use rustc_hash::FxHashSet;

use crate::complete::decide::atoms::{Clash, Cross, Lengths, Step};
use crate::complete::decide::normalised::{At, NormalisedSet, leading, trailing};
use crate::ids::{Id, IdVec, QuotientId, RowVarId};

/// The longest part of a walk that is looked for as the body of a loop.
const LONGEST_BODY: usize = 48;

/// A part of a walk.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// One step.
    Step(Step),
    /// Steps from a row back to it, `drift` places further right, taken at least once.
    Loop {
        body: Vec<Step>,
        drift: Int,
        times: Form,
    },
}

/// Walks and the conditions under which they exist and clash.
#[derive(Clone, Debug)]
pub(crate) struct Scheme {
    pub(crate) walks: Vec<Vec<Item>>,
    /// Each is at least 0. They are divided by their common divisors and rounded, and none of them always holds.
    pub(crate) conditions: Vec<Form>,
}

/// The bodies of the loops that were met, beginning at any of their steps. A part of a walk that is one of them is a
/// loop though it is taken once: its clause is then one for every number of rounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bodies(FxHashSet<Vec<Step>>);

impl Bodies {
    fn note(&mut self, scheme: &Scheme) {
        for item in scheme.walks.iter().flatten() {
            let Item::Loop { body, .. } = item else {
                continue;
            };
            if self.0.contains(body) {
                continue;
            }
            self.0.extend((0..body.len()).map(|first| {
                let mut steps = body.clone();
                steps.rotate_left(first);
                steps
            }));
        }
    }
}

/// The quotients that loops are counted by: `⌊form / divisor⌋`, and the variable that each is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quotients {
    pub(crate) list: IdVec<QuotientId, (Form, Int)>,
}

/// The variables of quotients begin here. The variables of lengths have smaller numbers, however many rows are added.
const QUOTIENTS: u32 = 1 << 29;

impl Quotients {
    pub(crate) fn variable(quotient: QuotientId) -> Variable {
        Variable(QUOTIENTS + quotient.number())
    }

    /// Returns the quotient that a variable is; `None` where it is a length.
    pub(crate) fn number(variable: Variable) -> Option<QuotientId> {
        let number = variable.0.checked_sub(QUOTIENTS);
        number.map(QuotientId::of)
    }

    /// Returns a form divided by a divisor, where that divides it. The quotient is written by the one of the form's
    /// residue: what the divisor divides in it, its constant and its sign are left out, so that forms which differ in
    /// these have one quotient and one remainder.
    fn of(&mut self, form: &Form, divisor: Int) -> Result<Form, Overflow> {
        let residues = |form: &Form| form.map(|number| number.rem_euclid(divisor));
        let first = residues(form).terms().first().map_or(0, |term| term.1);
        let sign = if 2 * first > divisor { -1 } else { 1 };
        let form = form.scaled(sign)?;
        // form = divisor * whole + residue + constant.
        let mut residue = residues(&form);
        residue.constant = 0;
        let mut whole = form.plus(-1, &residue)?;
        let constant = std::mem::take(&mut whole.constant);
        let whole = whole.map(|number| number / divisor);
        let known = |known: &(Form, Int)| known.0 == residue && known.1 == divisor;
        let number = match self.list.ids().find(|at| known(&self.list[*at])) {
            Some(number) => number,
            None => self.list.push((residue, divisor)),
        };
        // The remainder of the residue is that of -constant.
        let remainder = (-constant).rem_euclid(divisor);
        let quotient = whole.plus(1, &Form::variable(Quotients::variable(number)))?;
        quotient
            .shifted((remainder + constant) / divisor)?
            .scaled(sign)
    }

    /// Returns the forms that define a quotient, each at least 0: `form - divisor * q` and `divisor * q + divisor - 1 -
    /// form`.
    pub(crate) fn definition(&self, number: QuotientId) -> Result<[Form; 2], Overflow> {
        let (form, divisor) = &self.list[number];
        let rest = form.plus(-divisor, &Form::variable(Quotients::variable(number)))?;
        let room = rest.scaled(-1)?.shifted(divisor - 1)?;
        Ok([rest, room])
    }

    /// Returns the values of the quotients at given lengths. The form of a quotient mentions lengths and quotients
    /// before it.
    fn values(&self, lengths: &Lengths) -> Result<Vec<Int>, Overflow> {
        let mut values: Vec<Int> = Vec::with_capacity(self.list.len());
        for (form, divisor) in self.list.values() {
            let value = form.value(|variable| Quotients::value(variable, lengths, &values))?;
            values.push(value.div_euclid(*divisor));
        }
        Ok(values)
    }

    fn value(variable: Variable, lengths: &Lengths, quotients: &[Int]) -> Int {
        match Quotients::number(variable) {
            None => lengths.of(variable),
            Some(number) => quotients.get(number.index()).copied().unwrap_or(0),
        }
    }
}

/// The place of a walk.
#[derive(Clone, Debug)]
enum Place {
    /// On a written axis.
    Axis,
    /// In a row, so many places from the left.
    Row(RowVarId, Form),
}

/// A condition: at least 0, or equal to 0.
struct Condition {
    form: Form,
    is_equation: bool,
}

/// The end of a loop.
struct Edge {
    /// The form that is 0 as long as the distance to that place stays the same.
    form: Form,
    /// The number of rounds for which there is still room.
    rounds_left: Int,
}

struct Run<'a> {
    statements: &'a NormalisedSet,
    lengths: &'a Lengths,
    bodies: &'a Bodies,
    /// The longest body of a loop that is looked for.
    longest: usize,
    conditions: Vec<Condition>,
    /// For each loop, how often it is taken at the lengths of the clash.
    loops: Vec<Int>,
}

/// The variables of loops before they are solved for; the lengths and the quotients have smaller numbers.
const LOOPS: u32 = 1 << 30;

/// Returns the conditions of a clash. `None` where that takes numbers that are too large.
pub(crate) fn scheme(
    statements: &NormalisedSet,
    lengths: &Lengths,
    clash: &Clash,
    quotients: &mut Quotients,
    bodies: &mut Bodies,
) -> Option<Scheme> {
    // A loop whose drift is no constant at all lengths may not come back to the clash.
    let none = Bodies::default();
    let attempts = [(&*bodies, LONGEST_BODY), (&none, LONGEST_BODY), (&none, 0)];
    let scheme = attempts.into_iter().find_map(|(bodies, longest)| {
        let run = Run::new(statements, lengths, bodies, longest);
        run.scheme(clash, quotients).ok().flatten()
    })?;
    bodies.note(&scheme);
    Some(scheme)
}

/// Returns an inequality divided by the common divisor of its coefficients, its constant rounded down.
pub(crate) fn rounded(form: &Form) -> Form {
    match form.content() {
        0 => form.clone(),
        divisor => form.map(|number| number.div_euclid(divisor)),
    }
}

fn replaced(form: &Form, counts: &[Form]) -> Result<Form, Overflow> {
    let mut form = form.clone();
    for (count, number) in counts.iter().zip(LOOPS..) {
        form = form.substituted(Variable(number), count)?;
    }
    Ok(form)
}

impl<'a> Run<'a> {
    fn new(
        statements: &'a NormalisedSet,
        lengths: &'a Lengths,
        bodies: &'a Bodies,
        longest: usize,
    ) -> Run<'a> {
        Run {
            statements,
            lengths,
            bodies,
            longest,
            conditions: Vec::new(),
            loops: Vec::new(),
        }
    }

    /// Returns the walks of a clash with their conditions; `None` where these do not hold at the lengths of the clash.
    fn scheme(
        mut self,
        clash: &Clash,
        quotients: &mut Quotients,
    ) -> Result<Option<Scheme>, Overflow> {
        let mut walks = Vec::new();
        let mut ends = Vec::new();
        for steps in &clash.walks {
            let (items, end) = self.walk(steps)?;
            walks.push(items);
            ends.push(end);
        }
        if let [Place::Row(_, one), Place::Row(_, other)] = ends.as_slice() {
            self.conditions.push(Condition {
                form: one.plus(-1, other)?,
                is_equation: true,
            });
        }
        let counts = self.solve(quotients)?;
        for item in walks.iter_mut().flatten() {
            if let Item::Loop { times, .. } = item {
                *times = replaced(times, &counts)?;
            }
        }
        let mut conditions = Vec::new();
        for condition in &self.conditions {
            let form = replaced(&condition.form, &counts)?;
            conditions.push(rounded(&form));
            if condition.is_equation {
                conditions.push(rounded(&form.scaled(-1)?));
            }
        }
        let known = quotients.values(self.lengths)?;
        let value =
            |form: &Form| form.value(|variable| Quotients::value(variable, self.lengths, &known));
        for form in &conditions {
            if value(form)? < 0 {
                return Ok(None);
            }
        }
        let mut seen = Vec::new();
        for form in conditions {
            if form.as_constant().is_none() && !seen.contains(&form) {
                seen.push(form);
            }
        }
        Ok(Some(Scheme {
            walks,
            conditions: seen,
        }))
    }

    /// Runs a walk. Parts that are repeated become loops.
    fn walk(&mut self, steps: &[Step]) -> Result<(Vec<Item>, Place), Overflow> {
        let mut items = Vec::new();
        let mut place = Place::Axis;
        let mut at = 0;
        while at < steps.len() {
            let repeated = self.repeated(&steps[at..]);
            if let Some((length, rounds)) = repeated
                && let Place::Row(row, position) = &place
            {
                let body = steps[at..at + length].to_vec();
                let (row, position) = (*row, position.clone());
                if let Some((item, end)) = self.rounds(body, row, &position, rounds)? {
                    items.push(item);
                    place = end;
                    at += length * rounds;
                    continue;
                }
            }
            place = self.step(&steps[at], &place)?;
            items.push(Item::Step(steps[at]));
            at += 1;
        }
        Ok((items, place))
    }

    /// Returns the length of the part that steps begin with and how often it is repeated, if it leads from a row back
    /// to it. A part that is taken once is a loop where it is known to be the body of one.
    fn repeated(&self, steps: &[Step]) -> Option<(usize, usize)> {
        let row = |step: &Step, side: usize| self.statements.list[step.constraint].sides[side].var;
        let mut best: Option<(usize, usize)> = None;
        for length in 1..=self.longest.min(steps.len()) {
            let last = &steps[length - 1];
            let in_rows = |step: &Step| step.enter == At::Content && step.land == At::Content;
            if !in_rows(last) {
                break;
            }
            if !in_rows(&steps[0]) || row(&steps[0], steps[0].from) != row(last, 1 - last.from) {
                continue;
            }
            let body = &steps[..length];
            let rounds = steps
                .chunks(length)
                .take_while(|part| *part == body)
                .count();
            if (rounds >= 2 || self.bodies.0.contains(body))
                && best.is_none_or(|(l, r)| length * rounds > l * r)
            {
                best = Some((length, rounds));
            }
        }
        best
    }

    /// Runs a loop: its body at its first place and at its last one.
    fn rounds(
        &mut self,
        body: Vec<Step>,
        row: RowVarId,
        position: &Form,
        rounds: usize,
    ) -> Result<Option<(Item, Place)>, Overflow> {
        let before = self.conditions.len();
        let end = self.body(&body, row, position)?;
        let drift_form = end.plus(-1, position)?;
        let drift = self.now(&drift_form)?;
        if drift == 0 {
            self.conditions.truncate(before);
            return Ok(None);
        }
        // The drift is the same in every round, and is to be what it is now.
        self.conditions.push(Condition {
            form: drift_form.shifted(-drift)?,
            is_equation: true,
        });
        let times = Form::variable(Variable(LOOPS + self.loops.len() as u32));
        self.loops.push(rounds as Int);
        self.conditions.push(Condition {
            form: times.clone().shifted(-1)?,
            is_equation: false,
        });
        let after = position.plus(drift, &times)?;
        let last = after.clone().shifted(-drift)?;
        self.body(&body, row, &last)?;
        let item = Item::Loop { body, drift, times };
        Ok(Some((item, Place::Row(row, after))))
    }

    fn body(&mut self, body: &[Step], row: RowVarId, position: &Form) -> Result<Form, Overflow> {
        let mut place = Place::Row(row, position.clone());
        for step in body {
            place = self.step(step, &place)?;
        }
        match place {
            Place::Row(_, end) => Ok(end),
            Place::Axis => Ok(position.clone()),
        }
    }

    /// Returns the value of a form at the lengths of the clash.
    fn now(&self, form: &Form) -> Result<Int, Overflow> {
        form.value(|variable| match variable.0.checked_sub(LOOPS) {
            Some(number) => self.loops[number as usize],
            None => self.lengths.of(variable),
        })
    }

    fn require(&mut self, form: Form, is_equation: bool) {
        self.conditions.push(Condition { form, is_equation });
    }

    /// Takes one step (Defs. 2.3 and 2.9).
    fn step(&mut self, step: &Step, place: &Place) -> Result<Place, Overflow> {
        let statement = &self.statements.list[step.constraint];
        let (source, target) = (&statement.sides[step.from], &statement.sides[1 - step.from]);
        let mut index = match (step.enter, place) {
            (At::Lead(k), _) => Form::constant(Int::from(k)),
            (At::Trail(k), _) => source.before_trail()?.shifted(Int::from(k))?,
            (At::Content, Place::Row(_, at)) => at.clone().shifted(source.lead.len() as Int)?,
            (At::Content, Place::Axis) => Form::default(),
        };
        match step.cross {
            Cross::Lead => {
                self.require(source.front()?.plus(-1, &index)?.shifted(-1)?, false);
            }
            Cross::Trail => {
                self.require(index.plus(-1, &source.front()?)?, false);
                index = index.plus(1, &target.rank()?)?.plus(-1, &source.rank()?)?;
            }
            Cross::Equal => {
                if let Some(place) = &statement.place {
                    index = index.plus([-1, 1][step.from], place)?;
                }
            }
        }
        let lead = target.lead.len() as Int;
        match (step.land, target.var) {
            (At::Lead(k), _) => {
                self.require(index.shifted(-Int::from(k))?, true);
                Ok(Place::Axis)
            }
            (At::Content, Some(row)) => {
                let position = index.shifted(-lead)?;
                let rank = Form::variable(leading(row)).plus(1, &Form::variable(trailing(row)))?;
                self.require(position.clone(), false);
                self.require(rank.plus(-1, &position)?.shifted(-1)?, false);
                Ok(Place::Row(row, position))
            }
            (At::Trail(_) | At::Content, _) => {
                let k = match step.land {
                    At::Trail(k) => Int::from(k),
                    _ => 0,
                };
                let at = target.before_trail()?.shifted(k)?;
                self.require(index.plus(-1, &at)?, true);
                Ok(Place::Axis)
            }
        }
    }

    /// Finds the number of rounds of each loop, by the lengths. A loop that goes on as long as it can is taken until it
    /// is as near to where it cannot as it is now. Of the others in an equation the one that is taken most often is
    /// solved for; what is left is taken as often as it is now.
    fn solve(&mut self, quotients: &mut Quotients) -> Result<Vec<Form>, Overflow> {
        let mut counts: Vec<Option<Form>> = vec![None; self.loops.len()];
        let equations = self
            .conditions
            .iter()
            .filter(|condition| condition.is_equation);
        let equations: Vec<Form> = equations.map(|condition| condition.form.clone()).collect();
        for equation in equations {
            let open: Vec<usize> = loops_in(&equation).collect();
            // A loop that was solved for or left as it is before stays so.
            if open.iter().any(|number| counts[*number].is_some()) {
                continue;
            }
            let edges: Vec<(usize, Option<Edge>)> = open
                .iter()
                .map(|number| Ok((*number, self.edge(*number, &open)?)))
                .collect::<Result<_, Overflow>>()?;
            let is_free =
                |edge: &Option<Edge>| edge.as_ref().is_none_or(|edge| edge.rounds_left > 0);
            let free = edges.iter().filter(|(_, edge)| is_free(edge));
            let free = free.map(|(number, _)| *number);
            let most = free.max_by_key(|number| self.loops[*number]);
            let Some(most) = most.or(open.last().copied()) else {
                continue;
            };
            for (number, edge) in edges {
                if number == most {
                    continue;
                }
                let taken = self.loops[number];
                counts[number] = Some(match edge {
                    Some(edge) if edge.rounds_left < taken => {
                        let count = self.solved(&edge.form, number, &counts, quotients)?;
                        self.require(edge.form, true);
                        count
                    }
                    _ => Form::constant(taken),
                });
            }
            counts[most] = Some(self.solved(&equation, most, &counts, quotients)?);
        }
        let counts = counts.into_iter().zip(&self.loops);
        Ok(counts
            .map(|(count, now)| count.unwrap_or_else(|| Form::constant(*now)))
            .collect())
    }

    /// Finds the end of a loop: of the conditions that keep it from being taken for ever the one that does so soonest.
    fn edge(&self, number: usize, open: &[usize]) -> Result<Option<Edge>, Overflow> {
        let own = Variable(LOOPS + number as u32);
        let mut nearest: Option<Edge> = None;
        for condition in self
            .conditions
            .iter()
            .filter(|condition| !condition.is_equation)
        {
            let factor = condition.form.coefficient(own);
            if factor >= 0 || loops_in(&condition.form).any(|l| l != number && open.contains(&l)) {
                continue;
            }
            let room = self.now(&condition.form)?;
            let rounds_left = room / -factor;
            if nearest
                .as_ref()
                .is_none_or(|edge| rounds_left < edge.rounds_left)
            {
                let form = condition.form.clone().shifted(-room)?;
                nearest = Some(Edge { form, rounds_left });
            }
        }
        Ok(nearest)
    }

    /// Returns the count of a loop that makes a form 0, where some counts are known.
    fn solved(
        &self,
        equation: &Form,
        number: usize,
        counts: &[Option<Form>],
        quotients: &mut Quotients,
    ) -> Result<Form, Overflow> {
        let own = Variable(LOOPS + number as u32);
        let factor = equation.coefficient(own);
        let mut rest = equation.without(own);
        for (count, number) in counts.iter().zip(LOOPS..) {
            if let Some(count) = count {
                rest = rest.substituted(Variable(number), count)?;
            }
        }
        // factor * count + rest = 0.
        let form = rest.scaled(-factor.signum())?;
        match factor.abs() {
            1 => Ok(form),
            divisor => quotients.of(&self.statements.by_ranks(&form)?, divisor),
        }
    }
}

/// Returns the loops whose counts a form mentions.
fn loops_in(form: &Form) -> impl Iterator<Item = usize> + '_ {
    let loops = form
        .variables()
        .filter_map(|variable| variable.0.checked_sub(LOOPS));
    loops.map(|number| number as usize)
}
