package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestState holds the table of the process's state: it names each variable of a package that changes while a program
// runs, and no other one. What only programs and tests have is left out, and generated files, whose enumerations keep
// spellings by library.
func TestState(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	sources := readPackages(t)
	var got []string
	for _, v := range sources.changing() {
		if p := sources[v.folder]; !p.program && v.name != "_" {
			got = append(got, "`"+v.folder+"` `"+v.name+"`")
		}
	}
	slices.Sort(got)
	document := string(check.Must(os.ReadFile("house.md")))
	_, table, _ := strings.Cut(document, "\n## State of the process\n")
	table, _, _ = strings.Cut(table, "\n## ")
	var want []string
	for row := range strings.Lines(table) {
		if cells := strings.Split(row, "|"); len(cells) == 6 {
			for _, name := range regexp.MustCompile("`[^`]+`").FindAllString(cells[2], -1) {
				want = append(want, strings.TrimSpace(cells[1])+" "+name)
			}
		}
	}
	slices.Sort(want)
	check.Diff(t, "variables of tests/house.md, and of the sources", want, slices.Compact(got))
}

// A sourcePackage is what the Go files of a folder declare.
type sourcePackage struct {
	program   bool // or a part of tests
	files     []*ast.File
	imports   map[string]string // the folders of this module, by the names that files have for them
	variables map[string]*ast.ValueSpec
	types     map[string]ast.Expr
}

// A variable is one of a package.
type variable struct{ folder, name string }

type sourcePackages map[string]*sourcePackage

func readPackages(t *testing.T) sourcePackages {
	all := sourcePackages{}
	check.NoError(t, filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != ".." && (name == "testdata" || name[0] == '.'):
			return filepath.SkipDir
		case d.IsDir(), filepath.Ext(name) != ".go", strings.HasSuffix(name, "_test.go"),
			strings.HasPrefix(name, "gen_"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(check.Must(filepath.Rel("..", filepath.Dir(file))))
		p := all[folder]
		if p == nil {
			room, _, _ := strings.Cut(folder, "/")
			p = &sourcePackage{imports: map[string]string{}, variables: map[string]*ast.ValueSpec{},
				types: map[string]ast.Expr{}, program: slices.Contains([]string{"examples", "tests", "tools"}, room)}
			all[folder] = p
		}
		p.add(f)
		return nil
	}))
	return all
}

func (p *sourcePackage) add(f *ast.File) {
	p.files = append(p.files, f)
	p.program = p.program || f.Name.Name == "main"
	for _, i := range f.Imports {
		file := strings.Trim(i.Path.Value, `"`)
		p.program = p.program || file == "testing"
		if folder, ours := strings.CutPrefix(file, module+"/"); ours {
			name := path.Base(folder)
			if i.Name != nil {
				name = i.Name.Name
			}
			p.imports[name] = folder
		}
	}
	for _, decl := range f.Decls {
		g, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				p.types[spec.Name.Name] = spec.Type
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if g.Tok == token.VAR {
						p.variables[name.Name] = spec
					}
				}
			}
		}
	}
}

// changing returns the variables that change: channels, those with parts of packages sync and atomic, and those that a
// function assigns to, but for init.
func (all sourcePackages) changing() (list []variable) {
	for folder, p := range all {
		for name, v := range p.variables {
			of := append(slices.Clone(v.Values), v.Type)
			if v.Type != nil {
				of = of[len(of)-1:]
			}
			for _, e := range of {
				if all.synchronizes(p, kindOf(e), map[ast.Expr]bool{}) {
					list = append(list, variable{folder, name})
				}
			}
		}
		for _, f := range p.files {
			for _, decl := range f.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.Name != "init" {
					list = append(list, all.assigned(folder, fn)...)
				}
			}
		}
	}
	return list
}

// kindOf returns what the type of an expression is known by: a type, or the function that returns it.
func kindOf(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return kindOf(e.X)
	case *ast.CompositeLit:
		return e.Type
	case *ast.CallExpr:
		if f, ok := e.Fun.(*ast.Ident); ok && f.Name == "make" {
			return e.Args[0]
		}
		if f, ok := e.Fun.(*ast.IndexExpr); ok { // a generic function
			return f.X
		}
		return e.Fun
	case *ast.BasicLit, *ast.BinaryExpr, *ast.FuncLit:
		return nil
	}
	return e
}

// synchronizes reports whether a type of a package has channels, or parts of packages sync and atomic.
func (all sourcePackages) synchronizes(p *sourcePackage, e ast.Expr, seen map[ast.Expr]bool) (found bool) {
	if e == nil || seen[e] {
		return false
	}
	seen[e] = true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.FuncType, *ast.InterfaceType, *ast.StarExpr:
			return false
		case *ast.ChanType:
			found = true
		case *ast.Field: // not its name
			found = found || all.synchronizes(p, n.Type, seen)
			return false
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if !ok {
				return false
			}
			found = found || x.Name == "sync" || x.Name == "atomic"
			if other := all[p.imports[x.Name]]; other != nil {
				found = found || all.synchronizes(other, other.types[n.Sel.Name], seen)
			}
			return false
		case *ast.Ident:
			found = found || all.synchronizes(p, p.types[n.Name], seen)
		}
		return !found
	})
	return found
}

// assigned returns the variables of packages that a function assigns to, in whole or in part.
func (all sourcePackages) assigned(folder string, fn *ast.FuncDecl) (list []variable) {
	p := all[folder]
	var change func(e ast.Expr)
	change = func(e ast.Expr) {
		switch e := e.(type) {
		case *ast.ParenExpr:
			change(e.X)
		case *ast.StarExpr:
			change(e.X)
		case *ast.IndexExpr:
			change(e.X)
		case *ast.SelectorExpr:
			if x, ok := e.X.(*ast.Ident); ok && x.Obj == nil && all[p.imports[x.Name]] != nil {
				list = append(list, variable{p.imports[x.Name], e.Sel.Name})
				return
			}
			change(e.X)
		case *ast.Ident: // one of another file, or of this one
			if v := p.variables[e.Name]; v != nil && (e.Obj == nil || e.Obj.Decl == v) {
				list = append(list, variable{folder, e.Name})
			}
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, e := range n.Lhs {
					change(e)
				}
			}
		case *ast.IncDecStmt:
			change(n.X)
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "delete" || f.Name == "clear") {
				change(n.Args[0])
			}
		}
		return true
	})
	return list
}
