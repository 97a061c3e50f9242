package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCPP makes calls of closures in C++, which throw, too. It needs a C++ compiler. Clang compiles the header as
// well, where it is installed.
func TestCPP(t *testing.T) {
	object := filepath.Join(t.TempDir(), "fake.o")
	compiler(t, "-c", "-o", object, "testdata/fake.c")
	program := filepath.Join(t.TempDir(), "cpp")
	compilers := []string{cmp.Or(os.Getenv("CXX"), "c++")}
	if clang, err := exec.LookPath("clang++"); err == nil {
		compilers = append(compilers, clang)
	}
	for _, cxx := range compilers {
		t.Run(filepath.Base(cxx), func(t *testing.T) {
			command := append(strings.Fields(cxx), "-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-g", "-I../include",
				"-o", program, "testdata/cpp.cc", object, "-L"+built, "-lcalliope", "-Wl,-rpath,"+built, "-pthread")
			if *sanitize {
				command = append(command, "-fsanitize=address")
			}
			out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v (the environment variable CXX names another compiler)\n%s", strings.Join(command, " "), err, out)
			}
			golden(t, "cpp.txt", run(t, program))
		})
	}
}
