//go:build engines

package bridge

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/native"
)

// TestFurtherPlugins runs the other tests of this package on the CPU plugins that are not
// the default. Each runs in a child process, because the custom call targets of XLA are the
// process's and Open loads what CALLIOPE_PJRT_PLUGIN names.
func TestFurtherPlugins(t *testing.T) {
	plugins := slices.DeleteFunc(native.Plugins(), func(p native.Part) bool {
		return p == native.PJRTPlugin || !p.Fetchable()
	})
	if len(plugins) == 0 {
		t.Fatal("there is no further plugin for this platform")
	}
	for _, p := range plugins {
		t.Run(string(p), func(t *testing.T) {
			found, err := native.Ensure(t.Context(), p, native.EnsureOptions{})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			child := exec.CommandContext(ctx, os.Args[0], "-test.skip=^TestFurtherPlugins$", "-test.v", "-test.timeout=4m")
			child.Env = append(os.Environ(), native.PJRTPlugin.Env()+"="+found.Path)
			out, err := child.CombinedOutput()
			// The output of a test that passed is of no use here.
			if err != nil {
				t.Errorf("%v\n%s", err, failures(string(out)))
			}
			// Without this a child that runs nothing would pass.
			for _, name := range []string{"TestOpen", "TestWaysOfDispatch", "TestCallbackErrors", "TestLayouts", "TestLoadInAnotherProcess", "TestCacheBindsCallbacks"} {
				if !strings.Contains(string(out), "--- PASS: "+name+" (") {
					t.Errorf("%s did not pass", name)
				}
			}
		})
	}
}

// failures returns the output of a test binary without the lines of tests that passed.
func failures(out string) string {
	var kept []string
	for line := range strings.Lines(out) {
		if word := strings.TrimLeft(line, " "); !strings.HasPrefix(word, "=== ") && !strings.HasPrefix(word, "--- PASS") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
