//! A query with a number that belongs to another program is answered without a panic.

use lozenge::vocabulary::operation::TensorId;
use lozenge::{Inference, Options, Surroundings};

fn inferred(source: &str) -> (lozenge::vocabulary::program::Program, Inference) {
    let program = lozenge::parse_in(source, &Surroundings::default()).expect("a program");
    let inference = lozenge::infer(&program, &Options::default()).expect("shapes");
    (program, inference)
}

#[test]
fn numbers_of_another_program_have_an_answer() {
    let (small, of_small) = inferred("data a : ->2 = range(2)\nlet b = a + a");
    let (large, of_large) = inferred(
        "data x : 8|->3 = range(24)\nparam w = 0.5\nlet y = w * x\nlet z = y + y\ndata t : 8|->5 = range(40)\nlet e = z - t",
    );
    let composition = (0..large.steps.len())
        .find(|at| !of_large.contractions(&large, *at).is_empty())
        .expect("a contraction");
    let contraction = &of_large.contractions(&large, composition)[0];
    assert!(
        contraction
            .words(&large, &of_large, composition)
            .contains("of w")
    );
    let foreign = contraction.words(&small, &of_small, composition);
    assert!(foreign.contains("no tensor of the program"), "{foreign}");
    for number in [large.tensors.len(), usize::MAX] {
        let (tensor, nothing) = (TensorId(number), "axis 0 of no tensor of the program");
        assert_eq!(
            lozenge::axis_words(&large, &of_large.shapes, tensor, 0),
            nothing
        );
        assert!(of_large.shape(tensor).is_none());
        assert!(of_large.contractions(&large, number).is_empty());
        assert!(lozenge::requirement_words(&large, "", number, 0).is_none());
    }
    let of_another = of_large.asserted().origin(&small, usize::MAX);
    assert!(of_another.is_none(), "{of_another:?}");
}
