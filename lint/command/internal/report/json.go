package report

import (
	"bytes"
	"encoding/json"
	"io"
)

// newJSON returns a writer of one JSON object for each finding, on a line of its own.
func newJSON(w io.Writer, _ Options) Writer { return jsonLines{w} }

type jsonLines struct{ w io.Writer }

func (j jsonLines) File(_ string, findings []Finding) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, f := range findings {
		if err := e.Encode(f); err != nil {
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
