//go:build engines

package tests

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/native"
)

// TestPoliciesOnFurtherPlugins runs the tests of device policies on the CPU plugins that are not the default, each in
// a child process.
func TestPoliciesOnFurtherPlugins(t *testing.T) {
	plugins := slices.DeleteFunc(native.Plugins(), func(p native.Part) bool {
		return p == native.PJRTPlugin || !p.Fetchable()
	})
	if len(plugins) == 0 {
		t.Fatal("there is no further plugin for this platform")
	}
	names := []string{"TestPolicyOrder", "TestDevicePolicies", "TestOnceOfReplicas", "TestOrderOverDevices", "TestFailureOnOneDevice"}
	for _, p := range plugins {
		t.Run(string(p), func(t *testing.T) {
			found, err := native.Ensure(t.Context(), p, native.EnsureOptions{})
			check.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			child := exec.CommandContext(ctx, os.Args[0], "-test.run=^("+strings.Join(names, "|")+")$", "-test.v")
			child.Env = append(os.Environ(), native.PJRTPlugin.Env()+"="+found.Path)
			out, err := child.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			for _, name := range names {
				if !strings.Contains(string(out), "--- PASS: "+name+" (") {
					t.Errorf("%s did not pass", name)
				}
			}
		})
	}
}
