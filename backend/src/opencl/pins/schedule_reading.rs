//! The reader of a schedule from the words by which it is displayed.

use super::words::Word;
use crate::opencl::plan::parallel::{Grid, ITEMS, Spread, Team, Turned};
use crate::opencl::plan::schedule::{Dot, Packed, Schedule, Staged, Sweep, Tile};

/// The word at which a schedule is not as expected, or `None` at its end, with what was expected.
pub(super) type Unexpected<'t> = (Option<Word<'t>>, String);

/// The words that are still to be read.
struct Words<'w, 't> {
    rest: &'w [Word<'t>],
}

impl<'t> Words<'_, 't> {
    fn fail<T>(&self, expected: impl Into<String>) -> Result<T, Unexpected<'t>> {
        Err((self.rest.first().copied(), expected.into()))
    }

    /// Goes over fixed words.
    fn over(&mut self, words: &str) -> Result<(), Unexpected<'t>> {
        for wanted in words.split(' ') {
            match self.rest {
                [word, rest @ ..] if word.text == wanted => self.rest = rest,
                _ => return self.fail(format!("`{wanted}`")),
            }
        }
        Ok(())
    }

    /// Reads a number, behind a letter if it is that of a loop; a comma may follow it.
    fn number(&mut self, letter: &str) -> Result<u64, Unexpected<'t>> {
        let read = self.rest.first().and_then(|word| {
            let digits = word.text.strip_prefix(letter)?;
            let digits = digits.strip_suffix(',').unwrap_or(digits);
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| digits.parse().ok()).flatten()
        });
        let Some(number) = read else {
            return self.fail(match letter {
                "" => "a number".to_string(),
                letter => format!("a loop such as {letter}0"),
            });
        };
        self.rest = &self.rest[1..];
        Ok(number)
    }

    fn place(&mut self, letter: &str) -> Result<usize, Unexpected<'t>> {
        let at = *self;
        let number = self.number(letter)?;
        usize::try_from(number).or_else(|_| at.fail("a loop"))
    }

    /// Reads `6 rows of i0 x`, which need not be there.
    fn rows(&mut self) -> Result<Option<(usize, u64)>, Unexpected<'t>> {
        if !matches!(self.rest, [_, word, ..] if word.text == "rows") {
            return Ok(None);
        }
        let height = self.number("")?;
        self.over("rows of")?;
        let row = self.place("i")?;
        self.over("x")?;
        Ok(Some((row, height)))
    }

    /// Reads `6 rows of i0 x 4 vectors of 16 of i1,`.
    fn tile(&mut self) -> Result<Tile, Unexpected<'t>> {
        let rows = self.rows()?;
        let vectors = self.number("")?;
        self.over("vectors of")?;
        let lanes = self.number("")?;
        self.over("of")?;
        Ok(Tile {
            vector: self.place("i")?,
            lanes,
            vectors,
            rows,
            strip: 1,
        })
    }

    fn strip(&mut self) -> Result<u64, Unexpected<'t>> {
        let strip = self.number("")?;
        self.over("a work-item")?;
        Ok(strip)
    }
}

impl Clone for Words<'_, '_> {
    fn clone(&self) -> Self {
        *self
    }
}

impl Copy for Words<'_, '_> {}

/// Reads the schedule of these words. The operands of a packed schedule follow from the loops of its job, and are set
/// by the caller.
///
/// # Errors
/// The first word that does not fit.
pub(crate) fn schedule<'t>(words: &[Word<'t>]) -> Result<Schedule, Unexpected<'t>> {
    let mut words = Words { rest: words };
    let kinds =
        "`cell`, `tile`, `packed`, `dot`, `sweep`, `staged`, `grid`, `team`, `spread` or `turned`";
    let [kind, rest @ ..] = words.rest else {
        return words.fail(kinds);
    };
    let whole = words;
    words.rest = rest;
    let read = match kind.text {
        "cell" => Schedule::Cell,
        "tile" => {
            let tile = words.tile()?;
            let strip = words.strip()?;
            Schedule::Tile(Tile { strip, ..tile })
        }
        "packed" => packed(&mut words)?,
        "dot" => dot(&mut words)?,
        "sweep" => {
            let width = words.number("")?;
            words.over("cells of")?;
            let vector = words.place("i")?;
            Schedule::Sweep(Sweep { vector, width })
        }
        "staged" => staged(&mut words)?,
        "grid" => grid(&mut words)?,
        "team" => {
            let rows = words.rows()?;
            let items = words.number("")?;
            words.over("items along")?;
            let along = words.place("k")?;
            Schedule::Team(Team { items, along, rows })
        }
        "spread" => {
            let cells = words.number("")?;
            words.over("cells an item")?;
            Schedule::Spread(Spread { cells })
        }
        "turned" => {
            words.over("rows of")?;
            let row = words.place("i")?;
            words.over("x cells of")?;
            let column = words.place("i")?;
            Schedule::Turned(Turned { column, row })
        }
        _ => return whole.fail(kinds),
    };
    match words.rest {
        [] => Ok(read),
        _ => words.fail("the end of the line"),
    }
}

fn packed<'t>(words: &mut Words<'_, 't>) -> Result<Schedule, Unexpected<'t>> {
    let tile = words.tile()?;
    words.over("blocks of")?;
    let block_rows = words.number("")?;
    words.over("rows x")?;
    let block_panels = words.number("")?;
    words.over("panels x")?;
    let depth = words.number("")?;
    words.over("points")?;
    Ok(Schedule::Packed(Packed {
        tile,
        row_operand: 1,
        vector_operand: 2,
        block_rows,
        block_panels,
        depth,
    }))
}

fn dot<'t>(words: &mut Words<'_, 't>) -> Result<Schedule, Unexpected<'t>> {
    let rows = words.rows()?;
    let vectors = words.number("")?;
    words.over("vectors of 16 of")?;
    let along = words.place("k")?;
    let strip = words.strip()?;
    Ok(Schedule::Dot(Dot {
        along,
        vectors,
        rows,
        strip,
    }))
}

fn staged<'t>(words: &mut Words<'_, 't>) -> Result<Schedule, Unexpected<'t>> {
    let height = words.number("")?;
    words.over("rows of")?;
    let row = words.place("i")?;
    words.over("x")?;
    let width = words.number("")?;
    words.over("cells of")?;
    let vector = words.place("i")?;
    Ok(Schedule::Staged(Staged {
        vector,
        row,
        width,
        height,
    }))
}

/// Reads a grid. The rows and columns of a group, and the numbers of them that a work-item has, determine the
/// arrangement of the items.
fn grid<'t>(words: &mut Words<'_, 't>) -> Result<Schedule, Unexpected<'t>> {
    let rows = words.number("")?;
    words.over("rows of")?;
    let row = words.place("i")?;
    words.over("x")?;
    let columns = words.number("")?;
    words.over("columns of")?;
    let column = words.place("i")?;
    words.over("blocks of")?;
    let depth = words.number("")?;
    words.over("points of")?;
    let along = words.place("k")?;
    let at = *words;
    let each = words.number("")?;
    words.over("a work-item")?;
    let grid = Grid {
        row,
        column,
        each,
        across: columns.checked_div(each).unwrap_or(0),
        along,
        depth,
    };
    let fits = [1, 2, 4, 8, 16, 32, 64, 128, ITEMS].contains(&grid.across);
    match fits && grid.rows() == rows && grid.columns() == columns {
        true => Ok(Schedule::Grid(grid)),
        false => at.fail(format!(
            "a share of {rows} x {columns} cells for {ITEMS} work-items"
        )),
    }
}
