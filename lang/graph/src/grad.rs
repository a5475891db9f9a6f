//! The text of a program of the gradual tensor calculus, whose notation `lozenge-gradual-vocabulary` keeps.
//!
//! `add`, `reshape` and what a condition observes are those of PyTorch and get its names. `conv2d` takes tensors of
//! rank 4 alone, which PyTorch's does not, so it is an operator of its own, `grad.conv2d`. A conditional becomes `If`
//! with two bodies. The demands on inputs behind `where` are no part of a graph.

mod rewritten;

use std::collections::{HashMap, HashSet};

use lozenge_gradual_vocabulary::grad;
use lozenge_gradual_vocabulary::{
    Comparison, Dimension, Expression, ExpressionId, Observation, Program, Relation, Type,
};
use lozenge_graph_vocabulary::{
    Argument, BodyId, DeclaredSize, Format, Graph, GraphBuilder, Node, Operator, Source,
    Type as Declared, ValueId,
};

use crate::{Limits, ModelError, Where};

pub(crate) use rewritten::with_decided;

/// Tells whether a content is the text of a program: it has a line that begins with `return`, and no signs that texts
/// lack.
pub(crate) fn is_program(content: &[u8]) -> bool {
    let is_text = |byte: &u8| *byte >= b' ' || byte.is_ascii_whitespace();
    let first = &content[..content.len().min(256)];
    first.iter().all(is_text)
        && content
            .split(|byte| *byte == b'\n')
            .any(|line| line.trim_ascii_start().starts_with(b"return"))
}

/// Reads a program.
pub(crate) fn read(content: &[u8], limits: &Limits) -> Result<Graph, ModelError> {
    let lines = Lines::of(content);
    let (program, places) = grad::read_bytes(content).map_err(|error| {
        let error_here = ModelError::new(error.message).at(lines.at(error.span.start));
        error_here.with_help(error.help)
    })?;
    let spans = places.expressions.iter();
    let starts: Vec<usize> = spans.map(|span| span.start).collect();
    limits.check_nodes(program.body.expressions().len() as u64)?;
    let mut reader = Reader {
        program: &program,
        starts,
        lines,
        limits,
        builder: GraphBuilder::new(Format::Grad),
        names: HashSet::new(),
        numbers: HashMap::new(),
        inputs: HashMap::new(),
        values: Vec::new(),
    };
    reader.inputs()?;
    let bodies = reader.bodies()?;
    for (at, expression) in program.body.iter() {
        let value = reader.expression(at, expression, &bodies)?;
        reader.values.push(value);
    }
    let result = reader.values[program.body.root().index()];
    let mut builder = reader.builder;
    builder.output(BodyId::MAIN, "output", Argument::Value(result));
    Ok(builder.finish())
}

/// A program that is becoming a graph.
struct Reader<'p> {
    program: &'p Program,
    /// The byte at which each expression begins.
    starts: Vec<usize>,
    lines: Lines<'p>,
    limits: &'p Limits,
    builder: GraphBuilder,
    names: HashSet<String>,
    /// For each word, how many nodes have been named after it.
    numbers: HashMap<&'static str, u64>,
    inputs: HashMap<&'p str, ValueId>,
    /// The value of each expression so far.
    values: Vec<ValueId>,
}

/// The bodies of the conditionals: where each expression is computed, and the two branches of each conditional.
struct Bodies {
    of: Vec<BodyId>,
    branches: HashMap<ExpressionId, [BodyId; 2]>,
}

impl Reader<'_> {
    fn inputs(&mut self) -> Result<(), ModelError> {
        for declaration in &self.program.declarations {
            let sizes = match &declaration.annotation {
                Type::Dyn => None,
                Type::Tensor(dimensions) => {
                    self.limits
                        .check_entries(dimensions.len(), "the annotation")
                        .map_err(|error| error.at_value(&declaration.name))?;
                    Some(dimensions.iter().map(declared).collect())
                }
            };
            let declared = Declared::tensor(None, sizes);
            let value = self
                .builder
                .input(BodyId::MAIN, &declaration.name, declared);
            self.inputs.insert(&declaration.name, value);
            self.names.insert(declaration.name.clone());
        }
        Ok(())
    }

    /// Makes the bodies, those around others first.
    fn bodies(&mut self) -> Result<Bodies, ModelError> {
        let body = &self.program.body;
        let mut bodies = Bodies {
            of: vec![BodyId::MAIN; body.expressions().len()],
            branches: HashMap::new(),
        };
        let mut levels = vec![0u32];
        for (at, expression) in body.iter().rev() {
            let inside = bodies.of[at.index()];
            for part in expression.parts() {
                bodies.of[part.index()] = inside;
            }
            let Expression::If {
                then, otherwise, ..
            } = expression
            else {
                continue;
            };
            let level = levels[inside.index()] + 1;
            self.limits
                .check_level(level)
                .map_err(|error| error.at(self.place(at)))?;
            let made = [("then", then), ("else", otherwise)].map(|(name, part)| {
                let made = self.builder.body(name, inside);
                levels.push(level);
                bodies.of[part.index()] = made;
                made
            });
            bodies.branches.insert(at, made);
        }
        Ok(bodies)
    }

    /// Adds the node of an expression and gives its value.
    fn expression(
        &mut self,
        at: ExpressionId,
        expression: &Expression,
        bodies: &Bodies,
    ) -> Result<ValueId, ModelError> {
        let body = bodies.of[at.index()];
        let line = self.lines.line(self.starts[at.index()]);
        let value = |part: &ExpressionId| Argument::Value(self.values[part.index()]);
        let (word, operator, arguments, attributes) = match expression {
            Expression::Variable(name) => return Ok(self.inputs[name.as_str()]),
            Expression::Reshape { of, target } => {
                let operator = Operator::new("fx", "call_method.reshape", None);
                let arguments = vec![
                    value(of),
                    wanted(target).map_err(|error| error.at(self.place(at)))?,
                ];
                ("reshape", operator, arguments, Vec::new())
            }
            Expression::Add(left, right) => {
                let operator = Operator::new("fx", "call_function.operator.add", None);
                ("add", operator, vec![value(left), value(right)], Vec::new())
            }
            Expression::Conv2d {
                in_channels,
                out_channels,
                kernel,
                of,
            } => {
                let operator = Operator::new("grad", "conv2d", None);
                let attributes = convolution(*in_channels, *out_channels, kernel)
                    .map_err(|error| error.at(self.place(at)))?;
                ("conv2d", operator, vec![value(of)], attributes)
            }
            Expression::If {
                condition,
                then,
                otherwise,
            } => {
                let [then_body, else_body] = bodies.branches[&at];
                let (then, otherwise) = (value(then), value(otherwise));
                self.builder.output(then_body, "then", then);
                self.builder.output(else_body, "else", otherwise);
                let condition = self.condition(body, condition, line);
                let operator = Operator::new("onnx", "If", None);
                let attributes = vec![
                    ("then_branch".to_string(), Argument::Body(then_body)),
                    ("else_branch".to_string(), Argument::Body(else_body)),
                ];
                ("if", operator, vec![condition], attributes)
            }
        };
        Ok(self.node(body, word, operator, arguments, attributes, line))
    }

    /// Tells where an expression begins.
    fn place(&self, at: ExpressionId) -> Where {
        self.lines.at(self.starts[at.index()])
    }

    /// Adds the nodes of a condition and notes that a branch hangs on it.
    fn condition(&mut self, body: BodyId, condition: &Comparison, line: u32) -> Argument {
        let left = self.observation(body, &condition.left, line);
        let right = self.observation(body, &condition.right, line);
        let word = match condition.relation {
            Relation::Equal => "eq",
            Relation::Differs => "ne",
            Relation::Less => "lt",
            Relation::AtMost => "le",
            Relation::Greater => "gt",
            Relation::AtLeast => "ge",
        };
        let operator = Operator::new("fx", format!("call_function.operator.{word}"), None);
        let value = self.node(body, word, operator, vec![left, right], Vec::new(), line);
        let found = self.builder.graph()[value].origin;
        if let lozenge_graph_vocabulary::Origin::Node { node, .. } = found {
            self.builder.recorded().branches.push(node);
        }
        Argument::Value(value)
    }

    fn observation(&mut self, body: BodyId, observation: &Observation, line: u32) -> Argument {
        let (word, mut arguments, of) = match observation {
            Observation::Number(number) => return Argument::Int(*number),
            Observation::Rank(of) => ("dim", Vec::new(), of),
            Observation::Size { of, axis } => ("size", vec![Argument::Int(*axis)], of),
        };
        arguments.insert(0, Argument::Value(self.values[of.index()]));
        let operator = Operator::new("fx", format!("call_method.{word}"), None);
        Argument::Value(self.node(body, word, operator, arguments, Vec::new(), line))
    }

    /// Adds a node that is named after a word: `add`, `add_1`, and so on, past the names of the inputs.
    fn node(
        &mut self,
        body: BodyId,
        word: &'static str,
        operator: Operator,
        arguments: Vec<Argument>,
        attributes: Vec<(String, Argument)>,
        line: u32,
    ) -> ValueId {
        let number = self.numbers.entry(word).or_default();
        let name = loop {
            let name = match *number {
                0 => word.to_string(),
                number => format!("{word}_{number}"),
            };
            *number += 1;
            if self.names.insert(name.clone()) {
                break name;
            }
        };
        let mut node = Node::new(&name, operator);
        node.arguments = arguments;
        node.attributes = attributes;
        node.place.source = Some(Source {
            file: "program".to_string(),
            line,
        });
        let (_, values) = self.builder.node(body, node, [Some((name, Declared::Any))]);
        values[0].expect("the one output was given")
    }
}

fn declared(dimension: &Dimension) -> DeclaredSize {
    match dimension {
        Dimension::Dyn => DeclaredSize::Free,
        Dimension::Size(size) => DeclaredSize::Known(*size),
    }
}

/// Gives the target of a reshape as PyTorch takes it: -1 stands for the size that is left.
fn wanted(target: &Type) -> Result<Argument, ModelError> {
    let Type::Tensor(dimensions) = target else {
        let error = ModelError::new("a reshape to `?` says nothing of the wanted shape");
        let help = "write a dimension for each axis, one of which may be `?`: `[2, ?]`";
        return Err(error.with_help(help));
    };
    let sizes = dimensions.iter().map(|dimension| match dimension {
        Dimension::Dyn => Argument::Int(-1),
        Dimension::Size(size) => int(*size),
    });
    Ok(Argument::Tuple(sizes.collect()))
}

fn int(number: u64) -> Argument {
    // The notation reads no larger number.
    Argument::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

fn convolution(
    in_channels: u64,
    out_channels: u64,
    kernel: &[u64],
) -> Result<Vec<(String, Argument)>, ModelError> {
    if kernel.len() != 2 {
        let message = format!(
            "the kernel of conv2d has {} sizes and wants 2",
            kernel.len()
        );
        let error = ModelError::new(message);
        return Err(error.with_help("write such as `conv2d(3, 8, (5, 5), x)`"));
    }
    let kernel = kernel.iter().copied().map(int).collect();
    Ok(vec![
        ("in_channels".to_string(), int(in_channels)),
        ("out_channels".to_string(), int(out_channels)),
        ("kernel_size".to_string(), Argument::Tuple(kernel)),
    ])
}

/// The places where the lines of a text begin.
struct Lines<'c> {
    content: &'c [u8],
    starts: Vec<usize>,
}

impl Lines<'_> {
    fn of(content: &[u8]) -> Lines<'_> {
        let ends = content.iter().enumerate();
        let ends = ends.filter(|(_, byte)| **byte == b'\n');
        let starts = ends.map(|(place, _)| place + 1);
        Lines {
            content,
            starts: std::iter::once(0).chain(starts).collect(),
        }
    }

    fn line(&self, byte: usize) -> u32 {
        let before = self.starts.partition_point(|start| *start <= byte);
        u32::try_from(before).unwrap_or(u32::MAX)
    }

    /// Gives the line and, in characters, the column of a byte.
    fn at(&self, byte: usize) -> Where {
        let line = self.line(byte);
        let start = self.starts[line as usize - 1];
        let before = &self.content[start..byte.min(self.content.len()).max(start)];
        // A byte that goes on with a character is none of its own.
        let column = before.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        Where::Line(line, u32::try_from(column + 1).unwrap_or(u32::MAX))
    }
}
