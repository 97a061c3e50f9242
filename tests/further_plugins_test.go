//go:build engines

package tests

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/nativetest"
)

// TestFurtherPlugins runs what depends on XLA on the CPU plugins that are not the default.
func TestFurtherPlugins(t *testing.T) {
	names := []string{
		"TestPolicyOrder", "TestDevicePolicies", "TestOnceOfReplicas", "TestOrderOverDevices", "TestFailureOnOneDevice",
		"TestPrepared",
		"TestConditionCalls", "TestBranchesKeepValues", "TestDonatedParameterIsKept", "TestSpellings",
		"TestJAXVersions",
	}
	nativetest.OnFurtherPlugins(t, "-test.run=^("+strings.Join(names, "|")+")$", names...)
}
