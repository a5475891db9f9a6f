//! Drawing of a statement with a spec, feature by feature: each feature puts axes into the templates so that the
//! statement has a meaning.

use std::collections::BTreeSet;
use std::num::NonZeroU64;

use arbitrary::{Result, Unstructured};
use lozenge_vocabulary::window::{Mode, Window};

use super::{Axis, Label, Piece, Sign, WrittenOperation};

/// No feature is added to a statement that has this many points.
const POINTS: u64 = 300;

/// The most concatenated axes that a template gets, so that their parts can be chosen in few ways.
const CONCATENATED: usize = 2;

/// Draws a statement whose sizes are drawn first.
///
/// # Errors
/// Never for lack of bytes.
pub fn draw(u: &mut Unstructured<'_>) -> Result<WrittenOperation> {
    let alternatives = u.ratio(1, 3)?;
    let mut drawing = Drawing {
        made: WrittenOperation {
            sizes: Vec::new(),
            unstated: BTreeSet::new(),
            templates: vec![(Vec::new(), 0)],
            alternatives,
            sign: *u.choose(&[Sign::Replace, Sign::Add, Sign::Add, Sign::Max])?,
        },
    };
    match alternatives {
        true => drawing.blocks(u)?,
        false => drawing.operands(u.int_in_range(1..=2)?),
    }
    for _ in 0..u.int_in_range(1..=3)? {
        if drawing.made.work() < POINTS {
            drawing.feature(u)?;
        }
    }
    drawing.finish(u)?;
    Ok(drawing.made)
}

struct Drawing {
    made: WrittenOperation,
}

fn nonzero(number: u64) -> NonZeroU64 {
    NonZeroU64::new(number).unwrap_or(NonZeroU64::MIN)
}

fn shuffle<T>(u: &mut Unstructured<'_>, items: &mut [T]) -> Result<()> {
    for last in (1..items.len()).rev() {
        items.swap(last, u.int_in_range(0..=last)?);
    }
    Ok(())
}

/// Leaves out every block without which each group still has one. Cells that the others do not fill are a gap.
fn leave_out(blocks: &mut Vec<[usize; 2]>) {
    for at in (0..blocks.len()).rev() {
        let mut others = blocks.iter().enumerate().filter(|(other, _)| *other != at);
        let has = |side: usize| {
            others
                .clone()
                .any(|(_, block)| block[side] == blocks[at][side])
        };
        if has(0) && has(1) && others.next().is_some() {
            blocks.remove(at);
        }
    }
}

impl Drawing {
    fn operands(&mut self, count: usize) {
        for _ in 0..count {
            self.made.templates.push((Vec::new(), 0));
        }
    }

    fn label(&mut self, u: &mut Unstructured<'_>) -> Result<Label> {
        self.made.sizes.push(u.int_in_range(1..=3)?);
        Ok(self.made.sizes.len() - 1)
    }

    fn put(&mut self, template: usize, axis: Axis) {
        self.made.templates[template].0.push(axis);
    }

    /// Draws one of the operands.
    fn operand(&self, u: &mut Unstructured<'_>) -> Result<usize> {
        u.int_in_range(1..=self.made.templates.len() - 1)
    }

    /// Draws an axis of these parts in some order, with gaps; a single part often without any.
    fn concat(
        &self,
        u: &mut Unstructured<'_>,
        parts: &[Label],
        may_be_plain: bool,
    ) -> Result<Axis> {
        if let ([label], true) = (parts, may_be_plain && u.arbitrary()?) {
            return Ok(Axis::Label(*label));
        }
        let mut pieces: Vec<Piece> = parts.iter().map(|label| Piece::Label(*label)).collect();
        let gaps = match pieces.len() {
            1 => u.int_in_range(1..=2)?,
            _ => u.int_in_range(0..=2)? / 2,
        };
        for _ in 0..gaps {
            pieces.push(Piece::Gap(u.int_in_range(1..=2)?));
        }
        shuffle(u, &mut pieces)?;
        Ok(Axis::Concat(pieces))
    }

    /// Labels in groups, one for each operand that has the axis.
    fn groups(&mut self, u: &mut Unstructured<'_>) -> Result<Vec<Vec<Label>>> {
        let mut groups = Vec::new();
        for _ in 0..u.int_in_range(1..=2)? {
            let mut group = vec![self.label(u)?];
            if u.ratio(1, 4)? {
                group.push(self.label(u)?);
            }
            groups.push(group);
        }
        Ok(groups)
    }

    /// Operands that are alternatives: one for each choice of a group of every concatenated axis of the result.
    fn blocks(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let mut first = self.groups(u)?;
        if first.len() == 1 {
            first.push(vec![self.label(u)?]);
        }
        let second = match u.ratio(1, 3)? {
            true => self.groups(u)?,
            false => vec![Vec::new()],
        };
        let mut blocks: Vec<[usize; 2]> = Vec::new();
        for one in 0..first.len() {
            blocks.extend((0..second.len()).map(|other| [one, other]));
        }
        shuffle(u, &mut blocks)?;
        if u.ratio(1, 3)? {
            leave_out(&mut blocks);
        }
        // The parts of one group stand in no operand: what is read from it is the same in all of them.
        let constant = match u.ratio(1, 4)? {
            true => Some(u.int_in_range(0..=first.len() - 1)?),
            false => None,
        };
        for [one, other] in blocks {
            self.operands(1);
            let operand = self.made.templates.len() - 1;
            let own = Some(&first[one]).filter(|_| constant != Some(one));
            let groups = own.into_iter().chain([&second[other]]);
            for parts in groups.filter(|parts| !parts.is_empty()) {
                let axis = self.concat(u, parts, true)?;
                self.put(operand, axis);
            }
        }
        for groups in [&first, &second] {
            let parts = groups.concat();
            if !parts.is_empty() {
                let axis = self.concat(u, &parts, false)?;
                self.put(0, axis);
            }
        }
        Ok(())
    }

    fn feature(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        match u.int_in_range(0..=9)? {
            0 | 1 => self.shared(u),
            2..=4 if !self.made.alternatives && self.concatenated() < CONCATENATED => self.parts(u),
            5 if !self.made.alternatives => self.written_window(u),
            6 | 7 if !self.made.alternatives => self.product(u),
            8 => self.position(u),
            _ => self.window(u),
        }
    }

    /// Counts the concatenated axes of the template that has most of them.
    fn concatenated(&self) -> usize {
        let templates = self.made.templates.iter().map(|(axes, _)| {
            let own = axes.iter().filter(|axis| matches!(axis, Axis::Concat(_)));
            own.count()
        });
        templates.max().unwrap_or(0)
    }

    /// Adds a label of some operands and mostly of the result.
    fn shared(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let label = self.label(u)?;
        for operand in 1..self.made.templates.len() {
            if u.ratio(3, 4)? {
                self.put(operand, Axis::Label(label));
            }
        }
        if u.ratio(3, 4)? {
            self.put(0, Axis::Label(label));
            // Twice, it runs along a diagonal.
            if u.ratio(1, 12)? {
                self.put(0, Axis::Label(label));
            }
        }
        Ok(())
    }

    /// Adds a fixed position of an operand or of the result.
    fn position(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let size = u.int_in_range(1..=3)?;
        let position = u.int_in_range(0..=size - 1)?;
        let template = u.int_in_range(0..=self.made.templates.len() - 1)?;
        self.put(template, Axis::At { position, size });
        Ok(())
    }

    /// Parts of an axis of an operand, of the result, or of both.
    fn parts(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let mut labels = vec![self.label(u)?];
        for _ in 0..u.int_in_range(0..=2)? {
            labels.push(self.label(u)?);
        }
        let operand = self.operand(u)?;
        for other in 1..self.made.templates.len() {
            if other == operand || u.ratio(1, 4)? {
                let axis = self.concat(u, &labels, true)?;
                self.put(other, axis);
            }
        }
        // Several parts of an operand have to stay apart in the result.
        if labels.len() > 1 || u.ratio(4, 5)? {
            let axis = self.concat(u, &labels, true)?;
            self.put(0, axis);
        }
        Ok(())
    }

    /// Draws a window over new labels, in any mode, on an axis on which it fits.
    fn windowed(&mut self, u: &mut Unstructured<'_>, mode: Mode) -> Result<Option<Axis>> {
        let over = self.label(u)?;
        self.made.sizes[over] = u.int_in_range(1..=4)?;
        let mut taps = Vec::new();
        for _ in 0..*u.choose(&[0, 1, 1, 1, 2])? {
            taps.push((nonzero(u.int_in_range(1..=3)?), Some(self.label(u)?)));
        }
        let stride = u.int_in_range(1..=3)?;
        let phase = match taps.is_empty() {
            true => u.int_in_range(0..=stride - 1)?,
            false => 0,
        };
        let margins = match mode.has_margins() && u.ratio(1, 2)? {
            true => [u.int_in_range(0..=3)?, u.int_in_range(0..=3)?],
            false => [0; 2],
        };
        let window = Window {
            axis: None,
            stride: nonzero(stride),
            over: Some(over),
            taps,
            phase,
            mode,
            low: margins[0],
            high: margins[1],
        };
        let sizes = &self.made.sizes;
        let own = window
            .taps
            .iter()
            .map(|(_, tap)| tap.map_or(1, |tap| sizes[tap]));
        let own: Vec<u64> = own.collect();
        let fits = |size: &u64| window.fits(*size, sizes[over], own.iter().copied());
        let fitting: Vec<u64> = (1..=40).filter(fits).collect();
        if fitting.is_empty() {
            return Ok(None);
        }
        let size = *u.choose(&fitting)?;
        Ok(Some(Axis::Window { window, size }))
    }

    /// Adds a window in an operand. Its taps are axes of another operand or of the result, or of no tensor.
    fn window(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let mode = *u.choose(&Mode::ALL)?;
        let Some(axis) = self.windowed(u, mode)? else {
            return Ok(());
        };
        let labels = axis.labels();
        let operand = self.operand(u)?;
        self.put(operand, axis);
        if u.ratio(4, 5)? {
            self.put(0, Axis::Label(labels[0]));
        }
        for label in &labels[1..] {
            match u.int_in_range(0..=3)? {
                0 => self.put(0, Axis::Label(*label)),
                1 => {
                    let other = self.operand(u)?;
                    self.put(other, Axis::Label(*label));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds a window in the result. Only an exact one decides the length of its axis.
    fn written_window(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let Some(axis) = self.windowed(u, Mode::Exact)? else {
            return Ok(());
        };
        for label in axis.labels() {
            if u.ratio(3, 4)? {
                let operand = self.operand(u)?;
                self.put(operand, Axis::Label(label));
            }
        }
        self.put(0, axis);
        Ok(())
    }

    /// Adds an axis of two or three factors that are axes of their own elsewhere.
    fn product(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let mut pieces = Vec::new();
        for _ in 0..u.int_in_range(2..=3)? {
            pieces.push(match u.ratio(1, 8)? {
                true => {
                    let size = u.int_in_range(1..=3)?;
                    let position = u.int_in_range(0..=size - 1)?;
                    Piece::At { position, size }
                }
                false => Piece::Label(self.label(u)?),
            });
        }
        let axis = Axis::Product(pieces);
        let operand = self.operand(u)?;
        let (whole, factors) = match u.arbitrary()? {
            true => (operand, 0),
            false => (0, operand),
        };
        for label in axis.labels() {
            // A factor that is nowhere else is summed, or repeats its values.
            if u.ratio(7, 8)? {
                self.put(factors, Axis::Label(label));
            }
        }
        self.put(whole, axis);
        Ok(())
    }

    /// Shuffles the axes of each template, and leaves sizes out that follow from others.
    fn finish(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        for operand in 1..self.made.templates.len() {
            if self.made.templates[operand].0.is_empty() {
                let label = self.label(u)?;
                self.put(operand, Axis::Label(label));
            }
        }
        for (axes, batch) in &mut self.made.templates {
            shuffle(u, axes)?;
            *batch = u.int_in_range(0..=axes.len())?;
        }
        let operands: Vec<&Axis> = self.made.templates[1..]
            .iter()
            .flat_map(|(axes, _)| axes)
            .collect();
        let mut unstated = BTreeSet::new();
        // One size that follows from an axis that is made of others.
        let composite: Vec<Label> = operands
            .iter()
            .filter_map(|axis| match axis {
                Axis::Window { window, .. } => window.over,
                Axis::Concat(_) | Axis::Product(_) => axis.labels().first().copied(),
                _ => None,
            })
            .collect();
        if !composite.is_empty() {
            unstated.insert(*u.choose(&composite)?);
        }
        for axis in operands {
            if let Axis::Label(label) = axis
                && u.ratio(1, 2)?
            {
                unstated.insert(*label);
            }
        }
        self.made.unstated = unstated;
        Ok(())
    }
}
