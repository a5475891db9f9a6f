//! The number of windows on an axis, and the beginning of the first: our results against those of other systems.
//! `docs/windows.md` prints them.

use std::fmt::Write;
use std::num::NonZeroU64;
use std::path::Path;

use lozenge::Options;
use lozenge::vocabulary::projections::Index;
use lozenge::vocabulary::window::{Mode, Window};

/// An axis of N cells, K taps, stride s, dilation d.
#[derive(Clone, Copy, Debug)]
struct Layer {
    n: u64,
    k: u64,
    s: u64,
    d: u64,
}

impl Layer {
    fn span(self) -> u64 {
        1 + self.d * (self.k - 1)
    }

    /// Returns the padding on each side that keeps the size at stride 1, where that is possible.
    fn half(self) -> u64 {
        self.d * (self.k - 1) / 2
    }

    /// Counts, by a program, the windows, and the cells that lie in front and behind. `None` if it is refused.
    fn ours(self, mode: &str, margin: u64) -> Option<(u64, u64, u64)> {
        let Layer { n, k, s, d } = self;
        let sum = format!("{s}*o + {d}*k:{k}");
        let window = match (mode, margin) {
            ("exact", _) => sum,
            (mode, 0) => format!("{mode}({sum})"),
            (mode, margin) => format!("{mode}({sum}, {margin})"),
        };
        let source = format!("data x : {n} = range({n})\nlet z = sum(x, \"{window} => o\")\n");
        let reading = lozenge::read(&source, &Options::default()).ok()?;
        let z = reading.program.find("z").expect("the tensor is there");
        let windows = lozenge::sizes(&reading.inference.shapes[z.0])[0];
        let front = match &reading.inference.nests[0].slots()[1].map.0[0] {
            Index::Affine(affine) => affine.offset,
            Index::Fix(at) => *at as i64,
            _ => 0,
        };
        assert!(front <= 0, "{source}");
        let reach = (windows - 1) * s + self.span();
        let front = front.unsigned_abs();
        Some((windows, front, reach.saturating_sub(n + front)))
    }

    /// Returns the only number of windows that fits by the relation alone.
    fn fitting(self, mode: Mode, margin: u64) -> Option<u64> {
        let one = |value: u64| NonZeroU64::new(value).expect("at least 1");
        let window = Window {
            axis: (),
            stride: one(self.s),
            over: (),
            taps: vec![(one(self.d), ())],
            phase: 0,
            mode,
            low: margin,
            high: margin,
        };
        let fits = |over: &u64| window.fits(self.n, *over, [self.k]);
        let found: Vec<u64> = (1..=self.n + 2 * margin + 1).filter(fits).collect();
        assert!(found.len() < 2, "{self:?} {mode:?} {found:?}");
        found.first().copied()
    }

    /// Returns the formula of PyTorch's convolutions and poolings.
    fn pytorch(self, padding: u64, ceil: bool) -> Option<u64> {
        let room = (self.n + 2 * padding).checked_sub(self.span());
        if !ceil {
            return Some(room? / self.s + 1);
        }
        let room = (self.n + 2 * padding + self.s - 1).checked_sub(self.span())?;
        let windows = room / self.s + 1;
        // The last pooling window begins inside of the input or the left padding.
        let begins_inside = (windows - 1) * self.s < self.n + padding;
        Some(if begins_inside { windows } else { windows - 1 })
    }

    /// Applies TensorFlow's `SAME` and ONNX's `SAME_UPPER`: windows, and padding before and after.
    fn same(self) -> (u64, u64, u64) {
        let windows = self.n.div_ceil(self.s);
        let padding = ((windows - 1) * self.s + self.span()).saturating_sub(self.n);
        (windows, padding / 2, padding - padding / 2)
    }

    /// Applies einops, which splits an axis into blocks, if the layer is that.
    fn einops(self) -> Option<Option<u64>> {
        let splits = self.k == self.s && self.d == 1;
        splits.then(|| self.n.is_multiple_of(self.s).then(|| self.n / self.s))
    }

    /// Applies TensorFlow's `VALID`.
    fn valid(self) -> u64 {
        (self.n + 1).saturating_sub(self.span()).div_ceil(self.s)
    }
}

type Row = ([u64; 4], [Option<u64>; 4], (u64, u64, u64), (u64, u64));

/// Layers with the number of windows when they fit exactly, with `floor`, with `floor` and half a window in front, with
/// `ceil`; with `same` and the cells before and after; and those of `same_lower`.
const TABLE: [Row; 13] = [
    (
        [28, 5, 1, 1],
        [Some(24), Some(24), Some(28), Some(24)],
        (28, 2, 2),
        (2, 2),
    ),
    (
        [5, 2, 1, 1],
        [Some(4), Some(4), Some(4), Some(4)],
        (5, 0, 1),
        (1, 0),
    ),
    (
        [5, 4, 1, 1],
        [Some(2), Some(2), Some(4), Some(2)],
        (5, 1, 2),
        (2, 1),
    ),
    (
        [7, 3, 2, 1],
        [Some(3), Some(3), Some(4), Some(3)],
        (4, 1, 1),
        (1, 1),
    ),
    (
        [8, 3, 2, 1],
        [None, Some(3), Some(4), Some(4)],
        (4, 0, 1),
        (1, 0),
    ),
    (
        [6, 3, 2, 1],
        [None, Some(2), Some(3), Some(3)],
        (3, 0, 1),
        (1, 0),
    ),
    (
        [7, 2, 2, 1],
        [None, Some(3), Some(3), Some(4)],
        (4, 0, 1),
        (1, 0),
    ),
    (
        [6, 2, 2, 1],
        [Some(3), Some(3), Some(3), Some(3)],
        (3, 0, 0),
        (0, 0),
    ),
    (
        [7, 3, 1, 2],
        [Some(3), Some(3), Some(7), Some(3)],
        (7, 2, 2),
        (2, 2),
    ),
    ([4, 3, 1, 2], [None, None, Some(4), None], (4, 2, 2), (2, 2)),
    ([2, 3, 1, 1], [None, None, Some(2), None], (2, 1, 1), (1, 1)),
    (
        [2, 3, 2, 1],
        [None, None, Some(1), Some(1)],
        (1, 0, 1),
        (1, 0),
    ),
    (
        [6, 1, 3, 1],
        [None, Some(2), Some(2), Some(2)],
        (2, 0, 0),
        (0, 0),
    ),
];

#[test]
fn programs_have_the_windows_that_other_systems_have() {
    for ([n, k, s, d], [exact, floor, halved, ceil], same, lower) in TABLE {
        let layer = Layer { n, k, s, d };
        let windows = |found: Option<(u64, u64, u64)>| found.map(|(windows, ..)| windows);
        assert_eq!(windows(layer.ours("exact", 0)), exact, "{layer:?}");
        assert_eq!(windows(layer.ours("floor", 0)), floor, "{layer:?}");
        assert_eq!(
            windows(layer.ours("floor", layer.half())),
            halved,
            "{layer:?}"
        );
        assert_eq!(windows(layer.ours("ceil", 0)), ceil, "{layer:?}");
        assert_eq!(layer.ours("same", 0), Some(same), "{layer:?}");
        let expected = Some((same.0, lower.0, lower.1));
        assert_eq!(layer.ours("same_lower", 0), expected, "{layer:?}");

        assert_eq!(layer.pytorch(0, false), floor, "{layer:?}");
        assert_eq!(layer.pytorch(layer.half(), false), halved, "{layer:?}");
        assert_eq!(layer.same(), same, "{layer:?}");
        assert_eq!(layer.valid(), floor.unwrap_or(0), "{layer:?}");
        assert_eq!(layer.pytorch(0, true), ceil, "{layer:?}");
        if let Some(blocks) = layer.einops() {
            assert_eq!(blocks, exact, "{layer:?}");
        }
    }
}

const HEADING: &str = "\
<!-- @generated by lozenge/tests/it/windows.rs -->

# Windows of other systems

How many windows of K taps lie on an axis of N cells, by programs of lozenge and by the formulas of others. `lozenge/tests/it/windows.rs` infers
each program, compares it with the formulas, here and on all layers with N up to 24, K up to 5, stride up to 4 and dilation up to 3, and writes
this page (`LOZENGE_WRITE=1`). The window is `s*o + d*k:K` with stride s and dilation d, and p is ⌊d(K - 1)/2⌋, half of what a window reaches. A dash says that the
layer is refused. Of `same` the cells before and after the axis are shown too.

- PyTorch without padding is `floor(...)`, with padding p `floor(..., p)`; with `ceil_mode` it is `ceil(...)`, as long as the padding is at most half of
  the window, which PyTorch demands.
- TensorFlow's `SAME` and ONNX's `SAME_UPPER` are `same(...)`, ONNX's `SAME_LOWER` is `same_lower(...)`. TensorFlow's `VALID` is `floor(...)`, and gives 0 where no window fits;
  a size of 0 is refused here.
- einops splits an axis into blocks: K is the stride, and no cell is left over. That is the exact window.
- Padded cells do not exist here: a largest over windows never takes a 0 from the margin, and no infinity is multiplied by one.

| N | K | s | d | exact | einops | `floor` | PyTorch | `VALID` | `floor`, p | PyTorch, p | `ceil` | PyTorch, `ceil_mode` | `same` | `SAME` | `same_lower` | `SAME_LOWER` |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
";

/// Returns the page: what programs infer, and beside it what the formulas of the others give.
fn page() -> String {
    let number = |windows: Option<u64>| windows.map_or("–".into(), |windows| windows.to_string());
    let placed = |(windows, before, after): (u64, u64, u64)| format!("{windows}, {before}/{after}");
    let mut page = HEADING.to_string();
    for ([n, k, s, d], ..) in TABLE {
        let layer = Layer { n, k, s, d };
        let half = layer.half();
        let ours = |mode: &str, margin: u64| layer.ours(mode, margin);
        let windows = |mode: &str, margin: u64| number(ours(mode, margin).map(|found| found.0));
        let all = |mode: &str| ours(mode, 0).map_or("–".into(), placed);
        let (count, less, more) = layer.same();
        let cells = [
            windows("exact", 0),
            layer.einops().map_or(String::new(), number),
            windows("floor", 0),
            number(layer.pytorch(0, false)),
            layer.valid().to_string(),
            windows("floor", half),
            number(layer.pytorch(half, false)),
            windows("ceil", 0),
            number(layer.pytorch(0, true)),
            all("same"),
            placed((count, less, more)),
            all("same_lower"),
            placed((count, more, less)),
        ];
        let _ = writeln!(page, "| {n} | {k} | {s} | {d} | {} |", cells.join(" | "));
    }
    page
}

/// `LOZENGE_WRITE=1` writes the page anew.
#[test]
fn the_page_about_windows_is_what_programs_and_formulas_give() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/windows.md");
    let page = page();
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        std::fs::write(&path, &page).expect("the page is written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(written, page, "run this test with LOZENGE_WRITE=1");
}

/// The relation against the formulas, for every small layer. PyTorch pads by at most half a window.
#[test]
fn the_relation_is_the_formulas_of_other_systems() {
    let mut compared = 0;
    for word in 0..24 * 5 * 4 * 3 {
        let layer = Layer {
            n: 1 + word % 24,
            k: 1 + word / 24 % 5,
            s: 1 + word / 120 % 4,
            d: 1 + word / 480,
        };
        assert_eq!(
            layer.fitting(Mode::Same, 0),
            Some(layer.same().0),
            "{layer:?}"
        );
        for padding in 0..=layer.span() / 2 {
            let floor = layer.pytorch(padding, false);
            assert_eq!(
                layer.fitting(Mode::Floor, padding),
                floor,
                "{layer:?} {padding}"
            );
            if padding <= layer.k / 2 {
                let ceil = layer.pytorch(padding, true);
                let ours = layer.fitting(Mode::Ceil, padding);
                assert_eq!(ours, ceil, "{layer:?} {padding}");
            }
            let room = (layer.n + 2 * padding).checked_sub(layer.span());
            let exact = room.filter(|room| room.is_multiple_of(layer.s));
            let exact = exact.map(|room| room / layer.s + 1);
            assert_eq!(
                layer.fitting(Mode::Exact, padding),
                exact,
                "{layer:?} {padding}"
            );
            compared += 1;
        }
    }
    assert!(compared > 4000, "{compared}");
}
