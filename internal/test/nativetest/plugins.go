package nativetest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/native"
)

// FurtherPlugins returns the CPU plugins that are not the default and can be fetched.
func FurtherPlugins(t *testing.T) []native.Part {
	t.Helper()
	plugins := slices.DeleteFunc(native.Plugins(), func(p native.Part) bool {
		return p == native.PJRTPlugin || !p.Fetchable()
	})
	if len(plugins) == 0 {
		t.Fatal("there is no further plugin for this platform")
	}
	return plugins
}

// OnFurtherPlugins runs the program of the test again on each of the FurtherPlugins, as OnPlugin does.
func OnFurtherPlugins(t *testing.T, selects string, names ...string) {
	for _, p := range FurtherPlugins(t) {
		t.Run(string(p), func(t *testing.T) {
			found, err := native.Ensure(t.Context(), p, native.EnsureOptions{})
			if err != nil {
				t.Fatal(err)
			}
			OnPlugin(t, found.Path, selects, names...)
		})
	}
}

// OnPlugin runs the program of the test again on the plugin of a path, with a flag that selects tests, and fails unless
// all tests that are named pass. The run is a child process, because the custom call targets of XLA are the process's
// and bridge.Open loads what CALLIOPE_PJRT_PLUGIN names.
func OnPlugin(t *testing.T, path, selects string, names ...string) {
	ctx, cancel := context.WithTimeout(t.Context(), 11*time.Minute)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], selects, "-test.v", "-test.timeout=10m")
	child.Env = append(os.Environ(), native.PJRTPlugin.Env()+"="+path)
	out, err := child.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, failures(string(out)))
	}
	for _, name := range names { // without this a child that runs nothing would pass
		if !strings.Contains(string(out), "--- PASS: "+name+" (") {
			t.Errorf("%s did not pass", name)
		}
	}
}

// OwnPlugin builds c/plugin, and returns its path.
func OwnPlugin(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "libcalliope_pjrt.so")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-w", "-buildmode=c-shared", "-o", path,
		"github.com/calliope-mlir/calliope/c/plugin")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	return path
}

// failures returns the output of a test binary without the lines of tests that passed.
func failures(out string) string {
	var kept []string
	for line := range strings.Lines(out) {
		if word := strings.TrimLeft(line, " "); !strings.HasPrefix(word, "=== ") &&
			!strings.HasPrefix(word, "--- PASS") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
