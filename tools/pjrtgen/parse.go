package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"modernc.org/cc/v4"
)

// An api is what the header declares.
type api struct {
	minor   string
	structs []*cc.StructType // those with fields, each after those that it contains
	enums   []*cc.EnumType
	table   []string // the functions of PJRT_Api, in its order
	seen    map[string]bool
}

func parse(header string) (*api, error) {
	text, err := os.ReadFile(header)
	if err != nil {
		return nil, fmt.Errorf("give the path of pjrt_c_api.h by -header: %w", err)
	}
	config, err := cc.NewConfig(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return nil, fmt.Errorf("asking the C compiler for its configuration: %w", err)
	}
	config.Header = true
	ast, err := cc.Translate(config, []cc.Source{
		{Name: "<predefined>", Value: config.Predefined},
		{Name: "<builtin>", Value: cc.Builtin},
		{Name: header, Value: string(text)},
		{Name: "unit.c", Value: "extern PJRT_Api api;\n"},
	})
	if err != nil {
		return nil, err
	}
	a := &api{seen: map[string]bool{}}
	_, rest, _ := strings.Cut(string(text), "#define PJRT_API_MINOR ")
	a.minor, _, _ = strings.Cut(rest, "\n")
	for l := ast.TranslationUnit; l != nil; l = l.TranslationUnit {
		e := l.ExternalDeclaration
		if e.Case != cc.ExternalDeclarationDecl || e.Declaration == nil || e.Declaration.InitDeclaratorList == nil {
			continue
		}
		d := e.Declaration.InitDeclaratorList.InitDeclarator.Declarator
		if t, ok := d.Type().(*cc.StructType); ok && d.Name() == "api" {
			a.use(t)
			for i := range t.NumFields() {
				if name := t.FieldByIndex(i).Name(); strings.HasPrefix(name, "PJRT_") {
					a.table = append(a.table, name)
				}
			}
		}
	}
	if len(a.table) == 0 {
		return nil, fmt.Errorf("%s does not declare PJRT_Api", header)
	}
	return a, nil
}

// use adds the named types of t.
func (a *api) use(t cc.Type) {
	name := nameOf(t)
	switch t := t.(type) {
	case *cc.PointerType:
		a.use(t.Elem())
	case *cc.FunctionType:
		a.use(t.Result())
		for _, p := range t.Parameters() {
			a.use(p.Type())
		}
	case *cc.StructType:
		if a.seen[name] || name == "" || t.NumFields() == 0 {
			return
		}
		a.seen[name] = true
		for i := range t.NumFields() {
			a.use(t.FieldByIndex(i).Type())
		}
		if name != "PJRT_Api" {
			a.structs = append(a.structs, t)
		}
	case *cc.EnumType:
		if !a.seen[name] && name != "" {
			a.seen[name] = true
			a.enums = append(a.enums, t)
		}
	}
}

// nameOf returns the name of a type's typedef or its tag, or "".
func nameOf(t cc.Type) string {
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
