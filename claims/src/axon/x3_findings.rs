//! W1 to W24: where the paper is wrong, inconsistent or silent.

use lozenge_axon_spec::Reading;
use lozenge_axon_vocabulary::Set;

use super::case::{AxonCase, native, one, printed, read};
use crate::machinery::{Check, Claim, Effort, Finding};

const OF_PROGRAMS: &str = "it is about programs and not about sets of equations: the examples of the language and its tests have the witness";

/// A finding: what the paper says or leaves open, the set that shows that it is wrong, how the printed rules end on it,
/// why that is wrong, what is right instead, and whether the set has a solution.
macro_rules! finding {
    ($id:literal, $says:literal, $witness:literal, $ends:literal, $why:literal, $repair:literal, $holds:literal) => {
        Claim::new(
            concat!("axon-", $id),
            $says,
            &[Check::Search(|_| shown($witness, $ends, $why))],
        )
        .repaired($repair, &[Check::Search(|_| decided($witness, $holds))])
    };
}

/// The claims of this section.
pub const CLAIMS: &[&[Claim<AxonCase>]] = &[FIRST, SECOND];

const FIRST: &[Claim<AxonCase>] = &[
    finding!(
        "W1",
        "The rules need no occurs check of shapes and dimensions: Fig. 3 has the only one.",
        "s = [3]@s",
        "no rule matches what is left",
        "a set without a solution is accepted",
        "A name inside its own value with an axis beside it has no solution, and is refused.",
        false
    ),
    finding!(
        "W2",
        "§6.3 and §6.4 have a common signature with one shape for both arguments of a pointwise operator.",
        "b = [a]@b",
        "no rule matches what is left",
        "softmax subtracts a reduction, so rank b = rank b + 1; it is accepted because of W1",
        "A reduction drops its axis, and a difference and a quotient may have a longer left side.",
        false
    ),
    finding!(
        "W3",
        "Ranks are inferred, so a batched product at known shapes is (§1, §3.3).",
        "s@[d1,d2] = [7,2,3]\ns@[d2,d3] = [6,3,4]\ns@[d1,d3] = r",
        "no rule matches what is left",
        "no rule matches a list that is longer than the one appended, so batches of 7 and 6 are accepted",
        "A list is an append with nothing before it, so its first axes are those of s, which cannot be 7 and 6.",
        false
    ),
    finding!(
        "W4",
        "A mismatch of dimensions fails.",
        "(* d 2) = 7",
        "no rule matches what is left",
        "an arithmetic contradiction never fails",
        "Arithmetic is decided over sizes: no d doubled is 7.",
        false
    ),
    finding!(
        "W5",
        "Dimension arithmetic is solved (§1).",
        "(+ a b) = 5\n(- a b) = 1",
        "no rule matches what is left",
        "a = 3 and b = 2 follow, and are not found",
        "Linear equations are solved together.",
        true
    ),
    finding!(
        "W6",
        "Equations of appends are solved.",
        "s@s = [1,2,3]",
        "no rule matches what is left",
        "twice a rank is no 3, and nothing is refused or found where a list and an append have no common end",
        "Ranks are linear equations, common ends cancel, and what is left is searched.",
        false
    ),
    finding!(
        "W9",
        "§6.1 ends with r = [n,n].",
        "s@[d1,d2] = [n,n]\ns@[d2,d3] = [n,n]\ns@[d1,d3] = r",
        "solved",
        "the rules for empty shapes put the known list on the left, so n is replaced, and r ends with another name",
        "The set has the solutions r = [n,n], s = [], whatever name stands for n.",
        true
    ),
    finding!(
        "W10",
        "The result of a convolution has the channels of its input, by the type and by §6.2.",
        "[n,c,h,w] = i\n[k,c,r,s] = [4,8,8,8]\n[n,k,(+ 1 (- h r)),(+ 1 (- w s))] = [4,8,1024,256]",
        "FAIL by constants_differ",
        "the channels of the result are the filters; with k in place of c §6.2 is refused, 4 against 8",
        "A convolution with four filters has four channels.",
        false
    ),
    finding!(
        "W11",
        "The signature of concatenation is `(τ[d]@s, τ[d]@s) → τ[(* d 2)]@s`.",
        "[d]@s = [3,5]\n[d]@s = [4,5]",
        "no rule matches what is left",
        "the prose gives two lengths, 3 and 4, and the result 7",
        "By the signature the two lengths are one, so 3 and 4 are refused; by the prose they are not.",
        false
    ),
    finding!(
        "W15",
        "The input of an LSTM cell has the shape of x (§7.2).",
        "x = [n]@x",
        "no rule matches what is left",
        "a loop over x : [n]@s3 takes inputs of shape s3, so s3 = [n]@s3",
        "The input of the cell is x without its first axis.",
        false
    ),
];

const SECOND: &[Claim<AxonCase>] = &[
    finding!(
        "W17",
        "A ragged dimension is a dimension like others, without an identity.",
        "[10,*,3] = [10,5,3]",
        "no rule matches what is left",
        "`* = 5` is neither solved nor refused, and two ragged axes of different lengths are equal as written",
        "A ragged dimension has an identity: it equals no constant, and that two are equal is checked when the program runs.",
        false
    ),
    finding!(
        "W19",
        "Fig. 2 says which shapes are formed, and constants are positive (§3.1).",
        "[(/ 1 0)] = s",
        "solved",
        "a quotient by 0, zero and negative constants are formed",
        "Every dimension that is written is at least 1, and a quotient by 0 has no value.",
        false
    ),
    finding!(
        "W21",
        "Constraints that are left at the end need not be kept.",
        "a@b = [3,4]\na = [7]",
        "no rule matches what is left",
        "a type without `a@b = [3,4]` admits a = [7]",
        "What is left is a part of the type.",
        false
    ),
    finding!(
        "W22",
        "Simplification orders variables by name inside operators.",
        "(- b a) = 3\n(- a b) = 3",
        "no rule matches what is left",
        "for a difference that would make the two lines one",
        "Operands of + and * are ordered, those of - and / are not.",
        false
    ),
    Claim::new(
        "axon-W7",
        "The rules are applied until a fixed point, in any order.",
        &[Check::Search(|_| never_ends("3 = 4"))],
    )
    .repaired(
        "Rules that fail go first.",
        &[Check::Search(|_| shown_to_end("3 = 4"))],
    ),
    Claim::new(
        "axon-W8",
        "The order does not matter.",
        &[Check::Search(two_verdicts)],
    )
    .repaired(
        "The set is refused whatever the order of its lines.",
        &[Check::Search(|_| {
            decided("t@[1] = s\n[3] = s@t\nt = s", false)
        })],
    ),
    Claim::new(
        "axon-W16",
        "A bidirectional network concatenates the features of both directions (§7.3).",
        &[Check::Search(joined_time)],
    )
    .repaired(
        "Features are concatenated where they are the outermost axis, that is, of the transposed results.",
        &[Check::Search(|_| decided("[k]@s = [2,3]\n[m]@s = [2,3]\n[(+ k m)]@s = y\ny = [4,3]", true))],
    ),
    Claim::new(
        "axon-W18",
        "A name may stand for a shape and for a dimension: Fig. 1 has one sort of names.",
        &[Check::Search(two_sorts)],
    )
    .repaired(
        "Shapes and dimensions have names of two sorts, and a name of both is an error.",
        &[Check::Search(two_sorts_are_refused)],
    ),
    Claim::new(
        "axon-W23",
        "The names of the examples are those of Fig. 1.",
        &[Check::Search(names_with_primes)],
    )
    .repaired(
        "Names may end in primes.",
        &[Check::Search(|_| decided("s0' = [A']", true))],
    ),
    Claim::new(
        "axon-W24",
        "Substitution is a step of a solver that ends soon.",
        &[Check::Search(doubled)],
    )
    .repaired(
        "Each term is stored once, so 40 doublings are decided.",
        &[Check::Search(doubled_and_decided)],
    ),
    Claim::new(
        "axon-W12",
        "The outermost axis is the leftmost, or the rightmost: both are said.",
        &[Check::Nothing(OF_PROGRAMS)],
    ),
    Claim::new(
        "axon-W13",
        "The code of §7.1 computes the formula of attention.",
        &[Check::Nothing(OF_PROGRAMS)],
    ),
    Claim::new(
        "axon-W14",
        "Attention has any type of elements (§7.1), with the literal 0f.",
        &[Check::Nothing(OF_PROGRAMS)],
    ),
    Claim::new(
        "axon-W20",
        "Names in annotations say what they name.",
        &[Check::Nothing(OF_PROGRAMS)],
    ),
];

/// Returns that a set is against a statement, if the printed rules end on it as they were found to.
fn shown(text: &str, ends: &str, why: &str) -> Finding {
    let end = printed(&read(text), Reading::Literal);
    let result = match end == ends {
        true => Err(format!("{why} (the printed rules: {end})")),
        false => Ok(()),
    };
    one(text, result)
}

/// Returns that the native procedure decides a set so.
fn decided(text: &str, holds: bool) -> Finding {
    let result = match native(&read(text)) {
        Ok(found) if found == holds => Ok(()),
        Ok(found) => Err(format!("it is decided otherwise: {found}")),
        Err(why) => Err(why),
    };
    one(text, result)
}

fn never_ends(text: &str) -> Finding {
    let every = lozenge_axon_spec::explore(&mut read(text), Reading::Literal, 100);
    let result = match every.has_cycle {
        true => Err("a rule of reordering swaps the sides for ever".to_string()),
        false => Ok(()),
    };
    one(text, result)
}

fn shown_to_end(text: &str) -> Finding {
    let result = match printed(&read(text), Reading::Literal).as_str() {
        "no end" => Err("no end".to_string()),
        _ => Ok(()),
    };
    one(text, result)
}

fn two_verdicts(_: Effort) -> Finding {
    let text = "t@[1] = s\n[3] = s@t\nt = s";
    let every = lozenge_axon_spec::explore(&mut read(text), Reading::Literal, 20_000);
    let result = match every.fails && !every.fixed_points.is_empty() {
        true => Err("one order fails, another one accepts it, and it has no solution".to_string()),
        false => Ok(()),
    };
    one(text, result)
}

fn joined_time(_: Effort) -> Finding {
    let text = "[n]@s = [3,2]\n[m]@s = [3,2]\n[(+ n m)]@s = y\ny = [3,4]";
    let result = match native(&read(text)) {
        Ok(false) => Err(
            "the outermost axis is time: the result has 6 steps of 2 features, and not 3 of 4"
                .to_string(),
        ),
        _ => Ok(()),
    };
    one(text, result)
}

/// The annotations of one function, by which n is a shape and a dimension.
const TWO_SORTS: &str = "n = [3]\n[n] = s";

fn two_sorts(_: Effort) -> Finding {
    let result = match TWO_SORTS.parse::<Set>() {
        Err(error) => Err(format!(
            "n = [3] makes of [n] the list [[3]], which is no shape ({error})"
        )),
        Ok(_) => Ok(()),
    };
    one(TWO_SORTS, result)
}

fn two_sorts_are_refused(_: Effort) -> Finding {
    let result = match TWO_SORTS.parse::<Set>() {
        Err(_) => Ok(()),
        Ok(_) => Err("it is read".to_string()),
    };
    one(TWO_SORTS, result)
}

fn names_with_primes(_: Effort) -> Finding {
    let is_id = |name: &str| {
        let mut letters = name.chars();
        letters
            .next()
            .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    let result = match ["s0'", "A'"].iter().all(|name| is_id(name)) {
        true => Ok(()),
        false => Err("§7.3 has the names s0' and A', and Fig. 1 has no prime".to_string()),
    };
    one("s0' = [A']", result)
}

/// Returns forty lines, each of which doubles the one before.
fn doublings() -> String {
    let lines: Vec<String> = (1..=40)
        .map(|line| format!("x{line} = (+ x{before} x{before})", before = line - 1))
        .collect();
    lines.join("\n")
}

fn doubled(_: Effort) -> Finding {
    let text = doublings();
    let result = match printed(&read(&text), Reading::Literal).as_str() {
        "no end" => Err(
            "each line doubles what the last one is written with: 2^40 names after 40 lines"
                .to_string(),
        ),
        _ => Ok(()),
    };
    one(&text, result)
}

fn doubled_and_decided(_: Effort) -> Finding {
    decided(&doublings(), true)
}
