//! The table of all families. `cargo bench -p lozenge [-- FAMILY…]`; `LOZENGE_LARGEST` sets the largest size.

use lozenge_solver::bench::{FAMILIES, Family, Report, adding, reading, report};

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let largest = std::env::var("LOZENGE_LARGEST")
        .ok()
        .and_then(|size| size.parse().ok())
        .unwrap_or(1_000_000);
    let sizes: Vec<usize> = (2..=9)
        .map(|power| 10usize.pow(power))
        .filter(|size| *size <= largest)
        .collect();
    println!(
        "{:<18} {:>9} {:>12} {:>12} {:>9} {:>8} {:>9} {:>8} {:>8} {:>9}",
        "family",
        "n",
        "seconds",
        "first",
        "ns each",
        "M/s",
        "bytes",
        "x read",
        "x terms",
        "exponent"
    );
    for family in FAMILIES {
        if wanted.is_empty() || wanted.iter().any(|name| name == family.name) {
            print_report(&report(family, &sizes, 3));
        }
    }
    if wanted.is_empty() {
        print_reading_and_adding(largest);
    }
}

fn print_report(report: &Report) {
    let last = report.measurements.len() - 1;
    for (at, m) in report.measurements.iter().enumerate() {
        let exponent = match report.exponent {
            Some(exponent) if at == last => format!("{exponent:.3}"),
            _ => String::new(),
        };
        println!(
            "{:<18} {:>9} {:>12.6} {:>12.6} {:>9.1} {:>8.2} {:>9.1} {:>8.1} {:>8.1} {:>9}{}",
            report.family,
            m.constraints,
            m.seconds,
            m.first_seconds,
            m.nanoseconds_each,
            m.millions_per_second,
            m.bytes_each,
            m.read_ratio,
            m.vocabulary_ratio,
            exponent,
            if m.solved { "" } else { "  refused" }
        );
    }
}

fn print_reading_and_adding(largest: usize) {
    for name in ["rows-down", "matmuls", "transformer", "deficits"] {
        let text = family(name, largest).to_set().to_string();
        println!(
            "reading {name}: {:.0} MB/s of {} MB",
            reading(&text, 5),
            text.len() / 1_000_000
        );
    }
    let seconds = adding(&family("matmuls", largest), 100_000);
    println!(
        "adding one matmul to {largest} constraints: {:.2} us",
        seconds * 1e6
    );
}

fn family(name: &str, size: usize) -> lozenge_solver::Problem {
    let family: &Family = FAMILIES.iter().find(|f| f.name == name).expect("a family");
    (family.build)(size)
}
