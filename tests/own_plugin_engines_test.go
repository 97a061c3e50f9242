//go:build engines

package tests

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/nativetest"
)

// TestOwnPlugin runs programs on c/plugin by its path alone: the engines' contract, callbacks on several devices and in
// an order, and the programs of documents.
func TestOwnPlugin(t *testing.T) {
	names := []string{
		"TestContractOfEngines", "TestDevicePolicies", "TestOnceOfReplicas", "TestOrderOverDevices",
		"TestFailureOnOneDevice", "TestSequence", "TestConditionCalls", "TestBranchesKeepValues", "TestTapIf",
		"TestJAXVersions", "TestReadme", "TestTutorial",
	}
	nativetest.OnPlugin(t, nativetest.OwnPlugin(t), "-test.run=^("+strings.Join(names, "|")+")$", names...)
}
