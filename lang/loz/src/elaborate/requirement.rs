//! The requirements of each family of operations on the rows of its tensors (§10, the audit of `shape.ml`).

use std::collections::{BTreeMap, BTreeSet};

use lozenge_vocabulary::dim::{Basis, Dim};
use lozenge_vocabulary::operation::{Kind, Requirement, Shape, Side};
use lozenge_vocabulary::program::Span;
use lozenge_vocabulary::projections::Index;
use lozenge_vocabulary::window::Window;
use lozenge_vocabulary::{
    self as vocabulary, Composite, Composition, Constraint, DimTerm, DimVar, Elements, RowTerm,
    RowVar,
};

use super::sizes::{Meaning, stated};
use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::parse::window::at_least_one;
use crate::syntax::region::Concat;
use crate::syntax::{Amount, WrittenWindow};
use crate::syntax::{Axis, Size, Spec, Template, TemplateRow};
use crate::syntax::{Factor, WrittenConcat, WrittenProduct};

fn below(result: (usize, Kind), operand: (usize, Kind)) -> Requirement {
    Requirement::Below(
        Side::Slot(result.0, result.1),
        Side::Slot(operand.0, operand.1),
    )
}

/// Requires of pointwise operations that row by row, the result is below each operand.
pub(crate) fn pointwise(operands: usize) -> Vec<Requirement> {
    (1..=operands)
        .flat_map(|slot| Kind::ALL.map(|kind| below((0, kind), (slot, kind))))
        .collect()
}

/// Requires of `a * b` that the input of `a` is contracted against the output of `b`, as in the composition of
/// functions.
pub(crate) fn compose() -> Vec<Requirement> {
    vec![
        below((0, Kind::Batch), (1, Kind::Batch)),
        below((0, Kind::Batch), (2, Kind::Batch)),
        below((0, Kind::Input), (2, Kind::Input)),
        below((0, Kind::Output), (1, Kind::Output)),
        below((1, Kind::Input), (2, Kind::Output)),
    ]
}

/// Requires that input and output are exchanged.
pub(crate) fn transpose() -> Vec<Requirement> {
    vec![
        below((0, Kind::Batch), (1, Kind::Batch)),
        below((0, Kind::Input), (1, Kind::Output)),
        below((0, Kind::Output), (1, Kind::Input)),
    ]
}

/// Requires that the tensor of a slot equals a written shape, row by row.
pub(crate) fn written(slot: usize, shape: Shape<RowTerm>) -> Vec<Requirement> {
    let equal = |kind| {
        let written = Side::Template(shape.row(kind).clone());
        Requirement::Equal(Side::Slot(slot, kind), written)
    };
    Kind::ALL.map(equal).into()
}

/// Selects from the requirements of a spec with one operand those on the operand, whose rows are given.
pub(crate) fn of_operand(
    requirements: Vec<Requirement>,
    shape: &Shape<RowTerm>,
) -> Vec<Requirement> {
    let row = |side: Side| match side {
        Side::Slot(_, kind) => shape.row(kind).clone(),
        Side::Template(row) => row,
    };
    let about = requirements
        .into_iter()
        .filter_map(|requirement| match requirement {
            Requirement::Equal(Side::Slot(0, _), _) => None,
            Requirement::Equal(left, right) => {
                let stated = Constraint::RowEq(row(left), row(right));
                Some(Requirement::Template(stated))
            }
            other => Some(other),
        });
    about.collect()
}

/// Requires of `x @| i` that the first batch axis of the operand is fixed to the position `i`, and that the result has
/// the remaining axes. `x @| (_, i)` states for each batch axis whether it is read at a position or kept; the rows are
/// closed, with their markers at the front, so that the axes of the result are matched like those of data.
pub(crate) fn slice(positions: Vec<Option<Index>>, number: usize) -> Required {
    let rest = match positions.len() {
        1 => Some(RowVar::new(&format!("batch'{number}"))),
        _ => None,
    };
    let row = |axes: Vec<DimTerm>| {
        Side::Template(match &rest {
            Some(rest) => RowTerm {
                leading: axes,
                var: Some(rest.clone()),
                trailing: Vec::new(),
            },
            None => RowTerm::closed(Vec::new(), axes),
        })
    };
    let (mut read, mut kept, mut pins) = (Vec::new(), Vec::new(), BTreeMap::new());
    for (axis, position) in (1..).zip(positions) {
        match position {
            Some(position) => {
                let at = DimVar::new(&format!("at_{position}'{number}'{axis}"));
                read.push(DimTerm::from(at.clone()));
                pins.insert(at, position);
            }
            None => {
                let whole = DimTerm::from(DimVar::new(&format!("axis{axis}'{number}'1")));
                read.push(whole.clone());
                kept.push(whole);
            }
        }
    }
    let same = |kind| Requirement::Equal(Side::Slot(0, kind), Side::Slot(1, kind));
    let requirements = vec![
        Requirement::Equal(Side::Slot(0, Kind::Batch), row(kept)),
        Requirement::Equal(row(read), Side::Slot(1, Kind::Batch)),
        same(Kind::Input),
        same(Kind::Output),
    ];
    (requirements, pins)
}

/// Requires for the operand of `stack` at a position that the batch row of the result is that of the operand, with the
/// new axis last.
pub(crate) fn stacked(position: u64, size: u64, number: usize) -> Required {
    let at = DimVar::new(&format!("at_{position}'{number}'1"));
    let rest = RowVar::new(&format!("batch'{number}"));
    let row = |trailing: Vec<DimTerm>| {
        Side::Template(RowTerm {
            leading: Vec::new(),
            var: Some(rest.clone()),
            trailing,
        })
    };
    let same = |kind| Requirement::Equal(Side::Slot(0, kind), Side::Slot(1, kind));
    let mut requirements = vec![
        Requirement::Equal(Side::Slot(0, Kind::Batch), row(vec![at.clone().into()])),
        Requirement::Equal(row(Vec::new()), Side::Slot(1, Kind::Batch)),
        same(Kind::Input),
        same(Kind::Output),
    ];
    if let Some(dim) = Dim::based(size, Basis::Default) {
        let stated = Constraint::DimEq(at.clone().into(), dim.into());
        requirements.push(Requirement::Template(stated));
    }
    (requirements, BTreeMap::from([(at, Index::Fix(position))]))
}

/// The requirements of an operation with a spec, and the positions that the spec fixes.
pub(crate) type Required = (Vec<Requirement>, BTreeMap<DimVar, Index>);

/// Requires for each kind that the result equals its template, and the template of each operand equals the operand;
/// with the positions that the spec fixes, and the sizes that it states. `number` distinguishes the variables of this
/// operation from those of others.
///
/// # Errors
/// If a size is not known, or a position is past the end of an axis whose size is stated.
pub(crate) fn einsum<'s>(spec: &'s Spec, number: usize, sizes: &dyn Meaning) -> Parsed<Einsum<'s>> {
    let mut variables = Variables {
        slot: 0,
        concats: Vec::new(),
        number,
        sizes,
        pins: BTreeMap::new(),
        stated: Vec::new(),
        made: 0,
    };
    let result = variables.template(&spec.result)?;
    let mut requirements: Vec<_> = Kind::ALL
        .map(|kind| {
            let template = Side::Template(result.row(kind).clone());
            Requirement::Equal(Side::Slot(0, kind), template)
        })
        .into();
    for (operand, template) in spec.operands.iter().enumerate() {
        variables.slot = operand + 1;
        let template = variables.template(template)?;
        requirements.extend(Kind::ALL.map(|kind| {
            let tensor = Side::Slot(operand + 1, kind);
            Requirement::Equal(Side::Template(template.row(kind).clone()), tensor)
        }));
    }
    let mut concats = variables.concats;
    for concat in &mut concats {
        concat.requirement += requirements.len();
    }
    requirements.extend(variables.stated);
    Ok(Einsum {
        requirements,
        pins: variables.pins,
        concats,
    })
}

/// The constraints and positions of a spec.
pub(crate) struct Einsum<'s> {
    pub requirements: Vec<Requirement>,
    /// The positions that it fixes.
    pub pins: BTreeMap<DimVar, Index>,
    /// Its concatenations.
    pub concats: Vec<Concat<'s>>,
}

impl Einsum<'_> {
    /// Lists the parts of concatenations that may be empty.
    pub fn rests(&self) -> BTreeSet<DimVar> {
        let concats = self.concats.iter();
        concats
            .flat_map(|concat| concat.rests.iter().cloned())
            .collect()
    }
}

/// The template variables of one operation. A label, which has no prime, becomes `label'number`.
struct Variables<'m, 's> {
    number: usize,
    /// The slot whose template is read.
    slot: usize,
    sizes: &'m dyn Meaning,
    /// The concatenations, each with the index of its requirement in `stated`.
    concats: Vec<Concat<'s>>,
    pins: BTreeMap<DimVar, Index>,
    /// The requirements on sizes that the spec states.
    stated: Vec<Requirement>,
    /// The number of composite axes so far.
    made: usize,
}

impl<'s> Variables<'_, 's> {
    fn template(&mut self, template: &'s Template) -> Parsed<Shape<RowTerm>> {
        Ok(Shape {
            batch: self.row(&template.batch)?,
            input: self.row(&template.input)?,
            output: self.row(&template.output)?,
        })
    }

    fn row(&mut self, row: &'s TemplateRow) -> Parsed<RowTerm> {
        let number = self.number;
        Ok(RowTerm {
            leading: self.flank(&row.leading)?,
            var: row
                .variable()
                .map(|v| RowVar::new(&format!("{}'{number}", v.name))),
            trailing: self.flank(&row.trailing)?,
        })
    }

    fn flank(&mut self, axes: &'s [Axis]) -> Parsed<Vec<DimTerm>> {
        axes.iter().map(|axis| self.axis(axis)).collect()
    }

    fn axis(&mut self, axis: &'s Axis) -> Parsed<DimTerm> {
        let number = self.number;
        let (var, size) = match axis {
            Axis::Size(dim, _) => return Ok(DimTerm::Const(dim.clone())),
            Axis::Window(window) => return self.window(window),
            Axis::Concat(concat) => return self.concat(concat),
            Axis::Product(product) => return self.product(product),
            Axis::Label(label, size) => (DimVar::new(&format!("{}'{number}", label.name)), size),
            // Each fixed position gets a variable of its own: the axes of two positions may differ in size.
            Axis::Position { position, size, .. } => {
                let occurrence = self.pins.len() + 1;
                let var = DimVar::new(&format!("at_{position}'{number}'{occurrence}"));
                self.pins.insert(var.clone(), Index::Fix(*position));
                (var, size)
            }
        };
        if let Some(size) = size {
            let term = stated(size, self.sizes)?;
            if let (Axis::Position { position, span, .. }, DimTerm::Const(dim)) = (axis, &term)
                && *position >= dim.size()
            {
                return Err(past_the_end(*position, dim, span.clone()));
            }
            self.state(Constraint::DimEq(var.clone().into(), term));
        }
        Ok(var.into())
    }

    fn state(&mut self, constraint: Constraint) {
        self.stated.push(Requirement::Template(constraint));
    }

    /// Makes the variable of a composite axis.
    fn made_of<'n>(&mut self, labels: impl Iterator<Item = &'n str>) -> DimVar {
        self.made += 1;
        let labels: Vec<&str> = labels.collect();
        DimVar::new(&format!(
            "of_{}'{}'{}",
            labels.join("_"),
            self.number,
            self.made
        ))
    }

    /// Makes the term of a variable, with its stated size, if any, added to the requirements.
    fn sized(&mut self, var: DimVar, size: Option<&Size>) -> Parsed<DimTerm> {
        if let Some(size) = size {
            let term = stated(size, self.sizes)?;
            self.state(Constraint::DimEq(var.clone().into(), term));
        }
        Ok(var.into())
    }

    /// Makes the term of a concatenation, which is an axis of its own, whose size is the sum of those of its parts.
    fn concat(&mut self, concat: &'s WrittenConcat) -> Parsed<DimTerm> {
        let number = self.number;
        let labels = concat.parts.iter().map(|part| part.label.name.as_str());
        let whole: DimTerm = self.made_of(labels).into();
        let made = self.made;
        let mut parts = Vec::with_capacity(concat.parts.len());
        let mut rests = Vec::new();
        for (at, part) in concat.parts.iter().enumerate() {
            let name = match part.is_named() {
                true => format!("{}'{number}", part.label.name),
                // Two parts without labels may differ in size.
                false => format!("beside'{number}'{made}_{at}"),
            };
            let var = DimVar::new(&name);
            if !part.is_named() && part.size.is_none() {
                rests.push(var.clone());
            }
            parts.push(self.sized(var, part.size.as_ref())?);
        }
        self.concats.push(Concat {
            requirement: self.stated.len(),
            slot: self.slot,
            rests,
            parts: concat
                .parts
                .iter()
                .map(|part| part.is_named().then_some(&part.label))
                .collect(),
            span: concat.span.clone(),
        });
        self.state(Constraint::Composite(Composite {
            composition: Composition::Concat,
            whole: whole.clone(),
            parts,
        }));
        Ok(whole)
    }

    /// Makes the term of a product, which is an axis of its own, whose size is the product of those of its factors.
    fn product(&mut self, product: &'s WrittenProduct) -> Parsed<DimTerm> {
        let number = self.number;
        let names = product.factors.iter().map(|factor| match factor {
            Factor::Label(label, _) | Factor::Row(label) => label.name.as_str(),
            Factor::Position { .. } => "at",
        });
        let whole: DimTerm = self.made_of(names).into();
        let made = self.made;
        let mut factors = Vec::with_capacity(product.factors.len());
        for (at, factor) in product.factors.iter().enumerate() {
            factors.push(vocabulary::Factor::Axis(match factor {
                Factor::Row(row) => {
                    let var = RowVar::new(&format!("{}'{number}", row.name));
                    factors.push(vocabulary::Factor::Row(var.into()));
                    continue;
                }
                Factor::Label(label, size) => {
                    let var = DimVar::new(&format!("{}'{number}", label.name));
                    self.sized(var, size.as_ref())?
                }
                Factor::Position {
                    position,
                    span,
                    size,
                } => {
                    let var = DimVar::new(&format!("at_{position}'{number}'{made}_{at}"));
                    if let DimTerm::Const(dim) = stated(size, self.sizes)?
                        && *position >= dim.size()
                    {
                        return Err(past_the_end(*position, &dim, span.clone()));
                    }
                    self.pins.insert(var.clone(), Index::Fix(*position));
                    self.sized(var, Some(size))?
                }
            }));
        }
        let elements = Elements {
            whole: whole.clone(),
            factors,
        };
        let counts_rows = elements.rows().next().is_some();
        self.state(match elements.closed().filter(|_| !counts_rows) {
            Some(product) => Constraint::Composite(product),
            None => Constraint::Elements(elements),
        });
        Ok(whole)
    }

    /// Makes the term of a window, which is an axis of its own, with the relation of its size to those of its labels.
    fn window(&mut self, window: &WrittenWindow) -> Parsed<DimTerm> {
        let number = self.number;
        let axis = self.made_of(window.terms.iter().map(|term| term.label.name.as_str()));
        let mut terms = Vec::with_capacity(window.terms.len());
        for term in &window.terms {
            let label: DimTerm = DimVar::new(&format!("{}'{number}", term.label.name)).into();
            if let Some(size) = &term.size {
                let size = stated(size, self.sizes)?;
                self.state(Constraint::DimEq(label.clone(), size));
            }
            terms.push((at_least_one(self.amount(&term.coefficient)?), label));
        }
        let (stride, over) = terms.remove(0);
        let [low, high] = &window.margins;
        if window.phase >= stride.get() {
            return Err(Diagnostic::new(
                window.span.clone(),
                format!(
                    "position {} is past the end of a block of {stride}",
                    window.phase
                ),
                "a number at the end of a window",
            )
            .help("the positions of a block are below its stride"));
        }
        let stated = Window {
            axis: axis.clone().into(),
            stride,
            over,
            taps: terms,
            phase: window.phase,
            mode: window.mode,
            low: self.amount(low)?,
            high: self.amount(high)?,
        };
        self.state(Constraint::Window(stated));
        Ok(axis.into())
    }

    /// Evaluates the value of a coefficient or a margin. A name must be that of a size that is known before inference.
    fn amount(&self, amount: &Amount) -> Parsed<u64> {
        match amount {
            Amount::Written(value) => Ok(*value),
            Amount::Named(name) => match stated(&Size::Named(name.clone()), self.sizes)? {
                DimTerm::Const(dim) => Ok(dim.size()),
                DimTerm::Var(_) => {
                    let shown = brief(&name.name);
                    Err(Diagnostic::new(
                        name.span.clone(),
                        format!("`{shown}` is known only after inference"),
                        "how windows lie is decided before it",
                    )
                    .help(format!("give it a value: `size {shown} = 2`")))
                }
            },
        }
    }
}

fn past_the_end(position: u64, dim: &Dim, span: Span) -> Diagnostic {
    let last = dim.size() - 1;
    Diagnostic::new(
        span.clone(),
        format!("position {position} is past the end of an axis of size {dim}"),
        "positions are counted from 0",
    )
    .edit(
        format!("if the last position is meant, it is {last}"),
        span,
        last.to_string(),
    )
}
