//! All unsafe calls of this crate.
#![allow(unsafe_code)]

use std::ptr;

use ocl::{Event, Kernel, Queue, SpatialDims, ffi};

use super::discovery::failure;
use crate::error::Error;

/// Asks PoCL to pin each of its threads to a separate core, unless the variable is already set: two threads that share a core
/// would halve the speed of a kernel. PoCL reads the variable when its platform is first used.
pub fn pin_workers() {
    if std::env::var_os("POCL_AFFINITY").is_none() {
        // SAFETY: Rust code reads the environment under the standard library's lock. The only C code of this process that reads it
        // is the OpenCL loader with its drivers, which are not entered before this has returned.
        unsafe { std::env::set_var("POCL_AFFINITY", "1") };
    }
}

/// How many platforms the loader knows. The function exists because `ocl::core::get_platform_ids` waits ten seconds before it
/// reports that there is none.
pub fn platform_count() -> u32 {
    let mut count = 0;
    // SAFETY: with no room for platforms the list may be null, and `count` outlives the call. A failure leaves it 0.
    unsafe { ffi::clGetPlatformIDs(0, ptr::null_mut(), &mut count) };
    count
}

/// Puts a kernel into its queue.
///
/// The caller must ensure one of these: the source is that of `KernelSource::with` for a loop nest, or of a group of such nests
/// that passed its check; from its place on, the buffer of a slot has as many values as the slot's shape, and a scratch buffer as many
/// as the source states; symbols lie within their axes; and the number of work-items is that of the source. Or the kernel is a
/// probe, whose work-items stay within their buffers.
pub fn enqueue(kernel: &Kernel) -> ocl::Result<()> {
    // SAFETY: by the conditions above every address is an image of an index map and lies within its buffer (Thm. 7.8, part 1,
    // which `LoopNest` and the check of the call enforce; a tile that would extend beyond its loop is moved back into it). No
    // two work-items store the same cell, and a value that one reads from a cell that another stores is not used (the caller
    // copies operands that are read at other places than they are written). The queue is in order.
    unsafe { kernel.enq() }
}

/// Puts a kernel into its queue under the conditions of [`enqueue`], and returns the event of its end.
pub fn enqueue_timed(kernel: &Kernel) -> ocl::Result<Event> {
    let mut event = Event::empty();
    // SAFETY: as for `enqueue`, whose conditions the caller ensures.
    unsafe { kernel.cmd().enew(&mut event).enq() }?;
    Ok(event)
}

/// A kernel that is put into a queue by the driver's function alone, with everything prepared that can be.
pub struct Bare<'k> {
    kernel: &'k Kernel,
    queue: &'k Queue,
    items: usize,
    group: Option<usize>,
}

impl Bare<'_> {
    /// A kernel under the conditions of [`enqueue`], whose work-items have one dimension.
    pub fn new<'k>(kernel: &'k Kernel, queue: &'k Queue) -> Bare<'k> {
        let length = |dims: SpatialDims| dims.to_lens().ok().map(|lens| lens[0]);
        Bare {
            kernel,
            queue,
            items: length(kernel.default_global_work_size()).unwrap_or(1),
            group: length(kernel.default_local_work_size()),
        }
    }

    /// Puts it into the queue.
    pub fn enqueue(&self) -> Result<(), Error> {
        let group = self.group.as_ref().map_or(ptr::null(), ptr::from_ref);
        // SAFETY: the handles are valid as long as the objects that are borrowed, the sizes are read before the function returns, and
        // a list of no events may be null. For the kernel itself see `enqueue`.
        let status = unsafe {
            ffi::clEnqueueNDRangeKernel(
                self.queue.as_core().as_ptr(),
                self.kernel.as_core().as_ptr(),
                1,
                ptr::null(),
                &self.items,
                group,
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        };
        match status {
            ffi::CL_SUCCESS => Ok(()),
            status => Err(failure("run the kernel", format!("status {status}"))),
        }
    }
}
