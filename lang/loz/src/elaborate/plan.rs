//! The plan of an operation before it is built: its family, and the check that its spec fits.

use lozenge_vocabulary::operation::{Accumulator, Formula, Function, Instruction, TensorId};

use crate::diagnostic::Diagnostic;
use crate::syntax::Logic;
use crate::syntax::operator::Primitive;
use lozenge_vocabulary::program::Family;
use lozenge_vocabulary::program::Span;

/// A planned operation: the function, the tensors that it reads, and how their rows are related.
pub(crate) struct Plan {
    pub primitive: Primitive,
    pub operands: Vec<(TensorId, Span)>,
    pub logic: Option<Logic>,
    pub accumulator: Option<Accumulator>,
    /// True if each result comes from one of the operands, as in `concat(x, y)`.
    pub alternatives: bool,
    pub span: Span,
}

impl Plan {
    /// Determines the family of the operation, and its scalar function.
    pub(crate) fn family(&self) -> Result<(Family, Function), Diagnostic> {
        let function = match self.primitive {
            Primitive::Function(function) => function.clone(),
            Primitive::Star => Function::Multiply,
            Primitive::Transpose => Function::Identity,
            Primitive::Product(factors) => product(factors),
        };
        let family = match &self.logic {
            Some(Logic::Einsum(spec)) => {
                let place = spec.used_at.as_ref().unwrap_or(&spec.span);
                operand_count(self, spec.operands.len(), place)?;
                Family::Einsum
            }
            Some(Logic::Compose(span)) => {
                operand_count(self, 2, span)?;
                Family::Compose
            }
            Some(Logic::Transpose(span)) => {
                operand_count(self, 1, span)?;
                Family::Transpose
            }
            Some(Logic::Pointwise) => Family::Pointwise,
            None => match self.primitive {
                Primitive::Transpose => Family::Transpose,
                Primitive::Function(_) => Family::Pointwise,
                Primitive::Star if self.accumulator.is_none() => Family::Compose,
                Primitive::Star | Primitive::Product(_) => {
                    return Err(undetermined_star(&self.span));
                }
            },
        };
        Ok((family, function))
    }
}

/// Makes the product of `factors` values, in order.
fn product(factors: usize) -> Function {
    let mut code = vec![Instruction::Read(0)];
    for factor in 1..factors {
        code.push(Instruction::Read(factor));
        code.push(Instruction::Apply(Function::Multiply));
    }
    match Formula::new(factors, code) {
        Some(formula) => Function::Formula(Box::new(formula)),
        None => Function::Multiply,
    }
}

fn undetermined_star(span: &Span) -> Diagnostic {
    Diagnostic::new(
        span.clone(),
        "`*` in an assignment needs a spec",
        "composition or product?",
    )
    .help("write `*.` for the pointwise product, `\"@\"` after it for a composition, or an einsum spec")
}

fn operand_count(plan: &Plan, in_spec: usize, span: &Span) -> Result<(), Diagnostic> {
    let read = plan.operands.len();
    if read == in_spec {
        return Ok(());
    }
    let plural = |n: usize| if n == 1 { "operand" } else { "operands" };
    Err(Diagnostic::new(
        span.clone(),
        format!(
            "the spec is for {in_spec} {}, the expression has {read}",
            plural(in_spec)
        ),
        format!("{in_spec} {}", plural(in_spec)),
    )
    .other(plan.span.clone(), format!("{read} {}", plural(read)))
    .help("write a shape for each operand, with `;` between them: `a * b \"i,j; j,k => i,k\"`; parentheses around the whole make it one operand"))
}
