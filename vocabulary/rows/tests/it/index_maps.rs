//! Affine indices: their normal form, and decisions about index maps compared with an enumeration of the points.

use lozenge_vocabulary::projections::collision::{Collision, collision};
use lozenge_vocabulary::projections::{Affine, Index, IndexMap, Projections};

/// Returns all points of a product space.
fn points(factors: &[u64]) -> Vec<Vec<u64>> {
    factors.iter().fold(vec![vec![]], |points, size| {
        let longer = |point: Vec<u64>| (0..*size).map(move |at| [point.clone(), vec![at]].concat());
        points.into_iter().flat_map(longer).collect()
    })
}

/// Returns every word of this length.
fn words<T: Copy>(letters: &[T], length: usize) -> Vec<Vec<T>> {
    (0..length).fold(vec![vec![]], |words, _| {
        let longer = |word: Vec<T>| {
            letters
                .iter()
                .map(move |l| [word.clone(), vec![*l]].concat())
        };
        words.into_iter().flat_map(longer).collect()
    })
}

/// Tells whether two points have the same sums. The sums of the scope are below 128.
fn meet(sums: &[Vec<(u64, usize)>], sizes: &[u64]) -> bool {
    let mut seen = vec![false; 128 * 128];
    points(sizes).iter().any(|point| {
        let value = |sum: &Vec<(u64, usize)>| sum.iter().map(|(c, f)| c * point[*f]).sum::<u64>();
        let key = sums.iter().fold(0, |key, sum| 128 * key + value(sum));
        std::mem::replace(&mut seen[key as usize], true)
    })
}

#[test]
fn the_normal_form_of_a_sum() {
    let affine = |terms: &[(u64, usize)], offset| {
        Index::Affine(Affine {
            terms: terms.to_vec(),
            offset,
        })
    };
    assert_eq!(Index::affine([(1, 3)], 0), Index::Iter(3));
    assert_eq!(Index::affine([(0, 3)], 2), Index::Fix(2));
    assert_eq!(Index::affine([], -1), affine(&[], -1));
    assert_eq!(Index::affine([(1, 3)], -1), affine(&[(1, 3)], -1));
    assert_eq!(
        Index::affine([(2, 4), (1, 1), (3, 4)], 0),
        affine(&[(1, 1), (5, 4)], 0)
    );
    let written = |index: Index| index.to_string();
    assert_eq!(
        written(Index::affine([(1, 1), (2, 0)], -1)),
        "2*s0 + s1 - 1"
    );
    assert_eq!(written(Index::affine([(2, 0)], 1)), "2*s0 + 1");
    assert_eq!(written(Index::affine([], -1)), "-1");
}

#[test]
fn an_index_depends_on_its_factors() {
    let sum = Index::affine([(2, 1), (3, 0)], 4);
    assert_eq!(sum.terms(), [(3, 0), (2, 1)]);
    assert_eq!(Index::Iter(5).terms(), [(1, 5)]);
    assert_eq!(Index::Fix(5).terms(), []);
    assert_eq!(Index::Symbol("i".into()).terms(), []);
    let guarded = Index::Affine(Affine {
        terms: vec![(1, 0)],
        offset: 0,
    });
    assert_eq!(Index::Iter(0).on_axis(4, &[6]), guarded);
    assert_eq!(Index::Iter(0).on_axis(6, &[6]), Index::Iter(0));
}

/// As an index below 0: a constant that is derived, and does not lie on its axis, is guarded.
#[test]
fn a_constant_beyond_its_axis_is_no_position() {
    let beyond = Index::affine([], 3).on_axis(3, &[]);
    assert_eq!(
        beyond,
        Index::Affine(Affine {
            terms: Vec::new(),
            offset: 3
        })
    );
    assert!(beyond.leaves(3, &[]));
    assert_eq!(Index::affine([], 2).on_axis(3, &[]), Index::Fix(2));
}

/// Def. 7.5 and Prop. 7.6 for indices that are factors.
#[test]
fn what_is_written_is_read_off_the_left_hand_side() {
    let projections = |map: &[Index], sizes: &[u64]| Projections {
        factors: vec![4, 5],
        maps: vec![IndexMap(map.to_vec())],
        sizes: vec![sizes.to_vec()],
    };
    let (i, j) = (Index::Iter(0), Index::Iter(1));
    let both = projections(&[j.clone(), i.clone()], &[5, 4]);
    assert!(both.is_injective() && both.is_surjective());
    assert!(both.reduction_axes().is_empty());
    let sum = projections(std::slice::from_ref(&j), &[5]);
    assert!(!sum.is_injective() && sum.is_surjective());
    assert_eq!(sum.reduction_axes(), [0]);
    let diagonal = projections(&[j.clone(), j], &[5, 5]);
    assert!(!diagonal.is_surjective());
    let unit = projections(&[i.clone(), i, Index::Fix(0)], &[4, 1, 1]);
    assert!(unit.is_surjective());
    assert!(!projections(&[Index::Fix(2)], &[3]).is_surjective());
}

/// Prop. 7.6(i) for affine indices: one sum of two terms is decided exactly, by the closed form.
#[test]
fn points_of_one_sum_with_two_terms_meet_exactly_when_the_closed_form_says_so() {
    let gcd = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    for word in words(&[1u64, 2, 3, 4, 5, 6, 7, 8], 4) {
        let [s, t, m, n] = word[..] else {
            unreachable!()
        };
        let sums = [vec![(s, 0), (t, 1)]];
        let g = gcd(s, t);
        let injective = m == 1 || n == 1 || t / g >= m || s / g >= n;
        assert_eq!(!meet(&sums, &[m, n]), injective, "{word:?}");
        let expected = if injective {
            Collision::None
        } else {
            Collision::Found
        };
        assert_eq!(collision(&sums, &[m, n]), expected, "{word:?}");
    }
}

/// With three terms, on one axis and on two: every answer is right, and in this scope nothing is undecided.
#[test]
fn points_of_sums_with_three_terms_meet_exactly_when_some_difference_is_lost() {
    let mut met = [0, 0];
    let mut check = |sums: &[Vec<(u64, usize)>], sizes: &[u64]| {
        let expected = meet(sums, sizes);
        met[usize::from(expected)] += 1;
        let expected = if expected {
            Collision::Found
        } else {
            Collision::None
        };
        assert_eq!(collision(sums, sizes), expected, "{sums:?} over {sizes:?}");
    };
    let sum = |coefficients: &[u64]| {
        let terms = coefficients.iter().copied().zip(0..);
        terms.filter(|(c, _)| *c > 0).collect::<Vec<_>>()
    };
    for coefficients in words(&[1, 2, 3, 4, 5, 6], 3) {
        for sizes in words(&[2, 3, 4, 5, 6], 3) {
            check(&[sum(&coefficients)], &sizes);
        }
    }
    for coefficients in words(&[0, 1, 2, 5], 6) {
        for sizes in words(&[2, 3, 6], 3) {
            check(&[sum(&coefficients[..3]), sum(&coefficients[3..])], &sizes);
        }
    }
    assert!(met.iter().all(|count| *count > 5000), "{met:?}");
}

#[test]
fn a_search_that_would_be_long_is_undecided_and_counts_as_meeting() {
    // Coefficients without a common structure, about which the bounds decide nothing.
    let coefficients = [
        982_451_653_001_u64,
        961_748_941_117,
        941_083_987_391,
        920_419_823_503,
        899_809_363_039,
        879_190_841_077,
    ];
    let sums = [coefficients
        .into_iter()
        .zip(0..)
        .collect::<Vec<(u64, usize)>>()];
    assert_eq!(collision(&sums, &[40; 6]), Collision::Undecided);
    // Another factor that is in no sum decides it.
    let with_another = [2, 40, 40, 40, 40, 40, 40];
    let shifted = sums[0].iter().map(|(c, factor)| (*c, factor + 1));
    assert_eq!(
        collision(&[shifted.collect()], &with_another),
        Collision::Found
    );
    let long: Vec<(u64, usize)> = (0..100_000).map(|factor| (1, factor)).collect();
    assert_ne!(collision(&[long], &vec![2; 100_000]), Collision::None);
}

/// Two points meet only if 1000001 times a difference is 1000003 times another, which takes differences as large as
/// that. To try them all would be too long.
#[test]
fn divisors_decide_what_cannot_be_searched() {
    let sum = vec![(1_000_001, 0), (1_000_003, 1)];
    assert_eq!(collision(&[sum], &[1_000_000; 2]), Collision::None);
    // Each coefficient is larger than the sum of all smaller terms, so the digits can be read off the sum. No two have
    // a divisor.
    let digits = [1, 41, 1_679, 68_881, 2_824_081, 115_787_323];
    let mut below = 0;
    for coefficient in digits {
        assert!(coefficient > below);
        below += 39 * coefficient;
    }
    let sum = digits.into_iter().zip(0..).collect();
    assert_eq!(collision(&[sum], &[40; 6]), Collision::None);
    // A factor of one value is in no sum, and the same sum is not the same point.
    assert_eq!(collision(&[vec![(1, 0)]], &[4, 1]), Collision::None);
    // With a multiple of 100 in all other terms, the difference of the first factor is 0, 100 or -100.
    let [p, q, r] = [1_299_709, 1_159_523, 1_019_071];
    let sum = vec![(1, 0), (100 * p, 1), (100 * q, 2), (100 * r, 3)];
    let mut all = words(&(-29..30).collect::<Vec<i64>>(), 3).into_iter();
    let meets = all.any(|d| {
        let value = p as i64 * d[0] + q as i64 * d[1] + r as i64 * d[2];
        value.abs() <= 1 && d != [0; 3]
    });
    assert!(!meets);
    assert_eq!(collision(&[sum], &[150, 30, 30, 30]), Collision::None);
}

/// Prop. 7.6 for affine indices: every left-hand map of one axis with up to three terms, with offsets that leave the
/// axis.
#[test]
fn what_is_said_of_an_affine_map_holds_of_its_points() {
    let mut onto = 0;
    for coefficients in words(&[0, 1, 2, 3], 3) {
        for factors in words(&[2, 3, 4], 3) {
            for (offset, size) in [(0, 4), (0, 7), (-1, 4), (-2, 3), (1, 5), (0, 1)] {
                let terms = coefficients.iter().copied().zip(0..);
                let projections = Projections {
                    factors: factors.clone(),
                    maps: vec![IndexMap(vec![Index::affine(terms, offset)])],
                    sizes: vec![vec![size]],
                };
                let index = |point: &Vec<u64>| {
                    let sum: u64 = coefficients.iter().zip(point).map(|(c, at)| c * at).sum();
                    sum as i64 + offset
                };
                let all: Vec<i64> = points(&factors).iter().map(index).collect();
                let inside = |at: &i64| (0..size as i64).contains(at);
                let covered = (0..size as i64).all(|at| all.contains(&at));
                let said = projections.is_surjective();
                // An iterated axis is as long as its factor, so other sizes do not occur.
                if projections.maps[0].0[0].terms().len() > 1 || offset != 0 {
                    assert!(!said || covered, "{projections:?}");
                    onto += usize::from(said);
                    let guarded = !projections.guarded(0).is_empty();
                    assert_eq!(guarded, !all.iter().all(inside), "{projections:?}");
                    // The criterion is exact where no guard clips the values.
                    assert!(guarded || said == covered, "{projections:?}");
                    let mut sorted = all.clone();
                    sorted.sort_unstable();
                    let distinct = sorted.windows(2).all(|pair| pair[0] != pair[1]);
                    assert_eq!(projections.is_injective(), distinct, "{projections:?}");
                }
            }
        }
    }
    assert!(onto > 1000, "{onto}");
}
