// Command house counts what a checkout has: lines of Go by hand, exported names, and who needs whom.
//
//	go run ./tools/house [-dir DIR] [PACKAGE…]
//
// It prints a line for each package with files by hand, or only those that are named: its files, their lines, its
// exported names, the packages of this module that it imports, and the arrows between its files. An arrow leads from a
// file to another file of the package that declares a name which it uses, however often. Methods and fields do not
// count. Tests, generated files and testdata are left out, since only the rest is read and changed by hand.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A room is what one folder has.
type room struct {
	files, lines, exported, imports, arrows int
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("house: ")
	dir := flag.String("dir", ".", "the root of the checkout")
	flag.Parse()
	module, err := moduleName(filepath.Join(*dir, "go.mod"))
	if err != nil {
		log.Fatal(err)
	}
	folders, err := sources(*dir)
	if err != nil {
		log.Fatal(err)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	print := func(name string, r room) {
		fmt.Fprintf(out, "%-40s %6d %8d %9d %8d %7d\n", name, r.files, r.lines, r.exported, r.imports, r.arrows)
	}
	fmt.Fprintf(out, "%-40s %6s %8s %9s %8s %7s\n", "package", "files", "lines", "exported", "imports", "arrows")
	var all room
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		r, err := measure(module, folders[folder])
		if err != nil {
			log.Fatal(err)
		}
		if flag.NArg() == 0 || slices.Contains(flag.Args(), folder) {
			print(folder, r)
			all = room{all.files + r.files, all.lines + r.lines, all.exported + r.exported, all.imports + r.imports,
				all.arrows + r.arrows}
		}
	}
	print("total", all)
}

// moduleName reads the name of a module from its go.mod.
func moduleName(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%w: name the root of a module with -dir", err)
	}
	name, ok := strings.CutPrefix(strings.SplitN(string(text), "\n", 2)[0], "module ")
	if !ok {
		return "", fmt.Errorf("%s does not begin with a module line", file)
	}
	return strings.TrimSpace(name), nil
}

// sources lists the Go files by hand of each folder, without tests.
func sources(root string) (map[string][]string, error) {
	folders := map[string][]string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && (name == "testdata" || name[0] == '.'):
			return filepath.SkipDir
		case d.IsDir(), path.Ext(name) != ".go", strings.HasSuffix(name, "_test.go"), strings.HasPrefix(name, "gen_"):
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(file))
		folders[filepath.ToSlash(folder)] = append(folders[filepath.ToSlash(folder)], file)
		return err
	})
	return folders, err
}

// measure reads the files of a package.
func measure(module string, files []string) (room, error) {
	r := room{files: len(files)}
	declared := map[string]string{} // a name of the package, and the file that declares it
	imports := map[string]bool{}
	parsed := map[string]*ast.File{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return r, err
		}
		r.lines += bytes.Count(text, []byte("\n"))
		f, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
		if err != nil {
			return r, err
		}
		parsed[file] = f
		for name := range f.Scope.Objects {
			declared[name] = cmp.Or(declared[name], file) // a file for each system declares it again
			if ast.IsExported(name) {
				r.exported++
			}
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.IsExported() {
				r.exported++
			}
		}
		for _, imported := range f.Imports {
			if p := strings.Trim(imported.Path.Value, `"`); p == module || strings.HasPrefix(p, module+"/") {
				imports[p] = true
			}
		}
	}
	r.imports = len(imports)
	for file, f := range parsed {
		to := map[string]bool{}
		for _, used := range f.Unresolved {
			if other := declared[used.Name]; other != "" && other != file {
				to[other] = true
			}
		}
		r.arrows += len(to)
	}
	return r, nil
}
