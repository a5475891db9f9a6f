//! Class numbers: values that `one_hot` reads have to be whole numbers from 0 below the number of classes, or the run
//! stops.
//!
//! Values of data are looked at once, before the run. Values that each step of a section computes anew stay on the
//! device until the epoch ends: a kernel keeps in each cell the first value that is no class, so that no step waits for
//! the host.

use std::collections::BTreeMap;

use lozenge_backend::{Error, LoopNest, Tensor};
use lozenge_lang::Diagnostic;
use lozenge_lang::numpy::Numbers;
use lozenge_vocabulary::operation::{
    Accumulator, Combine, Formula, Function, Instruction, TensorId,
};
use lozenge_vocabulary::program::{Program, Request, Source, Span, Values, Wish};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

/// A value that is not the number of a class.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", self.message())]
pub struct NoClass {
    /// The place of the program that needs the numbers of classes.
    pub span: Span,
    /// The name of the tensor that has the value; `None` for a part of an expression.
    pub name: Option<String>,
    /// The place of the value in the tensor, or in the batch of a step for what each step computes: a number for each
    /// axis, from 0.
    pub cell: Vec<u64>,
    /// The value.
    pub value: f64,
    /// The number of classes.
    pub classes: u64,
}

impl NoClass {
    /// Returns the message at the place of the program.
    pub fn diagnostic(&self) -> Diagnostic {
        let last = self.classes.saturating_sub(1);
        let help = match self.value == self.classes as f64 {
            true => format!(
                "classes are counted from 0 to {last}: if these are counted from 1, subtract 1, else there are more than {}",
                self.classes
            ),
            false => format!("a class is a whole number from 0 to {last}"),
        };
        let label = format!("the number of one of {} classes", self.classes);
        Diagnostic::new(self.span.clone(), self.message(), label).help(help)
    }

    fn message(&self) -> String {
        let place = match self.cell.as_slice() {
            [] => String::new(),
            [row] => format!(" in row {row}"),
            cell => {
                let cell: Vec<String> = cell.iter().map(u64::to_string).collect();
                format!(" in cell {}", cell.join(", "))
            }
        };
        let of = match &self.name {
            Some(name) => format!(" of `{name}`"),
            None => String::new(),
        };
        format!("{}{place}{of} is no class", self.value)
    }
}

/// Returns the number of classes that a request is about; `None` for another request.
pub(crate) fn asked(request: &Request) -> Option<u64> {
    match request.what {
        Wish::Classes(classes) => Some(classes),
        Wish::Print | Wish::Save(_) | Wish::Assert => None,
    }
}

/// Returns the data whose values a tensor holds, all or those of a batch; `None` for a tensor that is computed.
fn data_of(program: &Program, tensor: TensorId) -> Option<TensorId> {
    let mut cuts = program
        .sections
        .iter()
        .flat_map(|section| section.turns.cuts());
    let cut = cuts.find(|cut| cut.batch == tensor);
    let whole = cut.map_or(tensor, |cut| cut.whole);
    match program[whole].source {
        Source::Data(Values::Batches(_)) => None,
        Source::Data(_) => Some(whole),
        Source::Param(_) | Source::Constant(_) | Source::Intermediate => None,
    }
}

/// Tells whether the values that a request is about are those of data, which are looked at before the run.
pub(crate) fn is_of_data(program: &Program, request: &Request) -> bool {
    data_of(program, request.tensor).is_some()
}

/// The requests of a program for numbers of classes, and the sizes of the tensors that they are about.
pub(crate) struct Classes<'p> {
    pub program: &'p Program,
    /// The sizes of the axes of each tensor.
    pub sizes: &'p [Vec<u64>],
}

impl Classes<'_> {
    /// Looks at the data that has to hold numbers of classes.
    pub fn in_data(&self, data: &BTreeMap<TensorId, Numbers<'_>>) -> Result<(), NoClass> {
        for request in &self.program.requests {
            let (Some(classes), Some(whole)) =
                (asked(request), data_of(self.program, request.tensor))
            else {
                continue;
            };
            match data.get(&whole) {
                Some(Numbers::Single(values)) => {
                    let values = values.iter().map(|value| f64::from(*value));
                    self.are_classes(request, whole, classes, values)?;
                }
                Some(Numbers::Double(values)) => {
                    self.are_classes(request, whole, classes, values.iter().copied())?;
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Looks at a tensor that has to hold numbers of classes.
    pub fn in_tensor(&self, request: &Request, tensor: &Tensor) -> Result<(), NoClass> {
        let Some(classes) = asked(request) else {
            return Ok(());
        };
        let values = tensor.wide_values();
        self.are_classes(request, request.tensor, classes, values.iter().copied())
    }

    fn are_classes(
        &self,
        request: &Request,
        tensor: TensorId,
        classes: u64,
        mut values: impl Iterator<Item = f64>,
    ) -> Result<(), NoClass> {
        let is_class = |value: f64| value.fract() == 0.0 && (0.0..classes as f64).contains(&value);
        let mut value = 0.0;
        let found = values.position(|one| {
            value = one;
            !is_class(one)
        });
        let Some(mut at) = found else {
            return Ok(());
        };
        let mut cell: Vec<u64> = Vec::new();
        for size in self.sizes[tensor.0].iter().rev() {
            cell.push(at as u64 % size);
            at /= *size as usize;
        }
        cell.reverse();
        let name = &self.program[tensor].name;
        Err(NoClass {
            span: request.span.clone(),
            name: (!name.contains('\'')).then(|| name.to_string()),
            cell,
            value,
            classes,
        })
    }

    /// Returns the loop nest that keeps in each cell of a buffer the first value that was no class: its slots are the
    /// buffer, the buffer again, and the tensor of the request. The buffer begins with zeros.
    pub fn keeping(&self, request: &Request) -> Result<LoopNest, Error> {
        keeping(
            &self.program[request.tensor].name,
            &self.sizes[request.tensor.0],
            asked(request).unwrap_or_default(),
        )
    }
}

/// Returns the loop nest `kept = kept is a class ? read : kept`.
fn keeping(tensor: &str, sizes: &[u64], classes: u64) -> Result<LoopNest, Error> {
    let factors: Vec<u64> = sizes.iter().copied().filter(|size| *size > 1).collect();
    let mut iterated = 0..factors.len();
    let index = |size: &u64| match size {
        1 => Index::Fix(0),
        _ => Index::Iter(iterated.next().unwrap_or_default()),
    };
    let map = IndexMap(sizes.iter().map(index).collect());
    let projections = Projections {
        factors,
        maps: vec![map; 3],
        sizes: vec![sizes.to_vec(); 3],
    };
    use Instruction::{Apply, Read};
    let code = vec![
        Read(0),
        Apply(Function::Floor),
        Read(0),
        Apply(Function::Equal),
        Read(0),
        Apply(Function::Constant(0.0)),
        Apply(Function::GreaterEqual),
        Apply(Function::Multiply),
        Read(0),
        Apply(Function::Constant(classes as f64)),
        Apply(Function::Less),
        Apply(Function::Multiply),
        Read(1),
        Read(0),
        Apply(Function::Where),
    ];
    let function = match Formula::new(2, code) {
        Some(formula) => Function::Formula(Box::new(formula)),
        None => Function::Add,
    };
    let replace = Accumulator {
        erase: true,
        combine: Combine::Replace,
    };
    let kept = format!("{tensor}.no_class");
    LoopNest::new(&projections, replace, function, &[&kept, &kept, tensor])
}
