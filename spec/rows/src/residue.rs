//! The decision, as a whole, of the constraints of sizes that the rules leave open (§8), with bounds and by trying
//! small sizes.
//!
//! Each waiting constraint is read as a linear form of sizes with a lower and perhaps an upper bound. There is no
//! solution if propagating these bounds leaves a variable without a size, if an axis would be longer than itself, if
//! the exact windows have no solution modulo a small number, or if all possible sizes were tried in vain. There is a
//! solution if trying small sizes finds one, which is checked by Def. 3.4. Otherwise the answer is not known.

mod counted;
mod search;

use std::collections::{BTreeMap, BTreeSet};

use counted::{at_its_top, counts_rows, of_any_length};

use crate::cause::Cause;
use crate::configuration::Configuration;
use crate::records::is_atom;
use lozenge_vocabulary::composite::{Composite, Composition};
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimTerm, DimVar};
use lozenge_vocabulary::window::{Mode, Window};

/// The largest number of rounds in which the bounds are tightened.
const ROUNDS: usize = 64;
/// The numbers modulo which exact windows are read, and how many residues are tried.
const MODULI: u64 = 12;
const RESIDUES: usize = 100_000;

/// The answer about the constraints that are left open.
#[derive(Clone, Debug)]
pub enum Residue {
    /// These values satisfy it.
    Satisfied(BTreeMap<DimVar, Dim>),
    /// No values satisfy them, by this rule and for this cause.
    Refuted(Rule, Cause),
    /// Sizes that satisfy the constraints may exist, but open rows among factors would need more axes than are known of
    /// them.
    Unwitnessed,
    /// The answer is not known.
    Open,
}

/// `Σ c·sz(α) + constant`, at least the first number and, if there is one, at most the second.
#[derive(Clone, Debug)]
struct Form {
    terms: Vec<(i128, usize)>,
    constant: i128,
    least: i128,
    most: Option<i128>,
}

/// The open problem: its variables, the constraints on them, and the linear forms and products that these state.
struct Open {
    vars: Vec<DimVar>,
    constraints: Vec<Constraint>,
    forms: Vec<Form>,
    products: Vec<Composite>,
    /// The least size of each variable and, if it is known, the greatest.
    bounds: Vec<(i128, Option<i128>)>,
    is_atom: Vec<bool>,
}

/// Decides the constraints of sizes that are left open in a configuration.
pub fn decide(config: &Configuration) -> Residue {
    let (constraints, cause) = left_open(config);
    let decided = |constraints: Vec<Constraint>, cause: &Cause| {
        let open = Open::new(constraints);
        open.map_or(Residue::Open, |open| open.decide(cause.clone()))
    };
    if constraints
        .iter()
        .any(|stated| matches!(stated, Constraint::Flat(_)))
    {
        return Residue::Open;
    }
    if !constraints.iter().any(counts_rows) {
        return decided(constraints, &cause);
    }
    // Rows of any length have all solutions that these rows have, and rows without further axes have no others.
    let (any, why) = of_any_length(config, &constraints);
    match decided(any, &cause.and(&why)) {
        Residue::Refuted(rule, cause) => Residue::Refuted(rule, cause),
        _ => match decided(constraints.iter().map(at_its_top).collect(), &cause) {
            Residue::Satisfied(found) => Residue::Satisfied(found),
            _ => Residue::Unwitnessed,
        },
    }
}

/// Returns the cause for which the open constraints force a variable to have the size `found`, which it has in some
/// solution: no solution has a smaller or a larger one. `None` where that is not known.
pub fn forced(config: &Configuration, var: &DimVar, found: u64) -> Option<Cause> {
    let (constraints, cause) = left_open(config);
    let (constraints, why) = of_any_length(config, &constraints);
    let cause = cause.and(&why);
    let otherwise = |smaller: bool| {
        let mut open = Open::new(constraints.clone())?;
        let at = open.vars.binary_search(var).ok()?;
        let (low, high) = &mut open.bounds[at];
        match smaller {
            true => *high = Some(i128::from(found) - 1),
            false => *low = i128::from(found) + 1,
        }
        match open.decide(cause.clone()) {
            Residue::Refuted(_, cause) => Some(cause),
            Residue::Satisfied(_) | Residue::Unwitnessed | Residue::Open => None,
        }
    };
    Some(otherwise(true)?.and(&otherwise(false)?))
}

/// Returns the sizes that constraints of sizes alone force, each of which no solution has smaller or larger; those that
/// are known to be forced.
pub(crate) fn forced_alone(constraints: &[Constraint]) -> BTreeMap<DimVar, u64> {
    let open = || Open::new(constraints.to_vec());
    let Some(Residue::Satisfied(found)) = open().map(|open| open.decide(Cause::default())) else {
        return BTreeMap::new();
    };
    let is_forced = |var: &DimVar, size: u64| {
        let size = i128::from(size);
        let refuted = |bounds: (i128, Option<i128>)| {
            let mut open = open()?;
            let at = open.vars.binary_search(var).ok()?;
            open.bounds[at] = bounds;
            matches!(open.decide(Cause::default()), Residue::Refuted(..)).then_some(())
        };
        refuted((1, Some(size - 1))).is_some() && refuted((size + 1, None)).is_some()
    };
    let found = found.into_iter().map(|(var, dim)| (var, dim.size()));
    found.filter(|(var, size)| is_forced(var, *size)).collect()
}

/// Returns the waiting constraints of sizes, the bounds of dimensions in B, and the causes of both.
fn left_open(config: &Configuration) -> (Vec<Constraint>, Cause) {
    let deferred = config.deferred.iter();
    let deferred = deferred.map(|waiting| (&waiting.constraint, &waiting.cause));
    let deferred = deferred.filter(|(stated, _)| stated.is_of_sizes());
    let stored = config.bounds.iter();
    let stored = stored.filter(|(bound, _)| bound.rows().is_none());
    let mut cause = Cause::default();
    let mut constraints = Vec::new();
    for (stated, why) in deferred.chain(stored) {
        cause.join(why);
        constraints.push(stated.clone());
    }
    (constraints, cause)
}

impl Open {
    /// Returns the problem of the variables that constraints of sizes mention and of those below them.
    fn new(mut constraints: Vec<Constraint>) -> Option<Open> {
        let mut names: BTreeSet<DimVar> = BTreeSet::new();
        let of = |stated: &Constraint| {
            let vars = stated.dims().into_iter().filter_map(|term| match term {
                DimTerm::Var(var) => Some(var.clone()),
                DimTerm::Const(_) => None,
            });
            vars.collect::<Vec<_>>()
        };
        for stated in constraints.iter().filter(|stated| stated.is_of_sizes()) {
            names.extend(of(stated));
        }
        loop {
            let before = names.len();
            for stated in &constraints {
                if let Constraint::DimLe(DimTerm::Var(low), DimTerm::Var(high)) = stated
                    && names.contains(high)
                {
                    names.insert(low.clone());
                }
            }
            if names.len() == before {
                break;
            }
        }
        // A variable above them that is in no constraint of sizes can be the unit, so it is left out.
        constraints.retain(|stated| of(stated).iter().all(|var| names.contains(var)));
        let vars: Vec<DimVar> = names.into_iter().collect();
        let is_atom = vars
            .iter()
            .map(|var| constraints.contains(&is_atom(var)))
            .collect();
        let mut open = Open {
            bounds: vec![(1, None); vars.len()],
            vars,
            forms: Vec::new(),
            products: Vec::new(),
            is_atom,
            constraints,
        };
        open.forms = open
            .constraints
            .iter()
            .flat_map(|stated| open.form(stated))
            .collect();
        let products = open.constraints.iter().filter_map(|stated| match stated {
            Constraint::Composite(product) if product.composition == Composition::Product => {
                Some(product.clone())
            }
            _ => None,
        });
        open.products = products.collect();
        let small = |form: &Form| {
            form.terms.iter().all(|(factor, _)| factor.abs() < 1 << 40)
                && form.constant.abs() < 1 << 60
        };
        open.forms.iter().all(small).then_some(open)
    }

    fn decide(mut self, cause: Cause) -> Residue {
        let is_empty = |(low, high): &(i128, Option<i128>)| high.is_some_and(|high| high < *low);
        let is_refuted =
            self.bounds.iter().any(is_empty) || !self.tighten() || self.has_no_residues();
        // CO-cycle       an axis is longer than itself   fail
        match (self.is_longer_than_itself(), is_refuted) {
            (true, _) => Residue::Refuted(Rule::CoCycle, cause),
            (false, true) => Residue::Refuted(Rule::ArResidue, cause),
            (false, false) => self.search(cause),
        }
    }

    fn form(&self, stated: &Constraint) -> Vec<Form> {
        let mut form = Form {
            terms: Vec::new(),
            constant: 0,
            least: 0,
            most: Some(0),
        };
        match stated {
            Constraint::Window(window) => self.of_window(window, &mut form),
            Constraint::Composite(composite) if composite.composition == Composition::Concat => {
                self.add(&mut form, 1, &composite.whole);
                for part in &composite.parts {
                    self.add(&mut form, -1, part);
                }
            }
            Constraint::AtLeast { dim, size } => {
                self.add(&mut form, 1, dim);
                (form.least, form.most) = (size.get().into(), None);
            }
            _ => return Vec::new(),
        }
        // A size on both sides cancels.
        form.terms.retain(|(factor, _)| *factor != 0);
        vec![form]
    }

    /// Adds the form of a window: `M - T`, or `N - c·o` for the modes that make their own margins.
    fn of_window(&self, window: &Window, form: &mut Form) {
        let stride = i128::from(window.stride.get());
        let high = i128::from(window.high);
        self.add(form, 1, &window.axis);
        self.add(form, -stride, &window.over);
        (form.least, form.most) = match window.mode {
            Mode::Exact => (0, Some(0)),
            Mode::Floor => (0, Some(stride - 1)),
            // One more window begins beyond the axis, or T reaches M.
            Mode::Ceil => (1 - stride, Some(stride + high)),
            Mode::Same | Mode::SameLower => (1 - stride, Some(0)),
        };
        if !window.mode.has_margins() {
            return;
        }
        form.constant += i128::from(window.low) + high + stride;
        form.constant -= if window.taps.is_empty() { stride } else { 1 };
        for (dilation, tap) in &window.taps {
            let dilation = i128::from(dilation.get());
            self.add(form, -dilation, tap);
            form.constant += dilation;
        }
    }

    fn add(&self, form: &mut Form, factor: i128, term: &DimTerm) {
        match term {
            DimTerm::Const(dim) => form.constant += factor.saturating_mul(dim.size().into()),
            DimTerm::Var(var) => {
                let at = self.vars.binary_search(var).unwrap_or_default();
                match form.terms.iter_mut().find(|(_, other)| *other == at) {
                    Some((known, _)) => *known += factor,
                    None => form.terms.push((factor, at)),
                }
            }
        }
    }

    /// Returns the least or the greatest value of a part of a form.
    fn end(&self, factor: i128, at: usize, least: bool) -> Option<i128> {
        let (low, high) = self.bounds[at];
        match (factor > 0) == least {
            true => Some(factor * low),
            false => high.map(|high| factor * high),
        }
    }

    /// Tightens the bounds of sizes by one form after the other; false when a variable has no size left.
    fn tighten(&mut self) -> bool {
        for _ in 0..ROUNDS {
            let before = self.bounds.clone();
            for form in self.forms.clone() {
                let fits = form.least <= form.constant
                    && form.most.is_none_or(|most| form.constant <= most);
                if form.terms.is_empty() && !fits {
                    return false;
                }
                for (factor, at) in form.terms.iter().copied() {
                    let others = form.terms.iter().filter(|(_, other)| *other != at);
                    let sum = |least: bool| {
                        others.clone().try_fold(form.constant, |sum, (factor, at)| {
                            Some(sum + self.end(*factor, *at, least)?)
                        })
                    };
                    // least ≤ factor·α + others ≤ most
                    let low = sum(false).map(|others| form.least - others);
                    let high = sum(true).and_then(|others| Some(form.most? - others));
                    let (low, high) = match factor.is_positive() {
                        true => (low, high),
                        false => (high.map(|most| -most), low.map(|least| -least)),
                    };
                    let by = factor.abs();
                    let low = low.map(|low| -(-low).div_euclid(by));
                    let high = high.map(|high| high.div_euclid(by));
                    if !self.bound(at, low, high) {
                        return false;
                    }
                }
            }
            if !self.tighten_products() {
                return false;
            }
            if self.bounds == before {
                break;
            }
        }
        true
    }

    /// Returns the least and the greatest size of a term.
    fn range(&self, term: &DimTerm) -> (i128, Option<i128>) {
        match term {
            DimTerm::Const(dim) => (dim.size().into(), Some(dim.size().into())),
            DimTerm::Var(var) => {
                let at = self.vars.binary_search(var).unwrap_or_default();
                self.bounds[at]
            }
        }
    }

    /// Tightens the bounds of one variable; false when it has no size left. An upper bound of more than 63 bits is not
    /// taken over and a lower one is lessened, so that the product of a bound and a coefficient does not overflow.
    fn bound(&mut self, at: usize, low: Option<i128>, high: Option<i128>) -> bool {
        let (least, most) = &mut self.bounds[at];
        let low = low.map(|low| low.min(i64::MAX.into()));
        *least = low.map_or(*least, |low| low.max(*least));
        let high = high.and_then(|high| i64::try_from(high.max(0)).ok());
        *most = [*most, high.map(i128::from)].into_iter().flatten().min();
        most.is_none_or(|most| *least <= most)
    }

    /// Tightens the bounds of one term; false when it has no size left.
    fn narrow(&mut self, term: &DimTerm, low: Option<i128>, high: Option<i128>) -> bool {
        match term {
            DimTerm::Const(dim) => {
                let size = i128::from(dim.size());
                low.is_none_or(|low| low <= size) && high.is_none_or(|high| size <= high)
            }
            DimTerm::Var(var) => {
                let at = self.vars.binary_search(var).unwrap_or_default();
                self.bound(at, low, high)
            }
        }
    }

    /// Tightens the bounds of products and of their factors, which are at least 1.
    fn tighten_products(&mut self) -> bool {
        for product in self.products.clone() {
            let of = |ends: Vec<Option<i128>>| {
                let mut ends = ends.into_iter();
                ends.try_fold(1i128, |total, end| total.checked_mul(end?))
            };
            let ranges: Vec<_> = product.parts.iter().map(|part| self.range(part)).collect();
            let least = of(ranges.iter().map(|(low, _)| Some(*low)).collect());
            let most = of(ranges.iter().map(|(_, high)| *high).collect());
            if !self.narrow(&product.whole, least, most) {
                return false;
            }
            // A whole that is one of its factors leaves 1 for the others.
            let own = product.parts.iter().position(|part| *part == product.whole);
            for (at, part) in product.parts.iter().enumerate() {
                if own.is_some_and(|own| own != at) && !self.narrow(part, None, Some(1)) {
                    return false;
                }
            }
            let (low, high) = self.range(&product.whole);
            for (at, part) in product.parts.iter().enumerate() {
                let others = || (0..ranges.len()).filter(|other| *other != at);
                let fewest = of(others().map(|other| Some(ranges[other].0)).collect());
                let greatest = of(others().map(|other| ranges[other].1).collect());
                let most = high
                    .zip(fewest)
                    .map(|(high, by)| high.div_euclid(by.max(1)));
                let least = greatest.map(|by| -(-low).div_euclid(by.max(1)));
                if !self.narrow(part, least, most) {
                    return false;
                }
            }
        }
        true
    }

    /// Tells whether facts `sz(α) ≥ sz(β) + k` form a cycle with a positive sum (the check of Def. 4.5, applied to
    /// sizes).
    fn is_longer_than_itself(&self) -> bool {
        let mut facts = Vec::new();
        for form in &self.forms {
            // Only the axis itself has a positive factor, and it comes first.
            let Some(((1, axis), parts)) = form.terms.split_first() else {
                continue;
            };
            // α ≥ least - constant + Σ c·β
            let all = parts
                .iter()
                .map(|(factor, at)| -factor * self.bounds[*at].0);
            let longer = form.least - form.constant + all.sum::<i128>();
            let parts = parts.iter();
            facts.extend(parts.map(|(_, at)| (*axis, *at, longer - self.bounds[*at].0)));
        }
        let mut longest = vec![0i128; self.vars.len()];
        for _ in 0..=self.vars.len() {
            let mut changed = false;
            for (longer, shorter, by) in &facts {
                if longest[*longer] < longest[*shorter] + by {
                    longest[*longer] = longest[*shorter] + by;
                    changed = true;
                }
            }
            if !changed {
                return false;
            }
        }
        true
    }

    /// Tells whether the exact forms have no solution modulo a small number.
    fn has_no_residues(&self) -> bool {
        let exact: Vec<&Form> = self
            .forms
            .iter()
            .filter(|form| (form.least, form.most) == (0, Some(0)))
            .collect();
        let used: BTreeSet<usize> = exact
            .iter()
            .flat_map(|form| form.terms.iter().map(|(_, at)| *at))
            .collect();
        let used: Vec<usize> = used.into_iter().collect();
        (2..=MODULI).any(|modulus| {
            let modulus = i128::from(modulus);
            let holds = |values: &[i128], form: &&&Form| {
                let mut sum = form.constant;
                for (factor, at) in &form.terms {
                    match used
                        .iter()
                        .position(|own| own == at)
                        .and_then(|at| values.get(at))
                    {
                        Some(value) => sum += factor * value,
                        None => return true,
                    }
                }
                sum.rem_euclid(modulus) == 0
            };
            let mut values: Vec<i128> = Vec::new();
            for _ in 0..RESIDUES {
                let fits = exact.iter().all(|form| holds(&values, &form));
                if fits && values.len() == used.len() {
                    return false;
                }
                if fits {
                    values.push(0);
                    continue;
                }
                while let Some(last) = values.pop() {
                    if last + 1 < modulus {
                        values.push(last + 1);
                        break;
                    }
                }
                if values.is_empty() {
                    return true;
                }
            }
            false
        })
    }
}
