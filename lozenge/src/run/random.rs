//! Counter-based random values: the value of a cell is a function of only a key and the cell's number.

use lozenge_vocabulary::counting::bits;

/// Returns a number in [0, 1) with 24 bits, which `f32` holds exactly.
fn uniform(key: u64, at: u64) -> f64 {
    (bits(key, at) >> 40) as f64 / (1u64 << 24) as f64
}

/// Returns the key of random values in a run with a seed, at an epoch and a step. The seed 0 does not change the key.
pub(crate) fn key(key: u64, seed: u64, moment: Option<(u64, u64)>) -> u64 {
    let key = match seed {
        0 => key,
        seed => bits(key, seed),
    };
    match moment {
        None => key,
        Some((epoch, step)) => bits(bits(key, epoch), step),
    }
}

/// Returns the key of the order of the rows in an epoch of a section.
pub(crate) fn order_key(seed: u64, section: u64, epoch: u64) -> u64 {
    bits(bits(seed, section), epoch)
}

/// Draws this many values: normally distributed by the Box-Muller method, or uniform in [0, 1).
pub(crate) fn values(normal: bool, key: u64, count: usize) -> Vec<f32> {
    let key = bits(key, 0);
    let value = |at: u64| match normal {
        false => uniform(key, at),
        true => {
            // 1 minus a number below 1 is above 0, so the logarithm exists.
            let radius = (-2.0 * (1.0 - uniform(key, 2 * at)).ln()).sqrt();
            radius * (std::f64::consts::TAU * uniform(key, 2 * at + 1)).cos()
        }
    };
    (0..count as u64).map(|at| value(at) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::values;

    #[test]
    fn the_values_have_the_moments_of_their_distributions() {
        const N: usize = 100_000;
        let moments = |values: &[f32]| {
            let mean = values.iter().map(|v| f64::from(*v)).sum::<f64>() / N as f64;
            let square = |v: &f32| (f64::from(*v) - mean).powi(2);
            (mean, values.iter().map(square).sum::<f64>() / N as f64)
        };
        let (mean, variance) = moments(&values(true, 7, N));
        assert!(
            mean.abs() < 0.02 && (variance - 1.0).abs() < 0.02,
            "{mean} {variance}"
        );
        let uniform = values(false, 7, N);
        assert!(uniform.iter().all(|v| (0.0..1.0).contains(v)));
        let (mean, variance) = moments(&uniform);
        assert!((mean - 0.5).abs() < 0.01 && (variance - 1.0 / 12.0).abs() < 0.01);
        assert_eq!(
            values(true, 7, 5),
            values(true, 7, 9)[..5],
            "a cell does not depend on how many there are"
        );
        assert_ne!(values(true, 7, 5), values(true, 8, 5));
    }
}
