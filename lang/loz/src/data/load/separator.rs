//! The separator that the lines of a file seem to have, where the program does not say one.

use lozenge_vocabulary::program::Separator;

/// A separator with its plural and its spelling in a program.
pub(super) struct Known {
    pub separator: Separator,
    pub plural: &'static str,
    pub written: &'static str,
}

/// The separators that tables have, the surer ones first.
const KNOWN: [Known; 5] = [
    Known {
        separator: Separator::Character('\t'),
        plural: "tabs",
        written: "separator tab",
    },
    Known {
        separator: Separator::Character(';'),
        plural: "semicolons",
        written: "separator \";\"",
    },
    Known {
        separator: Separator::Character('|'),
        plural: "vertical bars",
        written: "separator \"|\"",
    },
    Known {
        separator: Separator::Character(','),
        plural: "commas",
        written: "separator \",\"",
    },
    Known {
        separator: Separator::Blanks,
        plural: "blanks",
        written: "separator blanks",
    },
];

/// Finds the separator of a file by its name: a tab or a comma.
pub(super) fn known(used: char) -> &'static Known {
    let mut all = KNOWN.iter();
    let found = all.find(|known| known.separator == Separator::Character(used));
    found.unwrap_or(&KNOWN[3])
}

/// Another separator that divides the first lines of a file evenly.
pub(super) struct Other {
    pub known: &'static Known,
    /// The number of cells of each line by that separator.
    pub cells: usize,
    /// The number of cells of each line by the separator that is used, if it divides them evenly and into more than
    /// one.
    pub by_used: Option<usize>,
}

/// The number of lines that are looked at.
const LINES: usize = 16;

/// Finds another separator than the one that is used, if it is the more likely one or as likely: all of the first lines
/// have the same number of cells by it, at least two.
pub(super) fn other(
    head: &[u8],
    is_whole: bool,
    used: char,
    comments: Option<char>,
) -> Option<Other> {
    let lines = first_lines(head, is_whole, comments);
    let by_used = evenly(&lines, used, Separator::Character(used))?;
    KNOWN.iter().find_map(|known| {
        let cells = evenly(&lines, used, known.separator)?.filter(|cells| *cells > 1)?;
        let other = Other {
            known,
            cells,
            by_used: by_used.filter(|cells| *cells > 1),
        };
        let is_used = known.separator == Separator::Character(used);
        // Texts have blanks and bars, and numbers have commas, where something else separates.
        let is_sure = matches!(known.separator, Separator::Character('\t' | ';'));
        (!is_used && (is_sure || by_used == Some(1))).then_some(other)
    })
}

/// Lists the lines that are looked at: without empty ones, comments, and the last one of a longer file, which may be
/// cut off.
fn first_lines(head: &[u8], is_whole: bool, comments: Option<char>) -> Vec<&[u8]> {
    let end = match is_whole {
        true => head.len(),
        false => head.iter().rposition(|byte| *byte == b'\n').unwrap_or(0),
    };
    let lines = head[..end].split(|byte| matches!(byte, b'\n' | b'\r'));
    let lines = lines.filter(|line| {
        let first = line.trim_ascii_start().first();
        first.is_some_and(|first| comments != Some(char::from(*first)))
    });
    lines.take(LINES).collect()
}

/// Counts the cells of each line by a separator; `Some(None)` if the lines differ, and `None` if there are no lines or
/// a quote is open at the end of one.
fn evenly(lines: &[&[u8]], used: char, by: Separator) -> Option<Option<usize>> {
    let mut counts = lines.iter().map(|line| cells(line, used, by));
    let first = counts.next()??;
    let mut even = Some(first);
    for count in counts {
        if count? != first {
            even = None;
        }
    }
    Some(even)
}

/// Counts the cells of a line; `None` if a quote is open at its end. Blanks beside the separator that is used separate
/// nothing.
fn cells(line: &[u8], used: char, by: Separator) -> Option<usize> {
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t');
    let is_by = |byte: u8| match by {
        Separator::Character(sign) => char::from(byte) == sign,
        Separator::Blanks => is_blank(byte),
    };
    let is_used = |byte: u8| char::from(byte) == used;
    let (mut count, mut is_open) = (1, false);
    // The last byte before a run of blanks.
    let mut before = None;
    for (at, byte) in line.iter().copied().enumerate() {
        if byte == b'"' {
            is_open = !is_open;
        }
        let behind = line.get(at + 1).copied();
        let is_run = by == Separator::Blanks && behind.is_some_and(is_blank);
        let is_outside = by == Separator::Blanks && (before.is_none() || behind.is_none());
        let is_beside = is_blank(byte)
            && !is_used(byte)
            && (before.is_some_and(is_used) || behind.is_some_and(is_used) || is_outside);
        if !is_open && is_by(byte) && !is_run && !is_beside {
            count += 1;
        }
        if !is_blank(byte) || is_used(byte) {
            before = Some(byte);
        }
    }
    (!is_open).then_some(count)
}
