//! The cases in which a constraint does not hold: at some lengths, or at one place of its rows that may be anywhere.
//!
//! A constraint follows from others if none of its cases has a solution together with them. There are finitely many
//! cases, since of the atoms that the constraints do not mention two are as good as all: renaming such atoms leaves a
//! solution one.

use lozenge_sizes::{Form, Overflow};

use crate::complete::decide::normalised::{Case, Normalised, NormalisedSet, Side};
use crate::term::Term;

/// The values that the two facing axes of a constraint may have.
pub(crate) struct Alphabet {
    /// The atoms that occur.
    pub(crate) atoms: Vec<Term>,
    /// Two others.
    pub(crate) others: [Term; 2],
}

impl Alphabet {
    /// Returns the pairs of axes that do not fit each other, the result's first (Def. 1.2 for `<=`).
    fn pairs(&self, is_equation: bool) -> Vec<(Term, Term)> {
        let [other, second] = self.others;
        let atoms = || self.atoms.iter().copied().chain([other]);
        let unit = is_equation.then_some(Term::UNIT);
        let mut pairs = Vec::new();
        for right in unit.into_iter().chain(atoms()) {
            let different = |left: &Term| *left != right;
            let lefts = [Term::UNIT].into_iter().chain(atoms()).filter(different);
            pairs.extend(lefts.map(|left| (left, right)));
            if right == other {
                pairs.push((second, right));
            }
        }
        pairs
    }
}

/// Returns all cases in which a constraint does not hold, in the order that `docs/certificates.md` states.
pub(crate) fn cases(
    goal: &Normalised,
    statements: &NormalisedSet,
    alphabet: &Alphabet,
) -> Result<Vec<Case>, Overflow> {
    let mut cases = Vec::new();
    for form in statements.lengths_of(goal)? {
        let shorter = form.scaled(-1)?.shifted(-1)?;
        match form.as_constant() {
            Some(value) if value >= 0 => {}
            Some(_) => cases.push(Case::default()),
            None => cases.push(Case {
                assumed: vec![shorter],
                axes: Vec::new(),
            }),
        }
    }
    let [left, right] = &goal.sides;
    let position = Form::variable(statements.position());
    let pairs = alphabet.pairs(goal.is_equation);
    let mut facing = |assumed: Vec<Form>, left_place: &Form| {
        for (a, b) in &pairs {
            cases.push(Case {
                assumed: assumed.clone(),
                axes: vec![
                    (left.clone(), left_place.clone(), *a),
                    (right.clone(), position.clone(), *b),
                ],
            });
        }
    };
    if goal.is_equation {
        facing(Vec::new(), &position);
        return Ok(cases);
    }
    let is_trailing = position.plus(-1, &right.front()?)?;
    facing(vec![is_trailing.scaled(-1)?.shifted(-1)?], &position);
    if !goal.is_of_dims {
        let from_right = position.plus(1, &left.rank()?)?.plus(-1, &right.rank()?)?;
        facing(vec![is_trailing], &from_right);
    }
    Ok(cases)
}

/// Returns the number of cases of a constraint over so many atoms, at most.
pub(crate) fn most_cases(atoms: usize) -> u64 {
    let atoms = atoms as u64 + 2;
    2 * atoms.saturating_mul(atoms) + 2
}

impl Side {
    /// Returns the atoms that are written on it.
    pub(crate) fn atoms(&self) -> impl Iterator<Item = Term> + '_ {
        let axes = self.axes().map(|(_, term)| term);
        axes.filter(|term| !term.is_var() && *term != Term::UNIT)
    }
}
