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
	"tensor":     {},
	"tensor/npz": {"tensor", "internal/replace"},
	"contract":   {"tensor"},
	"native":     {"internal/debs", "internal/replace"},
	"c":          {},
	"c/embed": {"c/include", "aliasing", "bridge", "bridge/preflight", "callbacks", "callbacks/legacy", "contract",
		"contract/callop", "mlir", "passes", "stablehlo", "tensor", "internal/cgo"},
	"c/include":        {},
	"c/install":        {"c/include", "internal/version"},
	"c/shared":         {"c/embed"},
	"internal/bounded": {},
	"internal/cgo":     {},
	"internal/replace": {},
	"internal/cached":  {},
	"internal/callers": {},
	"internal/capi":    {"internal/dl", "internal/stack", "internal/cgo"},
	"internal/dispatch": {"callbacks", "contract", "tensor", "internal/cached", "internal/dispatch/access",
		"internal/errtext"},
	"internal/dispatch/access":       {"contract"},
	"internal/dispatch/dispatchtest": {"callbacks", "contract", "internal/dispatch"},
	"internal/doctest":               {},
	"internal/hostcall": {"callbacks", "contract", "contract/callop", "internal/dispatch", "mlir", "stablehlo",
		"tensor"},
	"internal/errtext":  {},
	"internal/mlirtest": {"mlir", "native", "internal/check", "internal/debs"},
	"internal/model": {"bridge", "bridge/lapack", "contract", "mlir", "native", "passes", "stablehlo",
		"stablehlo/jaxexport", "stablehlo/sharding", "tensor"},
	"internal/nativetest": {"native"},
	"internal/lazyregexp": {},
	"internal/nearest":    {},
	"internal/ods":        {"mlir", "internal/capi", "internal/raw"},
	"internal/raw":        {"mlir", "internal/capi", "internal/raw/access"},
	"internal/raw/access": {},
	"mlir": {"internal/callers", "internal/capi", "internal/forgotten", "internal/lazyregexp", "internal/nearest",
		"internal/raw/access", "native"},
	"mlir/execution":      {"mlir", "internal/capi", "internal/dl", "internal/raw"},
	"mlir/dialect":        {"mlir", "internal/capi", "internal/ods", "internal/raw"},
	"stablehlo":           {"contract", "mlir", "internal/capi", "internal/ods", "internal/raw", "tensor"},
	"stablehlo/jaxexport": {"tensor"},
	"stablehlo/sharding":  {"mlir", "tensor"},
	"aliasing":            {"mlir", "mlir/dialect", "stablehlo"},
	"autodiff": {"internal/transform", "mlir", "mlir/dialect", "stablehlo", "aliasing", "contract",
		"contract/callop", "passes", "tensor", "vmap"},
	"passes": {"mlir", "mlir/dialect", "stablehlo", "aliasing", "contract", "contract/callop",
		"tensor"},
	"stages": {"bridge", "builder", "callbacks", "contract", "contract/callop",
		"internal/dispatch", "internal/errtext", "internal/hostcall", "internal/nearest", "jit", "mlir",
		"mlir/dialect", "passes", "stablehlo", "stages/internal/interpreter", "stages/internal/picture",
		"stages/internal/set", "tensor"},
	"stages/internal/interpreter": {"internal/worker", "mlir", "stablehlo", "tensor"},
	"stages/internal/picture":     {},
	"stages/internal/set":         {},
	"builder": {"autodiff", "internal/callers", "mlir", "mlir/dialect", "stablehlo", "aliasing",
		"passes", "contract", "contract/callop", "tensor", "internal/tree", "vmap"},
	"callbacks": {"contract", "tensor", "internal/dispatch/access", "internal/errtext", "internal/leaf",
		"internal/nearest", "internal/tree"},
	"callbacks/metrics": {"callbacks"},
	"callbacks/legacy": {"callbacks", "contract", "tensor", "internal/dl", "internal/errtext",
		"internal/legacy"},
	"callbacks/record": {"callbacks", "contract", "tensor", "internal/dispatch", "internal/errtext",
		"internal/replace"},
	"bridge": {"bridge/internal/element", "bridge/internal/hlo", "bridge/internal/saved",
		"bridge/internal/xla", "callbacks", "contract", "tensor", "native", "internal/cached", "internal/callers",
		"internal/dispatch", "internal/errtext", "internal/forgotten", "internal/cuda", "internal/dl", "internal/ffi",
		"internal/nearest", "internal/pjrt", "internal/store"},
	"bridge/lapack": {"bridge", "callbacks", "tensor", "native", "internal/fortran"},
	"bridge/preflight": {"mlir", "stablehlo", "callbacks", "contract", "contract/callop", "tensor",
		"internal/dispatch", "internal/nearest"},
	"examples": {".", "nn", "optim", "tensor", "contract", "native", "mlir", "mlir/dialect",
		"mlir/execution", "stablehlo", "aliasing", "passes", "builder", "callbacks", "bridge", "bridge/lapack",
		"bridge/preflight", "callbacks/legacy", "callbacks/metrics", "callbacks/record", "contract/callop", "lint",
		"lint/command", "lint/rules", "c/embed", "c/include", "stages"},
	"tools":                            {"*"},
	"tests":                            {"*"},
	"internal/cctest":                  {},
	"internal/check":                   {},
	"internal/child":                   {},
	"contract/callop":                  {"mlir", "mlir/dialect", "stablehlo", "aliasing", "contract", "tensor"},
	"internal/leaf":                    {"tensor"},
	"internal/transform/transformtest": {"tensor", "internal/check"},
	"internal/transform":               {"mlir", "mlir/dialect", "stablehlo", "contract/callop"},
	"internal/tree":                    {},
	"internal/version":                 {},
	"internal/worker":                  {"internal/child", "internal/stack"},
	"vmap":                             {"internal/transform", "mlir", "stablehlo", "contract", "contract/callop"},
	".": {"bridge", "bridge/preflight", "builder", "callbacks", "mlir", "native", "passes",
		"stablehlo/jaxexport", "stablehlo/sharding", "stages", "tensor", "tensor/npz", "internal/leaf",
		"internal/model", "internal/tree"},
	"gomlx":          {".", "bridge", "builder", "callbacks", "mlir", "passes", "stablehlo", "stages", "tensor"},
	"gomlx/host":     {".", "callbacks", "gomlx"},
	"gomlx/examples": {"gomlx", "gomlx/host"},
	"nn":             {"builder", "tensor"},
	"optim":          {"builder", "tensor"},
	"jit": {"callbacks", "contract", "contract/callop", "internal/dispatch", "internal/hostcall", "internal/worker",
		"jit/internal/callback", "jit/internal/extern", "jit/internal/lower", "jit/internal/product", "jit/internal/runtime",
		"mlir", "mlir/dialect", "mlir/execution", "stablehlo", "tensor", "internal/capi"},
	"jit/internal/callback": {"callbacks", "contract", "contract/callop", "internal/dispatch", "internal/hostcall",
		"jit/internal/extern", "jit/internal/runtime", "mlir", "stablehlo", "tensor"},
	"jit/internal/extern": {"mlir"},
	"jit/internal/product": {"internal/fortran", "jit/internal/extern", "jit/internal/runtime", "mlir", "mlir/dialect",
		"mlir/execution", "native", "stablehlo", "tensor"},
	"jit/internal/lower":   {"mlir", "mlir/dialect", "passes", "stablehlo"},
	"jit/internal/runtime": {"internal/cgo"},
	"lint":                 {"lint/quick", "mlir", "internal/errtext"},
	"lint/command": {"lint", "lint/fix", "lint/quick", "lint/rules", "mlir", "native", "stablehlo/jaxexport",
		"internal/bounded", "internal/child", "internal/lazyregexp", "internal/replace", "internal/store",
		"internal/version", "lint/command/internal"},
	"lint/command/internal": {"internal/bounded", "internal/errtext", "internal/lazyregexp", "internal/nearest",
		"internal/replace"},
	"lint/fix":   {"lint", "lint/quick", "mlir", "passes", "stablehlo"},
	"lint/quick": {},
	"lint/rules": {"lint", "mlir", "stablehlo", "aliasing", "passes", "contract", "contract/callop",
		"tensor", "internal/nearest"},
	"internal/cuda":           {"internal/dl", "internal/cgo"},
	"internal/debs":           {},
	"internal/dl":             {"internal/cgo"},
	"internal/forgotten":      {},
	"internal/fortran":        {"internal/dl", "internal/cgo"},
	"internal/ffi":            {"contract", "internal/cgo"},
	"internal/legacy":         {"c/include", "contract", "internal/cgo"},
	"internal/pjrt":           {"internal/dl", "internal/cgo"},
	"internal/stack":          {"internal/cgo"},
	"internal/store":          {"native"},
	"bridge/internal/element": {"bridge/internal/hlo", "tensor"},
	"bridge/internal/hlo":     {"contract", "tensor"},
	"bridge/internal/saved":   {},
	"bridge/internal/xla":     {"internal/pjrt", "internal/stack", "internal/cgo"},
}

// ahead are permissions that what comes next needs.
var ahead = map[string][]string{}

// thirdParty are the modules that may be imported, and from where.
var thirdParty = map[string][]string{
	"github.com/gomlx/gopjrt":          {"bridge/internal/xla", "tools/bench"}, // the bench measures it beside ours
	"github.com/gomlx/compute":         {"gomlx"},
	"github.com/gomlx/go-xla":          {"gomlx/gopjrt", "gomlx/internal/bench"},
	"github.com/gomlx/gomlx":           {"gomlx/internal/bench", "gomlx/host", "gomlx/examples"}, // whose tests import the backend
	"github.com/pkg/errors":            {"gomlx"},
	"github.com/google/go-cmp":         {"internal/check", "internal/mlirtest"},
	"modernc.org/cc/v4":                {"tools"},
	"go.yaml.in/yaml/v3":               {"lint/command/internal/config"},
	"github.com/aymanbagabas/go-udiff": {"lint/command", "lint/command/internal/lsp"},
	"github.com/creachadair/jrpc2":     {"lint/command/internal/lsp", "tools/bench"},
}

// TestHouse holds every import in non-test files against the rule, and the rule against
// what is imported: it permits nothing that nobody needs.
func TestHouse(t *testing.T) {
	checked := 0
	used := map[string]bool{} // "room imports room"
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
			if name == module {
				name += "/."
			}
			if inside, ours := strings.CutPrefix(name, module+"/"); ours {
				to, _, _ := roomOf(inside)
				used[room+" imports "+to] = true
				if !permits(allowed, room, inside) {
					t.Errorf("%s imports %s: %s may import %v", rel, inside, room, allowed)
				}
			} else if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ".") &&
				!permitsThird(name, folder) {
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
	for room, allowed := range mayImport {
		for _, to := range allowed {
			if to != "*" && room != "examples" && !slices.Contains(ahead[room], to) && !used[room+" imports "+to] {
				t.Errorf("%s may import %s, and does not: remove it from mayImport and docs/architecture.md", room, to)
			}
		}
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
	want["examples"] = []string{} // "the public packages"
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("docs/architecture.md (-rule +words):\n%s", d)
	}
}

// roomOf finds the rule for a folder: its own or that of the nearest folder above.
func roomOf(folder string) (room string, allowed []string, ok bool) {
	if folder == "." {
		return folder, mayImport[folder], true
	}
	for room = folder; room != "."; room = filepath.ToSlash(filepath.Dir(room)) {
		if allowed, ok = mayImport[room]; ok {
			return room, allowed, true
		}
	}
	return folder, nil, false
}

// permits reports whether a room may import a folder: what is allowed is the folder's own
// room, so that a room within another one, such as contract/callop, is allowed by its name.
func permits(allowed []string, room, imported string) bool {
	if slices.Contains(allowed, "*") {
		return true
	}
	imported, _, _ = roomOf(imported)
	return imported == room || slices.Contains(allowed, imported)
}

func permitsThird(name, folder string) bool {
	for prefix, folders := range thirdParty {
		if name == prefix || strings.HasPrefix(name, prefix+"/") {
			return slices.ContainsFunc(folders,
				func(f string) bool { return folder == f || strings.HasPrefix(folder, f+"/") })
		}
	}
	return false
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
