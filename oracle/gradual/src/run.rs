//! The run reading: a program at one rank of each input, as formulas over the sizes.

mod conditions;
mod operations;

use std::collections::{BTreeMap, BTreeSet};

use lozenge_gradual_vocabulary::{
    Body, Comparison, Dimension, Expression, ExpressionId, Observation, Program, Relation, Type,
};
use z3::ast::{Bool, Int};

use crate::answer::{Answer, Limits, ask};

/// A shape that a value may have, with the formula under which it is computed and has that shape.
type Guarded<T> = (Bool, T);
type Shape = Vec<Int>;

/// Asks for sizes of inputs of these ranks, in the order of the declarations, for which a program runs and that fulfil
/// what it demands of them.
#[must_use]
pub fn runs(program: &Program, ranks: &[usize], limits: Limits) -> Answer {
    let encoded = match Encoded::of(program, ranks, limits) {
        Ok(encoded) => encoded,
        Err(words) => return Answer::Unknown(words),
    };
    let mut formulas = encoded.demands.clone();
    formulas.push(encoded.is_computed(program.body.root()));
    ask(&formulas, &encoded.inputs, limits)
}

/// Asks the same where some operations are not held to what they demand: each gives the shape that it would give. One
/// that gives none is not evaluated, nor is what takes its result.
#[must_use]
pub fn runs_without(
    program: &Program,
    ranks: &[usize],
    skipped: &[ExpressionId],
    limits: Limits,
) -> Answer {
    let skipped = skipped.iter().copied().collect();
    let encoded = match Encoded::without(program, ranks, skipped, limits) {
        Ok(encoded) => encoded,
        Err(words) => return Answer::Unknown(words),
    };
    let mut formulas = encoded.demands.clone();
    // Each operation that is held to its demands has a value where its parts have one.
    for (at, expression) in program
        .body
        .iter()
        .filter(|(at, _)| !encoded.skipped.contains(at))
    {
        let parts = expression.parts();
        let has_shape = |of: &ExpressionId| !encoded.values[of.index()].is_empty();
        if parts.iter().all(has_shape) {
            formulas.push(encoded.is_computed(at));
        }
    }
    ask(&formulas, &encoded.inputs, limits)
}

/// Asks for sizes of inputs of these ranks that come to a conditional and for which its condition has a value. The
/// expressions that are evaluated before it have to run, those after it need not.
#[must_use]
pub fn condition(
    program: &Program,
    ranks: &[usize],
    (at, value): (ExpressionId, bool),
    limits: Limits,
) -> Answer {
    let encoded = match Encoded::of(program, ranks, limits) {
        Ok(encoded) => encoded,
        Err(words) => return Answer::Unknown(words),
    };
    let mut formulas = encoded.demands.clone();
    formulas.extend(encoded.comes_to(&program.body, at));
    formulas.push(encoded.truth_of(at, value));
    ask(&formulas, &encoded.inputs, limits)
}

/// Says whether an expression leaves a size open that Z3 has to find.
fn is_open(expression: &Expression) -> bool {
    let Expression::Reshape { target, .. } = expression else {
        return false;
    };
    let mut dimensions = target.dimensions().into_iter().flatten();
    dimensions.any(|dimension| dimension.size().is_none())
}

/// A program as formulas.
struct Encoded {
    inputs: BTreeMap<String, Shape>,
    /// The annotations and what the program demands of its inputs.
    demands: Vec<Bool>,
    /// The shapes that each expression may have.
    values: Vec<Vec<Guarded<Shape>>>,
    /// For each conditional, when its condition has a value: the formulas for true and for false.
    truths: BTreeMap<ExpressionId, [Bool; 2]>,
    /// For each expression the innermost branch in which it lies.
    branches: Vec<Option<(ExpressionId, bool)>>,
    /// The operations that are not held to what they demand.
    skipped: BTreeSet<ExpressionId>,
}

impl Encoded {
    /// Encodes a program, or says which limit it is beyond.
    fn of(program: &Program, ranks: &[usize], limits: Limits) -> Result<Self, String> {
        Self::without(program, ranks, BTreeSet::new(), limits)
    }

    fn without(
        program: &Program,
        ranks: &[usize],
        skipped: BTreeSet<ExpressionId>,
        limits: Limits,
    ) -> Result<Self, String> {
        let open = program.body.iter().filter(|(_, one)| is_open(one)).count();
        if open > limits.open {
            return Err(format!(
                "more than {} reshapes leave a size open",
                limits.open
            ));
        }
        let mut encoded = Self {
            inputs: BTreeMap::new(),
            demands: Vec::new(),
            values: Vec::new(),
            truths: BTreeMap::new(),
            branches: branches(&program.body),
            skipped,
        };
        for (declaration, rank) in program.declarations.iter().zip(ranks) {
            let sizes = (0..*rank).map(|at| Int::new_const(format!("{}[{at}]", declaration.name)));
            let sizes: Shape = sizes.collect();
            encoded.annotated(&declaration.annotation, &sizes);
            encoded.inputs.insert(declaration.name.clone(), sizes);
        }
        for restriction in &program.restrictions {
            let demand = conditions::restriction(restriction, &encoded.inputs);
            encoded.demands.push(demand);
        }
        for (at, expression) in program.body.iter() {
            let value = encoded.expression(at, expression);
            if value.len() > limits.shapes {
                return Err(format!("a value has more than {} shapes", limits.shapes));
            }
            encoded.values.push(value);
        }
        Ok(encoded)
    }

    /// Demands that the sizes of an input are those of its annotation.
    fn annotated(&mut self, annotation: &Type, sizes: &[Int]) {
        self.demands
            .extend(sizes.iter().map(|size| size.ge(Int::from_u64(0))));
        let Type::Tensor(dimensions) = annotation else {
            return;
        };
        self.demands
            .push(Bool::from_bool(dimensions.len() == sizes.len()));
        for (dimension, size) in dimensions.iter().zip(sizes) {
            if let Dimension::Size(number) = dimension {
                self.demands.push(size.eq(Int::from_u64(*number)));
            }
        }
    }

    fn expression(&mut self, at: ExpressionId, expression: &Expression) -> Vec<Guarded<Shape>> {
        let is_held = !self.skipped.contains(&at);
        let demanded = |succeeds: Bool| match is_held {
            true => succeeds,
            false => Bool::from_bool(true),
        };
        let each = |of: &ExpressionId, operation: &dyn Fn(&Shape) -> Option<Guarded<Shape>>| {
            let shapes = self.values[of.index()].iter();
            let results = shapes.filter_map(|(guard, shape)| {
                let (succeeds, result) = operation(shape)?;
                let is_rounded = matches!(expression, Expression::Reshape { .. });
                let succeeds = match is_rounded {
                    true => succeeds,
                    false => demanded(succeeds),
                };
                Some((Bool::and(&[guard.clone(), succeeds]), result))
            });
            results.collect()
        };
        match expression {
            Expression::Variable(name) => match self.inputs.get(name) {
                Some(sizes) => vec![(Bool::from_bool(true), sizes.clone())],
                None => Vec::new(),
            },
            Expression::Reshape { of, target } if is_held => {
                each(of, &|shape| operations::reshape(at, shape, target))
            }
            Expression::Reshape { of, target } => {
                each(of, &|shape| operations::reshape_rounded(at, shape, target))
            }
            Expression::Conv2d {
                in_channels,
                out_channels,
                kernel,
                of,
            } => each(of, &|shape| {
                operations::conv2d(shape, (*in_channels, *out_channels), kernel)
            }),
            Expression::Add(left, right) => {
                let mut results = Vec::new();
                for (one, left) in &self.values[left.index()] {
                    for (other, right) in &self.values[right.index()] {
                        let (succeeds, sum) = operations::add(left, right);
                        let guard = Bool::and(&[one.clone(), other.clone(), demanded(succeeds)]);
                        results.push((guard, sum));
                    }
                }
                results
            }
            Expression::If {
                condition,
                then,
                otherwise,
            } => {
                let truths = self.comparison(condition);
                let mut results = Vec::new();
                for (truth, branch) in truths.iter().zip([then, otherwise]) {
                    let shapes = self.values[branch.index()].iter();
                    results.extend(shapes.map(|(guard, shape)| {
                        (Bool::and(&[truth.clone(), guard.clone()]), shape.clone())
                    }));
                }
                self.truths.insert(at, truths);
                results
            }
        }
    }

    /// Returns the formulas under which a comparison holds, and under which it is refuted. Where what it observes is
    /// not there, it is neither.
    fn comparison(&self, comparison: &Comparison) -> [Bool; 2] {
        let mut ways: [Vec<Bool>; 2] = Default::default();
        for (one, left) in self.observed(&comparison.left) {
            for (other, right) in self.observed(&comparison.right) {
                let holds = related(comparison.relation, &left, &right);
                let both = [one.clone(), other.clone()];
                for (way, truth) in ways.iter_mut().zip([holds.clone(), holds.not()]) {
                    way.push(Bool::and(&[both[0].clone(), both[1].clone(), truth]));
                }
            }
        }
        ways.map(|ways| Bool::or(&ways))
    }

    fn observed(&self, observation: &Observation) -> Vec<Guarded<Int>> {
        match observation {
            Observation::Number(number) => vec![(Bool::from_bool(true), Int::from_i64(*number))],
            Observation::Rank(of) => {
                let shapes = self.values[of.index()].iter();
                shapes
                    .map(|(guard, shape)| (guard.clone(), Int::from_u64(shape.len() as u64)))
                    .collect()
            }
            Observation::Size { of, axis } => {
                let shapes = self.values[of.index()].iter();
                shapes
                    .filter_map(|(guard, shape)| {
                        Some((guard.clone(), conditions::axis(shape, *axis)?.clone()))
                    })
                    .collect()
            }
        }
    }

    /// Returns the formula under which an expression has a value.
    fn is_computed(&self, at: ExpressionId) -> Bool {
        let guards = self.values[at.index()]
            .iter()
            .map(|(guard, _)| guard.clone());
        Bool::or(&guards.collect::<Vec<_>>())
    }

    fn truth_of(&self, at: ExpressionId, value: bool) -> Bool {
        match self.truths.get(&at) {
            Some([holds, _]) if value => holds.clone(),
            Some([_, refuted]) => refuted.clone(),
            None => Bool::from_bool(false),
        }
    }

    /// Returns the formulas under which all that is evaluated before a conditional has a value, and the conditionals
    /// around it choose the branch in which it lies.
    fn comes_to(&self, body: &Body, at: ExpressionId) -> Vec<Bool> {
        let mut around = vec![None];
        let mut formulas = Vec::new();
        let mut branch = self.branches[at.index()];
        while let Some((outer, value)) = branch {
            around.push(branch);
            formulas.push(self.truth_of(outer, value));
            branch = self.branches[outer.index()];
        }
        // The branches of the conditional itself lie before it in the list and are evaluated after its condition.
        for (place, _) in body.iter().take_while(|(place, _)| *place < at) {
            if around.contains(&self.branches[place.index()]) {
                formulas.push(self.is_computed(place));
            }
        }
        formulas
    }
}

/// Returns the innermost branch in which each expression lies.
fn branches(body: &Body) -> Vec<Option<(ExpressionId, bool)>> {
    let mut branches = vec![None; body.expressions().len()];
    for (at, expression) in body.iter().rev() {
        for part in expression.parts() {
            branches[part.index()] = branches[at.index()];
        }
        if let Expression::If {
            then, otherwise, ..
        } = expression
        {
            branches[then.index()] = Some((at, true));
            branches[otherwise.index()] = Some((at, false));
        }
    }
    branches
}

/// Returns the formula that two numbers are in a relation.
fn related(relation: Relation, left: &Int, right: &Int) -> Bool {
    match relation {
        Relation::Equal => left.eq(right),
        Relation::Differs => left.eq(right).not(),
        Relation::Less => left.lt(right),
        Relation::AtMost => left.le(right),
        Relation::Greater => left.gt(right),
        Relation::AtLeast => left.ge(right),
    }
}
