package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
	"github.com/calliope-mlir/calliope/lint/finding"
)

var update = flag.Bool("update", false, "write the golden files")

var ruleSet = []report.Rule{
	{Name: "outfeed", Doc: "an outfeed hangs", Details: "# outfeed\n\nSays `why`.", Severity: finding.Error,
		URL: report.URL("outfeed")},
	{Name: "after-all", Doc: "a token", Severity: finding.Note, Off: true},
	{Name: finding.Invalid, Doc: report.InvalidDoc, Severity: finding.Error},
}

// files are the files of a run, with a finding of each kind.
var files = []struct {
	name     string
	findings []finding.Finding
}{
	{"clean.mlir", nil},
	{"b/one, two: 100%.mlir", []finding.Finding{
		{Line: 3, Column: 8, Severity: finding.Error, Message: "sends \"values\"\n<hangs> 50%: here", Rule: "outfeed",
			Fingerprint: "f1",
			Related: []finding.Related{{Message: "jit(f)", File: "a model.py", Line: 4, Column: 0}, {Message: "a name"},
				{File: "/x/b.py", Line: 5, Column: 6}},
			Source: &finding.Source{Text: "  %u = \"stablehlo.outfeed\"(%x)", Column: 8, Character: 8}},
		{Line: 5, Column: 12, Severity: finding.Warning, Message: "dead é", Rule: "after-all", Fingerprint: "f2",
			Baseline: finding.BaselineNew,
			Fix: &finding.Fix{Message: "remove it",
				Edits: []finding.Edit{{Line: 5, Column: 1, EndLine: 6, EndColumn: 1, Text: ""}}},
			Source: &finding.Source{Text: "\té \x1b[31m%t = x", Column: 11, Character: 10}},
		{Line: 7, Column: 1, Severity: finding.Note, Message: "a note", Rule: "after-all", Fingerprint: "f3"},
		{Line: 8, Column: 2, Severity: finding.Error, Message: "ignored", Rule: "outfeed", Fingerprint: "f4",
			Suppression: &finding.Suppression{Reason: "the tests need it"}},
		{Line: 9, Column: 2, Severity: finding.Error, Message: "known", Rule: "outfeed", Fingerprint: "f5",
			Baseline: finding.BaselineKnown},
	}},
	{"a.mlirbc", []finding.Finding{
		{Line: 1, Column: 1, Severity: finding.Error, Message: "bad \x00 bytes", Rule: "invalid", Fingerprint: "f6"},
	}},
}

func write(t *testing.T, w io.Writer, format string, o report.Options, only func(string) bool) {
	t.Helper()
	o.Rules, o.Version = ruleSet, "1.2.3"
	r, err := report.New(format, w, o)
	check.NoError(t, err)
	for _, f := range files {
		if only != nil && !only(f.name) {
			continue
		}
		findings := append([]finding.Finding(nil), f.findings...)
		for i := range findings {
			findings[i].File = f.name
		}
		check.NoError(t, r.File(f.name, findings))
	}
	check.NoError(t, r.Close())
}

// TestGolden compares each format with a file. -update writes the files.
func TestGolden(t *testing.T) {
	terminal := report.Text{Terminal: true, Width: 40, Gone: func() int { return 2 }}
	color := terminal
	color.Color = true
	for _, test := range []struct {
		golden, format string
		o              report.Options
	}{
		{"text.txt", "text", report.Options{}},
		{"terminal.txt", "text", report.Options{Text: terminal}},
		{"color.txt", "text", report.Options{Text: color}},
		{"json.jsonl", "json", report.Options{}},
		{"statistics.txt", "text", report.Options{Statistics: true}},
		{"statistics.jsonl", "json", report.Options{Statistics: true}},
		{"sarif.json", "sarif", report.Options{}},
		{"github.txt", "github", report.Options{}},
		{"gitlab.json", "gitlab", report.Options{}},
		{"junit.xml", "junit", report.Options{}},
		{"junit_werror.xml", "junit", report.Options{Werror: true}},
		{"checkstyle.xml", "checkstyle", report.Options{}},
	} {
		t.Run(test.golden, func(t *testing.T) {
			var b bytes.Buffer
			write(t, &b, test.format, test.o, nil)
			path := filepath.Join("testdata", test.golden)
			if *update {
				check.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
			}
			want, err := os.ReadFile(path)
			check.NoError(t, err)
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			switch filepath.Ext(path) {
			case ".json":
				if !json.Valid(b.Bytes()) {
					t.Error("the report is not valid JSON")
				}
			case ".jsonl":
				for line := range bytes.Lines(b.Bytes()) {
					if !json.Valid(line) {
						t.Errorf("%s is not valid JSON", line)
					}
				}
			case ".xml":
				d := xml.NewDecoder(&b)
				for {
					if _, err := d.Token(); err == io.EOF {
						break
					} else if err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// TestEmpty checks that a report on no files is a document that other programs read.
func TestEmpty(t *testing.T) {
	for format, want := range map[string]string{"text": "", "json": "", "github": "", "gitlab": "[]\n"} {
		var b bytes.Buffer
		write(t, &b, format, report.Options{}, func(string) bool { return false })
		if b.String() != want {
			t.Errorf("%s: %q, want %q", format, b.String(), want)
		}
	}
	var b bytes.Buffer
	write(t, &b, "sarif", report.Options{}, func(string) bool { return false })
	if !strings.Contains(b.String(), `"results": []`) {
		t.Errorf("an empty report is\n%s", b.String())
	}
}

func TestUnknownFormat(t *testing.T) {
	_, err := report.New("sarf", io.Discard, report.Options{})
	want := `there is no format "sarf", did you mean "sarif": choose from text, json, sarif, github, gitlab, junit, checkstyle`
	if err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

// TestMergeSARIF checks that the reports of parts of the files make the report of all.
func TestMergeSARIF(t *testing.T) {
	var all, first, second, merged bytes.Buffer
	write(t, &all, "sarif", report.Options{}, nil)
	write(t, &first, "sarif", report.Options{}, func(name string) bool { return name == "a.mlirbc" })
	write(t, &second, "sarif", report.Options{}, func(name string) bool { return name != "a.mlirbc" })
	for _, parts := range [][][]byte{{first.Bytes(), second.Bytes()}, {second.Bytes(), first.Bytes()}} {
		merged.Reset()
		check.NoError(t, report.MergeSARIF(&merged, []string{"1", "2"}, parts))
		if diff := cmp.Diff(all.String(), merged.String()); diff != "" {
			t.Errorf("(-all +merged):\n%s", diff)
		}
	}
	other := strings.Replace(first.String(), "an outfeed hangs", "another text", 1)
	for want, parts := range map[string][]string{
		"give the reports to merge":                                      {},
		"1 is not a report in SARIF: ":                                   {"junk"},
		`1 is not a report in SARIF 2.1.0: its version is ""`:            {"{}"},
		"1 was not written by mlir-lint":                                 {`{"version":"2.1.0","runs":[]}`},
		"2 was made by another version of mlir-lint or with other rules": {first.String(), other},
	} {
		var names []string
		var data [][]byte
		for i, p := range parts {
			names = append(names, string(rune('1'+i)))
			data = append(data, []byte(p))
		}
		if err := report.MergeSARIF(io.Discard, names, data); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}

// TestFingerprints checks what changes a fingerprint and what does not.
func TestFingerprints(t *testing.T) {
	make := func(findings ...finding.Finding) (prints []string) {
		report.Fingerprints(findings)
		for _, f := range findings {
			prints = append(prints, f.Fingerprint)
		}
		return prints
	}
	base := make(
		finding.Finding{Rule: "r", Message: "m at model.py:3:7, as line 8, column 9 says", Line: 3, File: "a"})[0]
	same := make(
		finding.Finding{Rule: "r", Message: "m at model.py:30:70, as line 80, column 9 says", Line: 30, File: "b"},
		finding.Finding{Rule: "r", Message: "m at model.py:3:7, as line 8, column 9 says", Line: 3, File: "a"})
	if same[0] != base {
		t.Error("another position changes the fingerprint")
	}
	bytecode := make(finding.Finding{File: "a.bc", Rule: "r",
		Message: "m at line 2, column 8 of the text that the module was made from"})[0]
	for _, file := range []string{"a.mlir", "../b.mlir"} {
		if bytecode != make(finding.Finding{File: file, Rule: "r", Message: "m at " + file + ":3:9"})[0] {
			t.Errorf("bytecode has another fingerprint than the text in %s", file)
		}
	}
	const unaligned = "expected section alignment 0 but bytecode buffer %s is not aligned"
	if make(finding.Finding{Rule: "invalid", Message: fmt.Sprintf(unaligned, "0x28647c2ee000")})[0] != make(
		finding.Finding{Rule: "invalid", Message: fmt.Sprintf(unaligned, "0x2c270fee0a00")})[0] {
		t.Error("another address changes the fingerprint")
	}
	if same[1] == base {
		t.Error("two equal findings have one fingerprint")
	}
	for _, other := range []finding.Finding{
		{Rule: "s", Message: "m at model.py:3:7, as line 8, column 9 says"},
		{Rule: "r", Message: "m"},
		{Rule: "r", Message: "m at model.py:3:7, as line 8, column 9 says", Context: "c"},
	} {
		if make(other)[0] == base {
			t.Errorf("%v has the fingerprint of another finding", other)
		}
	}
}
