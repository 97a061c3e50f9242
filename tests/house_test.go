package tests

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/calliope-mlir/calliope"

// mayImport is the rule of the house: which folders of this module each folder may
// import. docs/architecture.md has the same table in words.
var mayImport = map[string][]string{
	"tensor":              {},
	"contract":            {"tensor"},
	"native":              {"internal/debs"},
	"c":                   {},
	"internal/bounded":    {},
	"internal/cached":     {},
	"internal/capi":       {"internal/dl", "internal/stack"},
	"internal/debs":       {},
	"internal/dl":         {},
	"internal/ffi":        {},
	"internal/mlirtest":   {"mlir", "native"},
	"internal/nativetest": {"native"},
	"internal/nearest":    {},
	"internal/pjrt":       {"internal/dl"},
	"internal/stack":      {},
	"mlir":                {"internal/capi", "native"},
	"stablehlo":           {"mlir", "internal/capi", "tensor"},
	"aliasing":            {"mlir", "stablehlo"},
	"passes":              {"mlir", "stablehlo", "aliasing", "contract", "tensor"},
	"builder":             {"mlir", "stablehlo", "aliasing", "passes", "contract", "tensor", "callbacks"},
	"callbacks":           {"contract", "tensor", "internal/cached", "internal/nearest"},
	"callbacks/metrics":   {"callbacks"},
	"callbacks/record":    {"callbacks", "contract", "tensor"},
	"bridge":              {"callbacks", "contract", "tensor", "native", "internal/cached", "internal/dl", "internal/ffi", "internal/pjrt"},
	"bridge/internal/xla": {"internal/pjrt", "internal/stack"},
	"bridge/preflight":    {"mlir", "stablehlo", "passes", "callbacks", "contract", "tensor", "internal/nearest"},
	"tools/mlir-lint":     {"mlir", "stablehlo", "aliasing", "passes", "contract", "native", "internal/bounded"},
	"examples":            {"tensor", "contract", "native", "mlir", "stablehlo", "aliasing", "passes", "builder", "callbacks", "bridge"},
	"tools":               {"*"},
	"tests":               {"*"},
}

// thirdParty are the modules that may be imported, and from where.
var thirdParty = map[string][]string{
	"github.com/gomlx/gopjrt":  {"bridge/internal/xla", "tools/bench"}, // the bench measures it beside ours
	"github.com/google/go-cmp": {"internal/mlirtest"},
	"modernc.org/cc/v4":        {"tools"},
}

// cgo are the folders with C, and where C is called.
var cgo = []string{"internal/capi", "internal/dl", "internal/ffi", "internal/pjrt", "internal/stack", "tools/bench/internal"}

// TestHouse holds every import in non-test files against the rule.
func TestHouse(t *testing.T) {
	checked := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != ".." && (strings.HasPrefix(name, ".") || name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("..", path)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(rel))
		room, allowed, ok := roomOf(folder)
		if !ok {
			t.Errorf("%s: the folder has no place in the rule; add it to mayImport and docs/architecture.md", folder)
			return nil
		}
		checked++
		for _, imported := range file.Imports {
			name, err := strconv.Unquote(imported.Path.Value)
			if err != nil {
				return err
			}
			if name == "C" && !within(folder, cgo) {
				t.Errorf("%s imports \"C\", which only %v may", rel, cgo)
			}
			if inside, ours := strings.CutPrefix(name, module+"/"); ours {
				if !permits(allowed, room, inside) {
					t.Errorf("%s imports %s: %s may import %v", rel, inside, room, allowed)
				}
			} else if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ".") && !permitsThird(name, folder) {
				t.Errorf("%s imports %s, which the house does not know", rel, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 20 {
		t.Errorf("only %d files were checked", checked)
	}
}

// TestHouseInWords holds the table of docs/architecture.md against the rule.
func TestHouseInWords(t *testing.T) {
	doc, err := os.ReadFile("../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, doc, _ = bytes.Cut(doc, []byte("## The house"))
	doc, _, _ = bytes.Cut(doc, []byte("\n## "))
	quoted := regexp.MustCompile("`([^`]+)`")
	got := map[string][]string{}
	for row := range strings.Lines(string(doc)) {
		cells := strings.Split(row, "|")
		if len(cells) != 5 || !strings.Contains(cells[1], "`") {
			continue
		}
		room := strings.TrimSuffix(strings.Trim(cells[1], " `"), "/…")
		allowed := []string{}
		for _, name := range quoted.FindAllStringSubmatch(cells[3], -1) {
			allowed = append(allowed, name[1])
		}
		if strings.Contains(cells[3], "anything") {
			allowed = append(allowed, "*")
		}
		got[room] = allowed
	}
	want := maps.Clone(mayImport)
	want["mlir/dialect"] = []string{"mlir", "internal/capi"} // within mlir's rule
	want["examples"] = []string{}                            // "the public packages"
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("docs/architecture.md (-rule +words):\n%s", d)
	}
}

// roomOf finds the rule for a folder: its own or that of the nearest folder above.
func roomOf(folder string) (room string, allowed []string, ok bool) {
	for room = folder; room != "."; room = filepath.ToSlash(filepath.Dir(room)) {
		if allowed, ok = mayImport[room]; ok {
			return room, allowed, true
		}
	}
	return folder, nil, false
}

func permits(allowed []string, room, imported string) bool {
	return slices.ContainsFunc(append(allowed, room), func(a string) bool {
		return a == "*" || imported == a || strings.HasPrefix(imported, a+"/")
	})
}

func permitsThird(name, folder string) bool {
	for prefix, folders := range thirdParty {
		if name == prefix || strings.HasPrefix(name, prefix+"/") {
			return within(folder, folders)
		}
	}
	return false
}

// within reports whether a folder is one of the folders, or below one.
func within(folder string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return folder == f || strings.HasPrefix(folder, f+"/") })
}

// TestSelfContained holds that a clone is whole by itself: no file names a place of
// one machine or reaches out of the repository.
func TestSelfContained(t *testing.T) {
	forbidden := []string{"/wo" + "rk/", "/ro" + "ot/", "../sha" + "red"}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" {
				return filepath.SkipDir
			}
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, f := range forbidden {
			if strings.Contains(string(data), f) {
				t.Errorf("%s contains %q", path, f)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
