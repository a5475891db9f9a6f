//! Fig. 3: unification of tensor types, which generates constraints of shapes.

use std::fmt;

use lozenge_axon_vocabulary::{Equation, Word};

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A type variable, `a`.
    Var(u32),
    /// A type of elements, such as `f32`.
    Elements(&'static str),
    /// A tensor `τ s`.
    Tensor(Box<Type>, Word),
}

impl Type {
    /// Tells whether a variable is in `ftv(τ)`.
    fn mentions(&self, variable: u32) -> bool {
        let mut part = self;
        while let Type::Tensor(elements, _) = part {
            part = elements;
        }
        *part == Type::Var(variable)
    }
}

/// ⟨G, S⟩: the types to be unified, and the constraints so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// G.
    pub types: Vec<(Type, Type)>,
    /// S.
    pub shapes: Vec<Equation>,
}

/// The result of a rule of Fig. 3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeOutcome {
    /// The new state.
    State(State),
    /// FAIL.
    Fail,
}

/// A rule of Fig. 3.
#[derive(Clone, Copy)]
pub struct TypeRule {
    /// The name, ours.
    pub name: &'static str,
    /// The printed line.
    pub printed: &'static str,
    /// The rule, at the equation with an index.
    pub apply: fn(&State, usize) -> Option<TypeOutcome>,
}

impl fmt::Debug for TypeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The rules of Fig. 3.
pub const TYPE_RULES: &[TypeRule] = &[
    TypeRule {
        name: "variable_left",
        printed: "⟨G ∪ {τ s = a}, S⟩ ⇒ ⟨G ∪ {a = τ s}, S⟩",
        apply: variable_left,
    },
    TypeRule {
        name: "tensors",
        printed: "⟨G ∪ {τ1 s1 = τ2 s2}, S⟩ ⇒ ⟨G ∪ {τ1 = τ2}, S ∪ {s1 = s2}⟩",
        apply: tensors,
    },
    TypeRule {
        name: "occurs",
        printed: "⟨G ∪ {a = τ s}, S⟩ ⇒ FAIL if a ∈ ftv(τ)",
        apply: occurs,
    },
];

/// Turns `τ s = a` around.
fn variable_left(state: &State, index: usize) -> Option<TypeOutcome> {
    let (tensor @ Type::Tensor(..), variable @ Type::Var(_)) = &state.types[index] else {
        return None;
    };
    let mut new = state.clone();
    new.types[index] = (variable.clone(), tensor.clone());
    Some(TypeOutcome::State(new))
}

/// Equates the elements of two tensors, and their shapes.
fn tensors(state: &State, index: usize) -> Option<TypeOutcome> {
    let (Type::Tensor(one, left), Type::Tensor(other, right)) = &state.types[index] else {
        return None;
    };
    let mut new = state.clone();
    new.types[index] = ((**one).clone(), (**other).clone());
    let constraint = Equation::Shapes(left.clone(), right.clone());
    if !new.shapes.contains(&constraint) {
        new.shapes.push(constraint);
    }
    Some(TypeOutcome::State(new))
}

/// Fails on `a = τ s` if `a` is in `τ`.
fn occurs(state: &State, index: usize) -> Option<TypeOutcome> {
    let (Type::Var(variable), Type::Tensor(elements, _)) = &state.types[index] else {
        return None;
    };
    elements.mentions(*variable).then_some(TypeOutcome::Fail)
}

/// Applies the rules until none matches, and returns the last state, or none after FAIL, with the names of the rules.
/// They make each equation smaller or turn it once, so they end.
pub fn unify(state: State) -> (Option<State>, Vec<&'static str>) {
    let (mut state, mut rules) = (state, Vec::new());
    loop {
        let matching = TYPE_RULES.iter().find_map(|rule| {
            (0..state.types.len()).find_map(|index| Some((rule.name, (rule.apply)(&state, index)?)))
        });
        match matching {
            None => return (Some(state), rules),
            Some((name, TypeOutcome::Fail)) => {
                rules.push(name);
                return (None, rules);
            }
            Some((name, TypeOutcome::State(new))) => {
                rules.push(name);
                state = new;
            }
        }
    }
}
