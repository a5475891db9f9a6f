//! The commonest mistakes. Each program of `tests/messages` has its messages beside it, in a file of the same name that
//! ends in `.snap`. `INSTA_UPDATE=always cargo test` rewrites these files.

use std::path::{Path, PathBuf};

use lozenge::{Check, Diagnostic, Options, explain_check, read};
use lozenge_lang::Edit;

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages");
    let mut programs: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "loz"))
        .collect();
    programs.sort();
    programs
}

fn messages(source: &str) -> Vec<Diagnostic> {
    match read(source, &Options::default()) {
        Ok(reading) => reading.warnings,
        Err(errors) => errors,
    }
}

/// The commonest mistakes by their numbers: the program of each, what the headline says, and what the help says.
const COMMONEST: [(&str, &str, &str); 28] = [
    (
        "01_number_composed",
        "`*` composes, and a number has no inputs",
        "to scale, write `0.5 *. x`",
    ),
    (
        "02_numpy_order",
        "`x` has no inputs for `w` to fill",
        "the other way round it fits: `w * x`",
    ),
    (
        "03_interior_on_the_left",
        "`h * m` contracts an input of `h` that no operand of `h` has",
        "cell by cell is `h *. m`",
    ),
    (
        "04_at_sign",
        "`@` is not an operator",
        "`w * x` composes `w` after `x`",
    ),
    (
        "05_inputs_and_outputs",
        "`w` takes 768 inputs, `x` gives 784",
        "one of the two sizes",
    ),
    (
        "06_hidden_width",
        "nothing says how many hidden units there are between `w1` and `w2`",
        "`param w1 : ...->128`",
    ),
    (
        "07_no_outputs",
        "nothing says which outputs `w` has",
        "`param w : ...->10`",
    ),
    (
        "08_batch_axes",
        "the batch axes 1797 and 10 cannot be one",
        "to keep both, a value for each pair of the 1797 and the 10: `map(images - centroids, ",
    ),
    (
        "09_shape_without_inputs",
        "`w` has no inputs for `x` to fill",
        "write `...->128`",
    ),
    (
        "10_spec_without_batch",
        "`x` has 1 batch axis, and the spec reads no batch axes",
        "n|->c",
    ),
    (
        "11_one_is_not_the_unit",
        "an axis that is 1 wide does not broadcast to 4",
        "`1_` in the shape of `x` is the one that broadcasts",
    ),
    (
        "12_another_meaning",
        "3 of `rgb` meets 3 of `xyz`: the same size, another meaning",
        "leave the basis out where the meaning is the same",
    ),
    (
        "13_label_with_two_sizes",
        "`n` is 1437 in `images` and 360 in `unseen`",
        "use another label for one of them",
    ),
    (
        "14_position_past_the_end",
        "position 784 is past the end: the axis of `x` has 8 places, 0 to 7",
        "a size is written with a label, `n:784`",
    ),
    (
        "15_one_shape_two_operands",
        "the spec is for 1 operand, the expression has 2",
        "write a shape for each operand",
    ),
    (
        "15_b_one_shape_in_a_reduction",
        "the spec reads one tensor, so `a * b` is composed first",
        "to multiply in the loop give both shapes: `\"i, j; i, j => i\"`",
    ),
    (
        "16_map_loses_a_label",
        "`map` writes each cell once, and `c` is left out",
        "`sum`, `max` or `min` over `c`, or a position in its place",
    ),
    (
        "17_definition_without_let",
        "`y` is not defined yet",
        "a definition starts with `let`",
    ),
    (
        "18_parameters_need_two_lists",
        "`f` makes parameters, so it needs two lists",
        "`f()(x)` or `let g = f()` to use it",
    ),
    (
        "19_a_size_and_not_a_tensor",
        "`dense` takes a size here, `x` is a tensor",
        "configuration first, then tensors",
    ),
    (
        "20_late_bound",
        "`d` is known only after inference",
        "give it a value: `size d = 16`, or `d:16` in the spec",
    ),
    (
        "21_new_in_each_turn",
        "`y` is defined above and would be new in each turn",
        "`for i in 0..12 carry y:`",
    ),
    (
        "22_loss_with_axes",
        "a loss has no axes, `e` is `64|->`",
        "`let loss = mean(e)`",
    ),
    (
        "23_no_gradient_yet",
        "there is no gradient yet",
        "put `backward loss` above it",
    ),
    (
        "24_index",
        "brackets read a list, and `x` is a tensor",
        "`x @| 0`",
    ),
    ("24_b_axis_by_number", "`sum` has no `axis`", "say the axes"),
    (
        "25_across_markers",
        "`t` and `a` have equal sizes and do not pair",
        "a spec pairs them: `map(t + a, ",
    ),
    (
        "26_update_with_batch",
        "`w` is one for all instances, and `e` has the batch axes 64",
        "first, or use `w.grad`",
    ),
];

#[test]
fn the_commonest_mistakes_are_said_in_these_words() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages");
    let mut differ = Vec::new();
    for (name, headline, help) in COMMONEST {
        let path = folder.join(name).with_extension("loz");
        let source = std::fs::read_to_string(path).expect("the program is text");
        let messages = messages(&source);
        let said = messages.iter().any(|message| {
            let advice = message.help.as_ref().map_or("", |help| help.text.as_str());
            message.message == headline && advice.contains(help)
        });
        if !said || messages.len() != 1 {
            let shown = messages.iter().map(|m| m.render(&source, "net.loz", false));
            differ.push(format!("{name}\n{}", shown.collect::<Vec<_>>().join("\n")));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n\n"));
    let numbers: std::collections::BTreeSet<&str> =
        COMMONEST.iter().map(|(name, ..)| &name[..2]).collect();
    assert_eq!(numbers.len(), 26);
}

/// `docs/messages.md` judges each of them, by the headline that it has now.
#[test]
fn every_one_of_them_is_judged() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/messages.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let page = page.replace("\\|", "|");
    for (name, headline, _) in COMMONEST {
        let number = name[..2].trim_start_matches('0');
        let rows = page
            .lines()
            .filter(|line| line.starts_with(&format!("| {number} | ")));
        let rows: Vec<&str> = rows.collect();
        assert_eq!(rows.len(), 1, "number {number}");
        assert!(
            rows[0].contains(headline),
            "{name}: {headline}\n{}",
            rows[0]
        );
        let columns: Vec<&str> = rows[0].trim_matches('|').split(" | ").collect();
        assert_eq!(columns.len(), 5, "{name}: {columns:?}");
    }
}

#[test]
fn every_program_has_the_messages_beside_it() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../messages");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for path in programs() {
        let source = std::fs::read_to_string(&path).expect("the program is text");
        let shown: Vec<String> = messages(&source)
            .iter()
            .map(|message| message.render(&source, "net.loz", false))
            .collect();
        assert!(!shown.is_empty(), "{} has no message", path.display());
        let name = path.file_stem().expect("a name").to_string_lossy();
        settings.bind(|| insta::assert_snapshot!(name.as_ref(), shown.join("\n\n")));
    }
}

/// A change that a message proposes works: its own error is gone, there are fewer or those that it hid, and none if the
/// program had only one.
#[test]
fn every_proposed_change_is_accepted() {
    let mut proposed = 0;
    for path in programs() {
        let source = std::fs::read_to_string(&path).expect("the program is text");
        let before = messages(&source);
        for message in &before {
            let Some(help) = message.help.as_ref().filter(|help| !help.edits.is_empty()) else {
                continue;
            };
            proposed += 1;
            let changed = Edit::apply(&help.edits, &source);
            assert!(
                lozenge::parse(&source).is_err() || lozenge::parse(&changed).is_ok(),
                "it cannot be read any more:\n{}\n{changed}",
                message.render(&source, "net.loz", false)
            );
            let after = messages(&changed);
            let own = |other: &Diagnostic| other.message == message.message;
            let known = |new: &&Diagnostic| before.iter().any(|old| old.message == new.message);
            let hidden = after.iter().filter(|new| !known(new)).count();
            assert!(
                after.len() < before.len() || !after.iter().any(own) && hidden <= 1,
                "{}\n{changed}",
                message.render(&source, "net.loz", false)
            );
            assert!(before.len() > 1 || read(&changed, &Options::default()).is_ok());
        }
    }
    assert!(proposed >= 15, "only {proposed} changes were proposed");
}

/// A parameter that a layer of the prelude makes has no line of its own, and a slice no spec: their messages have a
/// change that fixes the program all the same.
#[test]
fn what_has_no_line_of_its_own_has_a_mend() {
    let mut seen = 0;
    for path in programs() {
        let name = path.file_name().expect("a name").to_string_lossy();
        if !["49", "50", "51", "52", "54", "55", "56"].contains(&&name[..2]) {
            continue;
        }
        seen += 1;
        let source = std::fs::read_to_string(&path).expect("the program is text");
        for message in messages(&source) {
            let mended = message
                .help
                .as_ref()
                .is_some_and(|help| !help.edits.is_empty());
            assert!(mended, "{}", message.render(&source, "net.loz", false));
        }
    }
    assert_eq!(seen, 8);
}

/// The rule and the derivation are shown on request only.
#[test]
fn the_rule_is_shown_on_request() {
    let source =
        "data x : 100|->784 from \"x.csv\"\ndata w : 768->10 from \"w.csv\"\nlet y = w * x\n";
    let message = &messages(source)[0];
    assert!(
        !message
            .render(source, "net.loz", false)
            .contains("di_ground")
    );
    assert!(
        message
            .render_why(source, "net.loz", false)
            .contains("di_ground")
    );
}

/// The examples that `lozenge explain R2` and its like show are true.
#[test]
fn the_example_of_a_refusal_is_refused_by_it_and_the_mended_one_is_accepted() {
    for check in Check::ALL {
        let entry = explain_check(check);
        let messages = read(entry.example, &Options::default()).expect_err("it is refused");
        let codes: Vec<Option<&str>> = messages.iter().map(|m| m.code.as_deref()).collect();
        assert_eq!(codes, [Some(entry.name.as_str())], "{entry}");
        let mended = read(entry.mended, &Options::default());
        assert!(
            mended.is_ok_and(|reading| reading.warnings.is_empty()),
            "{entry}"
        );
        let changed = entry.example.lines().zip(entry.mended.lines());
        assert_eq!(changed.filter(|(a, b)| a != b).count(), 1, "{entry}");
    }
}

/// `mean` is made of a sum and a count, of which only one speaks.
#[test]
fn a_mean_of_several_operands_is_refused_once() {
    let said =
        messages("data a : 3->3\ndata b : 3->3\nlet m = mean(a * b, \"i->j; j->k => i->k\")\n");
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(
        said[0].message,
        "`mean` combines one tensor, and the spec is for 2 operands"
    );
}

/// A loop of 60 iterations, each of which makes the same mistake, and a mistake behind it.
#[test]
fn a_mistake_in_a_loop_is_said_once_and_hides_no_other() {
    let wrong = "data x : 8|->3\ndata y : 8| = range(8)\nparam w : 3->1\n\
                 for i in 0..60: let margin = y * (w * x)\nlet other = x - map(x, \"n|->c => c|->n\")\n";
    let said: Vec<String> = messages(wrong).into_iter().map(|m| m.message).collect();
    let (first, second) = match said.as_slice() {
        [first, second] => (first, second),
        _ => panic!("{said:?}"),
    };
    assert!(first.contains("`y` has no inputs"), "{said:?}");
    assert!(second.contains("8 and 3"), "{said:?}");

    // A width that a layer lacks is reported at its text, not for each of its instances and parameters.
    let hidden = "data x : 8|->3\ndef block()(a):\n  let h = relu(linear()(a))\n  a + linear()(h)\n\
                  let y = x\nfor i in 0..30 carry y:\n  let y = block()(y)\n";
    let said = messages(hidden);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].message.contains("how many hidden units"));

    // The names of the tensors differ from iteration to iteration.
    let carried = "data f : 2->2\ndata h : 2->1\ndata p0 : 2->2\nlet p = p0\nfor i in 0..12 carry p:\n  \
                   let s = h * p * transpose(h) + 0.5\n  let p = p * transpose(h) / s\n";
    let said = messages(carried);
    assert!(said.len() <= 2, "{said:?}");

    // A shape that a function with one parameter list lacks is reported at the function.
    let one_list = "data x : 8|->3\ndef norm(a):\n  param gain = 1\n  param bias = 0\n  a *. gain + bias\n\
                    let y = norm(x)\nlet z = norm(y)\n";
    let said = messages(one_list);
    assert_eq!(said.len(), 1, "{said:?}");

    // A refusal of shapes that fit.
    let nobody = "data x : 8|->3\nparam a : 3 = 1\nfor i in 0..60: let y = sum(x) * a\n";
    let said = messages(nobody);
    assert!(said.len() <= 2, "{said:?}");
}
