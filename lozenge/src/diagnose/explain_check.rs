//! The description of a refusal of shapes that fit, for `lozenge explain R2`.

use serde::Serialize;

use crate::check::Check;

/// A refusal of closed shapes in words, with a program that is refused and one that is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct CheckEntry {
    /// Its code, as messages and `--allow` have it.
    pub name: String,
    /// The condition that is refused.
    pub meaning: &'static str,
    /// The reason for which such a program probably does not mean what was intended.
    pub reason: &'static str,
    /// A program that is refused.
    pub example: &'static str,
    /// The program as it was probably meant, which is accepted.
    pub mended: &'static str,
}

/// Returns the entry of a refusal of closed shapes.
pub fn explain_check(check: Check) -> CheckEntry {
    let (reason, example, mended) = match check {
        Check::R1 => (
            "nothing but this operation asks for the axis, so each of its positions would hold the same values",
            "data x : 8|->3 = range(24)\ndata m : 8|->3 = range(24)\nlet h = relu(x)\nlet y = h * m\n",
            "data x : 8|->3 = range(24)\ndata m : 8|->3 = range(24)\nlet h = relu(x)\nlet y = h *. m\n",
        ),
        Check::R2 => (
            "`*` composes: an input that meets no output is summed over, where scaling was probably meant",
            "data w : 3->4 = range(12)\nlet half = w * 2\n",
            "data w : 3->4 = range(12)\nlet half = w *. 2\n",
        ),
        Check::R3 => (
            "the parameter would get no axes there, so that a layer would have no inputs or no outputs",
            "data x : 100|->784 = range(78400)\nparam w\nlet y = w * x\n",
            "data x : 100|->784 = range(78400)\nparam w : ...->10\nlet y = w * x\n",
        ),
        Check::R4 => (
            "one operand has its axes before the marker and the other behind it, so that they do not pair even where sizes are equal",
            "data t : 2 <> = range(2)\ndata a : 2 = range(2)\nlet s = t + a\n",
            "data t : 2 = range(2)\ndata a : 2 = range(2)\nlet s = t + a\n",
        ),
        Check::R5 => (
            "a number that scales the update of several parameters would become as large as one of them, and the others with it",
            "data x : 8|->3 = range(24)\ndata t : 8|->4 = range(32)\nparam rate = 0.1\nparam w\nparam b\n\
             let e = w * x + b - t\nw =- rate *. w\nb =- rate *. b\n",
            "data x : 8|->3 = range(24)\ndata t : 8|->4 = range(32)\nparam rate : -> = 0.1\nparam w\nparam b\n\
             let e = w * x + b - t\nw =- rate *. w\nb =- rate *. b\n",
        ),
        Check::R6 => (
            "there is nothing to choose from or to add up, so that a softmax would be 1 everywhere and a cross entropy 0",
            "data s : 2, 3| = range(6)\nlet p = softmax(s)\n",
            "data s : 2|->3 = range(6)\nlet p = softmax(s)\n",
        ),
    };
    CheckEntry {
        name: check.to_string(),
        meaning: check.meaning(),
        reason,
        example,
        mended,
    }
}

impl std::fmt::Display for CheckEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} (a refusal of shapes that fit)", self.name)?;
        writeln!(f, "  {}", self.meaning)?;
        writeln!(f, "  {}", self.reason)?;
        writeln!(f, "  --allow {} turns it into a warning", self.name)?;
        writeln!(f, "example")?;
        self.example
            .lines()
            .try_for_each(|line| writeln!(f, "  {line}"))?;
        write!(f, "accepted")?;
        self.mended
            .lines()
            .try_for_each(|line| write!(f, "\n  {line}"))
    }
}
