// Package version has the version of the project.
package version

// Version is the release that the sources belong to, or the next one. The header for C and the package
// for Python state it, too.
const Version = "0.1.0"

// LinkFlags are the linker's flags for the programs and libraries of a release: nothing in them depends on the machine,
// and their messages name the release's command doctor.
const LinkFlags = "-s -w -buildid= -X github.com/calliope-mlir/calliope/internal/host/version.Doctor=doctor"

// Doctor is the command that fetches and imports parts. The linker gives the programs of a release, which need no Go,
// another one: see LinkFlags.
var Doctor = "go run github.com/calliope-mlir/calliope/tools/doctor"

// Fetch is the command that fetches the default parts. With the names of parts as
// arguments ("mlir", "pjrt", "cuda", "iree", "jaxlib", "lapack", "llvm", "pjrt81", "pjrt106") it
// fetches those.
var Fetch = Doctor + " -fetch"
