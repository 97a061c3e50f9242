//go:build engines

package tests

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/debs"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// cppHeaders has MLIR's headers for programs in C++.
var cppHeaders = debs.Set{
	Name: "cpp-headers-22", Files: "include", What: "LLVM and MLIR 22 headers for C++", MB: 85,
	Packages: []debs.Package{{
		Name: "libmlir-22-dev", Version: "1:22.1.8-1~deb12u1",
		SHA256: "7b46221bc4df3c193f01aee030cffebeedb520b9265b488940e639b00f45f045",
		Keep:   `^usr/lib/llvm-22/include/(mlir(?:-c)?/.+)$`,
	}, {
		Name: "llvm-22-dev", Version: "1:22.1.8-1~deb12u1",
		SHA256: "72250802fb65f281aa88bffe317bec70d6ddbe21134736c354a4f13ed24709ad",
		Keep:   `^usr/include/llvm(?:-c)?-22/(llvm(?:-c)?/.+)$`,
	}},
}

const pluginOutput = `the verifier: mlir: parse failed: wrong.mlir:1:24: error: 'toy.double' op needs an integer of at least 8 bits
  wrong.mlir:1:24: note: see current operation: %0 = "toy.double"(%arg0) : (i4) -> i4
module {
  func.func @f(%arg0: i32) -> i32 {
    %0 = arith.addi %arg0, %arg0 : i32
    return %0 : i32
  }
}
`

// TestPluginExample compiles the dialect of examples/plugin, and checks its verifier and its
// pass.
func TestPluginExample(t *testing.T) {
	include, err := debs.Fetch(context.Background(), cppHeaders)
	check.NoError(t, err)
	run := exec.Command("go", "run", "./examples/plugin", "-include", include)
	run.Dir, run.Stderr = "..", os.Stderr
	out, err := run.Output()
	check.NoError(t, err)
	check.Diff(t, "output", pluginOutput, string(out))
}

// TestPluginOfSystem does the same on an LLVM 19 that is linked as an installed one is.
func TestPluginOfSystem(t *testing.T) {
	llvm, _ := mlirtest.LLVM19(t)
	prefix := t.TempDir()
	link := func(from, to string) {
		check.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(prefix, to)), 0o755))
		check.NoError(t, os.Symlink(filepath.Join(llvm, from), filepath.Join(prefix, to)))
	}
	for _, e := range check.Must(os.ReadDir(filepath.Join(llvm, "lib"))) {
		link("lib/"+e.Name(), "lib/"+e.Name())
	}
	link("lib/libMLIR.so.19.1", "lib/libMLIR.so")
	link("include/mlir", "include/mlir")
	link("include/mlir-c", "include/mlir-c")
	link("include/llvm-19/llvm", "include/llvm")
	link("include/llvm-c-19/llvm-c", "include/llvm-c")
	run := exec.Command("go", "run", "./examples/plugin", "-llvm", prefix)
	run.Dir, run.Stderr = "..", os.Stderr
	run.Env = append(os.Environ(), "CALLIOPE_CACHE="+t.TempDir())
	out, err := run.Output()
	check.NoError(t, err)
	check.Diff(t, "output", pluginOutput, string(out))
}

// TestPluginRefused checks the errors for libraries that are not plugins of this MLIR.
func TestPluginRefused(t *testing.T) {
	dir := t.TempDir()
	build := func(name, source string, flags ...string) string {
		text, path := filepath.Join(dir, name+".c"), filepath.Join(dir, name)
		check.NoError(t, os.WriteFile(text, []byte(source), 0o600))
		out, err := exec.Command("cc",
			append([]string{"-shared", "-fPIC", "-o", path, text}, flags...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return path
	}
	upstream := mlirtest.Upstream(t)
	build("libMLIR.so.19.1", "int a;", "-Wl,-soname,libMLIR.so.19.1")
	right := []string{"-Wl,--no-as-needed", "-L", filepath.Dir(upstream.Path()), "-l:libMLIR.so.22.1",
		"-Wl,--allow-shlib-undefined"}
	for _, test := range []struct{ path, want string }{
		{filepath.Join(dir, "nosuch.so"), "cannot be read: "},
		{filepath.Join(dir, "libMLIR.so.19.1.c"), "cannot be read: "},
		{build("plain.so", "int a;"), "is not linked with an MLIR library: link it with libMLIR.so.22.1"},
		{build("own.so", "void _ZN4mlir11MLIRContextC1Ev(void) {}"),
			"contains an MLIR of its own: link it with libMLIR.so.22.1 instead"},
		{build("old.so", "void mlirRegisterOldPasses(void) {}", "-Wl,--no-as-needed", "-L", dir, "-l:libMLIR.so.19.1"),
			"was built for libMLIR.so.19.1, and " + upstream.Path() +
				" is libMLIR.so.22.1: build it with the headers of that release"},
		{build("empty.so", "void mlirRegisterPass_x(void) {} int mlirGetDialectHandle__x__;", right...), "exports neither a function mlirGetDialectHandle__NAMESPACE__ nor one mlirRegisterNAMEPasses"},
	} {
		_, err := mlir.Open(mlir.OpenOptions{Path: upstream.Path(), Plugins: []string{test.path}})
		check.Error(t, err, "mlir: the plugin "+test.path, test.want)
	}
	_, err := mlir.Open(mlir.OpenOptions{Path: upstream.Path(),
		Plugins: []string{build("good.so", "int called; void mlirRegisterNoPasses(void) { called++; }", right...)}})
	check.NoError(t, err)
	_, err = mlir.Open(mlir.OpenOptions{Path: filepath.Join(filepath.Dir(upstream.Path()), "libMLIR.so.22.1")})
	check.Error(t, err, "it has only MLIR's C++ functions; a build of LLVM with MLIR_BUILD_MLIR_C_DYLIB=ON has libMLIR-C.so beside it, `", "tools/doctor -llvm DIR` makes one", "tools/doctor -fetch llvm` fetches it")
	_, err = mlir.Open(mlir.OpenOptions{Path: build("ancient.so", "void mlirContextDestroy(void) {}")})
	check.Error(t, err, "it has a C API of a release before LLVM 19")
	_, err = mlir.Open(mlir.OpenOptions{Path: filepath.Join(dir, "plain.so")})
	check.Error(t, err, "it is not an MLIR library with a C API; ")
	for _, e := range mlirtest.Engines(t) {
		if e.Library.Path() == upstream.Path() {
			continue
		}
		_, err := mlir.Open(mlir.OpenOptions{Path: e.Library.Path(), Plugins: []string{filepath.Join(dir, "plain.so")}})
		check.Error(t, err, "cannot be used with "+e.Library.Path()+", which hides the C++ functions of MLIR",
			"tools/doctor -fetch llvm`")
	}
}
