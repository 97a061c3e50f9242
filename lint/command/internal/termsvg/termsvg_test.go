package termsvg

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestLayOut(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       [][]run
	}{
		{"lines", "a b\n\nc", [][]run{{{0, "a b", ""}}, nil, {{0, "c", ""}}}},
		{"colours", "\x1b[1;31merror:\x1b[0mé\x1b[2m[x]\x1b[0m",
			[][]run{{{0, "error:", "bold red"}, {6, "é", ""}, {7, "[x]", "dim"}}}},
		{"long", "0123456789ab\x1b[32mc", [][]run{{{0, "0123456789", ""}}, {{0, "ab", ""}, {2, "c", "green"}}}},
		{"full", "0123456789\na", [][]run{{{0, "0123456789", ""}}, {{0, "a", ""}}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := check.Must(layOut(test.text, 10))
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(run{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestDraw checks that the picture is XML, without spaces at the ends of texts.
func TestDraw(t *testing.T) {
	picture := check.Must(Draw("a & b", "  <x>  y \n\x1b[32m ^\x1b[0m\n", 10))
	for _, want := range []string{
		"<title>a &amp; b</title>",
		`<text x="32.8" y="30" textLength="50.4">&lt;x&gt;  y</text>`,
		`<text x="24.4" y="50" textLength="8.4" class="green">^</text>`,
		`viewBox="0 0 116 72"`,
	} {
		if !strings.Contains(string(picture), want) {
			t.Errorf("%s is missing in\n%s", want, picture)
		}
	}
	for d := xml.NewDecoder(strings.NewReader(string(picture))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestDrawErrors(t *testing.T) {
	for text, want := range map[string]string{
		"\x1b[35mx": `no style for the parameter "35"`,
		"\x1b[Kx":   "cannot show the character '\\x1b'",
		"a\rb":      "cannot show the character '\\r'",
	} {
		if _, err := Draw("", text, 10); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
