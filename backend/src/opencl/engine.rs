//! The device that compiles kernels and runs them.

use std::collections::BTreeMap;

use ocl::core::{self, DeviceInfo as Key, DeviceInfoResult as Answer, DeviceType};
use ocl::{Buffer, Context, Program, Queue};

use crate::call::{self, Symbols};
use crate::device::{Call, Device, Numerics, Purpose};
use crate::error::Error;
use crate::loop_nest::LoopNest;
use crate::memory::{BufferId, Limits, RecordingId, Store};
use crate::opencl::discovery::{DeviceInfo, devices, failure};
use crate::opencl::group::{Fused, Member, groups, verified};
use crate::opencl::recording::Launch;
use crate::opencl::source::{KernelSource, program};
use crate::opencl::{Argument, Profile};
use crate::shape::{check_length, element_count};
use crate::tensor::Tensor;

/// Runs loop nests as kernels on one OpenCL device. Tensors stay in its memory. Each kernel is compiled once, and the kernels of
/// loop nests that are prepared together are compiled as one program.
pub struct OpenCl {
    info: DeviceInfo,
    context: Context,
    queue: Queue,
    /// Whether divisions and square roots are rounded correctly.
    exact_division: bool,
    profile: Profile,
    numerics: Numerics,
    /// For the text and group size of each kernel, the program that has it and its name there.
    kernels: BTreeMap<(String, Option<u64>), (Program, String)>,
    /// The buffers between the kernels of a loop nest, each with the largest size needed so far.
    scratch: Vec<Buffer<f32>>,
    store: Store<Buffer<f32>>,
    recordings: BTreeMap<RecordingId, Vec<Launch>>,
    /// How many commands of replays were put into the queue since it was last empty.
    queued: usize,
}

/// How many commands of replays may wait in the queue, since each takes some memory of the driver.
const MOST_QUEUED: usize = 1 << 14;

impl OpenCl {
    /// The first device of the first platform that has one.
    ///
    /// # Errors
    /// [`Error::NoDevice`], with instructions what to install; [`Error::OpenCl`] if the device cannot be opened.
    pub fn open(limits: Limits) -> Result<OpenCl, Error> {
        OpenCl::on(devices()?.swap_remove(0), limits)
    }

    /// Opens a device of [`devices`]. If the device has less memory than the limit, that is the limit.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if the device cannot be opened.
    pub fn on(info: DeviceInfo, mut limits: Limits) -> Result<OpenCl, Error> {
        let (platform, device) = info.ids;
        let context = Context::builder()
            .platform(platform)
            .devices(device)
            .build()
            .map_err(|error| failure("open a context", error))?;
        let queue = Queue::new(&context, device, None)
            .map_err(|error| failure("open a command queue", error))?;
        if let Ok(Answer::GlobalMemSize(bytes)) = core::get_device_info(device, Key::GlobalMemSize)
        {
            limits.bytes = limits.bytes.min(bytes);
        }
        let exact_division = match core::get_device_info(device, Key::SingleFpConfig) {
            Ok(Answer::SingleFpConfig(config)) => {
                config.contains(core::DeviceFpConfig::CORRECTLY_ROUNDED_DIVIDE_SQRT)
            }
            _ => false,
        };
        let profile = match core::get_device_info(device, Key::Type) {
            Ok(Answer::Type(kind)) if kind.contains(DeviceType::CPU) => Profile::Cpu,
            _ => Profile::Parallel,
        };
        Ok(OpenCl {
            info,
            context,
            queue,
            exact_division,
            profile,
            numerics: Numerics::Exact,
            kernels: BTreeMap::new(),
            scratch: Vec::new(),
            store: Store::new(limits),
            recordings: BTreeMap::new(),
            queued: 0,
        })
    }

    /// The same device with these rules for rounding.
    pub fn rounding(mut self, numerics: Numerics) -> OpenCl {
        self.numerics = numerics;
        self
    }

    /// The queue of its commands.
    pub(super) fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The context of its programs and buffers.
    pub(super) fn context(&self) -> &Context {
        &self.context
    }

    /// Waits until all commands are done.
    ///
    /// # Errors
    /// [`Error::OpenCl`] where the device fails.
    pub fn finish(&self) -> Result<(), Error> {
        let finished = self.queue.finish();
        finished.map_err(|error| failure("finish the queue", error))
    }

    /// Compiles the kernels of the sources that are not compiled yet, as one program, because starting the compiler takes longer
    /// than compiling a kernel.
    fn compile(&mut self, sources: &[KernelSource]) -> Result<(), Error> {
        if let Some(defect) = sources.iter().find_map(|source| source.defect.as_ref()) {
            return Err(Error::Schedule(defect.to_string()));
        }
        let kernels = sources.iter().flat_map(|source| &source.kernels);
        let new: BTreeMap<_, _> = kernels
            .map(|kernel| (kernel.key(), kernel))
            .filter(|(key, _)| !self.kernels.contains_key(key))
            .collect();
        if new.is_empty() {
            return Ok(());
        }
        let named: Vec<_> = new
            .values()
            .enumerate()
            .map(|(number, kernel)| (format!("kernel{number}"), *kernel))
            .collect();
        let text = program(&named);
        let mut builder = Program::builder();
        builder.devices(self.queue.device()).src(&text);
        if self.exact_division {
            builder.cmplr_opt("-cl-fp32-correctly-rounded-divide-sqrt");
        }
        let program = builder
            .build(&self.context)
            .map_err(|error| failure("compile the kernels\n", format!("{error}\n{text}")))?;
        for (name, kernel) in named {
            self.kernels.insert(kernel.key(), (program.clone(), name));
        }
        Ok(())
    }

    /// Buffers of at least these sizes, through which one kernel passes values to the next. The queue runs kernels in order, so all
    /// loop nests can use the same buffers.
    fn scratch(&mut self, sizes: &[u64]) -> Result<Vec<Buffer<f32>>, Error> {
        for (number, values) in sizes.iter().enumerate() {
            if self
                .scratch
                .get(number)
                .is_none_or(|held| (held.len() as u64) < *values)
            {
                self.store.check(&[*values])?;
                let buffer = self.buffer(&[*values])?;
                match self.scratch.get_mut(number) {
                    Some(held) => *held = buffer,
                    None => self.scratch.push(buffer),
                }
            }
        }
        Ok(self.scratch[..sizes.len()].to_vec())
    }

    fn buffer(&self, shape: &[u64]) -> Result<Buffer<f32>, Error> {
        Buffer::builder()
            .queue(self.queue.clone())
            .len(element_count(shape)?)
            .build()
            .map_err(|error| failure(&format!("make room for a tensor of shape {shape:?}"), error))
    }

    /// Copies of the operands that cannot be read in place, each beside its slot.
    fn copies(
        &self,
        nest: &LoopNest,
        buffers: &[BufferId],
    ) -> Result<BTreeMap<usize, Buffer<f32>>, Error> {
        let copied = |slot: usize| {
            let shape = &self.store.get(buffers[slot])?.shape;
            self.store.check(shape)?;
            Ok((slot, self.buffer(shape)?))
        };
        (1..buffers.len())
            .filter(|slot| buffers[*slot] == buffers[0] && !call::reads_in_place(nest, *slot))
            .map(copied)
            .collect()
    }

    /// The compiled kernels of a source with all their arguments except the symbols; `slot` gives the buffer of a slot.
    fn kernels<'b>(
        &'b self,
        source: &KernelSource,
        scratch: &'b [Buffer<f32>],
        slot: impl Fn(usize) -> Result<&'b Buffer<f32>, Error>,
    ) -> Result<Vec<(ocl::Kernel, u32)>, Error> {
        let mut kernels = Vec::with_capacity(source.kernels.len());
        for kernel in &source.kernels {
            let (program, name) = &self.kernels[&kernel.key()];
            let mut builder = ocl::Kernel::builder();
            builder
                .program(program)
                .name(name)
                .queue(self.queue.clone())
                .global_work_size(kernel.work_items as usize);
            if let Some(group) = kernel.group {
                builder.local_work_size(group as usize);
            }
            for argument in &kernel.arguments {
                match *argument {
                    Argument::Scratch(number) => builder.arg(&scratch[number]),
                    Argument::Slot(number) => builder.arg(slot(number)?),
                    Argument::Local(_) => &mut builder,
                };
            }
            for _ in &source.symbols {
                builder.arg(0u64);
            }
            let built = builder.build();
            let built = built.map_err(|error| failure("set the kernel's arguments", error))?;
            kernels.push((built, kernel.arguments.len() as u32));
        }
        Ok(kernels)
    }

    /// The kernels of a call with all their arguments except the symbols, and the copies and fills that precede them.
    fn launch(&mut self, call: Call, source: &KernelSource) -> Result<Launch, Error> {
        let (nest, buffers) = (&call.nest, &call.buffers);
        call::check_buffers(nest, buffers, &self.store)?;
        self.compile(std::slice::from_ref(source))?;
        let copies = self.copies(nest, buffers)?;
        let scratch = self.scratch(&source.scratch)?;
        let kernels = self.kernels(source, &scratch, |slot| match copies.get(&slot) {
            Some(copy) => Ok(copy),
            None => Ok(&self.store.get(buffers[slot])?.storage),
        })?;
        let written = |slot: usize| Ok(self.store.get(buffers[slot])?.storage.clone());
        let fill = match nest.initial() {
            Some(initial) if !nest.is_surjective() => Some((written(0)?, initial)),
            _ => None,
        };
        let copies = copies
            .into_iter()
            .map(|(slot, copy)| Ok((written(slot)?, copy)))
            .collect::<Result<Vec<_>, Error>>()?;
        Ok(Launch::new(vec![call], source, copies, fill, kernels))
    }

    /// The kernel of a group of calls with its arguments.
    fn fused(&self, calls: Vec<Call>, fused: &Fused) -> Result<Launch, Error> {
        let slot = |slot: usize| Ok(&self.store.get(fused.buffers[slot])?.storage);
        let kernels = self.kernels(&fused.source, &[], slot)?;
        Ok(Launch::new(calls, &fused.source, Vec::new(), None, kernels))
    }

    /// The calls of a recording as units, in an order that gives the same result.
    fn units(&self, calls: &[Call], purpose: &Purpose) -> Result<Vec<Unit>, Error> {
        let one = |at: usize| Unit::One(at, self.source(&calls[at].nest));
        if self.profile != Profile::Cpu {
            return Ok((0..calls.len()).map(one).collect());
        }
        let members = calls.iter().map(|call| Member::new(call, self.numerics));
        let members: Vec<Member> = members.collect();
        let mut units = Vec::new();
        let groups = groups(&members, purpose.repeated);
        verified(&members, &groups).map_err(|defect| Error::Schedule(defect.to_string()))?;
        for group in groups {
            match group.fused(&members, &purpose.temporary) {
                Some(fused) => units.push(Unit::Many(group.calls, fused)),
                None => units.extend(group.calls.into_iter().map(one)),
            }
        }
        Ok(units)
    }

    fn source(&self, nest: &LoopNest) -> KernelSource {
        KernelSource::with(nest, self.profile, self.numerics)
    }
}

/// A unit of execution: a call, or a group of calls.
enum Unit {
    One(usize, KernelSource),
    Many(Vec<usize>, Fused),
}

impl Device for OpenCl {
    fn description(&self) -> String {
        let division = match self.exact_division {
            true => "correctly rounded",
            false => "within 2.5 ulp",
        };
        let DeviceInfo { name, platform, .. } = &self.info;
        let sums = match self.numerics {
            Numerics::Exact => "sums in the order of the loops",
            Numerics::Fast => "sums in an order of their own",
        };
        // Behind two spaces or a comma drivers list how they were built, which `lozenge devices` shows.
        let platform = platform.split("  ").next().unwrap_or(platform);
        format!("opencl: {name} ({platform}), f32, division {division}, {sums}")
    }

    fn exact_division(&self) -> bool {
        self.exact_division
    }

    fn upload(&mut self, tensor: &Tensor) -> Result<BufferId, Error> {
        self.store.check(tensor.shape())?;
        let buffer = self.buffer(tensor.shape())?;
        let written = buffer.write(tensor.values()).enq();
        written.map_err(|error| failure("upload a tensor", error))?;
        self.store.insert(tensor.shape(), || Ok(buffer))
    }

    fn allocate(&mut self, shape: &[u64], fill: f32) -> Result<BufferId, Error> {
        self.store.check(shape)?;
        let buffer = self.buffer(shape)?;
        let filled = buffer.cmd().fill(fill, None).enq();
        filled.map_err(|error| failure("fill a tensor", error))?;
        self.store.insert(shape, || Ok(buffer))
    }

    fn prepare(&mut self, nests: &[LoopNest]) -> Result<(), Error> {
        let sources: Vec<KernelSource> = nests.iter().map(|nest| self.source(nest)).collect();
        self.compile(&sources)
    }

    fn run(
        &mut self,
        nest: &LoopNest,
        buffers: &[BufferId],
        symbols: &Symbols,
    ) -> Result<(), Error> {
        let call = Call {
            nest: nest.clone(),
            buffers: buffers.to_vec(),
        };
        call::check(nest, buffers, symbols, &self.store)?;
        let source = self.source(nest);
        self.launch(call, &source)?.enqueue(symbols)
    }

    fn record(&mut self, calls: Vec<Call>, purpose: &Purpose) -> Result<RecordingId, Error> {
        for call in &calls {
            call::check_buffers(&call.nest, &call.buffers, &self.store)?;
        }
        let units = self.units(&calls, purpose)?;
        let sources: Vec<KernelSource> = units
            .iter()
            .map(|unit| match unit {
                Unit::One(_, source) => source.clone(),
                Unit::Many(_, fused) => fused.source.clone(),
            })
            .collect();
        self.compile(&sources)?;
        let launches = units.into_iter().map(|unit| match unit {
            Unit::One(at, source) => self.launch(calls[at].clone(), &source),
            Unit::Many(all, fused) => {
                let calls = all.into_iter().map(|at| calls[at].clone()).collect();
                self.fused(calls, &fused)
            }
        });
        let launches = launches.collect::<Result<Vec<_>, _>>()?;
        let id = RecordingId::fresh();
        self.recordings.insert(id, launches);
        Ok(id)
    }

    fn replay(&mut self, recording: RecordingId, symbols: &Symbols) -> Result<(), Error> {
        let launches = self.recordings.get(&recording);
        for launch in launches.ok_or(Error::UnknownRecording)? {
            launch.enqueue(symbols)?;
            self.queued += launch.commands();
        }
        if self.queued > MOST_QUEUED {
            self.queued = 0;
            let finished = self.queue.finish();
            finished.map_err(|error| failure("finish the queue", error))?;
        }
        Ok(())
    }

    fn forget(&mut self, recording: RecordingId) -> Result<(), Error> {
        let known = self.recordings.remove(&recording);
        known.map(|_| ()).ok_or(Error::UnknownRecording)
    }

    fn write(&mut self, buffer: BufferId, values: &[f32]) -> Result<(), Error> {
        let held = self.store.get(buffer)?;
        check_length(&held.shape, values.len())?;
        let written = held.storage.write(values).enq();
        written.map_err(|error| failure("upload a tensor", error))
    }

    fn fill(&mut self, buffer: BufferId, value: f32) -> Result<(), Error> {
        let filled = self
            .store
            .get(buffer)?
            .storage
            .cmd()
            .fill(value, None)
            .enq();
        filled.map_err(|error| failure("fill a tensor", error))
    }

    fn download(&mut self, buffer: BufferId) -> Result<Tensor, Error> {
        let held = self.store.get(buffer)?;
        let mut values = vec![0.0; element_count(&held.shape)?];
        let read = held.storage.read(&mut values).enq();
        read.map_err(|error| failure("download a tensor", error))?;
        Tensor::new(held.shape.clone(), values)
    }

    fn release(&mut self, buffer: BufferId) -> Result<(), Error> {
        self.store.remove(buffer)
    }
}
