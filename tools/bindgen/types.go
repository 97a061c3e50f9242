package main

import (
	"fmt"
	"strings"

	"modernc.org/cc/v4"
)

// cDecl returns a C declaration of name with type t, using the names of typedefs.
func cDecl(t cc.Type, name string) string { return cDeclOf(t, name, true) }

func cDeclOf(t cc.Type, name string, byName bool) string {
	if byName {
		if n := typedefName(t); n != "" {
			return n + " " + name
		}
	}
	switch t := t.(type) {
	case *cc.PointerType:
		if f, ok := t.Elem().(*cc.FunctionType); ok {
			var params []param
			for _, p := range f.Parameters() {
				params = append(params, param{c: p.Type()})
			}
			return functionC(f.Result(), "(*"+name+")", params)
		}
		return cDecl(t.Elem(), "*"+name)
	case *cc.FunctionType:
		var params []param
		for _, p := range t.Parameters() {
			params = append(params, param{c: p.Type()})
		}
		return functionC(t.Result(), "("+name+")", params)
	}
	return basicC(t) + " " + name
}

func functionC(result cc.Type, name string, params []param) string {
	var list []string
	for _, p := range params {
		if p.c.Kind() != cc.Void {
			list = append(list, strings.TrimSpace(cDecl(p.c, p.name)))
		}
	}
	if len(list) == 0 {
		list = []string{"void"}
	}
	return cDecl(result, name+"("+strings.Join(list, ", ")+")")
}

// basicC returns the name of a type without a typedef.
func basicC(t cc.Type) string {
	switch t.Kind() {
	case cc.Void:
		return "void"
	case cc.Bool:
		return "bool"
	case cc.Char, cc.SChar:
		return "char"
	case cc.Int:
		return "int"
	case cc.UInt:
		return "unsigned"
	case cc.Long:
		return "int64_t"
	case cc.ULong:
		return "uint64_t"
	case cc.Float:
		return "float"
	case cc.Double:
		return "double"
	}
	panic(fmt.Sprintf("bindgen: unknown C type %v (%v)", t, t.Kind()))
}

func basicGo(t cc.Type) string {
	switch t.Kind() {
	case cc.Bool:
		return "bool"
	case cc.Float:
		return "float32"
	case cc.Double:
		return "float64"
	case cc.Char, cc.SChar, cc.Short, cc.Int, cc.Long, cc.LongLong:
		if t.Kind() == cc.Int {
			return "int32"
		}
		return fmt.Sprintf("int%d", 8*t.Size())
	case cc.UChar, cc.UShort, cc.UInt, cc.ULong, cc.ULongLong:
		return fmt.Sprintf("uint%d", 8*t.Size())
	}
	panic(fmt.Sprintf("bindgen: unknown C number type %v (%v)", t, t.Kind()))
}

// goType returns the Go type for a C type.
func goType(t cc.Type) string {
	name := typedefName(t)
	switch {
	case name == "MlirStringRef":
		return "string"
	case name == "intptr_t", name == "ptrdiff_t", name == "size_t":
		return "int"
	case name != "" && !standard(name):
		return name
	}
	p, ok := t.(*cc.PointerType)
	if !ok {
		return basicGo(t)
	}
	elem := p.Elem()
	switch {
	case elem.Kind() == cc.Void, elem.Kind() == cc.Char, elem.Kind() == cc.Function, elem.Kind() == cc.Ptr:
		return "unsafe.Pointer"
	case typedefName(elem) == "MlirStringRef":
		return "*MlirStringRef"
	}
	return "*" + goType(elem)
}

// cgoPointer returns the cgo type of a pointer that is typed in Go, and "" for void* and
// pointers to pointers, which are unsafe.Pointer in both.
func cgoPointer(t cc.Type) string {
	elem := t.(*cc.PointerType).Elem()
	switch elem.Kind() {
	case cc.Void, cc.Ptr:
		return ""
	case cc.Char:
		return "*C.char"
	case cc.Function:
		return "*[0]byte"
	}
	if n := typedefName(elem); n != "" && !standard(n) {
		return "*C." + n
	}
	return "*C." + cgoScalar(elem)
}

// isHandle reports whether t is a struct of one pointer, as the C API's handles are.
func isHandle(t cc.Type) bool {
	s, ok := t.(*cc.StructType)
	return ok && s.NumFields() == 1 && s.FieldByIndex(0).Type().Kind() == cc.Ptr
}

// isHandles reports whether t points to handles.
func isHandles(t cc.Type) bool {
	p, ok := t.(*cc.PointerType)
	return ok && typedefName(t) == "" && isHandle(p.Elem()) && typedefName(p.Elem()) != ""
}

func cgoScalar(t cc.Type) string {
	if n := typedefName(t); n != "" {
		return n
	}
	switch t.Kind() {
	case cc.UInt:
		return "uint"
	case cc.Long:
		return "int64_t"
	case cc.ULong:
		return "uint64_t"
	case cc.Bool:
		return "bool"
	}
	return basicC(t)
}

func enumC(t cc.Type) string {
	switch enumGo(t.(*cc.EnumType)) {
	case "uint32":
		return "unsigned"
	case "uint64":
		return "uint64_t"
	case "int64":
		return "int64_t"
	}
	return "int"
}

func enumGo(e *cc.EnumType) string {
	name := "uint"
	if e.Min() < 0 {
		name = "int"
	}
	return fmt.Sprintf("%s%d", name, 8*e.Size())
}

func enumValue(v *cc.Enumerator) string {
	return strings.TrimSpace(fmt.Sprint(v.Value()))
}
