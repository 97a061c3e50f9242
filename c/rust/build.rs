//! Finds libcalliope: in CALLIOPE_LIB_DIR, or by pkg-config.

use std::env;
use std::path::Path;
use std::process::{exit, Command};

fn main() {
    for name in ["CALLIOPE_LIB_DIR", "PKG_CONFIG", "PKG_CONFIG_PATH", "DOCS_RS"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    if env::var_os("DOCS_RS").is_some() {
        return; // documentation links nothing
    }
    let folders = match env::var("CALLIOPE_LIB_DIR") {
        Ok(folder) if has_library(&folder) => Ok(vec![folder]),
        Ok(folder) => Err(format!("CALLIOPE_LIB_DIR is {folder:?}, which has no library")),
        Err(_) => by_pkg_config(),
    };
    match folders {
        Ok(folders) => folders.iter().for_each(|folder| println!("cargo:rustc-link-search=native={folder}")),
        Err(why) => {
            eprintln!(
                "libcalliope was not found: {why}\n\
                 Install it from the archive libcalliope of a release, or by `go run ./c/install -prefix DIR` in the \
                 repository.\nThen set PKG_CONFIG_PATH to DIR/lib/pkgconfig, or CALLIOPE_LIB_DIR to DIR/lib."
            );
            exit(1);
        }
    }
}

fn has_library(folder: &str) -> bool {
    ["libcalliope.so", "libcalliope.dylib", "libcalliope.dll.a"]
        .iter()
        .any(|name| Path::new(folder).join(name).exists())
}

/// Returns the folders that pkg-config names for a library of the same minor version.
fn by_pkg_config() -> Result<Vec<String>, String> {
    let (major, minor) = (env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"));
    let program = env::var("PKG_CONFIG").unwrap_or("pkg-config".into());
    let next = minor.parse::<u32>().expect("a number") + 1;
    let wanted = [format!("calliope >= {major}.{minor}"), format!("calliope < {major}.{next}")];
    let out = Command::new(&program).arg("--libs").args(&wanted).output().map_err(|e| format!("{program}: {e}"))?;
    if !out.status.success() {
        return Err(format!("{program}: {}", String::from_utf8_lossy(&out.stderr).trim()));
    }
    let flags = String::from_utf8_lossy(&out.stdout).into_owned();
    Ok(flags.split_whitespace().filter_map(|flag| flag.strip_prefix("-L")).map(String::from).collect())
}
