//! Random constraint sets, and their solutions in a small universe by enumeration of Def. 3.4.

use lozenge_vocabulary::{
    Constraint, ConstraintSet, Dim, DimTerm, DimVar, Ground, Order, Row, RowTerm, RowVar, Tag, Var,
};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// SplitMix64, whose outputs are specified: a set is a function of its number.
pub struct Draw(SplitMix64);

impl Draw {
    pub fn new(seed: u64) -> Draw {
        Draw(SplitMix64::from_seed(seed.to_le_bytes()))
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0.next_u64() % n
    }
}

/// The shape of random sets.
#[derive(Clone, Copy)]
pub struct Shape {
    pub constraints: u64,
    pub flank: u64,
    pub row_vars: u64,
    pub dim_vars: u64,
    /// Of ten row constraints, how many are equalities.
    pub equalities: u64,
}

fn dim(draw: &mut Draw, shape: &Shape) -> DimTerm {
    match draw.below(8) {
        0 => DimTerm::Const(Dim::Unit),
        1..=4 => DimTerm::Const(Dim::new(2 + draw.below(2)).expect("not zero")),
        _ => DimTerm::Var(DimVar::new(
            ["a", "b", "c"][draw.below(shape.dim_vars) as usize],
        )),
    }
}

fn row(draw: &mut Draw, shape: &Shape) -> RowTerm {
    let flank = |draw: &mut Draw| {
        let len = draw.below(shape.flank + 1);
        (0..len).map(|_| dim(draw, shape)).collect()
    };
    let (leading, trailing) = (flank(draw), flank(draw));
    let var = (draw.below(4) > 0)
        .then(|| RowVar::new(["r", "s", "t"][draw.below(shape.row_vars) as usize]));
    RowTerm {
        leading,
        var,
        trailing,
    }
}

pub fn set(seed: u64, shape: &Shape) -> ConstraintSet {
    let mut draw = Draw::new(seed + 1);
    let draw = &mut draw;
    let count = 1 + draw.below(shape.constraints);
    let mut set: ConstraintSet = (0..count)
        .map(|_| match draw.below(10) {
            0 => Constraint::DimEq(dim(draw, shape), dim(draw, shape)),
            1 => Constraint::DimLe(dim(draw, shape), dim(draw, shape)),
            _ if draw.below(10) < shape.equalities => {
                Constraint::RowEq(row(draw, shape), row(draw, shape))
            }
            _ => Constraint::RowLe(row(draw, shape), row(draw, shape)),
        })
        .collect();
    for var in set.vars() {
        if draw.below(3) == 0 {
            set.tags.insert(var, Tag::Leaf);
        }
    }
    set
}

/// Returns the rows with flanks of at most `flank` axes.
fn rows(flank: usize) -> Vec<Row> {
    let dims = [Dim::Unit, Dim::new(2).unwrap(), Dim::new(3).unwrap()];
    let mut words: Vec<Vec<Dim>> = vec![Vec::new()];
    let mut longest = words.clone();
    for _ in 0..flank {
        longest = longest
            .iter()
            .flat_map(|word| {
                dims.iter().map(|d| {
                    let mut word = word.clone();
                    word.push(d.clone());
                    word
                })
            })
            .collect();
        words.extend(longest.iter().cloned());
    }
    let pairs = words
        .iter()
        .flat_map(|l| words.iter().map(|r| Row::new(l.clone(), r.clone())));
    let mut rows: Vec<Row> = pairs.collect();
    rows.sort_by_key(Row::rank);
    rows
}

/// Solutions with flanks of at most `flank` axes over 1_, 2 and 3, in an order of growing rank of the first
/// variables; `accept` stops the search by saying true. Returns true if it was stopped.
pub fn enumerate(
    set: &ConstraintSet,
    flank: usize,
    accept: &mut dyn FnMut(&Ground) -> bool,
) -> bool {
    let vars: Vec<Var> = set.vars().into_iter().collect();
    let dims = [Dim::Unit, Dim::new(2).unwrap(), Dim::new(3).unwrap()];
    let values = (&dims[..], &rows(flank)[..]);
    search(set, &vars, values, &mut Ground::default(), accept)
}

/// Solutions of a set without rows over these dimensions, as for [`enumerate`].
pub fn enumerate_dims(
    set: &ConstraintSet,
    dims: &[Dim],
    accept: &mut dyn FnMut(&Ground) -> bool,
) -> bool {
    let vars: Vec<Var> = set.vars().into_iter().collect();
    search(set, &vars, (dims, &[]), &mut Ground::default(), accept)
}

fn search(
    set: &ConstraintSet,
    vars: &[Var],
    values: (&[Dim], &[Row]),
    ground: &mut Ground,
    accept: &mut dyn FnMut(&Ground) -> bool,
) -> bool {
    let possible = |ground: &Ground| {
        set.constraints
            .iter()
            .all(|c| ground.satisfies(c, Order::Marked) != Some(false))
    };
    let Some((var, rest)) = vars.split_first() else {
        return possible(ground) && accept(ground);
    };
    match var {
        Var::Dim(name) => {
            for dim in values.0 {
                ground.dims.insert(name.clone(), dim.clone());
                if possible(ground) && search(set, rest, values, ground, accept) {
                    return true;
                }
            }
            ground.dims.remove(name);
        }
        Var::Row(name) => {
            for row in values.1 {
                ground.rows.insert(name.clone(), row.clone());
                if possible(ground) && search(set, rest, values, ground, accept) {
                    return true;
                }
            }
            ground.rows.remove(name);
        }
    }
    false
}

/// Returns a tangle of periods: equations that ask for periods and inequalities that ask for lengths, which is where
/// long words come from.
pub fn tangle(seed: u64) -> String {
    let mut draw = Draw::new(seed + 1);
    let draw = &mut draw;
    let mut text = String::new();
    for _ in 0..2 + draw.below(4) {
        let (a, b) = (draw.below(3), draw.below(3));
        let (r, s) = (["r", "s", "t"][a as usize], ["r", "s", "t"][b as usize]);
        let period = word(draw, 1, 4);
        let mut turned = period.clone();
        turned.rotate_left(draw.below(period.len() as u64) as usize);
        let (lead, trail) = (word(draw, 0, 5), word(draw, 0, 3));
        let (period, turned) = (period.join(", "), turned.join(", "));
        let (lead, trail) = (lead.join(", "), trail.join(", "));
        text += &match draw.below(7) {
            0 | 1 => format!("[{period} <{r}>] ~ [<{r}> {turned}]\n"),
            2 => format!("[{period} <{r}>] ~ [<{s}> {turned}]\n"),
            3 => format!("<{r}> <= [{lead} <> {trail}]\n"),
            4 => format!("<{r}> <= [{lead} <{s}> {trail}]\n"),
            5 => format!("<{r}> ~ [{lead} <{s}> {trail}]\n"),
            _ => format!("[{lead} <{r}>] <= <{s}>\n"),
        };
    }
    text
}

fn word(draw: &mut Draw, least: u64, most: u64) -> Vec<String> {
    let len = least + draw.below(most - least + 1);
    let letters = ["2", "2", "3", "3", "a", "1_"];
    (0..len)
        .map(|_| letters[draw.below(6) as usize].to_string())
        .collect()
}
