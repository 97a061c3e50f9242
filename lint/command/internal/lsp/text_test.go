package lsp

import (
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// sample has characters of one, two and four bytes, and every end of line.
const sample = "aé😀b\r\n\rc\n\n😀"

func TestPositions(t *testing.T) {
	text := newText(sample)
	for _, test := range []struct {
		offset      int
		utf8, utf16 position
	}{
		{0, position{0, 0}, position{0, 0}},
		{1, position{0, 1}, position{0, 1}},
		{3, position{0, 3}, position{0, 2}},
		{7, position{0, 7}, position{0, 4}},
		{8, position{0, 8}, position{0, 5}},
		{10, position{1, 0}, position{1, 0}},
		{11, position{2, 0}, position{2, 0}},
		{12, position{2, 1}, position{2, 1}},
		{13, position{3, 0}, position{3, 0}},
		{14, position{4, 0}, position{4, 0}},
		{18, position{4, 4}, position{4, 2}},
	} {
		for e, want := range map[encoding]position{utf8Units: test.utf8, utf16Units: test.utf16} {
			check.Diff(t, "position", want, text.position(test.offset, e))
			check.Diff(t, "offset", test.offset, text.offset(want, e))
		}
	}
	check.Diff(t, "position within an end of line", position{0, 5}, text.position(9, utf16Units))
}

func TestOffsets(t *testing.T) {
	text := newText(sample)
	for _, test := range []struct {
		name string
		p    position
		e    encoding
		want int
	}{
		{"within a pair", position{0, 3}, utf16Units, 3},
		{"within the bytes of a character", position{0, 2}, utf8Units, 1},
		{"behind the line", position{0, 99}, utf16Units, 8},
		{"far behind the line", position{2, 1<<32 - 1}, utf8Units, 12},
		{"behind the last line", position{5, 0}, utf16Units, len(sample)},
		{"within the line behind the last one", position{5, 1}, utf8Units, len(sample)},
		{"two lines behind the last one", position{6, 0}, utf8Units, len(sample)},
		{"far behind the last line", position{1<<32 - 1, 0}, utf8Units, len(sample)},
	} {
		check.Diff(t, test.name, test.want, text.offset(test.p, test.e))
	}
}

// TestPlaces checks the lines of reports, which do not end at a lone \r.
func TestPlaces(t *testing.T) {
	text := newText(sample)
	for _, test := range []struct{ line, column, want int }{
		{1, 1, 0}, {1, 4, 3}, {1, 99, 9}, {2, 1, 10}, {2, 2, 11}, {3, 1, 13}, {4, 5, 18}, {4, 6, 18}, {0, 7, 0},
		{1, 0, 0}, {9, 1, 18},
	} {
		check.Diff(t, "place", test.want, text.place(test.line, test.column))
	}
}

func TestReplace(t *testing.T) {
	for _, test := range []struct {
		r    span
		with string
		want string
	}{
		{span{position{0, 2}, position{0, 4}}, "x", "aéxb\r\n\rc\n\n😀"},
		{span{position{0, 5}, position{2, 0}}, "", "aé😀bc\n\n😀"},
		{span{position{4, 2}, position{4, 2}}, "é", sample + "é"},
		{span{position{0, 0}, position{5, 0}}, "z", "z"},
		{span{position{0, 0}, position{7, 0}}, "z", "z"},
		{span{position{9, 9}, position{9, 9}}, "z", sample + "z"},
		{span{position{2, 1}, position{0, 1}}, "", "a\n\n😀"},
	} {
		got := newText(sample).replace(test.r, utf16Units, test.with)
		check.Diff(t, "text", test.want, got.data)
		check.Diff(t, "lines", newText(test.want).lines, got.lines)
	}
}

// TestRandomEdits compares edits of any ranges with those of a text that is counted unit by unit.
func TestRandomEdits(t *testing.T) {
	pieces := []string{"a", "é", "€", "😀", "\n", "\r\n", "\r", ""}
	for _, e := range []encoding{utf8Units, utf16Units} {
		random := rand.New(rand.NewPCG(1, uint64(len(e))))
		piece := func() (s string) {
			for range random.IntN(4) {
				s += pieces[random.IntN(len(pieces))]
			}
			return s
		}
		at := func() position {
			p := position{random.Uint32N(6), random.Uint32N(8)}
			if random.IntN(20) == 0 {
				p.Line = 1<<32 - 1 - p.Line
			}
			if random.IntN(20) == 0 {
				p.Character = 1<<32 - 1 - p.Character
			}
			return p
		}
		text, want := newText(sample), sample
		for i := range 20_000 {
			r, with := span{at(), at()}, piece()
			before := want
			begin, end := counted(want, r.Start, e), counted(want, r.End, e)
			want = want[:min(begin, end)] + with + want[max(begin, end):]
			if text = text.replace(r, e, with); text.data != want {
				t.Fatalf("%s, edit %d: %+v of %q by %q is %q, want %q", e, i, r, before, with, text.data, want)
			}
			if len(want) > 40 {
				text, want = newText(""), ""
			}
		}
	}
}

// counted returns the place of a position, found from the begin of the text.
func counted(text string, p position, e encoding) int {
	line, units := uint32(0), uint64(0)
	for i, r := range text {
		ends := r == '\r' || r == '\n'
		if line == p.Line {
			if units += uint64(e.units(r)); ends || units > uint64(p.Character) {
				return i
			}
		}
		if ends && !strings.HasPrefix(text[i:], "\r\n") {
			line++
		}
	}
	return len(text)
}

func TestWords(t *testing.T) {
	check.NoRaces(t)
	const line = `%é = "a.b \" c"(%x, @f) : !s.t stablehlo.add "open` + "\r\n"
	text := newText(line)
	for column, want := range map[uint32]uint32{
		0: 1, 1: 3, 6: 16, 17: 19, 21: 23, 27: 31, 32: 45, 45: 46, 46: 47, 47: 51, 51: 51, 52: 51,
	} {
		got := text.wordAt(int(column), utf8Units)
		check.Diff(t, "word", span{position{0, min(column, 51)}, position{0, want}}, got)
	}
	check.Diff(t, "no word", span{position{1, 0}, position{1, 0}}, text.wordAt(len(line), utf8Units))
}

func TestNames(t *testing.T) {
	check.NoRaces(t)
	drive := "/c:/a"
	if runtime.GOOS == "windows" {
		drive = "c:/a"
	}
	for uri, want := range map[string]string{
		"file:///a/b%20c%25.mlir":       "/a/b c%.mlir",
		"file://localhost/a":            "/a",
		"file://server/share/a":         "//server/share/a",
		"file:a":                        "file:a",
		"file://":                       "file://",
		"untitled:Untitled-1":           "untitled:Untitled-1",
		"vscode-remote://ssh/a":         "vscode-remote://ssh/a",
		"file:///bad%zz":                "file:///bad%zz",
		"":                              "",
		"file:///c%3A/a":                drive,
		"file:///%E2%82%AC/\u20ac.mlir": "/€/€.mlir",
	} {
		if want != uri {
			want = filepath.FromSlash(want)
		}
		check.Diff(t, uri, want, nameOf(uri))
	}
}
