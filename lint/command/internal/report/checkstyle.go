package report

import (
	"encoding/xml"
	"io"

	"github.com/calliope-mlir/calliope/lint/finding"
)

// newCheckstyle returns a writer of Checkstyle's XML.
func newCheckstyle(w io.Writer, o Options) Writer { return &checkstyle{collector{w: w, o: o}} }

type checkstyle struct{ collector }

type checkstyleReport struct {
	XMLName xml.Name         `xml:"checkstyle"`
	Version string           `xml:"version,attr"`
	Files   []checkstyleFile `xml:"file"`
}

type checkstyleFile struct {
	Name   string            `xml:"name,attr"`
	Errors []checkstyleError `xml:"error"`
}

type checkstyleError struct {
	Line     int    `xml:"line,attr"`
	Column   int    `xml:"column,attr"`
	Severity string `xml:"severity,attr"`
	Message  string `xml:"message,attr"`
	Source   string `xml:"source,attr"`
}

var checkstyleSeverities = map[finding.Severity]string{finding.Error: "error", finding.Warning: "warning",
	finding.Note: "info"}

func (c *checkstyle) Close() error {
	report := checkstyleReport{Version: "4.3"}
	for _, f := range c.open() {
		name := slashed(f.File)
		if n := len(report.Files); n == 0 || report.Files[n-1].Name != name {
			report.Files = append(report.Files, checkstyleFile{Name: name})
		}
		file := &report.Files[len(report.Files)-1]
		file.Errors = append(file.Errors,
			checkstyleError{f.Line, f.Column, checkstyleSeverities[f.Severity], f.Text(), "mlir-lint." + f.Rule})
	}
	return writeXML(c.w, report)
}
