//! Measures the peak performance of a device: chains of multiply-adds in registers, and a copy of memory. Other figures are
//! compared with these, measured in the same minute.

use ocl::{Buffer, Kernel, Program};

use super::discovery::failure;
use super::engine::OpenCl;
use super::foreign;
use crate::error::Error;

/// A kernel whose speed is an upper bound for others.
pub struct Probe {
    kernel: Kernel,
    amount: f64,
}

/// The quantity that a [`Probe`] measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ceiling {
    /// Floating-point operations, a multiply-add counted as two, in `f32`.
    MultiplyAdd,
    /// Bytes, read and written, in a copy of a tensor of this size.
    Copy(u64),
    /// Launches of a kernel that copies one number, by the driver alone.
    Launch,
}

/// The number of independent chains, which hide the latency of a multiply-add.
const CHAINS: u64 = 12;
const STEPS: u64 = 20_000;
const ITEMS: u64 = 32;

impl Probe {
    /// Prepares a measurement on a device.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if the device fails.
    pub fn new(device: &OpenCl, ceiling: Ceiling) -> Result<Probe, Error> {
        let (text, items, group, values, amount) = match ceiling {
            Ceiling::MultiplyAdd => {
                let chains: Vec<u64> = (0..CHAINS).collect();
                let all = |line: &dyn Fn(u64) -> String| -> String {
                    chains.iter().map(|chain| line(*chain)).collect()
                };
                let start = all(&|c| format!("float16 t{c} = (float16)(x + {c});\n"));
                let step = all(&|c| format!("t{c} = fma(t{c}, y, z);\n"));
                let sum: Vec<String> = chains.iter().map(|c| format!("t{c}")).collect();
                let text = format!(
                    "__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void probe(__global float *to, __global const float *from) {{\n\
                     const float x = from[get_global_id(0)];\n\
                     const float16 y = (float16)(from[0]), z = (float16)(from[1]);\n{start}\
                     for (uint k = 0; k < {STEPS}; ++k) {{\n{step}}}\n\
                     const float16 sum = {};\nto[get_global_id(0)] = sum.s0 + sum.s7 + sum.sf;\n}}\n",
                    sum.join(" + ")
                );
                let amount = (ITEMS * STEPS * CHAINS * 32) as f64;
                (text, ITEMS, 1, ITEMS, amount)
            }
            Ceiling::Copy(bytes) => {
                let values = bytes / 4;
                let text = "__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void probe(__global float *to, __global const float *from) {\n\
                            vstore16(vload16(get_global_id(0), from), get_global_id(0), to);\n}\n";
                let items = values / 16 / 64 * 64;
                (text.to_string(), items, 64, values, (2 * 64 * items) as f64)
            }
            Ceiling::Launch => {
                let text = "__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void probe(__global float *to, __global const float *from) {\n\
                            to[0] = from[0];\n}\n";
                (text.to_string(), 1, 1, 1, 1.0)
            }
        };
        let program = Program::builder()
            .devices(device.queue().device())
            .src(text)
            .build(device.context())
            .map_err(|error| failure("compile a probe", error))?;
        let buffer = || -> Result<Buffer<f32>, Error> {
            let made = Buffer::builder()
                .queue(device.queue().clone())
                .len(values as usize)
                .fill_val(0.5f32)
                .build();
            made.map_err(|error| failure("make room for a probe", error))
        };
        let kernel = Kernel::builder()
            .program(&program)
            .name("probe")
            .queue(device.queue().clone())
            .global_work_size(items as usize)
            .local_work_size(group)
            .arg(&buffer()?)
            .arg(&buffer()?)
            .build()
            .map_err(|error| failure("set a probe's arguments", error))?;
        let probe = Probe { kernel, amount };
        probe.run()?;
        Ok(probe)
    }

    /// The number of operations or bytes of a run.
    pub fn amount(&self) -> f64 {
        self.amount
    }

    /// Runs it once, and waits.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if the device fails.
    pub fn run(&self) -> Result<(), Error> {
        self.run_often(1)
    }

    /// Runs it so many times one after the other, and waits at the end.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if the device fails.
    pub fn run_often(&self, times: usize) -> Result<(), Error> {
        for _ in 0..times {
            foreign::enqueue(&self.kernel).map_err(|error| failure("run a probe", error))?;
        }
        let queue = self.kernel.default_queue();
        let finished = queue.map_or(Ok(()), |queue| queue.finish());
        finished.map_err(|error| failure("finish the queue", error))
    }
}
