use super::random::{Size, random_set};
use crate::{Oracle, Satisfiability};
use lozenge_spec::Order;
use std::time::Instant;

#[test]
#[ignore]
fn quick_speed() {
    for order in [Order::Marked, Order::OneShot] {
        let oracle = Oracle::new(order);
        let mut times = vec![];
        let (mut sat, mut unsat, mut unknown) = (0, 0, 0);
        for seed in 0..3000u64 {
            let set = random_set(seed * 7919, Size::SMALL);
            let t = Instant::now();
            let r = oracle.sat(&set);
            if let Ok(Some(f)) = oracle.forced(&set) {
                if !f.undetermined.is_empty() {
                    println!("{:?}\n{set}", f.undetermined)
                }
            }
            let _ = oracle.core(&set);
            times.push(t.elapsed());
            match r {
                Satisfiability::Sat(_) => sat += 1,
                Satisfiability::Unsat => unsat += 1,
                Satisfiability::Unknown(why) => {
                    unknown += 1;
                    println!("{why}\n{set}");
                }
            }
        }
        let total: std::time::Duration = times.iter().sum();
        times.sort();
        println!(
            "sat {sat} unsat {unsat} unknown {unknown} median {:?} p99 {:?} max {:?} total {:?} rate {}",
            times[1500],
            times[2970],
            times[2999],
            total,
            3000.0 / total.as_secs_f64()
        );
    }
}
