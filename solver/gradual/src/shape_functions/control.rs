//! Control: branches and loops.

use super::{Call, Stop, formula_of};
use crate::pass::{MAX_TRIPS, Pass};
use crate::term::{Formula, Int, Term};
use crate::value::{Content, Shape, Tensor, Value};
use lozenge_graph_vocabulary::{Argument, BodyId, ElementType};

fn body(call: &Call, name: &str) -> Option<BodyId> {
    match call.node.attribute(name) {
        Some(Argument::Body(body)) => Some(*body),
        _ => None,
    }
}

/// Sets the inputs of a body, and forgets what it computed before.
pub(super) fn enter(pass: &mut Pass, body: BodyId, inputs: Vec<Value>) {
    let graph = pass.graph;
    for node in &graph[body].nodes {
        for output in node.outputs.iter().flatten() {
            pass.values[output.index()] = None;
        }
    }
    for (id, value) in graph[body]
        .inputs
        .iter()
        .zip(inputs.into_iter().chain(std::iter::repeat(Value::Any)))
    {
        pass.values[id.index()] = Some(value);
    }
}

/// Computes `If`: the branch that the condition chooses. A condition that data decide is a letter of the answer: 1
/// takes the first branch, 0 the second.
///
/// Preconditions: those of the branch. A condition on sizes or on integer inputs splits the answer into cases.
pub(super) fn branch(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(then), Some(otherwise)) = (body(call, "then_branch"), body(call, "else_branch"))
    else {
        return call.any();
    };
    either(call, [then, otherwise], Vec::new())
}

/// Computes `torch.cond`: the graph that the condition chooses, on the operands behind the two graphs.
///
/// Preconditions: those of the graph.
pub(super) fn torch_branch(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let node = call.node;
    let (Some(Argument::Body(then)), Some(Argument::Body(otherwise))) =
        (node.arguments.get(1), node.arguments.get(2))
    else {
        return call.any();
    };
    let operands = match call.at(3) {
        Value::List(operands) => operands.to_vec(),
        _ => Vec::new(),
    };
    either(call, [*then, *otherwise], operands)
}

/// Follows one of two bodies on the same inputs.
fn either(call: &mut Call, bodies: [BodyId; 2], inputs: Vec<Value>) -> Result<Vec<Value>, Stop> {
    let condition = call.at(0);
    let known = formula_of(call.pass.terms, &condition);
    call.pass.meet(known);
    let formula = match known {
        Some(formula) => formula,
        None => match data_truth(call) {
            Some(formula) => formula,
            None => return call.any(),
        },
    };
    let [then, otherwise] = bodies;
    let chosen = if call.pass.decide(formula)? {
        then
    } else {
        otherwise
    };
    enter(call.pass, chosen, inputs);
    call.pass.body(chosen, call.level + 1)
}

/// Returns the truth of a condition that data decide. Nothing where there are too many of them.
fn data_truth(call: &mut Call) -> Option<Formula> {
    let condition = call.node.arguments.first().and_then(Argument::as_value);
    let name = match condition {
        Some(id) => call.pass.graph[id].name.clone(),
        None => call.node.name().to_owned(),
    };
    let truth = call.pass.data_number(&name, Some(1))?;
    let own = call.pass.terms.text(truth);
    call.pass.grant(format!(
        "data decide {own}: 1 takes the first branch, 0 the second"
    ));
    Some(call.pass.terms.is(truth, 1))
}

/// Computes `Loop`: the body, as often as a known number says, or else see [`repeat_openly`].
pub(super) fn repeat(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(inner) = body(call, "body") else {
        return call.any();
    };
    let trips = call
        .numbers(0)
        .and_then(|trips| trips.first().copied())
        .filter(|trips| *trips <= MAX_TRIPS);
    let condition = call.at(1);
    let (Some(trips), Some(mut goes)) = (trips, goes_on(call.pass, &condition)) else {
        return repeat_openly(call, inner);
    };
    let mut state: Vec<Value> = call.arguments.get(2..).unwrap_or(&[]).to_vec();
    let outputs = call.pass.graph[inner].outputs.len();
    let Some(scans) = outputs.checked_sub(1 + state.len()) else {
        return call.any();
    };
    let mut gathered: Vec<Vec<Value>> = vec![Vec::new(); scans];
    let mut trip = 0;
    while goes && trip < trips.max(0) {
        let number = call.terms().number(trip);
        let condition = Value::scalar(call.terms().number(1));
        enter(
            call.pass,
            inner,
            [Value::scalar(number), condition]
                .into_iter()
                .chain(state.iter().cloned())
                .collect(),
        );
        let mut results = call.pass.body(inner, call.level + 1)?.into_iter();
        let condition = results.next().unwrap_or(Value::None);
        let Some(next) = goes_on(call.pass, &condition) else {
            return repeat_openly(call, inner);
        };
        goes = next;
        let count = state.len();
        state = results.by_ref().take(count).collect();
        gathered
            .iter_mut()
            .zip(results)
            .for_each(|(list, value)| list.push(value));
        trip += 1;
    }
    let count = call.terms().number(trip);
    for list in &gathered {
        require_alike(call.pass, list)?;
    }
    let scanned = gathered
        .into_iter()
        .map(|list| stacked(list.first(), count, 0))
        .collect::<Vec<_>>();
    Ok(state.into_iter().chain(scanned).collect())
}

/// Demands that the values that the trips of a loop put beside each other have one shape.
fn require_alike(pass: &mut Pass, list: &[Value]) -> Result<(), Stop> {
    let mut shapes = list.iter().filter_map(shape_of);
    let Some(first) = shapes.next() else {
        return Ok(());
    };
    for shape in shapes {
        require_same(
            pass,
            &shape,
            &first,
            "the values of the trips differ in shape",
        )?;
    }
    Ok(())
}

/// Says whether a loop goes on, where that is known. A condition that is left out never ends it.
fn goes_on(pass: &mut Pass, value: &Value) -> Option<bool> {
    match value {
        Value::None => Some(true),
        value => formula_of(pass.terms, value).and_then(|formula| pass.terms.decided(formula)),
    }
}

/// Computes `Loop` where the number of trips is not known: it is a size like others, or a letter where data end the
/// loop.
///
/// Preconditions: those of the body, unless there is no trip. The body is followed once; what it hands on has to keep
/// its shape, or else nothing is known of the outputs.
fn repeat_openly(call: &mut Call, inner: BodyId) -> Result<Vec<Value>, Stop> {
    let mut state: Vec<Value> = call.arguments.get(2..).unwrap_or(&[]).to_vec();
    let outputs = call.pass.graph[inner].outputs.len();
    if outputs < 1 + state.len() {
        return call.any();
    }
    state.iter_mut().for_each(forget);
    let most = call.integers(0).and_then(|trips| trips.first().copied());
    let first = call.at(1);
    let begins = goes_on(call.pass, &first);
    let before = call.pass.demands.len();
    let number = Value::Tensor(Tensor::new(Shape::new([]), Some(ElementType::Int64)));
    let condition = Value::scalar(call.terms().number(1));
    let inputs = [number, condition].into_iter().chain(state.iter().cloned());
    enter(call.pass, inner, inputs.collect());
    let results = call.pass.body(inner, call.level + 1);
    let ends = match &results {
        Ok(results) => {
            let condition = results.first().cloned().unwrap_or(Value::None);
            goes_on(call.pass, &condition)
        }
        Err(_) => Some(true),
    };
    let trips = match (most, begins, ends) {
        (_, Some(false), _) => Some(call.terms().number(0)),
        (Some(most), Some(true), Some(true)) => {
            let zero = call.terms().number(0);
            Some(call.terms().max(most, zero))
        }
        _ => data_trips(call, most),
    };
    let Some(trips) = trips else {
        return call.any();
    };
    let one = call.terms().number(1);
    let none = call.terms().less(trips, one);
    call.pass.weaken(before, none);
    let results = match results {
        Ok(results) => results,
        Err(Stop::Refused(words)) => {
            call.pass.require(none, |_| words)?;
            return Ok(state.into_iter().chain(vec![Value::Any; outputs]).collect());
        }
        Err(stop) => return Err(stop),
    };
    let keeps = |(own, before): (&Value, &Value)| match (own, before) {
        (Value::Tensor(own), Value::Tensor(before)) => own.shape == before.shape,
        (own, before) => own == before || *before == Value::Any,
    };
    if !results[1..=state.len()].iter().zip(&state).all(keeps) {
        return call.any();
    }
    let scanned = results[1 + state.len()..]
        .iter()
        .map(|value| stacked(Some(value), trips, 0));
    let scanned: Vec<Value> = scanned.collect();
    Ok(state.into_iter().chain(scanned).collect())
}

/// Returns the number of trips of a loop that data end.
fn data_trips(call: &mut Call, most: Option<Term>) -> Option<Term> {
    let name = format!("{}.trips", call.node.name());
    let trips = call.pass.data_number(&name, None)?;
    if let Some(most) = most {
        let fits = call.terms().at_most(trips, most);
        call.pass.assume(fits);
    }
    let own = call.pass.terms.text(trips);
    call.pass
        .grant(format!("data decide {own}, the number of trips"));
    Some(trips)
}

/// Forgets the elements of a tensor.
fn forget(value: &mut Value) {
    if let Value::Tensor(tensor) = value {
        tensor.content = Content::Unknown;
    }
}

/// Returns a tensor with one axis more, for what a body gives each time.
fn stacked(each: Option<&Value>, count: Term, place: usize) -> Value {
    match each {
        Some(Value::Tensor(Tensor {
            shape: Some(shape),
            element,
            ..
        })) if shape.block.is_none() && place <= shape.axes.len() => {
            let mut axes = shape.axes.to_vec();
            axes.insert(place, count);
            Value::tensor(Shape::new(axes), *element)
        }
        _ => Value::Any,
    }
}

/// Computes `Scan`: the body along an axis of some inputs; the others are state, whose shape stays.
///
/// Preconditions: the scanned axes are equally long, and the state has the same shape after each trip. Size 0: no trip;
/// the outputs have length 0. Versions: a batch axis before 9 is not followed.
pub(super) fn scan(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(inner) = body(call, "body").filter(|_| call.version() >= 9) else {
        return call.any();
    };
    let scanned = usize::try_from(call.int_or("num_scan_inputs", 0)).unwrap_or(0);
    let Some(states) = call.arguments.len().checked_sub(scanned) else {
        return call.any();
    };
    let axes = call
        .ints("scan_input_axes")
        .unwrap_or_else(|| vec![0; scanned]);
    let mut inputs: Vec<Value> = call.arguments[..states].to_vec();
    let mut length: Option<Term> = None;
    for (at, axis) in (states..call.arguments.len()).zip(axes) {
        let (Some(tensor), Some(shape)) = (call.tensor(at), call.shape(at)) else {
            return call.any();
        };
        let place = super::axis_of(call.pass, axis, super::rank_of(&shape)?)?;
        if let Some(length) = length {
            super::require_equal(
                call.pass,
                length,
                shape.axes[place],
                "the scanned axes differ in length",
            )?;
        }
        length = Some(shape.axes[place]);
        let mut sizes = shape.axes.to_vec();
        sizes.remove(place);
        inputs.push(Value::tensor(Shape::new(sizes), tensor.element));
    }
    let Some(length) = length else {
        return call.any();
    };
    // The state is the same shape after each trip; its elements are not followed.
    inputs.iter_mut().for_each(forget);
    let before: Vec<Option<Shape>> = inputs[..states].iter().map(shape_of).collect();
    enter(call.pass, inner, inputs);
    let results = call.pass.body(inner, call.level + 1)?;
    for (own, given) in results.iter().zip(before.iter().flatten()) {
        if let Some(own) = shape_of(own) {
            require_same(call.pass, &own, given, AFTER)?;
        }
    }
    let keeps_shape = results.len() >= states
        && results[..states]
            .iter()
            .zip(&before)
            .all(|(own, given)| given.is_some() == shape_of(own).is_some());
    let axes = call.ints("scan_output_axes").unwrap_or_default();
    let outputs = results
        .into_iter()
        .enumerate()
        .map(|(at, value)| match at.checked_sub(states) {
            // The sizes are those of the beginning, also where they are written otherwise.
            None if keeps_shape => match value {
                Value::Tensor(tensor) => super::unknown(Tensor {
                    shape: before[at].clone(),
                    ..tensor
                }),
                _ => Value::Any,
            },
            Some(at) if keeps_shape => along(&value, length, axes.get(at).copied().unwrap_or(0)),
            _ => Value::Any,
        });
    Ok(outputs.collect())
}

/// Returns the output of a scan that puts a value of each trip beside the others, along an axis that may be counted
/// from the end.
fn along(value: &Value, length: Term, axis: Int) -> Value {
    let rank = shape_of(value).map_or(0, |shape| shape.axes.len() + 1);
    let axis = match axis < 0 {
        true => axis + Int::try_from(rank).unwrap_or(0),
        false => axis,
    };
    let place = usize::try_from(axis).unwrap_or(usize::MAX);
    stacked(Some(value), length, place)
}

/// The words for a state that changes its shape.
const AFTER: &str = "a state has another shape after a trip than before";

/// Demands that a value has the shape of one before.
pub(super) fn require_same(
    pass: &mut Pass,
    own: &Shape,
    before: &Shape,
    words: &str,
) -> Result<(), Stop> {
    if own == before {
        return Ok(());
    }
    if own.block.is_some() || before.block.is_some() {
        return Err(crate::limit::Limit::Ranks.into());
    }
    if own.axes.len() != before.axes.len() {
        return pass.refuse(format!(
            "{words}: the ranks are {} and {}",
            before.axes.len(),
            own.axes.len()
        ));
    }
    for (own, before) in own.axes.iter().zip(before.axes.iter()) {
        super::require_equal(pass, *before, *own, words)?;
    }
    Ok(())
}

fn shape_of(value: &Value) -> Option<Shape> {
    match value {
        Value::Tensor(tensor) => tensor.shape.clone(),
        _ => None,
    }
}
