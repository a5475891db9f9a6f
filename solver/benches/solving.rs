//! The table of all families. `cargo bench -p lozenge [-- FAMILY…]`; `LOZENGE_LARGEST` sets the largest size.

use lozenge::bench::{FAMILIES, report};

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
        "{:<18} {:>9} {:>12} {:>9} {:>8} {:>9} {:>8} {:>9}",
        "family", "n", "seconds", "ns each", "M/s", "bytes", "x read", "exponent"
    );
    for family in FAMILIES {
        if !wanted.is_empty() && !wanted.iter().any(|w| w == family.name) {
            continue;
        }
        let report = report(family, &sizes, 3);
        let last = report.measurements.len() - 1;
        for (at, m) in report.measurements.iter().enumerate() {
            let exponent = match report.exponent {
                Some(exponent) if at == last => format!("{exponent:.3}"),
                _ => String::new(),
            };
            println!(
                "{:<18} {:>9} {:>12.6} {:>9.1} {:>8.2} {:>9.1} {:>8.1} {:>9}{}",
                report.family,
                m.constraints,
                m.seconds,
                m.nanoseconds_each,
                m.millions_per_second,
                m.bytes_each,
                m.read_ratio,
                exponent,
                if m.solved { "" } else { "  refused" }
            );
        }
    }
}
