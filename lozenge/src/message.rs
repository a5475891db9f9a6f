//! Messages about the shapes of a program whose text is correct, with their places.

pub(crate) mod instance;
pub(crate) mod known;
mod left_over;
pub(crate) mod meeting;
mod mends;
mod missing_axis;
mod pairs;
pub(crate) mod parts;
pub(crate) mod reach;
mod reversed;
mod rows;
pub(crate) mod spec;
mod spec_text;
pub(crate) mod suggestion;
pub(crate) mod text;
pub(crate) mod undetermined;
mod unmet;
pub(crate) mod windows;

use lozenge_lang::{Diagnostic, Edit, Label};
use lozenge_solver::Refusal as SolverRefusal;
use lozenge_vocabulary::Verdict;
use lozenge_vocabulary::operation::{Kind, Requirement, Side, TensorId};
use lozenge_vocabulary::program::{Assignment, Check, Family, Foreign, Origin, Program};

use crate::options::MAX_REFUSALS;
use crate::refusal::{Reason, Refusal};

use known::{Kept, Known, Part, is_on_batches, row_text};
use meeting::mismatch;
use reach::Retracted;
use suggestion::{Proposed, Stage, once};
use text::Text;

impl Refusal {
    /// Returns the message about a refusal, with its place in the text of the program.
    pub fn diagnostic(&self, program: &Program) -> Diagnostic {
        if let Err(foreign) = program.check() {
            return not_its_own(&foreign);
        }
        match &self.reason {
            Reason::Shapes(conflict) => {
                let behind: Vec<Origin> = conflict
                    .because
                    .iter()
                    .map(|because| because.origin.clone())
                    .collect();
                let text = Text::new(program, "");
                general(text, &conflict.refusal, &behind).diagnostic
            }
            Reason::Projection { operation, .. } | Reason::Nest { operation, .. } => {
                let step = program.steps.get(*operation);
                Diagnostic::new(
                    step.map_or(0..0, |step| step.span.clone()),
                    self.reason.to_string(),
                    "this operation has no loop nest",
                )
            }
            Reason::Foreign(foreign) => not_its_own(foreign),
            Reason::Limit(limit) => {
                let tensor = program.tensor(limit.tensor);
                let span = tensor.map_or(0..0, |tensor| tensor.span.clone());
                Diagnostic::new(span, self.to_string(), "the first that is too many")
                    .help(format!("raise the limit with {}", limit.flag))
            }
        }
    }
}

/// Returns the message that a number in a program refers to nothing. Only a program that was put together by hand has
/// such a number.
pub(crate) fn not_its_own(foreign: &Foreign) -> Diagnostic {
    let help = "`Program::check` finds such numbers";
    Diagnostic::new(0..0, foreign.to_string(), "").help(help)
}

/// The largest number of conflicts that are examined. A conflict in the body of a loop recurs in each iteration, hence
/// the factor.
pub(crate) const MAX_FOUND: usize = 5 * MAX_REFUSALS;

/// Returns the conflicts of operations with those before them, the operations that were left out, and what is known of
/// the others.
pub(crate) fn contradictions<'p>(
    program: &'p Program,
    text: Text<'_>,
) -> (Known<'p>, Vec<Retracted>, Vec<Proposed>) {
    let mut known = Known::new(program);
    let (mut retracted, mut problems, mut found) = (Vec::new(), Vec::new(), 0);
    let mut left_out: Vec<Retracted> = Vec::new();
    let is_enough =
        |found: usize, problems: &[_]| found == MAX_FOUND || problems.len() == MAX_REFUSALS;
    for step in 0..program.steps.len() {
        if let Some(first) = of_an_earlier_turn(program, &left_out, step) {
            let only_rows = first.only_rows && known.assert(Kept::batches(step)).is_ok();
            retracted.push(Retracted { step, only_rows });
            continue;
        }
        while let Err(refusal) = known.assert(Kept::own(step)) {
            let behind = known.behind(&refusal, Some(Kept::own(step)));
            let (problem, wrong) = conflict(&mut known, text, step, &refusal);
            found += 1;
            if !is_of_a_later_turn(program, &retracted, wrong) {
                problems.push(called(program, program.steps[wrong].call, problem));
            }
            if wrong != step {
                known = known.without(wrong);
            }
            let only_rows =
                keeps_its_batches(program, &behind, wrong) && known.assert_batches(wrong);
            problems = once(problems);
            let one = Retracted {
                step: wrong,
                only_rows,
            };
            retracted.push(one);
            left_out.push(one);
            if wrong == step || is_enough(found, &problems) {
                break;
            }
        }
        let is_left_out = left_out.last().is_some_and(|one| one.step == step);
        for kept in Kept::written(program, step).filter(|_| !is_left_out) {
            if is_enough(found, &problems) {
                break;
            }
            if let Err(refusal) = known.assert(kept)
                && let Some(problem) = other_shape(&mut known, text, kept, &refusal)
            {
                found += 1;
                problems.push(problem);
                problems = once(problems);
                retracted.push(Retracted {
                    step,
                    only_rows: false,
                });
            }
        }
        if is_enough(found, &problems) {
            break;
        }
    }
    retracted.sort_unstable();
    retracted.dedup_by_key(|one| one.step);
    (known, retracted, at(Stage::Shapes, problems))
}

/// Tells whether an operation belongs to a later iteration of a loop, of which an earlier iteration has an operation
/// that was left out. The carried values are then not those that the program means, and their conflicts would only
/// repeat the first one.
fn is_of_a_later_turn(program: &Program, retracted: &[Retracted], step: usize) -> bool {
    let first = (0..step).find(|earlier| is_at_the_same_place(program, *earlier, step));
    first.is_some_and(|first| {
        let turns = first..step;
        retracted.iter().any(|one| turns.contains(&one.step))
    })
}

/// Returns the operation at the same place in an earlier iteration of a loop, if it was left out for a conflict.
/// Solving it in each iteration would only find that conflict again.
fn of_an_earlier_turn(program: &Program, left_out: &[Retracted], step: usize) -> Option<Retracted> {
    let mut earlier = left_out.iter().filter(|one| one.step < step);
    earlier
        .find(|one| is_at_the_same_place(program, one.step, step))
        .copied()
}

/// Tells whether two operations have the same place in the text, and so have the calls that they are part of.
fn is_at_the_same_place(program: &Program, one: usize, other: usize) -> bool {
    let (one, other) = (&program.steps[one], &program.steps[other]);
    let calls = |call: Option<usize>| {
        std::iter::successors(call, |call| program.calls[*call].within)
            .map(|call| &program.calls[call].span)
    };
    one.span == other.span && calls(one.call).eq(calls(other.call))
}

/// Returns the messages as those of a stage.
pub(crate) fn at(stage: Stage, mut problems: Vec<Proposed>) -> Vec<Proposed> {
    for problem in &mut problems {
        problem.stage = stage;
    }
    problems
}

/// Returns the message about an operation, with the call of the function that made it.
pub(crate) fn called(program: &Program, call: Option<usize>, mut problem: Proposed) -> Proposed {
    let Some(call) = call.and_then(|call| program.calls.get(call)) else {
        return problem;
    };
    let labels = &mut problem.diagnostic.labels;
    if labels.iter().all(|label| label.span != call.span) {
        labels.push(Label {
            span: call.span.clone(),
            text: format!("called here, `{}`", call.function),
        });
    }
    problem
}

/// Tells whether no requirement of an operation on batch rows takes part in a refusal. Then none of the changes that
/// fix the other rows concerns them. An operation with a spec may move axes from one row to another.
fn keeps_its_batches(program: &Program, behind: &[Origin], wrong: usize) -> bool {
    let step = &program.steps[wrong];
    let of_this = behind.iter().filter(|origin| origin.step == wrong);
    let mut requirements = of_this.map(|origin| &step.operation.requirements[origin.requirement]);
    step.logic != Family::Einsum && !requirements.any(is_on_batches)
}

/// Returns the message that an operation contradicts those before it, and which of them is wrong.
fn conflict(
    known: &mut Known<'_>,
    text: Text<'_>,
    at: usize,
    refusal: &SolverRefusal,
) -> (Proposed, usize) {
    let program = text.program;
    let step = &program.steps[at];
    let behind = known.behind(refusal, Some(Kept::own(at)));
    if let Some(proposed) = reversed::reversed(known, text, refusal, &behind) {
        return proposed;
    }
    let mut proposed = if step.logic == Family::Einsum {
        spec::unfit(known, text, step, &behind)
            .or_else(|| windows::unfit(known, text, step))
            .or_else(|| parts::unfit(known, text, step))
            .or_else(|| rows::unequal(known, text, step, &behind))
            .or_else(|| windows::unfit_together(known, text, step, refusal))
    } else {
        mismatch(known, step).map(|mismatch| unmet::unmet(known, text, step, &mismatch, &behind))
    }
    .unwrap_or_else(|| {
        let mut told = general(text, refusal, &behind);
        if step.logic == Family::Einsum {
            told.diagnostic = with_operands(known, text, step, told.diagnostic);
        }
        told
    });
    let mut more = 0;
    for origin in behind.iter().filter(|origin| origin.step != at) {
        let span = program.steps[origin.step].span.clone();
        // A part of an expression that has a label, and what it is a part of, would repeat what the label shows.
        let labels = &proposed.diagnostic.labels;
        let is_shown = |label: &Label| label.span.start < span.end && span.start < label.span.end;
        if more < 3 && !labels.iter().any(is_shown) {
            proposed.diagnostic = proposed.diagnostic.other(span, "these axes meet here, too");
            more += 1;
        }
    }
    proposed.diagnostic.why = why(refusal, &behind);
    (proposed, at)
}

/// Returns the message about an operation with a spec, with the shapes of its operands that the program names.
fn with_operands(
    known: &mut Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    mut message: Diagnostic,
) -> Diagnostic {
    let (mut empty, mut classes) = (None, 10);
    for slot in 1..step.operation.slots.len() {
        let tensor = step.operation.slots[slot];
        let place = text.place(tensor);
        if text.is_declared(tensor) && message.labels.iter().all(|label| label.span != place) {
            let name = &text.program[tensor].name;
            let words = format!("`{name}` is `{}`", known.shape_text(tensor));
            message = message.other(place, words);
        }
        let outputs = known.row(tensor, Kind::Output);
        match &outputs.flat()[..] {
            [] if !known.can_grow(tensor, Kind::Output) => empty = Some(text.name(step, slot)),
            [one] => classes = one.size(),
            _ => {}
        }
    }
    match empty {
        Some(name) => rows::with_classes(message, text, step, &name, classes),
        None => message,
    }
}

/// Returns the message that the written shape of a tensor differs from that of its expression.
fn other_shape(
    known: &mut Known<'_>,
    text: Text<'_>,
    kept: Kept,
    refusal: &SolverRefusal,
) -> Option<Proposed> {
    let program = text.program;
    let Part::Written(first) = kept.part else {
        return None;
    };
    let check = program.checks.get(&(kept.step, first))?;
    let step = &program.steps[kept.step];
    let behind = known.behind(refusal, Some(kept));
    let own = |origin: &&Origin| {
        origin.step == kept.step && check.requirements.contains(&origin.requirement)
    };
    let place = behind.iter().rev().find(own);
    let place = place.map_or(check.requirements.start, |origin| origin.requirement);
    let (slot, kind) = match step.operation.requirements.get(place)? {
        Requirement::Equal(Side::Slot(slot, kind), _) => (*slot, *kind),
        _ => return None,
    };
    let tensor = step.operation.slots[slot];
    let shape = known.shape_text(tensor);
    let name = match program[tensor].name.contains('\'') {
        false => program[tensor].name.to_string(),
        true => text.excerpt(check.span.clone()),
    };
    let (headline, span, words) = match (check.asserted, slot) {
        (true, _) => (
            format!(
                "the {} axes asserted for `{name}` are not those that it has",
                kind.word()
            ),
            check.span.clone(),
            format!("`{name}` is `{shape}`"),
        ),
        (false, 0) if step.call == check.call => {
            let operands = operand_shapes(known, text, step);
            (of_its_expression(kind, &name), step.span.clone(), operands)
        }
        (false, _) => (
            of_its_expression(kind, &name),
            check.span.clone(),
            format!("the expression is `{shape}`"),
        ),
    };
    let mut diagnostic = Diagnostic::new(span, headline, words)
        .other(check.shape.clone(), "the shape that is written");
    diagnostic.why = why(refusal, &behind);
    let shape = filled(known, text, tensor, check).unwrap_or(shape);
    let proposed = with_its_shape(diagnostic.into(), check, shape);
    Some(called(program, check.call, proposed))
}

/// Returns the shapes of the operands of a step, in words.
fn operand_shapes(known: &mut Known<'_>, text: Text<'_>, step: &Assignment) -> String {
    let operands = step.operation.slots.iter().enumerate().skip(1);
    let shapes = operands.map(|(slot, tensor)| {
        let shape = known.shape_text(*tensor);
        format!("`{}` is `{shape}`", text.name(step, slot))
    });
    shapes.collect::<Vec<String>>().join(", ")
}

/// Returns the shape of a tensor, with the written rows in place of those of which nothing is known; `None` if it is
/// known.
fn filled(
    known: &mut Known<'_>,
    text: Text<'_>,
    tensor: TensorId,
    check: &Check,
) -> Option<String> {
    let written = text.at(check.shape.clone());
    let (batch, rest) = written.split_once('|').unwrap_or(("", written));
    let (input, output) = rest.split_once("->").unwrap_or(("", rest));
    let mut filled = 0;
    let [batch, input, output] = [
        (Kind::Batch, batch),
        (Kind::Input, input),
        (Kind::Output, output),
    ]
    .map(|(kind, written)| {
        let row = known.row(tensor, kind);
        let is_open = row.rank() == 0 && known.can_grow(tensor, kind);
        filled += usize::from(is_open);
        match is_open {
            true => written.trim().to_string(),
            false => row_text(&row),
        }
    });
    (filled > 0).then(|| match batch.is_empty() {
        true => format!("{input}->{output}"),
        false => format!("{batch}|{input}->{output}"),
    })
}

/// Returns the message with the shape that fits in place of the written one, or with none if nothing is asserted.
fn with_its_shape(mut proposed: Proposed, check: &Check, shape: String) -> Proposed {
    if !shape.contains("...") {
        let help = format!("write `{shape}`");
        let edit = Edit {
            span: check.shape.clone(),
            text: shape,
        };
        proposed = proposed.or(help, vec![edit]);
    }
    if check.asserted {
        return proposed;
    }
    let removed = vec![Edit {
        span: check.span.end..check.shape.end,
        text: String::new(),
    }];
    proposed.or("leave the shape out: it is inferred", removed)
}

fn of_its_expression(kind: Kind, name: &str) -> String {
    let kind = kind.word();
    format!("the {kind} axes written for `{name}` are not those of its expression")
}

/// Returns the message about a conflict that cannot be attributed to two rows: it lists every place involved.
pub(crate) fn general(text: Text<'_>, refusal: &SolverRefusal, behind: &[Origin]) -> Proposed {
    let program = text.program;
    let mut names: Vec<&str> = Vec::new();
    let steps = || behind.iter().map(|origin| program.steps.get(origin.step));
    for step in steps().flatten() {
        for slot in &step.operation.slots {
            let name = &*program[*slot].name;
            if !name.contains('\'') && !text.is_number(*slot) && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let is_limit = refusal.verdict == Verdict::Unknown;
    // After a choice of policy nobody knows whether other shapes fit.
    let is_open = refusal.verdict == Verdict::Rejected;
    let headline = match names.is_empty() {
        _ if is_limit => format!("the shapes are not decided: {}", refusal.message),
        true if is_open => format!("no shapes were found: {}", refusal.message),
        false if is_open => format!("no shapes of {} were found that fit", names.join(", ")),
        true => format!("the shapes do not fit: {}", refusal.message),
        false => format!("the shapes of {} do not fit together", names.join(", ")),
    };
    let mut places = steps().rev().flatten().map(|step| step.span.clone());
    let mut diagnostic = match places.next() {
        Some(span) if is_limit => Diagnostic::new(span, headline, "takes part"),
        Some(span) if is_open => Diagnostic::new(
            span,
            headline,
            "a written shape, or axes with labels in place of `...`, leave less to be guessed",
        ),
        Some(span) => Diagnostic::new(span, headline, "these axes have no common size or number"),
        None if is_limit => Diagnostic::new(0..0, headline, "in this program"),
        None => Diagnostic::new(0..0, headline, refusal.message.clone()),
    };
    for span in places {
        if diagnostic.labels.len() < 5 && !diagnostic.labels.iter().any(|label| label.span == span)
        {
            diagnostic = diagnostic.other(span, "takes part");
        }
    }
    diagnostic.why = why(refusal, behind);
    diagnostic.into()
}

/// Returns the rule that failed, and the constraints that led to the failure.
pub(crate) fn why(refusal: &SolverRefusal, behind: &[Origin]) -> Vec<String> {
    let rule = refusal.rule;
    let rule = match refusal.verdict {
        // No rule says where a limit lies.
        Verdict::Unknown => String::new(),
        _ => format!(" ({rule}, {})", rule.source()),
    };
    let mut lines = vec![format!("{}: {}{rule}", refusal.verdict, refusal.message)];
    for (origin, cited) in behind.iter().zip(&refusal.chain) {
        lines.push(format!("{}: {}", origin.words, cited.text));
    }
    if let Some(step) = &refusal.policy {
        lines.push(format!(
            "after a choice of policy: {} ({})",
            step.text, step.rule
        ));
    }
    lines
}
