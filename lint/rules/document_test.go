package rules_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/rules"
)

var update = flag.Bool("update", false, "write docs/reference/lint-rules.md")

const introduction = `# The rules of mlir-lint

<!-- Written by go generate ./lint/rules from the Details of the rules. -->

A rule has a name, which is in brackets at the end of each of its findings. The severities here are the
defaults. A repair is safe if the program computes, calls and sends the same after it. Old hooks count as that: the
callbacks get the same values in the same order. -fix makes the safe repairs, and -fix-unsafe also the others.

`

// TestDocument compares docs/reference/lint-rules.md with the rules; with -update it writes it.
func TestDocument(t *testing.T) {
	const path = "../../docs/reference/lint-rules.md"
	var text strings.Builder
	text.WriteString(introduction)
	classes := repairClasses(t)
	text.WriteString("| rule | what it finds | repair |\n|---|---|---|\n")
	all := append(rules.All(), command.OwnRules()...)
	for _, a := range all {
		fmt.Fprintf(&text, "| [%s](#%s) | %s | %s |\n", a.Name, a.Name, strings.ReplaceAll(a.Doc, "|", `\|`),
			classes[a.Name])
	}
	for _, a := range all {
		severity := a.Severity
		if severity == "" {
			severity = finding.Error
		}
		if !strings.HasPrefix(a.Details, "Severity: "+string(severity)) {
			t.Errorf("the Details of %s do not begin with its severity %v", a.Name, severity)
		}
		fmt.Fprintf(&text, "\n## %s\n\n%s\n", a.Name, a.Details)
	}
	if name := goName.FindString(text.String()); name != "" {
		t.Errorf("the page names %s, which is Go", name)
	}
	if *update {
		check.NoError(t, os.WriteFile(path, []byte(text.String()), 0o644))
	}
	written, err := os.ReadFile(path)
	check.NoError(t, err)
	if diff := cmp.Diff(string(written), text.String()); diff != "" {
		t.Errorf("%s is not current: run go generate ./lint/rules (-file +rules):\n%s", path, diff)
	}
}

// repairClasses returns whether the repairs of rules are safe, by the findings in testdata.
func repairClasses(t *testing.T) map[string]string {
	classes := map[string]string{}
	for _, file := range check.Must(filepath.Glob("testdata/*.mlir")) {
		data := check.Must(os.ReadFile(file))
		for _, d := range check.Must(lint.Check(mlirtest.LibraryFor(t, data), file, data, options(string(data)))) {
			if d.Fix == nil {
				continue
			}
			class := "safe"
			if d.Fix.Unsafe {
				class = "unsafe"
			}
			if other := classes[d.Rule]; other != "" && other != class {
				t.Errorf("%s has repairs that are %s, and others that are %s", d.Rule, class, other)
			}
			classes[d.Rule] = class
		}
	}
	return classes
}
