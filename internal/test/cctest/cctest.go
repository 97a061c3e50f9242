// Package cctest compiles C and C++ for tests.
package cctest

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Library compiles files in C or C++ into a shared library and returns its path. A file is found
// from the folder of the test. The compilers are $CC and $CXX, or cc and c++.
func Library(t testing.TB, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	var objects []string
	cplusplus := false
	for _, file := range files {
		object := filepath.Join(dir, filepath.Base(file)+".o")
		command := compiler("CC", "cc", "-std=c11")
		if filepath.Ext(file) != ".c" {
			command, cplusplus = compiler("CXX", "c++", "-std=c++17"), true
		}
		run(t, append(command, "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-fPIC", "-I", Include(), "-c", "-o",
			object, file))
		objects = append(objects, object)
	}
	command := compiler("CC", "cc")
	if cplusplus {
		command = compiler("CXX", "c++")
	}
	library := filepath.Join(dir, "library.so")
	run(t, append(append(command, "-shared", "-o", library), objects...))
	return library
}

// Source is Library for one text in C.
func Source(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "source.c")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Library(t, path)
}

// Include returns the folder of the headers for programs in C.
func Include() string { return filepath.Join(Root(), "c", "include") }

// Root returns the root of the module, which is above the folder of the test. It panics if it is not.
func Root() string {
	dir, err := os.Getwd()
	for ; err == nil && filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	panic(fmt.Sprint("there is no go.mod above the folder of the test: ", err))
}

func compiler(variable, name string, flags ...string) []string {
	return append(strings.Fields(cmp.Or(os.Getenv(variable), name)), flags...)
}

func run(t testing.TB, command []string) {
	t.Helper()
	if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v (CC and CXX name other compilers)\n%s", strings.Join(command, " "), err, out)
	}
}
