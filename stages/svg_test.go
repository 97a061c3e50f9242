package stages

import (
	"encoding/xml"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/passes"
)

var update = flag.Bool("update", false, "write docs/stages.svg")

// TestPicture compares docs/stages.svg with the plan of a module of the corpus, a scan with a GRU, with two taps in its
// loop; with -update it writes it.
func TestPicture(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t),
		string(check.Must(os.ReadFile("../tests/testdata/modules/scan_gru.mlir"))))
	for _, tap := range []struct{ op, name string }{{"stablehlo.tanh", "candidate"}, {"stablehlo.reduce", "sum"}} {
		_, err := passes.InsertTap(m, passes.ByOp(tap.op),
			passes.TapOptions{Config: contract.Config{Callback: tap.name, Effect: "log"}})
		check.NoError(t, err)
	}
	p, err := Cut(m, Options{})
	check.NoError(t, err)
	check.Cleanup(t, p)
	path := filepath.Join("..", "docs", "stages.svg")
	if *update {
		check.NoError(t, os.WriteFile(path, []byte(p.SVG()), 0o644))
	}
	if diff := cmp.Diff(string(check.Must(os.ReadFile(path))), p.SVG()); diff != "" {
		t.Errorf("docs/stages.svg is not current: run go generate ./stages (-file +plan):\n%s", diff)
	}
}

// TestSVG checks that a picture is XML with all stages and callbacks, and that no boxes overlap.
func TestSVG(t *testing.T) {
	p := everyStep(t)
	p.callbacks[1].Name = `a name & <more>, which is longer than others are`
	text := p.SVG()
	var read struct {
		Text []string `xml:"text"`
		Rect []rect   `xml:"rect"`
	}
	check.NoError(t, xml.Unmarshal([]byte(strings.ReplaceAll(text, "100%", "0")), &read)) // the size of the paper
	all := strings.Join(read.Text, "\n")
	for _, s := range p.stages {
		if !strings.Contains(all, s.Name+"\n") {
			t.Errorf("the picture lacks %s", s.Name)
		}
	}
	for _, want := range []string{"a name & <more>, which is longer than o…", "io", "see", "while", "condition",
		"branch 2", "16 B", "1: the interpreter"} {
		if !strings.Contains(all, want) {
			t.Errorf("the picture lacks %q:\n%s", want, all)
		}
	}
	check.Diff(t, "edges between devices", strings.Count(p.DOT(), "style=bold"), strings.Count(text, `class="moves"`))
	read.Rect = read.Rect[1:] // the paper
	for i, a := range read.Rect {
		for _, b := range read.Rect[:i] {
			if !a.apart(b) && !a.in(b) && !b.in(a) {
				t.Errorf("%+v is on %+v", a, b)
			}
		}
	}
}

// A rect is a box or a frame of a picture.
type rect struct {
	X int `xml:"x,attr"`
	Y int `xml:"y,attr"`
	W int `xml:"width,attr"`
	H int `xml:"height,attr"`
}

func (a rect) apart(b rect) bool {
	return a.X+a.W <= b.X || b.X+b.W <= a.X || a.Y+a.H <= b.Y || b.Y+b.H <= a.Y
}

func (a rect) in(b rect) bool {
	return a.X >= b.X && a.Y >= b.Y && a.X+a.W <= b.X+b.W && a.Y+a.H <= b.Y+b.H
}
