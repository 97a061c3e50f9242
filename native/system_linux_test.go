package native

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// install makes a folder with these files, which may be in folders, and lib/cmake of a version.
func install(t *testing.T, version string, files ...string) (prefix string) {
	t.Helper()
	prefix = t.TempDir()
	for _, name := range files {
		writeText(t, filepath.Join(prefix, "lib", name), "")
	}
	if version != "" {
		writeText(t, filepath.Join(prefix, "lib", "cmake", "mlir", "MLIRConfigVersion.cmake"),
			fmt.Sprintf("set(PACKAGE_VERSION \"%s\")\n", version))
	}
	return prefix
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	check.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	check.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// TestLinkLLVMRefused checks the errors for folders without an LLVM that can be used.
func TestLinkLLVMRefused(t *testing.T) {
	t.Setenv(cacheEnv, t.TempDir())
	dev := func(release int) string { return fmt.Sprintf("the package libmlir-%d-dev", release) }
	for _, test := range []struct {
		prefix string
		want   []string
	}{
		{filepath.Join(t.TempDir(), "nosuch"),
			[]string{"there is no LLVM in", "give the folder that has its lib", version.Fetch + " llvm"}},
		{install(t, ""), []string{"there is no LLVM in"}},
		{install(t, "none", "libMLIRCAPIIR.a"), []string{"does not state its version"}},
		{install(t, "18.1.8", "libMLIRCAPIIR.a", "libMLIR.so"),
			[]string{"LLVM 18.1.8 in ", "is too old", "from 19 to 23", version.Fetch + " llvm"}},
		{install(t, "21.1.0git"), []string{"LLVM 21.1.0 in ", "has no MLIR", dev(21), "LLVM_ENABLE_PROJECTS=mlir"}},
		{install(t, "20.1.2", "libMLIR.so.20.1"),
			[]string{"has only MLIR's C++ functions, in libMLIR.so.20.1", dev(20), "MLIR_BUILD_MLIR_C_DYLIB=ON"}},
		{install(t, "19.1.7", "libMLIRCAPIIR.a", "libMLIR.so.19.1"), []string{"libMLIR.so.19.1 cannot be read"}},
		{install(t, "19.1.7", "libMLIRCAPIIR.a"),
			[]string{"has neither libLLVM.so nor LLVM's static libraries", "the package llvm-19-dev"}},
	} {
		_, err := LinkLLVM(t.Context(), test.prefix, EnsureOptions{Progress: new(bytes.Buffer)})
		check.Error(t, err, test.want...)
	}
}

// compile compiles C to a file below a folder.
func compile(t *testing.T, path, source string, flags ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "source.c")
	writeText(t, file, source)
	check.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	if out, err := exec.Command("cc", append([]string{"-fPIC", "-o", path, file}, flags...)...).CombinedOutput(); err !=
		nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// archive compiles C to a static library.
func archive(t *testing.T, path, source string) {
	t.Helper()
	object := filepath.Join(t.TempDir(), "object.o")
	compile(t, object, source, "-c")
	check.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	if out, err := exec.Command("ar", "rcs", path, object).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

const (
	capiSource = "int mlir(void); int mlirContextDestroy(void) { return mlir(); }"
	mlirSource = "int llvm(void); int mlir(void) { return llvm(); }"
	llvmSource = "int LLVMGetVersion(void) { return 19; } int llvm(void) { return 1; }"
)

// exports returns the names that a shared library defines.
func exports(t *testing.T, path string) string {
	t.Helper()
	return string(check.Must(exec.Command("nm", "-D", "--defined-only", path).Output()))
}

// TestLinkLLVM links the C API of small libraries that are called as those of LLVM are, from
// static and from shared ones.
func TestLinkLLVM(t *testing.T) {
	t.Setenv(cacheEnv, t.TempDir())
	static := install(t, "19.1.7")
	archive(t, filepath.Join(static, "lib", "libMLIRCAPIIR.a"), capiSource)
	archive(t, filepath.Join(static, "lib", "libMLIRIR.a"), mlirSource)
	archive(t, filepath.Join(static, "lib", "libLLVMCore.a"), llvmSource)

	shared := install(t, "20.1.2")
	archive(t, filepath.Join(shared, "lib", "libMLIRCAPIIR.a"), capiSource)
	llvm, mlir := filepath.Join(shared, "lib", "x86_64-linux-gnu", "libLLVM.so.20.1"),
		filepath.Join(shared, "lib", "libMLIR.so.20.1")
	triple, _ := exec.Command("cc", "-dumpmachine").Output()
	if strings.HasPrefix(string(triple), "aarch64") {
		llvm = filepath.Join(shared, "lib", "aarch64-linux-gnu", "libLLVM.so.20.1")
	}
	compile(t, llvm, llvmSource, "-shared", "-Wl,-soname,libLLVM.so.20.1")
	compile(t, mlir, mlirSource, "-shared", "-Wl,-soname,libMLIR.so.20.1", llvm)

	for _, test := range []struct{ prefix, version, inside string }{
		{static, "LLVM 19.1.7", "LLVMGetVersion"},
		{filepath.Join(static, "lib"), "LLVM 19.1.7", "LLVMGetVersion"},
		{filepath.Join(shared, "lib", "cmake", "mlir"), "LLVM 20.1.2", "mlirContextDestroy"},
	} {
		var progress bytes.Buffer
		at, err := LinkLLVM(t.Context(), test.prefix, EnsureOptions{Progress: &progress})
		check.NoError(t, err)
		if at.Version != test.version || at.Source != FromCache ||
			!strings.Contains(progress.String(), "linking the C API of "+test.version) {
			t.Errorf("linked %v: %s", at, progress.String())
		}
		names := exports(t, at.Path)
		if !strings.Contains(names, test.inside) || !strings.Contains(names, "mlirContextDestroy") {
			t.Errorf("the library has %s", names)
		}
		check.NoError(t, at.Check())
		loader := filepath.Join(t.TempDir(), "loader")
		compile(t, loader, "int mlirContextDestroy(void); int main(void) { return mlirContextDestroy() - 1; }", at.Path,
			"-Wl,-rpath,"+filepath.Dir(at.Path))
		if out, err := exec.Command(loader).CombinedOutput(); err != nil {
			t.Errorf("the library cannot be used: %v\n%s", err, out)
		}
	}

	whole := install(t, "22.1.0", "libMLIRCAPIIR.a", "libMLIR-C.so.22.1")
	at, err := LinkLLVM(t.Context(), whole, EnsureOptions{Progress: new(bytes.Buffer)})
	check.NoError(t, err)
	check.Diff(t, "an LLVM with libMLIR-C", Location{Path: filepath.Join(whole, "lib", "libMLIR-C.so.22.1"),
		Source: FromSystem, Version: "LLVM 22.1.0"}, at)

	broken := install(t, "19.1.0")
	archive(t, filepath.Join(broken, "lib", "libMLIRCAPIIR.a"), capiSource)
	archive(t, filepath.Join(broken, "lib", "libLLVMCore.a"), llvmSource)
	_, err = LinkLLVM(t.Context(), broken, EnsureOptions{Progress: new(bytes.Buffer)})
	check.Error(t, err, "cannot link the C API of LLVM 19.1.0", "undefined reference to `mlir'")
}

// TestFindLLVM checks which LLVM is taken without a prefix.
func TestFindLLVM(t *testing.T) {
	was := systemLLVM
	t.Cleanup(func() { systemLLVM = was })
	t.Setenv("PATH", t.TempDir())
	t.Setenv("LLVM_DIR", "")
	old, cpp := install(t, "14.0.6", "libMLIRCAPIIR.a"), install(t, "22.1.0", "libMLIR.so.22.1")
	better, best := install(t, "19.1.7", "libMLIRCAPIIR.a"), install(t, "19.10.1", "libMLIRCAPIIR.a")

	t.Setenv("MLIR_DIR", "")
	systemLLVM = []string{filepath.Join(t.TempDir(), "*")}
	_, err := findLLVM(t.Context(), "")
	check.Error(t, err, "no LLVM with MLIR was found")
	systemLLVM = []string{old}
	_, err = findLLVM(t.Context(), "")
	check.Error(t, err, "LLVM 14.0.6 in "+old+" is too old")
	systemLLVM = []string{old, better, best, cpp}
	found, err := findLLVM(t.Context(), "")
	check.NoError(t, err)
	check.Diff(t, "the newest", best, found.prefix)
	systemLLVM = []string{old, better}
	t.Setenv("MLIR_DIR", filepath.Join(best, "lib", "cmake", "mlir"))
	found, err = findLLVM(t.Context(), "")
	check.NoError(t, err)
	check.Diff(t, "that of MLIR_DIR", best, found.prefix)
}
