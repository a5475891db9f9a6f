//! Types in the form of the paper. Names are a, b, c… in the order of their appearance, and element types t, u, v….

use std::fmt::Write;

use lozenge_axon_vocabulary::{
    DimId, DimNode, DimVar, Equation, Piece, Pool, ShapeVar, TooLarge, Variable, Word,
};
use rustc_hash::FxHashMap;

use super::nodes::Inference;
use super::types::{Element, ElementId, Type, TypeId, Types};
use crate::syntax::NameId;

/// The depth below which a type is not shown.
const DEEPEST: usize = 32;

/// The number of parts of a type that are shown.
pub(super) const LARGEST: usize = 4096;

/// The names that were given so far. Whatever is printed with one printer has the same names.
#[derive(Default)]
pub(super) struct Printer {
    pool: Pool,
    dims: FxHashMap<DimVar, DimId>,
    shapes: FxHashMap<ShapeVar, ShapeVar>,
    elements: FxHashMap<ElementId, String>,
    types: FxHashMap<TypeId, String>,
    parts: usize,
    /// The number of dimensions among these that are known only when a program has run so far.
    late: usize,
}

impl Printer {
    /// Prints a type.
    ///
    /// # Errors
    /// If a number of a dimension does not fit 64 bits.
    pub(super) fn type_of(&mut self, types: &mut Types, id: TypeId) -> Result<String, TooLarge> {
        let mut out = String::new();
        self.write(types, id, 0, &mut out)?;
        Ok(out)
    }

    fn write(
        &mut self,
        types: &mut Types,
        id: TypeId,
        depth: usize,
        out: &mut String,
    ) -> Result<(), TooLarge> {
        self.parts += 1;
        if depth > DEEPEST || self.parts > LARGEST {
            out.push('…');
            return Ok(());
        }
        let (id, found) = types.find(id);
        match found.clone() {
            Type::Unknown(_) | Type::Same(_) => out.push_str(&self.unknown(id)),
            Type::Tensor(element, word) => {
                out.push_str(&self.element(types, element));
                let word = self.word(types, &word)?;
                if !word.0.is_empty() {
                    let _ = write!(out, " {}", word.show(&self.pool));
                }
            }
            Type::Tuple(parts) if depth == 0 => self.list(types, &parts, depth, out)?,
            Type::Tuple(parts) => {
                out.push('(');
                self.list(types, &parts, depth, out)?;
                out.push(')');
            }
            Type::Function(parameters, result) => {
                if depth > 0 {
                    out.push('(');
                }
                match parameters.is_empty() {
                    true => out.push_str("()"),
                    false => self.list(types, &parameters, depth, out)?,
                }
                out.push_str(" -> ");
                match types.get(result).clone() {
                    Type::Tuple(parts) => self.list(types, &parts, depth, out)?,
                    _ => self.write(types, result, depth + 1, out)?,
                }
                if depth > 0 {
                    out.push(')');
                }
            }
        }
        Ok(())
    }

    fn list(
        &mut self,
        types: &mut Types,
        parts: &[TypeId],
        depth: usize,
        out: &mut String,
    ) -> Result<(), TooLarge> {
        for (place, part) in parts.iter().enumerate() {
            if place > 0 {
                out.push_str(", ");
            }
            self.write(types, *part, depth + 1, out)?;
        }
        Ok(())
    }

    fn unknown(&mut self, id: TypeId) -> String {
        let count = self.types.len();
        let made = || format!("?{}", numbered("S", count));
        self.types.entry(id).or_insert_with(made).clone()
    }

    fn element(&mut self, types: &Types, element: ElementId) -> String {
        match types.element(element) {
            (_, Element::Known(known)) => known.to_string(),
            (id, _) => {
                let count = self.elements.len();
                let made = || numbered("tuvw", count);
                self.elements.entry(id).or_insert_with(made).clone()
            }
        }
    }

    /// Translates a word to the names of the printer.
    pub(super) fn word(&mut self, types: &mut Types, word: &Word) -> Result<Word, TooLarge> {
        let mut shown = Vec::new();
        for piece in &word.0 {
            shown.push(match piece {
                Piece::Axis(dim) => Piece::Axis(self.dim(types, *dim)?),
                Piece::Shape(shape) => Piece::Shape(self.shape(*shape)),
            });
        }
        Ok(Word(shown))
    }

    fn shape(&mut self, shape: ShapeVar) -> ShapeVar {
        if let Some(known) = self.shapes.get(&shape) {
            return *known;
        }
        let made = self.name();
        // The names that are given are all different, so none of them names a dimension.
        let made = self.pool.shape_var(&made).unwrap_or(ShapeVar(0));
        self.shapes.insert(shape, made);
        made
    }

    /// Returns the next name.
    fn name(&self) -> String {
        let count = self.dims.len() + self.shapes.len() - self.late;
        numbered("abcdefghijklmnopqrs", count)
    }

    /// Translates a term, in its normal form, to the names of the printer.
    pub(super) fn dim(&mut self, types: &mut Types, dim: DimId) -> Result<DimId, TooLarge> {
        let dim = types.pool.canonical(dim)?;
        let mut new: FxHashMap<DimId, DimId> = FxHashMap::default();
        for part in types.pool.with_parts([dim]) {
            let shown = match types.pool.node(part) {
                DimNode::Number(number) => self.pool.number(number),
                DimNode::Ragged(identity) => self.pool.ragged_with(identity),
                DimNode::Op(op, left, right) => self.pool.op(op, new[&left], new[&right]),
                DimNode::Var(name) => self.dim_name(types, name),
            };
            new.insert(part, shown);
        }
        self.pool.canonical(new[&dim])
    }

    fn dim_name(&mut self, types: &Types, name: DimVar) -> DimId {
        if let Some(known) = self.dims.get(&name) {
            return *known;
        }
        let made = match types.is_runtime(name) {
            true => {
                self.late += 1;
                format!("?{}", self.late)
            }
            false => self.name(),
        };
        let made = self.pool.dim_var(&made).unwrap_or(DimVar(0));
        let made = self.pool.var(made);
        self.dims.insert(name, made);
        made
    }

    /// Prints an equation. The side whose names appear first stands on the left, and one without names on the right.
    pub(super) fn equation(
        &mut self,
        types: &mut Types,
        equation: &Equation,
    ) -> Result<String, TooLarge> {
        let equation = match equation {
            Equation::Shapes(left, right) => {
                let (left, right) = (self.word(types, left)?, self.word(types, right)?);
                let is_turned = self.place(&left) > self.place(&right);
                let (left, right) = if is_turned {
                    (right, left)
                } else {
                    (left, right)
                };
                Equation::Shapes(left, right)
            }
            Equation::Dims(left, right) => {
                let (left, right) = (self.dim(types, *left)?, self.dim(types, *right)?);
                let [first, second] = [left, right].map(|dim| self.place(&Word::list([dim])));
                let (left, right) = if first > second {
                    (right, left)
                } else {
                    (left, right)
                };
                Equation::Dims(left, right)
            }
        };
        Ok(equation.show(&self.pool).to_string())
    }

    /// Returns what the place of a side is decided by: whether it has no names, the last of them, and whether it begins
    /// with a shape.
    fn place(&self, side: &Word) -> (bool, Option<(usize, String)>, bool) {
        let names = side.variables(&self.pool).into_iter();
        let names = names.map(|name| match name {
            Variable::Dim(dim) => self.pool.dim_name(dim).to_string(),
            Variable::Shape(shape) => self.pool.shape_name(shape).to_string(),
        });
        // The letters come first, then the letters with numbers.
        let last = names.map(|name| (name.len(), name)).max();
        let begins_with_a_shape = matches!(side.0.first(), Some(Piece::Shape(_)));
        (last.is_none(), last, begins_with_a_shape)
    }

    /// Tells whether all names of an equation were printed before.
    pub(super) fn knows(&self, pool: &Pool, equation: &Equation) -> bool {
        let names = equation.variables(pool).into_iter();
        let mut names = names.map(|name| match name {
            Variable::Dim(dim) => self.dims.contains_key(&dim),
            Variable::Shape(shape) => self.shapes.contains_key(&shape),
        });
        names.all(|is_known| is_known)
    }

    /// Prints a shape.
    pub(super) fn shape_text(
        &mut self,
        types: &mut Types,
        word: &Word,
    ) -> Result<String, TooLarge> {
        let word = self.word(types, word)?;
        Ok(word.show(&self.pool).to_string())
    }

    /// Prints a tensor's element type and the kind of whatever else a type is, without solving anything.
    pub(super) fn rough(&mut self, types: &Types, id: TypeId) -> String {
        match types.get(id) {
            Type::Tensor(element, _) => format!("a tensor of `{}`", self.element(types, *element)),
            Type::Tuple(parts) => format!("{} values", parts.len()),
            Type::Function(..) => "a function".to_string(),
            Type::Unknown(_) | Type::Same(_) => "anything".to_string(),
        }
    }

    /// Prints a term.
    pub(super) fn term(&mut self, types: &mut Types, dim: DimId) -> Result<String, TooLarge> {
        let dim = self.dim(types, dim)?;
        Ok(self.pool.show(dim).to_string())
    }

    /// Returns the bytes of a tensor as a number and a product of sizes, which is empty for a scalar. An element type
    /// without known size is a factor.
    pub(super) fn product(&mut self, types: &mut Types, id: TypeId) -> Option<(u64, String)> {
        let Type::Tensor(element, word) = types.get(id).clone() else {
            return None;
        };
        let mut factors = Vec::new();
        let mut count = match self.element(types, element).as_str() {
            "f32" | "i32" => 4,
            "f64" | "i64" => 8,
            name => {
                factors.push(format!("bytes({name})"));
                1_u64
            }
        };
        for piece in self.word(types, &word).ok()?.0 {
            let dim = match piece {
                Piece::Axis(dim) => dim,
                Piece::Shape(shape) => {
                    factors.push(format!("size({})", self.pool.shape_name(shape)));
                    continue;
                }
            };
            let mut form = (*self.pool.linear(dim).ok()?).clone();
            match (form.as_number(), form.terms.as_mut_slice()) {
                (Some(size), _) => count = count.checked_mul(u64::try_from(size).ok()?)?,
                (None, [(_, factor)]) if form.constant == 0 && *factor > 0 => {
                    count = count.checked_mul(u64::try_from(*factor).ok()?)?;
                    *factor = 1;
                    let term = self.pool.term(&form);
                    factors.push(self.pool.show(term).to_string());
                }
                _ => factors.push(self.pool.show(dim).to_string()),
            }
        }
        Some((count, factors.join("*")))
    }

    /// Prints the bytes of a tensor.
    fn bytes(&mut self, types: &mut Types, id: TypeId) -> Option<String> {
        let Type::Tensor(element, word) = types.get(id).clone() else {
            return None;
        };
        let size = match self.element(types, element).as_str() {
            "f32" | "i32" => "4".to_string(),
            "f64" | "i64" => "8".to_string(),
            name => format!("bytes({name})"),
        };
        let mut factors = vec![size];
        for piece in self.word(types, &word).ok()?.0 {
            factors.push(match piece {
                Piece::Axis(dim) => self.pool.show(dim).to_string(),
                Piece::Shape(shape) => format!("size({})", self.pool.shape_name(shape)),
            });
        }
        Some(factors.join("*"))
    }
}

/// Returns the name of a number: the letters first, then the letters with numbers.
fn numbered(letters: &str, count: usize) -> String {
    let letter = &letters[count % letters.len()..][..1];
    match count / letters.len() {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

/// Returns the tensors that a name takes and gives, with the bytes of each.
pub(super) fn bytes(
    inference: &mut Inference<'_>,
    printer: &mut Printer,
    name: NameId,
    found: TypeId,
) -> Vec<(String, String)> {
    let mut tensors = super::checks::inputs(inference, name, found);
    let result = match inference.types.get(found) {
        Type::Function(_, result) => *result,
        _ => found,
    };
    super::checks::tensors(&inference.types, "result".into(), result, &mut tensors);
    let types = &mut inference.types;
    tensors
        .into_iter()
        .filter_map(|(path, id)| Some((path, printer.bytes(types, id)?)))
        .collect()
}
