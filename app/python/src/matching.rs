//! Patterns against the shapes of arrays, at the call of a function.

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::errors;
use crate::pattern::{Axis, Pattern, Size, shown};
use crate::point::kind;
use crate::waiting;

/// The patterns of a function: for some of its parameters, and for its results.
#[pyclass(frozen, module = "lozenge._lozenge")]
pub struct Matcher {
    /// The name of the function.
    function: String,
    pattern: Pattern,
    /// The parameter of each pattern: its position and its name.
    parameters: Vec<(usize, String)>,
}

/// The values of the names of sizes in a call.
#[pyclass(frozen, module = "lozenge._lozenge")]
#[derive(Clone, Default)]
pub struct Binding {
    /// The size of each name, as far as it is known, with the shape from which it is known.
    sizes: Vec<Option<(i64, usize)>>,
    /// The axes for which `...` stands.
    rest: Option<(Vec<i64>, usize)>,
    /// The shapes that have been looked at, with what they are called.
    seen: Vec<(String, Vec<i64>)>,
}

#[pymethods]
impl Matcher {
    /// Reads the patterns of a function. `parameters` are positions and names of its parameters; each of `inputs`
    /// belongs to one of them.
    #[new]
    fn new(
        function: String,
        inputs: Vec<String>,
        outputs: Option<String>,
        parameters: Vec<(usize, String)>,
    ) -> PyResult<Matcher> {
        let mut pattern = Pattern::default();
        for text in &inputs {
            pattern = pattern.and(text).map_err(wrong)?;
        }
        if pattern.inputs.len() != parameters.len() {
            return Err(PyValueError::new_err(format!(
                "`{function}`: {} shapes are written, for {} parameters",
                pattern.inputs.len(),
                parameters.len()
            )));
        }
        if let Some(text) = outputs {
            pattern = pattern
                .and(&format!("-> {text}"))
                .map(|mut both| {
                    // In front of the arrow stands one empty shape.
                    both.inputs.truncate(parameters.len());
                    both
                })
                .map_err(wrong)?;
        }
        let matcher = Matcher {
            function,
            pattern,
            parameters,
        };
        match matcher.undetermined() {
            None => Ok(matcher),
            Some(size) => Err(PyValueError::new_err(format!(
                "`{}`: the sizes in `({})` cannot be told apart from its value alone: let each of them but one be an axis of its own in some shape",
                matcher.function,
                size.shown(&matcher.pattern.names)
            ))),
        }
    }

    /// Looks at the arguments of a call.
    ///
    /// # Errors
    /// `ShapeError` where a shape does not fit; `TypeError` where an argument has no shape.
    #[pyo3(signature = (args: "tuple[object, ...]", kwargs: "dict[str, object]"))]
    fn enter(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: &Bound<'_, PyDict>,
    ) -> PyResult<Binding> {
        waiting::at_once(py, &self.function, || self.entered(py, args, kwargs))?
    }

    /// Looks at what a call returns.
    ///
    /// # Errors
    /// `ShapeError` where a shape does not fit; `TypeError` where a result has no shape.
    fn leave(
        &self,
        py: Python<'_>,
        binding: &Bound<'_, Binding>,
        result: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        waiting::at_once(py, &self.function, || self.left(py, binding.get(), result))?
    }
}

/// Makes the exception about a text that is no pattern.
pub fn wrong(error: crate::pattern::PatternError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns the sizes of an array, whatever package made it.
fn shape(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    let wrong = || {
        pyo3::exceptions::PyTypeError::new_err(format!(
            "`{name}` is a {}, which has no shape: its pattern asks for an array",
            kind(value)
        ))
    };
    let shape = value
        .getattr(intern!(value.py(), "shape"))
        .map_err(|_| wrong())?;
    match shape.cast::<PyTuple>() {
        Ok(tuple) => tuple
            .iter()
            .map(|size| size.extract().map_err(|_| wrong()))
            .collect(),
        Err(_) => shape.extract().map_err(|_| wrong()),
    }
}

/// The reason why a shape does not fit its pattern, in words.
type Misfit = String;

impl Matcher {
    fn entered(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: &Bound<'_, PyDict>,
    ) -> PyResult<Binding> {
        let mut binding = Binding {
            sizes: vec![None; self.pattern.names.len()],
            ..Binding::default()
        };
        let mut shapes = Vec::with_capacity(self.parameters.len());
        for (axes, (position, name)) in self.pattern.inputs.iter().zip(&self.parameters) {
            let value = match args.get_item(*position) {
                Ok(value) => value,
                Err(_) => match kwargs.get_item(name)? {
                    Some(value) => value,
                    // Its default value is taken, of which nothing is claimed.
                    None => continue,
                },
            };
            binding.seen.push((name.clone(), shape(name, &value)?));
            shapes.push(axes.as_slice());
        }
        self.fit(py, &mut binding, 0, &shapes)?;
        Ok(binding)
    }

    fn left(&self, py: Python<'_>, binding: &Binding, result: &Bound<'_, PyAny>) -> PyResult<()> {
        let Some(outputs) = &self.pattern.outputs else {
            return Ok(());
        };
        let mut binding = binding.clone();
        let from = binding.seen.len();
        match &outputs[..] {
            [_] => binding
                .seen
                .push(("result".to_owned(), shape("the result", result)?)),
            _ => {
                let results: Vec<Bound<'_, PyAny>> = result.try_iter()?.collect::<PyResult<_>>()?;
                if results.len() != outputs.len() {
                    let message = format!(
                        "`{}`: it returns {} results, and the pattern has {}",
                        self.function,
                        results.len(),
                        outputs.len()
                    );
                    return Err(errors::shape(py, &message, &[], None, &[]));
                }
                for (at, result) in results.iter().enumerate() {
                    let name = format!("result[{at}]");
                    let found = shape(&name, result)?;
                    binding.seen.push((name, found));
                }
            }
        }
        let shapes: Vec<&[Axis]> = outputs.iter().map(Vec::as_slice).collect();
        self.fit(py, &mut binding, from, &shapes)
    }

    /// Returns a size of the patterns that does not tell its names, whatever shapes there are.
    fn undetermined(&self) -> Option<&Size> {
        let mut known = vec![false; self.pattern.names.len()];
        let sizes = || {
            let shapes = self.pattern.inputs.iter();
            let axes = shapes
                .chain(self.pattern.outputs.iter().flatten())
                .flatten();
            axes.filter_map(|axis| match axis {
                Axis::Size(size) => Some(size),
                _ => None,
            })
        };
        loop {
            let mut changed = false;
            for size in sizes() {
                if let Some(name) = solvable(size, &|name| known[name])
                    && !known[name]
                {
                    known[name] = true;
                    changed = true;
                }
            }
            if !changed {
                let is_open = |size: &&Size| {
                    let mut names = size.products.iter().flat_map(|(names, _)| names);
                    names.any(|name| !known[*name])
                };
                return sizes().find(is_open);
            }
        }
    }

    /// Compares shapes with their patterns, in two passes: a size whose names are not known when it is met is looked at
    /// again.
    fn fit(
        &self,
        py: Python<'_>,
        binding: &mut Binding,
        from: usize,
        patterns: &[&[Axis]],
    ) -> PyResult<()> {
        let mut waiting = Vec::new();
        for (at, axes) in patterns.iter().enumerate() {
            let fitted = self.fit_shape(binding, from + at, axes, &mut waiting);
            fitted.map_err(|misfit| self.refused(py, binding, from + at, axes, &misfit))?;
        }
        while !waiting.is_empty() {
            let before = waiting.len();
            for (at, axis, size, found) in std::mem::take(&mut waiting) {
                match self.fit_size(binding, at, axis, size, found) {
                    Ok(true) => {}
                    Ok(false) => waiting.push((at, axis, size, found)),
                    Err(misfit) => {
                        return Err(self.refused(py, binding, at, patterns[at - from], &misfit));
                    }
                }
            }
            if waiting.len() == before {
                // An argument that was left out would have told its names.
                return Ok(());
            }
        }
        Ok(())
    }

    fn fit_shape<'p>(
        &self,
        binding: &mut Binding,
        at: usize,
        axes: &'p [Axis],
        waiting: &mut Vec<(usize, usize, &'p Size, i64)>,
    ) -> Result<(), Misfit> {
        let found = std::mem::take(&mut binding.seen[at].1);
        let fitted = self.fit_axes(binding, at, axes, &found, waiting);
        binding.seen[at].1 = found;
        fitted
    }

    fn fit_axes<'p>(
        &self,
        binding: &mut Binding,
        at: usize,
        axes: &'p [Axis],
        found: &[i64],
        waiting: &mut Vec<(usize, usize, &'p Size, i64)>,
    ) -> Result<(), Misfit> {
        let rest = axes.iter().position(|axis| *axis == Axis::Rest);
        let least = axes.len() - usize::from(rest.is_some());
        let is_long_enough = match rest {
            Some(_) => found.len() >= least,
            None => found.len() == least,
        };
        if !is_long_enough {
            let plural = if found.len() == 1 { "axis" } else { "axes" };
            let word = if rest.is_some() { "at least " } else { "" };
            return Err(format!(
                "it has {} {plural}, and the pattern has {word}{least}",
                found.len()
            ));
        }
        let more = found.len() - least;
        for (place, axis) in axes.iter().enumerate() {
            let own = match rest {
                Some(rest) if place > rest => place + more - 1,
                _ => place,
            };
            match axis {
                Axis::Any => {}
                Axis::Rest => self.fit_rest(binding, at, &found[own..own + more])?,
                Axis::Size(size) => {
                    if !self.fit_size(binding, at, own, size, found[own])? {
                        waiting.push((at, own, size, found[own]));
                    }
                }
            }
        }
        Ok(())
    }

    fn fit_rest(&self, binding: &mut Binding, at: usize, found: &[i64]) -> Result<(), Misfit> {
        match &binding.rest {
            Some((known, _)) if known == found => Ok(()),
            Some((known, from)) => Err(format!(
                "`...` is {found:?} here, and {known:?} in `{}`",
                binding.seen[*from].0
            )),
            None => {
                binding.rest = Some((found.to_vec(), at));
                Ok(())
            }
        }
    }

    /// Compares a size; false if its names are not known yet.
    fn fit_size(
        &self,
        binding: &mut Binding,
        at: usize,
        axis: usize,
        size: &Size,
        found: i64,
    ) -> Result<bool, Misfit> {
        if let Some(name) = size.name() {
            match binding.sizes[name] {
                None => binding.sizes[name] = Some((found, at)),
                Some((known, _)) if known == found => {}
                Some((known, from)) => {
                    return Err(format!(
                        "`{}` is {known} in `{}`, and axis {axis} has the size {found}",
                        self.pattern.names[name], binding.seen[from].0
                    ));
                }
            }
            return Ok(true);
        }
        let written = || size.shown(&self.pattern.names);
        let Some((known, unknown)) = value(size, &binding.sizes) else {
            return Err(format!("`{}` is too large to be compared", written()));
        };
        let Some((factor, name)) = (match unknown {
            Unknown::None if known == found => return Ok(true),
            Unknown::None => {
                return Err(format!(
                    "`{}` is {known}, and axis {axis} has the size {found}",
                    written()
                ));
            }
            Unknown::One(factor, name) => Some((factor, name)),
            Unknown::Several => None,
        }) else {
            return Ok(false);
        };
        let left = found.checked_sub(known);
        let solved = left.filter(|left| factor != 0 && left % factor == 0);
        match solved.map(|left| left / factor).filter(|size| *size >= 0) {
            Some(solved) => {
                binding.sizes[name] = Some((solved, at));
                Ok(true)
            }
            None => Err(format!(
                "axis {axis} has the size {found}, which `{}` is for no `{}`",
                written(),
                self.pattern.names[name]
            )),
        }
    }

    /// Makes the exception about a shape that does not fit.
    fn refused(
        &self,
        py: Python<'_>,
        binding: &Binding,
        at: usize,
        axes: &[Axis],
        misfit: &str,
    ) -> PyErr {
        let names = &self.pattern.names;
        let (name, found) = &binding.seen[at];
        let message = format!(
            "{}: `{name}` is {found:?}, and its pattern is `{}`: {misfit}",
            self.function,
            shown(axes, names)
        );
        let notes: Vec<String> = binding.seen[..]
            .iter()
            .map(|(name, found)| format!("  {name} : {found:?}"))
            .collect();
        errors::shape(py, &message, &[], None, &notes)
    }
}

/// The unknown part of a size.
enum Unknown {
    None,
    /// One name with the number that multiplies it.
    One(i64, usize),
    Several,
}

/// Returns the known part of a size and what is not known of it; nothing where a number has more than 64 bits.
fn value(size: &Size, sizes: &[Option<(i64, usize)>]) -> Option<(i64, Unknown)> {
    let (mut sum, mut unknown) = (size.number, Unknown::None);
    for (names, factor) in &size.products {
        let (mut product, mut open) = (*factor, None);
        for name in names {
            match (sizes[*name], open) {
                (Some((size, _)), _) => product = product.checked_mul(size)?,
                (None, None) => open = Some(*name),
                (None, Some(_)) => return Some((sum, Unknown::Several)),
            }
        }
        match (open, &unknown) {
            (None, _) => sum = sum.checked_add(product)?,
            (Some(name), Unknown::None) => unknown = Unknown::One(product, name),
            (Some(name), Unknown::One(factor, other)) if name == *other => {
                unknown = Unknown::One(factor.checked_add(product)?, name);
            }
            (Some(_), _) => return Some((sum, Unknown::Several)),
        }
    }
    Some((sum, unknown))
}

/// Returns the name that a size tells when the others in it are known, if there is one.
fn solvable(size: &Size, is_known: &dyn Fn(usize) -> bool) -> Option<usize> {
    let mut open = size
        .products
        .iter()
        .flat_map(|(names, _)| names)
        .filter(|name| !is_known(**name));
    let first = *open.next()?;
    // A square of a size tells it too, but nobody writes one.
    let is_linear = size
        .products
        .iter()
        .all(|(names, _)| names.iter().filter(|name| **name == first).count() <= 1);
    (is_linear && open.all(|other| *other == first)).then_some(first)
}
