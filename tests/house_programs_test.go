package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// starters are the folders besides internal/host/program that start programs. None of them reads what a stranger wrote.
var starters = map[string]string{
	"examples":                   "programs to copy, which compile their own sources",
	"internal/test/cctest":       "compilers, for tests",
	"internal/run/cuda/cudatest": "compilers, for tests",
	"internal/test/doctest":      "the programs of documents, for tests",
	"internal/test/mlirtest":     "children, for tests",
	"internal/test/nativetest":   "children, for tests",
	"internal/run/pjrt/pjrttest": "compilers, for tests",
	"tools/bench":                "what is measured, by those who develop this module",
	"tools/opgen":                "LLVM's tools, by those who develop this module",
	"tools/release":              "compilers, by those who release this module",
	"tools/soak":                 "children and tools of this module, by those who develop it",
	"tools/wheel":                "the Go tool, by those who release this module",
}

// starts are the functions and types that start a process, by the package's path.
var starts = map[string][]string{
	"os":                       {"StartProcess"},
	"os/exec":                  {"Command", "CommandContext", "Cmd"},
	"syscall":                  {"ForkExec", "StartProcess", "Exec", "CreateProcess", "CreateProcessAsUser"},
	"golang.org/x/sys/unix":    {"Exec"},
	"golang.org/x/sys/windows": {"CreateProcess", "ShellExecute"},
}

// startsInC finds calls of C functions that start a process.
var startsInC = regexp.MustCompile(`\b(system|popen|v?fork|exec[lv]p?e?|fexecve|posix_spawnp?|CreateProcess[AW]?|_spawn\w+|ShellExecute\w*)\s*\(`)

// TestHousePrograms holds that only internal/host/program starts programs.
func TestHousePrograms(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	used := map[string]bool{}
	found := func(folder, file, what string) {
		for starter := range starters {
			if folder == starter || strings.HasPrefix(folder, starter+"/") {
				used[starter] = true
				return
			}
		}
		if used[folder] = true; folder != "internal/host/program" {
			t.Errorf("%s uses %s: internal/host/program starts programs", file, what)
		}
	}
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
		rel, err := filepath.Rel("..", path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		folder := filepath.ToSlash(filepath.Dir(rel))
		switch filepath.Ext(path) {
		case ".c", ".h", ".hpp", ".cc":
			if call := startsInC.Find(check.Must(os.ReadFile(path))); call != nil {
				found(folder, rel, string(call))
			}
		case ".go":
			if strings.HasSuffix(path, "_test.go") {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			for _, use := range startsIn(file) {
				found(folder, rel, use)
			}
		}
		return nil
	})
	check.NoError(t, err)
	for starter := range starters {
		if !used[starter] {
			t.Errorf("%s starts no program: remove it from the list", starter)
		}
	}
	if !used["internal/host/program"] {
		t.Error("internal/host/program starts no program, so the test finds nothing")
	}
}

// startsIn returns what starts a process in a file. Only variables may have the type exec.Cmd.
func startsIn(file *ast.File) (uses []string) {
	names := map[string]string{} // of the imported packages
	for _, i := range file.Imports {
		path := strings.Trim(i.Path.Value, `"`)
		name := path[strings.LastIndex(path, "/")+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		if names[name] = path; path == "C" && i.Doc == nil {
			for _, comment := range file.Comments {
				if call := startsInC.FindString(comment.Text()); call != "" && comment.End() < i.Pos() {
					uses = append(uses, call)
				}
			}
		}
		if _, ok := starts[path]; ok && name == "." {
			uses = append(uses, path+", which it imports as .")
		}
	}
	types := map[ast.Node]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StarExpr: // *exec.Cmd
			types[n.X] = true
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && slices.Contains(starts[names[x.Name]], n.Sel.Name) && !types[n] {
				uses = append(uses, x.Name+"."+n.Sel.Name)
			}
		}
		return true
	})
	return uses
}
