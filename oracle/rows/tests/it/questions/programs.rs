//! Programs, and questions as words.

use std::collections::BTreeMap;

use lozenge_vocabulary::{Cited, Constraint, ConstraintSet, Dim, Order, RowVar, Var, Verdict};

use super::set;
use lozenge_oracle::{
    Answer, Completion, ForcedValue, Limits, Oracle, Program, Question, QuestionError, Second,
    Statement,
};

fn statements(set: &ConstraintSet) -> Vec<Statement> {
    let all = set.constraints.iter().enumerate();
    all.map(|(at, constraint): (usize, &Constraint)| Statement {
        label: constraint.to_string(),
        constraints: vec![at],
    })
    .collect()
}

fn complete(text: &str, seen: &[&str]) -> Completion {
    let set = set(text);
    let seen: Vec<Var> = seen.iter().map(|row| Var::Row(RowVar::new(row))).collect();
    Oracle::default().complete(&Program {
        set: &set,
        statements: &statements(&set),
        seen: &seen,
    })
}

#[test]
fn a_program_with_one_completion() {
    // A matrix of 3 by 4 times a vector of 4: only the result's marker is free, and the author does not see it.
    match complete(
        "<m> ~ [3, 4]\n<m> ~ [o, i]\n<v> ~ [i]\n<r> ~ [o]",
        &["r", "v"],
    ) {
        Completion::Possible {
            first,
            forced,
            second,
        } => {
            assert_eq!(first.rows[&RowVar::new("r")].to_string(), "[3]");
            assert_eq!(forced.contents.len(), 3);
            assert_eq!(second, Second::None);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_program_with_a_hidden_dimension_has_a_second_completion() {
    match complete("<w1> ~ [3, hidden]\n<w2> ~ [hidden, 4]", &["w1", "w2"]) {
        Completion::Possible {
            first,
            second: Second::Some(second),
            ..
        } => {
            let w1 = RowVar::new("w1");
            assert_ne!(first.rows[&w1].flat(), second.rows[&w1].flat());
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_refused_program_names_its_statements() {
    let text = "<a> ~ [3, 4]\n<b> ~ [5]\n<c> <= <b>\n<a> ~ [4, 3]";
    let set = set(text);
    let mut statements = statements(&set);
    // The first two constraints are one statement.
    statements.remove(1);
    statements[0].constraints = vec![0, 1];
    let program = Program {
        set: &set,
        statements: &statements,
        seen: &[],
    };
    let refused = Completion::Refused {
        statements: vec![0, 2],
        doubt: None,
    };
    assert_eq!(Oracle::default().complete(&program), refused);
}

fn ask(text: &str, question: &str) -> lozenge_oracle::OracleReport {
    let question: Question = question.parse().unwrap_or_else(|error| panic!("{error}"));
    Oracle::new(Order::Marked).ask(&set(text), &question)
}

/// A set, a question, and the text of the answer.
const ASKED: &[(&str, &str, &str)] = &[
    ("3 <= a", "sat", "sat\na = 1_\n"),
    (
        "<r> <= [2 <s>]",
        "minimal-rank",
        "sat\n<r> ~ [2 <>]\n<s> ~ []\n",
    ),
    (
        "a = 3\nb = 4\na = b",
        "core",
        "unsat: these constraints exclude each other\n  constraint 1: a = 3\n  constraint 2: b = 4\n  constraint 3: a = b\n",
    ),
    (
        "a = 3\nb = 4\na = 5",
        "core",
        "unsat: these constraints exclude each other\n  constraint 1: a = 3\n  constraint 3: a = 5\n",
    ),
    ("a = 3", "core", "sat: there is no core\n"),
    (
        "3 <= a\n5 <= a\n<r> ~ [a, b]\nb <= c",
        "forced",
        "sat\na = 1_\nrank <r> = 2\n",
    ),
    (
        "<r> ~ [3, 5]",
        "forced",
        "sat\nrank <r> = 2\ncontent <r> = [3, 5]\n",
    ),
    // A rank is forced and its content is not; one of two contents is forced.
    ("3 <= a\n<r> ~ [a]", "forced", "sat\nrank <r> = 1\n"),
    (
        "3 <= a\n<r> ~ [a]\n<s> ~ [5]",
        "forced",
        "sat\nrank <r> = 1\nrank <s> = 1\ncontent <s> = [5]\n",
    ),
    (
        "3 <= a",
        "entails=a = 3",
        "entailed: no\ncounterexample:\na = 1_\n",
    ),
    ("a <= 3", "entails=a = 3", "entailed: yes\n"),
    (
        "a <= b",
        "equivalent=a = b",
        "every solution is one of the other set: no\ncounterexample:\na = 2\nb = 1_\nevery solution of the other set is one: yes\n",
    ),
    ("3 <= a", "sound=a = 4", "sound: no\nviolated: 3 <= a\n"),
    ("3 <= a", "sound=a = 3", "sound: yes\n"),
    (
        "3 <= a",
        "most-general=;;3 <= a",
        "sound: yes\ncovers every solution: yes\n",
    ),
    (
        "3 <= a",
        "most-general=a = 3",
        "sound: yes\ncovers every solution: no\ncounterexample:\na = 1_\n",
    ),
    (
        "<r> ~ [3]",
        "greatest=<r> ~ [3]",
        "a solution: yes\nabove every solution, markers read: no\ncounterexample:\n<r> ~ [3 <>]\nabove every solution, results read flat: yes\n",
    ),
    ("3 <= a", "count=5", "solutions: 2\n"),
    ("a <= b", "count=5", "solutions: at least 5\n"),
    (
        "3 <= a",
        "enumerate",
        "solutions: 2\nsolution 1\na = 1_\nsolution 2\na = 3\n",
    ),
];

#[test]
fn questions_are_answered_in_words() {
    for &(text, question, expected) in ASKED {
        assert_eq!(
            ask(text, question).to_string(),
            expected,
            "{question} of\n{text}"
        );
    }
}

/// Returns the verdict of an answer, how many axes were looked at for it, and the answer.
fn answered(text: &str, question: &str) -> (Verdict, u32, Answer) {
    let report = ask(text, question);
    let answered = report.answered;
    assert_eq!(answered.order, Order::Marked);
    (report.verdict, answered.window, answered.answer)
}

/// Returns a constraint as an answer cites it, by its number from 1, without a line.
fn cited(constraint: usize, text: &str) -> Cited {
    Cited {
        constraint,
        line: None,
        text: text.into(),
    }
}

#[test]
fn answers_are_data() {
    let key = |var: &str| var.to_string();
    let sizes = [3, 4].map(|size| Dim::new(size).expect("a size"));
    let forced = Answer::Forced {
        forced: BTreeMap::from([
            (key("a"), ForcedValue::Dim(sizes[0].clone())),
            (key("rank <r>"), ForcedValue::Rank(2)),
        ]),
        contents: BTreeMap::from([(key("<r>"), sizes.to_vec())]),
        undetermined: BTreeMap::new(),
    };
    assert_eq!(
        answered("a = 3\n<r> ~ [a, 4]", "forced"),
        (Verdict::Sat, 3, forced)
    );
    let contradictory = "a = 3\na = 4";
    let core = Answer::Core {
        core: vec![cited(1, "a = 3"), cited(2, "a = 4")],
        minimal: true,
        doubt: None,
    };
    assert_eq!(answered(contradictory, "core"), (Verdict::Unsat, 1, core));
    let (verdict, window, answer) = answered("3 <= a", "entails=a = 3");
    let Answer::Entails(claim) = answer else {
        panic!("{answer:?}");
    };
    assert_eq!(
        (verdict, window, claim.holds),
        (Verdict::Unsat, 1, Some(false))
    );
    let counterexample = claim.counterexample.map(|ground| ground.to_string());
    assert_eq!(counterexample.as_deref(), Some("a = 1_\n"));
}

#[test]
fn bad_questions_are_explained() {
    let error = |question: &str| question.parse::<Question>().expect_err(question);
    assert_eq!(error("sit"), QuestionError::Unknown("sit".to_owned()));
    assert_eq!(error("sat=3"), QuestionError::Surplus("sat".to_owned()));
    assert_eq!(error("count=0"), QuestionError::Number("0".to_owned()));
    assert_eq!(error("count").to_string(), "`count` needs a value: count=K");
    assert!(matches!(error("entails=a <= "), QuestionError::Notation(_)));
    assert!(matches!(
        error("entails=a = b; b = c"),
        QuestionError::Form(_)
    ));
    assert!(matches!(error("sound=a = b"), QuestionError::Form(_)));
    assert!(matches!(error("sound=a <= 3"), QuestionError::Form(_)));
    assert!(matches!(
        error("most-general=a = 3; a = 4"),
        QuestionError::Form(_)
    ));
    // A binding has a bare row variable on its left.
    for binding in ["[3 <r>] ~ [3, 5]", "[<r> 5] ~ [3, 5]", "[3] ~ [3]"] {
        let error = error(&format!("most-general={binding}")).to_string();
        assert!(error.contains("is no binding"), "{error}");
    }
    // Every word of the list is a question or reports that its value is missing.
    for word in lozenge_oracle::WORDS.split(", ") {
        let word = word.split(['=', '[']).next().unwrap_or(word);
        assert!(
            !matches!(word.parse::<Question>(), Err(QuestionError::Unknown(_))),
            "{word}"
        );
    }
}

#[test]
fn verdicts_follow_the_answers() {
    assert_eq!(ask("a = 3", "core").verdict, Verdict::Sat);
    assert_eq!(ask("a = 3\na = 4", "forced").verdict, Verdict::Unsat);
    assert_eq!(ask("a = 3", "count=2").verdict, Verdict::Sat);
    assert_eq!(ask("3 = 4", "count=2").verdict, Verdict::Unsat);
    // Of two claims, one that does not hold decides the verdict, otherwise one that is not known.
    assert_eq!(
        ask("a <= b\nb <= a", "equivalent=a = b").verdict,
        Verdict::Sat
    );
    assert_eq!(ask("a <= b", "equivalent=a = b").verdict, Verdict::Unsat);
    assert_eq!(ask("a = b", "equivalent=a <= b").verdict, Verdict::Unsat);
    assert_eq!(ask("3 <= a", "most-general=;;3 <= a").verdict, Verdict::Sat);
    assert_eq!(ask("3 <= a", "greatest=a = 3").verdict, Verdict::Unsat);
    let open = "[1_, 1_ <r>] <= [<r> 5]";
    for question in ["sat", "count=2", "equivalent=a = 3", "entails=3 = 4"] {
        let question: Question = question.parse().unwrap();
        let one_shot = Oracle::new(Order::OneShot);
        let windows_alone = one_shot.clone().with_limits(Limits {
            clashes: 0,
            ..Limits::default()
        });
        let report = windows_alone.ask(&set(open), &question);
        assert_eq!(report.verdict, Verdict::Unknown, "{report}");
        assert_ne!(
            one_shot.ask(&set(open), &question).verdict,
            Verdict::Unknown
        );
    }
}

#[test]
fn a_question_is_about_the_set_or_about_something_else() {
    let about = |question: &str| {
        question
            .parse::<Question>()
            .expect(question)
            .is_about_the_set()
    };
    for question in ["sat", "model", "core", "forced"] {
        assert!(about(question), "{question}");
    }
    for question in [
        "entails=a = 3",
        "equivalent=a = 3",
        "sound=a = 3",
        "count=2",
    ] {
        assert!(!about(question), "{question}");
    }
}
