//go:build engines

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/version"
	"github.com/calliope-mlir/calliope/native"
)

// TestInstall builds the host in C with what is installed, by pkg-config and by CMake, which it needs. The folder was
// moved before.
func TestInstall(t *testing.T) {
	made, prefix := filepath.Join(t.TempDir(), "made"), filepath.Join(t.TempDir(), "moved")
	check.NoError(t, install(made, false))
	check.NoError(t, os.Rename(made, prefix))
	root := check.Must(filepath.Abs("../.."))
	plugin := check.Must(native.Ensure(t.Context(), native.PJRTPlugin, native.EnsureOptions{})).Path
	want := string(check.Must(os.ReadFile(filepath.Join(root, "examples", "embed", "testdata", "c.txt"))))
	source := filepath.Join(root, "examples", "embed", "c", "host.c")

	for _, name := range []string{"LICENSE", "NOTICE"} {
		_, err := os.Stat(filepath.Join(prefix, "share", "doc", "calliope", name))
		check.NoError(t, err)
	}
	for _, name := range []string{"calliope.h", "calliope.hpp", "calliope_custom_call.h"} {
		installed := check.Must(os.ReadFile(filepath.Join(prefix, "include", name)))
		check.Diff(t, name, string(check.Must(os.ReadFile(filepath.Join(root, "c", "include", name)))),
			string(installed))
	}

	t.Run("pkg-config", func(t *testing.T) {
		t.Setenv("PKG_CONFIG_PATH", filepath.Join(prefix, "lib", "pkgconfig"))
		program := filepath.Join(t.TempDir(), "host")
		flags := strings.Fields(command(t, "pkg-config", "--cflags", "--libs", "calliope"))
		command(t, "cc", append([]string{"-std=gnu11", "-o", program, source, "-ldl"}, flags...)...)
		t.Setenv("LD_LIBRARY_PATH", filepath.Join(prefix, "lib"))
		check.Diff(t, "output", want, command(t, program, plugin))
		check.Diff(t, "version", version.Version+"\n", command(t, "pkg-config", "--modversion", "calliope"))
		if needs := command(t, "readelf", "-d", program); !strings.Contains(needs, "[libcalliope.so.0]") {
			t.Errorf("the program asks for another library:\n%s", needs)
		}
	})
	t.Run("cmake", func(t *testing.T) {
		folder, build := t.TempDir(), t.TempDir()
		project := "cmake_minimum_required(VERSION 3.16)\nproject(host C)\nset(CMAKE_C_STANDARD 11)\nfind_package(Calliope 0.1 REQUIRED)\n"
		for name, target := range map[string]string{"host": "calliope", "host_static": "calliope_static"} {
			project += "add_executable(" + name + " " + source + ")\ntarget_link_libraries(" + name + " Calliope::" +
				target + " ${CMAKE_DL_LIBS})\n"
		}
		check.NoError(t, os.WriteFile(filepath.Join(folder, "CMakeLists.txt"), []byte(project), 0o600))
		command(t, "cmake", "-S", folder, "-B", build, "-DCMAKE_PREFIX_PATH="+prefix)
		command(t, "cmake", "--build", build)
		for _, name := range []string{"host", "host_static"} {
			check.Diff(t, name, want, command(t, filepath.Join(build, name), plugin))
		}
		project = strings.Replace(project, "Calliope 0.1", "Calliope 0.2", 1)
		check.NoError(t, os.WriteFile(filepath.Join(folder, "CMakeLists.txt"), []byte(project), 0o600))
		if out, err := exec.Command("cmake", "-S", folder, "-B", t.TempDir(),
			"-DCMAKE_PREFIX_PATH="+prefix).CombinedOutput(); err == nil {
			t.Errorf("0.1 is taken for 0.2: %s", out)
		}
	})
}

func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: this test needs a C compiler, pkg-config and CMake\n%s%s", cmd, err, out, &stderr)
	}
	return string(out)
}
