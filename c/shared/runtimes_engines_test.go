//go:build engines

package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
