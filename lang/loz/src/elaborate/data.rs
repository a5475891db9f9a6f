//! Data: tensors whose values are given with the program, and the sizes that these values or their files determine.

use lozenge_vocabulary::dim::{Basis, Dim};
use lozenge_vocabulary::operation::Shape;
use lozenge_vocabulary::program::{Source, Span, Values};
use lozenge_vocabulary::{DimTerm, RowTerm, Tag};

use super::Elaboration;
use super::scope::{Sort, Value};
use super::sizes;
use crate::data::load::{axes_in_file, extent};
use crate::data::{fitting_shape, listed};
use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::syntax::Written;
use crate::syntax::{Axis, Labelled, Name, Size, TemplateRow};

/// A label with its basis, and the size that the values give it.
type SizedLabel<'s> = (&'s Labelled, Basis, u64);

impl<'a> Elaboration<'a, '_> {
    pub(super) fn data(
        &mut self,
        name: &Name<'a>,
        shape: Option<&Written>,
        values: &Values,
        everywhere: bool,
        place: &Span,
    ) {
        if self.frames.len() > 1 || self.scopes.all[self.scope].sort == Sort::Turn {
            let error = Diagnostic::new(
                name.span.clone(),
                "data inside a function or a loop",
                "read in each call",
            )
            .help("put it at the left margin, and give it to the function");
            return self.breaks(name, error);
        }
        let sized = match shape {
            Some(written) if everywhere => self.all_sizes_known(written, place),
            Some(written) => self.sizes_of_values(name, written, values, place),
            None => Ok(()),
        };
        let count = match everywhere {
            true => None,
            false => listed(values),
        };
        match sized.and_then(|()| self.data_shape(shape, values, count, place)) {
            Ok(rows) => {
                let source = Source::Data(values.clone());
                let full = self.full_name(name.text);
                let id = self.tensor(full, &name.span, source, rows, Tag::Leaf);
                if let Some(label) = shape.and_then(|(shape, _)| first_label(&shape.batch)) {
                    self.tensors.rows_of.push((label.to_string(), id));
                }
                self.bind(name.text, Value::Tensor(id), &name.span, false);
            }
            Err(error) => self.breaks(name, error),
        }
    }

    /// Refuses a label without a size in the shape of data that is one number in every cell, since a number says none.
    fn all_sizes_known(&self, written: &Written, place: &Span) -> Parsed<()> {
        for axis in written.0.rows().into_iter().flat_map(TemplateRow::axes) {
            if let Err((label, _)) = self.size_or_label(axis)? {
                let shown = brief(&label.name);
                let message = format!("nothing says how large `{shown}` is");
                return Err(Diagnostic::new(label.span.clone(), message, "no size")
                    .other(place.clone(), "the number in every cell")
                    .help(format!("write the size, `{shown}:100`")));
            }
        }
        Ok(())
    }

    /// Determines the rows of a data tensor, whose shape is written or follows from the values.
    fn data_shape(
        &self,
        shape: Option<&Written>,
        values: &Values,
        count: Option<u64>,
        place: &Span,
    ) -> Parsed<Shape<RowTerm>> {
        let written = match shape {
            Some(written) => Some((sizes::closed(written, &self.meaning())?, written.1.clone())),
            None => None,
        };
        let terms = |dims: &[Dim]| dims.iter().cloned().map(DimTerm::Const).collect();
        let shape = fitting_shape(
            written,
            values,
            count,
            place,
            self.program.surroundings.limits.values,
        )?;
        Ok(shape.map(|_, (leading, trailing)| RowTerm::closed(terms(leading), terms(trailing))))
    }

    /// Gives sizes to the labels of a shape that have none: the number of values, divided by the product of the other
    /// sizes.
    fn sizes_of_values(
        &mut self,
        name: &Name<'a>,
        written: &Written,
        values: &Values,
        place: &Span,
    ) -> Parsed<()> {
        let (shape, at) = written;
        let axes: Vec<&Axis> = shape
            .rows()
            .into_iter()
            .flat_map(TemplateRow::axes)
            .collect();
        let mut unknown: Vec<(&Labelled, Basis)> = Vec::new();
        let mut rest = Some(1u64);
        for axis in &axes {
            match self.size_or_label(axis)? {
                Ok(size) => rest = rest.and_then(|rest| rest.checked_mul(size)),
                Err(label) => unknown.push(label),
            }
        }
        if unknown.is_empty() {
            return self.same_size_in_file(name, &axes, rest, values, place);
        }
        if let Some(sized) = self.sizes_by_axes(name, &axes, values)? {
            self.define_by_values(name, sized);
            return Ok(());
        }
        let (rows, columns) = self.extent_of(name, &unknown, values, place)?;
        let total = rows.checked_mul(columns);
        let sized: Vec<SizedLabel> = match (unknown.as_slice(), rest, total) {
            ([(label, basis)], Some(rest), Some(total)) if total.is_multiple_of(rest) => {
                vec![(*label, basis.clone(), total / rest)]
            }
            ([(label, _)], ..) => {
                let message = format!(
                    "{} values cannot be divided into as many as the other axes have",
                    total.map_or("too many".to_string(), |total| total.to_string())
                );
                return Err(
                    Diagnostic::new(label.span.clone(), message, "no whole number")
                        .other(place.clone(), format!("{rows} rows of {columns} values"))
                        .help("correct the sizes of the other axes, or the columns that are read"),
                );
            }
            ([first, second], ..) if axes.len() == 2 && matches!(values, Values::Csv(_)) => vec![
                (first.0, first.1.clone(), rows),
                (second.0, second.1.clone(), columns),
            ],
            _ => {
                return Err(Diagnostic::new(
                    unknown[1].0.span.clone(),
                    "more than one size is left open",
                    "the second",
                )
                .other(
                    at.clone(),
                    "the values say one size, those of a file two if there are just two axes",
                )
                .help("write the sizes of the others"));
            }
        };
        self.define_by_values(name, sized);
        Ok(())
    }

    fn define_by_values(&mut self, name: &Name<'a>, sized: Vec<SizedLabel>) {
        for (label, basis, size) in sized {
            if let Some(dim) = Dim::based(size, basis) {
                self.scopes.all[self.scope]
                    .sizes
                    .define_by_values(label, dim, name.text);
            }
        }
    }

    /// Reads the sizes of the labels that have none, from an array with as many axes as the shape; `None` if the file
    /// has no axes or another number of them.
    fn sizes_by_axes<'s>(
        &self,
        name: &Name<'a>,
        axes: &[&'s Axis],
        values: &Values,
    ) -> Parsed<Option<Vec<SizedLabel<'s>>>> {
        let (Values::Csv(csv), Some(folder)) = (values, &self.program.surroundings.folder) else {
            return Ok(None);
        };
        let sizes = axes_in_file(
            csv,
            folder,
            name.text,
            &name.span,
            self.program.surroundings.limits,
        );
        let sizes = sizes.map_err(|error| error.diagnostic())?;
        let Some(sizes) = sizes.filter(|sizes| sizes.len() == axes.len()) else {
            return Ok(None);
        };
        let mut sized = Vec::new();
        for (axis, size) in axes.iter().zip(sizes) {
            if let Err((label, basis)) = self.size_or_label(axis)? {
                sized.push((label, basis, size));
            }
        }
        Ok(Some(sized))
    }

    /// Returns the size of an axis, or its label and basis if nothing says its size yet.
    fn size_or_label<'s>(&self, axis: &'s Axis) -> Parsed<Result<u64, (&'s Labelled, Basis)>> {
        let known = |name: &str| match self.scopes.size(self.scope, name) {
            Some((DimTerm::Const(dim), _)) => Some(dim.size()),
            _ => None,
        };
        Ok(match axis {
            Axis::Size(dim, _) | Axis::Label(_, Some(Size::Written(dim))) => Ok(dim.size()),
            Axis::Label(label, None) => known(&label.name).ok_or((label, Basis::Default)),
            Axis::Label(label, Some(Size::Named(of))) => match sizes::basis(of) {
                Some(basis) => known(&label.name).ok_or((label, basis)),
                // The missing size is reported when the shape is read.
                None => Ok(known(&of.name).unwrap_or(1)),
            },
            Axis::Position { .. } | Axis::Window(_) | Axis::Concat(_) | Axis::Product(_) => Ok(1),
        })
    }

    /// Determines the numbers of rows and columns of the values.
    fn extent_of(
        &self,
        name: &Name<'a>,
        unknown: &[(&Labelled, Basis)],
        values: &Values,
        place: &Span,
    ) -> Parsed<(u64, u64)> {
        match values {
            Values::Listed(list) => Ok((list.len() as u64, 1)),
            Values::Range(bound) => Ok((u64::from(*bound), 1)),
            Values::Batches(_) => Ok((1, 1)),
            Values::Outside => {
                let label = unknown[0].0;
                let shown = brief(&label.name);
                let message = format!("nothing says how large `{shown}` is");
                Err(Diagnostic::new(label.span.clone(), message, "no size")
                    .other(name.span.clone(), "its values come from outside")
                    .help(format!(
                        "write the size, `{shown}:100`, or give it from outside: `--set {shown}=100`"
                    )))
            }
            Values::Csv(csv) => {
                let rows = csv.rows.and_then(|rows| rows.count());
                let columns = csv.columns.as_ref().and_then(|columns| columns.count());
                let folder = match (&self.program.surroundings.folder, rows, columns) {
                    (Some(folder), ..) => folder.as_path(),
                    (None, Some(rows), Some(columns)) => return Ok((rows, columns as u64)),
                    (None, ..) => {
                        let label = unknown[0].0;
                        let shown = brief(&label.name);
                        return Err(Diagnostic::new(
                            label.span.clone(),
                            format!("the size of `{shown}` is in the file, and no file is looked at here"),
                            "no size",
                        )
                        .other(place.clone(), "the file")
                        .help(format!("write the size, `{shown}:100`, or how many rows and columns are read")));
                    }
                };
                extent(
                    csv,
                    folder,
                    name.text,
                    &name.span,
                    self.program.surroundings.limits,
                )
                .map_err(|error| error.diagnostic())
            }
        }
    }

    /// Refuses a label whose size follows from the values of another tensor, if the values of this tensor give another
    /// size.
    fn same_size_in_file(
        &self,
        name: &Name<'a>,
        axes: &[&Axis],
        total: Option<u64>,
        values: &Values,
        place: &Span,
    ) -> Parsed<()> {
        let sizes = &self.scopes.all[self.scope].sizes;
        let labels = axes.iter().filter_map(|axis| match axis {
            Axis::Label(label, _) => Some(label),
            _ => None,
        });
        let by_values = labels.filter_map(|label| {
            let known = sizes.get(&label.name)?;
            known.by_values.then_some((label, known))
        });
        let Some((label, known)) = by_values.into_iter().next() else {
            return Ok(());
        };
        let (rows, columns) = self.extent_of(name, &[(label, Basis::Default)], values, place)?;
        let (Some(total), DimTerm::Const(dim)) = (total, &known.term) else {
            return Ok(());
        };
        let rest = total / dim.size();
        let found = rows.saturating_mul(columns);
        if found == total || !found.is_multiple_of(rest) {
            return Ok(());
        }
        let shown = brief(&label.name);
        let (size, owner) = (found / rest, known.owner());
        let message = format!(
            "`{shown}` is {} in `{owner}` and {size} in `{}`",
            dim.size(),
            name.text
        );
        Err(
            Diagnostic::new(label.span.clone(), message, format!("{size} here"))
                .other(known.span.clone(), format!("{} here", dim.size()))
                .help(
                    "a name means one size in the whole program: use another label for one of them",
                ),
        )
    }
}

/// Returns the label of the first axis of a row.
fn first_label(row: &TemplateRow) -> Option<&str> {
    match row.axes().next() {
        Some(Axis::Label(label, _)) => Some(&label.name),
        _ => None,
    }
}
