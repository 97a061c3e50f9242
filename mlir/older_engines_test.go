//go:build engines

package mlir_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/native"
)

// newerThan19 has the tests that need what LLVM 19 lacks, with the reason.
var newerThan19 = map[string]string{
	"TestIntegerSet":                "attributes of integer sets",
	"TestEachAttribute":             "attributes of integer sets",
	"TestAttributeValues":           "attributes of integer sets",
	"TestFloatAttribute":            "f4E2M1FN and others",
	"TestFloatTypes":                "f4E2M1FN and others",
	"TestDense":                     "f4E2M1FN and others",
	"TestHintTables":                "the tables are those of LLVM 22",
	"TestHintFiles":                 "the tables are those of LLVM 22",
	"TestIRDL":                      "the syntax of IRDL",
	"TestCheckDialect":              "the syntax of IRDL",
	"ExampleContext_LoadIRDL":       "the syntax of IRDL",
	"TestPassReports":               "PrintIR",
	"TestGPUModuleToBinaryInScript": "the syntax of transform.apply_registered_pass",
	"TestPDL":                       "rewrites in Go",
	"TestPrintOptions":              "names of locations as prefixes",
	"ExamplePattern":                "patterns in Go",
}

// TestOldestLLVM runs the tests of this package that use LLVM with LLVM 19 in its place, in a
// child process.
func TestOldestLLVM(t *testing.T) {
	_, at := mlirtest.LLVM19(t)
	skip := []string{"TestOldestLLVM", "TestEveryOperation"} // the second has no subtests, and uses the default library
	for name := range newerThan19 {
		skip = append(skip, name)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.v", "-test.timeout=4m",
		"-test.run=/upstream_MLIR_library", "-test.skip=^("+strings.Join(skip, "|")+")$")
	child.Env = append(os.Environ(), native.LLVM.Env()+"="+at.Path)
	out, err := child.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, failed(string(out)))
	}
	// Without this a child that runs nothing would pass.
	passed := strings.Count(string(out), "--- PASS: ")
	if passed < 150 || !strings.Contains(string(out), "--- PASS: TestPipelines/upstream_MLIR_library") {
		t.Errorf("only %d tests passed", passed)
	}
}

// failed returns the output of a test binary without the lines of tests that passed.
func failed(out string) string {
	var kept []string
	for line := range strings.Lines(out) {
		if word := strings.TrimLeft(line, " "); !strings.HasPrefix(word, "=== ") &&
			!strings.HasPrefix(word, "--- PASS") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
