//! Programs into which a mistake was inserted: the change that a message proposes is accepted, and the changed program
//! computes what the program without the mistake computes, or the message says what else.
//!
//! `LOZENGE_MUTATED=10000` tries more programs.

mod numbers;

use std::collections::BTreeMap;

use lozenge::{Diagnostic, Options, read};
use lozenge_lang::{Edit, Severity};
use lozenge_testkit::random::Random;

use numbers::{Made, Numbers, made, numbers};

/// Programs that are accepted.
const PROGRAMS: [&str; 13] = [
    "data x : 20|->78 from \"x.csv\"\ndata t : 20|->10 from \"t.csv\"\nparam w1 : ...->12\nparam b1\nparam w2\nparam b2\n\
     let h = relu(w1 * x + b1)\nlet y = w2 * h + b2\nlet e = square(y - t)\nloss =:+ e \"n|->c => \"\n",
    "data images : 17|->6 from \"i.csv\"\ndata centroids : 10|->6 from \"c.csv\"\n\
     d =: images - centroids \"n|->p; c|->p => n, c|->p\"\ndistance =:+ square(d) \"n, c|->p => n|->c\"\n\
     nearest =:min distance \"n|->c => n|\"\n",
    "data q : 8|5->4 from \"q.csv\"\ndata k : 8|6->4 from \"k.csv\"\ns =:+ q * k \"b|i->d; b|j->d => b|i->j\"\n\
     top =:max s \"b|i->j => b|i-> \"\n",
    "data x : 50|->3_rgb from \"x.csv\"\ndata y : 50|->3_rgb from \"y.csv\"\ndata scale : 3_rgb = [1, 2, 3]\nlet z = x + y\n\
     let u = z *. scale\nmean =:+ u \"n|->c => ->c\"\nlet v = u - mean\n",
    "data x : 20|->7 from \"x.csv\"\ndata t : 20|->2 from \"t.csv\"\nparam w = 0.1\nparam b = 0\nlet y = w * x + b\nlet e = y - t\n\
     g =:+ e * x \"n|->o; n|->i => i->o\"\nw =- 0.01 *. g\n",
    "data a : 4->5 from \"a.csv\"\ndata b : 3->4 from \"b.csv\"\ndata c : 6|->3 from \"c.csv\"\nlet ab = a * b\nlet y = ab * c\n\
     let yt = transpose(a) * y\n",
    "size h = 16\ndata x : n:30|->p:12 from \"x.csv\"\nparam w : p->h\nparam v : h->p\nlet code = tanh(w * x)\nlet y = v * code\n\
     let e = y - x\n",
    "data m : 5, 7 from \"m.csv\"\ndata one : 1_, 7 from \"o.csv\"\nconst ones = 1\nsums =:+ m * ones \"p, q; q => p\"\n\
     let r = m / one\nlet s = max(r, 0.5)\n",
    "data x : 20|->7 from \"x.csv\"\nparam w1 : ...->16\nparam w2 : ...->6\nparam g\nlet h = tanh(w1 * x)\nlet y = w2 * h\n\
     let gate = sigmoid(g * x)\nlet late = y *. gate\nlet one = late @| 2\nlet mean = sum(one, \"c => \")\n",
    "data pictures : 10|->8, 8 from \"p.csv\"\ndata words : 10, 12|->50 from \"w.csv\"\nparam w1 : ...->24\nparam w2\nparam u\n\
     param v : ...->5\nlet h = relu(w1 * pictures)\nlet s = sum(words, \"b, t|->c => b|->c\")\nlet k = u * s\n\
     let late = h *. sigmoid(k)\nlet y = w2 * late\nlet z = v * s\nlet joined = y - z\nmean =:+ joined \"b|->c => ->c\"\n\
     let part = joined @| 3\nlet r = part - mean\n",
    "data x : 6, 4 from \"x.csv\"\nlet m = map(mean(x, \"i, j => i\"), \"i => i, 0:1_\")\nlet centred = x - m\n\
     let squares = sum(square(centred), \"i, j => i\")\nlet spread = map(centred / squares, \"i, j; i => i, j\")\n",
    "data x : 5|->13, 2 from \"x.csv\"\nlet p = max(x, \"n|->floor(2*y + u:2), c => n|->y, c\")\n\
     let up = map(p, \"n|->y, c => n|->(y, k:2), c\")\nlet low = map(x, \"n|->y^_:1, c => n|->y, c\")\n\
     let joined = concat(low, up, \"n|->y, a; n|->y, b => n|->y, a^b\")\nlet z = low + up\n",
    "data a : 4|->3 from \"a.csv\"\ndata b : 5|->3 from \"b.csv\"\nlet d = map(a - b, \"n|->c; m|->c => n, m|->c\")\n\
     let far = sum(square(d), \"n, m|->c => n, m|\")\nproducts =:+ a * b \"n|->c; m|->c => n|->m\"\n",
];

/// The texts that a mutation replaces, each with its replacement.
const REPLACEMENTS: [(&str, &str); 40] = [
    (" * ", " *. "),
    (" *. ", " * "),
    (" * ", " @ "),
    (" - ", " ^ "),
    ("|->", "->"),
    ("->", "|->"),
    ("|", ""),
    ("78", "76"),
    ("20", "10"),
    ("6", "8"),
    ("10", "11"),
    ("7", "1"),
    ("3_rgb", "3_xyz"),
    ("3_rgb", "3"),
    ("1_", "1"),
    (": ...->12", ""),
    (": p->h", ""),
    (": ...->12", ": 12"),
    ("let ", "lett "),
    ("relu", "rleu"),
    ("square", "sqare"),
    ("images", "image"),
    ("0.01 *. ", "0.01 * "),
    ("- t", "- x"),
    ("=:+", "=:"),
    ("; ", ", "),
    (": ...->16", ""),
    (": ...->6", ""),
    (": ...->24", ""),
    (": ...->5", ""),
    ("@| 2", "@| 29"),
    ("@| 3", "@| 10"),
    ("0:1_", "0:1"),
    (
        "map(mean(x, \"i, j => i\"), \"i => i, 0:1_\")",
        "mean(x, \"i, j => i\")",
    ),
    (
        "map(centred / squares, \"i, j; i => i, j\")",
        "centred / squares",
    ),
    ("u:2", "u:20"),
    ("k:2", "k:3"),
    ("low + up", "x + up"),
    ("concat(low, ", "concat(x, "),
    ("m|->c", "n|->c"),
];

/// Returns a program with one mistake, or up to two: an occurrence of a text replaced, two words exchanged, or a digit
/// changed. Returns the number of the program, too.
fn mutated(random: &mut Random, most: usize) -> (usize, String) {
    let number = random.below(PROGRAMS.len());
    let mut program = PROGRAMS[number].to_string();
    for _ in 0..1 + random.below(most) {
        program = match random.below(4) {
            0 => exchanged(&program, random),
            1 => renumbered(&program, random),
            _ => replaced(&program, random),
        };
    }
    (number, program)
}

fn replaced(program: &str, random: &mut Random) -> String {
    let (from, to) = REPLACEMENTS[random.below(REPLACEMENTS.len())];
    let places: Vec<usize> = program
        .match_indices(from)
        .map(|(place, _)| place)
        .collect();
    match places.len() {
        0 => program.to_string(),
        count => {
            let place = places[random.below(count)];
            format!(
                "{}{to}{}",
                &program[..place],
                &program[place + from.len()..]
            )
        }
    }
}

fn exchanged(program: &str, random: &mut Random) -> String {
    let words: Vec<(usize, &str)> = program
        .match_indices(|c: char| !(c.is_alphanumeric() || c == '_'))
        .zip(program.split(|c: char| !(c.is_alphanumeric() || c == '_')))
        .map(|((end, _), word)| (end - word.len(), word))
        .filter(|(_, word)| !word.is_empty())
        .collect();
    let first = random.below(words.len() - 1);
    let ((a, left), (b, right)) = (words[first], words[first + 1]);
    let between = &program[a + left.len()..b];
    format!(
        "{}{right}{between}{left}{}",
        &program[..a],
        &program[b + right.len()..]
    )
}

fn renumbered(program: &str, random: &mut Random) -> String {
    let digits: Vec<usize> = program
        .char_indices()
        .filter(|(_, c)| c.is_ascii_digit())
        .map(|(place, _)| place)
        .collect();
    if digits.is_empty() {
        return program.to_string();
    }
    let place = digits[random.below(digits.len())];
    format!(
        "{}{}{}",
        &program[..place],
        1 + random.below(9),
        &program[place + 1..]
    )
}

fn errors(source: &str) -> Vec<Diagnostic> {
    match read(source, &Options::default()) {
        Ok(_) => Vec::new(),
        Err(messages) => messages
            .into_iter()
            .filter(|message| message.severity == Severity::Error)
            .collect(),
    }
}

/// Returns the stage at which an error is found: in the text, in the requirements of the operations, when they are
/// closed, or in closed shapes.
fn stage(source: &str, error: &Diagnostic) -> usize {
    let in_the_text = lozenge::parse(source).is_err_and(|errors| {
        let mut errors = errors.iter();
        errors.any(|other| other.message == error.message)
    });
    match error.why.first() {
        _ if in_the_text => 0,
        Some(why) if why.starts_with("unsat") => 1,
        Some(_) => 2,
        None => 3,
    }
}

/// Counts of a run.
#[derive(Debug, Default)]
struct Counts {
    programs: usize,
    refused: usize,
    errors: usize,
    proposed: usize,
    /// The number of changes after which the program has fewer errors.
    fewer: usize,
    /// The number of changes after which the program is accepted.
    accepted: usize,
    /// The number of changes after which the error is gone, and the others were hidden by it: the program comes further
    /// than before.
    further: usize,
    /// The number of changes after which more than one error is gone.
    several: usize,
    without_a_place: usize,
    /// The number of changes to an accepted program that computes the same as the program without the mistake.
    right: usize,
    /// The number of those that compute something else, which the message says.
    said: usize,
    /// The number of those that do so without a word.
    wrong: usize,
    /// The number of programs that are accepted in the end when the first proposed change is made until there is none.
    mended: usize,
}

/// Mutates programs, each with so many mistakes at most.
fn measure(programs: usize, mistakes: usize) -> Counts {
    let mut counts = Counts::default();
    let mut random = Random::new(1);
    let originals: Vec<Numbers> = PROGRAMS
        .iter()
        .map(|program| numbers(program).expect("it is accepted"))
        .collect();
    let mut seen: BTreeMap<String, Made> = BTreeMap::new();
    for _ in 0..programs {
        let (number, source) = mutated(&mut random, mistakes);
        counts.programs += 1;
        let before = errors(&source);
        counts.refused += usize::from(!before.is_empty());
        counts.errors += before.len();
        for error in &before {
            counts.without_a_place +=
                usize::from(error.span().is_empty() && error.span().start == 0);
            let Some(help) = error.help.as_ref().filter(|help| !help.edits.is_empty()) else {
                continue;
            };
            counts.proposed += 1;
            let changed = Edit::apply(&help.edits, &source);
            let after = errors(&changed);
            let shown = || format!("{}\n{changed}", error.render(&source, "p.loz", false));
            counts.several += usize::from(after.len() + 1 < before.len());
            counts.accepted += usize::from(after.is_empty());
            assert!(
                after.is_empty() || before.len() > 1 || mistakes > 1,
                "{}",
                shown()
            );
            if after.len() + 1 < before.len() && std::env::var("LOZENGE_SHOW").is_ok() {
                println!("{}\n{source}\n{before:#?}", shown());
            }
            if after.is_empty() && mistakes == 1 {
                let found = *seen.entry(changed.clone()).or_insert_with(|| {
                    let changed = numbers(&changed).expect("it is accepted");
                    made(&originals[number], &source, &changed, help)
                });
                match found {
                    Made::Right => counts.right += 1,
                    Made::Said => counts.said += 1,
                    Made::Wrong => counts.wrong += 1,
                }
                if found == Made::Wrong {
                    println!("computes something else:\n{}", shown());
                }
            }
            if after.len() < before.len() {
                counts.fewer += 1;
                continue;
            }
            counts.further += 1;
            let own = |other: &Diagnostic| other.message == error.message;
            assert!(
                !after.iter().any(own),
                "its own error is there still\n{}",
                shown()
            );
            let known = |new: &Diagnostic| before.iter().any(|old| old.message == new.message);
            let later = |new: &Diagnostic| stage(&changed, new) > stage(&source, error);
            let mut after = after.iter();
            assert!(after.all(|new| known(new) || later(new)), "{}", shown());
        }
        counts.mended += usize::from(!before.is_empty() && is_mended(source));
    }
    counts
}

/// Tells whether the proposed changes, one after another, lead to an accepted program.
fn is_mended(mut source: String) -> bool {
    for _ in 0..8 {
        let errors = errors(&source);
        if errors.is_empty() {
            return true;
        }
        let mut helps = errors.iter().filter_map(|error| error.help.as_ref());
        let Some(help) = helps.find(|help| !help.edits.is_empty()) else {
            return false;
        };
        source = Edit::apply(&help.edits, &source);
    }
    false
}

#[test]
fn what_is_proposed_is_accepted() {
    for program in PROGRAMS {
        let errors = errors(program);
        assert!(
            errors.is_empty(),
            "{}",
            errors[0].render(program, "p.loz", false)
        );
    }
    let programs =
        std::env::var("LOZENGE_MUTATED").map_or(2000, |count| count.parse().expect("a count"));
    let one = measure(programs, 1);
    println!("one mistake: {one:?}");
    assert_eq!(one.wrong, 0, "{one:?}");
    assert!(one.right > one.said && one.said > 0, "{one:?}");
    // No other mistake is hidden there, so that each change leads to fewer errors, and to none where there was one.
    assert_eq!(one.fewer, one.proposed, "{one:?}");
    assert!(one.accepted * 10 > one.proposed * 9, "{one:?}");
    let two = measure(programs, 2);
    println!("up to two: {two:?}");
    assert!(two.further * 8 < two.proposed, "{two:?}");
    for counts in [one, two] {
        assert_eq!(counts.without_a_place, 0, "{counts:?}");
        // A message that goes away with the change of another one follows from it.
        assert_eq!(counts.several, 0, "{counts:?}");
        assert!(counts.refused * 5 > counts.programs * 2, "{counts:?}");
        assert!(counts.proposed * 5 > counts.errors, "{counts:?}");
        assert!(counts.mended * 4 > counts.refused, "{counts:?}");
    }
}
