//! One encoding in the solver: some constraints at one window, and the questions that are put to it.

use std::collections::BTreeSet;

use lozenge_smt::Scope;
use lozenge_vocabulary::{Basis, Constraint, DimVar, Order, RowTerm, Var};
use z3::ast::{Bool, Int};

use crate::encoding::{cost, links_at, meaning, reads_flat, word_links};
use crate::formula::{Axis, Facing, Guard, Length, LengthFact, Meaning, Measure, Relation};
use crate::limits::{Clock, Reason};
use crate::overlap::{Overlaps, Periodic};
use crate::smt::Smt;
use crate::symbols::Symbols;

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckResult {
    /// A solution exists inside the window; [`Session::solution`] reads it.
    Found,
    /// The constraints have no solution, at any length.
    Refuted,
    /// No solution exists inside the window, but the facts that hold beyond it do not exclude a longer one.
    Open,
}

/// The solver, the clock and the settings of an encoding.
pub(crate) struct Setting<'a> {
    pub smt: &'a Smt,
    pub clock: &'a Clock,
    pub order: Order,
    pub window: u32,
}

/// An encoding under construction: the constraints that are asserted and the variables that are in use.
pub(crate) struct Session<'a> {
    pub setting: Setting<'a>,
    pub symbols: Symbols,
    /// The bases in use, by number, where axes have sizes.
    pub(crate) bases: Vec<Basis>,
    /// The variables that may be 0.
    pub(crate) summands: BTreeSet<DimVar>,
    assumed: Vec<Constraint>,
    /// Row variables whose axes from the front are linked to those from the back.
    linked: BTreeSet<u32>,
    /// The flag that assumes that all values fit the window.
    pub(crate) within: Bool,
    /// The flag under which values need not fit the window.
    pub(crate) anywhere: Bool,
    /// The number of atoms that were asserted to be distinct.
    distinct: u32,
    flags: u32,
    scratch: u32,
    _scope: Scope<'a>,
}

impl<'a> Session<'a> {
    /// Returns an encoding in which the variables are in use; none is constrained yet.
    pub fn open(setting: Setting<'a>, vars: &BTreeSet<Var>) -> Session<'a> {
        let scope = setting.smt.scope();
        let [within, anywhere] = [0, 1].map(|k| setting.smt.flag(k));
        let mut symbols = Symbols::default();
        vars.iter().for_each(|var| symbols.add(var));
        Session {
            setting,
            symbols,
            bases: vec![Basis::Default],
            summands: BTreeSet::new(),
            assumed: Vec::new(),
            linked: BTreeSet::new(),
            within,
            anywhere,
            distinct: 0,
            flags: 1,
            scratch: 0,
            _scope: scope,
        }
    }

    /// Asserts that variables are 0.
    pub(crate) fn state_zeros(&mut self, zeros: &BTreeSet<DimVar>) {
        for var in zeros {
            let axis = self.symbols.axis(&var.clone().into());
            let smt = self.setting.smt;
            smt.assert(smt.is_zero(axis));
        }
    }

    /// Returns a Boolean constant that nothing else of this session uses.
    pub fn fresh_flag(&mut self) -> Bool {
        self.flags += 1;
        self.setting.smt.flag(self.flags)
    }

    pub(crate) fn fresh_int(&mut self) -> Int {
        self.scratch += 1;
        self.setting.smt.scratch(self.scratch)
    }

    /// Returns the meaning of the constraint, with its variables taken into use.
    pub(crate) fn meaning_of(
        &mut self,
        constraint: &Constraint,
        order: Order,
        window: u32,
    ) -> Result<Meaning, Reason> {
        for var in reads_flat(constraint, order) {
            let number = self.symbols.row_number(var);
            self.link(number)?;
        }
        self.setting.clock.spend(cost(constraint, order, window))?;
        Ok(meaning(constraint, order, &mut self.symbols, window))
    }

    /// Links the axes of a value that are counted from its two ends (Def. 2.1).
    pub fn link(&mut self, row: u32) -> Result<(), Reason> {
        if !self.linked.insert(row) {
            return Ok(());
        }
        let window = self.setting.window;
        self.setting.clock.spend((window as usize).pow(2))?;
        let links = word_links(row, window);
        let formula = self.affirmed(&links);
        self.setting.smt.assert(&formula);
        Ok(())
    }

    /// Links the axes counted from the two ends of a value whose rank is known.
    pub fn link_at(&self, row: u32, rank: u32) {
        let links = links_at(row, rank);
        self.setting.smt.assert(self.affirmed(&links));
    }

    /// Asserts the constraint.
    ///
    /// # Errors
    /// When the encoding grows beyond the limit or the time is up.
    pub fn assume(&mut self, constraint: &Constraint) -> Result<(), Reason> {
        if matches!(constraint, Constraint::Flat(_)) {
            let what =
                "rows side by side, of which the oracle tells satisfiability and cores alone";
            return Err(Reason::Form(what.into()));
        }
        let formula = match self.of_sizes(constraint) {
            Some(formula) => {
                self.setting.clock.spend(constraint.dims().len())?;
                formula
            }
            None => {
                let order = self.setting.order;
                let meaning = self.meaning_of(constraint, order, self.setting.window)?;
                self.affirmed(&meaning)
            }
        };
        self.setting.smt.assert(&formula);
        if let Some(present) = self.present(constraint) {
            self.setting.smt.assert(&present);
        }
        self.assumed.push(constraint.clone());
        Ok(())
    }

    pub(crate) fn affirmed(&self, meaning: &Meaning) -> Bool {
        let smt = self.setting.smt;
        let lengths = meaning.lengths.iter().map(|&fact| smt.fact(fact));
        let axes = meaning
            .facing
            .iter()
            .map(|facing| smt.holds(meaning.relation, facing));
        Bool::and(&lengths.chain(axes).collect::<Vec<_>>())
    }

    /// Asserts that the variable of `part` has its marker where `whole` has its marker, if that is inside the
    /// variable's axes.
    pub fn align(&mut self, whole: &RowTerm, part: &RowTerm) {
        let smt = self.setting.smt;
        let (whole, part) = (
            self.symbols.symbolic_row(whole),
            self.symbols.symbolic_row(part),
        );
        let explicit = |axes: &[Axis]| Length {
            explicit: axes.len() as u32,
            of: None,
        };
        let front = LengthFact::AtLeast(whole.leading(), explicit(&part.leading));
        let back = LengthFact::AtLeast(whole.trailing(), explicit(&part.trailing));
        let inside = Bool::and(&[smt.fact(front), smt.fact(back)]);
        let there = LengthFact::Same(whole.leading(), part.leading());
        smt.assert(inside.implies(smt.fact(there)));
    }

    /// Asserts that the row has fewer than `axes` axes.
    pub fn shorter_than(&mut self, row: &RowTerm, axes: usize) {
        let rank = self.symbols.symbolic_row(row).rank();
        let enough = Length {
            explicit: axes as u32,
            of: None,
        };
        let long = self.setting.smt.fact(LengthFact::AtLeast(rank, enough));
        self.setting.smt.assert(long.not());
    }

    /// Asserts the facts about periodic overlaps, which hold for rows of any length. All constraints from which the
    /// overlaps were computed must be assumed.
    ///
    /// # Errors
    /// As [`Session::assume`].
    pub fn assume_overlaps(&mut self, overlaps: &Overlaps) -> Result<(), Reason> {
        for periodic in &overlaps.periodic {
            let formula = self.periodic(periodic)?;
            self.setting.smt.assert(&formula);
        }
        Ok(())
    }

    /// Returns the formula that an overlap, if it is long enough, repeats, and that its ends are related by its length
    /// modulo the period.
    fn periodic(&mut self, periodic: &Periodic) -> Result<Bool, Reason> {
        let smt = self.setting.smt;
        let window = self.setting.window;
        let (quotient, residue) = (self.fresh_int(), self.fresh_int());
        let rank = smt.measure(Measure::Rank, periodic.var);
        let overlap = rank - smt.number(periodic.overhang);
        let long = overlap.ge(smt.number(periodic.from));
        let mut facts = vec![
            residue.ge(smt.number(0)),
            residue.lt(smt.number(periodic.period)),
            overlap.eq(Int::add(&[
                &(smt.number(periodic.period) * &quotient),
                &residue,
            ])),
        ];
        let related = |facing: &Facing| smt.holds(Relation::Same, facing);
        facts.extend(periodic.repeats(window).iter().map(related));
        self.setting.clock.spend(2 * window as usize)?;
        for r in 0..periodic.period {
            self.setting.clock.spend(periodic.period as usize)?;
            let pairs = periodic.facing(r, window);
            let tied: Vec<Bool> = pairs.iter().map(related).collect();
            let here = residue.eq(smt.number(r));
            facts.push(here.implies(Bool::and(&tied)));
        }
        Ok(long.implies(Bool::and(&facts)))
    }

    /// Asserts that the atoms in use differ from each other or, where axes have sizes, their sizes and bases.
    pub fn keep_distinct(&mut self) {
        let count = self.symbols.atoms.len() as u32;
        if self.setting.smt.is_sized() {
            let before = std::mem::replace(&mut self.distinct, count);
            self.define_atoms(before);
        } else if count != self.distinct {
            self.distinct = count;
            self.setting.smt.assert(self.setting.smt.distinct(count));
        }
    }

    /// Ends the encoding: atoms are distinct, lengths are natural numbers, and a flag says that all values fit the
    /// window.
    pub fn seal(&mut self) -> Sealed {
        let smt = self.setting.smt;
        self.keep_distinct();
        if smt.is_sized() {
            self.bound_sizes();
        }
        let mut fits = Vec::new();
        for row in 0..self.symbols.rows.len() as u32 {
            smt.assert(smt.natural(row));
            let measures: &[Measure] = if self.linked.contains(&row) {
                &[Measure::Rank]
            } else {
                &[Measure::Leading, Measure::Trailing]
            };
            fits.extend(measures.iter().map(|&measure| {
                let past = Guard::Exceeds(measure, row, self.setting.window);
                smt.guard(past).not()
            }));
        }
        smt.assert(self.within.implies(Bool::and(&fits)));
        Sealed(())
    }

    /// Returns the constraints that are asserted without a flag.
    pub fn assumed(&self) -> &[Constraint] {
        &self.assumed
    }
}

/// A sealed encoding.
pub(crate) struct Sealed(());

impl Sealed {
    /// Looks for a solution under the assumptions.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn check(
        &self,
        session: &Session<'_>,
        assumptions: &[Bool],
    ) -> Result<CheckResult, Reason> {
        let (smt, clock) = (session.setting.smt, session.setting.clock);
        let mut all = assumptions.to_vec();
        all.push(session.within.clone());
        if smt.check(&all, clock)? {
            return Ok(CheckResult::Found);
        }
        if !smt.unsat_core().contains(&session.within) {
            return Ok(CheckResult::Refuted);
        }
        *all.last_mut().expect("not empty") = session.anywhere.clone();
        Ok(match smt.check(&all, clock)? {
            true => CheckResult::Open,
            false => CheckResult::Refuted,
        })
    }
}
