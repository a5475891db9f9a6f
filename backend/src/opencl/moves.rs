//! What spares PoCL most of the time that it takes to compile a kernel.
//!
//! PoCL defines `vload16` and `vstore16` value by value. LLVM puts the sixteen parts together again, which takes it longer than to
//! compile the rest of a kernel (PoCL 3.1: 250 ms for a tile of a matrix product, 90 ms with the definitions below). And it unrolls
//! and vectorises the loops at the edge of a tensor, which are hardly ever run. Other drivers keep their own definitions: only PoCL
//! defines the macro that is asked for.

//!
//! And it writes past the cache where a tensor is larger than that, as a copy of memory does. A line of the cache that is written
//! in part is read first, which takes as long as to write it.

use std::fmt::Write;

/// From how many values on a tensor is written past the cache: 32 MB.
pub(super) const STREAMED: u64 = 1 << 23;

const STREAM: &str = "OWN void stream16(float16 value, __global float *to) {
    if (((ulong)to & 63) == 0) __builtin_nontemporal_store(value, (__global float16 *)to);
    else store16(value, to);
}
";

/// The word before a loop that is not worth unrolling. A text that contains it needs the definitions of [`moves`].
pub(super) const ROLLED: &str = "ROLLED";

/// The definitions for the widths that a text mentions, and for [`ROLLED`]. What is read and written has the offset 0 everywhere.
pub(super) fn moves(text: &str) -> String {
    let (mut own, mut other) = (String::new(), String::new());
    for lanes in [2, 4, 8, 16] {
        let [load, store] = ["vload", "vstore"].map(|name| format!("{name}{lanes}("));
        let streams = lanes == 16 && text.contains("stream16(");
        if streams || text.contains(&load) || text.contains(&store) {
            own += &of_width(lanes);
        }
        if streams {
            own += STREAM;
            other += "#else\n#define stream16(value, to) vstore16(value, 0, to)\n";
        }
    }
    let mut out = String::new();
    if !own.is_empty() {
        out += "#ifdef POCL_DEVICE_ADDRESS_BITS\n";
        out += "#define OWN static inline __attribute__((overloadable, always_inline))\n";
        out += &own;
        out += &other;
        out += "#endif\n";
    }
    if text.contains(ROLLED) {
        out += "#ifdef POCL_DEVICE_ADDRESS_BITS\n";
        out += &format!(
            "#define {ROLLED} _Pragma(\"clang loop vectorize(disable) unroll(disable)\")\n"
        );
        out += &format!("#else\n#define {ROLLED}\n#endif\n");
    }
    out
}

/// Vectors of one width, which are read and written as a whole wherever they begin.
fn of_width(lanes: u64) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "typedef float{lanes} unaligned{lanes} __attribute__((aligned(4)));"
    );
    for space in ["__global", "__local", "__private"] {
        let _ = writeln!(
            out,
            "OWN float{lanes} load{lanes}(const {space} float *from) {{ return *(const {space} unaligned{lanes} *)from; }}"
        );
        let _ = writeln!(
            out,
            "OWN void store{lanes}(float{lanes} value, {space} float *to) {{ *({space} unaligned{lanes} *)to = value; }}"
        );
    }
    let _ = writeln!(out, "#undef vload{lanes}\n#undef vstore{lanes}");
    let _ = writeln!(out, "#define vload{lanes}(offset, from) load{lanes}(from)");
    let _ = writeln!(
        out,
        "#define vstore{lanes}(value, offset, to) store{lanes}(value, to)"
    );
    out
}
