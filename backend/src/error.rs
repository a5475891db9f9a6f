//! The errors of the backend: each names the mistake, its place, and a remedy.

use std::sync::Arc;

use lozenge_vocabulary::program::Foreign;

/// An invalid loop nest, tensor or call, or a failure of a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A slot is missing or superfluous.
    #[error(
        "{function} reads {arity} operand(s), so there are {} slots with the one that is written; got {maps} index maps, \
         {sizes} lists of axis sizes and {names} tensor names",
        arity + 1
    )]
    SlotCount {
        /// The function, by its name in the vocabulary.
        function: String,
        /// The number of operands that the function reads.
        arity: usize,
        /// The number of index maps.
        maps: usize,
        /// The number of lists of axis sizes.
        sizes: usize,
        /// The number of tensor names.
        names: usize,
    },
    /// An index map and the shape beside it have different numbers of axes.
    #[error("slot {slot} ({tensor}): the index map has {map} axes, the shape has {shape}")]
    AxisCount {
        /// The slot's number.
        slot: usize,
        /// The tensor in it.
        tensor: String,
        /// Axes of the index map.
        map: usize,
        /// Axes of the shape.
        shape: usize,
    },
    /// A factor of the product space that is not above 1 (Def. 7.3 introduces none for size 1).
    #[error(
        "factor {factor} of the product space has size {size}; a factor is above 1, an axis of size 1 is read at position 0"
    )]
    FactorSize {
        /// The factor's number.
        factor: usize,
        /// Its size.
        size: u64,
    },
    /// An index that is out of range for its axis, or that names a factor that does not exist.
    #[error("slot {slot} ({tensor}), axis {axis} of size {size}: {problem}")]
    Index {
        /// The slot's number.
        slot: usize,
        /// The tensor in it.
        tensor: String,
        /// The axis, from 0.
        axis: usize,
        /// Its size.
        size: u64,
        /// The description of the mistake in its index.
        problem: String,
    },
    /// Points that write the same cell, or a cell without a point, in a loop nest that may erase only its own cells.
    #[error(
        "results meet in a cell, or a cell has none, and other loop nests write the cells beside it"
    )]
    Meeting,
    /// Names that are not valid here.
    #[error("{0}")]
    Name(String),
    /// An axis without positions.
    #[error("axis {axis} of the shape {shape:?} has size 0; every axis has at least one position")]
    EmptyAxis {
        /// The shape.
        shape: Vec<u64>,
        /// The axis, from 0.
        axis: usize,
    },
    /// More elements than can be counted.
    #[error("a tensor of shape {shape:?} has more elements than this machine can address")]
    TooManyElements {
        /// The shape.
        shape: Vec<u64>,
    },
    /// Data of the wrong length.
    #[error("the shape {shape:?} has {expected} elements, the data have {found}")]
    DataLength {
        /// The shape.
        shape: Vec<u64>,
        /// Its number of elements.
        expected: usize,
        /// The number of values given.
        found: usize,
    },
    /// A tensor that does not fit into the memory that the limit leaves.
    #[error(
        "a tensor of shape {shape:?} takes {asked} bytes; {used} of the {limit} bytes that may be used are taken already \
         (the limit is Limits::bytes)"
    )]
    Memory {
        /// The shape.
        shape: Vec<u64>,
        /// Bytes it takes.
        asked: u64,
        /// Bytes that are in use.
        used: u64,
        /// Bytes that may be used.
        limit: u64,
    },
    /// A tensor for which the device has no room, although the limit allows it.
    #[error(
        "the device has no room for a tensor of shape {shape:?}, which takes {asked} bytes: {reason}"
    )]
    NoRoom {
        /// The shape.
        shape: Vec<u64>,
        /// Bytes it takes.
        asked: u64,
        /// The reason that the device gives.
        reason: String,
    },
    /// Intermediate values, of tensors that share memory or between kernels of an operation, that do not fit into what
    /// the limit leaves.
    #[error(
        "intermediate values that are needed at one time take {asked} bytes; {used} of the {limit} bytes that may be used are taken \
         already (the limit is Limits::bytes)"
    )]
    SharedMemory {
        /// Bytes they take.
        asked: u64,
        /// Bytes that are in use.
        used: u64,
        /// Bytes that may be used.
        limit: u64,
    },
    /// A product space that is too large to iterate over.
    #[error(
        "the product space has {points} points, more than the {limit} allowed (the limit is Limits::points)"
    )]
    TooManyPoints {
        /// Its number of points, or a text that says that this exceeds 64 bits.
        points: String,
        /// Points that are allowed.
        limit: u64,
    },
    /// A buffer that the device does not hold.
    #[error(
        "the device does not hold the buffer{}; it was released, or belongs to another device",
        slot.map_or_else(String::new, |slot| format!(" of slot {slot}"))
    )]
    UnknownBuffer {
        /// The number of its slot, if it was given for a slot.
        slot: Option<usize>,
    },
    /// A program with sections, passed to a function that runs operations only once.
    #[error("a program with sections does not run in f64")]
    Sections,
    /// A recording that the device does not hold.
    #[error(
        "the device does not hold this recording; it was forgotten, or belongs to another device"
    )]
    UnknownRecording,
    /// A schedule that would not compute its loop nest, with the check that found it. This is a defect of lozenge.
    #[error(
        "a kernel is not launched, since its schedule is wrong ({0}); --device interpreter runs without it"
    )]
    Schedule(String),
    /// A call with the wrong number of buffers.
    #[error("the loop nest has {expected} slots, {found} buffers were given")]
    BufferCount {
        /// Slots of the loop nest.
        expected: usize,
        /// Buffers given.
        found: usize,
    },
    /// A buffer whose shape differs from that of its slot.
    #[error(
        "slot {slot} ({tensor}): the buffer has shape {found:?}, the loop nest was inferred for {expected:?}"
    )]
    BufferShape {
        /// The slot's number.
        slot: usize,
        /// The tensor in it.
        tensor: String,
        /// The slot's shape.
        expected: Vec<u64>,
        /// The buffer's shape.
        found: Vec<u64>,
    },
    /// Two tensors that cannot be compared.
    #[error("a tensor of shape {found:?} cannot be compared with one of shape {expected:?}")]
    ShapesDiffer {
        /// The shape of the one.
        expected: Vec<u64>,
        /// The shape of the other.
        found: Vec<u64>,
    },
    /// A symbol that was given no value.
    #[error(
        "slot {slot} ({tensor}), axis {axis} is indexed by the symbol {symbol}, which was given no value"
    )]
    MissingSymbol {
        /// The slot's number.
        slot: usize,
        /// The tensor in it.
        tensor: String,
        /// The axis, from 0.
        axis: usize,
        /// The symbol.
        symbol: Arc<str>,
    },
    /// No such engine on this machine or in this build.
    #[error("no OpenCL device: {reason}. {mend}")]
    NoDevice {
        /// The reason: the part that is missing.
        reason: String,
        /// The remedy: a thing to install or to do.
        mend: String,
    },
    /// A device that does not compute in 64 bits, and is asked to.
    #[error(
        "{device} has no floating-point numbers of 64 bits (cl_khr_fp64): compute in 32 bits on it, or in 64 bits on the interpreter"
    )]
    NoDouble {
        /// The device.
        device: String,
    },
    /// A variable of the environment with a value that means nothing.
    #[error("{name} is {value:?}: set it to {mend}")]
    Variable {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
        /// The values that it may have.
        mend: &'static str,
    },
    /// A call to OpenCL that failed as it does when the device is gone, or when its driver has stopped a kernel that
    /// took too long.
    #[error(
        "OpenCL could not {action}: {message}; drivers answer so when a device is gone, or when a kernel took longer than they allow"
    )]
    Lost {
        /// The action that was under way.
        action: String,
        /// The error message of the implementation.
        message: String,
    },
    /// A call to OpenCL that failed in another way.
    #[error("OpenCL could not {action}: {message}")]
    OpenCl {
        /// The action that failed.
        action: String,
        /// The error message of the implementation.
        message: String,
    },
    /// The wish of whoever counts the points ([`Progress::until`](crate::Progress::until)) that the device stop.
    #[error("the run was stopped")]
    Stopped,
    /// A value that is no number of a class, where a program needs one.
    #[error("{0}")]
    NoClass(String),
    /// A program with a number that refers to nothing.
    #[error("{0}")]
    Foreign(Foreign),
    /// Shapes or loop nests of another program.
    #[error(
        "the program has {expected} {what}, but shapes or loop nests for {found} were given; infer them from this program"
    )]
    OtherProgram {
        /// The kind of the things that are counted: tensors, which have a shape each, or operations, which have a loop
        /// nest each.
        what: &'static str,
        /// The number of them in the program.
        expected: usize,
        /// The number of shapes or loop nests.
        found: usize,
    },
}
