//! The text of an operation's loop nest. Some operations write a value that only a run knows, which their loop nests do
//! not have.

use lozenge_backend::LoopNest;
use lozenge_vocabulary::program::{Assignment, Late};

/// Returns the loop nest of an operation as text, with the reasons for its decisions. Where it writes what a run draws
/// or counts, the text has the words of the program for it: `w[i, j] = normal()`.
pub fn nest_text(operation: &Assignment, nest: &LoopNest) -> String {
    let value = match operation.late.as_deref() {
        Some(Late::Random { normal: true, .. }) => "normal()",
        Some(Late::Random { normal: false, .. }) => "uniform()",
        Some(Late::Cells) => "range()",
        Some(Late::Step) => "step",
        Some(Late::Epoch) => "epoch",
        Some(Late::Product(_)) | None => return nest.to_string(),
    };
    nest.text_with_value(value)
}

#[cfg(test)]
mod tests {
    use super::nest_text;
    use crate::{Options, read};

    #[test]
    fn what_a_run_draws_or_counts_is_no_number() {
        let source = "data x : n:4|->3 = range(12)\nparam w : ...->2 = normal()\nparam v : ...->2 = uniform()\n\
                      train 2 epochs by 2 of n:\n  let loss = mean(w * x + v * x) *. step + epoch\n  backward loss\n  w =- w.grad\n  v =- v.grad\n";
        let reading = read(source, &Options::default()).expect("it is accepted");
        let steps = reading.program.steps.iter().zip(&reading.inference.nests);
        let all: String = steps.map(|(step, nest)| nest_text(step, nest)).collect();
        for value in [
            "[i, j] = normal()",
            "[i, j] = uniform()",
            "[] = step",
            "[] = epoch",
        ] {
            assert!(all.contains(value), "{value} is not in\n{all}");
        }
    }
}
