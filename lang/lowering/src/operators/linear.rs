//! Products of matrices.

use lozenge_graph_vocabulary::Node;

use super::{Outputs, one, wanted};
use crate::attributes::{integer, real};
use crate::axes::{joined, label, reading, stretched};
use crate::held::Tensor;
use crate::lowering::{Lowering, Operand, number};

/// Adds the product of two tensors whose last two axes are those of matrices.
pub(super) fn matmul(lowering: &mut Lowering, node: &Node) -> Outputs {
    let (a, b) = (lowering.operand(node, 0)?, lowering.operand(node, 1)?);
    if a.sizes.is_empty() || b.sizes.is_empty() {
        return Err("a factor has no axes".into());
    }
    let batch = |tensor: &Tensor| tensor.sizes[..tensor.sizes.len().saturating_sub(2)].to_vec();
    let (of_a, of_b) = (batch(&a), batch(&b));
    let mut sizes = stretched(&[&of_a, &of_b])?;
    let mut to: Vec<String> = (0..sizes.len()).map(label).collect();
    let part = |own: &[u64], last: &[&str]| {
        let read = reading(own, &sizes);
        let all = (!read.is_empty()).then_some(read).into_iter();
        joined(
            &all.chain(last.iter().map(ToString::to_string))
                .collect::<Vec<_>>(),
        )
    };
    // A factor with one axis is a row on the left and a column on the right, and its axis is contracted.
    let from_a = part(
        &of_a,
        if a.sizes.len() == 1 {
            &["k"]
        } else {
            &["i", "k"]
        },
    );
    let from_b = part(
        &of_b,
        if b.sizes.len() == 1 {
            &["k"]
        } else {
            &["k", "j"]
        },
    );
    if a.sizes.len() > 1 {
        to.push("i".into());
        sizes.push(a.sizes[a.sizes.len() - 2]);
    }
    if b.sizes.len() > 1 {
        to.push("j".into());
        sizes.push(b.sizes[b.sizes.len() - 1]);
    }
    let inner = (
        a.sizes[a.sizes.len() - 1],
        b.sizes[b.sizes.len().saturating_sub(2)],
    );
    if inner.0 != inner.1 {
        return Err(format!(
            "the left factor has {} columns and the right one {} rows",
            inner.0, inner.1
        )
        .into());
    }
    let name = wanted(lowering, node);
    let product = format!(
        "sum({} *. {}, \"{from_a}; {from_b} => {}\")",
        a.name,
        b.name,
        joined(&to)
    );
    one(lowering.define(&name, &sizes, &product)?)
}

/// Adds a product of matrices with factors and a third operand.
pub(super) fn gemm(lowering: &mut Lowering, node: &Node) -> Outputs {
    let (a, b) = (lowering.operand(node, 0)?, lowering.operand(node, 1)?);
    let ([_, _], [_, _]) = (&a.sizes[..], &b.sizes[..]) else {
        return Err("a factor is no matrix".into());
    };
    let turned = |name| integer(node, name, 0) != 0;
    let (rows, inner, from_a) = match turned("transA") {
        false => (a.sizes[0], a.sizes[1], "i, k"),
        true => (a.sizes[1], a.sizes[0], "k, i"),
    };
    let (other, columns, from_b) = match turned("transB") {
        false => (b.sizes[0], b.sizes[1], "k, j"),
        true => (b.sizes[1], b.sizes[0], "j, k"),
    };
    if inner != other {
        return Err(
            format!("the left factor has {inner} columns and the right one {other} rows").into(),
        );
    }
    let name = wanted(lowering, node);
    let sizes = [rows, columns];
    let mut product = format!(
        "sum({} *. {}, \"{from_a}; {from_b} => i, j\")",
        a.name, b.name
    );
    let (alpha, beta) = (real(node, "alpha", 1.0), real(node, "beta", 1.0));
    if alpha != 1.0 {
        product = format!("{} *. {product}", number(alpha));
    }
    let product = lowering.define(&name, &sizes, &product)?;
    let Some(mut third) = lowering.operand_or_none(node, 2)? else {
        return one(product);
    };
    if beta != 1.0 {
        let scaled = format!("{} *. {}", number(beta), third.name);
        third = lowering.define(&name, &third.sizes.clone(), &scaled)?;
    }
    if stretched(&[&sizes, &third.sizes])? != sizes {
        return Err("the third operand has axes that the product lacks".into());
    }
    let (product, third) = (Operand::Tensor(product), Operand::Tensor(third));
    one(lowering.pointwise(&name, product, third, |a, b| format!("{a} + {b}"))?)
}
