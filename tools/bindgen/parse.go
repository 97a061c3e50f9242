package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"modernc.org/cc/v4"
)

// headersIn returns the headers under dir/mlir-c, sorted, without those for Python modules.
func headersIn(dir string) ([]string, error) {
	var names []string
	root := filepath.Join(dir, "mlir-c")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("looking for headers: %w", err)
		}
		if d.IsDir() && d.Name() == "Bindings" {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".h" {
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	return names, err
}

// An api has the declarations of the headers.
type api struct {
	types     []*namedType
	functions []*function
}

// A namedType is a typedef that a bound function needs.
type namedType struct {
	name string
	kind typeKind
	c    cc.Type
}

type typeKind int

const (
	handleType   typeKind = iota // struct of one pointer
	structType                   // any other struct
	enumType                     // enumeration
	callbackType                 // pointer to function
	pointerType                  // opaque pointer
	scalarType                   // alias of a number
)

// A function is one function of the C API.
type function struct {
	name    string
	header  string // the header that declares it, as in an #include
	release int    // the first release of LLVM in which it is called; 0 for any
	unless  string // a function of newer libraries, in which this one is not called; see changedAfter
	since   int    // the first release that has it, if that is after the newest one whose headers are read
	result  cc.Type
	params  []param
}

// field returns the function's name in the table, which may have it once for each release.
func (f *function) field() string {
	if f.release == 0 {
		return f.name
	}
	return fmt.Sprintf("%s_%d", f.name, f.release)
}

type param struct {
	name string
	c    cc.Type
}

// stablehloHeaders is the folder of the StableHLO and CHLO headers in an #include.
const stablehloHeaders = "stablehlo/integrations/c/"

// A declarations is a folder of headers that were written here.
type declarations struct {
	dir     string
	headers string // the folder in the names of these headers
	// since is the release of LLVM that has the functions, if that is after the newest one whose headers are read. One
	// with another prototype in that release has its number after its name, as in mlirOf_23.
	since int
}

// parse reads the headers of one release. The first of dirs has mlir-c; all of them are
// searched for included headers. The declarations are read after these.
func parse(dirs []string, own ...declarations) (*api, error) {
	headers, err := headersIn(dirs[0])
	if err != nil {
		return nil, err
	}
	config, err := cc.NewConfig(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return nil, fmt.Errorf("asking the C compiler for its configuration: %w", err)
	}
	config.Header = true
	config.IncludePaths = slices.Concat(dirs, config.IncludePaths)
	for _, d := range own {
		config.IncludePaths = append(config.IncludePaths, filepath.Dir(d.dir))
	}
	var unit strings.Builder
	for _, h := range headers {
		fmt.Fprintf(&unit, "#include \"mlir-c/%s\"\n", h)
	}
	for _, d := range own {
		further, err := filepath.Glob(filepath.Join(d.dir, "*.h"))
		if err != nil {
			return nil, err
		}
		for _, path := range further {
			fmt.Fprintf(&unit, "#include %q\n", filepath.Base(d.dir)+"/"+filepath.Base(path))
		}
	}
	ast, err := cc.Translate(config, []cc.Source{
		{Name: "<predefined>", Value: config.Predefined},
		{Name: "<builtin>", Value: cc.Builtin},
		{Name: "unit.c", Value: unit.String()},
	})
	if err != nil {
		return nil, fmt.Errorf("parsing the headers in %s: %w", dirs[0], err)
	}
	c := &collector{api: &api{}, seen: map[string]bool{}, own: own}
	for l := ast.TranslationUnit; l != nil; l = l.TranslationUnit {
		c.declaration(l.ExternalDeclaration)
	}
	return c.api, nil
}

type collector struct {
	api  *api
	seen map[string]bool
	own  []declarations
}

func (c *collector) declaration(e *cc.ExternalDeclaration) {
	if e.Case != cc.ExternalDeclarationDecl || e.Declaration == nil {
		return // an inline function of the headers, or a stray semicolon
	}
	for l := e.Declaration.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		d := l.InitDeclarator.Declarator
		t, ok := d.Type().(*cc.FunctionType)
		if !ok || d.IsTypename() || c.seen[d.Name()] || !bound(d.Name()) {
			continue
		}
		c.seen[d.Name()] = true
		c.function(d.Name(), c.includeName(d.Position().Filename), t)
	}
}

// bound reports whether a declared function is in the table. Dialect handles are not: they
// are looked up by name when a library is opened.
func bound(name string) bool {
	if strings.HasPrefix(name, "mlirGetDialectHandle__") {
		return false
	}
	return slices.ContainsFunc([]string{"mlir", "stablehlo", "chlo"}, func(p string) bool {
		return strings.HasPrefix(name, p)
	})
}

// includeName returns the name under which a file is included.
func (c *collector) includeName(path string) string {
	for _, d := range c.own {
		if same(filepath.Dir(path), d.dir) {
			return d.headers + filepath.Base(path)
		}
	}
	path = filepath.ToSlash(path)
	for _, root := range []string{"/mlir-c/", "/mlir/"} {
		if i := strings.LastIndex(path, root); i >= 0 {
			return path[i+1:]
		}
	}
	return filepath.Base(path)
}

// same reports whether two paths are of one folder. The parser finds a header by the working directory, too.
func same(a, b string) bool {
	a, errA := filepath.Abs(a)
	b, errB := filepath.Abs(b)
	return errA == nil && errB == nil && a == b
}

// of returns the declarations that have a header, by its name, or none.
func (c *collector) of(header string) declarations {
	i := slices.IndexFunc(c.own, func(d declarations) bool { return strings.HasPrefix(header, d.headers) })
	if i < 0 {
		return declarations{}
	}
	return c.own[i]
}

func (c *collector) function(name, header string, t *cc.FunctionType) {
	f := &function{name: name, header: header, result: t.Result()}
	if d := c.of(header); d.since != 0 {
		if before, ok := strings.CutSuffix(name, fmt.Sprintf("_%d", d.since)); ok {
			f.name, f.release = before, d.since
		} else {
			f.since = d.since
		}
	}
	c.use(t.Result())
	for i, p := range t.Parameters() {
		if p.Type().Kind() == cc.Void {
			continue
		}
		c.use(p.Type())
		f.params = append(f.params, param{name: paramName(p.Name(), i), c: p.Type()})
	}
	c.api.functions = append(c.api.functions, f)
}

// use adds the named types of t, each after those that it contains.
func (c *collector) use(t cc.Type) {
	name := typedefName(t)
	if name == "" {
		switch t := t.(type) {
		case *cc.PointerType:
			c.use(t.Elem())
		case *cc.FunctionType:
			c.useSignature(t)
		}
		return
	}
	if c.seen["type "+name] || standard(name) {
		return
	}
	c.seen["type "+name] = true
	n := &namedType{name: name, c: t}
	switch u := t.(type) {
	case *cc.StructType:
		n.kind = structType
		if isHandle(t) {
			n.kind = handleType
		}
		for i := range u.NumFields() {
			c.use(u.FieldByIndex(i).Type())
		}
	case *cc.EnumType:
		n.kind = enumType
	case *cc.PointerType:
		n.kind = pointerType
		if f, ok := u.Elem().(*cc.FunctionType); ok {
			n.kind = callbackType
			c.useSignature(f)
		}
	default:
		n.kind = scalarType
	}
	c.api.types = append(c.api.types, n)
}

func (c *collector) useSignature(f *cc.FunctionType) {
	c.use(f.Result())
	for _, p := range f.Parameters() {
		c.use(p.Type())
	}
}

// typedefName returns the name of a type's typedef, or its tag, which is the same name
// throughout the API. It returns "" if there is neither.
func typedefName(t cc.Type) string {
	if d := t.Typedef(); d != nil {
		return d.Name()
	}
	switch t := t.(type) {
	case *cc.StructType:
		tag := t.Tag()
		return tag.SrcStr()
	case *cc.EnumType:
		tag := t.Tag()
		return tag.SrcStr()
	}
	return ""
}

// standard reports whether a type name comes from the C library.
func standard(name string) bool {
	switch name {
	case "bool", "_Bool", "size_t", "intptr_t", "uintptr_t", "ptrdiff_t":
		return true
	}
	return (strings.HasPrefix(name, "int") || strings.HasPrefix(name, "uint")) && strings.HasSuffix(name, "_t")
}

// paramName returns a name for the parameter that is valid in both C and Go.
func paramName(name string, i int) string {
	switch name {
	case "":
		return fmt.Sprintf("arg%d", i)
	case "type", "func", "range", "map", "interface", "package", "import", "var", "t", "f":
		return name + "_"
	}
	return name
}
