//! Programs of the gradual calculus: the listings of the paper, and the chain from running to being refused.

use std::path::Path;

use lozenge_fuzz::agreement::Agreement;
use lozenge_fuzz::subject::Subject;
use lozenge_fuzz::subject::checked::Checked;
use lozenge_fuzz::subject::party::{Effort, Parties};
use lozenge_fuzz::subjects::gradual::{Gradual, Standing, Stands};
use lozenge_gradual_vocabulary::Program;

fn program(text: &str) -> Program {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn checked(program: &Program) -> Checked {
    Gradual::checked(program, &Effort::default())
}

/// Asserts what the transcribed rules and the native procedure say.
fn say(text: &str, rules: &str, native: &str) {
    let checked = checked(&program(text));
    let words = ["spec", "solver"].map(|party| checked.word(party));
    assert_eq!(words, [Some(rules), Some(native)], "{text}\n{checked}");
    assert_eq!(checked.agreement(), Agreement::Agree, "{text}\n{checked}");
}

#[test]
fn the_listings_of_the_paper_stand_where_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/gradual");
    let expected = [
        (1, "ill-typed", "never"),
        (2, "typable", "never"),
        (3, "runs", "runs"),
        (4, "runs", "runs"),
        (5, "runs", "runs"),
        (6, "runs", "runs"),
        (7, "runs", "runs"),
        (8, "runs", "runs"),
    ];
    for (number, rules, native) in expected {
        let path = folder.join(format!("listing{number}.grad"));
        say(
            &std::fs::read_to_string(path).expect("the file is there"),
            rules,
            native,
        );
    }
}

/// Three programs that separate the steps of the chain: a run is a static migration is a type, and none of it holds the
/// other way around.
#[test]
fn the_steps_of_the_chain_differ() {
    say("x : [?] return reshape(x, [3])", "runs", "runs");
    // The unknown size of the target is always 2, and its type says that it may be 3.
    say(
        "x : [20, 20] return conv2d(3, 1, (1, 1), reshape(x, [1, ?, 10, 20]))",
        "static",
        "never",
    );
    say(
        "x : [?, ?, ?, ?] return add(conv2d(2, 1, (1, 1), x), conv2d(4, 1, (1, 1), x))",
        "typable",
        "never",
    );
    say(
        "x : [6, ?] return conv2d(1, 1, (1, 1), x)",
        "ill-typed",
        "never",
    );
}

#[test]
fn demands_on_inputs_count() {
    for (demand, rules, native) in [
        ("x.rank = 1", "runs", "runs"),
        ("x.rank = 2, x[0] > 3", "runs", "runs"),
        ("x[2] static", "runs", "runs"),
        ("x.rank = 1, x[0] > 12", "typable", "never"),
        ("x.rank = 1, x[-1] % 5 = 0", "typable", "never"),
    ] {
        say(
            &format!("x : ? where {demand} return reshape(x, [12])"),
            rules,
            native,
        );
    }
}

/// An answer that does not fit is a disagreement, whoever gives it.
#[test]
fn the_table_notices_a_wrong_answer() {
    use lozenge_fuzz::outcome::Outcome;
    use lozenge_fuzz::subject::party::Said;
    let said = |party: &'static str, answer: Standing| Said::<Gradual> {
        party,
        question: Stands,
        answer,
    };
    let one = |runs, is_static, typable| Standing {
        runs,
        is_static,
        typable,
        ..Standing::default()
    };
    let any = program("x : ? return x");
    let (yes, no) = (Some(true), Some(false));
    for (left, right, fits) in [
        (one(yes, yes, yes), one(yes, None, None), true),
        (one(None, yes, yes), one(no, None, None), true),
        (one(yes, yes, yes), one(no, None, None), false),
        (one(no, no, no), one(yes, None, None), false),
        (one(None, no, yes), one(yes, None, None), false),
        (one(None, None, no), one(None, yes, None), false),
    ] {
        let outcome = Gradual::compare(
            &any,
            &[said("one", left.clone()), said("other", right.clone())],
        );
        assert_eq!(matches!(outcome, Outcome::Agree), fits, "{left} {right}");
        assert_eq!(
            matches!(outcome, Outcome::Disagree(_)),
            !fits,
            "{left} {right}"
        );
    }
    let wrong = Standing {
        runs: yes,
        input: Some([("x".to_string(), vec![2])].into()),
        ..Standing::default()
    };
    let none = program("x : ? return reshape(x, [3])");
    assert!(Gradual::check(&none, &wrong).is_err());
    assert!(Gradual::check(&any, &wrong).is_ok());
}

/// Whatever the text is, it is read or refused with its line, and nothing is left over after minimising.
#[test]
fn a_minimal_program_is_one_from_which_no_step_leads_on() {
    let large = program(
        "x : [?, 4] y : ? where x[0] > 1 return add(reshape(x, [2, ?]), conv2d(2, 3, (3, 2), if dim(y) = 4 then y else x))",
    );
    let asks = |program: &Program| program.to_string().contains("conv2d");
    let least = lozenge_testkit::minimise::least(&large, Gradual::smaller, |one| Some(asks(one)));
    assert_eq!(least.to_string(), "y : ?\nreturn conv2d(0, 0, (0, 0), y)\n");
    assert!(Gradual::read(b"x : [?\nreturn y\n").is_err_and(|error| error.starts_with("line 2")));
    let mut parties = Parties::default();
    assert!(
        parties
            .ask(&lozenge_fuzz::subjects::gradual::RULES, Stands, &least)
            .is_some()
    );
}
