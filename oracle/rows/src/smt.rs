//! The thread's one Z3 solver, and the terms that all questions share.
//!
//! Axes belong to an uninterpreted sort: only their identity and the unit matter to Defs. 1.2 and 3.4. Lengths are
//! integers. Sets that relate sizes (§8) have a separate solver, in which an axis is the unit or an atom with a size
//! and a basis. Variables are named by number, so that the terms of one set can be reused for the next one.

use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;

use lozenge_smt::{Pool, Session};
use z3::ast::{Bool, Dynamic, Int};
use z3::{DatatypeAccessor, DatatypeBuilder, DatatypeSort, Sort};

use crate::formula::{Axis, Facing, Guard, Length, LengthFact, Measure, Relation};

/// The solver and the terms that were built so far.
pub(crate) struct Smt {
    session: Session,
    sort: Sort,
    /// The sort of axes where sizes matter: the unit, or an atom with a size and a basis.
    sized: Option<DatatypeSort>,
    unit: Dynamic,
    /// 0, where variables may be 0.
    zero: Option<Dynamic>,
    atoms: Pool<Dynamic>,
    dims: Pool<Dynamic>,
    rows: RefCell<Vec<Rc<RowTerms>>>,
    numbers: Pool<Int>,
    /// Boolean constants that a scope may use for any purpose; the integers below serve in the same way.
    flags: Pool<Bool>,
    scratch: Pool<Int>,
}

impl Deref for Smt {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

/// The variants of an axis that has a size, and the fields of an atom, by number.
const UNIT: usize = 0;
const ATOM: usize = 1;
const SIZE: usize = 0;
const BASIS: usize = 1;
/// The variant that only sets with variables that may be 0 have.
const ZERO: usize = 2;

/// The terms of one row variable.
struct RowTerms {
    leading: Int,
    trailing: Int,
    rank: Int,
    front: Pool<Dynamic>,
    back: Pool<Dynamic>,
    exceeds: [Pool<Bool>; 3],
    rank_is: Pool<Bool>,
}

thread_local! {
    static SMT: RefCell<Rc<Smt>> = RefCell::new(Rc::new(Smt::new()));
    /// The solver for sets that relate sizes, once there was such a set.
    static SIZED: RefCell<Option<Rc<Smt>>> = const { RefCell::new(None) };
    /// The solver for sets in which variables may be 0, once there was such a set.
    static ZEROED: RefCell<Option<Rc<Smt>>> = const { RefCell::new(None) };
}

/// Returns the thread's solver.
pub(crate) fn of_this_thread() -> Rc<Smt> {
    SMT.with_borrow(Rc::clone)
}

/// Returns the thread's solver for sets that relate sizes.
pub(crate) fn with_sizes() -> Rc<Smt> {
    SIZED.with_borrow_mut(|made| Rc::clone(made.get_or_insert_with(|| Rc::new(Smt::sized(false)))))
}

/// Returns the thread's solver for sets in which variables may be 0.
pub(crate) fn with_zeros() -> Rc<Smt> {
    ZEROED.with_borrow_mut(|made| Rc::clone(made.get_or_insert_with(|| Rc::new(Smt::sized(true)))))
}

/// Gives the thread new solvers. The memory of the old ones is freed when nothing uses them any more.
pub(crate) fn renew() {
    SMT.replace(Rc::new(Smt::new()));
    SIZED.replace(None);
    ZEROED.replace(None);
}

impl Smt {
    /// Makes a new solver, in which nothing was asked before.
    pub fn new() -> Smt {
        let sort = Sort::uninterpreted("D".into());
        Smt::of(Dynamic::new_const("unit", &sort), sort, None)
    }

    fn sized(zero: bool) -> Smt {
        let number = || DatatypeAccessor::sort(Sort::int());
        let name = if zero { "Axis or 0" } else { "Axis" };
        let mut sized = DatatypeBuilder::new(name)
            .variant("the unit", Vec::new())
            .variant("an atom", vec![("size", number()), ("basis", number())]);
        if zero {
            sized = sized.variant("0", Vec::new());
        }
        let sized = sized.finish();
        let zero = zero.then(|| sized.variants[ZERO].constructor.apply(&[]));
        let unit = sized.variants[UNIT].constructor.apply(&[]);
        Smt {
            zero,
            ..Smt::of(unit, sized.sort.clone(), Some(sized))
        }
    }

    fn of(unit: Dynamic, sort: Sort, sized: Option<DatatypeSort>) -> Smt {
        Smt {
            session: Session::new(),
            unit,
            zero: None,
            sort,
            sized,
            atoms: Pool::default(),
            dims: Pool::default(),
            rows: RefCell::default(),
            numbers: Pool::default(),
            flags: Pool::default(),
            scratch: Pool::default(),
        }
    }

    /// Tells whether axes have sizes.
    pub fn is_sized(&self) -> bool {
        self.sized.is_some()
    }

    /// Tells whether this axis is an atom, where axes have sizes.
    pub fn is_atom(&self, axis: Axis) -> Bool {
        let no_unit = self.same(axis, Axis::Unit).not();
        match self.zero {
            Some(_) => Bool::and(&[no_unit, self.is_zero(axis).not()]),
            None => no_unit,
        }
    }

    /// Tells whether an axis is 0.
    pub fn is_zero(&self, axis: Axis) -> Bool {
        match self.zero {
            Some(_) => self.same(axis, Axis::Zero),
            None => Bool::from_bool(false),
        }
    }

    /// Tells whether variables may be 0.
    pub fn has_zeros(&self) -> bool {
        self.zero.is_some()
    }

    /// Returns the size of an axis, where axes have sizes.
    pub fn size(&self, axis: Axis) -> Int {
        let one = Int::from_u64(1);
        let other = match self.zero {
            Some(_) => self.is_zero(axis).ite(&Int::from_u64(0), &one),
            None => one,
        };
        self.is_atom(axis).ite(&self.number_of(axis, SIZE), &other)
    }

    /// Returns the number of an axis's basis, where axes have sizes; 0 for the unit.
    pub fn basis(&self, axis: Axis) -> Int {
        let none = Int::from_u64(0);
        self.is_atom(axis).ite(&self.number_of(axis, BASIS), &none)
    }

    fn number_of(&self, axis: Axis, at: usize) -> Int {
        let accessor = self
            .sized
            .as_ref()
            .map(|sized| &sized.variants[ATOM].accessors[at]);
        let number = accessor.and_then(|number| number.apply(&[&self.axis(axis)]).as_int());
        // Questions about sizes are put only to a solver in which axes have sizes.
        number.unwrap_or_else(|| Int::from_u64(1))
    }

    /// Returns a Boolean constant by number. Different scopes use the same constants.
    pub fn flag(&self, at: u32) -> Bool {
        self.flags.get(at, |k| Bool::new_const(format!("flag{k}")))
    }

    /// Returns an integer constant by number, for one scope.
    pub fn scratch(&self, at: u32) -> Int {
        self.scratch.get(at, |k| Int::new_const(format!("int{k}")))
    }

    /// Returns the number of elements of a row variable.
    pub fn count(&self, row: u32) -> Int {
        Int::new_const(format!("count{row}"))
    }

    pub fn number(&self, n: u32) -> Int {
        self.numbers.get(n, |k| Int::from_u64(u64::from(k)))
    }

    pub fn axis(&self, axis: Axis) -> Dynamic {
        match axis {
            Axis::Unit => self.unit.clone(),
            // No question mentions 0 to a solver without it.
            Axis::Zero => self.zero.clone().unwrap_or_else(|| self.unit.clone()),
            Axis::Atom(k) => self.atoms.get(k, |k| self.named("atom", k)),
            Axis::Dim(k) => self.dims.get(k, |k| self.named("dim", k)),
            Axis::Front(row, i) => self
                .row(row)
                .front
                .get(i, |i| self.named(&format!("front{row}_"), i)),
            Axis::Back(row, j) => self
                .row(row)
                .back
                .get(j, |j| self.named(&format!("back{row}_"), j)),
            Axis::FarFront(row, k) => Dynamic::new_const(format!("far_front{row}_{k}"), &self.sort),
            Axis::FarBack(row, k) => Dynamic::new_const(format!("far_back{row}_{k}"), &self.sort),
        }
    }

    fn named(&self, prefix: &str, k: u32) -> Dynamic {
        Dynamic::new_const(format!("{prefix}{k}"), &self.sort)
    }

    fn row(&self, at: u32) -> Rc<RowTerms> {
        let mut rows = self.rows.borrow_mut();
        while rows.len() <= at as usize {
            let k = rows.len();
            let leading = Int::new_const(format!("X{k}"));
            let trailing = Int::new_const(format!("Y{k}"));
            rows.push(Rc::new(RowTerms {
                rank: Int::add(&[&leading, &trailing]),
                leading,
                trailing,
                front: Pool::default(),
                back: Pool::default(),
                exceeds: [Pool::default(), Pool::default(), Pool::default()],
                rank_is: Pool::default(),
            }));
        }
        Rc::clone(&rows[at as usize])
    }

    pub fn measure(&self, measure: Measure, row: u32) -> Int {
        let terms = self.row(row);
        match measure {
            Measure::Leading => terms.leading.clone(),
            Measure::Trailing => terms.trailing.clone(),
            Measure::Rank => terms.rank.clone(),
        }
    }

    /// Returns the formula that the lengths of a value's flanks are numbers from 0 on.
    pub fn natural(&self, row: u32) -> Bool {
        let zero = self.number(0);
        let terms = self.row(row);
        Bool::and(&[terms.leading.ge(&zero), terms.trailing.ge(&zero)])
    }

    pub fn guard(&self, guard: Guard) -> Bool {
        match guard {
            Guard::Exceeds(measure, row, than) => {
                let of = self.measure(measure, row);
                self.row(row).exceeds[measure as usize].get(than, |k| of.gt(self.number(k)))
            }
            Guard::RankIs(row, n) => {
                let terms = self.row(row);
                terms.rank_is.get(n, |k| terms.rank.eq(self.number(k)))
            }
            Guard::ExceedsFarFront(measure, row, k) => self
                .measure(measure, row)
                .gt(Int::new_const("far_front") + i64::from(k)),
            Guard::ExceedsFarBack(measure, row, k) => self
                .measure(measure, row)
                .gt(Int::new_const("far_back") + i64::from(k)),
        }
    }

    /// Returns the formula that the far positions are at least `nearest` places from their edges.
    pub fn far_from(&self, nearest: u32) -> Bool {
        let nearest = self.number(nearest);
        let places = ["far_front", "far_back"].map(|name| Int::new_const(name).ge(&nearest));
        Bool::and(&places)
    }

    fn length(&self, length: Length) -> Int {
        let explicit = self.number(length.explicit);
        match length.of {
            None => explicit,
            Some((measure, row)) => Int::add(&[self.measure(measure, row), explicit]),
        }
    }

    pub fn fact(&self, fact: LengthFact) -> Bool {
        match fact {
            LengthFact::AtLeast(a, b) => self.length(a).ge(self.length(b)),
            LengthFact::Same(a, b) => self.length(a).eq(self.length(b)),
        }
    }

    pub fn same(&self, a: Axis, b: Axis) -> Bool {
        if a == b {
            return Bool::from_bool(true);
        }
        self.axis(a).eq(self.axis(b))
    }

    /// States Def. 1.2: `high` is the unit, or the two are the same. 0 is below itself alone.
    fn below(&self, low: Axis, high: Axis) -> Bool {
        let top = self.same(high, Axis::Unit);
        let below_top = match self.zero {
            Some(_) => Bool::and(&[top, self.is_zero(low).not()]),
            None => top,
        };
        Bool::or(&[below_top, self.same(low, high)])
    }

    pub fn related(&self, relation: Relation, low: Axis, high: Axis) -> Bool {
        match relation {
            Relation::Same => self.same(low, high),
            Relation::Below => self.below(low, high),
        }
    }

    /// Returns the formula that the two axes are in the relation if they face each other.
    pub fn holds(&self, relation: Relation, facing: &Facing) -> Bool {
        let related = self.related(relation, facing.low, facing.high);
        match self.conditions(facing).as_slice() {
            [] => related,
            [guard] => guard.implies(&related),
            guards => Bool::and(guards).implies(&related),
        }
    }

    /// Returns the formula that the two axes face each other and are not in the relation.
    pub fn fails(&self, relation: Relation, facing: &Facing) -> Bool {
        let mut all = self.conditions(facing);
        all.push(self.related(relation, facing.low, facing.high).not());
        Bool::and(&all)
    }

    fn conditions(&self, facing: &Facing) -> Vec<Bool> {
        facing
            .guards
            .iter()
            .flatten()
            .map(|&guard| self.guard(guard))
            .collect()
    }

    /// Returns the formula that the atoms and the unit differ from each other.
    pub fn distinct(&self, atoms: u32) -> Bool {
        let mut all: Vec<Dynamic> = (0..atoms).map(|k| self.axis(Axis::Atom(k))).collect();
        all.push(self.unit.clone());
        if all.len() < 2 {
            return Bool::from_bool(true);
        }
        z3::ast::Ast::distinct(&all)
    }
}
