//! The worked examples of the projection tutorial, as text and as numbers, on every engine.

use crate::engines;

use lozenge_backend::{LoopNest, Symbols, Tensor, Write};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::Index::{Fix, Iter, Symbol};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

const ERASE_ADD: Accumulator = accumulator(true, Combine::Add);
const KEEP_ADD: Accumulator = accumulator(false, Combine::Add);
const ERASE: Accumulator = accumulator(true, Combine::Replace);

const fn accumulator(erase: bool, combine: Combine) -> Accumulator {
    Accumulator { erase, combine }
}

/// Makes projections. The sizes of the iterated axes come from the factors.
fn projections(factors: &[u64], slots: &[&[(Index, u64)]]) -> Projections {
    Projections {
        factors: factors.to_vec(),
        maps: slots
            .iter()
            .map(|slot| IndexMap(slot.iter().map(|(index, _)| index.clone()).collect()))
            .collect(),
        sizes: slots
            .iter()
            .map(|slot| slot.iter().map(|(_, size)| *size).collect())
            .collect(),
    }
}

fn tensor(shape: &[u64], values: &[f32]) -> Tensor {
    Tensor::new(shape.to_vec(), values.to_vec()).unwrap()
}

/// Runs on every engine and compares with what is expected.
fn check(test: &str, nest: &LoopNest, tensors: &[&Tensor], expected: &[f32]) {
    for mut device in engines::all(test) {
        let found = engines::run(device.as_mut(), nest, tensors, &Symbols::new());
        assert_eq!(found.values(), expected, "{}", device.description());
    }
}

/// Makes `a;b=>c` over a[i, j], b[j, k], c[i, k], with sizes 2, 3, 2.
fn matmul() -> Projections {
    let (i, j, k) = ((Iter(0), 2), (Iter(1), 3), (Iter(2), 2));
    projections(
        &[2, 3, 2],
        &[&[i.clone(), k.clone()], &[i, j.clone()], &[j, k]],
    )
}

#[test]
fn matmul_contracts_the_axis_that_the_result_omits() {
    let nest = LoopNest::new(&matmul(), ERASE_ADD, Function::Multiply, &["c", "a", "b"]).unwrap();
    assert_eq!(
        nest.to_string(),
        "\
# j is reduced: it does not occur in the index map of c
c[*, *] = 0  # =:+ erases; a cell is written more than once
for i in 0..2:
  for j in 0..3:
    for k in 0..2:
      c[i, k] += a[i, j] * b[j, k]
"
    );
    assert_eq!(
        (nest.initial(), nest.write()),
        (Some(0.0), Write::ReadModifyWrite)
    );
    let a = tensor(&[2, 3], &[1., 2., 3., 4., 5., 6.]);
    let b = tensor(&[3, 2], &[7., 8., 9., 10., 11., 12.]);
    let stale = tensor(&[2, 2], &[f32::NAN; 4]);
    check("matmul", &nest, &[&stale, &a, &b], &[58., 64., 139., 154.]);
}

#[test]
fn gradients_of_matmul_are_the_same_maps_in_other_slots() {
    let g = tensor(&[2, 2], &[1., 2., 3., 4.]);
    let a = tensor(&[2, 3], &[1., 2., 3., 4., 5., 6.]);
    let b = tensor(&[3, 2], &[7., 8., 9., 10., 11., 12.]);

    // g1 =+ g * v2: the first operand's map is written, so k is contracted, and the previous values are kept.
    let g1 = matmul().permuted(&[1, 0, 2]).unwrap();
    let g1 = LoopNest::new(&g1, KEEP_ADD, Function::Multiply, &["g1", "g", "b"]).unwrap();
    assert_eq!(
        g1.to_string(),
        "\
# k is reduced: it does not occur in the index map of g1
for i in 0..2:
  for j in 0..3:
    for k in 0..2:
      g1[i, j] += g[i, k] * b[j, k]
"
    );
    let held = tensor(&[2, 3], &[100.; 6]);
    let expected = [123., 129., 135., 153., 167., 181.];
    check("gradient of the first", &g1, &[&held, &g, &b], &expected);

    // g2 =+ v1 * g: the second operand's map is written, so i is contracted.
    let g2 = matmul().permuted(&[2, 1, 0]).unwrap();
    let g2 = LoopNest::new(&g2, KEEP_ADD, Function::Multiply, &["g2", "a", "g"]).unwrap();
    assert_eq!(g2.reduced(), ["i"]);
    assert_eq!(g2.initial(), None);
    let held = tensor(&[3, 2], &[0.5; 6]);
    let expected = [13.5, 18.5, 17.5, 24.5, 21.5, 30.5];
    check("gradient of the second", &g2, &[&held, &a, &g], &expected);
}

#[test]
fn pointwise_broadcast_reads_the_scalar_at_its_one_cell_and_writes_plainly() {
    let (p, q) = ((Iter(0), 2), (Iter(1), 3));
    let fixed = [(Fix(0), 1), (Fix(0), 1)];
    let scale = projections(&[2, 3], &[&[p.clone(), q.clone()], &fixed, &[p, q]]);
    let nest = LoopNest::new(&scale, ERASE, Function::Multiply, &["r", "s", "m"])
        .unwrap()
        .with_factor_names(&["p", "q"])
        .unwrap();
    assert_eq!(
        nest.to_string(),
        "for p in 0..2:\n  for q in 0..3:\n    r[p, q] = s[0, 0] * m[p, q]\n"
    );
    assert_eq!((nest.initial(), nest.write()), (None, Write::Plain));
    let (stale, s) = (tensor(&[2, 3], &[f32::NAN; 6]), tensor(&[1, 1], &[3.]));
    let m = tensor(&[2, 3], &[1., 2., 3., 4., 5., 6.]);
    check(
        "broadcast",
        &nest,
        &[&stale, &s, &m],
        &[3., 6., 9., 12., 15., 18.],
    );
}

#[test]
fn a_vector_of_ones_sums() {
    let (p, q) = ((Iter(0), 2), (Iter(1), 3));
    let sum = projections(
        &[2, 3],
        &[std::slice::from_ref(&p), &[p.clone(), q.clone()], &[q]],
    );
    let nest = LoopNest::new(&sum, ERASE_ADD, Function::Multiply, &["r", "m", "ones"]).unwrap();
    assert_eq!(nest.reduced(), ["j"]);
    let m = tensor(&[2, 3], &[1., 2., 3., 4., 5., 6.]);
    let (stale, ones) = (tensor(&[2], &[f32::NAN; 2]), tensor(&[3], &[1.; 3]));
    check("ones", &nest, &[&stale, &m, &ones], &[6., 15.]);
}

#[test]
fn one_hot_labels_sum_by_class() {
    let (i, j, k) = ((Iter(0), 4), (Iter(1), 3), (Iter(2), 2));
    let sums = projections(
        &[4, 3, 2],
        &[&[j.clone(), k.clone()], &[i.clone(), j], &[i, k]],
    );
    let names = ["sums", "onehot", "images"];
    let nest = LoopNest::new(&sums, ERASE_ADD, Function::Multiply, &names).unwrap();
    assert_eq!(
        nest.to_string(),
        "\
# i is reduced: it does not occur in the index map of sums
sums[*, *] = 0  # =:+ erases; a cell is written more than once
for i in 0..4:
  for j in 0..3:
    for k in 0..2:
      sums[j, k] += onehot[i, j] * images[i, k]
"
    );
    let onehot = tensor(&[4, 3], &[1., 0., 0., 0., 0., 1., 1., 0., 0., 0., 0., 1.]);
    let images = tensor(&[4, 2], &[1., 10., 2., 20., 3., 30., 4., 40.]);
    let stale = tensor(&[3, 2], &[f32::NAN; 6]);
    let expected = [4., 40., 0., 0., 6., 60.];
    check("one-hot", &nest, &[&stale, &onehot, &images], &expected);
}

#[test]
fn a_diagonal_is_initialised_and_written_plainly() {
    let i = (Iter(0), 3);
    let diagonal = projections(&[3], &[&[i.clone(), i.clone()], &[i]]);
    let erase_max = accumulator(true, Combine::Max);
    let nest = LoopNest::new(&diagonal, erase_max, Function::Identity, &["d", "v"]).unwrap();
    assert_eq!(
        nest.to_string(),
        "\
d[*, *] = -inf  # =:max erases; cells that no point writes hold -inf
for i in 0..3:
  d[i, i] = v[i]
"
    );
    let (stale, v) = (tensor(&[3, 3], &[f32::NAN; 9]), tensor(&[3], &[1., 2., 3.]));
    let n = f32::NEG_INFINITY;
    let expected = [1., n, n, n, 2., n, n, n, 3.];
    check("diagonal", &nest, &[&stale, &v], &expected);

    // The same without the colon: cells that no point writes keep their values, contrary to the printed Prop. 7.6(iii).
    let nest = LoopNest::new(&diagonal, KEEP_ADD, Function::Identity, &["d", "v"]).unwrap();
    assert_eq!(nest.initial(), None);
    let (held, v) = (tensor(&[3, 3], &[5.; 9]), tensor(&[3], &[1., 2., 3.]));
    let expected = [6., 5., 5., 5., 7., 5., 5., 5., 8.];
    check("diagonal kept", &nest, &[&held, &v], &expected);
}

#[test]
fn a_symbol_is_an_argument() {
    let (i, t) = ((Iter(0), 2), (Symbol("t".into()), 3));
    let slice = projections(&[2], &[std::slice::from_ref(&i), &[t, i.clone()]]);
    let nest = LoopNest::new(&slice, ERASE, Function::Identity, &["r", "m"]).unwrap();
    assert_eq!(nest.to_string(), "for i in 0..2:\n  r[i] = m[@t, i]\n");
    let m = tensor(&[3, 2], &[1., 2., 3., 4., 5., 6.]);
    for mut device in engines::all("symbol") {
        for (at, expected) in [(0, [1., 2.]), (1, [3., 4.]), (2, [5., 6.])] {
            let symbols = Symbols::from([("t".into(), at)]);
            let stale = tensor(&[2], &[f32::NAN; 2]);
            let found = engines::run(device.as_mut(), &nest, &[&stale, &m], &symbols);
            assert_eq!(found.values(), expected);
        }
    }
}

#[test]
fn a_tensor_that_is_also_written_is_read_as_it_was() {
    let (i, j) = ((Iter(0), 2), (Iter(1), 2));
    let transpose = projections(&[2, 2], &[&[i.clone(), j.clone()], &[j, i]]);
    let nest = LoopNest::new(&transpose, ERASE, Function::Identity, &["m", "m"]).unwrap();
    let reduced = projections(&[2, 2], &[&[(Iter(0), 2)], &[(Iter(1), 2)]]);
    let sum = LoopNest::new(&reduced, ERASE_ADD, Function::Identity, &["v", "v"]).unwrap();
    let in_place = projections(&[2], &[&[(Iter(0), 2)], &[(Iter(0), 2)]]);
    let double = LoopNest::new(&in_place, KEEP_ADD, Function::Identity, &["v", "v"]).unwrap();
    let i = (Iter(0), 2);
    let diagonal = projections(&[2], &[&[i.clone(), i.clone()], &[i.clone(), i]]);
    let keep_diagonal = LoopNest::new(&diagonal, ERASE, Function::Identity, &["m", "m"]).unwrap();
    for mut device in engines::all("written and read") {
        let m = device.upload(&tensor(&[2, 2], &[1., 2., 3., 4.])).unwrap();
        device.run(&nest, &[m, m], &Symbols::new()).unwrap();
        assert_eq!(device.download(m).unwrap().values(), [1., 3., 2., 4.]);
        device
            .run(&keep_diagonal, &[m, m], &Symbols::new())
            .unwrap();
        assert_eq!(device.download(m).unwrap().values(), [1., 0., 0., 4.]);
        let v = device.upload(&tensor(&[2], &[5., 7.])).unwrap();
        device.run(&sum, &[v, v], &Symbols::new()).unwrap();
        assert_eq!(device.download(v).unwrap().values(), [12., 12.]);
        device.run(&double, &[v, v], &Symbols::new()).unwrap();
        assert_eq!(device.download(v).unwrap().values(), [24., 24.]);
    }
}

#[test]
fn a_loop_nest_is_json() {
    let i = (Iter(0), 3);
    let diagonal = projections(&[3], &[&[i.clone(), i.clone()], &[i]]);
    let erase_min = accumulator(true, Combine::Min);
    let nest = LoopNest::new(&diagonal, erase_min, Function::Identity, &["d", "v"]).unwrap();
    let expected = serde_json::json!({
        "factors": [{"name": "i", "size": 3, "reduced": false}],
        "slots": [
            {"tensor": "d", "map": [{"iter": 0}, {"iter": 0}], "sizes": [3, 3]},
            {"tensor": "v", "map": [{"iter": 0}], "sizes": [3]},
        ],
        "accumulator": {"erase": true, "combine": "min"},
        "function": "identity",
        "injective": true,
        "surjective": false,
        "initial": "inf",
        "write": "plain",
    });
    assert_eq!(serde_json::to_value(&nest).unwrap(), expected);
}
