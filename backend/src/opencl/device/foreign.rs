//! All unsafe calls of this crate.
#![allow(unsafe_code)]

use std::ptr;

use ocl::{Event, Kernel, ffi};

/// Asks PoCL to pin each of its threads to a separate core, unless the variable is already set: two threads that share
/// a core would halve the speed of a kernel. PoCL reads the variable when its platform is first used.
pub fn pin_workers() {
    if std::env::var_os("POCL_AFFINITY").is_none() {
        // SAFETY: Rust code reads the environment under the standard library's lock. The only C code of this process
        // that reads it is the OpenCL loader with its drivers, which are not entered before this has returned.
        unsafe { std::env::set_var("POCL_AFFINITY", "1") };
    }
}

/// Returns the number of platforms that the loader knows. The function exists because `ocl::core::get_platform_ids`
/// waits ten seconds before it reports that there is none.
pub fn platform_count() -> u32 {
    let mut count = 0;
    // SAFETY: with no room for platforms the list may be null, and `count` outlives the call. A failure leaves it 0.
    unsafe { ffi::clGetPlatformIDs(0, ptr::null_mut(), &mut count) };
    count
}

/// Puts a kernel into its queue.
///
/// The caller must ensure one of these: the source is that of `KernelSource::with` for a loop nest, or of a group of
/// such nests that passed its check; from its place on, the buffer of a slot has as many values as the slot's shape,
/// and a scratch buffer as many as the source states; symbols lie within their axes; and the number of work-items is
/// that of the source. Or the kernel is a probe, whose work-items stay within their buffers.
pub fn enqueue(kernel: &Kernel) -> ocl::Result<()> {
    // SAFETY: by the conditions above every address is an image of an index map and lies within its buffer (Thm. 7.8,
    // part 1, which `LoopNest` and the check of the call enforce; a tile that would extend beyond its loop is moved
    // back into it). No two work-items store the same cell, and a value that one reads from a cell that another stores
    // is not used (the caller copies operands that are read at other places than they are written). The queue is in
    // order.
    unsafe { kernel.enq() }
}

/// Puts a kernel into its queue under the conditions of [`enqueue`], and returns the event of its end.
pub fn enqueue_timed(kernel: &Kernel) -> ocl::Result<Event> {
    let mut event = Event::empty();
    // SAFETY: as for `enqueue`, whose conditions the caller ensures.
    unsafe { kernel.cmd().enew(&mut event).enq() }?;
    Ok(event)
}
