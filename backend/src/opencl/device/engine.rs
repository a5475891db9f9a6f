//! The device that compiles kernels and runs them.

use std::any::Any;
use std::collections::BTreeMap;
use std::path::Path;

use ocl::core::{self, DeviceInfo as Key, DeviceInfoResult as Answer, DeviceType};
use ocl::flags::CommandQueueProperties;
use ocl::{Context, Program, Queue};

use super::uses::uses;
use crate::call::{self, Symbols};
use crate::device::{Call, Device, Purpose};
use crate::error::Error;
use crate::kernels::{KernelTime, Kernels};
use crate::loop_nest::LoopNest;
use crate::memory::{BufferId, Limits, MemoryUse, RecordingId};
use crate::opencl::device::cache::KernelCache;
use crate::opencl::device::compiler::Compiler;
use crate::opencl::device::discovery::{DeviceInfo, devices, failure};
use crate::opencl::device::memory::{DeviceMemory, Place};
use crate::opencl::device::patience::Notice;
use crate::opencl::device::recording::Launch;
use crate::opencl::device::timing::Timing;
use crate::opencl::emit::source::{KernelSource, placed_program};
use crate::opencl::group::fused::Fused;
use crate::opencl::group::unit::{Unit, units};
use crate::opencl::pins::pinned::Pins;
use crate::opencl::pins::planning::Planning;
use crate::opencl::plan::parallel::{GROUP_BYTES, ITEMS};
use crate::opencl::rewrite::rewriting::{self, Ordered};
use crate::opencl::{Argument, Profile};
use crate::precision::Precision;
use crate::progress::Progress;
use crate::rules::Arithmetic;
use crate::rules::{Numerics, in_order_of_loops};
use crate::shape::element_count;
use crate::tensor::Tensor;

/// A device that runs loop nests as kernels on one OpenCL device. Tensors stay in the memory of that device. Each
/// kernel is compiled once, and the kernels of loop nests that are prepared together are compiled as one program.
pub struct OpenCl {
    info: DeviceInfo,
    context: Context,
    queue: Queue,
    /// True if divisions and square roots are rounded correctly.
    exact_division: bool,
    compiler: Compiler,
    planning: Planning,
    /// The compiled kernels: for the text and group size of each, the program that has it and its name there.
    kernels: BTreeMap<(String, Option<u64>), (Program, String)>,
    memory: DeviceMemory,
    /// True if buffers that tensors share are filled with NaN wherever a tensor begins.
    poisoned: bool,
    recordings: BTreeMap<RecordingId, Recording>,
    /// The number of commands of replays that were put into the queue since it was last empty.
    queued: usize,
    /// The measurements of kernels, if they are asked for.
    timing: Option<Timing>,
    /// The count of points, if it is asked for.
    progress: Option<Progress>,
}

/// Launches that are replayed.
struct Recording {
    launches: Vec<Launch>,
    /// The intermediate tensors of contractions, which are released with it.
    intermediate: Vec<BufferId>,
    /// The tensors with memory of their own that each replay overwrites.
    overwrites: Vec<BufferId>,
}

/// Waits for a launch and counts its points, if somebody wants to know.
fn counted(queue: &Queue, progress: Option<&Progress>, launch: &Launch) -> Result<(), Error> {
    let Some(progress) = progress else {
        return Ok(());
    };
    let finished = queue.finish();
    finished.map_err(|error| failure("finish the queue", error))?;
    progress.add(launch.points());
    Ok(())
}

/// Checks that a device computes in the precisions that are asked for.
fn supported(info: &DeviceInfo, arithmetic: Arithmetic) -> Result<(), Error> {
    match arithmetic.widest() == Precision::F64 && !info.double {
        true => Err(Error::NoDouble {
            device: info.name.clone(),
        }),
        false => Ok(()),
    }
}

/// Checks that a device that is no processor has groups as large as the kernels for such devices need.
fn has_room(info: &DeviceInfo, device: ocl::Device) -> Result<(), Error> {
    let items = match core::get_device_info(device, Key::MaxWorkGroupSize) {
        Ok(Answer::MaxWorkGroupSize(items)) => items as u64,
        _ => ITEMS,
    };
    match items >= ITEMS && info.local >= GROUP_BYTES {
        true => Ok(()),
        false => Err(Error::OpenCl {
            action: format!("open {}", info.name),
            message: format!(
                "its groups have at most {items} work-items and {} KiB of local memory, and kernels need {ITEMS} and {} KiB",
                info.local >> 10,
                GROUP_BYTES >> 10
            ),
        }),
    }
}

/// The most commands of replays that may wait in the queue, since each takes some memory of the driver.
const MOST_QUEUED: usize = 1 << 14;

impl OpenCl {
    /// Opens the first device of the first platform that has one.
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
            _ => {
                has_room(&info, device)?;
                Profile::Parallel
            }
        };
        let planning = Planning {
            local: info.local,
            ..Planning::new(profile, Arithmetic::default())
        };
        Ok(OpenCl {
            compiler: Compiler::new(&info, exact_division)?,
            info,
            context,
            queue: queue.clone(),
            exact_division,
            planning,
            kernels: BTreeMap::new(),
            memory: DeviceMemory::new(queue, limits, Precision::F32),
            poisoned: false,
            recordings: BTreeMap::new(),
            queued: 0,
            timing: None,
            progress: None,
        })
    }

    /// Makes kernels by these plans from now on, where they are plans of calls that are run or recorded.
    pub fn pin(&mut self, pins: Pins) {
        self.planning.pins = pins;
    }

    /// Sets the rules for rounding.
    pub fn rounding(mut self, numerics: Numerics) -> OpenCl {
        self.planning.arithmetic.numerics = numerics;
        self
    }

    /// Has kernels planned as for this kind of device. Every kernel runs on every device, so a processor can check
    /// kernels that are meant for a GPU.
    pub fn planned_for(mut self, profile: Profile) -> OpenCl {
        self.planning.profile = profile;
        self
    }

    /// Has kernels planned as if the device had no more than these bytes of local memory. So a device can check kernels
    /// that are meant for one with less.
    pub fn with_local_memory(mut self, bytes: u64) -> OpenCl {
        self.planning.local = self.planning.local.min(bytes);
        self
    }

    /// Sets the rules for rounding and the precisions. Tensors that were stored before are gone.
    ///
    /// # Errors
    /// [`Error::NoDouble`] if one of them is 64 bits and the device does not compute in these.
    pub fn computing(mut self, arithmetic: impl Into<Arithmetic>) -> Result<OpenCl, Error> {
        self.planning.arithmetic = arithmetic.into();
        supported(&self.info, self.planning.arithmetic)?;
        let limits = self.memory.store().limits();
        self.memory =
            DeviceMemory::new(self.queue.clone(), limits, self.planning.arithmetic.tensors);
        Ok(self)
    }

    /// Has memory that tensors share filled with NaN before a tensor takes it over. Only errors of lozenge become
    /// visible by this, and time is lost.
    pub fn poisoning(mut self) -> OpenCl {
        self.poisoned = true;
        self
    }

    /// Returns the kind of device for which kernels are planned.
    pub fn profile(&self) -> Profile {
        self.planning.profile
    }

    /// Returns the settings by which plans are made.
    pub(super) fn planning(&self) -> &Planning {
        &self.planning
    }

    /// Returns the number of compute units.
    pub(super) fn units(&self) -> u64 {
        self.info.units.into()
    }

    /// Returns the places of the values of these tensors.
    pub(super) fn places(&mut self, ids: &[BufferId]) -> Result<BTreeMap<BufferId, Place>, Error> {
        let with_values = |id: &BufferId| Ok((*id, self.memory.with_values(*id)?));
        ids.iter().map(with_values).collect()
    }

    /// Returns the queue of the device's commands.
    pub(super) fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Returns the context of the device's programs and buffers.
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

    /// Compiles the kernels of the sources that are not compiled yet, as one program, because starting the compiler
    /// takes longer than compiling a kernel.
    pub(super) fn compile(&mut self, sources: &[KernelSource]) -> Result<(), Error> {
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
        let text = placed_program(&named);
        let program = self.compiler.build(&self.context, &text)?;
        for (name, kernel) in named {
            self.kernels.insert(kernel.key(), (program.clone(), name));
        }
        Ok(())
    }

    /// Forgets all compiled kernels if there are more than that many. Recordings keep theirs.
    pub(super) fn keep_at_most(&mut self, kernels: usize) {
        if self.kernels.len() > kernels {
            self.kernels.clear();
        }
    }

    /// Sets all arguments of the compiled kernels of a source except the symbols; `slot` gives the buffer of a slot.
    pub(super) fn kernels<'b>(
        &'b self,
        source: &KernelSource,
        scratch: &'b [Place],
        slot: impl Fn(usize) -> &'b Place,
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
                let place = match *argument {
                    Argument::Scratch(number) => &scratch[number],
                    Argument::Slot(number) => slot(number),
                    // Local memory is no parameter of the kernel itself.
                    Argument::Local(_) => continue,
                };
                place.buffer.argument(&mut builder);
                builder.arg(place.at as u64);
            }
            for _ in &source.symbols {
                builder.arg(0u64);
            }
            let built = builder.build();
            let built = built.map_err(|error| {
                let error = failure("set the kernel's arguments", error);
                self.compiler.explained(error)
            })?;
            kernels.push((built, 2 * kernel.arguments.len() as u32));
        }
        Ok(kernels)
    }

    /// Prepares the kernels of a call with all their arguments except the symbols, and the copies and fills that
    /// precede them. `memory` has the buffer of each tensor.
    pub(super) fn launch(
        &mut self,
        call: Call,
        source: &KernelSource,
        memory: &BTreeMap<BufferId, Place>,
    ) -> Result<Launch, Error> {
        let (nest, buffers) = (&call.nest, &call.buffers);
        let copied: Vec<usize> = (1..buffers.len())
            .filter(|slot| buffers[*slot] == buffers[0] && !call::reads_in_place(nest, *slot))
            .collect();
        let values = element_count(&nest.slots()[0].sizes)?;
        let tensors = self.planning.arithmetic.tensors;
        let scratch = self.memory.scratch(&source.scratch, source.precision, 0)?;
        let skipped = match source.precision == tensors {
            true => scratch.len(),
            false => 0,
        };
        let sizes = vec![values as u64; copied.len()];
        let held = self.memory.scratch(&sizes, tensors, skipped)?;
        let copy = |slot: usize| copied.iter().position(|one| *one == slot);
        let kernels = self.kernels(source, &scratch, |slot| match copy(slot) {
            Some(copy) => &held[copy],
            None => &memory[&buffers[slot]],
        })?;
        let written = &memory[&buffers[0]];
        let fill = nest.initial().filter(|_| !nest.is_surjective());
        let fills = fill.map(|initial| (written.clone(), initial));
        let copies = held.iter().map(|to| (written.clone(), to.clone()));
        let (copies, fills) = (copies.collect(), fills.into_iter().collect());
        let timing = self.timing.as_mut();
        let timed =
            timing.map(|timing| timing.place(std::slice::from_ref(&call), buffers, tensors));
        let mut launch = Launch::new(vec![call], source, copies, fills, kernels);
        launch.timed = timed;
        Ok(launch)
    }

    /// Prepares the kernels of a source with all their arguments except the symbols, on buffers that are apart.
    pub(super) fn launch_of(
        &mut self,
        source: &KernelSource,
        buffers: &[BufferId],
        memory: &BTreeMap<BufferId, Place>,
    ) -> Result<Launch, Error> {
        let scratch = self.memory.scratch(&source.scratch, source.precision, 0)?;
        let kernels = self.kernels(source, &scratch, |slot| &memory[&buffers[slot]])?;
        let nothing = (Vec::new(), Vec::new(), Vec::new());
        Ok(Launch::new(
            nothing.0, source, nothing.1, nothing.2, kernels,
        ))
    }

    /// Prepares the kernel of a group of calls with its arguments.
    fn fused(
        &mut self,
        calls: Vec<Call>,
        fused: &Fused,
        memory: &BTreeMap<BufferId, Place>,
    ) -> Result<Launch, Error> {
        let slot = |slot: usize| &memory[&fused.buffers[slot]];
        let source = &fused.source;
        let scratch = self.memory.scratch(&source.scratch, source.precision, 0)?;
        let kernels = self.kernels(source, &scratch, slot)?;
        let tensors = self.planning.arithmetic.tensors;
        let timing = self.timing.as_mut();
        let timed = timing.map(|timing| timing.place(&calls, &fused.buffers, tensors));
        let mut launch = Launch::new(calls, &fused.source, Vec::new(), Vec::new(), kernels);
        launch.timed = timed;
        Ok(launch)
    }

    pub(super) fn source(&self, nest: &LoopNest) -> KernelSource {
        KernelSource::planned(nest, &self.planning)
    }
}

impl Kernels for OpenCl {
    fn time_kernels(&mut self) -> Result<(), Error> {
        self.finish()?;
        let measures = Some(CommandQueueProperties::PROFILING_ENABLE);
        let queue = Queue::new(&self.context, self.queue.device(), measures);
        let queue = queue.map_err(|error| failure("open a command queue that measures", error))?;
        self.memory.use_queue(queue.clone());
        self.queue = queue;
        self.timing = Some(Timing::default());
        Ok(())
    }

    fn kernel_times(&mut self) -> Result<Option<Vec<KernelTime>>, Error> {
        self.timing.as_mut().map(Timing::times).transpose()
    }

    fn keep_kernels(&mut self, folder: &Path, bytes: u64) {
        self.compiler.keep(KernelCache::new(folder, bytes));
    }

    fn when_compiling_takes_long(&mut self, notice: Notice) {
        self.compiler.when_it_takes_long(notice);
    }

    fn put_kernels_away(&mut self) -> Vec<String> {
        self.compiler.put_away()
    }
}

impl Device for OpenCl {
    fn description(&self) -> String {
        // OpenCL demands it of 64 bits.
        let division = match self.exact_division() {
            true => "correctly rounded",
            false => "within 2.5 ulp",
        };
        let DeviceInfo { name, platform, .. } = &self.info;
        let order = match self.planning.arithmetic.numerics {
            Numerics::Exact => "sums in the order of the loops",
            Numerics::Fast => "sums in an order of their own",
        };
        // Behind two spaces or a comma drivers list how they were built, which `lozenge devices` shows.
        let platform = platform.split("  ").next().unwrap_or(platform);
        let Arithmetic { tensors, sums, .. } = self.planning.arithmetic;
        let wide = match sums > tensors {
            true => format!(" in {sums}"),
            false => String::new(),
        };
        format!("opencl: {name} ({platform}), {tensors}, division {division}, {order}{wide}")
    }

    fn called(&self) -> String {
        let Arithmetic { tensors, sums, .. } = self.planning.arithmetic;
        let wide = match sums > tensors {
            true => format!(", sums in {sums}"),
            false => String::new(),
        };
        format!("opencl: {}, {tensors}{wide}", self.info.name)
    }

    fn rounding(&self) -> String {
        let Arithmetic {
            numerics,
            tensors,
            sums,
        } = self.planning.arithmetic;
        let mut rounding = match numerics {
            Numerics::Exact => in_order_of_loops(tensors, sums),
            Numerics::Fast => self.description(),
        };
        for plan in self.planning.pins.plans() {
            rounding.push_str(&format!("\n{plan}"));
        }
        rounding
    }

    fn exact_division(&self) -> bool {
        self.exact_division || self.planning.arithmetic.tensors == Precision::F64
    }

    fn upload(&mut self, tensor: &Tensor) -> Result<BufferId, Error> {
        self.memory.upload(tensor)
    }

    fn allocate(&mut self, shape: &[u64], fill: f32) -> Result<BufferId, Error> {
        self.memory.allocate(shape, fill)
    }

    fn reserve(&mut self, shape: &[u64]) -> Result<BufferId, Error> {
        self.memory.reserve(shape)
    }

    fn memory(&self) -> Option<MemoryUse> {
        Some(self.memory.used())
    }

    fn count(&mut self, progress: Progress) {
        self.progress = Some(progress);
    }

    fn as_any(&mut self) -> Option<&mut dyn Any> {
        Some(self)
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
        call::check(nest, buffers, symbols, self.memory.store())?;
        let source = self.source(nest);
        self.compile(std::slice::from_ref(&source))?;
        let memory = self.places(buffers)?;
        let launch = self.launch(call, &source, &memory)?;
        launch.enqueue(symbols, self.timing.as_mut())?;
        counted(&self.queue, self.progress.as_ref(), &launch)
    }

    fn record(&mut self, calls: Vec<Call>, purpose: &Purpose) -> Result<RecordingId, Error> {
        for call in &calls {
            call::check_buffers(&call.nest, &call.buffers, self.memory.store())?;
        }
        let mut intermediate = Vec::new();
        let reserve = |shape: &[u64]| {
            let id = self.memory.reserve(shape)?;
            intermediate.push(id);
            Ok(id)
        };
        let Ordered { calls, purpose } = rewriting::calls(
            calls,
            purpose,
            (self.planning.profile, self.planning.arithmetic),
            reserve,
        )?;
        for call in &calls {
            call::check_buffers(&call.nest, &call.buffers, self.memory.store())?;
        }
        let units = units(&calls, &purpose, &self.planning)?;
        let tensors = self.planning.arithmetic.tensors;
        let kernels = units
            .iter()
            .filter(|unit| unit.fills(&calls, tensors).is_none());
        let sources: Vec<KernelSource> = kernels.map(|unit| unit.source().clone()).collect();
        self.compile(&sources)?;
        let uses = uses(&units, &calls, &purpose);
        let (mut memory, left) = self.memory.reuse(&uses.passing, &uses.consumed)?;
        memory.extend(self.memory.share(&left)?);
        let mut overwrites = Vec::new();
        for (id, overwritten) in uses.own {
            let place = match overwritten {
                true => self.memory.room_of(id)?,
                false => self.memory.with_values(id)?,
            };
            overwrites.extend(overwritten.then_some(id));
            memory.insert(id, place);
        }
        let mut launches = Vec::with_capacity(units.len());
        for (number, unit) in units.into_iter().enumerate() {
            let fill = unit.fills(&calls, tensors);
            let mut launch = match unit {
                Unit::One(at, source) if let Some((id, number)) = fill => {
                    let fills = vec![(memory[&id].clone(), number)];
                    let call = calls[at].clone();
                    Launch::new(vec![call], &source, Vec::new(), fills, Vec::new())
                }
                Unit::One(at, source) => self.launch(calls[at].clone(), &source, &memory)?,
                Unit::Many(all, fused) => {
                    let calls = all.into_iter().map(|at| calls[at].clone()).collect();
                    self.fused(calls, &fused, &memory)?
                }
            };
            let begins = uses.passing.iter().filter(|(_, one)| one.first == number);
            if self.poisoned {
                launch.poison(begins.map(|(id, _)| memory[id].clone()));
            }
            launches.push(launch);
        }
        let id = RecordingId::fresh();
        let recording = Recording {
            launches,
            intermediate,
            overwrites,
        };
        self.recordings.insert(id, recording);
        Ok(id)
    }

    fn replay(&mut self, recording: RecordingId, symbols: &Symbols) -> Result<(), Error> {
        let recording = self.recordings.get_mut(&recording);
        let recording = recording.ok_or(Error::UnknownRecording)?;
        for launch in &recording.launches {
            launch.enqueue(symbols, self.timing.as_mut())?;
            counted(&self.queue, self.progress.as_ref(), launch)?;
            self.queued += launch.commands();
        }
        for id in recording.overwrites.drain(..) {
            self.memory.overwritten(id)?;
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
        let mut known = known.ok_or(Error::UnknownRecording)?;
        // The driver looks for a kernel that is released among all that its program has, those made last first.
        while known.launches.pop().is_some() {}
        for id in known.intermediate {
            self.memory.release(id)?;
        }
        match self.recordings.is_empty() {
            true => self.memory.share_no_more(),
            false => Ok(()),
        }
    }

    fn write(&mut self, buffer: BufferId, values: &[f32]) -> Result<(), Error> {
        self.memory.write(buffer, values)
    }

    fn replace(&mut self, buffer: BufferId, tensor: &Tensor) -> Result<(), Error> {
        self.memory.replace(buffer, tensor)
    }

    fn fill(&mut self, buffer: BufferId, value: f32) -> Result<(), Error> {
        self.memory.fill(buffer, value)
    }

    fn download(&mut self, buffer: BufferId) -> Result<Tensor, Error> {
        self.memory.download(buffer)
    }

    fn release(&mut self, buffer: BufferId) -> Result<(), Error> {
        self.memory.release(buffer)
    }
}
