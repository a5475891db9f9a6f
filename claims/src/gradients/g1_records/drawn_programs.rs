//! Trials of a property on random programs, and smaller programs against it.

use std::ops::ControlFlow;

use lozenge::{Inference, Options};
use lozenge_vocabulary::program::Program;

use super::random_program::{self, Sort};
use crate::machinery::{Effort, Finding, Witness};

/// A program with what is inferred of it.
pub struct Inferred {
    pub text: String,
    pub program: Program,
    pub inference: Inference,
}

impl Inferred {
    /// Reads and infers a program; `None` if it is refused.
    pub fn of(text: &str) -> Option<Inferred> {
        let program = lozenge::parse(text).ok()?;
        let inference = lozenge::infer(&program, &Options::default()).ok()?;
        Some(Inferred {
            text: text.to_string(),
            program,
            inference,
        })
    }
}

/// The judgement of a property on a program: the amount of it that was examined, or the contradiction.
pub type Said = Result<u64, String>;

/// Tries a property on random programs. `what` says what is counted.
pub fn on_random_programs(
    sort: Sort,
    effort: Effort,
    what: &str,
    property: impl Fn(&Inferred) -> Said,
) -> Finding {
    let tried = match effort {
        Effort::Quick => 300,
        Effort::Full => 5_000,
        Effort::Long => 200_000,
    };
    let (mut programs, mut counted) = (0, 0);
    let found = (0..tried).try_for_each(|index| {
        let text = random_program::text(sort, index);
        let Some(inferred) = Inferred::of(&text) else {
            return ControlFlow::Continue(());
        };
        programs += 1;
        match property(&inferred) {
            Ok(count) => counted += count,
            Err(_) => return ControlFlow::Break(smallest(text, &property)),
        }
        ControlFlow::Continue(())
    });
    let kinks = match sort {
        Sort::Smooth => "",
        Sort::Kinked => ", maxima, minima and other functions with kinks",
    };
    let scope = format!(
        "{tried} random programs with compositions, transposes, specs, slices, windows, concatenations and updates{kinks}, of which \
         {programs} are inferred; {counted} {what}"
    );
    Finding::sampled(scope, programs, found.break_value())
}

/// Returns a program against a property from which no line can be left out.
fn smallest(mut text: String, property: &impl Fn(&Inferred) -> Said) -> Witness {
    let against = |text: &str| Inferred::of(text).and_then(|inferred| property(&inferred).err());
    let mut why = against(&text).unwrap_or_default();
    loop {
        let lines: Vec<&str> = text.lines().collect();
        let shorter = (0..lines.len()).find_map(|left_out| {
            let kept = lines.iter().enumerate().filter(|(at, _)| *at != left_out);
            let kept: String = kept.map(|(_, line)| format!("{line}\n")).collect();
            against(&kept).map(|why| (kept, why))
        });
        match shorter {
            Some((kept, reason)) => (text, why) = (kept, reason),
            None => return Witness::new(text.trim_end(), why),
        }
    }
}
