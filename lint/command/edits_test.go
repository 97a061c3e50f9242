package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint/rules"
)

// A region is a range of a text. Lines and columns count from 1, and the end is exclusive.
type region struct{ StartLine, StartColumn, EndLine, EndColumn int }

// A replacement puts a text in place of a region.
type replacement struct {
	region
	text string
}

// A repaired finding is a finding in a report, with its edits.
type repaired struct {
	file, rule, message string
	edits               []replacement
}

// fromJSON returns the findings of a run with -format json.
func fromJSON(t *testing.T, r result) (all []repaired) {
	t.Helper()
	for line := range strings.Lines(r.Stdout) {
		var f struct {
			File, Rule, Message string
			Fix                 struct {
				Edits []struct {
					Line, Column, EndLine, EndColumn int
					Text                             string
				}
			}
		}
		check.NoError(t, json.Unmarshal([]byte(line), &f))
		one := repaired{file: f.File, rule: f.Rule, message: f.Message}
		for _, e := range f.Fix.Edits {
			one.edits = append(one.edits, replacement{region{e.Line, e.Column, e.EndLine, e.EndColumn}, e.Text})
		}
		all = append(all, one)
	}
	return all
}

// fromSARIF returns the findings of a run with -format sarif. It checks what the schema of SARIF
// requires of their repairs.
func fromSARIF(t *testing.T, r result) (all []repaired) {
	t.Helper()
	type artifact struct{ URI string }
	var log struct {
		Runs []struct {
			ColumnKind string
			Results    []struct {
				RuleID    string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct{ ArtifactLocation artifact }
				}
				Fixes []struct {
					Description     struct{ Text string }
					ArtifactChanges []struct {
						ArtifactLocation artifact
						Replacements     []struct {
							DeletedRegion   region
							InsertedContent *struct{ Text string }
						}
					}
				}
			}
		}
	}
	check.NoError(t, json.Unmarshal([]byte(r.Stdout), &log))
	check.Diff(t, "columns", "unicodeCodePoints", log.Runs[0].ColumnKind)
	for _, result := range log.Runs[0].Results {
		file := result.Locations[0].PhysicalLocation.ArtifactLocation
		one := repaired{file: file.URI, rule: result.RuleID, message: result.Message.Text}
		for _, f := range result.Fixes {
			if f.Description.Text == "" || len(f.ArtifactChanges) != 1 ||
				f.ArtifactChanges[0].ArtifactLocation != file || len(f.ArtifactChanges[0].Replacements) == 0 {
				t.Fatalf("a fix is %+v", f)
			}
			for _, e := range f.ArtifactChanges[0].Replacements {
				if e.InsertedContent == nil || e.DeletedRegion.StartLine < 1 || e.DeletedRegion.StartColumn < 1 ||
					e.DeletedRegion.EndColumn < 1 {
					t.Fatalf("a replacement is %+v", e)
				}
				one.edits = append(one.edits, replacement{e.DeletedRegion, e.InsertedContent.Text})
			}
		}
		all = append(all, one)
	}
	return all
}

// inBytes and inCharacters return the size of the first units of a line.
func inBytes(_ string, units int) int         { return units }
func inCharacters(line string, units int) int { return len(string([]rune(line)[:units])) }

// replaced returns a text with the edits of a finding. As in other positions, a byte order mark does
// not count.
func replaced(t *testing.T, text string, edits []replacement, size func(line string, units int) int) string {
	t.Helper()
	after := ""
	if rest, marked := strings.CutPrefix(text, byteOrderMark); marked {
		after, text = byteOrderMark, rest
	}
	lines := strings.SplitAfter(text, "\n")
	at := func(line, column int) int {
		return len(strings.Join(lines[:line-1], "")) + size(lines[line-1], column-1)
	}
	done := 0
	for _, e := range edits {
		start, end := at(e.StartLine, e.StartColumn), at(e.EndLine, e.EndColumn)
		if start < done || end < start {
			t.Fatalf("the edits are %+v", edits)
		}
		after += text[done:start] + e.text
		done = end
	}
	return after + text[done:]
}

const byteOrderMark = "\ufeff"

const (
	observed = `module @"é 日本 😀" { func.func @f(%x: tensor<f32>) { stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, backend_config = {callback = "日", form = "observe", v = 1 : i64}} : (tensor<f32>) -> () return } } // 日` + "\n"
	unused   = "func.func @\"é😀\"() { %t = stablehlo.create_token : !stablehlo.token return }\n"
)

// TestEdits checks that the edits in reports do what -fix does.
func TestEdits(t *testing.T) {
	for name, text := range map[string]string{
		"attribute":       observed,
		"operation":       unused,
		"line":            "func.func @f() {\r\n  // é\r\n  %t = stablehlo.create_token : !stablehlo.token\r\n  return\r\n}",
		"byte order mark": byteOrderMark + observed,
	} {
		t.Run(name, func(t *testing.T) {
			want := execute(text, "-fix-unsafe", "-").Stdout
			inJSON, inSARIF := fromJSON(t, execute(text, "-format", "json")),
				fromSARIF(t, execute(text, "-format", "sarif"))
			if want == text || len(inJSON) != 1 || len(inSARIF) != 1 {
				t.Fatalf("the findings are %v and %v; repaired:\n%s", inJSON, inSARIF, want)
			}
			check.Diff(t, "with the edits in JSON", want, replaced(t, text, inJSON[0].edits, inBytes))
			check.Diff(t, "with those in SARIF", want, replaced(t, text, inSARIF[0].edits, inCharacters))
		})
	}
}

// TestEditsSplit checks that the edits in the parts of a file have positions in the whole file, and
// that they are right for their part.
func TestEditsSplit(t *testing.T) {
	text := unused + "// -----\n" + observed + "// -----\nnonsense\n// -----\n" + unused
	found := fromSARIF(t, execute(text, "-format", "sarif", "-split-input-file"))
	check.Diff(t, "findings", 4, len(found))
	for i, rule := range []string{"create-token", "side-effect", "", "create-token"} {
		if rule == "" {
			check.Diff(t, "edits of an invalid part", 0, len(found[i].edits))
			continue
		}
		check.Diff(t, "rule", rule, found[i].rule)
		parts := strings.Split(replaced(t, text, found[i].edits, inCharacters), "// -----\n")
		check.Diff(t, rule+": the part", execute(strings.Split(text, "// -----\n")[i], "-fix-unsafe").Stdout, parts[i])
		check.Diff(t, "findings after the edits", 3,
			len(fromSARIF(t, execute(strings.Join(parts, "// -----\n"), "-format", "sarif", "-split-input-file"))))
	}
}

// TestEditsCorpus applies the edits of each finding in the corpus. The modules are valid then, and do
// not have the finding.
func TestEditsCorpus(t *testing.T) {
	t.Parallel()
	var names []string
	for _, a := range rules.All() {
		names = append(names, a.Name)
	}
	run := func(format, dir string) result {
		return execute("", "-rules", strings.Join(names, ","), "-format", format, dir)
	}
	count := func(all []repaired, file, rule, message string) (n int) {
		for _, f := range all {
			if f.file == file && f.rule == rule && strings.HasPrefix(f.message, message) {
				n++
			}
		}
		return n
	}
	inSARIF, inJSON := fromSARIF(t, run("sarif", corpus)), fromJSON(t, run("json", corpus))
	check.Diff(t, "findings", len(inJSON), len(inSARIF))
	dir := t.TempDir()
	repairs := map[string]repaired{} // by the file with the edits
	for i, f := range inJSON {
		if len(f.edits) == 0 {
			continue
		}
		text := readFile(t, filepath.FromSlash(f.file))
		after := replaced(t, text, f.edits, inBytes)
		check.Diff(t, f.file, after, replaced(t, text, inSARIF[i].edits, inCharacters))
		repairs[writeFile(t, dir, fmt.Sprint(i, ".mlir"), after)] = f
	}
	if len(repairs) < 10 {
		t.Errorf("only %d findings have edits", len(repairs))
	}
	after := fromJSON(t, run("json", dir))
	for file, f := range repairs {
		if count(after, file, f.rule, f.message) >= count(inJSON, f.file, f.rule, f.message) ||
			count(after, file, "invalid", "") > 0 {
			t.Errorf("after the edits of %+v:\n%s", f, check.Must(os.ReadFile(file)))
		}
	}
}
