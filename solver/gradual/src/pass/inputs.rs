//! The inputs of a model: which sizes are symbols, and how their ranks are told apart.

use super::{Pass, Stop};
use crate::answer::{Given, Point};
use crate::integers::Integers;
use crate::limit::{Limit, MAX_KNOWN};
use crate::term::{Int, Symbol, Term, Terms};
use crate::value::{Block, Content, Ratio, Shape, Tensor, Value};
use lozenge_graph_vocabulary::{DeclaredSize, ElementType, Graph, NodeId, Type, ValueId};
use std::collections::BTreeMap;

/// One input.
#[derive(Clone, Debug)]
pub(crate) struct InputForm {
    pub(crate) name: String,
    pub(crate) declared: Type,
    pub(crate) kind: InputKind,
}

/// The free part of an input.
#[derive(Clone, Debug)]
pub(crate) enum InputKind {
    /// A tensor of declared rank, with the sizes and perhaps the elements.
    Tensor {
        axes: Vec<Term>,
        elements: Option<Vec<Term>>,
    },
    /// A tensor of any rank: the symbol of the rank, the sizes of the first axes, which serve for every rank that is
    /// met, those of the last axes from the end, how many of each are told apart in large ranks, and the sizes of these
    /// once such a rank was met.
    AnyRank {
        rank: Symbol,
        axes: Vec<Term>,
        last: Vec<Term>,
        ends: (usize, usize),
        tail: Option<Tail>,
    },
    /// An integer or a truth value of Python.
    Number(Term),
    /// Something that is not modelled.
    Other,
}

/// All large ranks of an input as one case.
#[derive(Clone, Debug)]
pub(crate) struct Tail {
    /// The sizes of the first and of the last axes.
    pub(crate) axes: Vec<Term>,
    /// The number of the first axes among them.
    pub(crate) front: usize,
    /// The product of the sizes between.
    pub(crate) product: Term,
}

impl Tail {
    /// Returns the least rank of the case: one axis at least lies between.
    pub(crate) fn least(&self) -> usize {
        self.axes.len() + 1
    }

    /// Returns the shape, with a block for the axes between.
    pub(crate) fn shape(&self) -> Shape {
        Shape {
            axes: self.axes.as_slice().into(),
            block: Some(Block {
                at: self.front,
                product: self.product,
            }),
        }
    }
}

/// The numbers of first and last axes that are told apart in large ranks, unless a node or a condition asks for more.
const ENDS: (usize, usize) = (3, 3);

/// The inputs of a model with their symbols.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs {
    pub(crate) forms: Vec<InputForm>,
    used_names: Vec<String>,
    /// The names of the symbols for sizes.
    axis_names: Vec<String>,
    /// The axis that is 0.
    zero: Option<String>,
    /// The ranks that are asked about, of inputs whose rank is not declared; all where there is nothing.
    ranks: Option<BTreeMap<usize, Integers>>,
    given: Point,
    /// True if a size may be 0.
    admits_empty: bool,
    /// The symbols for what data decide: of each node, by the number of times that a pass came to it before.
    data: BTreeMap<(NodeId, usize), Symbol>,
    /// The numbers of first and last axes for which nodes and conditions asked, of inputs that have fewer.
    wanted: BTreeMap<usize, (usize, usize)>,
}

impl Inputs {
    /// Makes the symbols of all inputs. `is_free` tells which inputs have no declared sizes.
    pub(crate) fn new(graph: &Graph, terms: &mut Terms, is_free: &dyn Fn(&str) -> bool) -> Self {
        Self::default().filled(graph, terms, is_free)
    }

    /// Returns the same with one axis of size 0.
    pub(crate) fn with_zero(
        graph: &Graph,
        terms: &mut Terms,
        is_free: &dyn Fn(&str) -> bool,
        axis: &str,
        ranks: &BTreeMap<usize, Integers>,
    ) -> Self {
        Self {
            zero: Some(axis.to_owned()),
            ranks: Some(ranks.clone()),
            ..Self::default()
        }
        .filled(graph, terms, is_free)
    }

    /// Returns the same where every size may be 0.
    pub(crate) fn natural(
        graph: &Graph,
        terms: &mut Terms,
        is_free: &dyn Fn(&str) -> bool,
    ) -> Self {
        Self {
            admits_empty: true,
            ..Self::default()
        }
        .filled(graph, terms, is_free)
    }

    /// Returns the same with numbers for what a point gives.
    pub(crate) fn at(
        graph: &Graph,
        terms: &mut Terms,
        is_free: &dyn Fn(&str) -> bool,
        point: &Point,
    ) -> Self {
        Self {
            given: point.clone(),
            ..Self::default()
        }
        .filled(graph, terms, is_free)
    }

    fn filled(mut self, graph: &Graph, terms: &mut Terms, is_free: &dyn Fn(&str) -> bool) -> Self {
        let declared: Vec<&Type> = graph
            .main()
            .inputs
            .iter()
            .map(|id| &graph[*id].declared)
            .collect();
        let free_axes = declared
            .iter()
            .filter_map(|declared| declared.sizes())
            .flatten();
        let names: Vec<String> = free_axes
            .filter_map(|size| {
                if let DeclaredSize::Named(name) = size {
                    Some(name.clone())
                } else {
                    None
                }
            })
            .collect();
        for id in &graph.main().inputs {
            let (name, declared) = (graph[*id].name.clone(), graph[*id].declared.clone());
            let mut kind = match self.given.get(&name).cloned() {
                Some(given) => self.given_kind(terms, &name, &declared, &given),
                None => self.kind(terms, &name, &declared, is_free(&name), &names),
            };
            if let InputKind::Tensor {
                elements: Some(elements),
                ..
            } = &mut kind
            {
                for (at, element) in elements.iter_mut().enumerate() {
                    if let Some(Given::Number(number)) = self.given.get(&element_name(&name, at)) {
                        *element = terms.number(Int::from(*number));
                    }
                }
            }
            self.forms.push(InputForm {
                name,
                declared,
                kind,
            });
        }
        self
    }

    /// Returns the names of the symbols for sizes.
    pub(crate) fn axis_names(&self) -> &[String] {
        &self.axis_names
    }

    /// Returns the inputs of undeclared rank with the symbols of their ranks.
    pub(crate) fn rank_symbols(&self) -> Vec<(usize, Symbol)> {
        let ranks = self.forms.iter().enumerate();
        ranks
            .filter_map(|(at, form)| {
                if let InputKind::AnyRank { rank, .. } = form.kind {
                    Some((at, rank))
                } else {
                    None
                }
            })
            .collect()
    }

    fn asks(&self, position: usize, rank: Option<usize>) -> bool {
        let Some(ranks) = self.ranks.as_ref().map(|ranks| ranks.get(&position)) else {
            return true;
        };
        let (own, ends) = (rank, self.ends(position));
        let rank = Int::try_from(own.unwrap_or(ends.0 + ends.1 + 1)).unwrap_or(0);
        ranks.is_some_and(|ranks| match own {
            Some(_) => ranks.next(rank) == Some(rank),
            None => ranks.next(rank).is_some(),
        })
    }

    /// Says whether an axis, a rank or an integer input has this name.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.used_names.iter().any(|used| used == name)
    }

    /// Says whether the input of this name has any rank.
    pub(crate) fn has_any_rank(&self, name: &str) -> bool {
        self.forms
            .iter()
            .any(|form| form.name == name && matches!(form.kind, InputKind::AnyRank { .. }))
    }

    /// Says whether a symbol is the rank of an input.
    pub(crate) fn is_rank(&self, symbol: Symbol) -> bool {
        self.forms
            .iter()
            .any(|form| matches!(form.kind, InputKind::AnyRank { rank, .. } if rank == symbol))
    }

    /// Says whether a symbol is the product of the axes of a block.
    pub(crate) fn is_derived(&self, terms: &Terms, symbol: Symbol) -> bool {
        self.forms.iter().any(|form| matches!(&form.kind, InputKind::AnyRank { tail: Some(tail), .. } if terms.as_symbol(tail.product) == Some(symbol)))
    }

    /// Returns the symbols that every case has.
    pub(crate) fn certain_symbols(&self, terms: &Terms) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        for form in &self.forms {
            match &form.kind {
                InputKind::Tensor { axes, elements } => {
                    symbols.extend(
                        axes.iter()
                            .chain(elements.iter().flatten())
                            .filter_map(|term| terms.as_symbol(*term)),
                    );
                }
                InputKind::Number(term) => symbols.extend(terms.as_symbol(*term)),
                InputKind::AnyRank { .. } | InputKind::Other => {}
            }
        }
        symbols
    }

    fn kind(
        &mut self,
        terms: &mut Terms,
        name: &str,
        declared: &Type,
        is_free: bool,
        names: &[String],
    ) -> InputKind {
        match declared {
            Type::Tensor {
                element,
                sizes: Some(sizes),
            } => {
                let mut axes = Vec::new();
                for (at, size) in sizes.iter().enumerate() {
                    axes.push(match size {
                        DeclaredSize::Known(number) if !is_free => terms.number(Int::from(*number)),
                        DeclaredSize::Named(axis)
                            if is_word(axis)
                                && names.iter().filter(|other| *other == axis).count() == 1 =>
                        {
                            self.size(terms, axis.clone())
                        }
                        _ => self.axis(terms, name, at, sizes.len()),
                    });
                }
                InputKind::Tensor {
                    elements: self.elements(terms, name, *element, &axes),
                    axes,
                }
            }
            Type::Any | Type::Tensor { sizes: None, .. } => {
                let rank = self.unused(format!("{name}.rank"));
                InputKind::AnyRank {
                    rank: terms.symbol(&rank, Some(0), None),
                    axes: Vec::new(),
                    last: Vec::new(),
                    ends: ENDS,
                    tail: None,
                }
            }
            Type::Integer => {
                let own = self.unused(name.to_owned());
                let symbol = terms.symbol(&own, None, None);
                InputKind::Number(terms.of(symbol))
            }
            Type::Float | Type::Boolean | Type::Other(_) => InputKind::Other,
        }
    }

    /// Returns the elements of an input of integers, if it has rank 0, or rank 1 and a known length.
    fn elements(
        &mut self,
        terms: &mut Terms,
        name: &str,
        element: Option<ElementType>,
        axes: &[Term],
    ) -> Option<Vec<Term>> {
        let element =
            element.filter(|element| element.is_integer() || *element == ElementType::Bool)?;
        let (low, high) = match element {
            ElementType::Bool => (Some(0), Some(1)),
            ElementType::Int8 => (Some(i8::MIN.into()), Some(i8::MAX.into())),
            ElementType::Int16 => (Some(i16::MIN.into()), Some(i16::MAX.into())),
            ElementType::Uint8 => (Some(0), Some(u8::MAX.into())),
            ElementType::Uint16 => (Some(0), Some(u16::MAX.into())),
            // The ends of wider types are no sizes.
            element if element.name().starts_with('u') => (Some(0), None),
            _ => (None, None),
        };
        let names = match axes {
            [] => vec![name.to_owned()],
            [length] => {
                let length = terms
                    .as_number(*length)
                    .filter(|length| (0..=MAX_SYMBOLS).contains(length))?;
                let length = usize::try_from(length).ok()?;
                (0..length).map(|at| element_name(name, at)).collect()
            }
            _ => return None,
        };
        let symbols = names.into_iter().map(|name| {
            let name = self.unused(name);
            let symbol = terms.symbol(&name, low, high);
            terms.of(symbol)
        });
        Some(symbols.collect())
    }

    /// Returns the form of an input of which a point gives the sizes or the value. Of integers whose sizes are given
    /// the values stay free.
    fn given_kind(
        &mut self,
        terms: &mut Terms,
        name: &str,
        declared: &Type,
        given: &Given,
    ) -> InputKind {
        match given {
            Given::Sizes(sizes) => {
                let axes: Vec<Term> = sizes
                    .iter()
                    .map(|size| terms.number(Int::from(*size)))
                    .collect();
                InputKind::Tensor {
                    elements: self.elements(terms, name, declared.element(), &axes),
                    axes,
                }
            }
            Given::Number(number) => {
                let number = terms.number(Int::from(*number));
                match declared {
                    Type::Tensor { sizes, .. } => InputKind::Tensor {
                        axes: vec![terms.number(1); sizes.as_ref().map_or(0, Vec::len)],
                        elements: Some(vec![number]),
                    },
                    _ => InputKind::Number(number),
                }
            }
        }
    }

    /// Returns the size of an axis for which the file has no name: it gets the usual letter if no other axis has it.
    fn axis(&mut self, terms: &mut Terms, input: &str, at: usize, rank: usize) -> Term {
        let letter = LETTERS
            .get(rank)
            .map(|letters| letters[at])
            .filter(|letter| !self.used_names.iter().any(|name| name == letter));
        self.size(
            terms,
            letter.map_or_else(|| format!("{input}[{at}]"), str::to_owned),
        )
    }

    fn size(&mut self, terms: &mut Terms, name: String) -> Term {
        let name = self.unused(name);
        self.axis_names.push(name.clone());
        if self.zero.as_ref() == Some(&name) {
            return terms.number(0);
        }
        let symbol = terms.symbol(&name, Some(Int::from(!self.admits_empty)), None);
        terms.of(symbol)
    }

    /// Returns the symbol of the rank of the input that a block comes from, and how many of its axes are known.
    pub(crate) fn rank_of_block(&self, shape: &Shape) -> Option<(Symbol, Int)> {
        match &self.forms[self.input_of_block(shape)?].kind {
            InputKind::AnyRank {
                rank,
                tail: Some(tail),
                ..
            } => Some((*rank, Int::try_from(tail.axes.len()).ok()?)),
            _ => None,
        }
    }

    /// Returns the place of the input that a block comes from.
    fn input_of_block(&self, shape: &Shape) -> Option<usize> {
        let product = shape.block?.product;
        self.forms.iter().position(|form| {
            matches!(&form.kind, InputKind::AnyRank { tail: Some(tail), .. } if tail.product == product)
        })
    }

    /// Makes the symbol for a number that data decide at a node to which a pass came so often before. It is at least 0.
    pub(crate) fn data_symbol(
        &mut self,
        terms: &mut Terms,
        at: (NodeId, usize),
        name: &str,
        high: Option<Int>,
    ) -> Symbol {
        if let Some(symbol) = self.data.get(&at) {
            return *symbol;
        }
        let name = self.unused(name.to_owned());
        let symbol = terms.symbol(&name, Some(0), high);
        self.data.insert(at, symbol);
        symbol
    }

    /// Says whether some symbol stands for something that data decide.
    pub(crate) fn has_data(&self) -> bool {
        !self.data.is_empty()
    }

    /// Says whether a symbol stands for something that data decide.
    pub(crate) fn is_data(&self, symbol: Symbol) -> bool {
        self.data.values().any(|own| *own == symbol)
    }

    /// Returns the numbers of first and last axes of large ranks of an input that are told apart.
    fn ends(&self, position: usize) -> (usize, usize) {
        match self.forms[position].kind {
            InputKind::AnyRank { ends, .. } => ends,
            _ => ENDS,
        }
    }

    /// Notes that so many axes before the block of a shape, and behind it, have to be told apart. The limit says that
    /// they are not.
    pub(crate) fn want(&mut self, shape: &Shape, before: usize, behind: usize) -> Limit {
        if let (Some(block), Some(position)) = (shape.block, self.input_of_block(shape)) {
            let more = |wanted: usize, known: usize| wanted.saturating_sub(known);
            let ends = self.ends(position);
            let (front, back) = (
                ends.0.saturating_add(more(before, block.at)),
                ends.1
                    .saturating_add(more(behind, shape.axes.len() - block.at)),
            );
            if front.saturating_add(back) <= MAX_KNOWN {
                let wanted = self.wanted.entry(position).or_insert(ends);
                *wanted = (wanted.0.max(front), wanted.1.max(back));
            }
        }
        Limit::Ranks
    }

    /// Tells more axes of large ranks apart where that was asked for, and whether it was.
    pub(crate) fn widen(&mut self) -> bool {
        let wanted = std::mem::take(&mut self.wanted);
        let mut is_wider = false;
        for (position, (front, back)) in wanted {
            if let InputKind::AnyRank { ends, tail, .. } = &mut self.forms[position].kind
                && front.saturating_add(back) <= MAX_KNOWN
                && (front, back) != *ends
            {
                (*ends, *tail, is_wider) = ((front, back), None, true);
            }
        }
        is_wider
    }

    /// Tells as many axes of large ranks apart as other inputs of the same graph do.
    pub(crate) fn with_ends_of(mut self, other: &Inputs) -> Self {
        for (form, other) in self.forms.iter_mut().zip(&other.forms) {
            if let (InputKind::AnyRank { ends, .. }, InputKind::AnyRank { ends: wider, .. }) =
                (&mut form.kind, &other.kind)
            {
                *ends = *wider;
            }
        }
        self
    }

    fn unused(&mut self, name: String) -> String {
        let mut candidate = name.clone();
        let mut number = 2;
        while self.used_names.contains(&candidate) {
            candidate = format!("{name}'{number}");
            number += 1;
        }
        self.used_names.push(candidate.clone());
        candidate
    }
}

/// The number of elements of an input that are symbols.
const MAX_SYMBOLS: Int = 64;

/// Returns the name of an element of an input that is a list of integers.
pub(crate) fn element_name(input: &str, at: usize) -> String {
    format!("{input}({at})")
}

fn is_word(name: &str) -> bool {
    name.chars()
        .next()
        .is_some_and(|first| first.is_alphabetic() || first == '_')
        && name
            .chars()
            .all(|each| each.is_alphanumeric() || each == '_')
}

/// The usual names of the axes of a tensor, by its rank.
const LETTERS: [&[&str]; 6] = [
    &[],
    &["n"],
    &["b", "n"],
    &["b", "n", "c"],
    &["b", "c", "h", "w"],
    &["b", "c", "d", "h", "w"],
];

/// Returns the value of an input, whose rank is decided now if it was not declared.
pub(super) fn value(pass: &mut Pass, id: ValueId, position: usize) -> Result<Value, Stop> {
    let element = pass.graph[id].declared.element();
    let tensor = |shape: Shape, content: Content| {
        Value::Tensor(Tensor {
            shape: Some(shape),
            element,
            content,
        })
    };
    match pass.inputs.forms[position].kind.clone() {
        InputKind::Tensor { axes, elements } => {
            let content = elements.map_or(Content::Unknown, |elements| {
                Content::Numbers(
                    elements
                        .into_iter()
                        .map(|term| Ratio { term, over: 1 })
                        .collect(),
                )
            });
            Ok(tensor(Shape::new(axes), content))
        }
        InputKind::Number(term) => Ok(Value::Integer(term)),
        InputKind::Other => Ok(Value::Other),
        InputKind::AnyRank { rank, .. } => {
            let (front, back) = pass.inputs.ends(position);
            for number in (0..=front + back)
                .filter(|number| pass.inputs.asks(position, Some(*number)))
                .collect::<Vec<_>>()
            {
                let own = pass.terms.of(rank);
                let is_so = pass.terms.is(own, Int::try_from(number).unwrap_or(0));
                if pass.decide(is_so)? {
                    let shape = Shape::new(axes_of_rank(pass, position, number));
                    pass.met.insert(position, shape.clone());
                    return Ok(tensor(shape, Content::Unknown));
                }
            }
            if !pass.inputs.asks(position, None) {
                return pass.refuse("the rank is not asked about");
            }
            let shape = match pass.pinned(rank)? {
                Some(rank) => Shape::new(axes_of_rank(pass, position, rank)),
                None => tail(pass, position).shape(),
            };
            pass.met.insert(position, shape.clone());
            Ok(tensor(shape, Content::Unknown))
        }
    }
}

/// Returns the first sizes of an input, made where they are missing.
fn axes_of_rank(pass: &mut Pass, position: usize, number: usize) -> Vec<Term> {
    let name = pass.inputs.forms[position].name.clone();
    let InputKind::AnyRank { axes, .. } = &pass.inputs.forms[position].kind else {
        return Vec::new();
    };
    let mut axes = axes.clone();
    for at in axes.len()..number {
        axes.push(pass.inputs.size(pass.terms, format!("{name}[{at}]")));
    }
    if let InputKind::AnyRank { axes: known, .. } = &mut pass.inputs.forms[position].kind {
        known.clone_from(&axes);
    }
    axes.truncate(number);
    axes
}

/// Returns the sizes of an input of large rank, made where they are missing.
fn tail(pass: &mut Pass, position: usize) -> Tail {
    let form = &pass.inputs.forms[position];
    let InputKind::AnyRank { tail, last, .. } = &form.kind else {
        return Tail {
            axes: Vec::new(),
            front: 0,
            product: pass.terms.number(1),
        };
    };
    if let Some(tail) = tail {
        return tail.clone();
    }
    let (name, mut last) = (form.name.clone(), last.clone());
    let (front, back) = pass.inputs.ends(position);
    let mut axes = axes_of_rank(pass, position, front);
    for at in last.len()..back {
        let own = format!("{name}[-{}]", at + 1);
        last.push(pass.inputs.size(pass.terms, own));
    }
    axes.extend(last[..back].iter().rev());
    let between = format!("{name}[{front}]*…*{name}[-{}]", back + 1);
    let made = Tail {
        axes,
        front,
        product: pass.inputs.size(pass.terms, between),
    };
    if let InputKind::AnyRank {
        tail, last: known, ..
    } = &mut pass.inputs.forms[position].kind
    {
        *tail = Some(made.clone());
        *known = last;
    }
    made
}
