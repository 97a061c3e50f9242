//go:build engines

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/native"
)

// TestInstall builds programs with what is installed, by pkg-config, by CMake and by Bazel. The folder was moved
// before.
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
		header := filepath.Join(prefix, "include", "calliope.hpp")
		command(t, "c++", append([]string{"-std=c++17", "-fsyntax-only", header}, flags...)...)
		check.Diff(t, "version", version.Version+"\n", command(t, "pkg-config", "--modversion", "calliope"))
		if needs := command(t, "readelf", "-d", program); !strings.Contains(needs, "[libcalliope.so.0]") {
			t.Errorf("the program asks for another library:\n%s", needs)
		}
	})
	t.Run("bazel", func(t *testing.T) { bazel(t, prefix) })
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

// bazel builds programs with what is installed, by Bazel 2.1, which is the last that npm has. It would fetch its own
// rules from GitHub: those in the test are what it has built in. It needs npm.
func bazel(t *testing.T, prefix string) {
	t.Chdir(t.TempDir())
	command(t, "npm", "pack", "--silent", "@bazel/bazel-linux_x64@2.1.0")
	command(t, "tar", "-xf", "bazel-bazel-linux_x64-2.1.0.tgz")
	check.NoError(t, os.Chmod("package/bazel-2.1.0-linux-x86_64", 0o755))
	workspace := ""
	for name, path := range map[string]string{"calliope": prefix, "rules_cc": "rules_cc", "rules_java": "rules_java"} {
		workspace += fmt.Sprintf("local_repository(name = %q, path = %q)\n", name, path)
	}
	files := map[string]string{
		"WORKSPACE": workspace,
		"main.c":    "#include <calliope.h>\n#include <stdio.h>\nint main(void) { printf(\"%d\", calliope_version()); }\n",
		"main.cc":   "#include <calliope.hpp>\n#include <cstdio>\nint main() { calliope::check(calliope_free(nullptr)); std::printf(\"%d\", calliope_version()); }\n",
		"BUILD.bazel": `
cc_binary(name = "shared", srcs = ["main.cc"], copts = ["-std=c++17"], deps = ["@calliope//:calliope"])
cc_binary(name = "static", srcs = ["main.c"], deps = ["@calliope//:calliope_static"])
`,
	}
	for rules, symbols := range map[string]string{
		"cc":   "binary import library test toolchain toolchain_suite",
		"java": "binary import library package_configuration plugin runtime test toolchain",
	} {
		for symbol := range strings.FieldsSeq(symbols) {
			files["rules_"+rules+"/"+rules+"/defs.bzl"] += fmt.Sprintf("%s_%s = native.%[1]s_%[2]s\n", rules, symbol)
		}
		files["rules_"+rules+"/"+rules+"/BUILD.bazel"], files["rules_"+rules+"/WORKSPACE"] = "", ""
	}
	for name, text := range files {
		check.NoError(t, write(name, text))
	}
	command(t, "package/bazel-2.1.0-linux-x86_64", "--output_user_root="+t.TempDir(), "--batch", "build", ":shared",
		":static")
	for _, name := range []string{"shared", "static"} {
		check.Diff(t, name, "100", command(t, "bazel-bin/"+name))
	}
}

func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: this test needs a C compiler, pkg-config, CMake and npm\n%s%s", cmd, err, out, &stderr)
	}
	return string(out)
}
