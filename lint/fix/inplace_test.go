package fix_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint/rules"
	"github.com/calliope-mlir/calliope/mlir"
)

// hooked returns texts of modules with old hooks, by name: those of the corpus, and one for each shape of hooks.
func hooked(t *testing.T) map[string]string {
	texts := map[string]string{}
	for _, row := range check.Rows(t, filepath.Join(corpus, "INDEX.tsv")) {
		if row["legacy_hooks"] == "yes" && row["kind"] == "good" && row["form"] == "text" {
			texts[row["file"]] = string(check.Must(os.ReadFile(filepath.Join(corpus, row["file"]))))
		}
	}
	for part := range strings.SplitSeq(string(check.Must(os.ReadFile("testdata/shapes.mlir"))), "// -----\n") {
		name, _, _ := strings.Cut(part, "\n")
		texts[strings.TrimPrefix(name, "// ")] = part
	}
	return texts
}

// comments returns the comments of a text.
func comments(text string) (all []string) {
	for line := range strings.Lines(text) {
		if _, comment, ok := strings.Cut(line, "//"); ok {
			all = append(all, strings.TrimSpace(comment))
		}
	}
	return all
}

// involved finds the lines that may be about hooks.
var involved = regexp.MustCompile(`token|feed|ui16|ui32|tuple|return|func|call|\}`)

// Modules with old hooks are rewritten where they have hooks, in whatever way they are written: the
// comments stay, in their order, and so do lines that are not about hooks.
func TestInPlace(t *testing.T) {
	texts := hooked(t)
	if len(texts) < 20 {
		t.Errorf("there are only %d modules", len(texts))
	}
	printed := func(text string, o mlir.PrintOptions) string {
		return mlirtest.Parse(t, mlirtest.Context(t), text).Operation().Print(o) + "\n"
	}
	for form, write := range map[string]func(string) string{
		"as it is": func(text string) string { return text },
		"CRLF":     func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") },
		"printed":  func(text string) string { return printed(text, mlir.PrintOptions{}) },
		"generic":  func(text string) string { return printed(text, mlir.PrintOptions{Generic: true}) },
		"located":  func(text string) string { return printed(text, mlir.PrintOptions{DebugInfo: true}) },
	} {
		for name, text := range texts {
			t.Run(form+"/"+name, func(t *testing.T) {
				lines := strings.SplitAfter(write(text), "\n")
				var commented strings.Builder
				for i, line := range lines[:len(lines)-1] {
					end := len(strings.TrimRight(line, "\r\n"))
					if line[0] == '#' { // aliases of locations
						commented.WriteString(line)
						continue
					}
					fmt.Fprintf(&commented, "// before %d\n%s // at %d%s", i, line[:end], i, line[end:])
				}
				before := commented.String()
				if form == "CRLF" {
					before = strings.ReplaceAll(strings.ReplaceAll(before, "\r", ""), "\n", "\r\n")
				}
				r := mend(t, []byte(before), rules.All()...)
				check.Diff(t, "printed anew", "", r.Anew)
				check.Diff(t, "left", count(r.Left, "hook-flag", ""), len(r.Left)) // not all end with the flag 0
				check.Diff(t, "comments", comments(before), comments(string(r.Data)))
				check.Diff(t, "CRLF", form == "CRLF", strings.Contains(string(r.Data), "\r"))
				if !regexp.MustCompile(`:\d =`).MatchString(before) { // nothing is renumbered
					for line := range strings.Lines(before) {
						if !involved.MatchString(line) && !strings.Contains(string(r.Data), line) {
							t.Errorf("the line %q is lost", line)
						}
					}
				}
				if t.Failed() {
					t.Logf("%s\n->\n%s", before, r.Data)
				}
			})
		}
	}
}
