//! Figures that Figs. 7 to 10 of the paper print, and times of its tool on a machine of the class on which ours was
//! measured (PyTorch 2.3.1 with Z3 5.4).

/// A row of Fig. 7.
pub(super) struct PrintedBenchmark {
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    pub(super) nodes: usize,
    pub(super) flatten: usize,
    pub(super) reshape: usize,
}

/// One of the two questions of a row of Fig. 8.
pub(super) struct PrintedMigration {
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    pub(super) conditions: &'static str,
    pub(super) answer: &'static str,
    pub(super) seconds: f64,
    pub(super) other_seconds: Option<f64>,
}

/// A row of Fig. 9 or Fig. 10.
pub(super) struct PrintedBranches {
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    pub(super) figure: u8,
    /// All branches, those that remain without constraints where that is printed, those that remain with them.
    pub(super) printed: (usize, Option<usize>, usize),
    pub(super) seconds: f64,
    pub(super) conditions: &'static str,
    /// The name of the constraints in the recorded answers of the other tool.
    pub(super) recorded: &'static str,
}

/// Fig. 7. The lines of code that it prints are the nodes of a graph; XGLM has one layer.
pub(super) const BENCHMARKS: [PrintedBenchmark; 14] = [
    benchmark(("BmmExample", "BmmExample"), 4, 0, 0),
    benchmark(("ConvExample", "ConvExample"), 6, 0, 0),
    benchmark(("AlexNet", "AlexNet"), 24, 1, 0),
    benchmark(("ResNet50", "ResNet50"), 177, 1, 0),
    benchmark(("Electra", "Electra"), 525, 0, 48),
    benchmark(("Roberta", "Roberta"), 533, 0, 48),
    benchmark(("MobileBert", "MobileBert"), 2103, 0, 96),
    benchmark(("Bert", "Bert"), 528, 0, 48),
    benchmark(("MegatronBert", "MegatronBert"), 1018, 0, 96),
    benchmark(("XGLM", "XGLM-1layer"), 104, 0, 14),
    benchmark(("Marian", "Marian"), 1733, 0, 315),
    benchmark(("MarianMT", "MarianMT"), 1735, 0, 315),
    benchmark(("M2M100", "M2M100"), 1762, 0, 319),
    benchmark(("BlenderBot", "BlenderBot"), 2380, 0, 451),
];

const fn benchmark(
    (name, file): (&'static str, &'static str),
    nodes: usize,
    flatten: usize,
    reshape: usize,
) -> PrintedBenchmark {
    PrintedBenchmark {
        name,
        file,
        nodes,
        flatten,
        reshape,
    }
}

/// The constraints of §2 on the repaired `ConvExample`. Those on the two networks are not printed: these say that there
/// are more than five images, and bound their height.
const REPAIRED: &str = "x[0] > 5, x[0] < 20, x[2] > 5, x[2] < 20, x[3] > 2, x[3] < 10";
const IMAGES: &str = "x.rank = 4, x[0] > 5, x[2] > 100, x[2] < 300";

/// Fig. 8.
pub(super) const MIGRATIONS: [PrintedMigration; 8] = [
    migration(("BmmExample", "BmmExample"), "", "no", (0.03, None)),
    migration(("BmmExample", "BmmExample"), "x[1] > 2", "no", (0.03, None)),
    migration(("ConvExample", "ConvExample"), "", "no", (0.05, None)),
    migration(
        ("ConvExample", "ConvExampleFixed"),
        REPAIRED,
        "yes",
        (0.08, None),
    ),
    migration(("AlexNet", "AlexNet"), "", "yes", (2.0, Some(0.15))),
    migration(("AlexNet", "AlexNet"), IMAGES, "yes", (2.0, Some(0.17))),
    migration(("ResNet50", "ResNet50"), "", "yes", (5.0, Some(6.1))),
    migration(("ResNet50", "ResNet50"), IMAGES, "yes", (347.0, Some(4.0))),
];

const fn migration(
    (name, file): (&'static str, &'static str),
    conditions: &'static str,
    answer: &'static str,
    (seconds, other_seconds): (f64, Option<f64>),
) -> PrintedMigration {
    PrintedMigration {
        name,
        file,
        conditions,
        answer,
        seconds,
        other_seconds,
    }
}

/// Constraints that are printed as `Tensor(x, y)`.
const TWO: &str = "input_ids.rank = 2";
const RANGE: &str = "input_ids.rank = 2, input_ids[0] > 0, input_ids[1] > 1, input_ids[1] < 2000";
/// The conditions of Fig. 10, which are not printed. They are ranges and ranks, as the text says.
const BOTH: &str = "input_ids.rank = 2, decoder_input_ids.rank = 2, input_ids[0] > 0, \
                    input_ids[1] > 1, input_ids[1] < 100, decoder_input_ids[0] = input_ids[0], \
                    decoder_input_ids[1] > 1, decoder_input_ids[1] < 100";

/// Figs. 9 and 10.
pub(super) const BRANCHES: [PrintedBranches; 11] = [
    branches(
        ("Electra", "Electra"),
        9,
        (3, Some(3), 0),
        1.0,
        (TWO, "rank2"),
    ),
    branches(
        ("Roberta", "Roberta"),
        9,
        (3, Some(0), 0),
        3.0,
        ("", "none"),
    ),
    branches(
        ("MobileBert", "MobileBert"),
        9,
        (3, Some(3), 0),
        1.0,
        (TWO, "rank2"),
    ),
    branches(("Bert", "Bert"), 9, (3, Some(0), 0), 3.0, ("", "none")),
    branches(
        ("MegatronBert", "MegatronBert"),
        9,
        (3, Some(0), 0),
        5.0,
        ("", "none"),
    ),
    branches(
        ("XGLM", "XGLM-1layer"),
        9,
        (5, Some(4), 0),
        22.0,
        (RANGE, "range"),
    ),
    branches(
        ("XGLM", "XGLM-1layer"),
        10,
        (5, None, 0),
        45.0,
        (RANGE, "range"),
    ),
    branches(("Marian", "Marian"), 10, (44, None, 26), 70.0, (BOTH, "")),
    branches(
        ("MarianMT", "MarianMT"),
        10,
        (44, None, 26),
        75.0,
        (BOTH, ""),
    ),
    branches(("M2M100", "M2M100"), 10, (47, None, 22), 130.0, (BOTH, "")),
    branches(
        ("BlenderBot", "BlenderBot"),
        10,
        (35, None, 19),
        40.0,
        (BOTH, ""),
    ),
];

const fn branches(
    (name, file): (&'static str, &'static str),
    figure: u8,
    printed: (usize, Option<usize>, usize),
    seconds: f64,
    (conditions, recorded): (&'static str, &'static str),
) -> PrintedBranches {
    PrintedBranches {
        name,
        file,
        figure,
        printed,
        seconds,
        conditions,
        recorded,
    }
}
