package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
)

// formats checks that other formats have the same findings as json. All but SARIF leave out those
// that are ignored.
func (b *batch) formats(ctx context.Context) error {
	byFile, err := b.check(ctx)
	if err != nil {
		return err
	}
	all, open := 0, 0
	for _, found := range byFile {
		for _, f := range found {
			all++
			if f.Suppression == nil {
				open++
			}
		}
	}
	for _, format := range []struct {
		name  string
		want  int
		count func([]byte) (int, error)
	}{{"text", open, countText}, {"sarif", all, countSARIF}, {"junit", open, b.countJUnit}} {
		r, err := run(ctx, b.linter, "-config", os.DevNull, "-timeout", fileLimit.String(), "-format", format.name,
			b.folder)
		if err != nil {
			return err
		}
		got, err := format.count(r.stdout)
		if err != nil {
			b.problem("", "the format %s: %v", format.name, err)
		} else if got != format.want {
			b.problem("", "the format %s has %d findings, and json %d", format.name, got, format.want)
		}
	}
	return nil
}

// countText returns the number of findings in a report.
func countText(out []byte) (int, error) { return bytes.Count(out, []byte("\n")), nil }

func countSARIF(out []byte) (int, error) {
	var log struct {
		Runs []struct{ Results []struct{ RuleID string } }
	}
	if err := json.Unmarshal(out, &log); err != nil {
		return 0, err
	}
	if len(log.Runs) != 1 {
		return 0, fmt.Errorf("it has %d runs", len(log.Runs))
	}
	return len(log.Runs[0].Results), nil
}

// countJUnit also checks that the report has every file, which no other format says.
func (b *batch) countJUnit(out []byte) (n int, err error) {
	type named struct {
		Name string `xml:"name,attr"`
	}
	var report struct {
		Suites []struct {
			named
			Cases []named `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(out, &report); err != nil {
		return 0, err
	}
	if len(report.Suites) != len(b.inputs) {
		return 0, fmt.Errorf("it has %d files, want %d", len(report.Suites), len(b.inputs))
	}
	for _, suite := range report.Suites {
		if _, known := b.inputs[suite.Name]; !known {
			return 0, fmt.Errorf("it has the file %q, which is not in the batch", suite.Name)
		}
		for _, c := range suite.Cases {
			if c.Name != "mlir-lint" { // of a file without findings
				n++
			}
		}
	}
	return n, nil
}
