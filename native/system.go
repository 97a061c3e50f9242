package native

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/version"
)

// The releases of LLVM whose C API is known.
const (
	oldestLLVM = 19
	newestLLVM = 23
)

// installation is an LLVM with MLIR that is installed, or built, on this machine.
type installation struct {
	prefix   string
	lib      string   // the folder with its libraries
	version  string   // such as 19.1.7
	release  int      // such as 19
	whole    string   // the path of libMLIR-C.so, or ""
	archives []string // the paths of the static libraries of the C API
	mlir     string   // the path of libMLIR.so, or ""
}

func (i installation) String() string { return "LLVM " + i.version + " in " + i.prefix }

// installations returns the folders in which an LLVM may be: where the tools and CMake variables
// of one say, and where systems have them.
func installations(ctx context.Context) (prefixes []string) {
	add := func(prefix string) {
		if path, err := filepath.EvalSymlinks(prefix); err == nil && !slices.Contains(prefixes, path) {
			prefixes = append(prefixes, path)
		}
	}
	for _, env := range []string{"MLIR_DIR", "LLVM_DIR"} {
		if dir := os.Getenv(env); dir != "" {
			add(dir)
		}
	}
	programs := []string{"llvm-config"}
	for release := newestLLVM; release >= oldestLLVM; release-- {
		programs = append(programs, fmt.Sprintf("llvm-config-%d", release))
	}
	for _, program := range programs {
		if out, err := command(ctx, "", []string{program, "--prefix"}).Output(); err == nil {
			add(strings.TrimSpace(string(out)))
		}
	}
	for _, pattern := range systemLLVM {
		dirs, _ := filepath.Glob(pattern) // the patterns are valid
		slices.Reverse(dirs)
		for _, dir := range dirs {
			add(dir)
		}
	}
	return prefixes
}

// systemLLVM has patterns of the folders in which systems have LLVM. Tests replace it.
var systemLLVM = []string{"/usr/lib/llvm-*", "/usr/lib/llvm*", "/usr/lib64/llvm*", "/opt/llvm*", "/usr/local", "/usr"}

// findLLVM returns the installation below a prefix, or the newest usable one of the system if
// the prefix is empty.
func findLLVM(ctx context.Context, prefix string) (installation, error) {
	if prefix != "" {
		return inspectLLVM(prefix)
	}
	var best installation
	var first error
	looked := installations(ctx)
	for _, prefix := range looked {
		found, err := inspectLLVM(prefix)
		switch {
		case err == nil && (best.prefix == "" || compareVersions(found.version, best.version) > 0):
			best = found
		case err != nil && found.prefix != "" && first == nil:
			first = err
		}
	}
	switch {
	case best.prefix != "":
		return best, nil
	case first != nil:
		return installation{}, first
	}
	return installation{},
		fmt.Errorf("native: no LLVM with MLIR was found in %s: give the folder that has its lib, or %s",
			strings.Join(looked, ", "), insteadOfLLVM)
}

// insteadOfLLVM is how to go on without an installed LLVM.
var insteadOfLLVM = fmt.Sprintf("run `%s %s`, which fetches one", version.Fetch, string(LLVM))

var packageVersion = regexp.MustCompile(`(?m)^set\(PACKAGE_VERSION "(\d+)(\.[\d.]+)`)

// inspectLLVM returns the installation below a folder, or above it if it is one for CMake. The
// error says what to do; then the installation has a prefix if there is one that cannot be used.
func inspectLLVM(prefix string) (installation, error) {
	prefix, err := filepath.Abs(prefix)
	if err != nil {
		return installation{}, fmt.Errorf("native: %s: %w", prefix, err)
	}
	if filepath.Base(filepath.Dir(prefix)) == "cmake" { // as MLIR_DIR
		prefix = filepath.Join(prefix, "..", "..", "..")
	}
	var i installation
	for _, lib := range []string{filepath.Join(prefix, "lib"), filepath.Join(prefix, "lib64"), prefix} {
		if names, _ := filepath.Glob(filepath.Join(lib, "cmake", "*", "*ConfigVersion.cmake")); i.lib == "" &&
			hasLLVM(names) {
			i.prefix, i.lib = filepath.Dir(lib), lib
		}
	}
	if i.lib == "" {
		return installation{}, fmt.Errorf("native: there is no LLVM in %s, which has no lib/cmake/mlir: give the folder that has its lib, or %s", prefix, insteadOfLLVM)
	}
	for _, name := range []string{"mlir/MLIR", "llvm/LLVM"} {
		text, err := os.ReadFile(filepath.Join(i.lib, "cmake", filepath.FromSlash(name)+"ConfigVersion.cmake"))
		if m := packageVersion.FindSubmatch(text); err == nil && m != nil && i.version == "" {
			i.version = string(m[1]) + string(m[2])
			i.release, _ = strconv.Atoi(string(m[1]))
		}
	}
	glob := func(pattern string) []string {
		paths, _ := filepath.Glob(filepath.Join(i.lib, pattern)) // the patterns are valid
		return slices.DeleteFunc(paths, func(path string) bool {
			info, err := os.Stat(path)
			return err != nil || !info.Mode().IsRegular()
		})
	}
	i.archives = glob("libMLIRCAPI*.a")
	if paths := glob("libMLIR-C.so*"); len(paths) > 0 {
		i.whole = paths[len(paths)-1]
	}
	if paths := glob("libMLIR.so*"); len(paths) > 0 {
		i.mlir = paths[len(paths)-1]
	}
	return i, i.usable()
}

// hasLLVM reports whether these are files of an LLVM's CMake packages.
func hasLLVM(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return strings.HasSuffix(name, "MLIRConfigVersion.cmake") || strings.HasSuffix(name, "LLVMConfigVersion.cmake")
	})
}

// usable returns an error that says how to go on if the C API cannot be made of the
// installation.
func (i installation) usable() error {
	packages := fmt.Sprintf("install MLIR's development files (Debian: the package libmlir-%d-dev)", i.release)
	switch {
	case i.version == "":
		return fmt.Errorf("native: the LLVM in %s does not state its version in lib/cmake: give another folder, or %s",
			i.prefix, insteadOfLLVM)
	case i.release < oldestLLVM:
		return fmt.Errorf("native: %s is too old: the oldest release with a C API that can be used is %d; install one from %[2]d to %d, or %s", i, oldestLLVM, newestLLVM, insteadOfLLVM)
	case i.whole != "" || len(i.archives) > 0:
		return nil
	case i.mlir != "":
		return fmt.Errorf("native: %s has only MLIR's C++ functions, in %s: %s, build LLVM with MLIR_BUILD_MLIR_C_DYLIB=ON, or %s", i, filepath.Base(i.mlir), packages, insteadOfLLVM)
	}
	return fmt.Errorf("native: %s has no MLIR: %s, build LLVM with LLVM_ENABLE_PROJECTS=mlir, or %s", i, packages,
		insteadOfLLVM)
}

// parts returns the arguments for the linker that follow those of the C API's archives: the
// libraries of MLIR and LLVM, shared if the installation has them, and the folders of the
// shared ones.
func (i installation) parts(ctx context.Context, cxx []string) (args, folders []string, err error) {
	if i.mlir != "" {
		f, err := elf.Open(i.mlir)
		if err != nil {
			return nil, nil, fmt.Errorf("native: %s cannot be read: %w", i.mlir, err)
		}
		defer f.Close()
		needed, err := f.ImportedLibraries()
		if err != nil {
			return nil, nil, fmt.Errorf("native: %s cannot be read: %w", i.mlir, err)
		}
		args, folders = []string{"-Wl,--no-as-needed", i.mlir}, []string{i.lib}
		for _, name := range needed {
			if !strings.HasPrefix(name, "libLLVM") {
				continue
			}
			path := i.beside(name)
			if path == "" {
				return nil, nil, fmt.Errorf("native: %s needs %s, which is not there: install it (Debian: the package libllvm%d), or %s", i.mlir, name, i.release, insteadOfLLVM)
			}
			args, folders = append(args, path), append(folders, filepath.Dir(path))
		}
		// Since LLVM 23, Debian's libMLIR.so has no execution engine.
		engine, _ := filepath.Glob(filepath.Join(i.lib, "libMLIRExecutionEngine*.a"))
		return append(args, engine...), folders, nil
	}
	archives, _ := filepath.Glob(filepath.Join(i.lib, "libMLIR*.a"))
	archives = slices.DeleteFunc(archives, func(path string) bool {
		name := filepath.Base(path)
		return strings.HasPrefix(name, "libMLIRCAPI") || strings.HasPrefix(name, "libMLIRTest")
	})
	if llvm, _ := filepath.Glob(filepath.Join(i.lib, "libLLVM*.a")); len(llvm) > 0 {
		// The library tells its release with LLVMGetVersion.
		args = slices.Concat([]string{"-Wl,-u,LLVMGetVersion", "-Wl,--start-group"}, archives, llvm,
			[]string{"-Wl,--end-group"})
		return append(args, systemLibraries(ctx, cxx)...), nil, nil
	}
	shared := i.beside("libLLVM.so")
	if shared == "" {
		return nil, nil, fmt.Errorf("native: %s has neither libLLVM.so nor LLVM's static libraries: install them (Debian: the package llvm-%d-dev), or %s", i, i.release, insteadOfLLVM)
	}
	args = slices.Concat([]string{"-Wl,--start-group"}, archives,
		[]string{"-Wl,--end-group", "-Wl,--no-as-needed", shared})
	return args, []string{filepath.Dir(shared)}, nil
}

// beside returns the path of a shared library that MLIR's needs, or "".
func (i installation) beside(name string) string {
	triple := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[runtime.GOARCH]
	dirs := append([]string{i.lib, filepath.Join(i.prefix, "..", triple), filepath.Join(i.prefix, "lib", triple)},
		systemDirs()...)
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// systemLibraries returns arguments for the libraries that LLVM's static ones may need, as far
// as the system has them. The linker takes those that are needed.
func systemLibraries(ctx context.Context, cxx []string) []string {
	args := []string{"-Wl,--as-needed", "-lpthread", "-ldl", "-lm", "-lrt"}
	for _, name := range []string{"libz.so", "libzstd.so", "libxml2.so", "libffi.so", "libedit.so", "libtinfo.so",
		"libz3.so"} {
		candidates := []string{name}
		for number := 9; number > 0; number-- {
			candidates = append(candidates, fmt.Sprintf("%s.%d", name, number))
		}
		for _, candidate := range candidates {
			out, err := command(ctx, "", append(slices.Clone(cxx), "-print-file-name="+candidate)).Output()
			if path := strings.TrimSpace(string(out)); err == nil && path != candidate {
				args = append(args, path)
				break
			}
		}
	}
	return args
}

// compareVersions compares two versions of numbers with dots.
func compareVersions(a, b string) int {
	numbers := func(version string) (list []int) {
		for _, part := range strings.Split(version, ".") {
			n, _ := strconv.Atoi(part)
			list = append(list, n)
		}
		return list
	}
	return slices.Compare(numbers(a), numbers(b))
}

var errNotLinux = errors.New("native: an installed LLVM can be linked on Linux only: set " + table[MLIR].env +
	" to the path of its libMLIR-C")
