package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/calliope-mlir/calliope/internal/text/errtext"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// Text are the options of the format text.
type Text struct {
	Terminal bool // adds source lines and a summary
	Color    bool
	Width    int // of the terminal, or 0
	// Gone is called at the end and returns the number of entries of the baseline that were
	// not found in the files that were checked.
	Gone func() int
}

type text struct {
	w io.Writer
	Text
	files                 int
	errors, warnings      int
	notes, ignored, known int
	fixable               int // by -fix
}

func newText(w io.Writer, o Options) Writer { return &text{w: w, Text: o.Text} }

func (t *text) File(_ string, findings []finding.Finding) error {
	t.files++
	var b bytes.Buffer
	for _, f := range findings {
		switch {
		case f.Suppression != nil:
			t.ignored++
			continue
		case f.Baseline == finding.BaselineKnown:
			t.known++
			continue
		case f.Severity == finding.Error:
			t.errors++
		case f.Severity == finding.Warning:
			t.warnings++
		default:
			t.notes++
		}
		if f.Fix != nil && !f.Fix.Unsafe {
			t.fixable++
		}
		t.print(&b, f)
	}
	_, err := b.WriteTo(t.w)
	return err
}

// The codes of colours.
const (
	reset  = "\x1b[0m"
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[1;31m"
	green  = "\x1b[1;32m"
	yellow = "\x1b[1;33m"
	cyan   = "\x1b[1;36m"
)

var colors = map[finding.Severity]string{finding.Error: red, finding.Warning: yellow, finding.Note: cyan}

func (t *text) paint(color, s string) string {
	if !t.Color {
		return s
	}
	return color + s + reset
}

func (t *text) print(b *bytes.Buffer, f finding.Finding) {
	if !t.Terminal {
		fmt.Fprintln(b, f)
		return
	}
	place := errtext.Line(fmt.Sprintf("%s:%d:%d:", f.File, f.Line, f.Column))
	words := []word{{place, bold}, {string(f.Severity) + ":", colors[f.Severity]}}
	for text := range strings.SplitSeq(errtext.Line(f.Message), " ") {
		words = append(words, word{text, ""})
	}
	t.wrap(b, append(words, word{"[" + f.Rule + "]", dim}))
	if f.Source != nil {
		line, caret := t.source(*f.Source)
		fmt.Fprintf(b, "  %s\n  %s\n", line, t.paint(green, caret))
	}
	for _, r := range f.Related {
		at := r.String()
		if r.File != "" && r.Message != "" {
			at += " (" + r.Message + ")"
		}
		fmt.Fprintf(b, "  %s\n", t.paint(dim, errtext.Line("at "+at)))
	}
}

// A word is printed in a color, or in none.
type word struct{ text, color string }

// wrap prints words on lines that fit the terminal, if its width is known. A longer word has a line of its own.
func (t *text) wrap(b *bytes.Buffer, words []word) {
	const indent = "    "
	at := 0 // columns
	for i, w := range words {
		width := utf8.RuneCountInString(w.text)
		switch {
		case i == 0:
		case t.Width > 0 && at+1+width > t.Width:
			b.WriteString("\n" + indent)
			at = len(indent)
		default:
			b.WriteByte(' ')
			at++
		}
		if w.color != "" {
			w.text = t.paint(w.color, w.text)
		}
		b.WriteString(w.text)
		at += width
	}
	b.WriteByte('\n')
}

// source returns a part of a line that fits the terminal, and a line with a caret below the
// column of the finding.
func (t *text) source(s finding.Source) (line, caret string) {
	var cells []rune
	at := -1
	for i, r := range s.Text {
		if at < 0 && i >= s.Column-1 {
			at = len(cells)
		}
		switch {
		case r == '\t':
			cells = append(cells, ' ', ' ')
		case r == utf8.RuneError || !unicode.IsPrint(r):
			cells = append(cells, '·') // an escape sequence would change the terminal
		default:
			cells = append(cells, r)
		}
	}
	if at < 0 {
		at = len(cells)
	}
	width := 78
	if t.Width > 22 {
		width = t.Width - 2
	}
	if len(cells) > width {
		begin := min(max(0, at-width/3), len(cells)-width)
		cells = cells[begin : begin+width]
		at -= begin
		if begin > 0 {
			cells[0] = '…'
		}
	}
	return strings.TrimRightFunc(string(cells), unicode.IsSpace), strings.Repeat(" ", at) + "^"
}

func (t *text) Close() error {
	if !t.Terminal {
		return nil
	}
	var parts []string
	for _, p := range []struct {
		n     int
		what  string
		color string
	}{
		{t.errors, "error", red}, {t.warnings, "warning", yellow}, {t.notes, "note", cyan},
	} {
		if p.n > 0 {
			parts = append(parts, t.paint(p.color, plural(p.n, p.what)))
		}
	}
	if parts == nil {
		parts = []string{t.paint(green, "no findings")}
	}
	summary := strings.Join(parts, ", ") + " in " + plural(t.files, "file")
	if t.ignored > 0 {
		summary += fmt.Sprintf(", %d ignored", t.ignored)
	}
	if t.known > 0 {
		summary += fmt.Sprintf(", %d in the baseline", t.known)
	}
	if t.Gone != nil {
		if n := t.Gone(); n > 0 {
			summary += fmt.Sprintf(", %d of the baseline gone", n)
		}
	}
	if t.fixable > 0 {
		summary += fmt.Sprintf("; -fix can repair %d", t.fixable)
	}
	_, err := fmt.Fprintln(t.w, summary)
	return err
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
