package main

import (
	"fmt"
	"strings"
)

// kind is the Go form of an attribute: the field's type, and the code that writes and
// reads it. In the code, %q is the attribute's name and %s is the field.
type kind struct {
	field, write, read string
}

// kinds has the required attributes, and optionalKinds the optional ones. An optional
// number, structure or list is left out by nil, an optional string or keyword by "", and a
// bool by false, which is its default everywhere.
var kinds = map[string]kind{
	"BoolAttr":           {"bool", "w.Bool(%q, %s)", "ods.Get(r, %q, mlir.Attribute.Bool)"},
	"I64Attr":            {"int64", "w.Int64(%q, %s)", "ods.Get(r, %q, mlir.Attribute.Int)"},
	"I32Attr":            {"int32", "w.Int32(%q, %s)", "ods.Get(r, %q, ods.Int32)"},
	"F32Attr":            {"float32", "w.Float32(%q, %s)", "ods.Get(r, %q, ods.Float32)"},
	"StrAttr":            {"string", "w.Text(%q, %s)", "ods.Get(r, %q, mlir.Attribute.Text)"},
	"FlatSymbolRefAttr":  {"string", "w.Symbol(%q, %s)", "ods.Get(r, %q, mlir.Attribute.Symbol)"},
	"DenseI64ArrayAttr":  {"[]int64", "w.Int64s(%q, %s)", "ods.Get(r, %q, mlir.Attribute.Int64s)"},
	"ElementsAttr":       {"mlir.Attribute", "w.Attribute(%q, %s)", "r.Attribute(%q)"},
	"TypedAttrInterface": {"mlir.Attribute", "w.Attribute(%q, %s)", "r.Attribute(%q)"},
}

var optionalKinds = map[string]kind{
	"UnitAttr":           {"bool", "w.Unit(%q, %s)", "ods.GetOptional(r, %q, ods.Unit)"},
	"BoolAttr":           {"bool", "w.OptionalBool(%q, %s)", "ods.GetOptional(r, %q, mlir.Attribute.Bool)"},
	"I64Attr":            {"*int64", "w.OptionalInt64(%q, %s)", "ods.GetPointer(r, %q, mlir.Attribute.Int)"},
	"I32Attr":            {"*int32", "w.OptionalInt32(%q, %s)", "ods.GetPointer(r, %q, ods.Int32)"},
	"StrAttr":            {"string", "w.OptionalText(%q, %s)", "ods.GetOptional(r, %q, mlir.Attribute.Text)"},
	"DenseI64ArrayAttr":  {"[]int64", "w.OptionalInt64s(%q, %s)", "ods.GetOptional(r, %q, mlir.Attribute.Int64s)"},
	"DenseBoolArrayAttr": {"[]bool", "w.OptionalBools(%q, %s)", "ods.GetOptional(r, %q, ods.Bools)"},
	"ArrayAttr":          {"mlir.Attribute", "w.OptionalAttribute(%q, %s)", "r.OptionalAttribute(%q)"},
	"DictionaryAttr":     {"mlir.Attribute", "w.OptionalAttribute(%q, %s)", "r.OptionalAttribute(%q)"},
}

// ownTypes holds the Go types of a dialect's own attributes, by the names of their kinds.
type ownTypes struct {
	keywords   map[string]string // enumerations
	structures map[string]string
	lists      map[string]string // of enumerations
}

// ownTypesOf returns the types of generated attributes, and of those written by hand.
func ownTypesOf(attributes []*attribute) ownTypes {
	own := ownTypes{map[string]string{}, map[string]string{"StableHLO_DotAlgorithm": "DotAlgorithm"}, map[string]string{}}
	for _, a := range attributes {
		one, list := a.kinds()
		if a.isEnum() {
			own.keywords[one], own.lists[list] = a.name, a.name
		} else {
			own.structures[one] = a.name
		}
	}
	return own
}

// kindOf returns the Go form of an attribute.
func kindOf(a part, own ownTypes) (kind, error) {
	if a.kind == "I64ElementsAttr" {
		// The definitions use this kind for groups of devices and for pairs.
		what := "Pairs"
		field := "[][2]int64"
		if a.name == "replica_groups" {
			what, field = "Rows", "[][]int64"
		}
		if a.count == optional {
			return kind{field, "w.Optional" + what + "(%q, %s)", "ods.GetOptional(r, %q, ods." + what + ")"}, nil
		}
		return kind{field, "w." + what + "(%q, %s)", "ods.Get(r, %q, ods." + what + ")"}, nil
	}
	if t, ok := own.keywords[a.kind]; ok {
		if a.count == optional {
			return kind{t, "ods.SetKeyword(w, %q, %s)", "ods.GetOptional(r, %q, As" + t + ")"}, nil
		}
		return kind{t, "w.Set(%q, %s)", "ods.Get(r, %q, As" + t + ")"}, nil
	}
	if t, ok := own.structures[a.kind]; ok {
		if a.count == optional {
			return kind{"*" + t, "ods.SetOptional(w, %q, %s)", "ods.GetPointer(r, %q, As" + t + ")"}, nil
		}
		return kind{t, "w.Set(%q, %s)", "ods.Get(r, %q, As" + t + ")"}, nil
	}
	if t, ok := own.lists[a.kind]; ok && a.count == optional {
		return kind{"[]" + t, "ods.SetList(w, %q, %s)", "ods.GetList(r, %q, As" + t + ")"}, nil
	}
	table := kinds
	if a.count == optional {
		table = optionalKinds
	}
	k, ok := table[a.kind]
	if !ok {
		return kind{}, fmt.Errorf("the attribute %s is of the kind %s: add it to kinds.go", a.name, strings.TrimSpace(string(a.count)+" "+a.kind))
	}
	return k, nil
}
