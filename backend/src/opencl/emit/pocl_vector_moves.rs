//! Vector loads and stores that PoCL compiles faster than its own: 90 ms instead of 250 ms for one tile.
//!
//! PoCL defines `vload16` and `vstore16` value by value. LLVM puts the sixteen parts together again, which takes it
//! longer than to compile the rest of a kernel (PoCL 3.1, a tile of a matrix product: 250 ms, and 90 ms with the
//! definitions below). PoCL also unrolls and vectorises the loops at the edge of a tensor, which are hardly ever run;
//! the word `ROLLED` before a loop prevents that. Other drivers keep their own definitions: only PoCL defines the macro
//! that is asked for.
//!
//! The stores of a tensor that is larger than the cache go past it, as those of a copy of memory do. A line of the
//! cache that is written in part is read first, which takes as long as to write it.

use std::fmt::Write;

use super::expression::vector_type;
use crate::precision::Precision;

/// The number of bytes from which on a tensor is written past the cache.
pub(crate) const STREAMED: u64 = 1 << 25;

/// The word before a loop that is not worth unrolling. A text that contains it needs the definitions of [`moves`].
pub(super) const ROLLED: &str = "ROLLED";

/// Returns the definitions for the widths that a text mentions, and for [`ROLLED`]. All reads and writes have the
/// offset 0.
pub(super) fn moves(text: &str) -> String {
    let (mut own, mut other) = (String::new(), String::new());
    let precisions: &[Precision] = match text.contains("double") {
        true => &Precision::ALL,
        false => &[Precision::F32],
    };
    for lanes in [2, 4, 8, 16] {
        let names = ["vload", "vstore", "stream", "ahead"];
        let used = names.map(|name| text.contains(&format!("{name}{lanes}(")));
        if used == [false; 4] {
            continue;
        }
        let [.., stream, ahead] = used;
        for precision in precisions {
            own += &of_width(*precision, lanes);
            let is_line = lanes * precision.bytes() == 64;
            if stream && is_line {
                own += &past_the_cache(*precision, lanes);
                let _ = writeln!(
                    other,
                    "#define stream{lanes}(value, to) vstore{lanes}(value, 0, to)"
                );
            }
            if ahead && is_line {
                own += &fetched_ahead(*precision, lanes);
                let _ = writeln!(
                    other,
                    "#define ahead{lanes}(distance, from) vload{lanes}(0, from)"
                );
            }
        }
        let _ = writeln!(own, "#undef vload{lanes}\n#undef vstore{lanes}");
        let _ = writeln!(own, "#define vload{lanes}(offset, from) load{lanes}(from)");
        let _ = writeln!(
            own,
            "#define vstore{lanes}(value, offset, to) store{lanes}(value, to)"
        );
    }
    let mut out = String::new();
    if !own.is_empty() {
        out += "#ifdef POCL_DEVICE_ADDRESS_BITS\n";
        out += "#define OWN static inline __attribute__((overloadable, always_inline))\n";
        out += &own;
        if !other.is_empty() {
            out += "#else\n";
        }
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
fn of_width(precision: Precision, lanes: u64) -> String {
    let mut out = String::new();
    let [one, vector] = [1, lanes].map(|lanes| vector_type(precision, lanes));
    let bytes = precision.bytes();
    let _ = writeln!(
        out,
        "typedef {vector} unaligned_{vector} __attribute__((aligned({bytes})));"
    );
    for space in ["__global", "__local", "__private"] {
        let _ = writeln!(
            out,
            "OWN {vector} load{lanes}(const {space} {one} *from) {{ return *(const {space} unaligned_{vector} *)from; }}"
        );
        let _ = writeln!(
            out,
            "OWN void store{lanes}({vector} value, {space} {one} *to) {{ *({space} unaligned_{vector} *)to = value; }}"
        );
    }
    out
}

/// Defines the store of a vector that fills a line of the cache, past the cache.
fn past_the_cache(precision: Precision, lanes: u64) -> String {
    let [one, vector] = [1, lanes].map(|lanes| vector_type(precision, lanes));
    format!(
        "OWN void stream{lanes}({vector} value, __global {one} *to) {{
    if (((ulong)to & 63) == 0) __builtin_nontemporal_store(value, (__global {vector} *)to);
    else store{lanes}(value, to);
}}
"
    )
}

/// Defines the load of a vector that fills a line of the cache, with the line that lies so many values further, if
/// there is one, on its way into the cache.
fn fetched_ahead(precision: Precision, lanes: u64) -> String {
    let [one, vector] = [1, lanes].map(|lanes| vector_type(precision, lanes));
    format!(
        "OWN {vector} ahead{lanes}(ulong distance, const __global {one} *from) {{
    __builtin_prefetch((const void *)((ulong)from + distance * sizeof({one})));
    return load{lanes}(from);
}}
"
    )
}
