//! The derivatives of the scalar functions, as formulas that are evaluated at one point of an operation's record.

use lozenge_vocabulary::operation::{Formula, Function, Instruction};

/// A value that a derivative reads at a point: the gradient of the result, the result, the number of points that attain
/// it as a maximum or a minimum, or an operand, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    Gradient,
    Result,
    Ties,
    Operand(usize),
}

/// A derivative: the values that it reads, and a function of them.
pub(super) struct Derivative {
    pub reads: Vec<Read>,
    pub function: Function,
}

impl Derivative {
    /// Returns the same derivative as a function of all tensors of a record with this many operands, except the operand
    /// that has the index map of the slot that is written. A record has no point where a window is outside of its axis,
    /// whether the value there is needed or not.
    pub(super) fn at_points_of_the_record(mut self, operands: usize, slot: usize) -> Derivative {
        let of_result = [Read::Gradient, Read::Result, Read::Ties];
        let mut missing: Vec<Read> = (0..operands)
            .filter(|operand| operand + 1 != slot)
            .map(Read::Operand)
            .filter(|read| !self.reads.contains(read))
            .collect();
        if slot != 0 && !of_result.iter().any(|read| self.reads.contains(read)) {
            missing.push(Read::Gradient);
        }
        if missing.is_empty() {
            return self;
        }
        let code = match &self.function {
            Function::Formula(formula) => formula.code().to_vec(),
            function => {
                let reads = (0..self.reads.len()).map(Instruction::Read);
                reads
                    .chain([Instruction::Apply(function.clone())])
                    .collect()
            }
        };
        let arity = self.reads.len() + missing.len();
        if let Some(formula) = Formula::new(arity, code) {
            self.reads.extend(missing);
            self.function = Function::Formula(Box::new(formula));
        }
        self
    }
}

/// An expression under construction.
#[derive(Clone)]
pub(super) struct Term(Vec<Part>);

#[derive(Clone)]
enum Part {
    Read(Read),
    Apply(Function),
}

impl Term {
    pub(super) fn read(read: Read) -> Term {
        Term(vec![Part::Read(read)])
    }

    pub(super) fn number(value: f64) -> Term {
        Term(vec![Part::Apply(Function::Constant(value))])
    }

    pub(super) fn of(function: Function, operands: impl IntoIterator<Item = Term>) -> Term {
        let Function::Formula(formula) = function else {
            let mut parts: Vec<Part> = operands.into_iter().flat_map(|term| term.0).collect();
            parts.push(Part::Apply(function));
            return Term(parts);
        };
        // A formula does not contain another one.
        let operands: Vec<Term> = operands.into_iter().collect();
        let parts = formula
            .code()
            .iter()
            .flat_map(|instruction| match instruction {
                Instruction::Read(operand) => operands[*operand].0.clone(),
                Instruction::Apply(function) => vec![Part::Apply(function.clone())],
            });
        Term(parts.collect())
    }

    /// Returns the number of parts of the term.
    pub(super) fn length(&self) -> usize {
        self.0.len()
    }

    fn times(self, other: Term) -> Term {
        Term::of(Function::Multiply, [self, other])
    }

    fn over(self, other: Term) -> Term {
        Term::of(Function::Divide, [self, other])
    }

    fn negated(self) -> Term {
        Term::of(Function::Negate, [self])
    }

    /// Returns this value where a condition holds, else 0.
    fn only_where(self, condition: Term) -> Term {
        Term::of(Function::Where, [condition, self, Term::number(0.0)])
    }

    /// Returns 1 where this value is NaN, else 0.
    fn not_a_number(self) -> Term {
        Term::of(Function::NotEqual, [self.clone(), self])
    }

    /// Puts another expression in the place of a value that this one reads.
    fn with(self, read: Read, other: &Term) -> Term {
        let parts = self.0.into_iter().flat_map(|part| match part {
            Part::Read(found) if found == read => other.0.clone(),
            part => vec![part],
        });
        Term(parts.collect())
    }

    /// Makes a function of as few values as the term needs. A single function that reads the values in order is
    /// returned as it is.
    pub(super) fn finished(self) -> Option<Derivative> {
        let mut reads: Vec<Read> = Vec::new();
        let mut code = Vec::with_capacity(self.0.len());
        for part in self.0 {
            code.push(match part {
                Part::Apply(function) => Instruction::Apply(function),
                Part::Read(read) => {
                    let known = reads.iter().position(|known| *known == read);
                    Instruction::Read(known.unwrap_or_else(|| {
                        reads.push(read);
                        reads.len() - 1
                    }))
                }
            });
        }
        let in_order = code.iter().take(reads.len()).enumerate();
        let mut in_order = in_order.map(|(at, instruction)| *instruction == Instruction::Read(at));
        let function = match code.as_slice() {
            [Instruction::Read(0)] => Function::Identity,
            [.., Instruction::Apply(function)]
                if code.len() == reads.len() + 1
                    && function.arity() == reads.len()
                    && in_order.all(|fits| fits) =>
            {
                function.clone()
            }
            _ => Function::Formula(Box::new(Formula::new(reads.len(), code)?)),
        };
        Some(Derivative { reads, function })
    }
}

/// Returns the contribution to the gradient of an operand at a point: the gradient of the result times the partial
/// derivative of a function with respect to that operand. `None` if this derivative is 0 wherever it exists.
pub(super) fn derivative(function: &Function, operand: usize) -> Option<Term> {
    let g = || Term::read(Read::Gradient);
    let x = || Term::read(Read::Operand(0));
    let y = || Term::read(Read::Operand(1));
    let number = Term::number;
    let one = |function: Function| Term::of(function, [x()]);
    let two = |function: Function, a: Term, b: Term| Term::of(function, [a, b]);
    Some(match (function, operand) {
        (Function::Formula(formula), operand) if picked(formula) == Some(operand) => g(),
        (Function::Identity, _) | (Function::Add, _) | (Function::Subtract, 0) => g(),
        (Function::Negate, _) | (Function::Subtract, _) => g().negated(),
        (Function::Relu, _) => g().only_where(two(Function::Greater, x(), number(0.0))),
        (Function::Exp, _) => g().times(one(Function::Exp)),
        (Function::Log, _) => g().over(x()),
        (Function::Sqrt, _) => g().over(number(2.0).times(one(Function::Sqrt))),
        (Function::Square, _) => g().times(number(2.0).times(x())),
        (Function::Reciprocal, _) => g().over(one(Function::Square)).negated(),
        (Function::Abs, _) => {
            let above = two(Function::Greater, x(), number(0.0));
            let below = two(Function::Less, x(), number(0.0));
            g().times(two(Function::Subtract, above, below))
        }
        (Function::Sin, _) => g().times(one(Function::Cos)),
        (Function::Cos, _) => g().times(one(Function::Sin)).negated(),
        (Function::Tanh, _) => {
            let square = Term::of(Function::Square, [one(Function::Tanh)]);
            g().times(two(Function::Subtract, number(1.0), square))
        }
        (Function::Sigmoid, _) => {
            let rest = two(Function::Subtract, number(1.0), one(Function::Sigmoid));
            g().times(one(Function::Sigmoid).times(rest))
        }
        (Function::Erf, _) => {
            let bell = Term::of(Function::Exp, [one(Function::Square).negated()]);
            g().times(number(std::f64::consts::FRAC_2_SQRT_PI).times(bell))
        }
        (Function::Log1p, _) => g().over(two(Function::Add, number(1.0), x())),
        (Function::Expm1, _) => g().times(one(Function::Exp)),
        (Function::Fmod, operand) => of_remainder(operand),
        (Function::Multiply, 0) => g().times(y()),
        (Function::Multiply, _) => g().times(x()),
        (Function::Divide, 0) => g().over(y()),
        (Function::Divide, _) => g()
            .times(x())
            .over(Term::of(Function::Square, [y()]))
            .negated(),
        (Function::Max, _) => of_the_larger(Function::GreaterEqual, operand),
        (Function::Min, _) => of_the_larger(Function::LessEqual, operand),
        (Function::Power, operand) => of_power(operand),
        (Function::Where, 1) => g().only_where(x()),
        (Function::Where, 2) => Term::of(Function::Where, [x(), number(0.0), g()]),
        (Function::Formula(formula), _) => return of_product(formula, operand),
        (
            Function::Constant(_)
            | Function::Floor
            | Function::Round
            | Function::Equal
            | Function::NotEqual
            | Function::Less
            | Function::LessEqual
            | Function::Greater
            | Function::GreaterEqual
            | Function::Where,
            _,
        ) => return None,
    })
}

/// Forms the derivative of a remainder of a division, with respect to the dividend, operand 0, or to the divisor.
fn of_remainder(operand: usize) -> Term {
    let gradient = Term::read(Read::Gradient);
    if operand == 0 {
        return gradient;
    }
    let dividend = || Term::read(Read::Operand(0));
    let divisor = || Term::read(Read::Operand(1));
    // The remainder is `x - n y` for a whole number n, which stays the same nearby.
    let remainder = Term::of(Function::Fmod, [dividend(), divisor()]);
    let taken = Term::of(Function::Subtract, [remainder, dividend()]);
    gradient.times(taken.over(divisor()))
}

/// Forms the derivative of a power, with respect to the base, operand 0, or to the exponent.
fn of_power(operand: usize) -> Term {
    let base = || Term::read(Read::Operand(0));
    let exponent = || Term::read(Read::Operand(1));
    let two = |function: Function, a: Term, b: Term| Term::of(function, [a, b]);
    let zero = || Term::number(0.0);
    let slope = match operand {
        // Everything to the power of 0 is 1, also 0, where the other factor is infinite.
        0 => {
            let less = two(Function::Subtract, exponent(), Term::number(1.0));
            let slope = exponent().times(two(Function::Power, base(), less));
            slope.only_where(two(Function::NotEqual, exponent(), zero()))
        }
        // 0 to any power that is not negative stays the same beside it, and the logarithm there is infinite.
        _ => {
            let is_zero = two(Function::Equal, base(), zero());
            let stays = is_zero.times(two(Function::GreaterEqual, exponent(), zero()));
            let logarithm = Term::of(Function::Log, [base()]);
            let slope = two(Function::Power, base(), exponent()).times(logarithm);
            Term::of(Function::Where, [stays, zero(), slope])
        }
    };
    Term::read(Read::Gradient).times(slope)
}

/// Returns the derivative of a product of several values, each of which occurs once: the gradient times the other
/// factors. The derivatives of other formulas are stated by their operators.
fn of_product(formula: &Formula, operand: usize) -> Option<Term> {
    let mut code = formula.code().iter();
    let is_product = code.all(|instruction| {
        matches!(
            instruction,
            Instruction::Read(_) | Instruction::Apply(Function::Multiply)
        )
    });
    let reads = formula
        .code()
        .iter()
        .filter_map(|instruction| match instruction {
            Instruction::Read(read) => Some(*read),
            Instruction::Apply(_) => None,
        });
    let each_once = reads.eq(0..formula.arity());
    (is_product && each_once).then(|| {
        let others = (0..formula.arity()).filter(|other| *other != operand);
        others.fold(Term::read(Read::Gradient), |term, other| {
            term.times(Term::read(Read::Operand(other)))
        })
    })
}

/// Returns the operand that a formula returns, if it just returns one.
fn picked(formula: &Formula) -> Option<usize> {
    match formula.code() {
        [Instruction::Read(operand)] => Some(*operand),
        _ => None,
    }
}

/// Returns the derivative of the larger or the smaller of two values. Each of them that attains it receives the same
/// share: one that is at least as large as the other, or NaN.
fn of_the_larger(at_least: Function, operand: usize) -> Term {
    let value = |operand: usize| Term::read(Read::Operand(operand));
    let attains = |own: usize| {
        let is_larger = Term::of(at_least.clone(), [value(own), value(1 - own)]);
        Term::of(Function::Add, [is_larger, value(own).not_a_number()])
    };
    let both = Term::of(Function::Add, [Term::number(1.0), attains(1 - operand)]);
    let share = Term::read(Read::Gradient).over(both);
    share.only_where(attains(operand))
}

/// Returns a term that tells whether a point attains the extreme value of its result: 1 where its value is equal to it,
/// or where it is NaN, which makes the result NaN; else 0.
pub(super) fn attains(function: &Function) -> Term {
    let operands = (0..function.arity()).map(|at| Term::read(Read::Operand(at)));
    let value = Term::of(function.clone(), operands);
    let is_equal = Term::of(Function::Equal, [value.clone(), Term::read(Read::Result)]);
    Term::of(Function::Add, [is_equal, value.not_a_number()])
}

/// Returns the derivative of a reduction by maximum or minimum: the gradient is divided among the points that attain
/// the extreme value.
pub(super) fn of_extreme(function: &Function, operand: usize) -> Option<Term> {
    let share = Term::read(Read::Gradient).over(Term::read(Read::Ties));
    let inner = derivative(function, operand)?.with(Read::Gradient, &share);
    Some(inner.only_where(attains(function)))
}
