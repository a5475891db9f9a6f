//! Dimensions that are known only when a program has run so far, under a name of their own in the types that have them.

use lozenge_axon_vocabulary::{DimNode, Equation, Variable};
use rustc_hash::FxHashSet;

use super::Stated;
use super::nodes::Inference;
use super::types::{Level, Renaming, Type, TypeId};

/// Puts such a dimension in the place of a name that is equal to it and stands in no input.
///
/// Inference replaces the later one of two names, which may be that of the dimension.
pub(super) fn named(
    inference: &mut Inference<'_>,
    found: TypeId,
    left: Vec<Stated>,
    above: Level,
) -> (TypeId, Vec<Stated>) {
    let types = &mut inference.types;
    if !left.iter().any(|stated| types.is_late(&stated.equation)) {
        return (found, left);
    }
    let mut taken: FxHashSet<Variable> = FxHashSet::default();
    if let Type::Function(parameters, _) = types.get(found) {
        for parameter in parameters.clone() {
            for word in types.words(parameter) {
                taken.extend(word.variables(&types.pool));
            }
        }
    }
    let mut renaming = Renaming::default();
    for stated in &left {
        let Equation::Dims(one, other) = stated.equation else {
            continue;
        };
        let (DimNode::Var(late), DimNode::Var(name)) =
            (types.pool.node(one), types.pool.node(other))
        else {
            continue;
        };
        let is_free = types.is_runtime(late)
            && !types.is_runtime(name)
            && types.dim_level(name) > above
            && taken.insert(Variable::Dim(name));
        if is_free {
            renaming.dims.insert(name, one);
        }
    }
    let found = types.copied(found, &mut renaming);
    let mut kept = Vec::with_capacity(left.len());
    for stated in left {
        let equation = types.copied_equation(&stated.equation, &mut renaming);
        // Equal sides say that a term is at least 1, which a name is.
        let is_name = |dim| matches!(types.pool.node(dim), DimNode::Var(_));
        let says_nothing =
            matches!(equation, Equation::Dims(one, other) if one == other && is_name(one));
        if !says_nothing {
            kept.push(Stated {
                equation,
                origin: stated.origin,
            });
        }
    }
    (found, kept)
}
