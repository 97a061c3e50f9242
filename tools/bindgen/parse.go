package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"modernc.org/cc/v4"
)

// headers lists what is bound, in the order in which it is read.
var headers = []string{
	"Support.h", "IR.h", "BuiltinAttributes.h", "BuiltinTypes.h", "AffineExpr.h", "AffineMap.h",
	"IntegerSet.h", "Diagnostics.h", "Interfaces.h", "Pass.h", "RegisterEverything.h",
}

// api is what the headers declare.
type api struct {
	types     []*namedType
	functions []*function
}

// namedType is a typedef that a bound function needs.
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
	scalarType                   // alias of a number
)

type function struct {
	name   string
	result cc.Type
	params []param
}

type param struct {
	name string
	c    cc.Type
}

// parse reads the named headers in dir/mlir-c and the declarations file.
func parse(dir string, headers []string, declarations string) (*api, error) {
	config, err := cc.NewConfig(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return nil, fmt.Errorf("asking the C compiler for its configuration: %w", err)
	}
	config.Header = true
	config.IncludePaths = append([]string{dir, filepath.Dir(declarations)}, config.IncludePaths...)
	var unit strings.Builder
	for _, h := range headers {
		fmt.Fprintf(&unit, "#include \"mlir-c/%s\"\n", h)
	}
	fmt.Fprintf(&unit, "#include %q\n", filepath.Base(declarations))
	ast, err := cc.Translate(config, []cc.Source{
		{Name: "<predefined>", Value: config.Predefined},
		{Name: "<builtin>", Value: cc.Builtin},
		{Name: "unit.c", Value: unit.String()},
	})
	if err != nil {
		return nil, fmt.Errorf("parsing the headers in %s: %w", dir, err)
	}
	c := &collector{api: &api{}, seen: map[string]bool{}}
	for l := ast.TranslationUnit; l != nil; l = l.TranslationUnit {
		c.declaration(l.ExternalDeclaration)
	}
	return c.api, nil
}

type collector struct {
	api  *api
	seen map[string]bool
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
		c.function(d.Name(), t)
	}
}

// changed are functions whose prototype is another one in later releases of LLVM:
// under one name, libraries of different age take different arguments.
var changed = []string{"mlirPassManagerEnableIRPrinting"}

// bound reports whether a declared function belongs to the table. Dialect handles
// do not: which of them a library has is asked by name when it is opened.
func bound(name string) bool {
	if strings.HasPrefix(name, "mlirGetDialectHandle__") || slices.Contains(changed, name) {
		return false
	}
	return slices.ContainsFunc([]string{"mlir", "stablehlo", "chlo"}, func(p string) bool {
		return strings.HasPrefix(name, p)
	})
}

func (c *collector) function(name string, t *cc.FunctionType) {
	f := &function{name: name, result: t.Result()}
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

// use adds the named types that t is made of, the parts before the whole.
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
		if isHandle(u) {
			n.kind = handleType
		}
		for i := range u.NumFields() {
			c.use(u.FieldByIndex(i).Type())
		}
	case *cc.EnumType:
		n.kind = enumType
	case *cc.PointerType:
		n.kind = callbackType
		if f, ok := u.Elem().(*cc.FunctionType); ok {
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

// isHandle reports whether a struct is one of the API's opaque handles.
func isHandle(s *cc.StructType) bool {
	return s.NumFields() == 1 && s.FieldByIndex(0).Name() == "ptr"
}

// typedefName is the name that a type goes by: its typedef's, or a struct's tag,
// which is the same word throughout the API.
func typedefName(t cc.Type) string {
	if d := t.Typedef(); d != nil {
		return d.Name()
	}
	if s, ok := t.(*cc.StructType); ok {
		tag := s.Tag()
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

// paramName is the parameter's name, made fit for both C and Go.
func paramName(name string, i int) string {
	switch name {
	case "":
		return fmt.Sprintf("arg%d", i)
	case "type", "func", "range", "map", "interface", "package", "import", "var", "t":
		return name + "_"
	}
	return name
}
