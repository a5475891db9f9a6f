//! Messages about a window that does not fit on its axis.

use lozenge_lang::{Diagnostic, Edit};
use lozenge_vocabulary::DimTerm;
use lozenge_vocabulary::program::{Assignment, Span};
use lozenge_vocabulary::window::{Mode, Window};

use crate::diagnose::fix::proposed::Proposed;
use crate::diagnose::known::Known;
use crate::diagnose::known::composite_axes::{Sizes, axis_text, label, number_of, sizes, windows};
use crate::diagnose::words::text::Text;

/// Returns the message about the first window of an operation that does not fit, as far as sizes are known without the
/// operation.
pub(crate) fn unfit(known: &mut Known<'_>, text: Text<'_>, step: &Assignment) -> Option<Proposed> {
    let sizes = sizes(known, step);
    let windows = windows(step).map(|window| (number_of(&window.axis), window));
    let unfit = |window| unfit_window(text, step, &sizes, window);
    let unfit: Vec<Unfit<'_>> = windows.filter_map(unfit).collect();
    let proposed = unfit.first()?.message(text, step);
    // Windows along several axes are mostly alike, and a fix of one alone is not enough.
    Some(match unfit.len() {
        1 => proposed,
        _ => all_in_other_modes(proposed, text, &unfit),
    })
}

/// A window that does not fit on its axis.
struct Unfit<'a> {
    measured: Measured<'a>,
    /// The mismatch, in words.
    own: String,
    /// The tensor with the axis.
    slot: usize,
    /// The place of the window in the text.
    place: Option<Span>,
    /// The number of windows, if it is known.
    over: Option<u64>,
}

fn unfit_window<'a>(
    text: Text<'_>,
    step: &Assignment,
    sizes: &Sizes<'_>,
    (number, window): (usize, &'a Window),
) -> Option<Unfit<'a>> {
    let size = |term: &DimTerm| match term {
        DimTerm::Var(var) => sizes.get(var.name()).copied(),
        DimTerm::Const(dim) => Some((dim.size(), 0)),
    };
    let (cells, slot) = size(&window.axis)?;
    let taps = window.taps.iter().map(|(_, tap)| Some(size(tap)?.0));
    let measured = Measured::of(window, cells, taps.collect::<Option<_>>()?);
    let over = size(&window.over).map(|(over, _)| over);
    let own = measured.misfit(|| over)?;
    Some(Unfit {
        measured,
        own,
        slot,
        place: axis_text(text, step, number),
        over,
    })
}

impl Unfit<'_> {
    fn message(&self, text: Text<'_>, step: &Assignment) -> Proposed {
        let span = self.place.clone().unwrap_or_else(|| step.span.clone());
        let mut diagnostic = Diagnostic::new(span, self.own.clone(), "these windows do not fit");
        let id = step.operation.slots[self.slot];
        if self.slot > 0 && !text.is_number(id) {
            let tensor = &text.program[id];
            let has = format!("`{}` has the axis", tensor.name);
            diagnostic = diagnostic.other(tensor.span.clone(), has);
        }
        let stride = self.measured.window.stride.get();
        let mut proposed = Proposed::from(diagnostic);
        if let Some((floor, left)) = self.as_floor(text) {
            let help = format!("write `{}` to leave {left} unread", floor.text);
            proposed = proposed.or_moving(help, vec![floor]);
        }
        if let Some(same) = self.as_same(text) {
            let help = format!(
                "write `{}`: a window for each {stride} of the axis, past its ends too",
                same.text
            );
            proposed = proposed.or_moving(help, vec![same]);
        }
        if let Some((shorter, cells)) = self.as_shorter(text) {
            let help = format!("write `{}`: a window of {cells}", shorter.text);
            proposed = proposed.or_moving(help, vec![shorter]);
        }
        if let Some((padded, over)) = self.as_padded(text) {
            let help = format!("write `{}` for {over} windows", padded.text);
            proposed = proposed.or_moving(help, vec![padded]);
        }
        proposed
    }

    /// Returns the window with the margins that make the known number of windows fit, and this number.
    fn as_padded(&self, text: Text<'_>) -> Option<(Edit, u64)> {
        let (over, span) = (self.over?, self.place.clone()?);
        let missing = self.measured.missing(over)?;
        let low = missing / 2;
        let inner = without_mode(text.at(span.clone()));
        let text = match missing {
            0 => inner.to_string(),
            _ => format!("pad({inner}, {low}, {})", missing - low),
        };
        Some((Edit { span, text }, over))
    }

    /// Returns the window with fewer cells, as many as there are, where its only tap has a size that is written beside
    /// it.
    fn as_shorter(&self, text: Text<'_>) -> Option<(Edit, u64)> {
        let span = self.place.clone()?;
        let written = text.at(span.clone());
        let ([(dilation, _)], [tap]) = (&self.measured.window.taps[..], &self.measured.taps[..])
        else {
            return None;
        };
        let reach = self.measured.with_margins.checked_sub(1)? / dilation.get();
        let fitting = reach + 1;
        let (from, to) = (format!(":{tap}"), format!(":{fitting}"));
        let is_written = written.matches(&from).count() == 1 && fitting < *tap;
        is_written.then(|| {
            let text = written.replacen(&from, &to, 1);
            (Edit { span, text }, fitting)
        })
    }

    /// Returns the text in the window, without `pad(…)` around it, and its place.
    fn inner<'t>(&self, text: Text<'t>) -> Option<(&'t str, Span)> {
        let place = self.place.clone()?;
        if self.measured.window.mode != Mode::Exact {
            return None;
        }
        let written = text.at(place.clone());
        let padded = written.strip_prefix("pad(");
        let inner = padded.and_then(|rest| rest.strip_suffix(')'));
        Some((inner.unwrap_or(written), place))
    }

    /// Returns the window with as many places as fit, and how many cells are left over.
    fn as_floor(&self, text: Text<'_>) -> Option<(Edit, u64)> {
        let (inner, span) = self.inner(text)?;
        let rest = self.measured.with_margins.checked_sub(self.measured.span)?;
        let text = format!("floor({inner})");
        Some((
            Edit { span, text },
            rest % self.measured.window.stride.get(),
        ))
    }

    /// Returns the window with margins that make it fit, where none are written.
    fn as_same(&self, text: Text<'_>) -> Option<Edit> {
        let span = self.place.clone()?;
        let window = self.measured.window;
        let has_margins = window.low > 0 || window.high > 0;
        let written = text.at(span.clone());
        let inner = match window.mode {
            Mode::Exact if !has_margins => written,
            Mode::Floor | Mode::Ceil if !has_margins => without_mode(written),
            _ => return None,
        };
        let text = format!("same({inner})");
        Some(Edit { span, text })
    }
}

/// Returns the text of a window without the function that says how it fits, and without its margins.
fn without_mode(written: &str) -> &str {
    let inner = written
        .split_once('(')
        .and_then(|(_, rest)| rest.strip_suffix(')'));
    let inner = inner.unwrap_or(written);
    inner.split(',').next().unwrap_or(inner).trim()
}

/// Returns the message with changes of all windows that do not fit.
fn all_in_other_modes(mut proposed: Proposed, text: Text<'_>, unfit: &[Unfit<'_>]) -> Proposed {
    let floors = unfit.iter().map(|one| Some(one.as_floor(text)?.0));
    let sames = unfit.iter().map(|one| one.as_same(text));
    let floors: Option<Vec<Edit>> = floors.collect();
    let sames: Option<Vec<Edit>> = sames.collect();
    let kinds = [
        (floors, "to leave the last cells unread"),
        (sames, "for a window at each stride"),
    ];
    for (edits, purpose) in kinds {
        if let Some(edits) = edits {
            let written: Vec<String> = edits.iter().map(|one| format!("`{}`", one.text)).collect();
            let help = format!("write {} {purpose}", written.join(" and "));
            proposed = proposed.or_moving(help, edits);
        }
    }
    proposed
}

/// A window on an axis whose size is known.
struct Measured<'a> {
    window: &'a Window,
    cells: u64,
    taps: Vec<u64>,
    /// The number of cells that one window spans.
    span: u64,
    /// The cells with the margins on both sides.
    with_margins: u64,
}

impl Measured<'_> {
    fn of(window: &Window, cells: u64, taps: Vec<u64>) -> Measured<'_> {
        let span = match taps.is_empty() {
            true => window.stride.get(),
            false => {
                let reaches = window.taps.iter().zip(&taps);
                reaches.fold(1u64, |span, ((dilation, _), tap)| {
                    span.saturating_add(dilation.get().saturating_mul(tap.saturating_sub(1)))
                })
            }
        };
        Measured {
            window,
            cells,
            taps,
            span,
            with_margins: cells.saturating_add(window.low).saturating_add(window.high),
        }
    }

    /// Returns the number of cells of margins that are missing for this number of windows. `None` if the axis has more
    /// cells than they cover.
    fn missing(&self, over: u64) -> Option<u64> {
        let stride = self.window.stride.get();
        let covered = over
            .checked_sub(1)?
            .checked_mul(stride)?
            .checked_add(self.span)?;
        covered.checked_sub(self.cells)
    }

    /// Says in what the windows do not fit. `None` if they fit, or if their number, which `over` gives, is needed and
    /// not known.
    fn misfit(&self, over: impl Fn() -> Option<u64>) -> Option<String> {
        let (cells, span, stride) = (self.cells, self.span, self.window.stride.get());
        let with_margins = self.with_margins;
        let margins = match with_margins == cells {
            true => String::new(),
            false => format!(" ({with_margins} with the margins)"),
        };
        match self.window.mode {
            Mode::Exact | Mode::Floor if span > with_margins => Some(match self.taps.is_empty() {
                true => format!("the axis has {cells} cells{margins}, and a block has {stride}"),
                false => format!("the window spans {span}, the axis has {cells}{margins}"),
            }),
            // The last window begins inside, and at most so many of its cells lie behind the axis.
            Mode::Ceil if span >= with_margins.saturating_add(stride) => Some(format!(
                "the window spans {span}, and `ceil` reaches {} of an axis of {cells} at most",
                with_margins.saturating_add(stride) - 1
            )),
            Mode::Exact if !(with_margins - span).is_multiple_of(stride) => {
                let left = (with_margins - span) % stride;
                Some(match self.taps.is_empty() {
                    true => format!("{cells} is not {stride} times anything (remainder {left})"),
                    false => format!(
                        "{cells} cells cannot be tiled by windows of {span} at stride {stride}: {} or {} can",
                        cells - left.min(cells - 1),
                        cells - left + stride
                    ),
                })
            }
            _ => self.miscounted(over()?),
        }
    }

    /// Says in what this number of windows is wrong, if it is.
    fn miscounted(&self, over: u64) -> Option<String> {
        let fits = |over: u64| {
            let taps = self.taps.iter().copied();
            self.window.fits(self.cells, over, taps)
        };
        if fits(over) {
            return None;
        }
        let (cells, stride) = (self.cells, self.window.stride.get());
        let most = self.with_margins.saturating_add(stride).min(1 << 20);
        Some(match (1..=most).find(|over| fits(*over)) {
            Some(right) => {
                let label = label(&self.window.over);
                format!("`{label}` is {over}, and {cells} cells have {right} windows")
            }
            None => format!(
                "no number of windows of {} fits on {cells} cells",
                self.span
            ),
        })
    }
}
