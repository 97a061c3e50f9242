package tests

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

const module = "github.com/calliope-mlir/calliope"

// A house says which folders of this module each folder may import.
type house map[string][]string

// houseOf reads the table of house.md.
func houseOf(t *testing.T) house {
	t.Helper()
	_, table, _ := strings.Cut(string(check.Must(os.ReadFile("house.md"))), "# The house\n")
	table, _, _ = strings.Cut(table, "\n## ")
	quoted := regexp.MustCompile("`([^`]+)`")
	h := house{}
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		if len(cells) != 5 || !strings.Contains(cells[1], "`") {
			continue
		}
		allowed := []string{}
		switch cell := strings.TrimSpace(cells[3]); cell {
		case "nothing of ours":
		case anything, public:
			allowed = append(allowed, cell)
		default:
			for _, name := range quoted.FindAllStringSubmatch(cell, -1) {
				allowed = append(allowed, name[1])
			}
			if len(allowed) == 0 {
				t.Errorf("tests/house.md: %q is no list of folders", cell)
			}
		}
		h[strings.TrimSuffix(strings.Trim(cells[1], " `"), "/…")] = allowed
	}
	return h
}

// What the table says instead of a list of folders.
const (
	anything = "anything"
	public   = "the public packages"
)

// thirdParty are the modules that may be imported, and from where.
var thirdParty = map[string][]string{
	"github.com/gomlx/gopjrt":          {"bridge/internal/xla", "tools/bench"}, // the bench measures it beside ours
	"k8s.io/klog/v2":                   {"bridge/internal/quiet"},
	"github.com/go-logr/logr":          {"bridge/internal/quiet"},
	"github.com/gomlx/compute":         {"gomlx"},
	"github.com/gomlx/go-xla":          {"gomlx/gopjrt", "gomlx/internal/bench"},
	"github.com/gomlx/gomlx":           {"gomlx/internal/bench", "gomlx/host", "gomlx/examples"}, // whose tests import the backend
	"github.com/pkg/errors":            {"gomlx"},
	"github.com/google/go-cmp":         {"internal/test/check", "internal/test/mlirtest"},
	"google.golang.org/protobuf":       {"c/plugin"},
	"modernc.org/cc/v4":                {"tools"},
	"go.yaml.in/yaml/v3":               {"lint/command/internal/config"},
	"github.com/aymanbagabas/go-udiff": {"lint/command", "lint/command/internal/lsp"},
	"golang.org/x/sys":                 {"jit/internal/product"},
	"github.com/creachadair/jrpc2":     {"lint/command/internal/lsp", "tools/bench", "tools/soak/mutants"},
}

// TestHouse holds every import in non-test files against the table, and the table against
// what is imported: it permits nothing that nobody needs.
func TestHouse(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	h := houseOf(t)
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
		room, ok := h.roomOf(folder)
		if !ok {
			t.Errorf("%s: add the folder to the table of tests/house.md", folder)
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
				to, _ := h.roomOf(inside)
				used[room+" imports "+to] = true
				if !h.permits(room, to) {
					t.Errorf("%s imports %s: %s may import %v", rel, inside, room, h[room])
				}
			} else if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ".") &&
				!permitsThird(name, folder) {
				t.Errorf("%s imports %s, which the house does not know", rel, name)
			}
		}
		return nil
	})
	check.NoError(t, err)
	if checked < 20 {
		t.Errorf("only %d files were checked", checked)
	}
	for room, allowed := range h {
		for _, to := range allowed {
			if to != anything && to != public && !used[room+" imports "+to] {
				t.Errorf("tests/house.md: %s may import %s, and does not: remove it from the table", room, to)
			}
		}
	}
}

// roomOf returns the folder of the table that a folder is in: itself or the nearest one above, but not the root.
func (h house) roomOf(folder string) (room string, ok bool) {
	for room = folder; ; room = path.Dir(room) {
		if _, ok = h[room]; ok || room == "." {
			return room, ok && (room != "." || folder == ".")
		}
	}
}

// permits reports whether a room may import another one. A room within a room, such as contract/callop, is permitted
// by its own name.
func (h house) permits(room, imported string) bool {
	allowed := h[room]
	return imported == room || slices.Contains(allowed, imported) || slices.Contains(allowed, anything) ||
		slices.Contains(allowed, public) && !strings.Contains(imported+"/", "internal/") &&
			!slices.Contains([]string{"tools", "tests"}, imported)
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
	t.Parallel()
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
	check.NoError(t, err)
}
