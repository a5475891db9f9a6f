//! A checker of the certificates of complete mode. They prove that a constraint set has no solution, that it has one,
//! or that a constraint holds in all of its solutions. `docs/certificates.md` has the format and the soundness argument
//! of each rule. The checker does not search, and knows only the constraints and linear arithmetic.
//!
//! ```
//! let set = "[3, 3 <r>] ~ [<r> 5, 5]".parse()?;
//! let refused = lozenge_certificate::verify("{}", &set, Default::default());
//! assert!(refused.unwrap_err().to_string().contains("missing field"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The papers
//!
//! From *The Formal Core of OCANNL's Shape and Projection Inference*, working notes of the
//! [OCANNL project](https://github.com/ahrefs/ocannl), it takes what a solution is: Defs. 1.2, 2.3, 2.9 and 3.4. The
//! rules of certificates and their soundness are the project's own.

mod cases;
mod format;
mod linear;
mod walk;

use std::collections::BTreeSet;

use lozenge_vocabulary::{Constraint, ConstraintSet, DimTerm, Order, RowTerm};
use serde::Deserialize;
use thiserror::Error;

use crate::format::{Certificate, Entailment, Inequality, Kind, Model, Node, Refutation};
use crate::linear::Form;

/// The reason for which a certificate is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{what}")]
pub struct Rejected {
    what: String,
}

fn rejected<T>(what: impl Into<String>) -> Result<T, Rejected> {
    Err(Rejected { what: what.into() })
}

/// The version of the format that is read.
pub const VERSION: u32 = 1;

/// The statement that an accepted certificate proves about the set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proved {
    /// The set has a solution.
    Sat,
    /// The set has no solution.
    Unsat,
    /// This constraint holds in each of its solutions.
    Entails(Constraint),
}

/// Checks a certificate for a constraint set, where `<=` between rows means `order`. Returns what it proves about the
/// set's solutions (Def. 3.4).
///
/// # Errors
/// Returns the mistake in the certificate, and its place. A mistake in a certificate proves nothing about the set.
pub fn verify(certificate: &str, set: &ConstraintSet, order: Order) -> Result<Proved, Rejected> {
    if certificate.trim().is_empty() {
        return rejected("it is empty");
    }
    // Certificates have no 0, so they say nothing of sets that have it.
    if !set.summands.is_empty() {
        return rejected(
            "the set has variables that may be 0 (`summand`), which no certificate covers",
        );
    }
    let kind: Kind = read(certificate)?;
    match (kind.model, kind.entails) {
        (Some(_), _) => is_solution(&read(certificate)?, set, order).map(|()| Proved::Sat),
        (None, Some(_)) => entails(&read(certificate)?, set, order).map(Proved::Entails),
        (None, None) => refutes(read(certificate)?, set, order).map(|()| Proved::Unsat),
    }
}

fn read<'c, T: Deserialize<'c>>(certificate: &'c str) -> Result<T, Rejected> {
    serde_json::from_str(certificate).map_err(|error| Rejected {
        what: format!("it is not in the format: {error}"),
    })
}

fn is_for(order: Order, written: (u32, Order)) -> Result<(), Rejected> {
    match written == (VERSION, order) {
        true => Ok(()),
        false => rejected("it is of another version, or for another order between rows"),
    }
}

/// Checks that a solution gives a value to every variable and satisfies every constraint.
fn is_solution(model: &Model, set: &ConstraintSet, order: Order) -> Result<(), Rejected> {
    is_for(order, (model.version, model.order))?;
    // A set without `summand` has no variable that may be 0, and others are refused above.
    if !model.model.has_zeros_of(set) {
        return rejected("a variable is 0 that the set does not declare as a `summand`");
    }
    match model.model.first_violated(&set.constraints, order) {
        None => Ok(()),
        Some(at) => rejected(format!(
            "constraint {} does not hold, or mentions a variable without a value: {}",
            at + 1,
            set.constraints[at]
        )),
    }
}

fn refutes(certificate: Certificate, set: &ConstraintSet, order: Order) -> Result<(), Rejected> {
    is_for(order, (certificate.version, certificate.order))?;
    let Certificate {
        quotients,
        clashes,
        tree,
        ..
    } = certificate;
    let refutation = Refutation {
        quotients,
        clashes,
        tree,
    };
    let statements: Vec<Statement> = set.constraints.iter().map(Statement::of).collect();
    has_no_solution(&refutation, &statements, &[], order)
}

/// Checks that a constraint holds in every solution: that there is no solution in any of the cases in which it does not
/// hold. The cases are those of the checker; the certificate has only their refutations, in the same order.
fn entails(
    certificate: &Entailment,
    set: &ConstraintSet,
    order: Order,
) -> Result<Constraint, Rejected> {
    is_for(order, (certificate.version, certificate.order))?;
    let goal: Constraint = certificate.entails.parse().map_err(|_| Rejected {
        what: format!("`{}` is not a constraint", certificate.entails),
    })?;
    let mut statements: Vec<Statement> = set.constraints.iter().map(Statement::of).collect();
    let cases = cases::cases(&goal, set, order)?;
    if cases.len() != certificate.cases.len() {
        return rejected(format!(
            "there are {} cases in which `{goal}` does not hold, and {} refutations",
            cases.len(),
            certificate.cases.len()
        ));
    }
    for (number, (case, refutation)) in cases.into_iter().zip(&certificate.cases).enumerate() {
        statements.truncate(set.constraints.len());
        statements.extend(case.axes);
        let refuted = has_no_solution(refutation, &statements, &case.assumed, order);
        refuted.map_err(|error| Rejected {
            what: format!("case {number}: {error}"),
        })?;
    }
    Ok(goal)
}

/// Checks that there is no solution of some statements at lengths of which some forms are at least 0.
fn has_no_solution(
    refutation: &Refutation,
    statements: &[Statement],
    assumed: &[Form],
    order: Order,
) -> Result<(), Rejected> {
    let mut checker = Checker {
        refutation,
        statements,
        assumed,
        order,
        quotients: Vec::new(),
        clashes: Vec::new(),
    };
    checker.define_quotients()?;
    for (number, clash) in refutation.clashes.iter().enumerate() {
        let conditions = walk::conditions(&clash.walks, statements);
        let conditions = conditions.map_err(|error| Rejected {
            what: format!("clash {number}: {error}"),
        })?;
        checker.clashes.push(conditions);
    }
    checker.check_tree()
}

/// A constraint between rows. One between dimensions is read as one between rows with one leading axis.
struct Statement {
    is_equation: bool,
    /// The result, and the operand.
    sides: [RowTerm; 2],
    /// The second side is the one axis of the first side that is so many places from the left.
    place: Option<Form>,
}

impl Statement {
    fn of(constraint: &Constraint) -> Statement {
        let row = |dim: &DimTerm| RowTerm::closed(vec![dim.clone()], Vec::new());
        let (is_equation, sides) = match constraint {
            Constraint::DimEq(a, b) => (true, [row(a), row(b)]),
            Constraint::DimLe(a, b) => (false, [row(a), row(b)]),
            Constraint::RowEq(a, b) => (true, [a.clone(), b.clone()]),
            Constraint::RowLe(a, b) => (false, [a.clone(), b.clone()]),
            // Constraints of sizes are replaced by `[] ~ []`: a set without a solution has none with further
            // constraints either.
            Constraint::Window(_)
            | Constraint::Composite(_)
            | Constraint::Elements(_)
            | Constraint::Flat(_)
            | Constraint::AtLeast { .. } => (true, [RowTerm::default(), RowTerm::default()]),
        };
        Statement {
            is_equation,
            sides,
            place: None,
        }
    }

    /// Returns one of the forms that must be at least 0 for the lengths to fit the constraint (Defs. 2.3 and 2.9,
    /// Rem. 2.15(ii)).
    fn length(&self, part: usize, order: Order) -> Result<Form, Rejected> {
        let [left, right] = &self.sides;
        let surplus = |a: Form, b: Form| a.plus(-1, &b);
        if let Some(place) = &self.place {
            return match part {
                0 => Ok(place.clone()),
                1 => surplus(walk::rank(left)?, place.shifted(1)?),
                _ => rejected("a constraint has no such part"),
            };
        }
        match (self.is_equation, order, part) {
            (true, _, 0) | (false, Order::OneShot, 0) => {
                surplus(walk::rank(left)?, walk::rank(right)?)
            }
            (true, _, 1) => surplus(walk::rank(right)?, walk::rank(left)?),
            (false, Order::Marked, 0) => surplus(walk::front(left)?, walk::front(right)?),
            (false, Order::Marked, 1) => surplus(walk::back(left)?, walk::back(right)?),
            _ => rejected("a constraint has no such part"),
        }
    }
}

struct Checker<'a> {
    refutation: &'a Refutation,
    statements: &'a [Statement],
    /// Forms that are at least 0 in the case at hand.
    assumed: &'a [Form],
    order: Order,
    /// The two forms that define each quotient.
    quotients: Vec<[Form; 2]>,
    /// The conditions of each clash: rounded forms that are at least 0.
    clashes: Vec<Vec<Form>>,
}

impl Checker<'_> {
    /// Defines the quotients: `q = ⌊form / by⌋` means `form - by·q ≥ 0` and `by·q + by - 1 - form ≥ 0`. The form may
    /// mention lengths and earlier quotients.
    fn define_quotients(&mut self) -> Result<(), Rejected> {
        for (number, quotient) in self.refutation.quotients.iter().enumerate() {
            let by = i128::from(quotient.by);
            let form = Form::read(&quotient.form);
            let is_known = |name: &str| match linear::quotient(name) {
                Some(other) => other < number,
                None => linear::is_natural(name),
            };
            if by < 1 || !form.names().all(is_known) {
                return rejected(format!(
                    "quotient {number} is not defined by what is before it"
                ));
            }
            let rest = form.plus(-by, &Form::variable(&format!("q{number}")))?;
            let room = rest.times(-1)?.shifted(by - 1)?;
            self.quotients.push([rest, room]);
        }
        Ok(())
    }

    fn inequality(&self, inequality: &Inequality, path: &[Form]) -> Result<Form, Rejected> {
        let form = match inequality {
            Inequality::Length(constraint, part) => match self.statements.get(*constraint) {
                Some(statement) => statement.length(*part, self.order)?.into(),
                None => None,
            },
            Inequality::Natural(name) => linear::is_natural(name).then(|| Form::variable(name)),
            Inequality::Quotient(number, part) => {
                let forms = self.quotients.get(*number);
                forms.and_then(|forms| forms.get(*part)).cloned()
            }
            Inequality::Case(number) => self.assumed.get(*number).cloned(),
            Inequality::Assumed(depth) => path.get(*depth).cloned(),
        };
        match form {
            Some(form) => Ok(form.rounded()),
            None => rejected(format!("there is no inequality {inequality:?}")),
        }
    }

    /// Checks that each leaf of the tree contradicts the assumptions on the way to it.
    fn check_tree(&self) -> Result<(), Rejected> {
        let mut path: Vec<Form> = Vec::new();
        let mut seen = BTreeSet::new();
        // A node, the number of assumptions above it, and the one that it adds.
        let mut due: Vec<(usize, usize, Option<Form>)> = vec![(0, 0, None)];
        while let Some((number, above, assumed)) = due.pop() {
            path.truncate(above);
            path.extend(assumed);
            if !seen.insert(number) {
                return rejected(format!("node {number} is part of two others"));
            }
            let fails = || rejected(format!("node {number} does not contradict what it assumes"));
            match self.refutation.tree.get(number) {
                None => return rejected(format!("there is no node {number}")),
                Some(Node::Split {
                    form,
                    negative,
                    other,
                }) => {
                    let form = Form::read(form);
                    let below = form.times(-1)?.shifted(-1)?;
                    due.push((*other, path.len(), Some(form)));
                    due.push((*negative, path.len(), Some(below)));
                }
                Some(Node::Sum(terms)) => {
                    let mut sum = Form::default();
                    for (inequality, factor) in terms {
                        if *factor < 0 {
                            return fails();
                        }
                        let form = self.inequality(inequality, &path)?;
                        sum = sum.plus(i128::from(*factor), &form)?;
                    }
                    if !sum.is_negative_number() {
                        return fails();
                    }
                }
                Some(Node::Clash(clash)) => {
                    let Some(conditions) = self.clashes.get(*clash) else {
                        return rejected(format!("there is no clash {clash}"));
                    };
                    let assumed: Vec<Form> = path.iter().map(Form::rounded).collect();
                    if !conditions
                        .iter()
                        .all(|condition| assumed.contains(condition))
                    {
                        return fails();
                    }
                }
            }
        }
        Ok(())
    }
}
