//! Operations that are recorded together, and what they leave when they run one by one.

use std::collections::BTreeSet;

use lozenge_backend::opencl::{Planner, Profile};
use lozenge_backend::{
    Arithmetic, BufferId, Call, Device, Limits, LoopNest, Numerics, Purpose, Symbols, Tensor,
};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::Index::Iter;
use lozenge_vocabulary::projections::{IndexMap, Projections};

/// Operations on tensors, each with the tensors of its slots as letters of a space of sizes.
pub struct Program {
    /// The size of each letter.
    pub sizes: Vec<(char, u64)>,
    /// The letters of each tensor.
    pub tensors: Vec<&'static str>,
    /// The tensors of the slots of each call, how it writes, and its function.
    pub calls: Vec<(Vec<usize>, &'static str, Function)>,
    /// The tensors that are not needed afterwards.
    pub temporary: Vec<usize>,
    /// Tensors that are other ones with their axes in another order.
    pub same: Vec<(usize, usize)>,
}

/// A call as a test writes it: the tensors of its slots, how it writes, and its function.
pub type Written<'c> = (&'c [usize], &'static str, Function);

/// Makes the calls of a program.
pub fn calls(written: &[Written<'_>]) -> Vec<(Vec<usize>, &'static str, Function)> {
    let each = written.iter();
    let each = each.map(|(slots, writes, function)| (slots.to_vec(), *writes, function.clone()));
    each.collect()
}

impl Program {
    pub fn size(&self, letter: char) -> u64 {
        self.sizes.iter().find(|(one, _)| *one == letter).unwrap().1
    }

    pub fn shape(&self, tensor: usize) -> Vec<u64> {
        self.tensors[tensor]
            .chars()
            .map(|one| self.size(one))
            .collect()
    }

    pub fn nest(&self, (slots, writes, function): &(Vec<usize>, &str, Function)) -> LoopNest {
        let used: BTreeSet<char> = slots
            .iter()
            .flat_map(|slot| self.tensors[*slot].chars())
            .collect();
        let used: Vec<char> = used.into_iter().collect();
        let factor = |letter: char| Iter(used.iter().position(|one| *one == letter).unwrap());
        let projections = Projections {
            factors: used.iter().map(|letter| self.size(*letter)).collect(),
            maps: slots
                .iter()
                .map(|slot| IndexMap(self.tensors[*slot].chars().map(factor).collect()))
                .collect(),
            sizes: slots.iter().map(|slot| self.shape(*slot)).collect(),
        };
        let combine = match writes.trim_start_matches("=:").trim_start_matches('=') {
            "+" => Combine::Add,
            "-" => Combine::Subtract,
            "*" => Combine::Multiply,
            "max" => Combine::Max,
            _ => Combine::Replace,
        };
        let erase = writes.starts_with("=:");
        let names = ["z", "a", "b", "c", "d"];
        LoopNest::new(
            &projections,
            Accumulator { erase, combine },
            function.clone(),
            &names[..slots.len()],
        )
        .unwrap()
    }

    pub fn upload(&self, device: &mut dyn Device) -> (Vec<BufferId>, Vec<Call>) {
        let buffers = (0..self.tensors.len()).map(|tensor| {
            let shape = self.shape(tensor);
            let count = shape.iter().product::<u64>() as usize;
            let value = |at: usize| ((at * 37 + tensor * 11) % 89) as f32 / 32.0 - 1.37;
            device
                .upload(&Tensor::new(shape, (0..count).map(value).collect()).unwrap())
                .unwrap()
        });
        let mut buffers: Vec<BufferId> = buffers.collect();
        for (one, other) in &self.same {
            buffers[*one] = buffers[*other];
        }
        let calls = self.calls.iter().map(|call| Call {
            nest: self.nest(call),
            buffers: call.0.iter().map(|slot| buffers[*slot]).collect(),
        });
        let calls = calls.collect();
        (buffers, calls)
    }

    /// Returns the number of operations that each kernel computes, and its schedule.
    pub fn planned(&self, profile: Profile, arithmetic: Arithmetic) -> Vec<(usize, Vec<String>)> {
        let planner = Planner::new(Limits::default(), arithmetic).planned_for(profile);
        self.planned_by(planner)
    }

    /// Returns the same for a planner.
    pub fn planned_by(&self, mut planner: Planner) -> Vec<(usize, Vec<String>)> {
        let (buffers, calls) = self.upload(&mut planner);
        planner.record(calls, &self.purpose(&buffers)).unwrap();
        let plans = planner.plans().remove(0);
        plans
            .into_iter()
            .map(|one| (one.calls.len(), one.schedule))
            .collect()
    }

    pub fn purpose(&self, buffers: &[BufferId]) -> Purpose {
        Purpose {
            temporary: self
                .temporary
                .iter()
                .map(|tensor| buffers[*tensor])
                .collect(),
            ..Purpose::default()
        }
    }

    /// Runs the calls one by one or together, twice, and returns the tensors that remain.
    pub fn results(&self, device: &mut dyn Device, together: bool) -> Vec<Tensor> {
        let (buffers, calls) = self.upload(device);
        if together {
            let recording = device.record(calls, &self.purpose(&buffers)).unwrap();
            device.replay(recording, &Symbols::new()).unwrap();
            device.replay(recording, &Symbols::new()).unwrap();
            let kept = (0..buffers.len()).filter(|tensor| !self.temporary.contains(tensor));
            let kept = kept
                .map(|tensor| device.download(buffers[tensor]).unwrap())
                .collect();
            device.forget(recording).unwrap();
            return kept;
        }
        for _ in 0..2 {
            for call in &calls {
                device
                    .run(&call.nest, &call.buffers, &Symbols::new())
                    .unwrap();
            }
        }
        let kept = (0..buffers.len()).filter(|tensor| !self.temporary.contains(tensor));
        kept.map(|tensor| device.download(buffers[tensor]).unwrap())
            .collect()
    }

    /// Checks that calls together leave what they leave one by one.
    pub fn check(&self, device: &mut dyn Device, name: &str) {
        let expected = self.results(device, false);
        let found = self.results(device, true);
        for (number, (expected, found)) in expected.iter().zip(&found).enumerate() {
            let (x, y) = (expected.wide_values(), found.wide_values());
            let differ = x
                .iter()
                .zip(y.iter())
                .position(|(x, y)| x.to_bits() != y.to_bits());
            assert_eq!(differ, None, "{name}, tensor {number} of those that remain");
        }
    }
}

/// Lists the rules for rounding with which a test runs.
pub fn arithmetics() -> [Arithmetic; 2] {
    [Numerics::Exact.into(), Numerics::Fast.into()]
}
