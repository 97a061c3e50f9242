package mlir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestErrorNotes checks that the text of an error has the notes of the library, below the error
// that they explain.
func TestErrorNotes(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"previous definition", "func.func @f(%a: i32) {\n  %a = arith.addi %a, %a : i32\n}", `
n.mlir:2:3: error: redefinition of SSA value '%a'
  n.mlir:1:14: note: previously defined here`},
		{"lines of an operation", "func.func @f() { return }\nfunc.func @f() { return }", `
n.mlir:2:1: error: redefinition of symbol named 'f'
  n.mlir:2:1: note: see current operation:
    "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
      "func.return"() : () -> ()
    }) : () -> ()
  n.mlir:1:1: note: see existing symbol definition here`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := mlirtest.Context(t).Parse("n.mlir", []byte(test.text))
			if diff := cmp.Diff("mlir: parse failed: "+strings.TrimPrefix(test.want, "\n"), fmt.Sprint(err)); diff !=
				"" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// TestErrorText checks where the notes of several errors stand, and that long ones are cut.
func TestErrorText(t *testing.T) {
	at := func(line int, severity mlir.Severity, message string, notes ...mlir.Diagnostic) mlir.Diagnostic {
		return mlir.Diagnostic{Severity: severity, Position: mlir.Position{File: "n", Line: line, Column: 1},
			Message: message, Notes: notes}
	}
	note := func(line int, message string, notes ...mlir.Diagnostic) mlir.Diagnostic {
		return at(line, mlir.SeverityNote, message, notes...)
	}
	lines := strings.Repeat("line\n", 99) + "line"
	err := &mlir.DiagnosticError{Op: "parse", Hint: "use another library", Diagnostics: []mlir.Diagnostic{
		at(1, mlir.SeverityError, "first", note(2, "outer", note(3, "inner"))),
		at(4, mlir.SeverityWarning, "not an error", note(5, "of a warning")),
		at(6, mlir.SeverityError, "second", note(7, lines), note(8, strings.Repeat("x", 1000))),
	}}
	want := `mlir: parse failed: n:1:1: error: first; use another library
  n:2:1: note: outer
    n:3:1: note: inner
n:6:1: error: second
  n:7:1: note: line
` + strings.Repeat("    line\n", 9) + `    … and 90 more lines
  n:8:1: note: ` + strings.Repeat("x", 400-len("n:8:1: note: ")) + `…`
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

// TestBuildErrorNotes checks that the error of a Builder has the notes of the library, but not its position twice.
func TestBuildErrorNotes(t *testing.T) {
	note := func(text string) mlir.Diagnostic {
		return mlir.Diagnostic{Severity: mlir.SeverityNote, Position: mlir.Position{File: "n", Line: 2, Column: 1},
			Message: text}
	}
	err := &mlir.BuildError{File: "m.go", Line: 7,
		Err: &mlir.DiagnosticError{Op: "create t.op", Diagnostics: []mlir.Diagnostic{
			{Severity: mlir.SeverityError, Message: "first",
				Notes: []mlir.Diagnostic{note("see current operation: t.op"), note("here")}},
			{Severity: mlir.SeverityError, Message: "second"},
		}}}
	if diff := cmp.Diff("m.go:7: create t.op: first; second\n  n:2:1: note: here", err.Error()); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

// TestOperationShownOnce checks that an error whose notes repeat an operation, or one in it, shows it once.
func TestOperationShownOnce(t *testing.T) {
	const function = "\"gpu.func\"() ({\n  \"gpu.return\"() : () -> ()\n}) : () -> ()"
	const module = "\"gpu.module\"() ({\n  \"gpu.func\"() ({\n    \"gpu.return\"() : () -> ()\n  }) : () -> ()\n}) : () -> ()"
	at := func(message, operation string) mlir.Diagnostic {
		return mlir.Diagnostic{Message: message, Notes: []mlir.Diagnostic{
			{Severity: mlir.SeverityNote, Message: "see current operation: \n" + operation},
			{Severity: mlir.SeverityNote, Message: "of " + message}}}
	}
	err := &mlir.DiagnosticError{Op: "the pass", Diagnostics: []mlir.Diagnostic{
		at("one", module), at("two", function), at("three", module), at("four", "\"gpu.binary\"() : () -> ()")}}
	text := err.Error()
	check.Diff(t, "times", []int{1, 1, 1}, []int{strings.Count(text, "gpu.return"), strings.Count(text, "of two"),
		strings.Count(text, "gpu.binary")})
	check.Diff(t, "all are kept", 2, len(err.Diagnostics[2].Notes))
}
