package main

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

var testPlot = plot{title: "a < b", note: "today", series: []series{
	{name: "one", points: []point{{16, 0.1}, {1 << 10, 0.1}, {64 << 20, 0.12}}},
	{name: "two", points: []point{{16, 5}, {1 << 10, 6}, {64 << 20, 40_000}}},
	{name: "their one", theirs: true, points: []point{{16, 50}, {64 << 20, 41_000}}},
}}

// The picture is well-formed, and everything in it is inside its borders.
func TestPlot(t *testing.T) {
	var b strings.Builder
	check.NoError(t, testPlot.write(&b))
	texts, count := elements(t, b.String())
	if count["polyline"] != 3 || count["circle"] != 8 {
		t.Errorf("it has the elements %v", count)
	}
	for _, want := range []string{"a < b", "today", "1 KiB", "64 MiB", "0.1 µs", "10 ms", "one, 0.12 µs",
		"their one, 41 ms"} {
		if !strings.Contains(texts, "\n"+want+"\n") {
			t.Errorf("%q is missing in %q", want, texts)
		}
	}
	x, y := testPlot.axes()
	for _, s := range testPlot.series {
		for _, p := range s.points {
			if at := x.at(p.x); at < plotLeft || at > plotRight {
				t.Errorf("%v is at x = %g", p, at)
			}
			if at := y.at(p.y); at < plotTop-0.01 || at > plotFloor+0.01 {
				t.Errorf("%v is at y = %g", p, at)
			}
		}
	}
}

// elements returns the texts of a picture, one a line, and counts its elements.
func elements(t *testing.T, picture string) (texts string, count map[string]int) {
	count, texts = map[string]int{}, "\n"
	for d := xml.NewDecoder(strings.NewReader(picture)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts, count
		}
		check.NoError(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			count[e.Name.Local]++
		case xml.CharData:
			texts += strings.TrimSpace(string(e)) + "\n"
		}
	}
}

// Names of lines that end at the same point do not overlap.
func TestNamePlaces(t *testing.T) {
	_, y := testPlot.axes()
	places := testPlot.namePlaces(y)
	for i := range places {
		for j := range i {
			if d := math.Abs(places[i] - places[j]); d < nameHeight-0.5 {
				t.Errorf("names %d and %d are %g apart", j, i, d)
			}
		}
	}
	if d := math.Abs(places[0] - y.at(0.12)); d > 0.5 {
		t.Errorf("a name that is alone is moved by %g", d)
	}
}

func TestDurations(t *testing.T) {
	for us, want := range map[float64]string{0.1: "0.1 µs", 1: "1 µs", 123.456: "123 µs", 1000: "1 ms", 71_000: "71 ms",
		2e6: "2 s"} {
		if got := duration(us); got != want {
			t.Errorf("duration(%g) = %q, want %q", us, got, want)
		}
	}
	for bytes, want := range map[int]string{16: "16 B", 64 << 10: "64 KiB", 16 << 20: "16 MiB"} {
		if got := spaced(sized(bytes)); got != want {
			t.Errorf("%d bytes are %q, want %q", bytes, got, want)
		}
	}
}

func TestReadJAX(t *testing.T) {
	got, err := readJAX("io_callback 16 46.5\npure_callback 16 40\nio_callback 1024 50\n")
	check.NoError(t, err)
	want := []series{
		{name: "JAX io_callback", points: []point{{16, 46.5}, {1024, 50}}, theirs: true},
		{name: "JAX pure_callback", points: []point{{16, 40}}, theirs: true},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(series{}, point{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, bad := range []string{"", "io_callback 16\n", "io_callback 16 5\n"} {
		if _, err := readJAX(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}
