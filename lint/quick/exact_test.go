package quick_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/quick"
	"github.com/calliope-mlir/calliope/mlir"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

// report returns a rule that reports each operation of the names.
func report(name string, names ...string) *lint.Analyzer {
	return &lint.Analyzer{Name: name, Doc: "d", Run: func(p *lint.Pass) error {
		for op := range p.Operations(names...) {
			p.Report(op, finding.Note, "%s", op.Name())
		}
		return nil
	}}
}

var everyOperation = []*lint.Analyzer{
	report("create-token", "stablehlo.create_token", "mhlo.create_token"),
	report("infeed", "stablehlo.infeed", "mhlo.infeed"),
	report("outfeed", "stablehlo.outfeed", "mhlo.outfeed"),
}

// parsed returns the findings of a full parse, and false if the library refuses the module.
func parsed(library *mlir.Library, data []byte) ([]string, bool) {
	var lines []string
	for _, d := range check.Must(lint.Check(library, "f", data, lint.Options{Analyzers: everyOperation})) {
		if d.Rule == finding.Invalid {
			return []string{d.Message}, false
		}
		lines = append(lines, fmt.Sprintf("%d:%d: %s [%s]", d.Line, d.Column, d.Text(), d.Rule))
	}
	return lines, true
}

// found returns the findings of this package in the same form.
func found(data []byte) []string {
	findings, err := quick.Check("f", data)
	var lines []string
	for _, f := range findings {
		f.Message, _, _ = strings.Cut(f.Message, " ") // the operation
		lines = append(lines, fmt.Sprintf("%d:%d: %s [%s]", f.Line, f.Column, f.Text(), f.Rule))
	}
	if err != nil {
		lines = append(lines, fmt.Sprintf("%d:%d: %v", err.(*quick.Error).Line, err.(*quick.Error).Column, err))
	}
	return lines
}

// modules calls f with each module in the repository.
func modules(tb testing.TB, f func(path string, data []byte)) {
	tb.Helper()
	root := "../.."
	if folder := os.Getenv("CALLIOPE_QUICK_MODULES"); folder != "" {
		root = folder
	}
	n := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch filepath.Ext(path) {
		case ".mlir", ".mlirbc", ".bc":
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			n++
			parts := strings.Split(string(data), "// -----")
			for i, part := range parts {
				if len(parts) > 1 {
					f(fmt.Sprintf("%s part %d", path, i+1), []byte(part))
				}
			}
			f(path, data)
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	if n < 60 {
		tb.Errorf("only %d modules were found", n)
	}
}

// crashes are modules on which the library ends the process.
func crashes(path string) bool { return strings.Contains(path, "deep_nesting") }

// TestModules compares the findings in all modules of the repository with those of a full
// parse. With $CALLIOPE_QUICK_MODULES, it compares the modules in that folder.
func TestModules(t *testing.T) {
	compared, findings := 0, 0
	modules(t, func(path string, data []byte) {
		got := found(data)
		if crashes(path) {
			return
		}
		library, err := mlir.OpenFor(data)
		if err != nil {
			library = mlirtest.Library(t)
		}
		want, ok := parsed(library, data)
		if !ok {
			return
		}
		compared++
		findings += len(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-parsed +found):\n%s", path, diff)
		}
	})
	t.Logf("%d modules, %d findings", compared, findings)
	if compared < 50 || findings < 20 {
		t.Errorf("%d modules with %d findings were compared", compared, findings)
	}
}
