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
	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/passes"
)

var update = flag.Bool("update", false, "write docs/stages.svg")

// TestPicture compares docs/stages.svg with the plan of a module of the corpus, a scan with a GRU, with two taps in its
// loop; with -update it writes it.
func TestPicture(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t), string(check.Must(os.ReadFile("../tests/testdata/modules/scan_gru.mlir"))))
	for _, tap := range []struct{ op, name string }{{"stablehlo.tanh", "candidate"}, {"stablehlo.reduce", "sum"}} {
		_, err := passes.InsertTap(m, passes.ByOp(tap.op), passes.TapOptions{Config: contract.Config{Callback: tap.name, Effect: "log"}})
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
	}
	check.NoError(t, xml.Unmarshal([]byte(text), &read))
	all := strings.Join(read.Text, "\n")
	for _, s := range p.stages {
		if !strings.Contains(all, s.Name+"\n") {
			t.Errorf("the picture lacks %s", s.Name)
		}
	}
	for _, want := range []string{"a name & <more>, which is longer than o…", "io", "see", "while", "condition", "branch 2", "16 B", "1: the interpreter"} {
		if !strings.Contains(all, want) {
			t.Errorf("the picture lacks %q:\n%s", want, all)
		}
	}
	check.Diff(t, "edges between devices", strings.Count(p.DOT(), "style=bold"), strings.Count(text, `class="moves"`))
	d := &canvas{plan: p}
	f := d.frame("", p.main, "parameters", "results")
	f.layout()
	f.checkPlaces(t)
}

func (f *frame) checkPlaces(t *testing.T) {
	var all []*box
	for _, row := range f.rows {
		all = append(all, row...)
	}
	for i, a := range all {
		if a.x < 0 || a.y < 0 || a.x+a.w > f.w || a.y+a.h > f.h {
			t.Errorf("%v is outside of its frame", a.lines)
		}
		for _, b := range all[:i] {
			if a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h && b.y < a.y+a.h {
				t.Errorf("%v is on %v", a.lines, b.lines)
			}
		}
	}
	for _, e := range f.edges {
		for i, n := range e.path[1:] {
			if n.row != e.path[i].row+1 {
				t.Errorf("an edge goes from row %d to row %d", e.path[i].row, n.row)
			}
		}
	}
	for _, n := range f.boxes {
		for _, inner := range n.inner {
			if inner.x < 0 || inner.y < 0 || inner.x+inner.w > n.w || inner.y+inner.h > n.h {
				t.Errorf("%s is outside of %v", inner.title, n.lines)
			}
			inner.checkPlaces(t)
		}
	}
}
