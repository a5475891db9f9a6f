//! Chains of pointwise lines with uses of what they make: all of them have shapes, and they have what the target `uses`
//! is for.

use lozenge_fuzz::pipeline::read;
use lozenge_fuzz::subjects::programs::{Programs, reference};
use lozenge_fuzz::subjects::target;
use lozenge_vocabulary::Verdict;

const COUNT: u64 = 400;

/// Returns the programs of the target in which all shapes are given, which nearly all chains are.
fn chains() -> Vec<String> {
    let target = target::<Programs>("uses").expect("the target");
    let inputs = (0..COUNT).filter_map(|index| target.indexed(1, index));
    inputs
        .filter(|text| text.contains("t0") && !text.contains("d0"))
        .collect()
}

/// The rules are another party than the solver for which the target exists. They place markers in the order of the
/// lines, so that they reject some chains. A slice that writes all axes has no solution where there are more; the
/// target leaves such a line out.
#[test]
fn nearly_every_chain_has_shapes_by_the_rules() {
    let texts = chains();
    let (mut rejected, mut unsat) = (0, 0);
    for text in &texts {
        let (program, _) = read(text).unwrap_or_else(|error| panic!("{text}{error}"));
        match reference::infer(&program, 200_000_000) {
            Ok(_) => {}
            Err(reference::Failed::Refused(refusal)) => match refusal.verdict {
                Verdict::Rejected => rejected += 1,
                Verdict::Unsat => unsat += 1,
                other => panic!("{text}{other:?}"),
            },
            Err(_) => panic!("{text}"),
        }
    }
    println!("{rejected} rejected and {unsat} unsat of {}", texts.len());
    assert!(
        rejected * 20 <= texts.len(),
        "{rejected} of {}",
        texts.len()
    );
    assert!(unsat * 10 <= texts.len(), "{unsat} of {}", texts.len());
}

#[test]
fn chains_have_slices_specs_and_reductions_in_any_order() {
    let texts = chains();
    let count = |is_one: &dyn Fn(&str) -> bool| texts.iter().filter(|text| is_one(text)).count();
    let number = |line: &str| -> usize {
        let name = line.split([' ', ':']).nth(1).unwrap_or_default();
        name.trim_start_matches('t').parse().unwrap_or_default()
    };
    let is_out_of_order = |text: &str| {
        let numbers: Vec<usize> = text.lines().map(number).collect();
        numbers.windows(2).any(|pair| pair[0] > pair[1])
    };
    let least = texts.len() / 10;
    assert!(texts.len() > 300, "{}", texts.len());
    for (what, found) in [
        ("slices", count(&|text| text.matches(" @| ").count() > 1)),
        (
            "slices of a second axis",
            count(&|text| text.contains("@| (_, ")),
        ),
        ("specs with rows", count(&|text| text.contains("..."))),
        (
            "rows that move",
            count(&|text| text.contains("..r..|") || text.contains("..v..")),
        ),
        ("statistics", count(&|text| text.contains("outputs)"))),
        ("softmax", count(&|text| text.contains("softmax("))),
        (
            "linear maps",
            count(&|text| text.matches("data ").count() > 1),
        ),
        ("choices", count(&|text| text.contains("where("))),
        ("lines in another order", count(&is_out_of_order)),
    ] {
        assert!(found >= least, "{what}: {found} of {}", texts.len());
    }
}
