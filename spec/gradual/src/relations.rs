//! The relations of Fig. 2 and the bounds of Appendix B, a function for each.

use lozenge_gradual_vocabulary::{Declaration, Dimension, Program, Type};

/// `d ~ σ`: the dimensions are equal as far as both are known. The rules are c-refl-d, d-refl-dyn and c-sym-d.
#[must_use]
pub fn consistent_dimensions(left: Dimension, right: Dimension) -> bool {
    left == right || left == Dimension::Dyn || right == Dimension::Dyn
}

/// `t ~ τ`: the types are equal as far as both are known. The rules are c-refl-t, t-refl-dyn, c-sym-t and c-tensor.
#[must_use]
pub fn consistent(left: &Type, right: &Type) -> bool {
    let (Type::Tensor(left), Type::Tensor(right)) = (left, right) else {
        return true;
    };
    let mut pairs = left.iter().zip(right);
    left.len() == right.len() && pairs.all(|(left, right)| consistent_dimensions(*left, *right))
}

/// `d ⊑ d'`: the second is as precise as the first, or more. The rules are c-refl-d and refl-dyn-1.
#[must_use]
pub fn precise_dimensions(less: Dimension, more: Dimension) -> bool {
    less == more || less == Dimension::Dyn
}

/// `τ ⊑ τ'`. The rules are refl-t, refl-dyn-2 and p-tensor.
#[must_use]
pub fn precise(less: &Type, more: &Type) -> bool {
    match (less, more) {
        (Type::Dyn, _) => true,
        (Type::Tensor(_), Type::Dyn) => false,
        (Type::Tensor(less), Type::Tensor(more)) => {
            let mut pairs = less.iter().zip(more);
            less.len() == more.len() && pairs.all(|(less, more)| precise_dimensions(*less, *more))
        }
    }
}

/// `p' ⊑ p` on programs. The rules are p-prog, p-decl and p-refl: annotations alone become more precise, and no target
/// of a reshape does.
#[must_use]
pub fn precise_programs(less: &Program, more: &Program) -> bool {
    let declarations = |(less, more): (&Declaration, &Declaration)| {
        less.name == more.name && precise(&less.annotation, &more.annotation)
    };
    let mut pairs = less.declarations.iter().zip(&more.declarations);
    less.declarations.len() == more.declarations.len()
        && pairs.all(declarations)
        && less.body == more.body
}

/// `t ▷ⁿ TensorType(…)`: a type of rank n matches itself, and `Dyn` matches n times `Dyn`.
#[must_use]
pub fn matching(of: &Type, rank: usize) -> Option<Vec<Dimension>> {
    match of {
        Type::Dyn => Some(vec![Dimension::Dyn; rank]),
        Type::Tensor(dimensions) => (dimensions.len() == rank).then(|| dimensions.clone()),
    }
}

/// `d ⊔ σ`: undefined unless they are consistent, and the known one of them.
#[must_use]
pub fn bound_of_dimensions(left: Dimension, right: Dimension) -> Option<Dimension> {
    match (left, right) {
        (Dimension::Dyn, other) | (other, Dimension::Dyn) => Some(other),
        (left, right) => (left == right).then_some(left),
    }
}

/// `τ ⊔ τ'`: undefined unless they are consistent, and what both know together.
#[must_use]
pub fn bound(left: &Type, right: &Type) -> Option<Type> {
    match (left, right) {
        (Type::Dyn, other) | (other, Type::Dyn) => Some(other.clone()),
        (Type::Tensor(left), Type::Tensor(right)) => {
            if left.len() != right.len() {
                return None;
            }
            let pairs = left.iter().zip(right);
            let bounds = pairs.map(|(left, right)| bound_of_dimensions(*left, *right));
            bounds.collect::<Option<_>>().map(Type::Tensor)
        }
    }
}

/// `τ ⊔* τ'`: as `⊔`, but `Dyn` where one of the two is the type `Dyn`.
#[must_use]
pub fn bound_star(left: &Type, right: &Type) -> Option<Type> {
    match (left, right) {
        (Type::Dyn, _) | (_, Type::Dyn) => Some(Type::Dyn),
        _ => bound(left, right),
    }
}

/// `decl* ⊢ Γ` by s-empty and s-var: the context, if each name is declared once.
#[must_use]
pub fn context(declarations: &[Declaration]) -> Option<Context<'_>> {
    let mut context = Context::new();
    for declaration in declarations {
        if context.contains_key(declaration.name.as_str()) {
            return None;
        }
        context.insert(&declaration.name, &declaration.annotation);
    }
    Some(context)
}

/// A context `Γ`: what is declared about each input.
pub type Context<'p> = std::collections::BTreeMap<&'p str, &'p Type>;
