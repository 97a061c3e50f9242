package legacy_test

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/legacy"
	"github.com/calliope-mlir/calliope/internal/test/cctest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

const misbehaviour, misbehaving = "CALLIOPE_TEST_MISBEHAVIOUR", "CALLIOPE_TEST_MISBEHAVING" // a number, and a library

// TestMisbehaviour has functions of C crash and write beyond their arrays, in child processes. The message names the
// function. In debug mode a write beyond an array is an error, or a crash where it happens.
func TestMisbehaviour(t *testing.T) {
	if way := os.Getenv(misbehaviour); way != "" {
		s := site{version: 1, operands: shapes("s32[]"), results: shapes("s32[9]")}
		r := serve(t, check.Must(check.Must(legacy.Open(os.Getenv(misbehaving))).Function("misbehave")), "f",
			callbacks.Options{})
		_, err := s.run(t, r.Name(), tensor.Scalar(int32(check.Must(strconv.Atoi(way)))))
		t.Fatalf("the error of the run: %v", err)
	}
	file := cctest.Library(t, "testdata/misbehave.c")
	const crash = `calliope: the function of the custom call "f" crashed with signal `
	const advice = ", so the process ends: check that it stays within its arrays; CALLIOPE_DEBUG=1 finds what writes beyond them"
	for _, test := range []struct {
		name, way, debug string
		want             []string
	}{
		{"null", "0", "0", []string{crash + "11 at the address 0x8" + advice, "SIGSEGV"}},
		{"abort", "1", "0", []string{crash + "6" + advice, "SIGABRT"}},
		{"division by zero", "2", "0", []string{crash + "8 at the address 0x", "SIGFPE"}},
		{"28 bytes", "3", "1", []string{`the error of the run: callbacks: callback "f" on device 0: the function wrote 28 bytes beyond the end of result 0, s32[9]`}},
		{"a megabyte", "4", "1", []string{crash + "11 at the address 0x", "SIGSEGV"}},
		{"a byte before", "5", "1", []string{`the error of the run: callbacks: callback "f" on device 0: the function wrote 1 bytes before the beginning of result 0, s32[9]`}},
		{"the operand", "6", "1", []string{crash + "11 at the address 0x", "SIGSEGV"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "division by zero" && runtime.GOARCH == "arm64" {
				t.Skip("this processor gives 0")
			}
			child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMisbehaviour$", "-test.timeout=1m")
			child.Env = append(os.Environ(), misbehaviour+"="+test.way, misbehaving+"="+file,
				"CALLIOPE_DEBUG="+test.debug)
			out, err := child.CombinedOutput()
			if err == nil {
				t.Error("the child did not fail")
			}
			for _, want := range test.want {
				if !strings.Contains(string(out), want) {
					t.Errorf("the output lacks %q:\n%s", want, out)
				}
			}
		})
	}
}
