#!/usr/bin/env bash
# Builds every fuzz target into $OUT, each with its seed corpus and libz3 beside it.
# The fuzzing machines have no OpenCL: `kernels` and `program` compare what does not need it.
set -euo pipefail
cd "$SRC/lozenge"

LOZENGE_NO_OPENCL=1 LOZENGE_NO_APT=1 .ci/setup
cargo fuzz build --fuzz-dir fuzz/fuzz -O --no-default-features

mkdir -p "$OUT/lib"
cp -L .libs/z3/libz3.so.5.4 "$OUT/lib/"

corpus=$(mktemp -d)
cargo run --release --locked --no-default-features --features oracle -p lozenge-cli -- corpus export "$corpus"

for source in fuzz/fuzz/fuzz_targets/*.rs; do
  target=$(basename "$source" .rs)
  built=$(find . -path "*/x86_64-unknown-linux-gnu/release/$target" -type f -print -quit)
  cp "$built" "$OUT/"
  patchelf --set-rpath '$ORIGIN/lib' "$OUT/$target"
  seeds=$corpus/${target%_solver}
  [[ -d $seeds ]] || seeds=$corpus/$target
  zip -q -j -r "$OUT/${target}_seed_corpus.zip" "$seeds"
done
