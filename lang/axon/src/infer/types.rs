//! Types while they are inferred: a graph with unknowns, in which equal parts are shared.

use lozenge_axon_vocabulary::{DimId, DimNode, DimVar, Equation, Piece, Pool, ShapeVar, Word};
use rustc_hash::{FxHashMap, FxHashSet};

/// A type of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct TypeId(u32);

/// An element type of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ElementId(u32);

/// The number of functions around the place where an unknown was made. A function that is bound to a name generalises
/// what is made inside it.
pub(super) type Level = u32;

/// A type: unknown, the same as another one, or made of others.
#[derive(Clone, Debug)]
pub(super) enum Type {
    Unknown(Level),
    Same(TypeId),
    Tensor(ElementId, Word),
    Tuple(Box<[TypeId]>),
    Function(Box<[TypeId]>, TypeId),
}

/// An element type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Element {
    Unknown(Level),
    Same(ElementId),
    Known(&'static str),
}

/// The element types that are not names.
pub(super) const ELEMENTS: [&str; 4] = ["f32", "f64", "i32", "i64"];

/// The reason for which two types are not equal.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mismatch {
    /// One is a tensor, a tuple or a function, and the other is another one of these.
    Kinds(TypeId, TypeId),
    /// Tuples or parameters of different numbers.
    Counts(usize, usize),
    /// Different element types.
    Elements(&'static str, &'static str),
    /// An unknown that would be a part of itself.
    Infinite,
}

/// The graph of types, with the names and terms of their shapes.
#[derive(Default)]
pub(super) struct Types {
    types: Vec<Type>,
    elements: Vec<Element>,
    /// The height of the tree of types that are the same as one, for each; the lower tree is put below the other one.
    heights: Vec<u8>,
    /// The same of element types.
    element_heights: Vec<u8>,
    pub(super) pool: Pool,
    dims: Vec<Level>,
    shapes: Vec<Level>,
    /// The levels at which ragged dimensions were written, by their identities.
    ragged: FxHashMap<u32, Level>,
    /// The dimensions that are known when a program has run so far.
    runtime: FxHashSet<DimVar>,
}

/// Making.
impl Types {
    pub(super) fn add(&mut self, made: Type) -> TypeId {
        self.types.push(made);
        self.heights.push(0);
        TypeId(self.types.len() as u32 - 1)
    }

    pub(super) fn add_element(&mut self, made: Element) -> ElementId {
        self.elements.push(made);
        self.element_heights.push(0);
        ElementId(self.elements.len() as u32 - 1)
    }

    pub(super) fn unknown(&mut self, level: Level) -> TypeId {
        self.add(Type::Unknown(level))
    }

    pub(super) fn fresh_dim(&mut self, hint: &str, level: Level) -> DimVar {
        let made = self.pool.fresh_dim(hint.trim_end_matches('\''));
        self.note_names(level);
        made
    }

    /// Makes a dimension that is known when the program has run so far.
    pub(super) fn fresh_runtime(&mut self, level: Level) -> DimVar {
        let made = self.fresh_dim("run", level);
        self.runtime.insert(made);
        made
    }

    pub(super) fn fresh_shape(&mut self, hint: &str, level: Level) -> ShapeVar {
        let made = self.pool.fresh_shape(hint.trim_end_matches('\''));
        self.note_names(level);
        made
    }

    pub(super) fn fresh_ragged(&mut self, level: Level) -> DimId {
        let made = self.pool.ragged();
        if let DimNode::Ragged(identity) = self.pool.node(made) {
            self.ragged.insert(identity, level);
        }
        made
    }

    /// Notes that the names which are new in the pool were made at a level.
    pub(super) fn note_names(&mut self, level: Level) {
        self.dims.resize(self.pool.dim_count(), level);
        self.shapes.resize(self.pool.shape_count(), level);
    }
}

/// Looking.
impl Types {
    /// Returns what a type is, and under which number.
    pub(super) fn find(&self, mut id: TypeId) -> (TypeId, &Type) {
        loop {
            match &self.types[id.0 as usize] {
                Type::Same(other) => id = *other,
                found => return (id, found),
            }
        }
    }

    /// Returns what a type is.
    pub(super) fn get(&self, id: TypeId) -> &Type {
        self.find(id).1
    }

    /// Returns what an element type is, and under which number.
    pub(super) fn element(&self, mut id: ElementId) -> (ElementId, Element) {
        loop {
            match self.elements[id.0 as usize] {
                Element::Same(other) => id = other,
                found => return (id, found),
            }
        }
    }

    pub(super) fn dim_level(&self, dim: DimVar) -> Level {
        self.dims[dim.0 as usize]
    }

    /// Tells whether a dimension is known only when the program has run so far.
    pub(super) fn is_runtime(&self, dim: DimVar) -> bool {
        self.runtime.contains(&dim)
    }

    /// Tells whether an equation says what a dimension is that is known only when the program has run so far.
    pub(super) fn is_late(&self, equation: &Equation) -> bool {
        match equation {
            Equation::Dims(left, right) if left != right => {
                self.is_late_term(*left) || self.is_late_term(*right)
            }
            _ => false,
        }
    }

    /// Tells whether a dimension is computed from one that is known only when the program has run so far.
    pub(super) fn is_late_term(&self, dim: DimId) -> bool {
        let mut names = self.pool.variables(dim).into_iter();
        names.any(|name| self.is_runtime(name))
    }

    pub(super) fn shape_level(&self, shape: ShapeVar) -> Level {
        self.shapes[shape.0 as usize]
    }

    /// Returns every type that a type is made of, itself among them, each once.
    pub(super) fn parts(&self, id: TypeId) -> Vec<TypeId> {
        let mut seen = FxHashSet::default();
        let mut waiting = vec![id];
        let mut parts = Vec::new();
        while let Some(id) = waiting.pop() {
            let (id, found) = self.find(id);
            if !seen.insert(id) {
                continue;
            }
            parts.push(id);
            match found {
                Type::Tuple(inner) => waiting.extend(inner.iter().copied()),
                Type::Function(parameters, result) => {
                    waiting.extend(parameters.iter().copied());
                    waiting.push(*result);
                }
                Type::Unknown(_) | Type::Same(_) | Type::Tensor(..) => {}
            }
        }
        parts
    }

    /// Returns how many types were made.
    pub(super) fn count(&self) -> usize {
        self.types.len()
    }

    /// Returns how many parts a type has where it is written out, in which shared parts stand as often as they are
    /// meant, and each axis and appended shape is a part.
    pub(super) fn written_parts(&self, id: TypeId) -> usize {
        let mut counts: FxHashMap<TypeId, usize> = FxHashMap::default();
        let mut waiting = vec![id];
        while let Some(&next) = waiting.last() {
            let (next, found) = self.find(next);
            let inner: Vec<TypeId> = match found {
                _ if counts.contains_key(&next) => Vec::new(),
                Type::Tuple(parts) => parts.to_vec(),
                Type::Function(parts, result) => parts.iter().copied().chain([*result]).collect(),
                Type::Unknown(_) | Type::Same(_) | Type::Tensor(..) => Vec::new(),
            };
            let inner = inner.into_iter().map(|part| self.find(part).0);
            let (known, missing): (Vec<TypeId>, Vec<TypeId>) =
                inner.partition(|part| counts.contains_key(part));
            if missing.is_empty() {
                let own = match found {
                    Type::Tensor(_, word) => 1 + word.0.len(),
                    _ => 1,
                };
                let sum = known
                    .iter()
                    .fold(own, |sum: usize, part| sum.saturating_add(counts[part]));
                counts.entry(next).or_insert(sum);
                waiting.pop();
            }
            waiting.extend(missing);
        }
        counts[&self.find(id).0]
    }

    /// Returns the words of the tensors of a type, each once.
    pub(super) fn words(&self, id: TypeId) -> Vec<Word> {
        let parts = self.parts(id).into_iter();
        let words = parts.filter_map(|part| match self.get(part) {
            Type::Tensor(_, word) => Some(word.clone()),
            _ => None,
        });
        words.collect()
    }
}

/// Unification.
impl Types {
    /// Makes two types equal. Equations between their shapes are collected.
    ///
    /// # Errors
    /// If they cannot be equal whatever the shapes are.
    pub(super) fn unify(
        &mut self,
        left: TypeId,
        right: TypeId,
        equations: &mut Vec<Equation>,
    ) -> Result<(), Mismatch> {
        let mut seen = FxHashSet::default();
        let mut waiting = vec![(left, right)];
        while let Some((left, right)) = waiting.pop() {
            let ((left, first), (right, second)) = (self.find(left), self.find(right));
            if left == right || !seen.insert((left, right)) {
                continue;
            }
            match (first, second) {
                (&Type::Unknown(level), &Type::Unknown(other)) => {
                    match self.is_higher(left, right) {
                        true => self.bind(right, other, left)?,
                        false => self.bind(left, level, right)?,
                    }
                }
                (&Type::Unknown(level), _) => self.bind(left, level, right)?,
                (_, &Type::Unknown(level)) => self.bind(right, level, left)?,
                (Type::Tensor(element, word), Type::Tensor(other, with)) => {
                    if word != with {
                        equations.push(Equation::Shapes(word.clone(), with.clone()));
                    }
                    let (element, other) = (*element, *other);
                    self.unify_elements(element, other)?;
                }
                (Type::Tuple(parts), Type::Tuple(others)) => {
                    if parts.len() != others.len() {
                        return Err(Mismatch::Counts(parts.len(), others.len()));
                    }
                    waiting.extend(parts.iter().copied().zip(others.iter().copied()).rev());
                }
                (Type::Function(parts, result), Type::Function(others, other)) => {
                    if parts.len() != others.len() {
                        return Err(Mismatch::Counts(parts.len(), others.len()));
                    }
                    waiting.push((*result, *other));
                    waiting.extend(parts.iter().copied().zip(others.iter().copied()).rev());
                }
                _ => return Err(Mismatch::Kinds(left, right)),
            }
        }
        Ok(())
    }

    /// Says what an unknown is. Whatever it is made of becomes at most as general as the unknown was.
    fn bind(&mut self, unknown: TypeId, level: Level, to: TypeId) -> Result<(), Mismatch> {
        for part in self.parts(to) {
            if part == unknown {
                return Err(Mismatch::Infinite);
            }
            match self.types[part.0 as usize].clone() {
                Type::Unknown(own) => self.types[part.0 as usize] = Type::Unknown(own.min(level)),
                Type::Tensor(element, word) => {
                    self.lower_element(element, level);
                    self.lower_word(&word, level);
                }
                Type::Same(_) | Type::Tuple(_) | Type::Function(..) => {}
            }
        }
        self.types[unknown.0 as usize] = Type::Same(to);
        Ok(())
    }

    /// Tells whether the tree of types that are the same as the first is higher, and notes the height of both together.
    fn is_higher(&mut self, left: TypeId, right: TypeId) -> bool {
        let [one, other] = [left, right].map(|id| self.heights[id.0 as usize]);
        if one == other {
            self.heights[right.0 as usize] = other.saturating_add(1);
        }
        one > other
    }

    fn lower_element(&mut self, element: ElementId, level: Level) {
        if let (element, Element::Unknown(own)) = self.element(element) {
            self.elements[element.0 as usize] = Element::Unknown(own.min(level));
        }
    }

    fn lower_word(&mut self, word: &Word, level: Level) {
        for piece in &word.0 {
            match piece {
                Piece::Shape(shape) => {
                    let own = &mut self.shapes[shape.0 as usize];
                    *own = (*own).min(level);
                }
                Piece::Axis(dim) => {
                    for name in self.pool.variables(*dim) {
                        let own = &mut self.dims[name.0 as usize];
                        *own = (*own).min(level);
                    }
                }
            }
        }
    }

    pub(super) fn unify_elements(
        &mut self,
        left: ElementId,
        right: ElementId,
    ) -> Result<(), Mismatch> {
        let ((left, first), (right, second)) = (self.element(left), self.element(right));
        match (first, second) {
            _ if left == right => {}
            (Element::Unknown(level), Element::Unknown(other)) => {
                let [one, two] = [left, right].map(|id| self.element_heights[id.0 as usize]);
                let (below, above) = if one > two {
                    (right, left)
                } else {
                    (left, right)
                };
                if one == two {
                    self.element_heights[above.0 as usize] = two.saturating_add(1);
                }
                self.elements[above.0 as usize] = Element::Unknown(level.min(other));
                self.elements[below.0 as usize] = Element::Same(above);
            }
            (Element::Unknown(_), _) => self.elements[left.0 as usize] = Element::Same(right),
            (_, Element::Unknown(_)) => self.elements[right.0 as usize] = Element::Same(left),
            (Element::Known(one), Element::Known(other)) if one != other => {
                return Err(Mismatch::Elements(one, other));
            }
            _ => {}
        }
        Ok(())
    }
}

/// The replacements of names and unknowns in a copy of a type.
#[derive(Default)]
pub(super) struct Renaming {
    /// The level above which unknowns and names are made anew, and the level at which; none leaves them.
    pub(super) fresh: Option<(Level, Level)>,
    pub(super) dims: FxHashMap<DimVar, DimId>,
    pub(super) shapes: FxHashMap<ShapeVar, Word>,
    ragged: FxHashMap<u32, DimId>,
    elements: FxHashMap<ElementId, ElementId>,
    types: FxHashMap<TypeId, TypeId>,
}

impl Renaming {
    /// Returns a renaming that makes everything anew whose level is above `above`.
    pub(super) fn fresh(above: Level, level: Level) -> Renaming {
        Renaming {
            fresh: Some((above, level)),
            ..Renaming::default()
        }
    }
}

/// Copying.
impl Types {
    /// Copies a type.
    pub(super) fn copied(&mut self, id: TypeId, renaming: &mut Renaming) -> TypeId {
        let mut waiting = vec![id];
        while let Some(&next) = waiting.last() {
            let (next, found) = self.find(next);
            if renaming.types.contains_key(&next) {
                waiting.pop();
                continue;
            }
            let found = found.clone();
            let missing = |parts: &mut dyn Iterator<Item = TypeId>| -> Vec<TypeId> {
                parts
                    .filter(|part| !renaming.types.contains_key(&self.find(*part).0))
                    .collect()
            };
            let missing = match &found {
                Type::Tuple(parts) => missing(&mut parts.iter().copied()),
                Type::Function(parts, result) => {
                    missing(&mut parts.iter().copied().chain([*result]))
                }
                _ => Vec::new(),
            };
            if !missing.is_empty() {
                waiting.extend(missing);
                continue;
            }
            let copy = self.copy_of(next, found, renaming);
            renaming.types.insert(next, copy);
            waiting.pop();
        }
        renaming.types[&self.find(id).0]
    }

    /// Copies a type whose parts are copied.
    fn copy_of(&mut self, id: TypeId, found: Type, renaming: &mut Renaming) -> TypeId {
        let part = |types: &Types, part: TypeId| renaming.types[&types.find(part).0];
        match found {
            Type::Unknown(level) => match renaming.fresh {
                Some((above, new)) if level > above => self.unknown(new),
                _ => id,
            },
            Type::Same(other) => other,
            Type::Tensor(element, word) => {
                let element = self.copied_element(element, renaming);
                let word = self.copied_word(&word, renaming);
                self.add(Type::Tensor(element, word))
            }
            Type::Tuple(parts) => {
                let parts = parts.iter().map(|inner| part(self, *inner)).collect();
                self.add(Type::Tuple(parts))
            }
            Type::Function(parts, result) => {
                let result = part(self, result);
                let parts = parts.iter().map(|inner| part(self, *inner)).collect();
                self.add(Type::Function(parts, result))
            }
        }
    }

    fn copied_element(&mut self, element: ElementId, renaming: &mut Renaming) -> ElementId {
        let (element, found) = self.element(element);
        match (found, renaming.fresh) {
            (Element::Unknown(own), Some((above, level))) if own > above => {
                let known = renaming.elements.get(&element).copied();
                known.unwrap_or_else(|| {
                    let made = self.add_element(Element::Unknown(level));
                    renaming.elements.insert(element, made);
                    made
                })
            }
            _ => element,
        }
    }

    /// Copies a word.
    pub(super) fn copied_word(&mut self, word: &Word, renaming: &mut Renaming) -> Word {
        let mut copy = Vec::with_capacity(word.0.len());
        for piece in &word.0 {
            match piece {
                Piece::Axis(dim) => copy.push(Piece::Axis(self.copied_dim(*dim, renaming))),
                Piece::Shape(shape) => {
                    self.prepare_shape(*shape, renaming);
                    match renaming.shapes.get(shape) {
                        Some(word) => copy.extend_from_slice(&word.0),
                        None => copy.push(*piece),
                    }
                }
            }
        }
        Word(copy)
    }

    fn prepare_shape(&mut self, shape: ShapeVar, renaming: &mut Renaming) {
        let Some((above, level)) = renaming.fresh else {
            return;
        };
        if self.shape_level(shape) > above && !renaming.shapes.contains_key(&shape) {
            let hint = hint(self.pool.shape_name(shape));
            let made = self.fresh_shape(&hint, level);
            renaming.shapes.insert(shape, Word::name(made));
        }
    }

    /// Copies a term.
    pub(super) fn copied_dim(&mut self, dim: DimId, renaming: &mut Renaming) -> DimId {
        if let Some((above, level)) = renaming.fresh {
            if let DimNode::Ragged(identity) = self.pool.node(dim)
                && self.ragged.get(&identity).is_some_and(|own| *own > above)
            {
                let known = renaming.ragged.get(&identity).copied();
                let made = known.unwrap_or_else(|| self.fresh_ragged(level));
                renaming.ragged.insert(identity, made);
                return made;
            }
            for name in self.pool.variables(dim) {
                if self.dim_level(name) > above && !renaming.dims.contains_key(&name) {
                    let made = match self.is_runtime(name) {
                        true => self.fresh_runtime(level),
                        false => {
                            let hint = hint(self.pool.dim_name(name));
                            self.fresh_dim(&hint, level)
                        }
                    };
                    let made = self.pool.var(made);
                    renaming.dims.insert(name, made);
                }
            }
        }
        self.pool
            .substituted(dim, |name| renaming.dims.get(&name).copied())
    }

    /// Copies an equation.
    pub(super) fn copied_equation(
        &mut self,
        equation: &Equation,
        renaming: &mut Renaming,
    ) -> Equation {
        match equation {
            Equation::Shapes(left, right) => Equation::Shapes(
                self.copied_word(left, renaming),
                self.copied_word(right, renaming),
            ),
            Equation::Dims(left, right) => Equation::Dims(
                self.copied_dim(*left, renaming),
                self.copied_dim(*right, renaming),
            ),
        }
    }
}

/// Returns what a name was called before it was numbered.
pub(super) fn hint(name: &str) -> String {
    name.split('\'').next().unwrap_or(name).to_string()
}
