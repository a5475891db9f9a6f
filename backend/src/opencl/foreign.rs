//! The unsafe calls, all of them.
#![allow(unsafe_code)]

use std::ptr;

use ocl::{Kernel, ffi};

/// Asks PoCL to keep each of its threads on a core of its own, unless the variable is set. Two threads that share a core halve the
/// speed of everything. PoCL reads the variable when its platform is first asked for.
pub fn pin_workers() {
    if std::env::var_os("POCL_AFFINITY").is_none() {
        // SAFETY: Rust code reads the environment under the standard library's lock, and of the C code of this process only the
        // OpenCL loader and its drivers read it, which are entered after this has returned.
        unsafe { std::env::set_var("POCL_AFFINITY", "1") };
    }
}

/// How many platforms the loader knows. Asked here because `ocl::core::get_platform_ids` waits ten seconds before it says
/// that there is none.
pub fn platform_count() -> u32 {
    let mut count = 0;
    // SAFETY: with no room for platforms the list may be null, and `count` outlives the call. A failure leaves it 0.
    unsafe { ffi::clGetPlatformIDs(0, ptr::null_mut(), &mut count) };
    count
}

/// Puts a kernel into its queue.
///
/// Its source must be that of `KernelSource::with` for a loop nest, or of a group of such nests that passed its check, its buffers those of the slots with the slots' shapes and the
/// scratch buffers as large as the source says, its symbols within their axes, its work-items as many as the source says; or it is a
/// probe, whose work-items read and write what their buffers have.
pub fn enqueue(kernel: &Kernel) -> ocl::Result<()> {
    // SAFETY: the caller keeps what is asked above, so every address is an index map's image and lies within its buffer
    // (Thm. 7.8, part 1, which `LoopNest` and the check of the call enforce; a tile that would leave its loop is moved back into
    // it); no two work-items store the same cell, and what one reads of a cell that another stores is not used (the caller copies
    // operands that are read elsewhere than they are written); the queue is in order.
    unsafe { kernel.enq() }
}
