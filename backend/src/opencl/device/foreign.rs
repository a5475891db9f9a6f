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

/// The end of the process by a driver, and what is then written and answered in place of the driver.
#[cfg(unix)]
pub mod end {
    use std::ffi::c_int;
    use std::ptr;
    use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize, Ordering};
    use std::sync::{Mutex, Once, PoisonError};

    /// True while a driver is used.
    static WATCHED: AtomicBool = AtomicBool::new(false);
    static WORDS: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
    static LENGTH: AtomicUsize = AtomicUsize::new(0);
    static DESCRIPTOR: AtomicI32 = AtomicI32::new(2);
    static STATUS: AtomicI32 = AtomicI32::new(2);

    /// The signals with which a driver or a kernel ends a process.
    const SIGNALS: [c_int; 3] = [libc::SIGABRT, libc::SIGBUS, libc::SIGSEGV];

    /// The actions of these signals before they were watched.
    static BEFORE: Mutex<Vec<(c_int, libc::sigaction)>> = Mutex::new(Vec::new());

    /// Writes the words and ends the process with the status, if a driver is used.
    fn speak() {
        if !WATCHED.swap(false, Ordering::SeqCst) {
            return;
        }
        let words = WORDS.load(Ordering::SeqCst);
        let length = LENGTH.load(Ordering::SeqCst);
        // SAFETY: both functions may be called in a handler of a signal. The words are never freed ([`watch`]).
        unsafe {
            libc::write(DESCRIPTOR.load(Ordering::SeqCst), words.cast(), length);
            libc::_exit(STATUS.load(Ordering::SeqCst));
        }
    }

    extern "C" fn at_exit() {
        speak();
    }

    extern "C" fn at_signal(signal: c_int) {
        speak();
        // SAFETY: both functions may be called in a handler of a signal; the process ends as it would without a
        // handler.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }

    /// Has these words written, and the process ended with this status, if it ends before [`unwatch`] in another way
    /// than by `main` or a signal from outside.
    pub fn watch(words: String, descriptor: c_int, status: c_int) {
        let words: &'static mut [u8] = Vec::leak(words.into_bytes());
        LENGTH.store(words.len(), Ordering::SeqCst);
        WORDS.store(words.as_mut_ptr(), Ordering::SeqCst);
        DESCRIPTOR.store(descriptor, Ordering::SeqCst);
        STATUS.store(status, Ordering::SeqCst);
        static REGISTERED: Once = Once::new();
        REGISTERED.call_once(|| {
            // SAFETY: the function does nothing unless a driver is used.
            unsafe { libc::atexit(at_exit) };
        });
        WATCHED.store(true, Ordering::SeqCst);
        take_signals();
    }

    /// Takes the signals from a driver that has taken them when it was loaded, as LLVM does, if a driver is watched.
    pub fn take_signals() {
        if !WATCHED.load(Ordering::SeqCst) {
            return;
        }
        let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
        for signal in SIGNALS {
            // SAFETY: an action without flags and masks is all zeros; both actions outlive the call.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = at_signal as *const () as libc::sighandler_t;
                action.sa_flags = libc::SA_ONSTACK;
                let mut old: libc::sigaction = std::mem::zeroed();
                let is_taken = libc::sigaction(signal, &action, &mut old) == 0;
                if is_taken && before.iter().all(|(known, _)| *known != signal) {
                    before.push((signal, old));
                }
            }
        }
    }

    /// Ends what [`watch`] began.
    pub fn unwatch() {
        WATCHED.store(false, Ordering::SeqCst);
        let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((signal, action)) = before.pop() {
            // SAFETY: the action is one that was in force before.
            unsafe { libc::sigaction(signal, &action, ptr::null_mut()) };
        }
    }
}
