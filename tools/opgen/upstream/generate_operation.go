package upstream

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// goKind is the Go form of an attribute.
type goKind struct {
	typ  string // of the field if it is required
	kind string // the expression of its ods.Kind
	form string // of the field if it is optional: "pointer", "value" or "list"
}

var goKinds = map[string]goKind{
	"unit": {"bool", "ods.Unit", "value"}, "bool": {"bool", "ods.Bool", "pointer"},
	"string": {"string", "ods.Text", "value"}, "symbol": {"string", "ods.Symbol", "value"}, "path": {"[]string", "ods.Path", "list"},
	"type": {"mlir.Type", "ods.Type", "value"}, "map": {"mlir.AffineMap", "ods.Map", "value"}, "set": {"mlir.IntegerSet", "ods.Integers", "value"},
	"attribute": {"mlir.Attribute", "ods.Attribute", "value"}, "array": {"[]mlir.Attribute", "ods.Attributes", "list"},
	"i8": {"int8", "ods.I8", "pointer"}, "i16": {"int16", "ods.I16", "pointer"}, "i32": {"int32", "ods.I32", "pointer"}, "i64": {"int64", "ods.I64", "pointer"},
	"si8": {"int8", "ods.SI8", "pointer"}, "si16": {"int16", "ods.SI16", "pointer"}, "si32": {"int32", "ods.SI32", "pointer"}, "si64": {"int64", "ods.SI64", "pointer"},
	"ui8": {"uint8", "ods.UI8", "pointer"}, "ui16": {"uint16", "ods.UI16", "pointer"}, "ui32": {"uint32", "ods.UI32", "pointer"}, "ui64": {"uint64", "ods.UI64", "pointer"},
	"index": {"int64", "ods.Index", "pointer"}, "f32": {"float32", "ods.F32", "pointer"}, "f64": {"float64", "ods.F64", "pointer"},
	"int64s": {"[]int64", "ods.Int64s", "list"}, "int32s": {"[]int32", "ods.Int32s", "list"}, "int16s": {"[]int16", "ods.Int16s", "list"}, "int8s": {"[]int8", "ods.Int8s", "list"},
	"bools": {"[]bool", "ods.Bools", "list"}, "float32s": {"[]float32", "ods.Float32s", "list"}, "float64s": {"[]float64", "ods.Float64s", "list"},
	"elements:i64": {"[]int64", "ods.Elements", "list"},
	"array:i64":    {"[]int64", "ods.I64Array", "list"}, "array:i32": {"[]int32", "ods.I32Array", "list"}, "array:index": {"[]int64", "ods.IndexArray", "list"},
	"array:bool": {"[]bool", "ods.BoolArray", "list"}, "array:string": {"[]string", "ods.TextArray", "list"}, "array:type": {"[]mlir.Type", "ods.TypeArray", "list"},
	"array:map": {"[]mlir.AffineMap", "ods.MapArray", "list"}, "array:symbol": {"[]string", "ods.SymbolArray", "list"}, "array:path": {"[][]string", "ods.PathArray", "list"},
}

// goKindOf returns the Go form of an attribute's kind. It records the enumerations and the
// packages that it needs.
func (g *generator) goKindOf(kind string) goKind {
	if k, ok := goKinds[kind]; ok {
		return k
	}
	name, ok := strings.CutPrefix(kind, "enum:")
	if !ok {
		name, ok = strings.CutPrefix(kind, "array:enum:")
		if ok {
			if k := g.goKindOf("enum:" + name); strings.HasPrefix(k.kind, "ods.Attribute") {
				return goKinds["array"]
			} else {
				g.enums["array:enum:"+name] = "ods.Array(" + k.kind + ")"
				return goKind{"[]" + k.typ, kindVariable(name) + "List", "list"}
			}
		}
		panic("no Go form for the kind " + kind)
	}
	dialect, class, _ := strings.Cut(name, ".")
	switch {
	case dialect == g.dialect && g.byHand[class] && g.byHand["Read"+class]:
		g.enums["enum:"+name] = "ods.EnumeratedBy(Read" + class + ")"
		return goKind{class, kindVariable(name), "value"}
	case !g.byHand[class] && !slices.Contains(shared, dialect) || dialect == g.dialect && !g.byHand[class]:
		g.enums["enum:"+name] = "ods.Enumerated(As" + class + ")"
		return goKind{class, kindVariable(name), "value"}
	case slices.Contains(shared, dialect):
		g.imports[dialect] = true
		g.enums["enum:"+name] = "ods.Enumerated(" + dialect + ".As" + class + ")"
		return goKind{dialect + "." + class, kindVariable(name), "value"}
	}
	return goKinds["attribute"]
}

// propertyKind returns the Go form of the kind of a property that is not an attribute.
func (g *generator) propertyKind(kind string) goKind {
	name, ok := strings.CutPrefix(kind, "enum:"+g.dialect+".")
	switch {
	case ok:
		g.enums["property:"+name] = fmt.Sprintf("ods.EnumProperty[%s](&%sCases)", name, parameter(name))
		return goKind{name, parameter(name) + "Property", "value"}
	case kind == "unit":
		return goKind{"bool", "ods.Flag", "value"}
	case kind == "i64":
		return goKind{"int64", "ods.Number", "value"}
	}
	panic("no Go form for a property of the kind " + kind)
}

// kindVariable returns the name of the variable with the kind of an enumeration.
func kindVariable(name string) string {
	_, class, _ := strings.Cut(name, ".")
	return parameter(class) + "Kind"
}

// perFile is the number of operations in a file.
const perFile = 40

// writeOperations returns the files of the operations.
func (g *generator) writeOperations() map[string]string {
	files := map[string]string{}
	clear(g.imports)
	n := (len(g.operations) + perFile - 1) / perFile
	for i := range n {
		var b bytes.Buffer
		for j := i * perFile; j < min((i+1)*perFile, len(g.operations)); j++ {
			g.writeOperation(&b, &g.operations[j], g.names[j])
		}
		name := "gen_ops.go"
		if n > 1 {
			name = fmt.Sprintf("gen_ops_%d.go", i+1)
		}
		files[name] = g.file(&b)
	}
	var b bytes.Buffer
	var keys []string
	for key := range g.enums {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		name, list := strings.CutPrefix(key, "array:")
		if property, ok := strings.CutPrefix(key, "property:"); ok {
			fmt.Fprintf(&b, "%sProperty = %s\n", parameter(property), g.enums[key])
			continue
		}
		if variable := kindVariable(strings.TrimPrefix(name, "enum:")); list {
			fmt.Fprintf(&b, "%sList = %s\n", variable, g.enums[key])
		} else {
			fmt.Fprintf(&b, "%s = %s\n", variable, g.enums[key])
		}
		if strings.Contains(g.enums[key], "arith.") {
			g.imports["arith"] = true
		}
	}
	if b.Len() > 0 {
		body := bytes.NewBufferString("\n// The kinds of enumerations.\nvar (\n" + b.String() + ")\n")
		files["gen_kinds.go"] = strings.Replace(g.file(body), "\"github.com/calliope-mlir/calliope/mlir\"\n", "", 1)
	}
	return files
}

// destination returns the operand of an operation of linalg that its results have the types of, if
// it is a tensor, and whether there is one.
func destination(op *operation) (to part, ok bool) {
	for _, p := range op.parts {
		if p.sort == "operand" && slices.Contains([]string{"outputs", "output", "inits", "init", "dest"}, p.name) {
			to, ok = p, strings.HasPrefix(op.name, "linalg.")
		}
	}
	return to, ok
}

func writesTo(op *operation) bool {
	_, ok := destination(op)
	return ok
}

// named reports whether an operation has a region that its name defines.
func named(op *operation) bool {
	return writesTo(op) && len(op.list("region")) > 0 && !slices.Contains([]string{"linalg.generic", "linalg.map", "linalg.reduce"}, op.name)
}

// manyLists reports whether an operation has so many lists of operands that they are rarely
// all given. Its function has no parameters for them.
func manyLists(op *operation) bool {
	n := 0
	for _, p := range op.list("operand") {
		if p.many == "variadic" {
			n++
		}
	}
	return n > 4
}

func (g *generator) writeOperation(b *bytes.Buffer, op *operation, name string) {
	var fields, write, read, parameters, arguments []string
	taken := map[string]bool{}
	field := func(p part, suffix string) string {
		f := goName(p.name) + suffix
		for taken[f] || f == "Create" {
			f += "Part"
		}
		taken[f] = true
		return f
	}
	given := map[string]bool{}
	pass := func(f, typ string, p part) {
		v := parameter(p.name)
		for given[v] {
			v += "Value"
		}
		given[v] = true
		parameters = append(parameters, v+" "+typ)
		arguments = append(arguments, f+": "+v)
	}
	var late []func() // results come first as parameters, and last as fields
	add := func(f, typ, note string) {
		if note != "" {
			note = " // " + note
		}
		fields = append(fields, f+" "+typ+note)
	}
	letters := map[string]string{}
	resultFields := map[string]string{}
	for _, p := range op.parts {
		if p.sort != "result" {
			continue
		}
		letters["result"] += map[string]string{"": "1", "optional": "?", "variadic": "*"}[p.many]
		suffix := "Type"
		typ := "mlir.Type"
		if p.many == "variadic" {
			suffix, typ = "Types", "[]mlir.Type"
		}
		f := goName(p.name) + suffix
		resultFields[p.name] = f
		if !op.is(infers) && p.many != "optional" && !writesTo(op) {
			pass(f, typ, part{name: p.name + "_" + suffix})
		}
		late = append(late, func() {
			f := field(p, suffix)
			for i, a := range arguments {
				if strings.HasPrefix(a, resultFields[p.name]+": ") && f != resultFields[p.name] {
					arguments[i] = f + strings.TrimPrefix(a, resultFields[p.name])
				}
			}
			switch {
			case op.is(infers):
				add(f, typ, "optional: inferred, unless some are given")
				if p.many == "variadic" {
					write = append(write, fmt.Sprintf("w.Results(%q, o.%s)", p.name, f))
				} else {
					write = append(write, fmt.Sprintf("w.OptionalResult(o.%s)", f))
				}
			case writesTo(op):
				to, _ := destination(op)
				from := "o." + goName(to.name)
				switch {
				case p.many == "":
					add(f, typ, "optional: the type of "+to.name)
					write = append(write, fmt.Sprintf("w.DestinationType(%q, o.%s, %s)", p.name, f, from))
				case to.many == "variadic":
					add(f, typ, "optional: the types of the "+to.name+" that are tensors")
					write = append(write, fmt.Sprintf("w.Destination(%q, o.%s, %s...)", p.name, f, from))
				default:
					add(f, typ, "optional: the type of "+to.name+", if it is a tensor")
					write = append(write, fmt.Sprintf("w.Destination(%q, o.%s, %s)", p.name, f, from))
				}
			case p.many == "variadic":
				add(f, typ, "")
				write = append(write, fmt.Sprintf("w.Results(%q, o.%s)", p.name, f))
			case p.many == "optional":
				add(f, typ, "optional")
				write = append(write, fmt.Sprintf("w.OptionalResult(o.%s)", f))
			default:
				add(f, typ, "")
				write = append(write, fmt.Sprintf("w.Result(%q, o.%s)", p.name, f))
			}
			if p.many == "variadic" {
				read = append(read, f+": r.Results(),")
			} else {
				read = append(read, f+": r.Result(),")
			}
		})
	}
	var equal []string
	for _, p := range op.parts {
		switch p.sort {
		case "operand":
			f := field(p, "")
			w := p.writer()
			if p.age != "" {
				letters["operand"] += map[string]string{newer: "+", older: "-"}[p.age]
				if p.many == "" && p.age == older {
					p.many = "optional"
				}
			}
			if p.many == "variadic" {
				equal = append(equal, fmt.Sprintf("%q", p.name))
			} else {
				equal = append(equal, `""`)
			}
			lengths, nested := strings.CutPrefix(p.many, "nested:")
			switch {
			case nested:
				letters["operand"] += "*"
				add(f, "[][]mlir.Value", "")
				write = append(write, fmt.Sprintf("w.Nested(%q, %q, o.%s)", p.name, lengths, f))
				read = append(read, fmt.Sprintf("%s: r.Nested(%q),", f, lengths))
				pass(f, "[][]mlir.Value", p)
			case p.many == "variadic":
				letters["operand"] += "*"
				add(f, "[]mlir.Value", p.ageNote())
				write = append(write, fmt.Sprintf("%s.Operands(%q, o.%s)", w, p.name, f))
				read = append(read, f+": r.Operands(),")
				if p.age == "" && !manyLists(op) {
					pass(f, "[]mlir.Value", p)
				}
			case p.many == "optional":
				letters["operand"] += "?"
				add(f, "mlir.Value", p.manyNote())
				write = append(write, fmt.Sprintf("%s.Optional(%q, o.%s)", w, p.name, f))
				read = append(read, f+": r.Operand(),")
			default:
				letters["operand"] += "1"
				add(f, "mlir.Value", p.ageNote())
				write = append(write, fmt.Sprintf("%s.Operand(%q, o.%s)", w, p.name, f))
				read = append(read, f+": r.Operand(),")
				pass(f, "mlir.Value", p)
			}
		case "attribute":
			f, k := field(p, ""), g.goKindOf(p.kind)
			if p.many == "" {
				add(f, k.typ, p.ageNote())
				write = append(write, fmt.Sprintf("ods.Set(%s, %q, o.%s, %s)", p.writer(), p.name, f, k.kind))
				get := "Get"
				if p.age != "" {
					get = "GetValue"
				}
				read = append(read, fmt.Sprintf("%s: ods.%s(r, %q, %s),", f, get, p.name, k.kind))
				pass(f, k.typ, p)
				break
			}
			typ, set, get := k.typ, "SetValue", "GetValue"
			switch k.form {
			case "pointer":
				typ, set, get = "*"+typ, "SetPointer", "GetPointer"
			case "list":
				set = "SetList"
			}
			add(f, typ, p.manyNote())
			write = append(write, fmt.Sprintf("ods.%s(%s, %q, o.%s, %s)", set, p.writer(), p.name, f, k.kind))
			read = append(read, fmt.Sprintf("%s: ods.%s(r, %q, %s),", f, get, p.name, k.kind))
		case "property":
			f, k := field(p, ""), g.propertyKind(p.kind)
			add(f, k.typ, "optional")
			write = append(write, fmt.Sprintf("ods.SetProperty(w, %q, o.%s, %s)", p.name, f, k.kind))
			read = append(read, fmt.Sprintf("%s: ods.GetProperty(r, %q, %s),", f, p.name, k.kind))
		case "region":
			if named(op) {
				write = append(write, "w.Region(mlir.Region{})")
				break
			}
			f := field(p, "")
			if p.many == "variadic" {
				add(f, "[]mlir.Region", "")
				write = append(write, fmt.Sprintf("w.Regions(%q, o.%s)", p.name, f))
				read = append(read, f+": r.Regions(),")
				pass(f, "[]mlir.Region", p)
				break
			}
			add(f, "mlir.Region", "")
			write = append(write, fmt.Sprintf("w.Region(o.%s)", f))
			read = append(read, f+": r.Region(),")
			pass(f, "mlir.Region", p)
		case "successor":
			f := field(p, "")
			if p.many == "variadic" {
				add(f, "[]mlir.Block", "")
				write = append(write, fmt.Sprintf("w.Successors(%q, o.%s)", p.name, f))
				read = append(read, f+": r.Successors(),")
				pass(f, "[]mlir.Block", p)
				break
			}
			add(f, "mlir.Block", "")
			write = append(write, fmt.Sprintf("w.Successor(%q, o.%s)", p.name, f))
			read = append(read, f+": r.Successor(),")
			pass(f, "mlir.Block", p)
		}
	}
	for _, f := range late {
		f()
	}
	if op.is(operandSegments) {
		letters["operand"] += "s"
		write = append(write, "w.OperandSegments()")
	}
	if op.is(newerSegments) {
		letters["operand"] += "S"
		write = append(write, "w.NewerOperandSegments()")
	}
	if op.is(equalOperands) {
		letters["operand"] += "="
		write = append(write, "w.EqualOperands("+strings.Join(equal, ", ")+")")
	}
	if op.is(equalResults) {
		letters["result"] += "="
	}
	if op.is(resultSegments) {
		letters["result"] += "s"
		write = append(write, "w.ResultSegments()")
	}
	end := "w.Create()"
	if op.is(infers) {
		end = "w.Infer()"
	}
	if named(op) {
		end = "named(w)"
	}
	fmt.Fprintf(b, "\n%stype %sOp struct {\n%s\n}\n", comment(name+"Op is the operation "+op.name+"."), name, strings.Join(fields, "\n"))
	fmt.Fprintf(b, "\n// Create creates the operation.\nfunc (o %sOp) Create(b *mlir.Builder) mlir.Operation {\nw := ods.New(b, %q)\n%s\nreturn %s\n}\n",
		name, op.name, strings.Join(write, "\n"), end)
	g.writeFunction(b, op, name, parameters, arguments)
	if len(read) == 0 {
		fmt.Fprintf(b, "\n%sfunc As%s(op mlir.Operation) (%[2]sOp, bool) {\nr := ods.Read(op, %q, %q, %q)\nreturn %[2]sOp{}, r != nil && r.OK()\n}\n",
			comment(fmt.Sprintf("As%[1]s returns op as %[2]sOp. It returns false if op is another operation.", name, article(name))), name, op.name, letters["operand"], letters["result"])
		return
	}
	fmt.Fprintf(b, "\n%sfunc As%s(op mlir.Operation) (%[2]sOp, bool) {\nr := ods.Read(op, %q, %q, %q)\nif r == nil {\nreturn %[2]sOp{}, false\n}\no := %[2]sOp{\n%[6]s\n}\nreturn o, r.OK()\n}\n",
		comment(fmt.Sprintf("As%[1]s returns op as %[2]sOp. It returns false if op is another operation or lacks a part.", name, article(name))),
		name, op.name, letters["operand"], letters["result"], strings.Join(read, "\n"))
}

// manyNote returns the comment of a field that may be left out.
func (p part) manyNote() string {
	note := "optional"
	if p.many == "default" {
		note = "optional, with a default"
	}
	if p.age != "" {
		note += ", " + p.ageNote()
	}
	return note
}

// ageNote returns the comment of a field that not all libraries have.
func (p part) ageNote() string {
	return map[string]string{newer: "after LLVM 22", older: "up to LLVM 22"}[p.age]
}

// writer returns the expression of the Writer that a part is added to.
func (p part) writer() string {
	return map[string]string{"": "w", newer: "w.Newer()", older: "w.Older()"}[p.age]
}

// simple reports whether an operation that infers its results requires nothing but single
// operands, and returns their names.
func (op *operation) simple() (operands []string, ok bool) {
	if !op.is(infers) || op.is(operandSegments) || op.is(resultSegments) || named(op) {
		return nil, false
	}
	for _, p := range op.parts {
		switch {
		case p.sort == "operand" && p.many == "":
			operands = append(operands, p.name)
		case p.sort == "operand" && p.many != "optional", p.sort == "attribute" && p.many == "", p.sort == "region", p.sort == "successor":
			return nil, false
		}
	}
	return operands, len(operands) > 0
}

// writeFunction writes the function that takes the required parts and returns the results.
func (g *generator) writeFunction(b *bytes.Buffer, op *operation, name string, parameters, arguments []string) {
	if g.byHand[name] || g.taken[name] {
		return
	}
	g.taken[name] = true
	if n := len(parameters); n > 0 {
		if v, ok := strings.CutSuffix(parameters[n-1], " []mlir.Value"); ok {
			parameters[n-1] = v + " ...mlir.Value"
		}
	}
	single := 0
	results := op.list("result")
	for _, p := range results {
		if p.many == "" {
			single++
		}
	}
	list := strings.Join(append([]string{"b *mlir.Builder"}, parameters...), ", ")
	call := fmt.Sprintf("%sOp{%s}.Create(b)", name, strings.Join(arguments, ", "))
	if names, ok := op.simple(); ok {
		var values []string
		for _, p := range parameters {
			v, _, _ := strings.Cut(p, " ")
			values = append(values, ", "+v)
		}
		call = fmt.Sprintf("ods.Infer(b, %q, %q%s)", op.name, strings.Join(names, " "), strings.Join(values, ""))
	}
	switch {
	case single == 1 && len(results) == 1:
		fmt.Fprintf(b, "\n%sfunc %s(%s) mlir.Value {\nreturn %s.Result(0)\n}\n", comment(name+" creates "+op.name+" and returns its result."), name, list, call)
	case single == len(results) && single > 1 && single < 5:
		types, values := make([]string, single), make([]string, single)
		for i := range types {
			types[i], values[i] = "mlir.Value", fmt.Sprintf("op.Result(%d)", i)
		}
		fmt.Fprintf(b, "\n%sfunc %s(%s) (%s) {\nop := %s\nreturn %s\n}\n", comment(name+" creates "+op.name+" and returns its results."), name, list, strings.Join(types, ", "), call, strings.Join(values, ", "))
	default:
		fmt.Fprintf(b, "\n%sfunc %s(%s) mlir.Operation {\nreturn %s\n}\n", comment(name+" creates "+op.name+"."), name, list, call)
	}
}
