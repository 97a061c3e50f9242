package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"

	"github.com/calliope-mlir/calliope/lint/finding"
)

// newJUnit returns a writer of JUnit's XML. A file is a test suite, and a finding a test. A file
// without findings has one test, which passes.
func newJUnit(w io.Writer, o Options) Writer { return &junit{collector{w: w, o: o}} }

type junit struct{ collector }

type junitReport struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr"`
	Line    int           `xml:"line,attr,omitempty"`
	Failure *junitProblem `xml:"failure"`
	Error   *junitProblem `xml:"error"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitProblem struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func (j *junit) Close() error {
	report := junitReport{Name: "mlir-lint"}
	byFile := map[string][]finding.Finding{}
	for _, f := range j.open() {
		byFile[slashed(f.File)] = append(byFile[slashed(f.File)], f)
	}
	var files []string
	for _, f := range j.files {
		files = append(files, slashed(f))
	}
	slices.Sort(files)
	for _, file := range slices.Compact(files) {
		suite := junitSuite{Name: file}
		for _, f := range byFile[file] {
			c := junitCase{Name: fmt.Sprintf("%s:%d:%d", f.Rule, f.Line, f.Column), Class: file, File: file,
				Line: f.Line}
			problem := &junitProblem{string(f.Severity), f.Text(), f.String()}
			switch {
			case f.Rule == finding.Invalid && j.o.counts(f):
				c.Error = problem
				suite.Errors++
			case j.o.counts(f):
				c.Failure = problem
				suite.Failures++
			default:
				c.Output = f.String()
			}
			suite.Cases = append(suite.Cases, c)
		}
		if suite.Cases == nil {
			suite.Cases = []junitCase{{Name: "mlir-lint", Class: file, File: file}}
		}
		suite.Tests = len(suite.Cases)
		report.Tests += suite.Tests
		report.Failures += suite.Failures
		report.Errors += suite.Errors
		report.Suites = append(report.Suites, suite)
	}
	return writeXML(j.w, report)
}
