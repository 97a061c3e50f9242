//go:build engines

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/native"
)

// TestPythonSignals holds that KeyboardInterrupt, handlers in Python, fork and faulthandler work beside the library. It
// needs Python.
func TestPythonSignals(t *testing.T) {
	golden(t, "python.txt", run(t, "python3", "testdata/signals.py", filepath.Join(built, "libcalliope.so")))
}

// TestJVM holds that callbacks run in Java, on threads of the JVM and of the library, and that the JVM's null checks,
// which are faults, work beside the library and in calls. It needs a JDK.
func TestJVM(t *testing.T) {
	javac, err := exec.LookPath("javac")
	if err != nil {
		t.Fatalf("%v: this test needs a JDK with java and javac in PATH", err)
	}
	if javac, err = filepath.EvalSymlinks(javac); err != nil {
		t.Fatal(err)
	}
	home, folder := filepath.Dir(filepath.Dir(javac)), t.TempDir()
	run(t, javac, "-d", folder, "testdata/jvm/Host.java")
	stub := filepath.Join(folder, "libhost.so")
	compiler(t, "-shared", "-fPIC", "-o", stub, "testdata/jvm/host.c", "-I"+home+"/include", "-I"+home+"/include/linux",
		"-L"+built, "-lcalliope", "-Wl,-rpath,"+built)
	java := filepath.Join(home, "bin", "java")
	for _, options := range []string{"-XX:TieredStopAtLevel=4", "-Xcomp -XX:CompileCommand=quiet -XX:CompileOnly=Host",
		"-Xint"} {
		t.Run(options, func(t *testing.T) {
			args := append(strings.Fields(options), "-cp", folder, "Host", stub)
			golden(t, "jvm.txt", run(t, java, args...))
		})
	}
}

// TestDescribedGPU compiles modules with callbacks by XLA's plugin for GPUs, for one that is described and not there.
// What XLA makes of them has all calls that must be made, with their side effects and aliases. The library's handlers
// are instantiated. It fetches the plugin, and NVIDIA's assembler from PyPI.
func TestDescribedGPU(t *testing.T) {
	plugin, cuda, program := part(t, native.CUDA), assembler(t), compile(t, "described.c")
	// compiled returns a file that XLA writes about a module.
	compiled := func(module, suffix string) string {
		dump := t.TempDir()
		flags := "XLA_FLAGS=--xla_dump_hlo_as_text --xla_dump_to=" + dump + " --xla_gpu_cuda_data_dir=" + cuda
		runIn(t, []string{flags}, program, plugin, "testdata/h100.txt", module)
		files := check.Must(filepath.Glob(filepath.Join(dump, "*"+suffix)))
		return string(check.Must(os.ReadFile(files[0])))
	}
	var got strings.Builder
	text := compiled("testdata/described.mlir", "after_optimizations.txt")
	for _, call := range regexp.MustCompile(`custom-call\(.*`).FindAllString(text, -1) {
		got.WriteString(regexp.MustCompile(`\(%[^)]*\)| metadata=\{[^}]*\},`).ReplaceAllString(call, "") + "\n")
	}
	golden(t, "described.txt", got.String())

	// XLA lets a function in a branch overwrite a value that is needed later, as on CPUs, unless the module is
	// prepared.
	prepared := filepath.Join(t.TempDir(), "prepared.mlir")
	run(t, "go", "run", "../../tools/calliope-opt", "--prepare", "-o", prepared, "testdata/branch.mlir")
	for module, shared := range map[string]bool{"testdata/branch.mlir": true, prepared: false} {
		var together bool
		for memory := range strings.SplitSeq(compiled(module, "buffer-assignment.txt"), "\nallocation ") {
			together = together || strings.Contains(memory, " custom-call") && strings.Contains(memory, " wrapped_add")
		}
		check.Diff(t, filepath.Base(module)+": the value is in the memory of the call", shared, together)
	}
	compileAmongTraps(t, program, plugin, cuda)
}

// compileAmongTraps compiles in a folder of a stranger that has cuda_sdk_lib. XLA runs the programs in it, unless the
// flag that package bridge sets names another folder.
func compileAmongTraps(t *testing.T, program, plugin, cuda string) {
	folder, ran := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	check.NoError(t, os.MkdirAll(filepath.Join(folder, "cuda_sdk_lib", "bin"), 0o700))
	trap := "#!/bin/sh\necho >> " + ran + "\nexec " + filepath.Join(cuda, "bin", "ptxas") + " \"$@\"\n"
	check.NoError(t, os.WriteFile(filepath.Join(folder, "cuda_sdk_lib", "bin", "ptxas"), []byte(trap), 0o700))
	description := check.Must(filepath.Abs("testdata/h100.txt"))
	module := check.Must(filepath.Abs("testdata/branch.mlir"))
	t.Chdir(folder)
	for flags, trapped := range map[string]bool{"": true, "--xla_gpu_cuda_data_dir=" + cuda: false} {
		runIn(t, []string{"XLA_FLAGS=" + flags}, program, plugin, description, module)
		if _, err := os.Stat(ran); err == nil != trapped {
			t.Errorf("with XLA_FLAGS=%q, the stranger's program ran: %v, want %v", flags, err == nil, trapped)
		}
		_ = os.Remove(ran)
	}
}

// assembler returns a folder of CUDA with what XLA compiles with.
func assembler(t *testing.T) string {
	folder := t.TempDir()
	run(t, "python3", "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
		"--disable-pip-version-check", "--platform", "manylinux2014_x86_64", "-d", folder, "nvidia-cuda-nvcc==13.5.37")
	run(t, "python3", "-m", "zipfile", "-e", check.Must(filepath.Glob(filepath.Join(folder, "*.whl")))[0], folder)
	cuda := filepath.Join(folder, "nvidia", "cu13")
	for _, program := range []string{"ptxas", "nvlink"} {
		check.NoError(t, os.Chmod(filepath.Join(cuda, "bin", program), 0o700))
	}
	return cuda
}
