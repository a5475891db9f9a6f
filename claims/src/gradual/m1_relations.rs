//! Consistency, precision, matching and bounds (Fig. 2, Appendix B, Lemmas 8 to 10, Theorem 11).

use lozenge_gradual_spec::printed_functions::{Convolution, apply_broadcasting, calc_conv};
use lozenge_gradual_spec::relations::{bound_star, consistent, matching, precise};
use lozenge_gradual_spec::universe::{Universe, approximations, lists};
use lozenge_gradual_vocabulary::{Dimension, Type};

use super::searching::Search;
use super::typed::Typed;
use crate::machinery::{Check, Claim, Effort, Finding};

/// The claims of this section.
pub const CLAIMS: &[&[Claim<Typed>]] = &[&[
    Claim::new(
        "Fig. 2(i)",
        "Consistency ~ is reflexive and symmetric.",
        &[Check::Search(consistency)],
    ),
    Claim::new(
        "Fig. 2(ii)",
        "Consistency ~ is not transitive.",
        &[Check::Search(not_transitive)],
    ),
    Claim::new(
        "Fig. 2(iii)",
        "Precision ⊑ is a partial order, with Dyn as its least element.",
        &[Check::Search(partial_order)],
    ),
    Claim::new(
        "Fig. 2(iv)",
        "A static type is below no other type: S ⊑ τ implies S = τ.",
        &[Check::Search(static_is_top)],
    ),
    Claim::new(
        "App. B(i)",
        "apply-broadcasting([?, 2, ?], [1, 2, 2]) = ([?, 2, ?], [?, 2, 2]) (the example of §3).",
        &[Check::Search(example)],
    ),
    Claim::new(
        "App. B(ii)",
        "? ⊔* [1, 2] = ?.",
        &[Check::Search(bound_with_dyn)],
    ),
    Claim::new(
        "Lemma 8",
        "For t1' ⊑ t1 and t2' ⊑ t2: if apply-broadcasting(t1, t2) = τ1, τ2 then apply-broadcasting(t1', t2') = τ1', τ2' where τ1' ⊑ τ1 and τ2' ⊑ τ2.",
        &[Check::Search(broadcasting)],
    )
    .repaired(
        "For t1' ⊑ t1 and t2' ⊑ t2, where both of t1' and t2' have a rank: if apply-broadcasting(t1, t2) = τ1, τ2 then apply-broadcasting(t1', t2') \
         = τ1', τ2' where τ1' ⊑ τ1 and τ2' ⊑ τ2. For all t1' ⊑ t1 and t2' ⊑ t2: if τ1 ~ τ2 then τ1' ~ τ2' and τ1' ⊔* τ2' ⊑ τ1 ⊔* τ2.",
        &[
            Check::Search(broadcasting_of_ranks),
            Check::Search(bounds_of_broadcasting),
        ],
    ),
    Claim::new(
        "Lemma 9",
        "For tensor types t', t: if t' ⊑ t and calc-conv(t, c_out, κ) = τ then calc-conv(t', c_out, κ) = τ' where τ' ⊑ τ.",
        &[Check::Search(convolution)],
    ),
    Claim::new(
        "Lemma 10",
        "If t1' ▷ⁱ t2' and t1' ⊑ t1 then t1 ▷ⁱ t2 and t2' ⊑ t2.",
        &[Check::Search(matching_upwards)],
    )
    .repaired(
        "If t1 ▷ⁱ t2 and t1' ⊑ t1 then t1' ▷ⁱ t2' and t2' ⊑ t2.",
        &[Check::Search(matching_downwards)],
    ),
    Claim::new(
        "Thm. 11",
        "Let τ1 ~ τ2. Then there is a τ3 such that τ1 ⊔* τ2 = τ3.",
        &[Check::Search(bounds_exist)],
    ),
]];

/// Returns the types of a search, and their description.
fn types(effort: Effort, of: [usize; 2]) -> (Vec<Type>, String) {
    let rank = match effort {
        Effort::Quick => of[0],
        Effort::Full | Effort::Long => of[1],
    };
    let scope = format!("all types of rank up to {rank} with sizes 0 to 2");
    (Universe::new(rank, 0..=2).types(), scope)
}

fn pair(left: &Type, right: &Type) -> String {
    format!("{left}, {right}")
}

fn consistency(effort: Effort) -> Finding {
    let (types, scope) = types(effort, [3, 4]);
    let mut search = Search::default();
    for one in &types {
        search.holds(consistent(one, one), || {
            (one.to_string(), "it is not consistent with itself".into())
        });
        for other in &types {
            let both = consistent(one, other) == consistent(other, one);
            search.holds(both, || {
                (pair(one, other), "they are consistent one way only".into())
            });
        }
    }
    search.over(&scope)
}

/// Finds an instance, which is the scope: the statement is that there is one.
fn not_transitive(_: Effort) -> Finding {
    let types = Universe::new(1, 0..=2).types();
    for one in &types {
        for middle in types.iter().filter(|middle| consistent(one, middle)) {
            let mut further = types.iter().filter(|other| consistent(middle, other));
            if let Some(other) = further.find(|other| !consistent(one, other)) {
                let found =
                    format!("{one} ~ {middle} and {middle} ~ {other}, and not {one} ~ {other}");
                return Finding::exhaustive(found, 1, None);
            }
        }
    }
    let mut search = Search::default();
    search.holds(false, || {
        (
            String::new(),
            "it is transitive on all types of rank up to 1".into(),
        )
    });
    search.over("all types of rank up to 1 with sizes 0 to 2")
}

fn partial_order(effort: Effort) -> Finding {
    let (types, scope) = types(effort, [2, 3]);
    let mut search = Search::default();
    for one in &types {
        let is_least = precise(&Type::Dyn, one);
        search.holds(precise(one, one) && is_least, || {
            (
                one.to_string(),
                "it is not below itself, or ? is not below it".into(),
            )
        });
        for other in &types {
            let both = precise(one, other) && precise(other, one);
            search.holds(!both || one == other, || {
                (pair(one, other), "each is below the other".into())
            });
            for third in types.iter().filter(|_| precise(one, other)) {
                let through = precise(other, third);
                search.holds(!through || precise(one, third), || {
                    (
                        format!("{one}, {other}, {third}"),
                        "⊑ is not transitive".into(),
                    )
                });
            }
        }
    }
    search.over(&scope)
}

fn static_is_top(effort: Effort) -> Finding {
    let (types, scope) = types(effort, [3, 4]);
    let mut search = Search::default();
    for one in types.iter().filter(|one| one.is_static()) {
        for other in &types {
            search.holds(!precise(one, other) || one == other, || {
                (
                    pair(one, other),
                    "a static type is below another one".into(),
                )
            });
        }
    }
    search.over(&scope)
}

fn dims(dimensions: &[Option<u64>]) -> Type {
    let entry = |size: &Option<u64>| size.map_or(Dimension::Dyn, Dimension::Size);
    Type::Tensor(dimensions.iter().map(entry).collect())
}

fn example(_: Effort) -> Finding {
    let left = dims(&[None, Some(2), None]);
    let right = dims(&[Some(1), Some(2), Some(2)]);
    let expected = (left.clone(), dims(&[None, Some(2), Some(2)]));
    let mut search = Search::default();
    let found = apply_broadcasting(&left, &right);
    search.holds(found == expected, || {
        (
            pair(&left, &right),
            format!("it is {}", pair(&found.0, &found.1)),
        )
    });
    search.over("the example")
}

fn bound_with_dyn(_: Effort) -> Finding {
    let mut search = Search::default();
    let right = Type::of_shape(&[1, 2]);
    search.holds(bound_star(&Type::Dyn, &right) == Some(Type::Dyn), || {
        (pair(&Type::Dyn, &right), "the bound is another type".into())
    });
    search.over("the example")
}

/// Tries all pairs of types with all that are at most as precise.
fn on_approximations(
    effort: Effort,
    mut decide: impl FnMut(&mut Search, [&Type; 2], [&Type; 2]),
) -> Finding {
    let (types, scope) = types(effort, [2, 3]);
    let mut search = Search::default();
    for one in &types {
        for other in &types {
            for less in approximations(one) {
                for fewer in approximations(other) {
                    decide(&mut search, [&less, &fewer], [one, other]);
                }
            }
        }
    }
    search.over(&scope)
}

fn is_monotone(search: &mut Search, less: [&Type; 2], more: [&Type; 2]) {
    let low = apply_broadcasting(less[0], less[1]);
    let high = apply_broadcasting(more[0], more[1]);
    search.holds(precise(&low.0, &high.0) && precise(&low.1, &high.1), || {
        let text = format!("{} ⊑ {}\n{} ⊑ {}", less[0], more[0], less[1], more[1]);
        (
            text,
            format!(
                "τ1', τ2' = {}, and τ1, τ2 = {}",
                pair(&low.0, &low.1),
                pair(&high.0, &high.1)
            ),
        )
    });
}

fn broadcasting(effort: Effort) -> Finding {
    on_approximations(effort, is_monotone)
}

fn broadcasting_of_ranks(effort: Effort) -> Finding {
    on_approximations(effort, |search, less, more| {
        if less.iter().all(|less| less.rank().is_some()) {
            is_monotone(search, less, more);
        }
    })
}

fn bounds_of_broadcasting(effort: Effort) -> Finding {
    on_approximations(effort, |search, less, more| {
        let low = apply_broadcasting(less[0], less[1]);
        let high = apply_broadcasting(more[0], more[1]);
        if !consistent(&high.0, &high.1) {
            return;
        }
        let bounds = bound_star(&low.0, &low.1).zip(bound_star(&high.0, &high.1));
        let holds =
            consistent(&low.0, &low.1) && bounds.is_some_and(|(low, high)| precise(&low, &high));
        search.holds(holds, || {
            let text = format!("{} ⊑ {}\n{} ⊑ {}", less[0], more[0], less[1], more[1]);
            (
                text,
                "the bound of the less precise ones is not below".into(),
            )
        });
    })
}

fn convolution(effort: Effort) -> Finding {
    let most = match effort {
        Effort::Quick => 2,
        Effort::Full | Effort::Long => 3,
    };
    let dimensions = Universe::new(4, 0..=most).dimensions();
    let mut search = Search::default();
    for kernel in [[1, 1], [2, 3], [0, 2]] {
        let with = Convolution {
            in_channels: 1,
            out_channels: 2,
            kernel: kernel.to_vec(),
        };
        for more in lists(&dimensions, 4) {
            let of = |entries: &[Dimension]| calc_conv(&entries.to_vec().try_into().ok()?, &with);
            let Some(high) = of(&more) else { continue };
            let more = Type::Tensor(more);
            for less in approximations(&more) {
                let Some(entries) = less.dimensions() else {
                    continue;
                };
                let low = of(entries);
                search.holds(low.as_ref().is_some_and(|low| precise(low, &high)), || {
                    let low = low.as_ref().map_or("nothing".into(), ToString::to_string);
                    (
                        format!("{less} ⊑ {more}, κ = {kernel:?}"),
                        format!("τ' is {low}, and τ is {high}"),
                    )
                });
            }
        }
    }
    search.over(&format!(
        "all types of rank 4 with sizes 0 to {most}, and three kernels"
    ))
}

/// Tries all pairs of types of which one is below the other, with the rank that is matched.
fn on_matching(effort: Effort, decide: impl Fn(&mut Search, &Type, &Type, usize)) -> Finding {
    let (types, scope) = types(effort, [2, 3]);
    let mut search = Search::default();
    for more in &types {
        for less in approximations(more) {
            for rank in 0..=3 {
                decide(&mut search, &less, more, rank);
            }
        }
    }
    search.over(&format!("{scope}, ranks up to 3"))
}

/// Tells whether one list of dimensions is below another.
fn below(less: &[Dimension], more: &[Dimension]) -> bool {
    precise(&Type::Tensor(less.to_vec()), &Type::Tensor(more.to_vec()))
}

fn matching_upwards(effort: Effort) -> Finding {
    on_matching(effort, |search, less, more, rank| {
        let Some(low) = matching(less, rank) else {
            return;
        };
        let high = matching(more, rank);
        search.holds(high.as_ref().is_some_and(|high| below(&low, high)), || {
            let text = format!("t1' = {less}, t1 = {more}, i = {rank}");
            (
                text,
                format!(
                    "t1' matches {}, and t1 does not match",
                    Type::Tensor(low.clone())
                ),
            )
        });
    })
}

fn matching_downwards(effort: Effort) -> Finding {
    on_matching(effort, |search, less, more, rank| {
        let Some(high) = matching(more, rank) else {
            return;
        };
        let low = matching(less, rank);
        search.holds(low.is_some_and(|low| below(&low, &high)), || {
            (
                format!("t1' = {less}, t1 = {more}, i = {rank}"),
                "t1' does not match below".into(),
            )
        });
    })
}

fn bounds_exist(effort: Effort) -> Finding {
    let (types, scope) = types(effort, [3, 3]);
    let mut search = Search::default();
    for one in &types {
        for other in types.iter().filter(|other| consistent(one, other)) {
            search.holds(bound_star(one, other).is_some(), || {
                (
                    pair(one, other),
                    "they are consistent and have no bound".into(),
                )
            });
        }
    }
    search.over(&scope)
}
