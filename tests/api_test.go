package tests

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestPublicTypes holds that no exported declaration of a public package has a type of an
// internal package, or of another module: users could not name it.
func TestPublicTypes(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	list := exec.Command("go", "list", "-deps", "-export", "-f", "{{.ImportPath}} {{.Name}} {{.Export}}", "./...")
	list.Dir = ".."
	out, err := list.Output()
	check.NoError(t, err)
	exports := map[string]string{}
	var public []string
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 3 {
			continue // a package without code
		}
		exports[f[0]] = f[2]
		if (f[0] == module || strings.HasPrefix(f[0], module+"/")) && f[1] != "main" && !isInternal(f[0]) &&
			!strings.HasPrefix(f[0], module+"/tests") && !strings.HasPrefix(f[0], module+"/tools") {
			public = append(public, f[0])
		}
	}
	if len(public) < 20 {
		t.Fatalf("only %d public packages: %v", len(public), public)
	}
	load := importer.ForCompiler(token.NewFileSet(), "gc", exportData(exports))
	for _, path := range public {
		pkg, err := load.Import(path)
		check.NoError(t, err)
		for _, name := range pkg.Scope().Names() {
			if o := pkg.Scope().Lookup(name); o.Exported() {
				s := signature{report: func(where string, what types.Object) {
					t.Errorf("%s.%s%s has the type %s.%s, which users cannot import", path, name, where,
						what.Pkg().Path(), what.Name())
				}}
				s.object(o)
			}
		}
	}
}

func isInternal(path string) bool {
	return strings.HasPrefix(path, "internal/") || strings.Contains(path, "/internal/") ||
		strings.HasSuffix(path, "/internal")
}

// signature visits the types that an exported declaration shows.
type signature struct {
	report func(where string, what types.Object)
	seen   map[types.Type]bool
}

func (s *signature) object(o types.Object) {
	s.seen = map[types.Type]bool{}
	tn, ok := o.(*types.TypeName)
	if !ok {
		s.typ("", o.Type())
		return
	}
	if tn.IsAlias() {
		s.typ("", types.Unalias(tn.Type()))
		return
	}
	named := tn.Type().(*types.Named)
	s.typ("", named.Underlying())
	for i := range named.NumMethods() {
		if m := named.Method(i); m.Exported() {
			s.typ("."+m.Name(), m.Type())
		}
	}
	// Methods of embedded types are methods of the type.
	set := types.NewMethodSet(types.NewPointer(named))
	for i := range set.Len() {
		if m := set.At(i).Obj(); m.Exported() {
			s.typ("."+m.Name(), m.Type())
		}
	}
}

func (s *signature) typ(where string, t types.Type) {
	if t == nil || s.seen[t] {
		return
	}
	s.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		s.typ(where, types.Unalias(t))
	case *types.Named:
		if o := t.Obj(); o.Pkg() != nil {
			path := o.Pkg().Path()
			ours := path == module || strings.HasPrefix(path, module+"/")
			standard := !strings.Contains(strings.SplitN(path, "/", 2)[0], ".")
			if ours && isInternal(path) || !ours && !standard || ours && !o.Exported() &&
				o.Parent() == o.Pkg().Scope() {
				s.report(where, o)
			}
		}
		for i := range t.TypeArgs().Len() {
			s.typ(where, t.TypeArgs().At(i))
		}
	case *types.Pointer:
		s.typ(where, t.Elem())
	case *types.Slice:
		s.typ(where, t.Elem())
	case *types.Array:
		s.typ(where, t.Elem())
	case *types.Chan:
		s.typ(where, t.Elem())
	case *types.Map:
		s.typ(where, t.Key())
		s.typ(where, t.Elem())
	case *types.Tuple:
		for i := range t.Len() {
			s.typ(where, t.At(i).Type())
		}
	case *types.Signature:
		s.typ(where, t.Params())
		s.typ(where, t.Results())
		for i := range t.TypeParams().Len() {
			s.typ(where, t.TypeParams().At(i).Constraint())
		}
	case *types.Struct:
		for i := range t.NumFields() {
			if f := t.Field(i); f.Exported() {
				s.typ(where+"."+f.Name(), f.Type())
			}
		}
	case *types.Interface:
		for i := range t.NumExplicitMethods() {
			if m := t.ExplicitMethod(i); m.Exported() {
				s.typ(where+"."+m.Name(), m.Type())
			}
		}
		for i := range t.NumEmbeddeds() {
			s.typ(where, t.EmbeddedType(i))
		}
	case *types.Union:
		for i := range t.Len() {
			s.typ(where, t.Term(i).Type())
		}
	}
}

// exportData returns a lookup function for the export data of packages, by the files that
// go list -export names.
func exportData(files map[string]string) importer.Lookup {
	return func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, fmt.Errorf("go list names no export data of %s", path)
		}
		return os.Open(files[path])
	}
}
