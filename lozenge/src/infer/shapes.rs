//! The shapes of a program's tensors. Many tensors of a program have the same shape, which is stored once.

use std::ops::Index;

use hashbrown::HashMap;
use lozenge_vocabulary::Row;
use lozenge_vocabulary::operation::{Kind, Shape, TensorId};
use lozenge_vocabulary::program::Program;

/// A shape for each tensor, indexed by the number of the tensor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shapes {
    different: Vec<Shape<Row>>,
    /// The index of the shape of each tensor.
    places: Vec<u32>,
}

impl Shapes {
    /// Counts the tensors.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Tells whether there are no tensors.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the shape of a tensor; `None` if no tensor has this number.
    pub fn get(&self, tensor: usize) -> Option<&Shape<Row>> {
        Some(&self.different[*self.places.get(tensor)? as usize])
    }

    /// Returns the shapes in the order of the tensors.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Shape<Row>> {
        self.places
            .iter()
            .map(|place| &self.different[*place as usize])
    }
}

/// The shape of a tensor with this number, as the places of a list are written.
///
/// # Panics
/// If no tensor has this number, as a list does for a place beyond its end. [`Shapes::get`] is for numbers that may
/// belong to another program.
impl Index<usize> for Shapes {
    type Output = Shape<Row>;

    fn index(&self, tensor: usize) -> &Shape<Row> {
        &self.different[self.places[tensor] as usize]
    }
}

impl FromIterator<Shape<Row>> for Shapes {
    fn from_iter<I: IntoIterator<Item = Shape<Row>>>(shapes: I) -> Shapes {
        let shapes = shapes.into_iter();
        let mut places = Vec::with_capacity(shapes.size_hint().0);
        let mut known: HashMap<Shape<Row>, u32> = HashMap::new();
        for shape in shapes {
            let next = known.len() as u32;
            places.push(*known.entry(shape).or_insert(next));
        }
        let mut different: Vec<(Shape<Row>, u32)> = known.into_iter().collect();
        different.sort_by_key(|(_, place)| *place);
        Shapes {
            different: different.into_iter().map(|(shape, _)| shape).collect(),
            places,
        }
    }
}

/// Returns the sizes of the axes of a tensor, in the order of memory.
pub fn sizes(shape: &Shape<Row>) -> Vec<u64> {
    let axes = shape.rows().into_iter().flat_map(Row::flat);
    axes.map(|dim| dim.size()).collect()
}

/// Returns a shape as a program writes it: `batch|input->output`, without the bar where the batch row is empty.
pub fn shape_text(shape: &Shape<Row>) -> String {
    let row = |row: &Row| {
        let text = row.to_string();
        text.trim_start_matches('[')
            .trim_end_matches(']')
            .to_string()
    };
    let (batch, input, output) = (row(&shape.batch), row(&shape.input), row(&shape.output));
    match shape.batch.rank() {
        0 => format!("{input}->{output}"),
        _ => format!("{batch}|{input}->{output}"),
    }
}

/// Returns an axis in words: its row, its place in the row from 0, its tensor. The axes of a tensor are counted over
/// its batch, input and output rows.
pub fn axis_words(program: &Program, shapes: &Shapes, tensor: TensorId, axis: usize) -> String {
    let (Some(named), Some(shape)) = (program.tensors.get(tensor.0), shapes.get(tensor.0)) else {
        return format!("axis {axis} of no tensor of the program");
    };
    let name = &named.name;
    let mut place = axis;
    for kind in Kind::ALL {
        let rank = shape.row(kind).rank();
        if place < rank {
            return format!("{} axis {place} of {name}", kind.word());
        }
        place -= rank;
    }
    format!("axis {axis} of {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_shapes_are_held_once_and_each_tensor_has_its_own() {
        let shape = |output: &str| Shape {
            output: output.parse::<Row>().expect("a row"),
            ..Shape::default()
        };
        let given = [shape("[3]"), shape("[5]"), shape("[3]"), shape("[3 <>]")];
        let shapes: Shapes = given.iter().cloned().collect();
        assert!(shapes.iter().eq(&given));
        assert_eq!((shapes.len(), shapes.different.len()), (4, 3));
        assert_eq!((shapes.get(3), shapes.get(4)), (Some(&given[3]), None));
        assert_eq!(shapes[2], given[2]);
    }
}
