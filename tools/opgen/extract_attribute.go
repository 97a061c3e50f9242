package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// storages has the kinds of attributes by the C++ class that stores them.
var storages = map[string]string{
	"UnitAttr": "unit", "BoolAttr": "bool", "StringAttr": "string", "FlatSymbolRefAttr": "symbol",
	"SymbolRefAttr": "path",
	"TypeAttr":      "type", "DenseI64ArrayAttr": "int64s", "DenseI32ArrayAttr": "int32s",
	"DenseI16ArrayAttr": "int16s", "DenseI8ArrayAttr": "int8s",
	"DenseBoolArrayAttr": "bools", "DenseF32ArrayAttr": "float32s", "DenseF64ArrayAttr": "float64s",
	"AffineMapAttr": "map", "IntegerSetAttr": "set", "ArrayAttr": "array", "DictionaryAttr": "attribute",
}

// elements has the kinds of arrays by the kind of their elements.
var elements = map[string]string{
	"i64": "array:i64", "i32": "array:i32", "index": "array:index", "bool": "array:bool", "string": "array:string",
	"type": "array:type",
	"map":  "array:map", "symbol": "array:symbol", "path": "array:path",
}

// attribute returns the kind of an attribute, and whether it is optional or has a default.
func (e *extraction) attribute(d definitions, r record) (kind, many string) {
	for r["baseAttr"] != nil {
		switch {
		case isA(r, "OptionalAttr"):
			many = "optional"
		case isA(r, "DefaultValuedAttr"), isA(r, "DefaultValuedOptionalAttr"):
			many = "default"
		}
		if many == "" && number(r, "isOptional") == 1 {
			many = "optional"
		}
		if many == "" && text(r, "defaultValue") != "" {
			many = "default"
		}
		r = d.get(r["baseAttr"])
	}
	if many == "" && number(r, "isOptional") == 1 {
		many = "optional"
	}
	if many == "" && text(r, "defaultValue") != "" {
		many = "default"
	}
	kind = e.attributeKind(d, r)
	if kind == "unit" {
		many = "optional"
	}
	return kind, many
}

// property returns the kind of a property that is not an attribute, or "".
func (e *extraction) property(d definitions, r record) string {
	for base := d.get(r["baseProperty"]); base != nil && isA(r, "DefaultValuedProp"); base = d.get(r["baseProperty"]) {
		r = base
	}
	switch {
	case isA(r, "EnumProp"):
		name := ""
		if form := d.get(r["attrForm"]); form != nil {
			name = e.enum(d, form)
		} else {
			name = strings.TrimPrefix(e.keep(d, e.spaces[strings.Trim(text(d.get(r["enum"]), "cppNamespace"), ":")],
				enum{form: "int:32"}, d.get(r["enum"])), "enum:")
		}
		if name == "" {
			return ""
		}
		return "enum:" + name
	case text(r, "storageType") == "bool":
		return "unit"
	case text(r, "storageType") == "std::optional<int64_t>":
		return "i64"
	}
	return ""
}

func (e *extraction) attributeKind(d definitions, r record) string {
	if isA(r, "EnumAttr") || isA(r, "EnumAttrInfo") {
		if name := e.enum(d, r); name != "" {
			return "enum:" + name
		}
		return "attribute"
	}
	storage := text(r, "storageType")
	storage = storage[strings.LastIndexByte(storage, ':')+1:]
	switch storage {
	case "IntegerAttr":
		t := text(d.get(r["valueType"]), "!name")
		switch t {
		case "I1":
			return "bool"
		case "I8", "I16", "I32", "I64", "SI8", "SI16", "SI32", "SI64", "UI8", "UI16", "UI32", "UI64", "Index":
			return strings.ToLower(t)
		}
		return "attribute"
	case "FloatAttr":
		if t := text(d.get(r["valueType"]), "!name"); t == "F32" || t == "F64" {
			return strings.ToLower(t)
		}
		return "attribute"
	case "ArrayAttr":
		if element := d.get(r["elementAttr"]); element != nil {
			kind, _ := e.attribute(d, element)
			if list := elements[kind]; list != "" {
				return list
			}
			if strings.HasPrefix(kind, "enum:") {
				return "array:" + kind
			}
		}
		return "array"
	}
	if kind := storages[storage]; kind != "" {
		return kind
	}
	// The summary has the shape, "… of shape [2]". Lists have one dimension.
	if isA(r, "RankedI64ElementsAttr") && !strings.Contains(text(r, "summary"), ",") {
		return "elements:i64"
	}
	return cmp.Or(e.wrapped(d, storage), "attribute")
}

// wrapped returns the kind of an attribute that consists of an enumeration, by its class, or "".
func (e *extraction) wrapped(d definitions, class string) string {
	for _, v := range d.instances("AttrDef") {
		def := d.get(v)
		parameters, _ := def["parameters"].(record)
		args, _ := parameters["args"].([]any)
		if text(def, "cppClassName") != class || len(args) != 1 {
			continue
		}
		pair, _ := args[0].([]any)
		of, _ := pair[0].(string)
		if text(def, "assemblyFormat") != fmt.Sprintf("`<` $%v `>`", pair[1]) {
			return ""
		}
		for _, v := range d.instances("EnumInfo") {
			info := d.get(v)
			if name := strings.Trim(text(info, "cppNamespace"), ":") + "::" +
				text(info, "className"); strings.HasSuffix(name, "::"+of) {
				dialect := text(d.get(def["dialect"]), "name")
				return e.keep(d, dialect, enum{form: "text", text: "#" + dialect + "." + text(def, "mnemonic") + "<%>"},
					info)
			}
		}
	}
	return ""
}

// enum keeps an enumeration, and returns its dialect and name, "arith.CmpIPredicate". It
// returns "" for one that belongs to no dialect.
func (e *extraction) enum(d definitions, r record) string {
	info, form := r, enum{}
	if attr := d.get(r["enum"]); attr != nil {
		info = attr
		dialect := text(d.get(r["dialect"]), "name")
		shape := text(r, "assemblyFormat")
		if strings.Count(shape, "$") != 1 || !strings.Contains(shape, "$value") {
			return ""
		}
		inner := strings.NewReplacer("`", "", " ", "", "$value", "%").Replace(shape)
		form.text = "#" + dialect + "<" + text(r, "mnemonic") + " " + inner + ">"
		if strings.HasPrefix(inner, "<") {
			form.text = "#" + dialect + "." + text(r, "mnemonic") + inner
		}
		form.form = "text"
	}
	dialect := e.spaces[strings.Trim(text(info, "cppNamespace"), ":")]
	if dialect == "" {
		return ""
	}
	name := e.keep(d, dialect, form, info)
	return strings.TrimPrefix(name, "enum:")
}

// keep keeps an enumeration and returns its kind, or "".
func (e *extraction) keep(d definitions, dialect string, form enum, info record) string {
	bits := isA(info, "BitEnumBase") || isA(info, "BitEnum") || isA(info, "BitEnumAttr") || isA(info, "BitEnumAttrBase")
	if form.form == "" {
		form.form = fmt.Sprintf("int:%d", number(info, "bitwidth"))
		if number(info, "genSpecializedAttr") == 0 {
			return ""
		}
	}
	if bits {
		form.form = "bits-" + form.form
		form.join = text(info, "separator")
		if form.text != "" && form.join == "" {
			form.join = ", "
		}
	}
	form.name = strings.TrimPrefix(text(info, "className"), strings.ToUpper(dialect)+"_")
	if form.name != "" && unicode.IsLower(rune(form.name[0])) {
		form.name = goName(form.name)
	}
	list, _ := info["enumerants"].([]any)
	for _, v := range list {
		c := d.get(v)
		n, _ := c["value"].(float64)
		form.cases = append(form.cases,
			enumCase{text(c, "symbol"), cmp.Or(text(c, "str"), text(c, "symbol")), uint64(int64(n))})
	}
	if other, ok := e.enums[dialect+"."+form.name]; ok && other.text != form.text {
		return ""
	}
	e.enums[dialect+"."+form.name] = form
	return "enum:" + dialect + "." + form.name
}

// use adds the enumeration of a kind of attributes to its table.
func (e *extraction) use(kind string) {
	name, ok := strings.CutPrefix(strings.TrimPrefix(kind, "array:"), "enum:")
	if !ok {
		return
	}
	dialect, _, _ := strings.Cut(name, ".")
	t := e.table(dialect)
	if !slices.ContainsFunc(t.enums, func(other enum) bool { return dialect+"."+other.name == name }) {
		t.enums = append(t.enums, e.enums[name])
		slices.SortFunc(t.enums, func(a, b enum) int { return cmp.Compare(a.name, b.name) })
	}
}

// builders keeps the kinds of the attributes of one file under the names of their builders in
// Python.
func (e *extraction) builders(d definitions) {
	for _, v := range d.instances("Attr") {
		r := d.get(v)
		if anonymous, _ := r["!anonymous"].(bool); anonymous {
			continue
		}
		name := text(r, "!name")
		if isA(r, "EnumAttr") {
			name = text(d.get(r["dialect"]), "name") + "." + name
		}
		kind, _ := e.attribute(d, r)
		e.named[name] = kind
	}
}
