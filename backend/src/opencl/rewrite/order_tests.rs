//! Tests of the order of contractions, on the interpreter.

use crate::memory::BufferId;
use lozenge_vocabulary::operation::Formula;

use super::*;
use crate::{Device, Interpreter, Limits, Symbols, Tensor};

/// Makes `=:+` over the product of these operands; each letter of a text is a factor, and its size is that of the
/// letter.
fn contraction(texts: &[&str], size: impl Fn(char) -> u64) -> LoopNest {
    let mut letters: Vec<char> = texts.iter().flat_map(|text| text.chars()).collect();
    letters.sort_unstable();
    letters.dedup();
    let factor = |letter: char| Index::Iter(letters.partition_point(|one| *one < letter));
    let projections = Projections {
        factors: letters.iter().map(|letter| size(*letter)).collect(),
        maps: texts
            .iter()
            .map(|text| IndexMap(text.chars().map(factor).collect()))
            .collect(),
        sizes: texts
            .iter()
            .map(|text| text.chars().map(&size).collect())
            .collect(),
    };
    let arity = texts.len() - 1;
    let mut code = vec![Instruction::Read(0)];
    for operand in 1..arity {
        code.extend([
            Instruction::Read(operand),
            Instruction::Apply(Function::Multiply),
        ]);
    }
    let function = Formula::new(arity, code).expect("a formula");
    let accumulator = Accumulator {
        erase: true,
        combine: Combine::Add,
    };
    let names: Vec<String> = (0..=arity).map(|slot| format!("t{slot}")).collect();
    let function = Function::Formula(Box::new(function));
    LoopNest::new(&projections, accumulator, function, &names).expect("a loop nest")
}

/// Lists the steps of the best tree, whether it is worth it or not.
fn steps(nest: &LoopNest) -> Vec<Step> {
    let contraction = Contraction::of(nest, 1 << 40).expect("a contraction");
    let best = contraction.best().expect("a tree");
    contraction.steps(&best.tree).expect("steps")
}

/// Returns the result of the steps, and that of the loop nest itself.
pub fn both(nest: &LoopNest, steps: &[Step]) -> [Vec<f32>; 2] {
    let mut device = Interpreter::new(Limits::default());
    let mut slots: Vec<BufferId> = Vec::new();
    for (number, slot) in nest.slots().iter().enumerate() {
        let count: u64 = slot.sizes.iter().product();
        let values = (0..count).map(|at| ((at * 7 + number as u64 * 3) % 5) as f32 - 2.0);
        let tensor = Tensor::new(slot.sizes.to_vec(), values.collect()).expect("a tensor");
        slots.push(device.upload(&tensor).expect("there is memory"));
    }
    let mut done: Vec<BufferId> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let written = match number + 1 == steps.len() {
            true => slots[0],
            false => device
                .reserve(&step.nest.slots()[0].sizes)
                .expect("there is memory"),
        };
        let operands = step.operands.iter().map(|operand| match operand {
            Operand::Slot(slot) => slots[*slot],
            Operand::Step(step) => done[*step],
        });
        let buffers: Vec<BufferId> = std::iter::once(written).chain(operands).collect();
        device
            .run(&step.nest, &buffers, &Symbols::new())
            .expect("it runs");
        done.push(written);
    }
    let by_steps = device
        .download(slots[0])
        .expect("it is held")
        .values()
        .to_vec();
    device.run(nest, &slots, &Symbols::new()).expect("it runs");
    let direct = device
        .download(slots[0])
        .expect("it is held")
        .values()
        .to_vec();
    [by_steps, direct]
}

#[test]
fn a_chain_is_contracted_in_the_cheapest_order() {
    let texts = ["il", "ij", "jk", "kl"];
    let nest = contraction(&texts, |letter| if letter == 'l' { 8 } else { 512 });
    let steps = ordered(&nest, 1 << 30).expect("it is worth it");
    // `kl` is small, so it is multiplied by `jk` first.
    let operands: Vec<&[Operand]> = steps.iter().map(|step| &*step.operands).collect();
    use Operand::{Slot, Step};
    assert_eq!(operands, [&[Slot(2), Slot(3)][..], &[Slot(1), Step(0)]]);
    assert!(
        ordered(&nest, 512 * 8 - 1).is_none(),
        "no room for the intermediate tensor"
    );
    let small = contraction(&texts, |_| 4);
    assert!(
        ordered(&small, 1 << 30).is_none(),
        "the launches take longer"
    );
}

#[test]
fn a_factor_of_one_operand_is_summed_over_first() {
    let texts = ["ab", "abk", "abm", "abn"];
    let large = contraction(&texts, |letter| if letter > 'b' { 300 } else { 2 });
    let found = ordered(&large, 1 << 30).expect("it is worth it");
    assert_eq!(found.len(), 5, "three sums and two products");
    let small = contraction(&texts, |letter| if letter > 'b' { 9 } else { 2 });
    let [by_steps, direct] = both(&small, &steps(&small));
    assert_eq!(by_steps, direct);
}

#[test]
fn the_values_are_those_of_the_loop_nest() {
    for texts in [
        &["il", "ij", "jk", "kl"][..],
        &["", "ij", "jk", "ki"],
        &["ii", "ij", "jj", "ji"],
        &["ir", "ijk", "jr", "kr"],
        &["ae", "ab", "bc", "cd", "de"],
        &["ax", "ab", "bc", "ca", "bx"],
        &["z", "ab", "bc", "cd", "da", "z"],
        &["a", "ab", "bc", "cd", "de", "ef", "fg", "gh", "hi", "ia"],
    ] {
        let nest = contraction(texts, |letter| 2 + u64::from(letter as u32 % 2));
        let [by_steps, direct] = both(&nest, &steps(&nest));
        assert_eq!(by_steps, direct, "{texts:?}");
    }
}

#[test]
fn no_tree_is_cheaper_than_the_best_and_the_left_one_is_one_of_them() {
    for texts in [
        &["il", "ij", "jk", "kl"][..],
        &["ae", "ab", "bc", "cd", "de"],
        &["ai", "ab", "bc", "cd", "de", "ef", "fg", "gh", "hi", "i"],
    ] {
        let mut cheaper = 0;
        for seed in 1..30 {
            let size = |letter| 2 + u64::from(letter as u32 * 37 * seed % 101);
            let nest = contraction(texts, size);
            let contraction = Contraction::of(&nest, 1 << 60).expect("a contraction");
            let cost = |found: Option<Costed>| found.expect("a tree").cost;
            let (best, left) = (cost(contraction.best()), cost(contraction.left_to_right()));
            let greedy = cost(contraction.greedy());
            assert!(best <= left && best <= greedy, "{texts:?} {seed}");
            cheaper += usize::from(best < left);
        }
        assert!(cheaper > 10, "{texts:?}: {cheaper}");
    }
}

#[test]
fn other_sums_stay_as_they_are() {
    let nest = contraction(&["i", "ij", "jk"], |_| 1000);
    assert!(ordered(&nest, 1 << 30).is_none(), "two operands");
    let texts = ["il", "ij", "jk", "kl"];
    let nest = contraction(&texts, |_| 512);
    assert!(ordered(&nest, 1 << 30).is_some());
    assert_eq!(product_of_all(&Function::Multiply), None);
    let twice = [0, 0, 1].map(Instruction::Read);
    let times = Instruction::Apply(Function::Multiply);
    let code = twice.into_iter().chain([times.clone(), times]).collect();
    let formula = Formula::new(2, code).expect("a formula");
    let twice = Function::Formula(Box::new(formula));
    assert_eq!(product_of_all(&twice), None);
}
