//! Updates whose right side reads the updated tensor: it reads what the tensor held before, however many operations the
//! update takes.

use std::collections::BTreeMap;

use crate::gradients::{largest_error, precisely};
use lozenge::{Options, Reading, read};

/// The updates of a tensor `t`, where `old` stands for its values before: specs with one region and with several.
const UPDATES: [&str; 13] = [
    "t =+ old",
    "t =+ square(old)",
    "t =+ old \"i:4 => i\"",
    "t =+ old \"a:1^b => b^a\"",
    "t =+ square(old) \"a:1^b => b^a\"",
    "t =- old *. d \"a:1^b; b^a => b^a\"",
    "t =+ old *. old \"a:1^b; b^a => b^a\"",
    "t =+ concat(old, d) \"_:2^b; c:2^_ => b^c\"",
    "t =+ concat(d, old) \"_:2^b; c:2^_ => b^c\"",
    "t =+ concat(old, old) \"_:2^b; c:2^_ => b^c\"",
    "t =+ old \"a:1^b^_:1 => b^a^_:1\"",
    "t =+ exp(old) \"a:3^b => b^a\"",
    "t =- old *. m \"a:1^b; a^b, b^a => b^a\"",
];

fn reading(source: &str) -> Reading {
    let read = read(source, &Options::default());
    read.unwrap_or_else(|errors| panic!("{}", errors[0].render(source, "p.loz", false)))
}

/// Returns a program with the update, which reads `t` itself or a copy.
fn program(update: &str, old: &str) -> String {
    let update = update.replace("old", old);
    format!(
        "param p : 4 = 1\nparam d : 4 = 1\nparam m : 4, 4 = 1\nlet t = p *. p\nlet k = t *. 1\n{update}\nlet loss = sum(square(t) *. d) + sum(m)\n"
    )
}

fn final_values(source: &str) -> Vec<f64> {
    let Reading {
        program, inference, ..
    } = reading(source);
    let mut given = BTreeMap::new();
    for (name, count) in [("p", 4), ("d", 4), ("m", 16)] {
        let id = program.find(name).expect("it is defined");
        let value = |cell: i32| 0.5 + 0.3 * f64::from(cell * 5 % 7);
        given.insert(id, (0..count).map(value).collect());
    }
    let id = program.find("t").expect("it is defined");
    let tensors = lozenge::run_precise(&program, &inference, &given).expect("it runs");
    tensors[id.0].clone()
}

#[test]
fn an_update_reads_what_its_tensor_held_before() {
    for update in UPDATES {
        let (own, copied) = (program(update, "t"), program(update, "k"));
        assert_eq!(final_values(&own), final_values(&copied), "{update}");
    }
}

/// Its gradient is exact too, unless a derivative needs a value that is gone.
#[test]
fn its_gradient_is_exact_or_refused() {
    let mut exact = 0;
    for update in UPDATES {
        let source = program(update, "t") + "backward loss\n";
        match lozenge::parse(&source) {
            Ok(_) => {
                let (error, _) = largest_error(&source, &mut precisely);
                assert!(error < 1e-6, "{error:e} in\n{source}");
                exact += 1;
            }
            Err(errors) => {
                let says = errors[0].message.contains("that is not there any more");
                assert!(says, "{} in\n{source}", errors[0].message);
            }
        }
    }
    assert!(exact >= UPDATES.len() - 3, "only {exact} are computed");
}

/// An update shifts a state by one position.
#[test]
fn a_state_is_rolled() {
    let source = "data v : 4 = [1, 2, 3, 4]\nstate s : 4 = v\ns =: s \"a:1^b => b^a\"\ns =: s \"a:1^b => b^a\"\n";
    let Reading {
        program, inference, ..
    } = reading(source);
    let given = BTreeMap::from([(program.find("v").expect("v"), vec![1.0, 2.0, 3.0, 4.0])]);
    let tensors = lozenge::run_precise(&program, &inference, &given).expect("it runs");
    assert_eq!(
        tensors[program.find("s").expect("s").0],
        [3.0, 4.0, 1.0, 2.0]
    );
}

/// No copy is made where only the first region reads the tensor, or there is one region only.
#[test]
fn a_copy_is_made_only_where_it_is_needed() {
    let copies = |update: &str| {
        let count = |old| reading(&program(update, old)).program.steps.len();
        count("t") - count("k")
    };
    assert_eq!(copies("t =+ old \"i:4 => i\""), 0);
    assert_eq!(copies("t =+ concat(old, d) \"_:2^b; c:2^_ => b^c\""), 0);
    assert_eq!(copies("t =+ concat(d, old) \"_:2^b; c:2^_ => b^c\""), 1);
    assert_eq!(copies("t =+ old \"a:1^b => b^a\""), 1);
}
