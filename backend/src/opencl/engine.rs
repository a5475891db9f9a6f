//! The device that compiles kernels and runs them.

use std::collections::BTreeMap;

use ocl::core::{self, DeviceInfo as Key, DeviceInfoResult as Answer, DeviceType};
use ocl::{Buffer, Context, Program, Queue};

use crate::call::{self, Symbols};
use crate::device::Device;
use crate::error::Error;
use crate::loop_nest::LoopNest;
use crate::memory::{BufferId, Limits, Store};
use crate::opencl::discovery::{DeviceInfo, devices, failure};
use crate::opencl::source::{KernelSource, program};
use crate::opencl::{Profile, foreign};
use crate::tensor::{Tensor, element_count};

/// Runs loop nests as kernels on one OpenCL device. Tensors stay in its memory; each kernel is compiled once, and those of
/// loop nests that are prepared together are compiled together.
pub struct OpenCl {
    info: DeviceInfo,
    context: Context,
    queue: Queue,
    /// Whether divisions and square roots are rounded correctly.
    exact_division: bool,
    profile: Profile,
    /// The program that holds a kernel, and the kernel's name there, by the kernel's text and group.
    kernels: BTreeMap<(String, Option<u64>), (Program, String)>,
    /// A buffer between two kernels of one loop nest, as large as was needed so far.
    shared: Option<Buffer<f32>>,
    store: Store<Buffer<f32>>,
}

impl OpenCl {
    /// The first device of the first platform that has one.
    ///
    /// # Errors
    /// [`Error::NoDevice`] with what to install; [`Error::OpenCl`] where it cannot be opened.
    pub fn open(limits: Limits) -> Result<OpenCl, Error> {
        OpenCl::on(devices()?.swap_remove(0), limits)
    }

    /// A device of [`devices`]. Its own memory bounds what it holds, if that is below the limit.
    ///
    /// # Errors
    /// [`Error::OpenCl`] where it cannot be opened.
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
            kernels: BTreeMap::new(),
            shared: None,
            store: Store::new(limits),
        })
    }

    /// Compiles those kernels of the sources that are not compiled yet, as one program: starting the compiler takes longer than
    /// compiling a kernel.
    fn compile(&mut self, sources: &[KernelSource]) -> Result<(), Error> {
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

    /// A buffer of at least so many values, for what one kernel hands to the next. The queue runs kernels in order, so that all
    /// loop nests may use the same one.
    fn shared(&mut self, values: u64) -> Result<Option<Buffer<f32>>, Error> {
        if values == 0 {
            return Ok(None);
        }
        if self
            .shared
            .as_ref()
            .is_none_or(|held| (held.len() as u64) < values)
        {
            self.store.check(&[values])?;
            self.shared = Some(self.buffer(&[values])?);
        }
        Ok(self.shared.clone())
    }

    fn buffer(&self, shape: &[u64]) -> Result<Buffer<f32>, Error> {
        Buffer::builder()
            .queue(self.queue.clone())
            .len(element_count(shape)?)
            .build()
            .map_err(|error| failure(&format!("make room for a tensor of shape {shape:?}"), error))
    }

    /// A buffer with the values that another has now.
    fn copy(&self, buffer: BufferId) -> Result<Buffer<f32>, Error> {
        let held = self.store.get(buffer)?;
        self.store.check(&held.shape)?;
        let copy = self.buffer(&held.shape)?;
        held.storage
            .cmd()
            .copy(&copy, None, None)
            .enq()
            .map_err(|error| failure("copy a tensor", error))?;
        Ok(copy)
    }

    /// Copies of the operands that cannot be read in place, each beside its slot.
    fn copies(
        &self,
        nest: &LoopNest,
        buffers: &[BufferId],
    ) -> Result<BTreeMap<usize, Buffer<f32>>, Error> {
        (1..buffers.len())
            .filter(|slot| buffers[*slot] == buffers[0] && !call::reads_in_place(nest, *slot))
            .map(|slot| Ok((slot, self.copy(buffers[slot])?)))
            .collect()
    }
}

impl Device for OpenCl {
    fn description(&self) -> String {
        let division = match self.exact_division {
            true => "correctly rounded",
            false => "within 2.5 ulp",
        };
        let DeviceInfo { name, platform, .. } = &self.info;
        format!("opencl: {name} ({platform}), f32, division {division}")
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
        let sources = nests
            .iter()
            .map(|nest| KernelSource::new(nest, self.profile));
        let sources: Vec<KernelSource> = sources.collect();
        self.compile(&sources)
    }

    fn run(
        &mut self,
        nest: &LoopNest,
        buffers: &[BufferId],
        symbols: &Symbols,
    ) -> Result<(), Error> {
        call::check(nest, buffers, symbols, &self.store)?;
        let source = KernelSource::new(nest, self.profile);
        self.compile(std::slice::from_ref(&source))?;
        let copies = self.copies(nest, buffers)?;
        let shared = self.shared(source.shared)?;
        let mut calls = Vec::new();
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
            for (slot, buffer) in buffers.iter().enumerate() {
                match copies.get(&slot) {
                    Some(copy) => builder.arg(copy),
                    None => builder.arg(&self.store.get(*buffer)?.storage),
                };
            }
            if let Some(shared) = &shared {
                builder.arg(shared);
            }
            for symbol in &source.symbols {
                builder.arg(symbols[symbol]);
            }
            let call = builder.build();
            calls.push(call.map_err(|error| failure("set the kernel's arguments", error))?);
        }
        if let (Some(initial), false) = (nest.initial(), nest.is_surjective()) {
            let written = &self.store.get(buffers[0])?.storage;
            let filled = written.cmd().fill(initial, None).enq();
            filled.map_err(|error| failure("initialise the written tensor", error))?;
        }
        for call in &calls {
            foreign::enqueue(call).map_err(|error| failure("run the kernel", error))?;
        }
        Ok(())
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
