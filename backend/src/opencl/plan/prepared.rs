//! The function that a kernel of a contraction applies to an operand where it copies it: once for each copied value,
//! and not once for each point.

use lozenge_vocabulary::operation::{Function, Instruction};

use super::job::Job;
use crate::formula::{Product, code, function, product};
use crate::nest_text::expression;
use crate::rules::Numerics;

/// A function of two operands as a function of one value of each, which is computed beforehand.
pub(crate) struct Prepared {
    /// The function that is applied to each operand; `None` where the operand is copied as it is.
    pub each: [Option<Function>; 2],
    /// The function of the results.
    pub met: Function,
}

impl Prepared {
    /// Divides the function of a job of two operands. A number that takes part in a product is a factor of the operand
    /// `numbered`, if the order of products is free.
    pub fn new(job: &Job, numbered: Option<usize>) -> Prepared {
        let as_it_is = || Prepared {
            each: [None, None],
            met: job.function.clone(),
        };
        if let Some(Product { operands, number }) = product(&job.function) {
            let numbered = numbered.filter(|_| job.numerics == Numerics::Fast && number != 1.0);
            return match (numbered, operands.as_slice()) {
                (Some(operand), [0, 1] | [1, 0]) => Prepared {
                    each: [0, 1].map(|one| (one == operand).then(|| times(number)).flatten()),
                    met: Function::Multiply,
                },
                _ => as_it_is(),
            };
        }
        Prepared::parted(&job.function).unwrap_or_else(as_it_is)
    }

    /// Divides a function whose last operation has an operand of each. `None` if it has not, or if both are operands as
    /// they are.
    pub fn parted(of: &Function) -> Option<Prepared> {
        let code = code(of);
        let (Instruction::Apply(last), operands) = code.split_last()? else {
            return None;
        };
        if last.arity() != 2 {
            return None;
        }
        let (first, second) = operands.split_at(begin_of_last(operands)?);
        let (one, other) = (operand_of(first)?, operand_of(second)?);
        let reads = [
            Instruction::Read(one),
            Instruction::Read(other),
            Instruction::Apply(last.clone()),
        ];
        let mut each = [None, None];
        for (operand, code) in [(one, first), (other, second)] {
            let own = code.iter().map(|instruction| match instruction {
                Instruction::Read(_) => Instruction::Read(0),
                apply => apply.clone(),
            });
            let own = function(1, own.collect())?;
            *each.get_mut(operand)? = (own != Function::Identity).then_some(own);
        }
        let is_both = one != other && each.iter().any(Option::is_some);
        is_both.then_some(Prepared {
            each,
            met: function(2, reads.to_vec())?,
        })
    }

    /// Describes the functions of the operands for people; the text is empty if the operands are copied as they are.
    pub fn line(&self) -> String {
        let each = self.each.iter().enumerate();
        let each = each.filter_map(|(operand, function)| {
            let name = format!("t{}", operand + 1);
            Some(format!(", of {}", expression(function.as_ref()?, &[name])))
        });
        each.collect()
    }
}

/// Makes the product of an operand and a number.
fn times(number: f64) -> Option<Function> {
    let code = [
        Instruction::Read(0),
        Instruction::Apply(Function::Constant(number)),
        Instruction::Apply(Function::Multiply),
    ];
    function(1, code.to_vec())
}

/// Finds the place where the instructions begin that compute the last value on the stack.
fn begin_of_last(code: &[Instruction]) -> Option<usize> {
    let mut missing = 1;
    for (at, instruction) in code.iter().enumerate().rev() {
        missing -= 1;
        if let Instruction::Apply(function) = instruction {
            missing += function.arity();
        }
        if missing == 0 {
            return Some(at);
        }
    }
    None
}

/// Finds the only operand that instructions read.
fn operand_of(code: &[Instruction]) -> Option<usize> {
    let mut reads = code.iter().filter_map(|instruction| match instruction {
        Instruction::Read(operand) => Some(*operand),
        Instruction::Apply(_) => None,
    });
    let operand = reads.next()?;
    reads.all(|other| other == operand).then_some(operand)
}

#[cfg(test)]
mod tests {
    use lozenge_vocabulary::operation::{Formula, Function, Instruction};

    use super::{Prepared, expression};

    /// Makes the function of two operands with these instructions: numbers are operands, words functions.
    fn formula(words: &str) -> Function {
        let code = words.split(' ').map(|word| match word.parse() {
            Ok(operand) => Instruction::Read(operand),
            Err(_) => Instruction::Apply(match word {
                "relu" => Function::Relu,
                "exp" => Function::Exp,
                "half" => Function::Constant(0.5),
                "+" => Function::Add,
                "-" => Function::Subtract,
                _ => Function::Multiply,
            }),
        });
        Function::Formula(Box::new(Formula::new(2, code.collect()).unwrap()))
    }

    fn parted(words: &str) -> Option<String> {
        let prepared = Prepared::parted(&formula(words))?;
        let met = expression(&prepared.met, &["p1".to_string(), "p2".to_string()]);
        Some(format!("{met}{}", prepared.line()))
    }

    #[test]
    fn each_operand_is_prepared_where_only_the_last_operation_reads_both() {
        let found = |words| parted(words).unwrap_or_default();
        assert_eq!(found("0 relu 1 *"), "p1 * p2, of max(t1, 0)");
        assert_eq!(found("0 1 exp -"), "p1 - p2, of exp(t2)");
        assert_eq!(
            found("1 relu 0 half * exp -"),
            "p2 - p1, of exp(t1 * 0.5), of max(t2, 0)"
        );
        assert_eq!(found("0 0 * 1 *"), "p1 * p2, of t1 * t1");
    }

    #[test]
    fn other_functions_are_left() {
        for words in [
            "0 1 *",
            "0 1 * relu",
            "0 1 + 1 *",
            "0 relu 0 *",
            "half 0 1 * *",
        ] {
            assert_eq!(parted(words), None, "{words}");
        }
    }
}
