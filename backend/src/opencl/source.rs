//! From a loop nest to the source of a kernel.
//!
//! One work-item computes one written cell: the factors that the left-hand map mentions are spread over the work-items, the
//! reduced ones are loops inside, in the order of the loop nest. The left-hand map restricted to the mentioned factors is
//! injective by what "mentioned" means, so no two work-items write the same cell and nothing has to be atomic; and a cell's
//! values meet in the order in which the interpreter meets them, so that sums agree to the last bit.
//!
//! Identifiers carry a prefix (`lhs_`, `rhs1_`, `at_`, `symbol0_`), so that no tensor's name can be a word of the language.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use lozenge_vocabulary::operation::{Combine, Function};
use lozenge_vocabulary::projections::Index;

use crate::arithmetic::neutral;
use crate::loop_nest::{LoopNest, Slot, Write};
use crate::tensor::strides;

/// A kernel as text, and how it wants to be called: with the buffers of the slots in order, then the symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelSource {
    /// OpenCL C, version 1.2 or later; the kernel is called [`KernelSource::NAME`].
    pub text: String,
    /// How many work-items to start: one for each written cell, and some that return at once.
    pub work_items: u64,
    /// The symbols in the order of their arguments, each an `ulong`.
    pub symbols: Vec<Arc<str>>,
}

impl KernelSource {
    /// The name of every kernel.
    pub const NAME: &str = "assign";

    /// Above this number, work-items come in a multiple of it: a device divides them into groups, and a prime number of them
    /// would leave groups of one (6 times slower for 4,000,037 cells on PoCL).
    const GROUP: u64 = 64;

    /// The kernel of a loop nest. Where the nest initialises, each work-item starts from the neutral element; where the
    /// left-hand map is not surjective besides, the caller fills the written buffer first, for the cells of no work-item.
    pub fn new(nest: &LoopNest) -> KernelSource {
        let names = Names::new(nest);
        let mentioned = nest.factors().iter().filter(|factor| !factor.reduced);
        // A product of sizes of axes of the written tensor, no axis twice: it cannot overflow.
        let cells: u64 = mentioned.map(|factor| factor.size).product();
        let work_items = match cells {
            0..=Self::GROUP => cells,
            _ => cells.next_multiple_of(Self::GROUP),
        };
        let surplus = work_items > cells;
        KernelSource {
            text: text(nest, &names, surplus.then_some(cells))
                .expect("writing to a string does not fail"),
            work_items,
            symbols: names.symbols.keys().cloned().collect(),
        }
    }
}

/// The identifiers of a kernel.
struct Names {
    buffers: Vec<String>,
    variables: Vec<String>,
    symbols: BTreeMap<Arc<str>, String>,
}

impl Names {
    fn new(nest: &LoopNest) -> Names {
        let buffer = |(slot, of): (usize, &Slot)| match slot {
            0 => format!("lhs_{}", identifier(&of.tensor)),
            _ => format!("rhs{slot}_{}", identifier(&of.tensor)),
        };
        let mut variables: Vec<String> = Vec::new();
        for (number, factor) in nest.factors().iter().enumerate() {
            let name = format!("at_{}", identifier(&factor.name));
            // Two names may differ in what an identifier cannot hold.
            let taken = variables.contains(&name);
            variables.push(if taken { format!("at{number}") } else { name });
        }
        let indices = nest.slots().iter().flat_map(|slot| &slot.map.0);
        let mut symbols = BTreeMap::new();
        for index in indices {
            if let Index::Symbol(symbol) = index {
                symbols.insert(symbol.clone(), String::new());
            }
        }
        for (number, (symbol, name)) in symbols.iter_mut().enumerate() {
            *name = format!("symbol{number}_{}", identifier(symbol));
        }
        Names {
            buffers: nest.slots().iter().enumerate().map(buffer).collect(),
            variables,
            symbols,
        }
    }

    /// Where in a slot's row-major storage its index map sends a point.
    fn address(&self, slot: &Slot) -> String {
        let mut terms = Vec::new();
        for (index, stride) in slot.map.0.iter().zip(strides(&slot.sizes)) {
            let position = match index {
                Index::Iter(factor) => self.variables[*factor].clone(),
                Index::Fix(0) => continue,
                Index::Fix(position) => format!("{position}UL"),
                Index::Symbol(symbol) => self.symbols[symbol].clone(),
            };
            terms.push(match stride {
                1 => position,
                _ => format!("{position} * {stride}UL"),
            });
        }
        if terms.is_empty() {
            "0UL".to_string()
        } else {
            terms.join(" + ")
        }
    }
}

/// The part of a name that C allows in an identifier.
fn identifier(name: &str) -> String {
    let allowed = |c: char| {
        if c.is_ascii_alphanumeric() { c } else { '_' }
    };
    name.chars().map(allowed).collect()
}

/// The text; a work-item whose number is not below `cells`, if there are such, has nothing to do.
fn text(nest: &LoopNest, names: &Names, cells: Option<u64>) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    for line in nest.to_string().lines() {
        writeln!(out, "// {line}")?;
    }
    writeln!(out, "#pragma OPENCL FP_CONTRACT OFF")?;
    let functions = [
        (Function::Max, Combine::Max, "larger", ">="),
        (Function::Min, Combine::Min, "smaller", "<="),
    ];
    for (function, combine, name, compare) in functions {
        let relu = function == Function::Max && nest.function() == Function::Relu;
        if nest.function() == function || nest.accumulator().combine == combine || relu {
            writeln!(
                out,
                "inline float {name}(float x, float y) {{ return x {compare} y || x != x ? x : y; }}"
            )?;
        }
    }
    writeln!(out, "\n__kernel void {}(", KernelSource::NAME)?;
    writeln!(out, "{}) {{", parameters(names))?;
    if let Some(cells) = cells {
        writeln!(out, "    if (get_global_id(0) >= {cells}UL) return;")?;
    }
    variables(&mut out, nest, names)?;
    let cell = format!("{}[{}]", names.buffers[0], names.address(&nest.slots()[0]));
    body(&mut out, nest, names, &cell)?;
    writeln!(out, "}}")?;
    Ok(out)
}

fn parameters(names: &Names) -> String {
    let buffers = names.buffers.iter().enumerate().map(|(slot, name)| {
        let constant = if slot == 0 { "" } else { "const " };
        format!("    __global {constant}float *{name}")
    });
    let symbols = names
        .symbols
        .values()
        .map(|name| format!("    const ulong {name}"));
    buffers.chain(symbols).collect::<Vec<_>>().join(",\n")
}

/// The variables of the mentioned factors, from the number of the work-item; the last one runs fastest.
fn variables(out: &mut String, nest: &LoopNest, names: &Names) -> std::fmt::Result {
    let mentioned = nest
        .factors()
        .iter()
        .zip(&names.variables)
        .filter(|(factor, _)| !factor.reduced);
    let mut inner: u64 = 1;
    let mut lines = Vec::new();
    for (position, (factor, name)) in mentioned.rev().enumerate() {
        let item = match position {
            0 => "get_global_id(0)".to_string(),
            _ => format!("get_global_id(0) / {inner}UL"),
        };
        lines.push(format!(
            "    const ulong {name} = {item} % {}UL;",
            factor.size
        ));
        inner *= factor.size;
    }
    lines
        .iter()
        .rev()
        .try_for_each(|line| writeln!(out, "{line}"))
}

/// The loops over the reduced factors, and what happens at a point.
fn body(out: &mut String, nest: &LoopNest, names: &Names, cell: &str) -> std::fmt::Result {
    let value = value(nest, names);
    let how = nest.accumulator().combine;
    if nest.write() == Write::Plain {
        let sign = if how == Combine::Subtract { "-" } else { "" };
        return writeln!(out, "    {cell} = {sign}({value});");
    }
    let start = match (nest.accumulator().erase, how) {
        (true, _) => literal(neutral(how)),
        (false, _) => cell.to_string(),
    };
    writeln!(out, "    float total = {start};")?;
    let mut indent = 4;
    let reduced = nest
        .factors()
        .iter()
        .zip(&names.variables)
        .filter(|(factor, _)| factor.reduced);
    for (factor, name) in reduced {
        let size = factor.size;
        writeln!(
            out,
            "{:indent$}for (ulong {name} = 0; {name} < {size}UL; ++{name})",
            ""
        )?;
        indent += 4;
    }
    let total = match how {
        Combine::Replace => value,
        Combine::Add => format!("total + ({value})"),
        Combine::Subtract => format!("total - ({value})"),
        Combine::Max => format!("larger(total, {value})"),
        Combine::Min => format!("smaller(total, {value})"),
    };
    writeln!(out, "{:indent$}total = {total};", "")?;
    writeln!(out, "    {cell} = total;")
}

/// The function of the values read at a point.
fn value(nest: &LoopNest, names: &Names) -> String {
    let read: Vec<String> = nest
        .slots()
        .iter()
        .zip(&names.buffers)
        .skip(1)
        .map(|(slot, buffer)| format!("{buffer}[{}]", names.address(slot)))
        .collect();
    let x = read.first().map_or("", String::as_str);
    let y = read.get(1).map_or("", String::as_str);
    match nest.function() {
        Function::Constant(value) => literal(value as f32),
        Function::Identity => x.to_string(),
        Function::Negate => format!("-{x}"),
        Function::Relu => format!("larger({x}, 0.0f)"),
        Function::Exp => format!("exp({x})"),
        Function::Log => format!("log({x})"),
        Function::Sqrt => format!("sqrt({x})"),
        Function::Square => format!("{x} * {x}"),
        Function::Reciprocal => format!("1.0f / {x}"),
        Function::Abs => format!("fabs({x})"),
        Function::Floor => format!("floor({x})"),
        Function::Sin => format!("sin({x})"),
        Function::Cos => format!("cos({x})"),
        Function::Tanh => format!("tanh({x})"),
        Function::Sigmoid => format!("1.0f / (1.0f + exp(-{x}))"),
        Function::Add => format!("{x} + {y}"),
        Function::Subtract => format!("{x} - {y}"),
        Function::Multiply => format!("{x} * {y}"),
        Function::Divide => format!("{x} / {y}"),
        Function::Max => format!("larger({x}, {y})"),
        Function::Min => format!("smaller({x}, {y})"),
        Function::Equal => format!("{x} == {y} ? 1.0f : 0.0f"),
        Function::NotEqual => format!("{x} != {y} ? 1.0f : 0.0f"),
        Function::Less => format!("{x} < {y} ? 1.0f : 0.0f"),
        Function::LessEqual => format!("{x} <= {y} ? 1.0f : 0.0f"),
        Function::Greater => format!("{x} > {y} ? 1.0f : 0.0f"),
        Function::GreaterEqual => format!("{x} >= {y} ? 1.0f : 0.0f"),
        Function::Power => format!("pow({x}, {y})"),
    }
}

/// A number as C writes it; the shortest decimal that reads back as the same `f32`.
fn literal(value: f32) -> String {
    if value.is_nan() {
        "NAN".to_string()
    } else if value == f32::INFINITY {
        "INFINITY".to_string()
    } else if value == f32::NEG_INFINITY {
        "(-INFINITY)".to_string()
    } else if value.is_sign_negative() {
        format!("({value:?}f)")
    } else {
        format!("{value:?}f")
    }
}
