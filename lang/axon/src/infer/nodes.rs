//! The type of each node.

use std::sync::Arc;

use lozenge_axon_vocabulary::{Decide, DimNode, Equation, Piece, Word};
use lozenge_diagnostic::{Diagnostic, MAX_ERRORS, Parsed};

use super::annotation::{Annotations, Scope, misspelled};
use super::scheme::Scheme;
use super::types::{Element, Level, Mismatch, Type, TypeId, Types};
use super::{Inferred, Options, Origin, Role, Stated};
use crate::syntax::{self, FunctionId, NameId, NodeId, NodeKind, Pattern, Program};
use crate::values::{counted, of_their_type, ragged};

/// The state of inference while the nodes of a program are visited.
pub(super) struct Inference<'p> {
    pub(super) program: &'p Program,
    pub(super) options: Options,
    pub(super) decide: &'p dyn Decide,
    pub(super) types: Types,
    /// The type of each node that has a value.
    pub(super) values: Vec<Option<TypeId>>,
    /// The type of each name.
    pub(super) names: Vec<Option<Bound>>,
    /// The functions that names are bound to as they are written.
    pub(super) functions: Vec<Option<FunctionId>>,
    /// The equations that are not part of a scheme.
    pub(super) stated: Vec<Stated>,
    /// The names at the top in whose types a name of a shape or a dimension is left.
    pub(super) unresolved: Vec<NameId>,
    /// The functions that are open, the innermost last.
    pub(super) open: Vec<Open>,
    /// The number of equations before the function that was closed last.
    closed: usize,
    /// The names of annotations since the last statement at the top.
    pub(super) written: Vec<super::annotation::Written>,
    /// The nodes and the names whose types were told, where they are wished for.
    pub(super) told: (NodeId, NameId),
    /// The fact that a type is too long to be written out.
    pub(super) has_long_type: bool,
    pub(super) result: Inferred,
}

/// Returns for each name the function that it is bound to as it is written.
fn functions(program: &Program) -> Vec<Option<FunctionId>> {
    let mut functions = vec![None; program.names.len()];
    for node in &program.nodes {
        if let NodeKind::Bind(Pattern::Name(name), value) = &node.kind
            && let NodeKind::Function(function) = program.nodes[*value].kind
        {
            functions[*name] = Some(function);
        }
    }
    functions
}

/// The type of a name.
#[derive(Clone)]
pub(super) enum Bound {
    /// One type at every use.
    Plain(TypeId),
    /// An instance of its own for every use.
    General(Arc<Scheme>),
}

/// A function that is open.
#[derive(Default)]
pub(super) struct Open {
    /// The number of equations before it.
    first: usize,
    scope: Scope,
}

impl<'p> Inference<'p> {
    pub(super) fn new(program: &'p Program, options: &Options, decide: &'p dyn Decide) -> Self {
        Inference {
            program,
            options: *options,
            decide,
            types: Types::default(),
            values: vec![None; program.nodes.len()],
            names: vec![None; program.names.len()],
            functions: functions(program),
            stated: Vec::new(),
            unresolved: Vec::new(),
            open: Vec::new(),
            closed: 0,
            written: Vec::new(),
            told: (0, 0),
            has_long_type: false,
            result: Inferred::default(),
        }
    }

    pub(super) fn level(&self) -> Level {
        self.open.len() as Level
    }

    /// Finds the type of a node whose parts have theirs.
    pub(super) fn visit(&mut self, node: NodeId) {
        let program = self.program;
        let found = match &program.nodes[node].kind {
            NodeKind::Number(number) => {
                let element = match number.is_float {
                    true => Element::Known("f32"),
                    false => Element::Unknown(self.level()),
                };
                let element = self.types.add_element(element);
                Some(self.types.add(Type::Tensor(element, Default::default())))
            }
            NodeKind::Operator(name) => Some(self.operator(name, node)),
            NodeKind::Name(name) => Some(self.used(*name, node)),
            NodeKind::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.value(*part)).collect();
                Some(self.types.add(Type::Tuple(parts)))
            }
            NodeKind::Call { callee, arguments } => Some(self.call(node, *callee, arguments)),
            NodeKind::Enter(function) => {
                self.enter(*function, node);
                None
            }
            NodeKind::Function(function) => Some(self.leave(*function, node)),
            NodeKind::Bind(pattern, value) => {
                self.bind(pattern, *value, node);
                None
            }
            NodeKind::Data(data) => {
                self.data(*data, node);
                None
            }
            NodeKind::Print(values) => {
                values.iter().for_each(|value| self.shown(*value));
                self.finish_value(&Pattern::Tuple(Vec::new(), 0..0), node);
                None
            }
        };
        self.values[node] = found;
    }

    /// Returns the type of a node; anything if it has none because of an error.
    pub(super) fn value(&mut self, node: NodeId) -> TypeId {
        let level = self.level();
        self.values[node].unwrap_or_else(|| self.types.unknown(level))
    }

    fn operator(&mut self, name: &str, node: NodeId) -> TypeId {
        let Some(signature) = self.options.table.signature(name) else {
            return self.types.unknown(self.level());
        };
        let level = self.level();
        let mut scope = Scope::default();
        let mut annotations = Annotations {
            types: &mut self.types,
            scopes: vec![&mut scope],
            level,
            is_input: false,
            positive: Vec::new(),
        };
        let parameters = signature.parameters.iter();
        let parameters: Vec<TypeId> = parameters
            .filter_map(|written| annotations.type_of(written).ok())
            .collect();
        let result = annotations.type_of(&signature.result);
        let positive = annotations.positive;
        let Ok(result) = result else {
            return self.types.unknown(level);
        };
        self.state(positive, node, Role::Result);
        self.types.add(Type::Function(parameters.into(), result))
    }

    fn used(&mut self, name: NameId, node: NodeId) -> TypeId {
        match self.names[name].clone() {
            Some(Bound::Plain(found)) => found,
            Some(Bound::General(scheme)) => self.instance(&scheme, node),
            None => self.types.unknown(self.level()),
        }
    }

    fn call(&mut self, node: NodeId, callee: NodeId, arguments: &[NodeId]) -> TypeId {
        let function = self.value(callee);
        let level = self.level();
        let given: Vec<TypeId> = arguments.iter().map(|node| self.value(*node)).collect();
        let (parameters, result) = match self.types.get(function) {
            Type::Function(parameters, result) => (parameters.clone(), *result),
            Type::Unknown(_) => {
                let result = self.types.unknown(level);
                let made = self.types.add(Type::Function(given.into(), result));
                // An unknown is a function from now on, unless it is a part of its own arguments.
                if let Err(mismatch) = self.types.unify(function, made, &mut Vec::new()) {
                    let error = self.mismatched(node, &Role::Use, mismatch);
                    self.error(error);
                }
                return result;
            }
            _ => {
                let error = self.no_function(callee);
                self.error(error);
                return self.types.unknown(level);
            }
        };
        if parameters.len() != given.len() {
            let error = self.wrong_count(node, callee, parameters.len(), given.len());
            self.error(error);
            return result;
        }
        for (place, (parameter, given)) in parameters.iter().zip(given).enumerate() {
            self.equal(given, *parameter, node, Role::Argument(place));
        }
        result
    }

    /// Makes two types equal for a reason.
    pub(super) fn equal(&mut self, left: TypeId, right: TypeId, node: NodeId, role: Role) {
        let mut equations = Vec::new();
        if let Err(mismatch) = self.types.unify(left, right, &mut equations) {
            let error = self.mismatched(node, &role, mismatch);
            self.error(error);
        }
        self.state(equations, node, role);
    }

    /// Notes equations with their reason. One that says nothing is left out.
    pub(super) fn state(&mut self, equations: Vec<Equation>, place: NodeId, role: Role) {
        let stated = equations.into_iter().map(|equation| Stated {
            equation,
            origin: Origin {
                place,
                role: role.clone(),
                through: None,
            },
        });
        self.stated.extend(stated);
    }

    /// Makes the type of an annotation, perhaps that of an input.
    fn annotated(&mut self, written: &syntax::Type, is_input: bool, node: NodeId) -> TypeId {
        let level = self.level();
        if let syntax::Type::Tensor { element, .. } = written {
            self.result.warnings.extend(misspelled(element));
        }
        let mut annotations = Annotations {
            types: &mut self.types,
            scopes: self.open.iter_mut().map(|open| &mut open.scope).collect(),
            level,
            is_input,
            positive: Vec::new(),
        };
        let made = annotations.type_of(written);
        let positive = annotations.positive;
        self.state(positive, node, Role::Written);
        made.unwrap_or_else(|error| {
            self.error(error);
            self.types.unknown(level)
        })
    }

    fn enter(&mut self, function: FunctionId, node: NodeId) {
        self.open.push(Open {
            first: self.stated.len(),
            scope: Scope::default(),
        });
        for parameter in &self.program.functions[function].parameters {
            let found = match &parameter.annotation {
                Some(written) => self.annotated(written, true, node),
                None => self.types.unknown(self.level()),
            };
            self.names[parameter.name] = Some(Bound::Plain(found));
        }
    }

    fn leave(&mut self, function: FunctionId, node: NodeId) -> TypeId {
        let made = &self.program.functions[function];
        let mut result = self.value(made.result);
        if let Some(written) = &made.result_type {
            let declared = self.annotated(written, false, node);
            self.equal(result, declared, node, Role::Declared);
            result = declared;
        }
        let parameters: Vec<TypeId> = made
            .parameters
            .iter()
            .filter_map(|parameter| match &self.names[parameter.name] {
                Some(Bound::Plain(found)) => Some(*found),
                _ => None,
            })
            .collect();
        if let Some(open) = self.open.pop() {
            self.written.extend(open.scope.written);
            self.closed = open.first;
        }
        self.types.add(Type::Function(parameters.into(), result))
    }

    fn bind(&mut self, pattern: &'p Pattern, value: NodeId, node: NodeId) {
        let kind = &self.program.nodes[value].kind;
        let bound = match (pattern, kind) {
            (Pattern::Name(name), NodeKind::Function(_)) => Some((*name, None)),
            (Pattern::Name(name), NodeKind::Name(of)) => Some((*name, self.names[*of].clone())),
            _ => None,
        };
        match bound {
            Some((name, Some(general @ Bound::General(_)))) => {
                self.names[name] = Some(general);
                self.alias(name);
            }
            Some((name, None)) => self.generalised(name, node, value, self.closed),
            _ => {
                let found = self.value(value);
                self.take_apart(pattern, found, node);
                if self.open.is_empty() {
                    self.finish_value(pattern, node);
                }
            }
        }
    }

    /// Gives the names of a pattern the parts of a type.
    fn take_apart(&mut self, pattern: &Pattern, found: TypeId, node: NodeId) {
        match pattern {
            Pattern::Name(name) => self.names[*name] = Some(Bound::Plain(found)),
            Pattern::Ignored(_) => {}
            Pattern::Tuple(patterns, span) => {
                let level = self.level();
                let parts: Vec<TypeId> =
                    patterns.iter().map(|_| self.types.unknown(level)).collect();
                let tuple = self.types.add(Type::Tuple(parts.clone().into()));
                let mut equations = Vec::new();
                if let Err(mismatch) = self.types.unify(tuple, found, &mut equations) {
                    let error = self.not_these_parts(span, patterns.len(), found, mismatch);
                    self.error(error);
                }
                self.state(equations, node, Role::Use);
                for (pattern, part) in patterns.iter().zip(parts) {
                    self.take_apart(pattern, part, node);
                }
            }
        }
    }

    fn data(&mut self, data: usize, node: NodeId) {
        let data = &self.program.data[data];
        let found = self.annotated(&data.annotation, false, node);
        let is_tensor = matches!(self.types.get(found), Type::Tensor(..));
        let words = self.types.words(found);
        let pool = &mut self.types.pool;
        let mut pieces = words.iter().flat_map(|word| word.0.iter().enumerate());
        let is_constant = is_tensor
            && pieces.all(|(place, piece)| match piece {
                Piece::Axis(dim) if matches!(pool.node(*dim), DimNode::Ragged(_)) => place == 1,
                Piece::Axis(dim) => {
                    matches!(pool.linear(*dim), Ok(form) if form.as_number().is_some())
                }
                Piece::Shape(_) => false,
            });
        if !is_constant {
            self.error(
                Diagnostic::new(
                    data.annotation.span(),
                    "data are one tensor of a constant shape",
                    "this type",
                )
                .help("write an element type and numbers, such as `f32 [2, 3]`; the second axis may be ragged, `f32 [2, *]`"),
            );
        }
        self.names[data.name] = Some(Bound::Plain(found));
        if let (true, [word]) = (is_constant, words.as_slice())
            && let Err(error) = self.counted(data, word)
        {
            self.error(error);
        }
        if is_constant {
            self.finish_value(&Pattern::Name(data.name), node);
        }
    }

    /// Refuses to show a value that has a function in it.
    fn shown(&mut self, value: NodeId) {
        let Some(found) = self.values[value] else {
            return;
        };
        let span = self.program.nodes[value].span.clone();
        if self.is_long(found, &span) {
            return;
        }
        let parts = self.types.parts(found).into_iter();
        let mut kinds = parts.map(|part| self.types.get(part));
        if kinds.any(|part| matches!(part, Type::Function(..))) {
            let message = "a function has no values that could be shown";
            let error = Diagnostic::new(span, message, "this is a function, or has one in it");
            self.error(error.help("call it: `print f(x)`; `infer` shows its type"));
        }
    }

    /// Checks the number of the values of data.
    fn counted(&mut self, data: &syntax::Data, word: &Word) -> Parsed<()> {
        let numbers = word.dims().map(|dim| {
            let form = self.types.pool.linear(dim).ok()?;
            form.as_number().and_then(|size| u64::try_from(size).ok())
        });
        let sizes: Vec<Option<u64>> = numbers.collect();
        if sizes.contains(&None) {
            ragged(data, &sizes)?;
            return of_their_type(data);
        }
        let sizes: Option<Vec<u64>> = sizes.into_iter().collect();
        of_their_type(data)?;
        sizes.map_or(Ok(()), |sizes| counted(data, &sizes))
    }

    /// Reports an error, unless there are very many.
    pub(super) fn error(&mut self, error: Diagnostic) {
        if self.result.errors.len() < MAX_ERRORS {
            self.result.errors.push(error);
        }
    }

    pub(super) fn mismatched(&self, node: NodeId, role: &Role, mismatch: Mismatch) -> Diagnostic {
        super::message::mismatched(self, node, role, mismatch)
    }
}
