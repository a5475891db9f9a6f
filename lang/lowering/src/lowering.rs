//! The way through the graph: each node in order, with the lines that it adds to the program.

use std::collections::HashMap;
use std::fmt::Write;

use lozenge_graph_vocabulary::{
    Argument, Constant, ConstantId, Data, ElementType, Format, Graph, Node, Origin, ValueId,
};

use crate::axes::{self, cells, joined, reading, shape, stretched};
use crate::held::{Held, Known, Numbers, Tensor};
use crate::names::{self, Names};
use crate::refusal::Why;
use crate::sizes::{self, Given};
use crate::{Lacking, Refusal, operators};

/// A program that computes what a model computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lowered {
    /// The text of the program.
    pub text: String,
    /// The inputs of the model, in its order: data without values.
    pub inputs: Vec<Input>,
    /// The numbers of the file that the program reads: data without values.
    pub weights: Vec<Weight>,
    /// The outputs of the model, in its order.
    pub outputs: Vec<Output>,
}

/// An input of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The name in the model.
    pub name: String,
    /// The tensor of the program.
    pub tensor: String,
    /// The size of each axis.
    pub sizes: Vec<u64>,
}

/// Numbers of the file that the program reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weight {
    /// The tensor of the program.
    pub tensor: String,
    /// The constant of the graph. Its elements are numbers of 32 bits.
    pub constant: ConstantId,
}

/// An output of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The name in the model.
    pub name: String,
    /// The tensor of the program.
    pub tensor: String,
    /// The size of each axis.
    pub sizes: Vec<u64>,
}

/// The most cells of a tensor: indices in the program have 31 bits.
const MOST_CELLS: u64 = 1 << 31;

/// The most numbers that a line of data lists.
const MOST_LISTED: usize = 64;

/// Writes the program of a graph for given sizes of its inputs.
///
/// # Errors
/// When a size of an input is free and not given, and when nodes have no lines.
pub fn lower(graph: &Graph, given: &Given) -> Result<Lowered, Refusal> {
    let inputs = sizes::of_inputs(graph, given)?;
    let mut lowering = Lowering::new(graph);
    let mut lacking = Vec::new();
    if graph.format != Format::Onnx {
        let why = format!(
            "models of {} become no program so far, only those of ONNX",
            graph.format
        );
        return Err(Refusal::Lacking(vec![of_model(why)]));
    }
    for (id, sizes) in inputs {
        if let Err(Why::Said(why)) = lowering.input(id, sizes) {
            lacking.push(of_model(why));
        }
    }
    for node in &graph.main().nodes {
        if let Err(Why::Said(why)) = lowering.node(node) {
            lacking.push(Lacking {
                node: node.name().to_string(),
                operator: node.operator.to_string(),
                why,
            });
        }
    }
    for output in &graph.main().outputs {
        if let Err(Why::Said(why)) = lowering.output(&output.name, &output.argument) {
            lacking.push(of_model(format!(
                "output `{}`: {why}",
                output.name.escape_debug()
            )));
        }
    }
    match lacking.is_empty() {
        true => Ok(lowering.lowered),
        false => Err(Refusal::Lacking(lacking)),
    }
}

fn of_model(why: String) -> Lacking {
    Lacking {
        node: String::new(),
        operator: String::new(),
        why,
    }
}

/// The state of the way through the graph.
pub(crate) struct Lowering<'g> {
    graph: &'g Graph,
    held: Vec<Option<Held>>,
    /// The tensors of values that are held in another form and were needed as tensors.
    declared: HashMap<ValueId, Tensor>,
    names: Names,
    lowered: Lowered,
}

/// An operand of a pointwise operation.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    /// A tensor.
    Tensor(Tensor),
    /// One number, which had so many axes of size 1 in the model.
    Number(f64, usize),
}

impl<'g> Lowering<'g> {
    fn new(graph: &'g Graph) -> Self {
        let text = "# The program of a model: the lines of each node stand below its name.\n";
        Self {
            graph,
            held: vec![None; graph.values.len()],
            declared: HashMap::new(),
            names: Names::default(),
            lowered: Lowered {
                text: text.into(),
                inputs: Vec::new(),
                weights: Vec::new(),
                outputs: Vec::new(),
            },
        }
    }

    fn input(&mut self, id: ValueId, sizes: Vec<u64>) -> Result<(), Why> {
        self.held[id.index()] = Some(Held::Nothing(None));
        let value = &self.graph[id];
        let at = |why: &str| Why::Said(format!("input `{}`: {why}", value.name.escape_debug()));
        if !matches!(value.declared.element(), Some(ElementType::Float32)) {
            let of = value
                .declared
                .element()
                .map_or("no type", ElementType::name);
            return Err(at(&format!(
                "it has elements of {of}, and a program computes in float32"
            )));
        }
        check_sizes(&sizes).map_err(|why| at(&why))?;
        let tensor = self.fresh(&value.name.clone(), &sizes);
        self.line(&format!("data {} : {}", tensor.name, shape(&sizes)));
        self.lowered.inputs.push(Input {
            name: value.name.clone(),
            tensor: tensor.name.clone(),
            sizes,
        });
        self.held[id.index()] = Some(Held::Tensor(tensor));
        Ok(())
    }

    fn node(&mut self, node: &Node) -> Result<(), Why> {
        let before = self.lowered.text.len();
        let name = node.name().escape_debug();
        let _ = writeln!(self.lowered.text, "\n# {name}: {}", node.operator.name);
        let written = self.lowered.text.len();
        let result = operators::lower(self, node);
        let adds_lines = self.lowered.text.len() > written;
        if !adds_lines {
            // A node whose result is known here, or is that of another node, adds nothing.
            self.lowered.text.truncate(before);
        }
        let (mut held, answer) = match result {
            Ok(held) => (held, Ok(())),
            Err(why) => (Vec::new(), Err(why)),
        };
        let outputs = node.outputs.iter().enumerate();
        for (place, output) in outputs.filter(|_| adds_lines) {
            if let Some(output) = output {
                self.name_of_model(written, &self.graph[*output].name, &mut held, place);
            }
        }
        let mut held = held.into_iter();
        for output in &node.outputs {
            let next = held.next().unwrap_or(Held::Nothing(None));
            if let Some(output) = output {
                self.held[output.index()] = Some(next);
            }
        }
        answer
    }

    /// Gives an output of a node its name in the model where another tensor of the node's lines has it: the two
    /// exchange their names.
    fn name_of_model(&mut self, written: usize, name: &str, held: &mut [Held], place: usize) {
        let wanted = names::plain(name);
        let Some(Held::Tensor(tensor)) = held.get(place) else {
            return;
        };
        let now = tensor.name.clone();
        let lines = &self.lowered.text[written..];
        let defines = |name: &str| lines.lines().any(|line| names::defines(line, name));
        if now == wanted || !defines(&wanted) || !defines(&now) {
            return;
        }
        let lines = names::exchanged(lines, &wanted, &now);
        self.lowered.text.truncate(written);
        self.lowered.text.push_str(&lines);
        for one in held {
            match one {
                Held::Tensor(tensor) if tensor.name == now => tensor.name.clone_from(&wanted),
                Held::Tensor(tensor) if tensor.name == wanted => tensor.name.clone_from(&now),
                _ => {}
            }
        }
    }

    fn output(&mut self, name: &str, argument: &Argument) -> Result<(), Why> {
        let Some(id) = argument.as_value() else {
            return Err("it is no tensor".into());
        };
        let tensor = self.tensor(id)?;
        self.line(&format!("print {}", tensor.name));
        self.lowered.outputs.push(Output {
            name: name.to_string(),
            tensor: tensor.name,
            sizes: tensor.sizes,
        });
        Ok(())
    }

    /// Gives the name that the first output of a node has in the model.
    pub fn output_name(&self, node: &Node) -> String {
        let first = node.outputs.iter().flatten().next();
        first.map_or_else(
            || node.name().to_string(),
            |id| self.graph[*id].name.clone(),
        )
    }

    /// Gives the name of a value in the model.
    pub fn value_name(&self, id: ValueId) -> String {
        self.graph[id].name.clone()
    }

    /// Adds a line.
    pub fn line(&mut self, line: &str) {
        self.lowered.text.push_str(line);
        self.lowered.text.push('\n');
    }

    fn fresh(&mut self, wanted: &str, sizes: &[u64]) -> Tensor {
        Tensor {
            name: self.names.fresh(wanted),
            sizes: sizes.to_vec(),
        }
    }

    /// Adds a line that defines a tensor, and states its shape.
    pub fn define(&mut self, wanted: &str, sizes: &[u64], expression: &str) -> Result<Tensor, Why> {
        check_sizes(sizes)?;
        let tensor = self.fresh(wanted, sizes);
        self.line(&format!(
            "let {} : {} = {expression}",
            tensor.name,
            shape(sizes)
        ));
        Ok(tensor)
    }

    /// Gives the form in which a value is held.
    pub fn held(&mut self, id: ValueId) -> Result<Held, Why> {
        if let Origin::Constant(constant) = self.graph[id].origin
            && self.held[id.index()].is_none()
        {
            self.held[id.index()] = Some(self.constant(constant));
        }
        match &self.held[id.index()] {
            Some(Held::Nothing(Some(why))) => Err(Why::Said(why.clone())),
            Some(Held::Nothing(None)) | None => Err(Why::Upstream),
            Some(held) => Ok(held.clone()),
        }
    }

    /// Gives the form in which a constant is held.
    pub fn constant(&self, id: ConstantId) -> Held {
        let Constant {
            sizes,
            data,
            element,
            ..
        } = &self.graph[id];
        let of_32_bits = *element == Some(ElementType::Float32);
        let known = |numbers| {
            Held::Known(Known {
                sizes: sizes.clone(),
                numbers,
            })
        };
        let why = match data {
            Data::Integers(numbers) => return known(Numbers::Integers(numbers.clone())),
            Data::Floats(numbers) if !of_32_bits || numbers.len() <= MOST_LISTED => {
                return known(Numbers::Reals(numbers.clone()));
            }
            Data::Floats(_) | Data::Unread(Some(_)) if of_32_bits => {
                return Held::Stored(id, sizes.clone());
            }
            Data::External => "a constant lies in another file, which is never opened",
            Data::Absent => "a constant has no values in the file",
            _ => "a constant has elements that are not float32",
        };
        Held::Nothing(Some(why.into()))
    }

    /// Gives an argument of a node as it is held; nothing where it is left out.
    pub fn argument(&mut self, node: &Node, at: usize) -> Result<Option<Held>, Why> {
        match node.arguments.get(at) {
            None | Some(Argument::None) => Ok(None),
            Some(Argument::Value(id)) => self.held(*id).map(Some),
            Some(_) => Err("an argument is no tensor".into()),
        }
    }

    /// Gives integers that an argument of a node holds; nothing where it is left out.
    pub fn integers(&mut self, node: &Node, at: usize) -> Result<Option<Vec<i64>>, Why> {
        match self.argument(node, at)? {
            None => Ok(None),
            Some(Held::Known(known)) if known.integers().is_some() => {
                Ok(known.integers().map(<[i64]>::to_vec))
            }
            Some(_) => Err(format!("argument {at} has values that only a run knows").into()),
        }
    }

    /// Gives the number that an argument of a node holds; nothing where it is left out.
    pub fn number(&mut self, node: &Node, at: usize) -> Result<Option<f64>, Why> {
        match self.argument(node, at)? {
            None => Ok(None),
            Some(Held::Known(known)) if known.real().is_some() => Ok(known.real()),
            Some(_) => {
                Err(format!("argument {at} is not a number that is known before a run").into())
            }
        }
    }

    /// Gives an argument that a node needs as a tensor of the program.
    pub fn operand(&mut self, node: &Node, at: usize) -> Result<Tensor, Why> {
        let found = self.operand_or_none(node, at)?;
        found.ok_or_else(|| Why::Said(format!("argument {at} is missing")))
    }

    /// Gives an argument of a node as a tensor of the program; nothing where it is left out.
    pub fn operand_or_none(&mut self, node: &Node, at: usize) -> Result<Option<Tensor>, Why> {
        match node.arguments.get(at) {
            None | Some(Argument::None) => Ok(None),
            Some(Argument::Value(id)) => self.tensor(*id).map(Some),
            Some(_) => Err("an argument is no tensor".into()),
        }
    }

    /// Gives an argument that a node needs, as a number where it is one.
    pub fn pointwise_operand(&mut self, node: &Node, at: usize) -> Result<Operand, Why> {
        if let Some(Held::Known(known)) = self.argument(node, at)?
            && let Some(number) = known.real()
        {
            return Ok(Operand::Number(number, known.sizes.len()));
        }
        self.operand(node, at).map(Operand::Tensor)
    }

    /// Gives a value as a tensor of the program.
    fn tensor(&mut self, id: ValueId) -> Result<Tensor, Why> {
        let held = self.held(id)?;
        if let Held::Tensor(tensor) = held {
            return Ok(tensor);
        }
        if let Some(tensor) = self.declared.get(&id) {
            return Ok(tensor.clone());
        }
        let name = self.graph[id].name.clone();
        let tensor = self.declare(&name, held)?;
        self.declared.insert(id, tensor.clone());
        Ok(tensor)
    }

    /// Declares numbers that no node computes.
    fn declare(&mut self, wanted: &str, held: Held) -> Result<Tensor, Why> {
        let sizes = held.sizes().unwrap_or(&[]).to_vec();
        check_sizes(&sizes)?;
        let tensor = match held {
            Held::Tensor(tensor) => return Ok(tensor),
            Held::Nothing(why) => return Err(why.map_or(Why::Upstream, Why::Said)),
            Held::Filled(_, value) => return Ok(self.filled(wanted, &sizes, value)),
            Held::Stored(constant, _) => {
                let tensor = self.fresh(wanted, &sizes);
                self.line(&format!("data {} : {}", tensor.name, shape(&sizes)));
                self.lowered.weights.push(Weight {
                    tensor: tensor.name.clone(),
                    constant,
                });
                tensor
            }
            Held::Known(known) => {
                let Numbers::Reals(numbers) = &known.numbers else {
                    return Err("integers are computed during a run".into());
                };
                match numbers.split_first() {
                    Some((first, rest))
                        if rest.iter().all(|other| other.to_bits() == first.to_bits()) =>
                    {
                        return Ok(self.filled(wanted, &sizes, *first));
                    }
                    _ => {}
                }
                let tensor = self.fresh(wanted, &sizes);
                let numbers: Vec<_> = numbers.iter().map(|&value| plain(value)).collect();
                self.line(&format!(
                    "data {} : {} = [{}]",
                    tensor.name,
                    shape(&sizes),
                    joined(&numbers)
                ));
                tensor
            }
        };
        Ok(tensor)
    }

    fn filled(&mut self, wanted: &str, sizes: &[u64], value: f64) -> Tensor {
        let tensor = self.fresh(wanted, sizes);
        self.line(&format!(
            "const {} : {} = {}",
            tensor.name,
            shape(sizes),
            plain(value)
        ));
        tensor
    }

    /// Declares a tensor that is 1 everywhere.
    pub fn ones(&mut self, sizes: &[u64]) -> Tensor {
        self.filled("ones", sizes, 1.0)
    }

    /// Declares integers as data of real numbers, for comparisons with places of an axis.
    pub fn places(&mut self, wanted: &str, places: &[u64]) -> Result<Tensor, Why> {
        let sizes = [places.len() as u64];
        check_sizes(&sizes)?;
        let tensor = self.fresh(wanted, &sizes);
        self.line(&format!(
            "data {} : {} = [{}]",
            tensor.name,
            shape(&sizes),
            joined(places)
        ));
        Ok(tensor)
    }

    /// Adds the lines of an operation of each cell with two operands, of which one may be stretched to the other.
    pub fn pointwise(
        &mut self,
        wanted: &str,
        left: Operand,
        right: Operand,
        form: fn(&str, &str) -> String,
    ) -> Result<Tensor, Why> {
        let (left, right) = match (left, right) {
            (Operand::Tensor(left), Operand::Tensor(right)) => (left, right),
            (Operand::Tensor(left), Operand::Number(right, rank)) if rank <= left.sizes.len() => {
                return self.define(wanted, &left.sizes, &form(&left.name, &number(right)));
            }
            (Operand::Number(left, rank), Operand::Tensor(right)) if rank <= right.sizes.len() => {
                return self.define(wanted, &right.sizes, &form(&number(left), &right.name));
            }
            (left, right) => (self.full(wanted, left), self.full(wanted, right)),
        };
        if left.sizes == right.sizes {
            return self.define(wanted, &left.sizes, &form(&left.name, &right.name));
        }
        let sizes = stretched(&[&left.sizes, &right.sizes])?;
        let expression = form(&left.name, &right.name);
        let (from, with) = (reading(&left.sizes, &sizes), reading(&right.sizes, &sizes));
        let to = joined(&axes::labels(sizes.len()));
        self.define(
            wanted,
            &sizes,
            &format!("map({expression}, \"{from}; {with} => {to}\")"),
        )
    }

    /// Gives an operand as a tensor.
    pub fn full(&mut self, wanted: &str, operand: Operand) -> Tensor {
        match operand {
            Operand::Tensor(tensor) => tensor,
            Operand::Number(value, rank) => self.filled(wanted, &vec![1; rank], value),
        }
    }

    /// Stretches a tensor to sizes that it fits.
    pub fn stretch(&mut self, wanted: &str, tensor: Tensor, sizes: &[u64]) -> Result<Tensor, Why> {
        if tensor.sizes == sizes {
            return Ok(tensor);
        }
        let from = reading(&tensor.sizes, sizes);
        let skipped = sizes.len() - tensor.sizes.len();
        let to = sizes.iter().enumerate();
        let to = to.map(|(axis, size)| {
            match axis
                .checked_sub(skipped)
                .map(|own| tensor.sizes[own] == *size)
            {
                Some(true) => axes::label(axis),
                _ if *size == 1 => "0:1".to_string(),
                _ => format!("{}:{size}", axes::label(axis)),
            }
        });
        let to = joined(&to.collect::<Vec<_>>());
        self.define(
            wanted,
            sizes,
            &format!("map({}, \"{from} => {to}\")", tensor.name),
        )
    }
}

/// Checks that a program may have a tensor of these sizes.
fn check_sizes(sizes: &[u64]) -> Result<(), String> {
    if sizes.contains(&0) {
        return Err("a tensor has a size 0, and a program has no empty axes".into());
    }
    match cells(sizes) {
        Some(cells) if cells <= MOST_CELLS => Ok(()),
        _ => Err(format!("a tensor has more than {MOST_CELLS} cells")),
    }
}

/// Writes a number of 32 bits as an operand.
pub(crate) fn number(value: f64) -> String {
    let text = plain(value);
    match text.starts_with('-') {
        true => format!("({text})"),
        false => text,
    }
}

/// Writes a number of 32 bits with the fewest digits that read back as it.
fn plain(value: f64) -> String {
    match value as f32 {
        value if value.is_nan() => "nan".into(),
        f32::INFINITY => "inf".into(),
        f32::NEG_INFINITY => "-inf".into(),
        value => format!("{value:?}"),
    }
}
