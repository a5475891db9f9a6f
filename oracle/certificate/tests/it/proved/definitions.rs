//! The definitions of the vocabulary and those that the theorems are about, on random rows, terms, valuations and
//! constraints.

use std::collections::BTreeMap;

use lozenge_solver::{Constraint, ConstraintSet, Order};
use lozenge_vocabulary::{Dim, DimVar, Ground, Row, RowTerm, RowVar, Substitution};
use serde_json::{Value, json};

use super::program::Program;
use super::tries;
use crate::drawn::Draw;

const DIMS: [&str; 3] = ["a", "b", "c"];
const ROWS: [&str; 3] = ["r", "s", "t"];

fn ground_dim(draw: &mut Draw) -> &'static str {
    ["1_", "1", "2", "2", "3", "3", "4", "6", "3_rgb"][draw.below(9)]
}

fn axes(draw: &mut Draw, longest: usize, axis: fn(&mut Draw) -> &'static str) -> String {
    let count = draw.below(longest + 1);
    let axes: Vec<&str> = (0..count).map(|_| axis(draw)).collect();
    axes.join(", ")
}

fn ground_row(draw: &mut Draw) -> String {
    let (leading, trailing) = (axes(draw, 3, ground_dim), axes(draw, 3, ground_dim));
    format!("[{leading} <> {trailing}]")
}

fn dim(draw: &mut Draw) -> &'static str {
    match draw.below(2) {
        0 => DIMS[draw.below(3)],
        _ => ground_dim(draw),
    }
}

fn row(draw: &mut Draw) -> String {
    let (leading, trailing) = (axes(draw, 2, dim), axes(draw, 2, dim));
    match draw.below(3) {
        0 => format!("[{leading} <> {trailing}]"),
        _ => format!("[{leading} <{}> {trailing}]", ROWS[draw.below(3)]),
    }
}

/// Returns a constraint between sizes.
pub fn of_sizes(draw: &mut Draw) -> Constraint {
    let text = match draw.below(9) {
        0 => format!("a = {}*b + {}*c", 1 + draw.below(3), 1 + draw.below(3)),
        1 => format!(
            "a = pad({}*b + c, {}, {})",
            1 + draw.below(3),
            draw.below(2),
            1 + draw.below(2)
        ),
        2 => format!("a = floor({}*b + c, {})", 1 + draw.below(3), draw.below(3)),
        3 => format!(
            "a = ceil({}*b + {}*c, {})",
            1 + draw.below(3),
            1 + draw.below(2),
            draw.below(3)
        ),
        4 => format!(
            "a = {}({}*b + c)",
            ["same", "same_lower"][draw.below(2)],
            1 + draw.below(3)
        ),
        5 => "a = 2*b + 1".to_string(),
        6 => format!("a = {} ^ b ^ {}", dim(draw), dim(draw)),
        7 => format!("a = b * |{}|", row(draw)),
        _ => format!("a >= {}", 1 + draw.below(6)),
    };
    text.parse().expect("in the notation")
}

fn constraint(draw: &mut Draw) -> Constraint {
    let text = match draw.below(8) {
        0 => format!("{} = {}", dim(draw), dim(draw)),
        1 => format!("{} <= {}", dim(draw), dim(draw)),
        2 | 3 => format!("{} ~ {}", row(draw), row(draw)),
        4 | 5 => format!("{} <= {}", row(draw), row(draw)),
        6 => format!("{} ++ {} ~ [{}]", row(draw), row(draw), axes(draw, 4, dim)),
        _ => return of_sizes(draw),
    };
    text.parse().expect("in the notation")
}

/// Returns a row below another one or of its content, with a change now and then, so that satisfaction is not rare.
fn near(draw: &mut Draw, value: &Row) -> String {
    let word = |axes: Vec<String>| axes.join(", ");
    let mut refined = |axes: &[Dim]| -> Vec<String> {
        let axis = |axis: &Dim| match (draw.below(8), axis) {
            (0, _) | (_, Dim::Unit) => ground_dim(draw).to_string(),
            _ => axis.to_string(),
        };
        axes.iter().map(axis).collect()
    };
    let (mut leading, mut trailing) = (refined(&value.leading), refined(&value.trailing));
    match draw.below(4) {
        0 => leading.push(ground_dim(draw).to_string()),
        1 => trailing.insert(0, ground_dim(draw).to_string()),
        2 => {
            leading.append(&mut trailing);
            trailing = leading.split_off(draw.below(leading.len() + 1));
        }
        _ => {}
    }
    format!("[{} <> {}]", word(leading), word(trailing))
}

/// Returns a constraint that has a chance to hold of this valuation.
fn near_constraint(draw: &mut Draw, model: &Ground) -> Constraint {
    let term: RowTerm = row(draw).parse().expect("a term");
    let value = model.row(&term).expect("a value");
    let text = match draw.below(3) {
        0 => {
            let axes: Vec<String> = value.flat().iter().map(ToString::to_string).collect();
            let (front, back) = axes.split_at(draw.below(axes.len() + 1));
            format!("[{} <> {}] ~ {term}", front.join(", "), back.join(", "))
        }
        _ => format!("{} <= {term}", near(draw, &value)),
    };
    text.parse().expect("in the notation")
}

fn valuation(draw: &mut Draw) -> Ground {
    let dims = DIMS.map(|name| {
        (
            DimVar::new(name),
            ground_dim(draw).parse().expect("an axis"),
        )
    });
    let rows = ROWS.map(|name| (RowVar::new(name), ground_row(draw).parse().expect("a row")));
    Ground {
        dims: dims.into(),
        rows: rows.into(),
        ..Ground::default()
    }
}

fn substitution(draw: &mut Draw) -> (Substitution, Value) {
    let mut own = Substitution::default();
    for name in DIMS
        .into_iter()
        .filter(|_| draw.below(3) > 0)
        .collect::<Vec<_>>()
    {
        own.dims
            .insert(DimVar::new(name), dim(draw).parse().expect("a term"));
    }
    for name in ROWS
        .into_iter()
        .filter(|_| draw.below(3) > 0)
        .collect::<Vec<_>>()
    {
        own.rows
            .insert(RowVar::new(name), row(draw).parse().expect("a term"));
    }
    let dims = own
        .dims
        .iter()
        .map(|(var, term)| (var.to_string(), term.to_string()));
    let rows = own
        .rows
        .iter()
        .map(|(var, term)| (var.to_string(), term.to_string()));
    let written: BTreeMap<String, String> = dims.chain(rows).collect();
    (own, json!(written))
}

fn is_below(low: &Row, high: &Row, order: Order) -> bool {
    match order {
        Order::Marked => low.below(high),
        Order::OneShot => low.below_one_shot(high),
    }
}

/// Returns a request, and what the vocabulary says.
fn question(draw: &mut Draw) -> (Value, Value) {
    let order = draw.order();
    match draw.below(6) {
        0..=2 => {
            let model = valuation(draw);
            let constraint = match draw.below(2) {
                0 => constraint(draw),
                _ => near_constraint(draw, &model),
            };
            let holds = model
                .satisfies(&constraint, order)
                .expect("every variable has a value");
            let asked =
                json!({"order": order, "model": model, "constraint": constraint.to_string()});
            (json!({"satisfies": asked}), json!({"holds": holds}))
        }
        3 => {
            let high: Row = ground_row(draw).parse().expect("a row");
            let low = near(draw, &high).parse().expect("a row");
            let rows: [Row; 2] = [low, high];
            let holds = is_below(&rows[0], &rows[1], order);
            (
                json!({"below": {"order": order, "rows": rows}}),
                json!({"holds": holds}),
            )
        }
        4 => {
            let rows: [Row; 2] = [(); 2].map(|()| ground_row(draw).parse().expect("a row"));
            let join = rows[0].join(&rows[1]);
            (json!({"join": {"rows": rows}}), json!({"row": join}))
        }
        _ => {
            let term: RowTerm = row(draw).parse().expect("a term");
            let ((first, one), (second, other)) = (substitution(draw), substitution(draw));
            let both = second.compose(&first).row(&term);
            match draw.below(2) {
                0 => {
                    let asked = json!({"substitution": one, "term": term});
                    (json!({"apply": asked}), json!({"row": first.row(&term)}))
                }
                _ => {
                    let asked = json!({"first": one, "second": other, "term": term});
                    (json!({"compose": asked}), json!({"row": both}))
                }
            }
        }
    }
}

#[test]
fn the_definitions_of_the_vocabulary_are_those_of_the_theorems() {
    let Some(mut program) = Program::start() else {
        return;
    };
    let (mut holds, mut others) = (0, 0);
    let numbers: Vec<u64> = (0..tries(6000)).collect();
    for numbers in numbers.chunks(500) {
        let questions = numbers
            .iter()
            .map(|number| question(&mut Draw::of(*number)));
        let (requests, expected): (Vec<Value>, Vec<Value>) = questions.unzip();
        let answers = program.ask_each(&requests);
        for ((request, expected), answer) in requests.iter().zip(&expected).zip(answers) {
            assert_eq!(answer, *expected, "{request}");
            match expected["holds"].as_bool() {
                Some(true) => holds += 1,
                _ => others += 1,
            }
        }
    }
    println!("{holds} hold, {others} others");
    assert!(holds * 6 > others, "only {holds} hold");
}

/// The examples of the project, and drawn sets.
#[test]
fn a_set_is_read_as_it_is_printed() {
    let Some(mut program) = Program::start() else {
        return;
    };
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut texts: Vec<String> = Vec::new();
    let mut folders = vec![examples];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the examples").flatten() {
            let path = entry.path();
            match path.extension().is_some_and(|e| e == "rows") {
                true => texts.push(std::fs::read_to_string(path).expect("text")),
                false if path.is_dir() => folders.push(path),
                false => {}
            }
        }
    }
    assert!(texts.len() > 10, "{} examples", texts.len());
    for number in 0..tries(300) {
        let mut draw = Draw::of(number);
        let constraints: Vec<String> = (0..4).map(|_| constraint(&mut draw).to_string()).collect();
        texts.push(constraints.join("\n"));
    }
    for text in texts {
        let Ok(set) = text.parse::<ConstraintSet>() else {
            continue;
        };
        let printed: String = set.constraints.iter().map(|c| format!("{c}\n")).collect();
        let answer = program.ask(&json!({"print": {"set": text}}));
        assert_eq!(answer["set"], printed, "{text}");
    }
}
