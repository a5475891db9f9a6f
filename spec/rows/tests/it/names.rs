//! The names of variables affect neither the verdict nor a value.

use std::collections::BTreeMap;

use lozenge_spec::{Options, solve};
use lozenge_testkit::random::Random;
use lozenge_testkit::sampling::{LARGER, set};
use lozenge_vocabulary::{
    ConstraintSet, DimVar, Ground, Order, RowVar, Substitution, Tag, Var, Verdict,
};

/// A one-to-one renaming of variables.
#[derive(Default)]
struct Naming {
    dims: BTreeMap<DimVar, DimVar>,
    rows: BTreeMap<RowVar, RowVar>,
}

impl Naming {
    fn var(&self, var: &Var) -> Var {
        match var {
            Var::Dim(var) => Var::Dim(self.dims[var].clone()),
            Var::Row(var) => Var::Row(self.rows[var].clone()),
        }
    }

    fn set(&self, set: &ConstraintSet) -> ConstraintSet {
        let by = Substitution {
            dims: (self.dims.iter().map(|(a, b)| (a.clone(), b.clone().into()))).collect(),
            rows: (self.rows.iter().map(|(a, b)| (a.clone(), b.clone().into()))).collect(),
        };
        ConstraintSet {
            constraints: set.constraints.iter().map(|c| c.substituted(&by)).collect(),
            tags: set
                .tags
                .iter()
                .map(|(var, tag)| (self.var(var), *tag))
                .collect(),
            ..ConstraintSet::default()
        }
    }

    fn ground(&self, ground: &Ground) -> Ground {
        Ground {
            dims: (ground
                .dims
                .iter()
                .map(|(a, value)| (self.dims[a].clone(), value.clone())))
            .collect(),
            rows: (ground
                .rows
                .iter()
                .map(|(a, value)| (self.rows[a].clone(), value.clone())))
            .collect(),
            ..Ground::default()
        }
    }
}

fn answer(set: &ConstraintSet, order: Order, close: bool) -> (Verdict, Option<Ground>) {
    let options = Options {
        order,
        close,
        traced: false,
        ..Options::default()
    };
    let run = solve(set, &options);
    (run.verdict(), run.greatest())
}

fn check(set: &ConstraintSet, naming: &Naming) {
    for (order, close) in [
        (Order::Marked, false),
        (Order::Marked, true),
        (Order::OneShot, true),
    ] {
        let (verdict, ground) = answer(set, order, close);
        let renamed = naming.set(set);
        let expected = (verdict, ground.map(|ground| naming.ground(&ground)));
        assert_eq!(
            answer(&renamed, order, close),
            expected,
            "{set}named otherwise:\n{renamed}"
        );
    }
}

/// Returns the names in another order, each with a leading letter that changes how it sorts.
fn shuffled<T: Ord + Clone>(
    vars: Vec<T>,
    numbers: &mut Random,
    new: impl Fn(&str) -> T,
) -> BTreeMap<T, T> {
    let mut letters: Vec<usize> = (0..vars.len()).collect();
    for at in (1..letters.len()).rev() {
        letters.swap(at, numbers.below(at + 1));
    }
    let name = |letter: usize| new(&format!("n{letter}"));
    vars.into_iter()
        .zip(letters.into_iter().map(name))
        .collect()
}

#[test]
fn names_decide_nothing_about_random_sets() {
    let mut policy = 0;
    for index in 0..4_000 {
        let mut numbers = Random::indexed(index ^ 0xabcd);
        let mut set = set(&LARGER, index);
        for var in set.vars() {
            let tag = *numbers.pick(&[Tag::Interior, Tag::Leaf, Tag::Param]);
            set.tags.insert(var, tag);
        }
        let mut vars = (Vec::new(), Vec::new());
        for var in set.vars() {
            match var {
                Var::Dim(var) => vars.0.push(var),
                Var::Row(var) => vars.1.push(var),
            }
        }
        let naming = Naming {
            dims: shuffled(vars.0, &mut numbers, DimVar::new),
            rows: shuffled(vars.1, &mut numbers, RowVar::new),
        };
        policy += u32::from(answer(&set, Order::Marked, true).0 == Verdict::Rejected);
        check(&set, &naming);
    }
    assert!(policy > 100, "policy refused only {policy} sets");
}

/// A set on which the verdict once changed with the names.
#[test]
fn names_decide_nothing_about_a_set_on_which_they_did() {
    let text = "[<r3> 1_] <= [1_, 3 <r1>]\n[1_, a, 3 <>] <= <r3>\n[a, 1_ <r0>] <= [1_ <r1> 1_]\n\
                <r3> <= [<> b]\n<r2> ~ <r3>\n<r1> ~ <r2>\n<r0> ~ <r1>\n";
    let dims = [("a", "x0"), ("b", "x1")];
    let rows = [("r0", "q0"), ("r1", "q3"), ("r2", "q2"), ("r3", "q1")];
    let naming = Naming {
        dims: dims.map(|(a, b)| (DimVar::new(a), DimVar::new(b))).into(),
        rows: rows.map(|(a, b)| (RowVar::new(a), RowVar::new(b))).into(),
    };
    check(&text.parse().expect("the notation"), &naming);
}
