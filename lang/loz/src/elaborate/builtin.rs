//! The functions of the language that are not scalar functions of their operands, and scalar functions as values.

use std::rc::Rc;
use std::sync::Arc;

use lozenge_vocabulary::operation::{Accumulator, Combine, Function as Scalar, Shape, TensorId};
use lozenge_vocabulary::program::{Late, Request, Source, Span, Values, Wish};
use lozenge_vocabulary::{DimTerm, RowTerm, RowVar, Tag};

use super::Elaboration;
use super::call::Given;
use super::operation::{ERASE, Want};
use super::plan::Plan;
use super::requirement;
use super::scope::{Builtin, Elements, Text, Value};
use super::shape::variable;
use crate::diagnostic::{Diagnostic, Edit, Help, Parsed, brief};
use crate::syntax::Logic;
use crate::syntax::operator::Primitive;

impl<'a> Elaboration<'a, '_> {
    pub(super) fn call_builtin(
        &mut self,
        builtin: Builtin,
        given: Vec<Given<'_, 'a>>,
        span: &Span,
        want: Want,
    ) -> Parsed<Value<'a>> {
        if let Some((Some(name), ..)) = given.iter().find(|(name, ..)| name.is_some()) {
            return Err(Diagnostic::new(
                name.span.clone(),
                format!(
                    "`{}` has no argument `{}`",
                    builtin.word(),
                    brief(name.text)
                ),
                "no argument has a name here",
            )
            .help(match builtin {
                Builtin::Named("concat") => {
                    "a spec says which axes are joined: `concat(x, y, \"a|->c; b|->c => a^b|->c\")`"
                }
                _ => "leave the name out",
            }));
        }
        let given: Vec<(Value<'a>, Span)> = given
            .into_iter()
            .map(|(_, value, place)| (value, place))
            .collect();
        let word = builtin.word();
        match builtin {
            Builtin::Primitive(_, primitive) => self.primitive(primitive, &given, span, want),
            Builtin::Named("count") => self.count(&given, span),
            Builtin::Named("fan_in") => self.fan_in(&given, span),
            Builtin::Named("range") if given.is_empty() => Ok(self.counted_cells(span)),
            Builtin::Named("range") => self.range(&given, span),
            Builtin::Named("class_numbers") => self.class_numbers(&given, span),
            Builtin::Named("uniform" | "normal") => self.random(word, &given, span),
            Builtin::Named("concat") => self.concat(&given, span, want),
            Builtin::Named("stack") => self.stack(&given, span, want),
            Builtin::Named("append") => match given.as_slice() {
                [(Value::List(list), _), (value, _)] => {
                    let mut longer = list.0.clone();
                    longer.push(value.clone());
                    Ok(Value::List(Rc::new(Elements(longer))))
                }
                _ => Err(wrong_arguments(
                    word,
                    "a list and an element",
                    "append(xs, y)",
                    span,
                )),
            },
            Builtin::Named("params") => self.params(&given, span),
            Builtin::Named("beside") => self.beside(&given, span),
            Builtin::Named(_) => self.reduced(word, &given, span, want),
        }
    }

    /// Makes a spec with one more operand, which has the shape of the result: a second look at the reduced values needs
    /// it.
    fn beside(&mut self, given: &[(Value<'a>, Span)], span: &Span) -> Parsed<Value<'a>> {
        match given {
            [(Value::Text(text), place)] => {
                let longer = Text {
                    beside: text.beside + 1,
                    ..text.clone()
                };
                match self.spec_in(&longer, place)? {
                    Logic::Einsum(_) => Ok(Value::Text(longer)),
                    Logic::Pointwise | Logic::Compose(_) | Logic::Transpose(_) => {
                        Err(wrong_arguments(
                            "beside",
                            "a spec with a result",
                            "beside(\"n|->c => n|\")",
                            span,
                        ))
                    }
                }
            }
            [(Value::Broken, _)] => Ok(Value::Broken),
            _ => Err(wrong_arguments(
                "beside",
                "a spec",
                "beside(\"n|->c => n|\")",
                span,
            )),
        }
    }

    /// Records the call of a scalar function that is a value, such as an argument of a function.
    fn primitive(
        &mut self,
        primitive: Primitive,
        given: &[(Value<'a>, Span)],
        span: &Span,
        want: Want,
    ) -> Parsed<Value<'a>> {
        if given.len() != primitive.arity() {
            let error = wrong_arity(primitive, given.len(), span.clone());
            return Err(match given {
                [.., (_, last), (Value::Text(_), _)] if given.len() == primitive.arity() + 1 => {
                    spec_around(error, primitive, last, span)
                }
                _ => error,
            });
        }
        let numbers: Option<Vec<f64>> = given
            .iter()
            .map(|(value, _)| self.static_number(value))
            .collect();
        if let Some(number) =
            numbers.and_then(|numbers| super::operation::fold(primitive, &numbers))
        {
            return Ok(Value::Number(number));
        }
        let mut operands = Vec::with_capacity(given.len());
        for (value, place) in given {
            match self.tensor_of(value, place) {
                Some(id) => operands.push((id, place.clone())),
                None => return Ok(Value::Broken),
            }
        }
        let plan = Plan {
            alternatives: false,
            primitive,
            operands,
            logic: None,
            accumulator: None,
            span: span.clone(),
        };
        Ok(self
            .operation(want, plan)
            .map_or(Value::Broken, Value::Tensor))
    }

    fn fan_in(&mut self, given: &[(Value<'a>, Span)], span: &Span) -> Parsed<Value<'a>> {
        match given {
            [(value, place)] => Ok(match self.tensor_of(value, place) {
                Some(id) => {
                    let row = self.program[id].shape.input.clone();
                    Value::Late(Rc::new(vec![row]))
                }
                None => Value::Broken,
            }),
            _ => Err(wrong_arguments("fan_in", "a tensor", "fan_in(w)", span)),
        }
    }

    /// Makes the tensor 0, 1, 2 … with one output axis.
    fn range(&mut self, given: &[(Value<'a>, Span)], span: &Span) -> Parsed<Value<'a>> {
        const MOST: f64 = (1 << 24) as f64;
        let [(value, place)] = given else {
            return Err(wrong_arguments("range", "a size", "range(10)", span));
        };
        let dim = match (value, self.static_number(value)) {
            (Value::Size(dim), _) => dim.clone(),
            (_, Some(number)) if (1.0..=MOST).contains(&number) && number.fract() == 0.0 => {
                match super::sizes::whole(number) {
                    Some(dim) => dim,
                    None => return Ok(Value::Broken),
                }
            }
            (_, Some(number)) => {
                return Err(Diagnostic::new(
                    place.clone(),
                    format!("there is no range of {number} values"),
                    "the bound",
                )
                .help(format!("a bound is a whole number from 1 to {MOST}")));
            }
            (Value::Broken, None) => return Ok(Value::Broken),
            (value, None) => return Err(self.not_early(value, place, "the bound of a range")),
        };
        let source = Source::Data(Values::Range(dim.size() as u32));
        let shape = Shape {
            output: RowTerm::closed(Vec::new(), vec![DimTerm::Const(dim)]),
            ..Shape::default()
        };
        let name = self.part_name();
        Ok(Value::Tensor(self.tensor(
            name,
            span,
            source,
            shape,
            Tag::Leaf,
        )))
    }

    /// Makes the numbers of the cells, 0, 1, 2 …, of as many outputs as the context determines.
    fn counted_cells(&mut self, span: &Span) -> Value<'a> {
        let name = self.part_name();
        let row = RowVar::new(&format!("{}_output", variable(&name)));
        let shape = Shape {
            output: row.into(),
            ..Shape::default()
        };
        let id = self.tensor(name, span, Source::Intermediate, shape, Tag::Leaf);
        let late = Some(Late::Cells);
        self.filled(id, Scalar::Constant(0.0), late, Vec::new(), span);
        Value::Tensor(id)
    }

    /// Marks a tensor that has to hold numbers of classes: the run looks at its values.
    fn class_numbers(&mut self, given: &[(Value<'a>, Span)], span: &Span) -> Parsed<Value<'a>> {
        let [(value, place), (classes, at)] = given else {
            let takes = "a tensor and the number of classes";
            return Err(wrong_arguments(
                "class_numbers",
                takes,
                "class_numbers(t, 10)",
                span,
            ));
        };
        let count = self.static_number(classes).and_then(super::sizes::whole);
        let count = match (classes, count) {
            (Value::Broken, _) => return Ok(Value::Broken),
            (_, Some(count)) => count.size(),
            (classes, None) => match self.static_number(classes) {
                Some(number) => {
                    let message = format!("there are no {number} classes");
                    let error = Diagnostic::new(at.clone(), message, "the number of classes");
                    return Err(error.help("it is a whole number of at least 1"));
                }
                None => return Err(self.not_early(classes, at, "the number of classes")),
            },
        };
        let Some(tensor) = self.tensor_of(value, place) else {
            return Ok(Value::Broken);
        };
        self.program.requests.push(Request {
            after: self.program.steps.len(),
            tensor,
            span: self.place(span),
            what: Wish::Classes(count),
        });
        Ok(Value::Tensor(tensor))
    }

    /// Makes random values of a shape that the context determines. They depend only on the key and the cell.
    fn random(
        &mut self,
        word: &str,
        given: &[(Value<'a>, Span)],
        span: &Span,
    ) -> Parsed<Value<'a>> {
        let name = self.part_name();
        let key = match given {
            [] => match &mut self.tensors.first_values_of {
                // Initial values must not depend on where an instance is called first.
                Some((parameter, drawn)) => {
                    *drawn += 1;
                    key_of(&format!("{parameter}'{drawn}"))
                }
                None => key_of(&name),
            },
            [(value, place)] => match self.static_number(value) {
                Some(number) => number.to_bits(),
                None => return Err(self.not_early(value, place, "a key")),
            },
            _ => return Err(wrong_arguments(word, "at most a key", "normal(7)", span)),
        };
        let id = self.unknown(name.into(), span, Source::Intermediate, Tag::Leaf);
        let late = Late::Random {
            normal: word == "normal",
            key,
        };
        self.filled(id, Scalar::Constant(0.0), Some(late), Vec::new(), span);
        Ok(Value::Tensor(id))
    }

    /// Stacks the tensors of a list into one, along a new last batch axis.
    fn stack(&mut self, given: &[(Value<'a>, Span)], span: &Span, want: Want) -> Parsed<Value<'a>> {
        let [(Value::List(list), place)] = given else {
            return Err(wrong_arguments(
                "stack",
                "a list of tensors",
                "stack([a, b])",
                span,
            ));
        };
        let mut tensors = Vec::with_capacity(list.len());
        for value in list.iter() {
            let value = self.in_section(value.clone(), place);
            match self.tensor_of(&value, place) {
                Some(id) => tensors.push(id),
                None => return Ok(Value::Broken),
            }
        }
        let size = tensors.len() as u64;
        let mut whole: Option<TensorId> = None;
        for (position, id) in tensors.into_iter().enumerate() {
            let accumulator = Accumulator {
                erase: whole.is_none(),
                combine: Combine::Add,
            };
            let want = match whole {
                None => want.clone(),
                Some(whole) => Want::Into(whole, self.place(span)),
            };
            let required = |step| requirement::stacked(position as u64, size, step);
            whole = Some(self.special(want, (id, place.clone()), accumulator, required, span));
        }
        whole.map(Value::Tensor).ok_or_else(|| {
            Diagnostic::new(
                place.clone(),
                "an empty list makes no tensor",
                "no elements",
            )
            .help("a tensor has at least one position on each axis")
        })
    }

    /// Concatenates tensors along an axis that a spec names, or along their last output axis.
    fn concat(
        &mut self,
        given: &[(Value<'a>, Span)],
        span: &Span,
        want: Want,
    ) -> Parsed<Value<'a>> {
        let (tensors, spec) = match given {
            [tensors @ .., (Value::Text(text), place)] => (tensors, Some((text, place))),
            tensors => (tensors, None),
        };
        let tensors: Vec<(Value<'a>, Span)> = match tensors {
            [(Value::List(list), place)] => {
                let all = list.iter().map(|value| (value.clone(), place.clone()));
                all.collect()
            }
            tensors => tensors.to_vec(),
        };
        if tensors.is_empty() {
            return Err(wrong_arguments("concat", "tensors", "concat(x, y)", span));
        }
        let mut operands = Vec::with_capacity(tensors.len());
        for (value, place) in &tensors {
            let value = self.in_section(value.clone(), place);
            match self.tensor_of(&value, place) {
                Some(id) => operands.push((id, place.clone())),
                None => return Ok(Value::Broken),
            }
        }
        let logic = match spec {
            Some((text, place)) => self.spec_in(text, place)?,
            None => {
                let mut logic =
                    crate::parse::einsum::logic(&along_last_axis(operands.len()), span.clone())?;
                // This spec does not occur in a text.
                if let Logic::Einsum(spec) = &mut logic
                    && let Some(spec) = Rc::get_mut(spec)
                {
                    spec.used_at = Some(span.clone());
                }
                logic
            }
        };
        let Logic::Einsum(_) = logic else {
            return Err(wrong_arguments(
                "concat",
                "tensors and a spec",
                "concat(x, y, \"n|->a; n|->b => n|->a^b\")",
                span,
            ));
        };
        let plan = Plan {
            alternatives: true,
            primitive: Primitive::Function(&Scalar::Identity),
            operands,
            logic: Some(logic),
            accumulator: Some(ERASE),
            span: span.clone(),
        };
        Ok(self
            .operation(want, plan)
            .map_or(Value::Broken, Value::Tensor))
    }

    /// Finds the parameters on which a tensor depends, or those of an instance, by name.
    fn params(&mut self, given: &[(Value<'a>, Span)], span: &Span) -> Parsed<Value<'a>> {
        let mut found: Vec<TensorId> = match given {
            [(Value::Instance(instance), place)] => {
                if !instance.is_called.get() {
                    let message = "this function has no parameters yet";
                    let error = Diagnostic::new(place.clone(), message, "not called above");
                    return Err(error.help("the first call of a function makes its parameters"));
                }
                let prefix = format!("{}.", instance.path.get());
                let params = self.params_from(&prefix);
                let own = params.take_while(|((name, _), _)| name.starts_with(&prefix));
                own.map(|(_, id)| *id).collect()
            }
            [(Value::Broken, _)] => return Ok(Value::Broken),
            [(value @ Value::Tensor(_), place)] => {
                let Some(of) = self.tensor_of(value, place) else {
                    return Ok(Value::Broken);
                };
                let Some(dependence) = self.dependence(of, span) else {
                    return Ok(Value::Broken);
                };
                dependence.tensors.into_iter().collect()
            }
            _ => {
                return Err(wrong_arguments(
                    "params",
                    "a tensor or a function with its parameters",
                    "params(loss)",
                    span,
                ));
            }
        };
        found
            .retain(|id| matches!(&self.program[*id].source, Source::Param(param) if !param.state));
        if let ([(Value::Tensor(_), place)], []) = (given, &found[..]) {
            let message = "this depends on no parameter";
            let error = Diagnostic::new(place.clone(), message, "no parameters");
            return Err(error.help("a parameter is `param w`; `state` is none"));
        }
        found.sort_by(|a, b| (&self.program[*a].name, a).cmp(&(&self.program[*b].name, b)));
        let found = found.into_iter().map(Value::Tensor).collect();
        Ok(Value::List(Rc::new(Elements(found))))
    }

    /// Lists the parameters in the order of their names, from the first that is not before `name`.
    pub(super) fn params_from(
        &self,
        name: &str,
    ) -> impl Iterator<Item = (&(Arc<str>, usize), &TensorId)> {
        self.tensors.params.range((Arc::from(name), 0)..)
    }

    /// Records the operation that copies a tensor.
    pub(super) fn copy(&mut self, of: TensorId, span: &Span, want: Want) -> Option<TensorId> {
        let plan = Plan {
            alternatives: false,
            primitive: Primitive::Function(&Scalar::Identity),
            operands: vec![(of, span.clone())],
            logic: None,
            accumulator: Some(ERASE),
            span: span.clone(),
        };
        self.operation(want, plan)
    }
}

/// Makes the spec of a `concat` that has none: it concatenates the last output axes.
fn along_last_axis(operands: usize) -> String {
    let label = |at: usize| format!("part{at}");
    let shape = |last: &str| format!("...|... -> ..., {last}");
    let shapes: Vec<String> = (1..=operands).map(|at| shape(&label(at))).collect();
    let labels: Vec<String> = (1..=operands).map(label).collect();
    format!("{} => {}", shapes.join("; "), shape(&labels.join("^")))
}

/// Hashes a name to its key by FNV-1a.
pub(super) fn key_of(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |key, byte| {
        (key ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

pub(super) fn wrong_arguments(word: &str, takes: &str, example: &str, span: &Span) -> Diagnostic {
    Diagnostic::new(
        span.clone(),
        format!("`{word}` takes {takes}"),
        "something else is given",
    )
    .help(format!("write `{example}`"))
}

/// Returns the error with the change for a function of each cell to which a spec is given: the spec belongs to a `map`
/// around it.
fn spec_around(
    mut error: Diagnostic,
    primitive: Primitive,
    last: &Span,
    span: &Span,
) -> Diagnostic {
    let word = primitive.word();
    let insertion = |at: usize, text: &str| Edit {
        span: at..at,
        text: text.into(),
    };
    error.help = Some(Help {
        text: format!(
            "`{word}` is of each cell; a spec stands in a `map` around it, with a shape for each operand, empty for a number: `map({word}(…), \"…\")`"
        ),
        edits: vec![insertion(span.start, "map("), insertion(last.end, ")")],
    });
    error
}

fn wrong_arity(primitive: Primitive, given: usize, span: Span) -> Diagnostic {
    let (word, arity) = (primitive.word(), primitive.arity());
    let plural = |n: usize| if n == 1 { "operand" } else { "operands" };
    let form = ["a", "a, b", "c, a, b"][arity - 1];
    Diagnostic::new(
        span,
        format!("`{word}` has {arity} {}", plural(arity)),
        format!("{given} {} given", plural(given)),
    )
    .help(format!("write `{word}({form})`"))
}
