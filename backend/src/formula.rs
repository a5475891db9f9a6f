//! Functions as lists of instructions, and the functions that are left where an operand is a number.

use lozenge_vocabulary::operation::{Formula, Function, Instruction};

/// A longer expression is not simplified, since that may move its instructions once for each of them.
const SIMPLIFIED: usize = 64;

/// Returns the instructions of a function of so many operands.
pub(crate) fn code(function: &Function) -> Vec<Instruction> {
    match function {
        Function::Formula(formula) => formula.code().to_vec(),
        function => {
            let reads = (0..function.arity()).map(Instruction::Read);
            reads
                .chain([Instruction::Apply(function.clone())])
                .collect()
        }
    }
}

/// Makes the function with these instructions: that of a single operation, if they are one.
pub(crate) fn function(arity: usize, code: Vec<Instruction>) -> Option<Function> {
    if code == [Instruction::Read(0)] && arity == 1 {
        return Some(Function::Identity);
    }
    if let Some((Instruction::Apply(last), reads)) = code.split_last()
        && last.arity() == arity
        && !matches!(last, Function::Formula(_))
        && reads.iter().cloned().eq((0..arity).map(Instruction::Read))
    {
        return Some(last.clone());
    }
    Formula::new(arity, code).map(|formula| Function::Formula(Box::new(formula)))
}

/// Puts a number in the place of one operand, which leaves a function of the other ones.
pub(crate) fn with_number(of: &Function, operand: usize, number: f64) -> Option<Function> {
    let code = code(of).into_iter().map(|instruction| match instruction {
        Instruction::Read(at) if at == operand => Instruction::Apply(Function::Constant(number)),
        Instruction::Read(at) if at > operand => Instruction::Read(at - 1),
        other => other,
    });
    let arity = of.arity().checked_sub(1)?;
    function(arity, simplified(code.collect()))
}

/// Removes the instructions that change no bit of a number: a product with 1, a quotient by 1, and a difference whose
/// second part is 0.
fn simplified(code: Vec<Instruction>) -> Vec<Instruction> {
    if code.len() > SIMPLIFIED {
        return code;
    }
    let mut out: Vec<Instruction> = Vec::with_capacity(code.len());
    // The place where the instructions of each value on the stack begin.
    let mut begins: Vec<usize> = Vec::new();
    for instruction in code {
        let Instruction::Apply(applied) = &instruction else {
            begins.push(out.len());
            out.push(instruction);
            continue;
        };
        if *applied == Function::Identity {
            continue;
        }
        let second = begins.last().copied().unwrap_or_default();
        let unit = match applied {
            Function::Multiply | Function::Divide => Some(1.0_f64),
            Function::Subtract => Some(0.0),
            _ => None,
        };
        let is_unit = |at: &Instruction| match (at, unit) {
            (Instruction::Apply(Function::Constant(number)), Some(unit)) => {
                number.to_bits() == unit.to_bits()
            }
            _ => false,
        };
        if second + 1 == out.len() && is_unit(&out[second]) {
            out.pop();
            begins.pop();
            continue;
        }
        let first = begins.len().checked_sub(2).map(|at| begins[at]);
        if let (Function::Multiply, Some(first)) = (applied, first)
            && first + 1 == second
            && is_unit(&out[first])
        {
            out.remove(first);
            begins.pop();
            continue;
        }
        let begin = match applied.arity() {
            0 => out.len(),
            arity => begins[begins.len().saturating_sub(arity)],
        };
        begins.truncate(begins.len().saturating_sub(applied.arity()));
        begins.push(begin);
        out.push(instruction);
    }
    out
}

/// A product of operands, each as often as it is read, and of a number.
pub(crate) struct Product {
    pub operands: Vec<usize>,
    pub number: f64,
}

/// Reads a function as a product, if it is one.
pub(crate) fn product(of: &Function) -> Option<Product> {
    let mut product = Product {
        operands: Vec::new(),
        number: 1.0,
    };
    if *of == Function::Square {
        product.operands = vec![0, 0];
        return Some(product);
    }
    for instruction in code(of) {
        match instruction {
            Instruction::Read(at) => product.operands.push(at),
            Instruction::Apply(Function::Constant(number)) => product.number *= number,
            Instruction::Apply(Function::Multiply) => {}
            Instruction::Apply(_) => return None,
        }
    }
    Some(product)
}
