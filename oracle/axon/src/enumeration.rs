//! Solutions by enumeration: all values up to a rank and a size, judged by the definition alone.

use lozenge_axon_vocabulary::{
    Assignment, DimId, DimNode, DimVar, Equation, Op, Piece, Pool, ShapeVar, Variable, Word,
};

/// The bounds up to which values are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The largest rank.
    pub rank: usize,
    /// The largest size.
    pub size: i64,
    /// The most values that are tried.
    pub tries: u64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            rank: 3,
            size: 4,
            tries: 1 << 20,
        }
    }
}

/// The result of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumerated {
    /// The solutions, up to the number that was asked for.
    pub solutions: Vec<Assignment>,
    /// The fact that all values within the bounds were tried, or as many solutions found as were asked for.
    pub is_complete: bool,
}

/// Returns up to `most` solutions within bounds. Equations with ragged dimensions have none.
pub fn enumerate(pool: &Pool, equations: &[Equation], bounds: &Bounds, most: usize) -> Enumerated {
    let search = Search::new(pool, equations, *bounds);
    search.run(most)
}

/// The next value of a name, and what it is.
#[derive(Clone, Debug)]
enum Value {
    Dim(i64),
    Shape(Vec<i64>),
}

struct Search<'p> {
    pool: &'p Pool,
    equations: &'p [Equation],
    bounds: Bounds,
    names: Vec<Variable>,
    /// The equations all of whose names have values once the first names have, by the number of these.
    due: Vec<Vec<usize>>,
    /// The terms of each equation, parts first.
    terms: Vec<Vec<DimId>>,
    dims: Vec<i64>,
    shapes: Vec<Vec<i64>>,
    values: Vec<Option<i128>>,
}

impl<'p> Search<'p> {
    fn new(pool: &'p Pool, equations: &'p [Equation], bounds: Bounds) -> Search<'p> {
        let mut names: Vec<Variable> = Vec::new();
        let mut due = vec![Vec::new()];
        for (index, equation) in equations.iter().enumerate() {
            for name in equation.variables(pool) {
                if !names.contains(&name) {
                    names.push(name);
                    due.push(Vec::new());
                }
            }
            due[names.len()].push(index);
        }
        Search {
            pool,
            equations,
            bounds,
            names,
            due,
            terms: equations
                .iter()
                .map(|equation| pool.with_parts(equation.dims()))
                .collect(),
            dims: vec![0; pool.dim_count()],
            shapes: vec![Vec::new(); pool.shape_count()],
            values: vec![None; pool.nodes().len()],
        }
    }

    fn run(mut self, most: usize) -> Enumerated {
        let mut solutions = Vec::new();
        let mut tries = 0;
        let mut chosen: Vec<Value> = Vec::new();
        if !self.holds(0) {
            return Enumerated {
                solutions,
                is_complete: true,
            };
        }
        loop {
            if chosen.len() == self.names.len() {
                solutions.push(self.assignment());
                if solutions.len() >= most {
                    return Enumerated {
                        solutions,
                        is_complete: true,
                    };
                }
            } else {
                chosen.push(self.first(self.names[chosen.len()]));
                if self.put(&chosen) {
                    tries += 1;
                    continue;
                }
            }
            // The last value that has a next one is changed.
            loop {
                tries += 1;
                if tries > self.bounds.tries {
                    return Enumerated {
                        solutions,
                        is_complete: false,
                    };
                }
                let Some(last) = chosen.last_mut() else {
                    return Enumerated {
                        solutions,
                        is_complete: true,
                    };
                };
                if !advance(last, &self.bounds) {
                    chosen.pop();
                } else if self.put(&chosen) {
                    break;
                }
            }
        }
    }

    fn first(&self, name: Variable) -> Value {
        match name {
            Variable::Dim(_) => Value::Dim(1),
            Variable::Shape(_) => Value::Shape(Vec::new()),
        }
    }

    /// Gives the last chosen name its value. Returns whether the equations that are due hold.
    fn put(&mut self, chosen: &[Value]) -> bool {
        let count = chosen.len();
        match (self.names[count - 1], &chosen[count - 1]) {
            (Variable::Dim(name), Value::Dim(value)) => self.dims[name.0 as usize] = *value,
            (Variable::Shape(name), Value::Shape(value)) => {
                self.shapes[name.0 as usize].clone_from(value)
            }
            _ => {}
        }
        self.holds(count)
    }

    fn holds(&mut self, count: usize) -> bool {
        (0..self.due[count].len()).all(|at| self.satisfied(self.due[count][at]))
    }

    fn satisfied(&mut self, index: usize) -> bool {
        for at in 0..self.terms[index].len() {
            let dim = self.terms[index][at];
            let operand = |dim: DimId| self.values[dim.0 as usize];
            self.values[dim.0 as usize] = match self.pool.node(dim) {
                DimNode::Number(number) => Some(i128::from(number)),
                DimNode::Var(name) => Some(i128::from(self.dims[name.0 as usize])),
                DimNode::Ragged(_) => None,
                DimNode::Op(op, left, right) => match (operand(left), operand(right)) {
                    (Some(_), Some(0)) if op == Op::Divide => None,
                    (Some(left), Some(right)) => op.apply(left, right),
                    _ => None,
                },
            };
        }
        let size = |dim: &DimId| self.values[dim.0 as usize].filter(|size| *size >= 1);
        match &self.equations[index] {
            Equation::Dims(left, right) => size(left).is_some() && size(left) == size(right),
            Equation::Shapes(left, right) => {
                let (left, right) = (self.axes(left), self.axes(right));
                left.is_some() && left == right
            }
        }
    }

    fn axes(&self, word: &Word) -> Option<Vec<i128>> {
        let mut axes = Vec::new();
        for piece in &word.0 {
            match piece {
                Piece::Axis(dim) => {
                    axes.push(self.values[dim.0 as usize].filter(|size| *size >= 1)?)
                }
                Piece::Shape(name) => {
                    axes.extend(
                        self.shapes[name.0 as usize]
                            .iter()
                            .map(|size| i128::from(*size)),
                    );
                }
            }
        }
        Some(axes)
    }

    fn assignment(&self) -> Assignment {
        let mut assignment = Assignment::default();
        for name in &self.names {
            match *name {
                Variable::Dim(name @ DimVar(index)) => {
                    assignment.dims.insert(name, self.dims[index as usize]);
                }
                Variable::Shape(name @ ShapeVar(index)) => {
                    assignment
                        .shapes
                        .insert(name, self.shapes[index as usize].clone());
                }
            }
        }
        assignment
    }
}

/// Changes a value to the next one: sizes upwards, shapes by rank and then like numbers. Returns whether there is one.
fn advance(value: &mut Value, bounds: &Bounds) -> bool {
    match value {
        Value::Dim(size) => {
            *size += 1;
            *size <= bounds.size
        }
        Value::Shape(axes) => {
            for axis in axes.iter_mut().rev() {
                if *axis < bounds.size {
                    *axis += 1;
                    return true;
                }
                *axis = 1;
            }
            axes.push(1);
            axes.len() <= bounds.rank
        }
    }
}
