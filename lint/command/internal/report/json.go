package report

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/calliope-mlir/calliope/lint/finding"
)

// newJSON returns a writer of one JSON object for each finding, on a line of its own.
func newJSON(w io.Writer, o Options) Writer {
	j := jsonLines{w, map[string]string{}}
	for _, r := range o.Rules {
		j.urls[r.Name] = r.URL
	}
	return j
}

type jsonLines struct {
	w    io.Writer
	urls map[string]string // of the rules
}

type jsonFinding struct {
	finding.Finding
	HelpURI string `json:"helpUri,omitempty"`
}

func (j jsonLines) File(_ string, findings []finding.Finding) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, f := range findings {
		if err := e.Encode(jsonFinding{f.Reported(), j.urls[f.Rule]}); err != nil {
			return err
		}
	}
	_, err := b.WriteTo(j.w)
	return err
}

func (j jsonLines) Close() error { return nil }

// indented writes a whole JSON document.
func indented(w io.Writer, document any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(document); err != nil {
		return err
	}
	_, err := b.WriteTo(w)
	return err
}
