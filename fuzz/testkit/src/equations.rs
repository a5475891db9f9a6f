//! Sets of equations of appended shapes: equations as a set of their own, and the steps by which a set is made smaller.

use lozenge_axon_vocabulary::{DimId, DimNode, Equation, Piece, Pool, Set, Variable, Word};

/// Returns the set of some equations. Names that stand in none are dropped, and the others are numbered anew.
pub fn set_of(pool: &Pool, equations: &[Equation]) -> Set {
    let mut dims: Vec<&str> = Vec::new();
    for equation in equations {
        for variable in equation.variables(pool) {
            if let Variable::Dim(name) = variable {
                dims.push(pool.dim_name(name));
            }
        }
    }
    dims.sort_unstable();
    dims.dedup();
    let mut text = String::new();
    if !dims.is_empty() {
        text = format!("dim {}\n", dims.join(", "));
    }
    for equation in equations {
        text += &format!("{}\n", equation.show(pool));
    }
    // A set that was read prints as it is read.
    text.parse().unwrap_or_default()
}

/// Returns every set that is one step smaller: without an equation, without a piece, with a simpler term, or with one
/// name fewer.
pub fn smaller(whole: &Set) -> Vec<Set> {
    let mut all = Vec::new();
    for at in 0..whole.equations.len() {
        let mut equations = whole.equations.clone();
        equations.remove(at);
        all.push(set_of(&whole.pool, &equations));
    }
    for at in 0..whole.equations.len() {
        let mut changed = whole.clone();
        for equation in simpler(&mut changed, at) {
            let mut equations = whole.equations.clone();
            equations[at] = equation;
            all.push(set_of(&changed.pool, &equations));
        }
    }
    all.extend(with_fewer_names(whole));
    let text = whole.to_string();
    all.retain(|smaller| smaller.to_string() != text);
    all
}

/// Returns the simpler forms of one equation.
fn simpler(set: &mut Set, at: usize) -> Vec<Equation> {
    match set.equations[at].clone() {
        Equation::Dims(left, right) => {
            let mut all = Vec::new();
            for simpler in simpler_terms(set, left) {
                all.push(Equation::Dims(simpler, right));
            }
            for simpler in simpler_terms(set, right) {
                all.push(Equation::Dims(left, simpler));
            }
            all
        }
        Equation::Shapes(left, right) => {
            let mut all = Vec::new();
            for simpler in simpler_words(set, &left) {
                all.push(Equation::Shapes(simpler, right.clone()));
            }
            for simpler in simpler_words(set, &right) {
                all.push(Equation::Shapes(left.clone(), simpler));
            }
            all
        }
    }
}

fn simpler_words(set: &mut Set, word: &Word) -> Vec<Word> {
    let mut all = Vec::new();
    for at in 0..word.0.len() {
        let mut shorter = word.clone();
        shorter.0.remove(at);
        all.push(shorter);
    }
    for (at, piece) in word.0.iter().enumerate() {
        if let Piece::Axis(dim) = *piece {
            for simpler in simpler_terms(set, dim) {
                let mut changed = word.clone();
                changed.0[at] = Piece::Axis(simpler);
                all.push(changed);
            }
        }
    }
    all
}

/// Returns an operand in place of an operator, and smaller numbers.
fn simpler_terms(set: &mut Set, dim: DimId) -> Vec<DimId> {
    match set.pool.node(dim) {
        DimNode::Number(number) => {
            let nearer = number - number.signum();
            let mut smaller: Vec<i64> = vec![0, number / 2, nearer];
            smaller.retain(|other| other.abs() < number.abs());
            smaller.dedup();
            smaller
                .into_iter()
                .map(|number| set.pool.number(number))
                .collect()
        }
        DimNode::Op(op, left, right) => {
            let mut all = vec![left, right];
            for simpler in simpler_operands(set, left) {
                all.push(set.pool.op(op, simpler, right));
            }
            for simpler in simpler_operands(set, right) {
                all.push(set.pool.op(op, left, simpler));
            }
            all
        }
        DimNode::Var(_) | DimNode::Ragged(_) => Vec::new(),
    }
}

/// Returns simpler forms of an operand, without looking deeper: its own operands, or smaller numbers.
fn simpler_operands(set: &mut Set, dim: DimId) -> Vec<DimId> {
    match set.pool.node(dim) {
        DimNode::Op(_, left, right) => vec![left, right],
        DimNode::Number(number) if number > 0 => vec![set.pool.number(number - 1)],
        _ => Vec::new(),
    }
}

/// Puts for each name another one of its sort that comes before it.
fn with_fewer_names(set: &Set) -> Vec<Set> {
    let mut names: Vec<Variable> = set
        .equations
        .iter()
        .flat_map(|equation| equation.variables(&set.pool))
        .collect();
    names.sort_unstable();
    names.dedup();
    let mut all = Vec::new();
    for later in &names {
        for earlier in names.iter().filter(|earlier| *earlier < later) {
            let mut changed = set.clone();
            let renamed: Option<Vec<Equation>> = set
                .equations
                .iter()
                .map(|equation| renamed(&mut changed, equation, *later, *earlier))
                .collect();
            all.extend(renamed.map(|equations| set_of(&changed.pool, &equations)));
        }
    }
    all
}

fn renamed(set: &mut Set, equation: &Equation, from: Variable, to: Variable) -> Option<Equation> {
    match (from, to) {
        (Variable::Dim(from), Variable::Dim(to)) => {
            let to = set.pool.var(to);
            let mut dim = |dim| {
                set.pool
                    .substituted(dim, |name| (name == from).then_some(to))
            };
            Some(match equation {
                Equation::Dims(left, right) => Equation::Dims(dim(*left), dim(*right)),
                Equation::Shapes(left, right) => {
                    let mut word = |word: &Word| {
                        let piece = |piece: &Piece| match piece {
                            Piece::Axis(axis) => Piece::Axis(dim(*axis)),
                            name => *name,
                        };
                        Word(word.0.iter().map(piece).collect())
                    };
                    Equation::Shapes(word(left), word(right))
                }
            })
        }
        (Variable::Shape(from), Variable::Shape(to)) => {
            let word = |word: &Word| {
                let piece = |piece: &Piece| match piece {
                    Piece::Shape(name) if *name == from => Piece::Shape(to),
                    piece => *piece,
                };
                Word(word.0.iter().map(piece).collect())
            };
            Some(match equation {
                Equation::Dims(..) => equation.clone(),
                Equation::Shapes(left, right) => Equation::Shapes(word(left), word(right)),
            })
        }
        _ => None,
    }
}
