//! Constraint sets with windows, concatenations, products and bounds of sizes (§8), with several biases.

use std::num::NonZeroU64;

use arbitrary::{Result, Unstructured};
use lozenge_vocabulary::{
    Basis, Composite, Composition, Constraint, ConstraintSet, Dim, DimTerm, DimVar, Elements,
    Factor, Mode, RowTerm, RowVar, Var, Window,
};

use super::bytes;

/// The bias with which a set is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bias {
    /// None: every constraint is drawn independently, over few variables.
    Free,
    /// Sizes are drawn first, then constraints that they satisfy.
    Drawn,
    /// The same, with one stated size changed by one.
    OffByOne,
    /// Windows on windows: the number of one is the axis of the next.
    Chained,
}

const BIASES: [Bias; 6] = [
    Bias::Free,
    Bias::Drawn,
    Bias::Drawn,
    Bias::OffByOne,
    Bias::Chained,
    Bias::Chained,
];

/// The largest number of variables.
const VARS: usize = 6;

/// A variable with the value that it was drawn with.
type Valued = (DimVar, Dim);

/// Draws the sets of campaigns: up to 4 windows, strides and dilations up to 4, margins up to 2, some of the sizes
/// stated.
///
/// # Errors
/// Never for lack of bytes.
pub fn arithmetic(u: &mut Unstructured<'_>) -> Result<ConstraintSet> {
    let bias = *u.choose(&BIASES)?;
    if bias == Bias::Free {
        let mut set = free(u)?;
        with_summands(u, &mut set)?;
        return Ok(set);
    }
    let mut vars: Vec<Valued> = Vec::new();
    let mut constraints = Vec::new();
    for _ in 0..u.int_in_range(1..=4)? {
        constraints.extend(match u.int_in_range(0..=4)? {
            0 => drawn_composite(u, &mut vars, Composition::Concat)?,
            1 => drawn_composite(u, &mut vars, Composition::Product)?,
            _ => drawn_window(u, &mut vars, bias)?.map(Constraint::Window),
        });
    }
    for _ in 0..u.int_in_range(1..=5)? {
        constraints.extend(told(u, &vars)?);
    }
    if bias == Bias::OffByOne {
        off_by_one(u, &mut constraints)?;
    }
    let mut set = constraints.into_iter().collect();
    with_summands(u, &mut set)?;
    Ok(set)
}

/// Declares that some variables may be 0, and adds one that has to be to a concatenation. Most sets stay as they are.
fn with_summands(u: &mut Unstructured<'_>, set: &mut ConstraintSet) -> Result<()> {
    if u.is_empty() || !u.ratio(1, 4)? {
        return Ok(());
    }
    for at in 0..VARS {
        if u.arbitrary()? {
            set.summands.insert(name(at));
        }
    }
    let concatenated = set
        .constraints
        .iter_mut()
        .find_map(|constraint| match constraint {
            Constraint::Composite(of) if of.composition == Composition::Concat => Some(of),
            _ => None,
        });
    if let Some(of) = concatenated
        && u.arbitrary()?
    {
        let more = DimVar::new("z");
        of.parts.push(more.clone().into());
        set.summands.insert(more);
    }
    set.summands.retain({
        let vars = set.vars();
        move |var| vars.contains(&Var::Dim(var.clone()))
    });
    Ok(())
}

/// Draws one window with all sizes stated but at most one: strides up to 5, up to two taps of up to 9 places and
/// dilations up to 4, margins up to 4. Two times of three the sizes fit before one is left out.
///
/// # Errors
/// Never for lack of bytes.
pub fn puzzle(u: &mut Unstructured<'_>) -> Result<ConstraintSet> {
    let mode = *u.choose(&Mode::ALL)?;
    let margins = match mode.has_margins() && u.ratio(1, 2)? {
        true => [u.int_in_range(0..=4)?, u.int_in_range(0..=4)?],
        false => [0; 2],
    };
    let stride = u.int_in_range(1..=5)?;
    let (mut taps, mut sizes) = (Vec::new(), Vec::new());
    for tap in 0..*u.choose(&[0, 1, 1, 1, 2])? {
        taps.push((nonzero(u.int_in_range(1..=4)?), name(2 + tap).into()));
        sizes.push(u.int_in_range(1..=if tap == 0 { 9 } else { 4 })?);
    }
    let phase = match taps.is_empty() {
        true => u.int_in_range(0..=stride - 1)?,
        false => 0,
    };
    let mut window: Window = Window {
        axis: name(0).into(),
        stride: nonzero(stride),
        over: name(1).into(),
        taps,
        phase,
        mode,
        low: margins[0],
        high: margins[1],
    };
    let over = u.int_in_range(1..=8)?;
    let fitting = (1..=80).filter(|axis| window.fits(*axis, over, sizes.iter().copied()));
    let fitting: Vec<u64> = fitting.collect();
    let axis = match !fitting.is_empty() && u.ratio(2, 3)? {
        true => *u.choose(&fitting)?,
        false => u.int_in_range(1..=32)?,
    };
    // Occasionally the windows are counted by the axis of a tap.
    if window.taps.len() == 1 && u.ratio(1, 10)? {
        window.taps[0].1 = window.over.clone();
        sizes.clear();
    }
    let all: Vec<u64> = [axis, over].into_iter().chain(sizes).collect();
    let left_out = u.int_in_range(0..=all.len())?;
    let mut constraints = vec![Constraint::Window(window)];
    for (at, size) in all
        .into_iter()
        .enumerate()
        .filter(|(at, _)| *at != left_out)
    {
        let dim = match at > 1 && size == 1 && u.arbitrary()? {
            true => Dim::Unit,
            false => Dim::new(size).unwrap_or(Dim::Unit),
        };
        constraints.push(Constraint::DimEq(name(at).into(), dim.into()));
    }
    Ok(constraints.into_iter().collect())
}

/// Returns the set with this number of a stream.
pub fn indexed(seed: u64, index: u64) -> ConstraintSet {
    let bytes = bytes(seed, index, 256);
    // Bytes never fail to make a set.
    arithmetic(&mut Unstructured::new(&bytes)).unwrap_or_default()
}

fn nonzero(number: u64) -> NonZeroU64 {
    NonZeroU64::new(number).unwrap_or(NonZeroU64::MIN)
}

fn atom(u: &mut Unstructured<'_>, most: u64) -> Result<Dim> {
    let basis = match u.int_in_range(0..=3)? {
        0 => Basis::named("px"),
        _ => Basis::Default,
    };
    let size = nonzero(u.int_in_range(1..=most)?);
    Ok(Dim::Atom { size, basis })
}

/// Draws a window without axes.
fn shape(u: &mut Unstructured<'_>) -> Result<Window<()>> {
    let mode = *u.choose(&Mode::ALL)?;
    let margins = match mode.has_margins() && u.ratio(1, 2)? {
        true => [u.int_in_range(0..=2)?, u.int_in_range(0..=2)?],
        false => [0; 2],
    };
    let stride = u.int_in_range(1..=4)?;
    let mut taps = Vec::new();
    for _ in 0..u.int_in_range(0..=2)? {
        taps.push((nonzero(u.int_in_range(1..=3)?), ()));
    }
    let phase = match taps.is_empty() {
        true => u.int_in_range(0..=stride - 1)?,
        false => 0,
    };
    Ok(Window {
        axis: (),
        stride: nonzero(stride),
        over: (),
        taps,
        phase,
        mode,
        low: margins[0],
        high: margins[1],
    })
}

fn name(at: usize) -> DimVar {
    DimVar::new(["a", "b", "c", "d", "e", "f"][at % VARS])
}

/// Draws a variable that already has a value, or a new one with its value.
fn valued(u: &mut Unstructured<'_>, vars: &mut Vec<Valued>, may_be_unit: bool) -> Result<Valued> {
    if !vars.is_empty() && (vars.len() == VARS || u.ratio(1, 2)?) {
        let known: Vec<&Valued> = vars
            .iter()
            .filter(|(_, dim)| may_be_unit || dim.is_atom())
            .collect();
        if !known.is_empty() {
            return Ok((*u.choose(&known)?).clone());
        }
    }
    let dim = match may_be_unit && u.ratio(1, 8)? {
        true => Dim::Unit,
        false => atom(u, 6)?,
    };
    let var = (name(vars.len()), dim);
    // There are no more names than this: one more variable would give an old one a second value.
    if vars.len() < VARS {
        vars.push(var.clone());
    }
    Ok(var)
}

/// Draws a window that its sizes satisfy; its axis gets the least size for which it does.
fn drawn_window(
    u: &mut Unstructured<'_>,
    vars: &mut Vec<Valued>,
    bias: Bias,
) -> Result<Option<Window>> {
    let shape = shape(u)?;
    let over = match (bias, vars.last()) {
        (Bias::Chained, Some(last)) if last.1.is_atom() => last.clone(),
        _ => valued(u, vars, false)?,
    };
    let mut taps = Vec::new();
    for _ in &shape.taps {
        taps.push(valued(u, vars, true)?);
    }
    let Dim::Atom { size, basis } = &over.1 else {
        return Ok(None);
    };
    let sizes: Vec<u64> = taps.iter().map(|(_, dim)| dim.size()).collect();
    let fitting = |axis: &u64| shape.fits(*axis, size.get(), sizes.iter().copied());
    let Some(length) = (1..=200).find(fitting) else {
        return Ok(None);
    };
    let dim = Dim::based(length, basis.clone()).unwrap_or(Dim::Unit);
    let known = vars
        .iter()
        .find(|(_, value)| *value == dim)
        .map(|(var, _)| DimTerm::from(var.clone()));
    let axis = match known {
        Some(known) if u.ratio(1, 2)? => known,
        _ if vars.len() < VARS => {
            let var = name(vars.len());
            vars.push((var.clone(), dim));
            var.into()
        }
        _ => dim.into(),
    };
    let dilations = shape.taps.iter().map(|(dilation, ())| *dilation);
    let taps = dilations
        .zip(taps)
        .map(|(dilation, (var, _))| (dilation, DimTerm::from(var)));
    Ok(Some(Window {
        axis,
        stride: shape.stride,
        over: over.0.into(),
        taps: taps.collect(),
        phase: shape.phase,
        mode: shape.mode,
        low: shape.low,
        high: shape.high,
    }))
}

/// Draws a concatenation or a product that its sizes satisfy.
fn drawn_composite(
    u: &mut Unstructured<'_>,
    vars: &mut Vec<Valued>,
    composition: Composition,
) -> Result<Option<Constraint>> {
    let is_product = composition == Composition::Product;
    let mut parts: Vec<Valued> = Vec::new();
    for _ in 0..u.int_in_range(2..=3)? {
        parts.push(valued(u, vars, is_product)?);
    }
    let basis = match (is_product, &parts[0].1) {
        (true, _) | (_, Dim::Unit) => atom(u, 1)?,
        (false, first) => first.clone(),
    };
    let Dim::Atom { basis, .. } = basis else {
        return Ok(None);
    };
    let of_basis = |dim: &Dim| matches!(dim, Dim::Atom { basis: own, .. } if *own == basis);
    if !is_product && !parts.iter().all(|(_, dim)| of_basis(dim)) {
        return Ok(None);
    }
    let total = composition.total(parts.iter().map(|(_, dim)| dim.size()));
    let total = total.and_then(|total| u64::try_from(total).ok());
    let Some(dim) = total.and_then(|total| Dim::based(total, basis.clone())) else {
        return Ok(None);
    };
    let whole = match vars.len() < VARS {
        true => {
            let var = name(vars.len());
            vars.push((var.clone(), dim));
            var.into()
        }
        false => dim.into(),
    };
    Ok(Some(Constraint::Composite(Composite {
        composition,
        whole,
        parts: parts.into_iter().map(|(var, _)| var.into()).collect(),
    })))
}

/// Draws a constraint that is true of the values: a value, a bound, an inequality or a row.
fn told(u: &mut Unstructured<'_>, vars: &[Valued]) -> Result<Option<Constraint>> {
    if vars.is_empty() {
        return Ok(None);
    }
    let (var, dim) = u.choose(vars)?;
    let (other, value) = u.choose(vars)?;
    let term = DimTerm::from(var.clone());
    Ok(match u.int_in_range(0..=9)? {
        0..=3 => Some(Constraint::DimEq(term, dim.clone().into())),
        4 => Some(Constraint::DimLe(dim.clone().into(), term)),
        5 => Some(Constraint::AtLeast {
            dim: term,
            size: nonzero(u.int_in_range(1..=dim.size())?),
        }),
        6 | 7 => value
            .below(dim)
            .then(|| Constraint::DimLe(other.clone().into(), term)),
        8 if u.ratio(1, 3)? => Some(Constraint::Elements(counted(u, term)?)),
        8 => Some(Constraint::RowEq(
            RowTerm::closed(Vec::new(), vec![term, other.clone().into()]),
            RowTerm::from(RowVar::new("r")),
        ))
        .filter(|_| u.ratio(1, 2) == Ok(true)),
        _ => Some(Constraint::RowLe(
            RowTerm::from(RowVar::new("s")),
            RowTerm::closed(Vec::new(), vec![term]),
        )),
    })
}

/// Draws a product with a row among its factors, which may be false of the values.
fn counted(u: &mut Unstructured<'_>, axis: DimTerm) -> Result<Elements> {
    let var = |u: &mut Unstructured<'_>| Ok(DimTerm::from(name(u.int_in_range(0..=3)?)));
    let row = match u.int_in_range(0..=3)? {
        0 => RowTerm::closed(Vec::new(), vec![var(u)?, var(u)?]),
        1 => RowTerm::open(vec![axis.clone()], RowVar::new("r"), Vec::new()),
        2 => RowVar::new("s").into(),
        _ => RowVar::new("r").into(),
    };
    let mut factors = vec![Factor::Row(row)];
    if u.ratio(1, 2)? {
        factors.push(Factor::Axis(var(u)?));
    }
    let whole = match u.ratio(1, 3)? {
        true => axis,
        false => name(VARS).into(),
    };
    Ok(Elements { whole, factors })
}

/// Changes one stated size by one.
fn off_by_one(u: &mut Unstructured<'_>, constraints: &mut [Constraint]) -> Result<()> {
    let more = u.ratio(1, 2)?;
    for constraint in constraints {
        if let Constraint::DimEq(_, DimTerm::Const(Dim::Atom { size, .. })) = constraint {
            let other = match more {
                true => size.get().saturating_add(1),
                false => size.get().saturating_sub(1),
            };
            *size = nonzero(other);
            return Ok(());
        }
    }
    Ok(())
}

/// Draws independent constraints over four variables.
fn free(u: &mut Unstructured<'_>) -> Result<ConstraintSet> {
    let var = |u: &mut Unstructured<'_>| Ok(DimTerm::from(name(u.int_in_range(0..=3)?)));
    let mut constraints = Vec::new();
    for _ in 0..u.int_in_range(2..=6)? {
        let next = match u.int_in_range(0..=9)? {
            0..=2 => Constraint::Window(free_window(u)?),
            3 | 4 => Constraint::Composite(Composite {
                composition: *u.choose(&Composition::ALL)?,
                whole: var(u)?,
                parts: vec![var(u)?, var(u)?],
            }),
            5 => Constraint::AtLeast {
                dim: var(u)?,
                size: nonzero(u.int_in_range(1..=5)?),
            },
            6 | 7 => Constraint::DimEq(var(u)?, atom(u, 9)?.into()),
            8 => Constraint::DimLe(atom(u, 6)?.into(), var(u)?),
            9 if u.ratio(1, 2)? => {
                let axis = var(u)?;
                if u.ratio(1, 2)? {
                    let row = RowTerm::closed(Vec::new(), vec![var(u)?, var(u)?]);
                    constraints.push(match u.ratio(1, 2)? {
                        true => Constraint::RowEq(row, RowVar::new("r").into()),
                        false => Constraint::RowLe(RowVar::new("r").into(), row),
                    });
                }
                Constraint::Elements(counted(u, axis)?)
            }
            _ => Constraint::DimLe(var(u)?, var(u)?),
        };
        constraints.push(next);
    }
    Ok(constraints.into_iter().collect())
}

fn free_window(u: &mut Unstructured<'_>) -> Result<Window> {
    let shape = shape(u)?;
    let mut axes = Vec::new();
    for _ in 0..shape.taps.len() + 2 {
        axes.push(DimTerm::from(name(u.int_in_range(0..=3)?)));
    }
    let mut axes = axes.into_iter();
    let mut next = || axes.next().unwrap_or_else(|| name(0).into());
    Ok(shape.map(|()| next()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lozenge_vocabulary::{Ground, Order};

    /// The same for concatenations and products.
    #[test]
    fn drawn_composites_are_satisfied_by_their_values() {
        for composition in Composition::ALL {
            let mut drawn = 0;
            for index in 0..2000 {
                let bytes = bytes(9, index, 256);
                let mut u = Unstructured::new(&bytes);
                let mut vars = Vec::new();
                let Ok(Some(constraint)) = drawn_composite(&mut u, &mut vars, composition) else {
                    continue;
                };
                let ground = Ground {
                    dims: vars.into_iter().collect(),
                    ..Ground::default()
                };
                let satisfied = ground.satisfies(&constraint, Order::Marked);
                assert_eq!(satisfied, Some(true), "{constraint}\n{ground}");
                drawn += 1;
            }
            assert!(drawn > 500, "{composition:?}: {drawn}");
        }
    }

    /// Sets drawn with values are satisfied by them, and most sets have windows.
    #[test]
    fn drawn_windows_are_satisfied_by_their_values() {
        let mut windows = 0;
        for index in 0..2000 {
            let bytes = bytes(7, index, 256);
            let mut u = Unstructured::new(&bytes);
            let mut vars = Vec::new();
            let Ok(Some(window)) = drawn_window(&mut u, &mut vars, Bias::Drawn) else {
                continue;
            };
            let ground = Ground {
                dims: vars.into_iter().collect(),
                ..Ground::default()
            };
            let window = Constraint::Window(window);
            assert_eq!(
                ground.satisfies(&window, Order::Marked),
                Some(true),
                "{window}\n{ground}"
            );
            windows += 1;
        }
        assert!(windows > 1000, "{windows}");
    }
}
