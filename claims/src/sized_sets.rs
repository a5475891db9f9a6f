//! Small sets about sizes (§8): one constraint with every fact about its variables that the rules tell apart, and the
//! examples of the rules.

use lozenge_vocabulary::{ConstraintSet, Rule};

/// The facts about each variable, of which a set has one or none: that it is an atom, its size, its basis, or the
/// latter two. The window that gives the basis leaves the size open.
const FACTS: [(&str, &[&str]); 6] = [
    (
        "a",
        &[
            "a = 1*a",
            "5 = 1*1 + a",
            "99_px = floor(2*a + m)",
            "99_px = floor(2*a + m); 5 = 1*1 + a",
        ],
    ),
    (
        "b",
        &[
            "b = 1*b",
            "2 = 1*1 + b",
            "99_ch = floor(2*b + n)",
            "99_ch = floor(2*b + n); 2 = 1*1 + b",
        ],
    ),
    ("c", &["1 = 1*1 + c"]),
    (
        "d",
        &[
            "d = 1*d",
            "3 <= d",
            "d <= a",
            "2 = 1*1 + d",
            "3 <= d; d = 1*d",
            "d <= a; d = 1*d",
        ],
    ),
    ("k", &["2 = 1*1 + k"]),
    ("l", &["3 = 1*1 + l"]),
];

/// Returns windows in every mode.
fn windows() -> Vec<String> {
    let mut found = vec!["a = 1*a".to_string(), "a = 2*a".to_string()];
    for axis in ["1_", "1", "4", "5_px", "a"] {
        for over in ["1_", "1", "2", "b"] {
            for taps in ["", " + 1*2", " + k", " + 2*k", " + k + l"] {
                for stride in 1..=2 {
                    let terms = format!("{stride}*{over}{taps}");
                    found.push(format!("{axis} = {terms}"));
                    found.push(format!("{axis} = pad({terms}, 1, 0)"));
                    let modes = ["floor", "ceil", "same"];
                    found.extend(modes.map(|mode| format!("{axis} = {mode}({terms})")));
                }
            }
        }
    }
    found
}

/// Returns concatenations, products, bounds, and inequalities between dimensions.
fn others() -> Vec<String> {
    let mut found = Vec::new();
    for whole in ["1_", "5", "5_px", "a"] {
        for parts in [
            "1_ ^ b", "b ^ 1_", "2 ^ b", "b ^ 3", "b ^ c", "2 ^ 3", "2_px ^ b", "5 ^ b",
        ] {
            found.push(format!("{whole} = {parts}"));
        }
        for factors in ["b * c", "1_ * b", "5_px * b", "2_px * 3", "b * 5"] {
            found.push(format!("{whole} = {factors}"));
        }
        for rows in [
            "|<r>|",
            "b * |<r>|",
            "|[2, b]|",
            "|[2 <r>]|",
            "b * |[5 <r>]|",
        ] {
            found.push(format!("{whole} = {rows}"));
        }
        found.extend((1..=3).map(|least| format!("{whole} >= {least}")));
        found.push(format!("{whole} <= d"));
    }
    found.extend(["b >= 2", "b >= 3", "d <= d", "<r> ++ <s> ~ [3]"].map(str::to_string));
    found
}

/// Tells whether a variable of this name is written in a constraint.
fn mentions(text: &str, name: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| word == name)
}

/// Returns the constraint with each choice of facts about its variables, which come first.
fn with_facts(constraint: &str) -> Vec<String> {
    let mut found = vec![constraint.to_string()];
    for (name, facts) in FACTS {
        if mentions(constraint, name) {
            let further = facts.iter().flat_map(|fact| {
                let extended = found.iter().map(move |text| format!("{fact}; {text}"));
                extended.collect::<Vec<_>>()
            });
            let further: Vec<String> = further.collect();
            found.extend(further);
        }
    }
    found
}

/// Returns the sets as texts, the shortest first.
pub fn texts() -> Vec<String> {
    let mut texts: Vec<String> = windows()
        .iter()
        .chain(&others())
        .flat_map(|constraint| with_facts(constraint))
        .collect();
    let of_shapes = Rule::OF_SIZES.iter().filter(|rule| rule.is_of_shapes());
    texts.extend(of_shapes.map(|rule| rule.example().set.to_string()));
    texts.sort_by_key(|text| (text.len(), text.clone()));
    texts.dedup();
    texts
}

/// Returns every set, the shortest first.
pub fn sized_sets() -> impl Iterator<Item = ConstraintSet> {
    let texts = texts().into_iter();
    texts.filter_map(|text| text.replace("; ", "\n").parse().ok())
}
