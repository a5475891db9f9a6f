//! Every subject is whole: what its targets draw prints and reads back, its files are known by their names, and `check`
//! answers about them.

use std::collections::BTreeSet;

use lozenge_fuzz::agreement::Agreement;
use lozenge_fuzz::subject::party::{Effort, Parties};
use lozenge_fuzz::subjects::{SUBJECTS, recognised, targets};

/// The inputs of each target that are printed.
const INPUTS: u64 = 60;

#[test]
fn what_a_target_draws_prints_and_reads_back() {
    for target in targets() {
        let mut printed = 0;
        for text in (0..INPUTS).filter_map(|index| target.text(5, index)) {
            let name = target.name();
            assert_eq!(target.printed(&text).as_ref(), Ok(&text), "{name}");
            printed += 1;
        }
        assert_eq!(printed, INPUTS, "{}", target.name());
    }
}

/// A minimal input of a target reads back as itself, and so do the inputs on the way.
#[test]
fn a_smaller_input_reads_back() {
    let mut parties = Parties::default();
    for name in [
        "sizes",
        "projection",
        "projected_operations",
        "regions",
        "shapes",
        "gradual_points",
        "axon",
    ] {
        let target = targets().iter().find(|target| target.name() == name);
        let target = target.expect("a target");
        let text = target.text(5, 3).expect("an input");
        let least = target
            .least(&text, &mut parties)
            .expect("it reads back")
            .text;
        assert_eq!(target.printed(&least).as_ref(), Ok(&least), "{name}");
        let data = |text: &str| text.lines().filter(|line| !line.starts_with('#')).count();
        assert!(data(&least) <= data(&text), "{name}: {text}\n{least}");
    }
}

#[test]
fn a_subject_is_known_by_its_extension() {
    let extensions: BTreeSet<&str> = SUBJECTS.iter().map(|subject| subject.extension()).collect();
    let nouns: BTreeSet<&str> = SUBJECTS.iter().map(|subject| subject.noun()).collect();
    assert_eq!(
        (extensions.len(), nouns.len()),
        (SUBJECTS.len(), SUBJECTS.len())
    );
    for subject in SUBJECTS {
        let found = recognised(Some(subject.extension()), &[]);
        // Any text is a text, so that nothing tells one.
        let expected = Some(subject.noun()).filter(|_| subject.extension() != "txt");
        assert_eq!(found.map(|found| found.noun()), expected);
    }
    assert!(recognised(None, b"v0 >= 1").is_none());
}

#[test]
fn the_parties_of_every_subject_are_consistent() {
    let effort = Effort::default();
    for subject in SUBJECTS {
        let target = subject.targets()[0];
        // Kernels take half a second each.
        let count = if subject.extension() == "nest" { 1 } else { 4 };
        for text in (0..count).filter_map(|index| target.text(9, index)) {
            let checked = subject
                .check(text.as_bytes(), &effort)
                .expect("it reads back");
            let agreement = checked.agreement();
            assert!(agreement != Agreement::Disagree, "{text}\n{checked}");
            let said = checked.lines.len() + checked.further.len();
            assert!(said > 0, "{text}\n{checked}");
        }
    }
}

/// A text that is no input of a subject is refused with a place or the name of a part, whatever is wrong with it.
#[test]
fn a_text_that_is_no_input_is_refused() {
    let effort = Effort::default();
    let cases = [
        ("rows", "<r> ~", "line 1"),
        ("projections", "slot 2\n0.0 =", "line 2"),
        ("facts", "v0 >= 1\nv0 = v1", "line 2"),
        (
            "operation",
            "slot 0: batch [], input [], output [3]\nslot 1 output ~ [i]",
            "no slot 1",
        ),
        (
            "operation",
            "slot 0: batch [], input [], output [3]\nslot 0 output ~ [i]",
            "i has no value",
        ),
        (
            "statement",
            "sizes = [2]\nsign = \"add\"\nunstated = []\nalternatives = false\ntemplates = [[[{ label = 3 }], 0], [[], 0]]",
            "label 3 has no size",
        ),
        ("shapes", "a = [3\n", "line 1"),
        ("axon", "f = fn(x {", "line 1"),
        ("gradients", "together = 3", "line 1"),
        ("nest", "exact = 1", "line 1"),
        ("grad", "x : ?\nreturn y", "line 2"),
        ("rows", "\u{0}", "line 1"),
    ];
    for (extension, text, wanted) in cases {
        let subject = recognised(Some(extension), &[]).expect("a subject");
        let error = subject.check(text.as_bytes(), &effort).err();
        let error = error.unwrap_or_else(|| panic!("{extension} reads {text}"));
        assert!(error.contains(wanted), "{extension}, {text}: {error}");
        assert!(subject.check(&[0xff], &effort).is_err());
    }
}
