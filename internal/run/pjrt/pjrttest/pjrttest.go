// Package pjrttest has a PJRT plugin with an FFI and nothing behind it, for tests of what
// loads and registers.
package pjrttest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/dl"
)

// The variants of the plugin. In each one that is not called right something is wrong, see
// testdata/fakeplugin.c.
const (
	Right2 = iota // FFI 0.2
	Right3        // FFI 0.3
	Right4        // FFI 0.4
	Right5        // FFI 0.5
	NoTable
	OldTable
	OtherMajor
	NoFFI
	ShortExtension
	OtherRegister
	AnyRegister
	HiddenFFI
	FFI1
	FFI6
	ShortFFI
	OtherState
	AnyState
	OtherFuture
	TinyFFI      // a table without a version
	ShortFFI4    // FFI 0.4 with the table of 0.3
	ShortFFI5    // FFI 0.5 with the table of 0.4
	OtherMessage // GetMessage has another layout
	OtherDetails // GetDetails has another layout
	OtherType
	NoSerialize    // no function Executable_Serialize
	OtherSerialize // Executable_Serialize has another layout
	Sizeless       // the functions that save executables look at no size, and follow every pointer
	NoMemory       // no function Executable_GetCompiledMemoryStats
	RightCUDA      // right, for GPUs: calls have a stream
	OtherStream    // Stream_Get has another layout
	NoStream       // for GPUs, and calls have no stream
	Hosted         // right; the calls are those of a host, which registers handlers itself
	HostedCUDA     // Hosted, for GPUs
	GarbageTable   // an address where nothing is
	HugeTable      // a table that states more bytes than there are
	NoFunctions    // a table of null pointers
	ExtensionRing  // a list of extensions without an end
	Processes      // for GPUs; a client has two devices in each of two processes, which meet by the store
	Unconnected    // the same, and the client does not ask who shares it
)

// Refused is a custom call target that no variant registers a handler for.
const Refused = "refused"

// Open compiles a variant and loads it. The test needs a C compiler.
func Open(t testing.TB, variant int) *dl.Library {
	t.Helper()
	folder := filepath.Join(root(t), "internal", "run")
	path := filepath.Join(t.TempDir(), fmt.Sprintf("fake%d.so", variant))
	out, err := exec.Command("cc", "-shared", "-fPIC", fmt.Sprintf("-DVARIANT=%d", variant),
		"-I"+filepath.Join(folder, "ffi"), "-I"+filepath.Join(folder, "pjrt"), "-o", path,
		filepath.Join(folder, "pjrt", "pjrttest", "testdata", "fakeplugin.c")).CombinedOutput()
	if err != nil {
		t.Fatalf("a C compiler is needed: %v\n%s", err, out)
	}
	library, err := dl.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return library
}

// root returns the root of the module. Tests run in the folders of their packages.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("there is no go.mod above the test's folder")
	return ""
}
