//! Sets and terms to text.

use std::fmt;

use crate::dim::{DimNode, Pool};
use crate::name::{DimId, DimVar, ShapeVar};
use crate::set::{Equation, Set};
use crate::word::{Piece, Word};

/// The number of nodes after which a term is cut off in messages. A term that was read from a text has fewer.
const LONGEST: usize = 1 << 24;

/// A term for printing.
struct ShownDim<'a> {
    pool: &'a Pool,
    dim: DimId,
}

/// A shape for printing.
struct ShownWord<'a> {
    pool: &'a Pool,
    word: &'a Word,
}

/// An equation for printing.
struct ShownEquation<'a> {
    pool: &'a Pool,
    equation: &'a Equation,
}

impl Pool {
    /// Returns a term for printing.
    pub fn show(&self, dim: DimId) -> impl fmt::Display + '_ {
        ShownDim { pool: self, dim }
    }
}

impl Word {
    /// Returns the shape for printing.
    pub fn show<'a>(&'a self, pool: &'a Pool) -> impl fmt::Display + 'a {
        ShownWord { pool, word: self }
    }
}

impl Equation {
    /// Returns the equation for printing.
    pub fn show<'a>(&'a self, pool: &'a Pool) -> impl fmt::Display + 'a {
        ShownEquation {
            pool,
            equation: self,
        }
    }
}

impl fmt::Display for ShownDim<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        enum Step {
            Term(DimId),
            Space,
            Close,
        }
        let mut written = 0;
        let mut steps = vec![Step::Term(self.dim)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Space => f.write_str(" ")?,
                Step::Close => f.write_str(")")?,
                Step::Term(_) if written >= LONGEST => return f.write_str("…"),
                Step::Term(dim) => match self.pool.node(dim) {
                    DimNode::Number(number) => write!(f, "{number}")?,
                    DimNode::Var(variable) => f.write_str(self.pool.dim_name(variable))?,
                    DimNode::Ragged(identity) => write!(f, "*{identity}")?,
                    DimNode::Op(op, left, right) => {
                        write!(f, "({} ", op.sign())?;
                        steps.extend([
                            Step::Close,
                            Step::Term(right),
                            Step::Space,
                            Step::Term(left),
                        ]);
                    }
                },
            }
            written += 1;
        }
        Ok(())
    }
}

impl fmt::Display for ShownWord<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_axis = |piece: &Piece| matches!(piece, Piece::Axis(_));
        if self.word.0.is_empty() {
            return f.write_str("[]");
        }
        for (index, piece) in self.word.0.iter().enumerate() {
            let follows_axis = index > 0 && is_axis(&self.word.0[index - 1]);
            match piece {
                Piece::Shape(variable) => {
                    let sign = if index > 0 { "@" } else { "" };
                    write!(f, "{sign}{}", self.pool.shape_name(*variable))?;
                }
                Piece::Axis(dim) => {
                    let sign = match index {
                        0 => "[",
                        _ if follows_axis => ",",
                        _ => "@[",
                    };
                    write!(f, "{sign}{}", self.pool.show(*dim))?;
                    if !self.word.0.get(index + 1).is_some_and(is_axis) {
                        f.write_str("]")?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for ShownEquation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pool = self.pool;
        match self.equation {
            Equation::Dims(left, right) => {
                write!(f, "{} = {}", pool.show(*left), pool.show(*right))
            }
            Equation::Shapes(left, right) => {
                write!(f, "{} = {}", left.show(pool), right.show(pool))
            }
        }
    }
}

/// Writes a set, with the declarations without which a name would not be there or would be a shape.
pub(crate) fn write(f: &mut fmt::Formatter<'_>, set: &Set) -> fmt::Result {
    let pool = &set.pool;
    // A name of a dimension needs its declaration unless it is a part of a term or a list, or equals something that is
    // no name.
    let mut is_said = vec![false; pool.dim_count()];
    let mut is_used = vec![false; pool.shape_count()];
    for equation in &set.equations {
        match equation {
            Equation::Shapes(left, right) => {
                for variable in left.shapes().chain(right.shapes()) {
                    is_used[variable.0 as usize] = true;
                }
            }
            Equation::Dims(left, right) => {
                let is_name = |dim: &DimId| matches!(pool.node(*dim), DimNode::Var(_));
                if is_name(left) && is_name(right) {
                    continue;
                }
            }
        }
        for part in pool.with_parts(equation.dims()) {
            if let DimNode::Var(variable) = pool.node(part) {
                is_said[variable.0 as usize] = true;
            }
        }
    }
    let unsaid = |said: &[bool]| {
        let numbers = (0..said.len() as u32).filter(|number| !said[*number as usize]);
        numbers.collect::<Vec<u32>>()
    };
    let dims: Vec<&str> = unsaid(&is_said)
        .into_iter()
        .map(|number| pool.dim_name(DimVar(number)))
        .collect();
    if !dims.is_empty() {
        writeln!(f, "dim {}", dims.join(", "))?;
    }
    let shapes: Vec<&str> = unsaid(&is_used)
        .into_iter()
        .map(|number| pool.shape_name(ShapeVar(number)))
        .collect();
    if !shapes.is_empty() {
        writeln!(f, "shape {}", shapes.join(", "))?;
    }
    for equation in &set.equations {
        writeln!(f, "{}", equation.show(pool))?;
    }
    Ok(())
}
