//! Lock files: a set that was written down, and whether a model still admits it and computes the same sizes.

use super::{Answer, Given, Point, solve_formulas};
use crate::limit::Limit;
use crate::pass::{InputForm, InputKind, element_name};
use crate::residual::SizeBox;
use crate::term::{Formula, Int, Places, Restored, Rewriting, Stored, Symbol, Term, Terms};
use crate::value::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A set of admitted sizes with the sizes of the outputs, as it is written into a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lock {
    /// The version of the form.
    pub lock: u32,
    /// The set for people, line by line. Nothing reads it.
    pub text: Vec<String>,
    /// The inputs.
    inputs: Vec<LockedInput>,
    /// The parts of the set.
    cases: Vec<LockedCase>,
    /// The names of the outputs.
    outputs: Vec<String>,
    /// The terms and formulas to which the other fields refer.
    terms: Stored,
}

/// The version that is written.
const VERSION: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LockedInput {
    name: String,
    /// The sizes of the axes.
    axes: Vec<usize>,
    /// The elements of an integer input.
    elements: Option<Vec<usize>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LockedCase {
    /// The boxes, each with what holds in it.
    boxes: Vec<Vec<usize>>,
    /// The sizes of each output, or nothing where they are not known.
    outputs: Vec<Option<Vec<usize>>>,
}

/// The reason why a set cannot be written down or compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    /// An input has a rank that is not declared, or is not modelled.
    #[error("the input `{0}` has no declared rank: a set over ranks cannot be locked")]
    Rank(String),
    /// A number has more than 64 bits.
    #[error("a number of the set is too large to be written")]
    Number,
    /// The answer is not complete.
    #[error("the set is not known: {0}")]
    Unknown(Limit),
    /// The file was not written by this program.
    #[error("the lock file is damaged, or another version wrote it")]
    Damaged,
}

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Against {
    /// The differences. The model keeps what was locked if there is none.
    pub differences: Vec<LockDifference>,
}

/// A difference between a locked set and that of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LockDifference {
    /// The difference, in words.
    pub words: String,
    /// Sizes at which it shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Point>,
}

impl Answer {
    /// Writes the set down.
    ///
    /// # Errors
    /// Where the answer is not complete, or the rank of an input is not declared.
    pub fn lock(&mut self) -> Result<Lock, LockError> {
        self.terms.allow(super::steps(&self.graph));
        if let Some(limit) = self.limits.first() {
            return Err(LockError::Unknown(*limit));
        }
        let text = self.text().lines().map(str::to_owned).collect();
        let (mut stored, mut places) = (Stored::default(), Places::default());
        let mut inputs = Vec::new();
        for form in &self.inputs.forms {
            let (axes, elements) = axes_of(form)?;
            let mut store = |terms: &[Term]| {
                let stored = terms
                    .iter()
                    .map(|term| stored.term(&self.terms, &mut places, *term));
                stored
                    .collect::<Option<Vec<usize>>>()
                    .ok_or(LockError::Number)
            };
            inputs.push(LockedInput {
                name: form.name.clone(),
                axes: store(axes)?,
                elements: elements.map(store).transpose()?,
            });
        }
        let mut cases = Vec::new();
        for at in 0..self.cases.len() {
            let boxes = self.cases[at].boxes.clone();
            let mut locked = Vec::new();
            for found in boxes {
                let formulas = found.formulas(&mut self.terms).ok_or(LockError::Number)?;
                let formulas = formulas
                    .into_iter()
                    .map(|formula| stored.formula(&self.terms, &mut places, formula));
                locked.push(
                    formulas
                        .collect::<Option<Vec<usize>>>()
                        .ok_or(LockError::Number)?,
                );
            }
            let outputs = self.cases[at]
                .outputs
                .iter()
                .map(|value| match sizes_of(value) {
                    None => Ok(None),
                    Some(axes) => axes
                        .iter()
                        .map(|axis| {
                            stored
                                .term(&self.terms, &mut places, *axis)
                                .ok_or(LockError::Number)
                        })
                        .collect::<Result<_, _>>()
                        .map(Some),
                });
            cases.push(LockedCase {
                boxes: locked,
                outputs: outputs.collect::<Result<_, _>>()?,
            });
        }
        let outputs = self
            .graph
            .main()
            .outputs
            .iter()
            .map(|output| output.name.clone())
            .collect();
        Ok(Lock {
            lock: VERSION,
            text,
            inputs,
            cases,
            outputs,
            terms: stored,
        })
    }

    /// Compares with a set that was written down: each of its points has to be admitted, with outputs of the same
    /// sizes.
    ///
    /// # Errors
    /// Where the file is damaged, or one of the answers is not complete.
    pub fn against(&mut self, lock: &Lock) -> Result<Against, LockError> {
        self.terms.allow(super::steps(&self.graph));
        if lock.lock != VERSION {
            return Err(LockError::Damaged);
        }
        if let Some(limit) = self.limits.first() {
            return Err(LockError::Unknown(*limit));
        }
        let mut against = Against::default();
        let inputs =
            |names: &mut dyn Iterator<Item = &str>| names.map(str::to_owned).collect::<Vec<_>>();
        let (then, now) = (
            inputs(&mut lock.inputs.iter().map(|input| input.name.as_str())),
            inputs(&mut self.inputs.forms.iter().map(|form| form.name.as_str())),
        );
        if then != now {
            against.push(
                format!(
                    "the inputs were {}, and are {}",
                    then.join(", "),
                    now.join(", ")
                ),
                None,
            );
            return Ok(against);
        }
        let mut locked = Locked::load(lock, &mut self.terms).ok_or(LockError::Damaged)?;
        let Some(placed) = self.placed(&mut locked)? else {
            against.push("an input has another rank".to_owned(), None);
            return Ok(against);
        };
        self.compare_sets(&locked, &placed, &mut against)?;
        self.compare_outputs(lock, &locked, &placed, &mut against)?;
        Ok(against)
    }

    /// Returns the boxes and outputs of this answer in the symbols of a locked set. Nothing where an input has another
    /// rank.
    fn placed(&mut self, locked: &mut Locked) -> Result<Option<Vec<PlacedCase>>, LockError> {
        let mut pairs = Vec::new();
        for (form, (axes, elements)) in self.inputs.forms.iter().zip(&locked.inputs) {
            let (now, now_elements) = axes_of(form)?;
            if now.len() != axes.len() || now_elements.is_some() != elements.is_some() {
                return Ok(None);
            }
            let elements = elements.iter().flatten();
            pairs.extend(
                now.iter()
                    .chain(now_elements.into_iter().flatten())
                    .copied()
                    .zip(axes.iter().chain(elements).copied()),
            );
        }
        let (mut symbols, mut fixed): (Vec<(Symbol, Term)>, Vec<Formula>) =
            (Vec::new(), Vec::new());
        for (now, then) in pairs {
            match self.terms.as_symbol(now) {
                Some(symbol) => symbols.push((symbol, then)),
                None => fixed.push(self.terms.equal(now, then)),
            }
        }
        let mut cases = Vec::new();
        for at in 0..self.cases.len() {
            let (boxes, outputs) = (self.cases[at].boxes.clone(), self.cases[at].outputs.clone());
            let mut placed = PlacedCase {
                boxes: Vec::new(),
                outputs: Vec::new(),
            };
            for found in boxes {
                let mut formulas = found.formulas(&mut self.terms).ok_or(LockError::Number)?;
                for formula in &mut formulas {
                    *formula = moved_formula(&mut self.terms, &symbols, *formula);
                }
                formulas.extend(&fixed);
                placed.boxes.push(self.terms.all(&formulas));
            }
            for output in &outputs {
                let axes = sizes_of(output).map(|axes| {
                    axes.iter()
                        .map(|axis| moved_term(&mut self.terms, &symbols, *axis))
                        .collect()
                });
                placed.outputs.push(axes);
            }
            cases.push(placed);
        }
        Ok(Some(cases))
    }

    fn compare_sets(
        &mut self,
        locked: &Locked,
        placed: &[PlacedCase],
        against: &mut Against,
    ) -> Result<(), LockError> {
        let admitted: Vec<Formula> = placed
            .iter()
            .flat_map(|case| case.boxes.iter().copied())
            .collect();
        let admitted = self.terms.any(&admitted);
        let refused = self.terms.not(admitted);
        for formulas in locked.cases.iter().flat_map(|case| &case.boxes) {
            // Most boxes of a model that has changed little are the same.
            let whole = self.terms.all(formulas);
            if placed.iter().any(|case| case.boxes.contains(&whole)) {
                continue;
            }
            if let Some(witness) = self.solution(locked, formulas, refused)? {
                against.push(
                    "sizes that were admitted are refused".to_owned(),
                    Some(witness),
                );
                return Ok(());
            }
        }
        Ok(())
    }

    fn compare_outputs(
        &mut self,
        lock: &Lock,
        locked: &Locked,
        placed: &[PlacedCase],
        against: &mut Against,
    ) -> Result<(), LockError> {
        let names: Vec<String> = self
            .graph
            .main()
            .outputs
            .iter()
            .map(|output| output.name.clone())
            .collect();
        for (then, name) in lock.outputs.iter().enumerate() {
            let Some(now) = names.iter().position(|other| other == name) else {
                against.push(format!("there is no output `{name}` any more"), None);
                continue;
            };
            if let Some(difference) = self.other_output(locked, placed, (then, now), name)? {
                against.differences.push(difference);
            }
        }
        Ok(())
    }

    fn other_output(
        &mut self,
        locked: &Locked,
        placed: &[PlacedCase],
        (then, now): (usize, usize),
        name: &str,
    ) -> Result<Option<LockDifference>, LockError> {
        for case in &locked.cases {
            for other in placed {
                let (Some(Some(old)), Some(Some(new))) =
                    (case.outputs.get(then), other.outputs.get(now))
                else {
                    continue;
                };
                let differs = match old.len() == new.len() {
                    false => Formula::TRUE,
                    true => {
                        let each: Vec<Formula> = old
                            .iter()
                            .zip(new)
                            .map(|(old, new)| self.terms.differ(*old, *new))
                            .collect();
                        self.terms.any(&each)
                    }
                };
                for (formulas, found) in case
                    .boxes
                    .iter()
                    .flat_map(|formulas| other.boxes.iter().map(move |found| (formulas, *found)))
                {
                    let both = self.terms.all(&[found, differs]);
                    if both == Formula::FALSE {
                        continue;
                    }
                    if let Some(witness) = self.solution(locked, formulas, both)? {
                        let words = format!(
                            "the output `{name}` was {} and is {}",
                            locked.shown(&self.terms, old),
                            locked.shown(&self.terms, new)
                        );
                        return Ok(Some(LockDifference {
                            words,
                            witness: Some(witness),
                        }));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Returns a point of a locked box at which a formula holds.
    fn solution(
        &mut self,
        locked: &Locked,
        formulas: &[Formula],
        formula: Formula,
    ) -> Result<Option<Point>, LockError> {
        let formulas: Vec<Formula> = formulas.iter().copied().chain([formula]).collect();
        let boxes = solve_formulas(&mut self.terms, &locked.symbols, &formulas)
            .map_err(LockError::Unknown)?;
        let is_open = !boxes.is_empty();
        let witness = boxes
            .iter()
            .find_map(|found: &SizeBox| found.witness.as_ref());
        match witness {
            Some(witness) => Ok(Some(locked.point(&self.terms, witness))),
            None if is_open => Err(LockError::Unknown(Limit::Products)),
            None => Ok(None),
        }
    }
}

impl Against {
    fn push(&mut self, words: String, witness: Option<Point>) {
        self.differences.push(LockDifference { words, witness });
    }
}

/// A case of the model in the symbols of a locked set.
struct PlacedCase {
    boxes: Vec<Formula>,
    outputs: Vec<Option<Vec<Term>>>,
}

/// A case of a locked set.
struct OldCase {
    boxes: Vec<Vec<Formula>>,
    outputs: Vec<Option<Vec<Term>>>,
}

/// A locked set among the terms of an answer.
struct Locked {
    names: Vec<String>,
    inputs: Vec<(Vec<Term>, Option<Vec<Term>>)>,
    cases: Vec<OldCase>,
    symbols: Vec<Symbol>,
}

/// The mark of symbols of a locked set, which no name of a file has.
const MARK: char = '\u{1}';

impl Locked {
    fn load(lock: &Lock, terms: &mut Terms) -> Option<Locked> {
        let mut symbols = Vec::new();
        let restored = lock.terms.load(terms, &mut |terms, name, bounds| {
            let symbol = terms.symbol(&format!("{MARK}{name}"), bounds.low, bounds.high);
            symbols.push(symbol);
            terms.of(symbol)
        })?;
        let list = |places: &[usize]| {
            places
                .iter()
                .map(|at| restored.term(*at))
                .collect::<Option<Vec<Term>>>()
        };
        // The outer option tells of damage, the inner one of what the file does not have.
        let some =
            |places: Option<&[usize]>| places.map_or(Some(None), |places| list(places).map(Some));
        let inputs = lock
            .inputs
            .iter()
            .map(|input| Some((list(&input.axes)?, some(input.elements.as_deref())?)));
        let inputs = inputs.collect::<Option<Vec<_>>>()?;
        let mut cases = Vec::new();
        for case in &lock.cases {
            cases.push(OldCase {
                boxes: boxes(&restored, case)?,
                outputs: case
                    .outputs
                    .iter()
                    .map(|output| some(output.as_deref()))
                    .collect::<Option<Vec<_>>>()?,
            });
        }
        let names = lock.inputs.iter().map(|input| input.name.clone()).collect();
        Some(Locked {
            names,
            inputs,
            cases,
            symbols,
        })
    }

    /// Returns the sizes of the inputs where the symbols have values.
    fn point(&self, terms: &Terms, values: &BTreeMap<Symbol, Int>) -> Point {
        let value = |term: &Term| {
            terms
                .value(*term, &|symbol| values.get(&symbol).copied())
                .unwrap_or(0)
        };
        let number = |term: &Term| Given::Number(i64::try_from(value(term)).unwrap_or(0));
        let mut point = Point::new();
        for (name, (axes, elements)) in self.names.iter().zip(&self.inputs) {
            match elements.as_deref() {
                Some([element]) if axes.is_empty() => {
                    point.insert(name.clone(), number(element));
                }
                Some(elements) if !elements.is_empty() => {
                    let each = elements.iter().enumerate();
                    point.extend(each.map(|(at, own)| (element_name(name, at), number(own))));
                }
                _ => {
                    let sizes = axes
                        .iter()
                        .map(|axis| u64::try_from(value(axis)).unwrap_or(0));
                    point.insert(name.clone(), Given::Sizes(sizes.collect()));
                }
            }
        }
        point
    }

    /// Returns a shape in the names that the file has.
    fn shown(&self, terms: &Terms, axes: &[Term]) -> String {
        let axes: Vec<String> = axes
            .iter()
            .map(|axis| terms.text(*axis).replace(MARK, ""))
            .collect();
        format!("[{}]", axes.join(", "))
    }
}

fn boxes(restored: &Restored, case: &LockedCase) -> Option<Vec<Vec<Formula>>> {
    let formulas = |places: &Vec<usize>| {
        places
            .iter()
            .map(|at| restored.formula(*at))
            .collect::<Option<Vec<Formula>>>()
    };
    case.boxes.iter().map(formulas).collect()
}

/// Returns the axes of an input of declared rank, and its elements if it is one of integers.
fn axes_of(form: &InputForm) -> Result<(&[Term], Option<&[Term]>), LockError> {
    match &form.kind {
        InputKind::Tensor { axes, elements } => Ok((axes, elements.as_deref())),
        InputKind::Number(term) => Ok((&[], Some(std::slice::from_ref(term)))),
        InputKind::AnyRank { .. } | InputKind::Other => Err(LockError::Rank(form.name.clone())),
    }
}

fn sizes_of(value: &Value) -> Option<Vec<Term>> {
    match value {
        Value::Tensor(tensor) => tensor
            .shape
            .as_ref()
            .filter(|shape| shape.block.is_none())
            .map(|shape| shape.axes.to_vec()),
        _ => None,
    }
}

fn moved_formula(terms: &mut Terms, symbols: &[(Symbol, Term)], mut formula: Formula) -> Formula {
    for (symbol, by) in symbols {
        formula = Rewriting::symbol(terms, *symbol, *by).formula(terms, formula);
    }
    formula
}

fn moved_term(terms: &mut Terms, symbols: &[(Symbol, Term)], mut term: Term) -> Term {
    for (symbol, by) in symbols {
        term = Rewriting::symbol(terms, *symbol, *by).term(terms, term);
    }
    term
}
