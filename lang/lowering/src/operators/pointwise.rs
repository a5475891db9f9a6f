//! Operators of each cell.

use lozenge_graph_vocabulary::{ElementType, Node};

use super::{Outputs, one, wanted};
use crate::attributes::{real, text};
use crate::axes::stretched;
use crate::held::{Held, Tensor};
use crate::lowering::{Lowering, Operand, number};
use crate::refusal::Why;

/// Adds the lines of an operator of each cell.
pub(super) fn lower(lowering: &mut Lowering, node: &Node) -> Outputs {
    if let Some(form) = of_two(&node.operator.name) {
        return two(lowering, node, form);
    }
    if node.operator.name == "Where" {
        return choice(lowering, node);
    }
    if node.operator.name == "Mean" {
        let count = node.arguments.len();
        let Held::Tensor(sum) = two(lowering, node, |a, b| format!("{a} + {b}"))?.swap_remove(0)
        else {
            return Err(Why::Upstream);
        };
        let name = wanted(lowering, node);
        return one(lowering.define(&name, &sum.sizes, &format!("{} / {count}", sum.name))?);
    }
    if of_one(node, "x").is_none() && node.operator.name != "Clip" && node.operator.name != "PRelu"
    {
        return Err("this operator is missing".into());
    }
    let x = lowering.operand(node, 0)?;
    let name = wanted(lowering, node);
    let expression = match node.operator.name.as_str() {
        "Clip" => clip(lowering, node, &x)?,
        "PRelu" => return slope(lowering, node, x),
        _ => of_one(node, &x.name).ok_or("this operator is missing")?,
    };
    one(lowering.define(&name, &x.sizes, &expression)?)
}

/// Passes on a value that an operator leaves as it is.
pub(super) fn same(lowering: &mut Lowering, node: &Node) -> Outputs {
    let held = lowering.argument(node, 0)?.ok_or("argument 0 is missing")?;
    match node.operator.name.as_str() {
        "Cast" => return cast(lowering, node, held),
        "Dropout"
            if lowering
                .integers(node, 2)?
                .is_some_and(|training| training != [0]) =>
        {
            return Err("it trains, and only inference has lines".into());
        }
        _ => {}
    }
    let rest = "the mask of a dropout has no lines";
    let rest = node
        .outputs
        .iter()
        .skip(1)
        .map(|_| Held::Nothing(Some(rest.into())));
    Ok(std::iter::once(held).chain(rest).collect())
}

fn cast(lowering: &mut Lowering, node: &Node, held: Held) -> Outputs {
    let Some(to) = node.attribute("to").and_then(crate::fold::element_type) else {
        return Err("the type to cast to is not known".into());
    };
    match to {
        ElementType::Float32 => Ok(vec![held]),
        ElementType::Bool => {
            let x = lowering.operand(node, 0)?;
            let name = wanted(lowering, node);
            one(lowering.define(&name, &x.sizes, &format!("{} != 0", x.name))?)
        }
        other => Err(format!("a cast to {other} of values that only a run knows").into()),
    }
}

/// Gives the form of an operator with two operands.
fn of_two(name: &str) -> Option<fn(&str, &str) -> String> {
    Some(match name {
        "Add" | "Sum" => |a, b| format!("{a} + {b}"),
        "Sub" => |a, b| format!("{a} - {b}"),
        "Mul" | "And" => |a, b| format!("{a} *. {b}"),
        "Div" => |a, b| format!("{a} / {b}"),
        "Pow" => |a, b| format!("{a} ** {b}"),
        "Max" | "Or" => |a, b| format!("max({a}, {b})"),
        "Min" => |a, b| format!("min({a}, {b})"),
        "Equal" => |a, b| format!("{a} == {b}"),
        "Xor" => |a, b| format!("{a} != {b}"),
        "Less" => |a, b| format!("{a} < {b}"),
        "LessOrEqual" => |a, b| format!("{a} <= {b}"),
        "Greater" => |a, b| format!("{a} > {b}"),
        "GreaterOrEqual" => |a, b| format!("{a} >= {b}"),
        _ => return None,
    })
}

/// Combines all operands, the first two first.
fn two(lowering: &mut Lowering, node: &Node, form: fn(&str, &str) -> String) -> Outputs {
    let name = wanted(lowering, node);
    let mut result = lowering.pointwise_operand(node, 0)?;
    for at in 1..node.arguments.len() {
        let next = lowering.pointwise_operand(node, at)?;
        result = Operand::Tensor(lowering.pointwise(&name, result, next, form)?);
    }
    one(lowering.full(&name, result))
}

fn choice(lowering: &mut Lowering, node: &Node) -> Outputs {
    let name = wanted(lowering, node);
    let mut operands = Vec::new();
    for at in 0..3 {
        operands.push(lowering.pointwise_operand(node, at)?);
    }
    let ones = |operand: &Operand| match operand {
        Operand::Tensor(tensor) => tensor.sizes.clone(),
        Operand::Number(_, rank) => vec![1; *rank],
    };
    let sizes: Vec<Vec<u64>> = operands.iter().map(ones).collect();
    let sizes = stretched(&sizes.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
    let mut written = Vec::new();
    for (at, operand) in operands.into_iter().enumerate() {
        written.push(match operand {
            // A chooser that is a number would leave the result without axes of its own.
            Operand::Number(value, _) if at != 0 => number(value),
            operand => {
                let tensor = lowering.full(&name, operand);
                lowering.stretch(&name, tensor, &sizes)?.name
            }
        });
    }
    one(lowering.define(&name, &sizes, &format!("where({})", written.join(", ")))?)
}

fn clip(lowering: &mut Lowering, node: &Node, x: &Tensor) -> Result<String, Why> {
    let (low, high) = match node.attribute("min").is_some() || node.attribute("max").is_some() {
        true => (
            Some(real(node, "min", f64::from(f32::MIN))),
            Some(real(node, "max", f64::from(f32::MAX))),
        ),
        false => (lowering.number(node, 1)?, lowering.number(node, 2)?),
    };
    let mut expression = x.name.clone();
    if let Some(low) = low {
        expression = format!("max({expression}, {})", number(low));
    }
    if let Some(high) = high {
        expression = format!("min({expression}, {})", number(high));
    }
    Ok(expression)
}

fn slope(lowering: &mut Lowering, node: &Node, x: Tensor) -> Outputs {
    let name = wanted(lowering, node);
    let slope = lowering.pointwise_operand(node, 1)?;
    let below = lowering.define(&name, &x.sizes, &format!("min({}, 0)", x.name))?;
    let below = lowering.pointwise(&name, Operand::Tensor(below), slope, |a, b| {
        format!("{a} *. {b}")
    })?;
    if below.sizes != x.sizes {
        return Err("the slope has axes that the tensor lacks".into());
    }
    one(lowering.define(
        &name,
        &x.sizes,
        &format!("max({}, 0) + {}", x.name, below.name),
    )?)
}

/// Gives the expression of an operator with one operand.
fn of_one(node: &Node, x: &str) -> Option<String> {
    let alpha = |default| number(real(node, "alpha", default));
    Some(match node.operator.name.as_str() {
        "Relu" => format!("relu({x})"),
        "Sigmoid" => format!("sigmoid({x})"),
        "Tanh" => format!("tanh({x})"),
        "Exp" => format!("exp({x})"),
        "Log" => format!("log({x})"),
        "Sqrt" => format!("sqrt({x})"),
        "Neg" => format!("neg({x})"),
        "Abs" => format!("abs({x})"),
        "Floor" => format!("floor({x})"),
        "Ceil" => format!("neg(floor(neg({x})))"),
        "Round" => format!("round({x})"),
        "Sin" => format!("sin({x})"),
        "Cos" => format!("cos({x})"),
        "Erf" => format!("erf({x})"),
        "Reciprocal" => format!("recip({x})"),
        "Sign" => format!("({x} > 0) - ({x} < 0)"),
        "Not" => format!("{x} == 0"),
        "HardSigmoid" => {
            let beta = number(real(node, "beta", 0.5));
            format!("max(0, min(1, {} *. {x} + {beta}))", alpha(0.2))
        }
        "HardSwish" => format!("{x} *. max(0, min(1, {x} / 6 + 0.5))"),
        "LeakyRelu" => format!("max({x}, 0) + {} *. min({x}, 0)", alpha(0.01)),
        "Elu" => format!("max({x}, 0) + {} *. expm1(min({x}, 0))", alpha(1.0)),
        "Celu" => {
            let alpha = alpha(1.0);
            format!("max({x}, 0) + {alpha} *. expm1(min({x}, 0) / {alpha})")
        }
        "Selu" => {
            let alpha = alpha(1.673_263_192_176_818_8);
            let gamma = number(real(node, "gamma", 1.050_701_022_148_132_3));
            format!("{gamma} *. (max({x}, 0) + {alpha} *. expm1(min({x}, 0)))")
        }
        "Softplus" => format!("max({x}, 0) + log1p(exp(neg(abs({x}))))"),
        "Softsign" => format!("{x} / (1 + abs({x}))"),
        "Mish" => format!("{x} *. tanh(max({x}, 0) + log1p(exp(neg(abs({x})))))"),
        "Swish" => format!("{x} *. sigmoid({} *. {x})", alpha(1.0)),
        "Gelu" if text(node, "approximate", "none") == "tanh" => {
            format!(
                "0.5 *. {x} *. (1 + tanh(0.7978845608028654 *. ({x} + 0.044715 *. {x} *. {x} *. {x})))"
            )
        }
        "Gelu" => format!("0.5 *. {x} *. (1 + erf({x} / 1.4142135623730951))"),
        "IsNaN" => format!("{x} != {x}"),
        "ThresholdedRelu" => format!("where({x} > {}, {x}, 0)", alpha(1.0)),
        _ => return None,
    })
}
