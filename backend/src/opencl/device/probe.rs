//! Probes of the peak performance of a device: chains of multiply-adds in registers, and a copy of memory. Other
//! figures are compared with these, measured in the same minute.

use ocl::{Buffer, Kernel, Program};

use super::discovery::failure;
use super::engine::OpenCl;
use super::foreign;
use crate::error::Error;
use crate::opencl::plan::schedule::Profile;

/// A kernel whose speed is an upper bound for others.
pub struct Probe {
    kernel: Kernel,
    amount: f64,
}

/// The quantity that a [`Probe`] measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ceiling {
    /// The floating-point operations, a multiply-add counted as two, in `f32`.
    MultiplyAdd,
    /// Bytes, read and written, in a copy of a tensor of this size.
    Copy(u64),
    /// Launches of a kernel that copies one number, by the driver alone.
    Launch,
}

/// A probe: the text that is compiled, and the way in which it is launched.
struct Shape {
    text: String,
    items: u64,
    group: u64,
    /// The number of values of each of its two buffers.
    values: u64,
    /// The number of operations or bytes of a run.
    amount: f64,
}

/// The form of chains of multiply-adds for a kind of device.
struct Chains {
    /// The type of a chain's values.
    values: &'static str,
    /// The number of lanes of that type.
    lanes: u64,
    /// The number that a work-item stores of the sum of its chains.
    stored: &'static str,
    /// The number of independent chains, which hide the latency of a multiply-add.
    chains: u64,
    /// The number of multiply-adds that each chain does in one iteration of the loop.
    unrolled: u64,
    turns: u64,
    items: u64,
    group: u64,
}

impl Chains {
    /// The chains on a processor, where a work-item is a thread, which fills the vector registers of its core.
    const CPU: Chains = Chains {
        values: "float16",
        lanes: 16,
        stored: "sum.s0 + sum.s7 + sum.sf",
        chains: 12,
        unrolled: 1,
        turns: 20_000,
        items: 32,
        group: 1,
    };

    /// Returns the chains for other devices, where a work-item is a lane, and a compute unit needs many of them to hide
    /// latencies.
    fn parallel(units: u64) -> Chains {
        Chains {
            values: "float",
            lanes: 1,
            stored: "sum",
            chains: 8,
            unrolled: 8,
            turns: 4096,
            items: units * 2048,
            group: 256,
        }
    }

    fn shape(&self) -> Shape {
        let Chains {
            values,
            stored,
            chains,
            unrolled,
            turns,
            items,
            group,
            ..
        } = self;
        let all = |line: &dyn Fn(u64) -> String| (0..*chains).map(line).collect::<String>();
        let start = all(&|c| format!("{values} t{c} = ({values})(x + {c});\n"));
        let step = all(&|c| format!("t{c} = fma(t{c}, y, z);\n")).repeat(*unrolled as usize);
        let sum: Vec<String> = (0..*chains).map(|c| format!("t{c}")).collect();
        let body = format!(
            "const float x = from[get_global_id(0)];\n\
             const {values} y = ({values})(from[0]), z = ({values})(from[1]);\n{start}\
             for (uint k = 0; k < {turns}; ++k) {{\n{step}}}\n\
             const {values} sum = {};\nto[get_global_id(0)] = {stored};\n",
            sum.join(" + ")
        );
        Shape {
            text: text(*group, &body),
            items: *items,
            group: *group,
            values: *items,
            amount: (items * turns * unrolled * chains * 2 * self.lanes) as f64,
        }
    }
}

/// Writes the text of a probe with this body.
fn text(group: u64, body: &str) -> String {
    format!(
        "__kernel __attribute__((reqd_work_group_size({group}, 1, 1))) void probe(__global float *to, __global const float *from) {{\n{body}}}\n"
    )
}

/// Makes a probe that copies `bytes`, and whose work-items move `lanes` numbers each.
fn copy(bytes: u64, lanes: u64, group: u64, body: &str) -> Shape {
    let values = bytes / 4;
    let items = values / lanes / group * group;
    Shape {
        text: text(group, body),
        items,
        group,
        values,
        amount: (2 * 4 * lanes * items) as f64,
    }
}

impl Shape {
    /// Makes the shape of a probe on a kind of device with so many compute units.
    fn new(ceiling: Ceiling, profile: Profile, units: u64) -> Shape {
        match (ceiling, profile) {
            (Ceiling::MultiplyAdd, Profile::Cpu) => Chains::CPU.shape(),
            (Ceiling::MultiplyAdd, Profile::Parallel) => Chains::parallel(units).shape(),
            (Ceiling::Copy(bytes), Profile::Cpu) => copy(
                bytes,
                16,
                64,
                "vstore16(vload16(get_global_id(0), from), get_global_id(0), to);\n",
            ),
            // Buffers are aligned for every type, and a vector that is addressed as one is moved by one instruction.
            (Ceiling::Copy(bytes), Profile::Parallel) => copy(
                bytes,
                4,
                256,
                "((__global float4 *)to)[get_global_id(0)] = ((__global const float4 *)from)[get_global_id(0)];\n",
            ),
            (Ceiling::Launch, _) => Shape {
                text: text(1, "to[0] = from[0];\n"),
                items: 1,
                group: 1,
                values: 1,
                amount: 1.0,
            },
        }
    }
}

impl Probe {
    /// Prepares a measurement on a device.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if the device fails.
    pub fn new(device: &OpenCl, ceiling: Ceiling) -> Result<Probe, Error> {
        let profile = device.planning().profile;
        Probe::of(device, &Shape::new(ceiling, profile, device.units()))
    }

    fn of(device: &OpenCl, shape: &Shape) -> Result<Probe, Error> {
        let program = Program::builder()
            .devices(device.queue().device())
            .src(&shape.text)
            .build(device.context())
            .map_err(|error| failure("compile a probe", error))?;
        let buffer = || -> Result<Buffer<f32>, Error> {
            let made = Buffer::builder()
                .queue(device.queue().clone())
                .len(shape.values as usize)
                .fill_val(0.5f32)
                .build();
            made.map_err(|error| failure("make room for a probe", error))
        };
        let kernel = Kernel::builder()
            .program(&program)
            .name("probe")
            .queue(device.queue().clone())
            .global_work_size(shape.items as usize)
            .local_work_size(shape.group as usize)
            .arg(&buffer()?)
            .arg(&buffer()?)
            .build()
            .map_err(|error| failure("set a probe's arguments", error))?;
        let probe = Probe {
            kernel,
            amount: shape.amount,
        };
        probe.run()?;
        Ok(probe)
    }

    /// Returns the number of operations or bytes of a run.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Limits;

    #[test]
    fn what_is_counted_is_what_the_text_computes() {
        for (profile, lanes) in [(Profile::Cpu, 16.0), (Profile::Parallel, 1.0)] {
            let chains = Shape::new(Ceiling::MultiplyAdd, profile, 3);
            let steps = chains.text.matches("fma(").count() as f64;
            let (_, turns) = chains.text.split_once("k < ").expect("a loop");
            let turns: f64 = turns
                .split(';')
                .next()
                .expect("a bound")
                .parse()
                .expect("a number");
            assert_eq!(
                chains.amount,
                2.0 * lanes * steps * turns * chains.items as f64
            );
            let copy = Shape::new(Ceiling::Copy(1 << 20), profile, 3);
            assert_eq!(copy.amount, 2.0 * f64::from(1 << 20));
            for shape in [chains, copy] {
                assert_eq!(shape.items % shape.group, 0);
                assert!(shape.values >= shape.items);
            }
        }
    }

    #[test]
    fn the_probes_of_every_kind_of_device_run() {
        let Ok(device) = OpenCl::open(Limits::default()) else {
            assert!(std::env::var_os("LOZENGE_REQUIRE_OPENCL").is_none());
            return;
        };
        for profile in [Profile::Cpu, Profile::Parallel] {
            let chains = match profile {
                Profile::Cpu => Chains::CPU,
                Profile::Parallel => Chains::parallel(1),
            };
            let shapes = [
                Chains { turns: 8, ..chains }.shape(),
                Shape::new(Ceiling::Copy(1 << 16), profile, 1),
                Shape::new(Ceiling::Launch, profile, 1),
            ];
            for shape in shapes {
                let probe = Probe::of(&device, &shape).expect("it runs");
                probe.run_often(2).expect("it runs again");
            }
        }
    }
}
