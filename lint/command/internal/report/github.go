package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/calliope-mlir/calliope/internal/text/errtext"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// newGitHub returns a writer of GitHub's workflow commands, which annotate the lines of a pull
// request.
func newGitHub(w io.Writer, _ Options) Writer { return github{w} }

type github struct{ w io.Writer }

var commands = map[finding.Severity]string{finding.Error: "error", finding.Warning: "warning", finding.Note: "notice"}

// The characters that workflow commands escape, in messages and in properties.
var (
	message  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func (g github) File(_ string, findings []finding.Finding) error {
	var b bytes.Buffer
	for _, f := range findings {
		if f.Open() {
			fmt.Fprintf(&b, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", commands[f.Severity],
				property.Replace(slashed(f.File)), f.Line, f.Column, property.Replace("mlir-lint "+f.Rule),
				message.Replace(errtext.Line(f.Text())))
		}
	}
	_, err := b.WriteTo(g.w)
	return err
}

func (github) Close() error { return nil }
