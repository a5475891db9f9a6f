//! The way from the text of kernels to a program of the driver, which is taken from the cache of compiled kernels or
//! compiled.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ocl::core::{self, DeviceInfo as Key};
use ocl::enums::{ProgramInfo, ProgramInfoResult};
use ocl::{Context, Device, Program};

use super::cache::{Entry, KernelCache};
use super::discovery::{DeviceInfo, POCL, failure};
use super::last_words::{keep_watching, remedy};
use super::patience::{Notice, Patience};
use super::pocl_declarations::{WITHOUT_HEADER, declarations};
use crate::error::Error;

/// The number of lines of the log of a failed compilation that its message shows.
const LOG_LINES: usize = 12;

/// The time after which no further binary is taken from the driver. Kernels whose binaries are left are compiled again
/// in the next run, and taken then.
const LONGEST: Duration = Duration::from_secs(2);

/// The variable whose value `off` has drivers compile without optimisation: in less time, to kernels that take more.
const OPTIMISATION: &str = "LOZENGE_KERNEL_OPTIMISATION";

/// Tells whether drivers optimise the kernels that they compile.
fn optimises() -> Result<bool, Error> {
    let Some(value) = std::env::var_os(OPTIMISATION) else {
        return Ok(true);
    };
    match value.to_str() {
        Some("" | "on") => Ok(true),
        Some("off") => Ok(false),
        _ => Err(Error::Variable {
            name: OPTIMISATION,
            value: value.to_string_lossy().into_owned(),
            mend: "on or off",
        }),
    }
}

/// A compiler for one device.
pub(super) struct Compiler {
    device: Device,
    options: String,
    /// True if the header of the driver is left out, and a text itself declares the functions that it calls.
    declares: bool,
    /// The properties on which a binary depends, beside its source.
    depends_on: Vec<String>,
    cache: Option<KernelCache>,
    /// The files of compiled kernels that are new, with the program if its binary is kept there; the others are
    /// announced.
    new: Vec<(PathBuf, Option<Program>)>,
    warnings: Vec<String>,
    patience: Option<Patience>,
}

impl Compiler {
    /// Creates a compiler without a cache.
    ///
    /// # Errors
    /// [`Error::Variable`] if the variable about optimisation says neither `on` nor `off`.
    pub fn new(info: &DeviceInfo, exact_division: bool) -> Result<Compiler, Error> {
        let device = info.ids.1;
        // A driver prints its warnings among our lines, where nobody can do anything about them.
        let mut options = "-w".to_string();
        if exact_division {
            options += " -cl-fp32-correctly-rounded-divide-sqrt";
        }
        // No value depends on it, since the text of a kernel says what is rounded.
        if !optimises()? {
            options += " -cl-opt-disable";
        }
        let versions = [Key::Vendor, Key::Version, Key::DriverVersion].map(|key| {
            core::get_device_info(device, key).map_or_else(|_| String::new(), |a| a.to_string())
        });
        let mut depends_on = vec![
            env!("CARGO_PKG_VERSION").to_string(),
            info.platform.clone(),
            info.name.clone(),
            options.clone(),
        ];
        depends_on.extend(versions);
        let declares = info.platform.starts_with(POCL);
        if declares {
            depends_on.push(WITHOUT_HEADER.to_string());
        }
        Ok(Compiler {
            device,
            options,
            declares,
            depends_on,
            cache: None,
            new: Vec::new(),
            warnings: Vec::new(),
            patience: None,
        })
    }

    /// Has it said that kernels are compiled, once that has taken long.
    pub fn when_it_takes_long(&mut self, notice: Notice) {
        self.patience = Some(Patience::new(notice));
    }

    /// Takes binaries from a cache from now on, and notes the kernels that it compiles for [`Compiler::put_away`].
    pub fn keep(&mut self, cache: KernelCache) {
        self.cache = Some(cache);
    }

    /// Builds the program of a text.
    pub fn build(&mut self, context: &Context, text: &str) -> Result<Program, Error> {
        let Some(cache) = &self.cache else {
            return self.compiled(context, text);
        };
        let mut depends_on: Vec<&str> = self.depends_on.iter().map(String::as_str).collect();
        depends_on.push(text);
        let file = cache.file(&depends_on);
        let found = cache.load(&file);
        let first = found == Entry::Missing;
        let damaged = match found {
            Entry::Missing | Entry::Announced => None,
            Entry::Damaged(why) => Some(why),
            Entry::Binary(binary) => match self.loaded(context, &binary) {
                Ok(program) => return Ok(program),
                Err(error) => Some(format!("the driver refuses it: {error}")),
            },
        };
        if let Some(why) = damaged {
            self.warnings.push(format!(
                "{}: these compiled kernels cannot be used, and are compiled again: {why}",
                file.display()
            ));
        }
        let program = self.compiled(context, text)?;
        let kept = (!first).then(|| program.clone());
        self.new.push((file, kept));
        Ok(program)
    }

    fn loaded(&self, context: &Context, binary: &[u8]) -> ocl::Result<Program> {
        let binaries = [binary];
        let mut builder = Program::builder();
        builder.devices(self.device).binaries(&binaries);
        builder.build(context)
    }

    fn compiled(&mut self, context: &Context, text: &str) -> Result<Program, Error> {
        match self.patience.take() {
            None => self.compiled_at_once(context, text),
            Some(mut patience) => {
                let program = patience.during(|| self.compiled_at_once(context, text));
                self.patience = Some(patience);
                program
            }
        }
    }

    fn compiled_at_once(&self, context: &Context, text: &str) -> Result<Program, Error> {
        // A version of the driver that declares something else takes the text as it is.
        if self.declares
            && let Ok(program) = self.without_header(context, text)
        {
            return Ok(program);
        }
        self.program(context, text, &self.options)
            .map_err(|error| self.explained(refused(text, &error.to_string())))
    }

    /// Adds what helps where PoCL fails for reasons of its own.
    pub fn explained(&self, error: Error) -> Error {
        match error {
            Error::OpenCl { action, message } if self.declares => Error::OpenCl {
                action,
                message: format!("{message}\n{}", remedy()),
            },
            other => other,
        }
    }

    fn without_header(&self, context: &Context, text: &str) -> ocl::Result<Program> {
        let options = self.options.clone() + WITHOUT_HEADER;
        self.program(context, &(declarations(text) + text), &options)
    }

    fn program(&self, context: &Context, text: &str, options: &str) -> ocl::Result<Program> {
        let mut builder = Program::builder();
        builder.devices(self.device).src(text).cmplr_opt(options);
        let built = builder.build(context);
        keep_watching();
        built
    }

    /// Writes the kernels that were compiled into the cache, if they were compiled before, and returns the problems
    /// with the cache so far. With some drivers this takes as long as compiling, so it is best done when nobody waits.
    pub fn put_away(&mut self) -> Vec<String> {
        let begin = Instant::now();
        let new = std::mem::take(&mut self.new);
        for (file, program) in new {
            let Some(cache) = self.cache.as_ref().filter(|_| begin.elapsed() < LONGEST) else {
                break;
            };
            let stored = match program {
                None => cache.announce(&file).map_err(|error| error.to_string()),
                Some(program) => stored(cache, &file, &program),
            };
            if let Err(error) = stored {
                self.warnings.push(format!(
                    "{}: compiled kernels cannot be kept there: {error}",
                    file.display()
                ));
                break;
            }
        }
        std::mem::take(&mut self.warnings)
    }
}

/// Writes the binary of a program into the cache.
fn stored(cache: &KernelCache, file: &Path, program: &Program) -> Result<(), String> {
    let binaries = match program.info(ProgramInfo::Binaries) {
        Ok(ProgramInfoResult::Binaries(binaries)) => binaries,
        Ok(_) => Vec::new(),
        Err(error) => return Err(error.to_string()),
    };
    // A driver without binaries leaves them empty.
    match binaries.first().filter(|binary| !binary.is_empty()) {
        Some(binary) => cache.store(file, binary).map_err(|error| error.to_string()),
        None => Ok(()),
    }
}

/// Makes the error of a text that the driver does not compile: the beginning of the log, and a file that has all of it
/// with the text.
fn refused(text: &str, log: &str) -> Error {
    let log = log.trim();
    let mut message: Vec<&str> = log.lines().take(LOG_LINES).collect();
    let saved = saved(text, log);
    let place = match &saved {
        Ok(path) => format!("the kernels and the whole log are in {}", path.display()),
        Err(error) => format!("the kernels cannot be saved for a report: {error}\n{text}"),
    };
    if log.lines().nth(LOG_LINES).is_some() {
        message.push("...");
    }
    message.push(&place);
    failure("compile the kernels", message.join("\n"))
}

/// Writes a new file that has the log as a comment, and the text.
fn saved(text: &str, log: &str) -> std::io::Result<PathBuf> {
    let mut file = tempfile::Builder::new()
        .prefix("lozenge-")
        .suffix(".cl")
        .tempfile()?;
    for line in log.lines() {
        writeln!(file, "// {line}")?;
    }
    file.write_all(text.as_bytes())?;
    let (_, path) = file.keep().map_err(|error| error.error)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use lozenge_vocabulary::operation::{Combine, Function};

    use super::super::discovery::devices;
    use super::*;
    use crate::opencl::emit::expression::{compensated, helpers, value, vector_type};
    use crate::precision::Precision;

    const GOOD: &str = "__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void one(__global float *to) { to[0] = 1.0f; }\n";

    /// Creates a compiler for the first device, if there is one.
    fn compiler() -> Option<(Compiler, Context)> {
        let info = devices().ok()?.swap_remove(0);
        let (platform, device) = info.ids;
        let context = Context::builder()
            .platform(platform)
            .devices(device)
            .build();
        Some((Compiler::new(&info, true).unwrap(), context.unwrap()))
    }

    /// Compiles, puts away without a warning, and returns the only file of the folder.
    fn built(compiler: &mut Compiler, context: &Context, folder: &Path) -> (Vec<u8>, PathBuf) {
        compiler.build(context, GOOD).unwrap();
        assert_eq!(compiler.put_away(), [""; 0]);
        let file = std::fs::read_dir(folder).unwrap().next().unwrap();
        let file = file.unwrap().path();
        (std::fs::read(&file).unwrap(), file)
    }

    #[test]
    fn kernels_are_kept_when_they_are_compiled_a_second_time() {
        let Some((mut compiler, context)) = compiler() else {
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        compiler.keep(KernelCache::new(folder.path(), 1 << 24));
        let lengths = [0; 3].map(|_| built(&mut compiler, &context, folder.path()).0.len());
        assert!(lengths[0] < 100 && lengths[1] > 1000, "{lengths:?}");
        assert_eq!(lengths[1], lengths[2]);
    }

    /// Lists all functions but formulas, by the words that are expected where there is another.
    fn functions() -> Vec<Function> {
        let expected = serde_json::from_str::<Function>("\"?\"").unwrap_err();
        let expected = expected.to_string();
        let words = expected.split('`').skip(1).step_by(2);
        let functions = words.filter_map(|word| serde_json::from_str(&format!("\"{word}\"")).ok());
        let constants = [f64::INFINITY, f64::NAN, 0.5].map(Function::Constant);
        functions.chain(constants).collect()
    }

    #[test]
    fn what_kernels_call_is_declared_where_the_header_of_pocl_is_left_out() {
        let Some((compiler, context)) = compiler().filter(|(compiler, _)| compiler.declares) else {
            return;
        };
        assert!(functions().len() > 25);
        for precision in Precision::ALL {
            for lanes in [1, 2, 4, 8, 16] {
                let float = vector_type(precision, lanes);
                let operands = ["x", "y", "z"].map(str::to_string);
                let values = functions().into_iter().map(|function| {
                    format!(
                        "to[0] = {};\n",
                        value(&function, precision, lanes, &operands)
                    )
                });
                let sums = compensated(Combine::Add, precision, lanes, ["x", "y"], "z").join("\n");
                let body: String = values.chain([sums]).collect();
                let definition = format!(
                    "__kernel void all(__global {float} *to, {float} x, {float} y, {float} z) {{\n\
                     {body}to[0] = fma(x, y, z);\n}}\n"
                );
                let text = helpers(&definition) + &definition;
                let built = compiler.without_header(&context, &text);
                assert!(built.is_ok(), "{}\n{text}", built.unwrap_err());
            }
        }
    }

    #[test]
    fn a_failed_compilation_names_a_file_with_the_kernels_and_the_log() {
        let Some((mut compiler, context)) = compiler() else {
            return;
        };
        let text = "__kernel void one(__global float *to) { to[0] = nothing; }\n";
        let Err(Error::OpenCl { action, message }) = compiler.build(&context, text) else {
            panic!("it compiles");
        };
        assert_eq!(action, "compile the kernels");
        let (log, path) = message
            .rsplit_once("\nthe kernels and the whole log are in ")
            .unwrap();
        // Of PoCL a remedy follows.
        let path = path.lines().next().unwrap();
        assert!(log.contains("nothing"), "{message}");
        let kept = std::fs::read_to_string(path).unwrap();
        std::fs::remove_file(path).unwrap();
        assert!(kept.ends_with(text), "{kept}");
        assert!(
            kept.lines()
                .any(|line| line.starts_with("// ") && line.contains("nothing"))
        );
    }

    #[test]
    fn a_damaged_entry_is_compiled_again_with_a_warning_that_names_it() {
        let Some((mut compiler, context)) = compiler() else {
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        compiler.keep(KernelCache::new(folder.path(), 1 << 24));
        let (_, file) = built(&mut compiler, &context, folder.path());
        let (good, _) = built(&mut compiler, &context, folder.path());
        // A whole entry is used, and nothing is new.
        compiler.build(&context, GOOD).unwrap();
        assert!(compiler.new.is_empty());
        std::fs::write(&file, &good[..good.len() / 2]).unwrap();
        compiler.build(&context, GOOD).unwrap();
        let warnings = compiler.put_away();
        assert_eq!(warnings.len(), 1);
        assert!(
            warnings[0].starts_with(&file.display().to_string()),
            "{warnings:?}"
        );
        assert_eq!(std::fs::read(&file).unwrap(), good);
        // A binary that the driver refuses is replaced too, though it is what was written.
        let Some(cache) = &compiler.cache else {
            panic!("it has a cache");
        };
        cache.store(&file, b"no binary").unwrap();
        compiler.build(&context, GOOD).unwrap();
        let warnings = compiler.put_away();
        assert!(
            warnings[0].contains("the driver refuses it"),
            "{warnings:?}"
        );
    }

    #[test]
    fn a_folder_that_cannot_be_written_gives_a_warning() {
        let Some((mut compiler, context)) = compiler() else {
            return;
        };
        let file = tempfile::NamedTempFile::new().unwrap();
        compiler.keep(KernelCache::new(file.path().join("below"), 1 << 24));
        compiler.build(&context, GOOD).unwrap();
        let warnings = compiler.put_away();
        assert!(
            warnings.last().unwrap().contains("cannot be kept there"),
            "{warnings:?}"
        );
    }
}
