package main

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
	"string": {"string", "ods.Text", "value"}, "symbol": {"string", "ods.Symbol", "value"},
	"path": {"[]string", "ods.Path", "list"},
	"type": {"mlir.Type", "ods.Type", "value"}, "map": {"affine.Map", "ods.Map", "value"},
	"set":       {"affine.Set", "ods.Integers", "value"},
	"attribute": {"mlir.Attribute", "ods.Attribute", "value"}, "array": {"[]mlir.Attribute", "ods.Attributes", "list"},
	"i8": {"int8", "ods.I8", "pointer"}, "i16": {"int16", "ods.I16", "pointer"}, "i32": {"int32", "ods.I32", "pointer"},
	"i64": {"int64", "ods.I64", "pointer"},
	"si8": {"int8", "ods.SI8", "pointer"}, "si16": {"int16", "ods.SI16", "pointer"},
	"si32": {"int32", "ods.SI32", "pointer"}, "si64": {"int64", "ods.SI64", "pointer"},
	"ui8": {"uint8", "ods.UI8", "pointer"}, "ui16": {"uint16", "ods.UI16", "pointer"},
	"ui32": {"uint32", "ods.UI32", "pointer"}, "ui64": {"uint64", "ods.UI64", "pointer"},
	"index": {"int64", "ods.Index", "pointer"}, "f32": {"float32", "ods.F32", "pointer"},
	"f64":    {"float64", "ods.F64", "pointer"},
	"int64s": {"[]int64", "ods.Int64s", "list"}, "int32s": {"[]int32", "ods.Int32s", "list"},
	"int16s": {"[]int16", "ods.Int16s", "list"}, "int8s": {"[]int8", "ods.Int8s", "list"},
	"bools": {"[]bool", "ods.Bools", "list"}, "float32s": {"[]float32", "ods.Float32s", "list"},
	"float64s":     {"[]float64", "ods.Float64s", "list"},
	"elements:i64": {"[]int64", "ods.Elements", "list"},
	"pairs":        {"[][2]int64", "ods.Pairs", "list"},
	// A flag is a boolean whose default is false.
	"flag":      {"bool", "ods.Bool", "value"},
	"array:i64": {"[]int64", "ods.I64Array", "list"}, "array:i32": {"[]int32", "ods.I32Array", "list"},
	"array:index": {"[]int64", "ods.IndexArray", "list"},
	"array:bool":  {"[]bool", "ods.BoolArray", "list"}, "array:string": {"[]string", "ods.TextArray", "list"},
	"array:type": {"[]mlir.Type", "ods.TypeArray", "list"},
	"array:map":  {"[]affine.Map", "ods.MapArray", "list"}, "array:symbol": {"[]string", "ods.SymbolArray", "list"},
	"array:path": {"[][]string", "ods.PathArray", "list"},
}

// goKindOf returns the Go form of an attribute's kind. It records the enumerations and the
// packages that it needs.
func (g *generator) goKindOf(kind string) goKind {
	if k, ok := goKinds[kind]; ok {
		if strings.Contains(k.typ, "affine.") {
			g.imports["mlir/affine"] = true
		}
		return k
	}
	if name, ok := strings.CutPrefix(kind, "own:"); ok {
		return g.ownKind(name)
	}
	if name, ok := strings.CutPrefix(kind, "array:own:"); ok {
		k := g.ownKind(name)
		g.enums["array:enum:own."+name] = "ods.Array(" + k.kind + ")"
		return goKind{"[]" + k.typ, k.kind + "List", "list"}
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
	case !g.byHand[class] && !slices.Contains(shared, dialect) || dialect == g.dialect && !g.byHand[class]:
		g.enums["enum:"+name] = "ods.Enumerated(As" + class + ")"
		return goKind{class, kindVariable(name), "value"}
	case slices.Contains(shared, dialect):
		g.imports["mlir/dialect/"+dialect] = true
		g.enums["enum:"+name] = "ods.Enumerated(" + dialect + ".As" + class + ")"
		return goKind{dialect + "." + class, kindVariable(name), "value"}
	}
	return goKinds["attribute"]
}

// ownKind returns the Go form of an attribute that has a Go type of its own.
func (g *generator) ownKind(name string) goKind {
	form := "pointer"
	for _, a := range g.attributes {
		if a.isEnum() && camel(a.mnemonic) == name {
			name, form = a.name, "value"
		}
	}
	g.enums["enum:own."+name] = "ods.Enumerated(As" + name + ")"
	return goKind{name, kindVariable("own." + name), form}
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
			if g.names[j] != "" {
				g.writeOperation(&b, &g.operations[j], g.names[j])
			}
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
			g.imports["mlir/dialect/arith"] = true
		}
	}
	if b.Len() > 0 {
		body := bytes.NewBufferString("\n// The kinds of attributes that have types of their own.\nvar (\n" +
			b.String() + ")\n")
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
	return writesTo(op) && len(op.list("region")) > 0 &&
		!slices.Contains([]string{"linalg.generic", "linalg.map", "linalg.reduce"}, op.name)
}

// manyLists reports whether an operation has so many lists of operands, besides those of sizes, that they are rarely
// all given. Its function has no parameters for them.
func manyLists(op *operation) bool {
	n := 0
	for _, p := range op.list("operand") {
		if _, ok := static(op, p); p.many == "variadic" && !ok {
			n++
		}
	}
	return n > 4
}

// operationCode collects the Go code of an operation.
type operationCode struct {
	*operation
	g                           *generator
	name                        string   // of the Go type, without "Op"
	fields, write, read         []string // of the struct, of Create, of the reader
	parameters, arguments       []string // of the function
	before                      []string // the statements before it creates the operation
	given                       map[string]bool
	operandLetters, resultParts string   // see ods.Read
	equal                       []string // arguments of EqualOperands
}

func (g *generator) writeOperation(b *bytes.Buffer, op *operation, name string) {
	c := &operationCode{operation: op, g: g, name: name, given: map[string]bool{}}
	fields := c.fieldNames()
	for i, p := range op.parts { // results come first as parameters, and last as fields
		_, fixed := g.fixed(op, p)
		if p.sort == "result" && !op.is(infers) && !fixed && p.many != "optional" && !writesTo(op) {
			c.pass(fields[i], p.resultType(), part{name: p.name + "_" + p.resultSuffix()})
		}
	}
	for i, p := range op.parts {
		switch p.sort {
		case "operand":
			c.operand(p, fields[i])
		case "attribute":
			c.attribute(p, fields[i])
		case "property":
			k := g.propertyKind(p.kind)
			c.add(fields[i], k.typ, "optional",
				fmt.Sprintf("ods.SetProperty(w, %q, o.%s, %s)", p.name, fields[i], k.kind),
				fmt.Sprintf("ods.GetProperty(r, %q, %s)", p.name, k.kind))
		case "region":
			c.region(p, fields[i])
		case "successor":
			c.successor(p, fields[i])
		}
	}
	for i, p := range op.parts {
		if p.sort == "result" {
			c.result(p, fields[i])
		}
	}
	c.lengths()
	c.print(b)
}

// fieldNames returns the names of the fields of the parts.
func (c *operationCode) fieldNames() []string {
	names, taken := make([]string, len(c.parts)), map[string]bool{}
	for _, results := range []bool{false, true} {
		for i, p := range c.parts {
			if results != (p.sort == "result") || p.sort == "region" && named(c.operation) {
				continue
			}
			f := goName(p.name)
			if results {
				f += p.resultSuffix()
			}
			for taken[f] || f == "Create" {
				f += "Part"
			}
			names[i], taken[f] = f, true
		}
	}
	return names
}

func (p part) resultSuffix() string {
	if p.many == "variadic" {
		return "Types"
	}
	return "Type"
}

func (p part) resultType() string {
	if p.many == "variadic" {
		return "[]mlir.Type"
	}
	return "mlir.Type"
}

// add adds a field and the code that writes and reads it.
func (c *operationCode) add(field, typ, note, write, read string) {
	if note != "" {
		note = " // " + note
	}
	c.fields = append(c.fields, field+" "+typ+note)
	c.write = append(c.write, write)
	c.read = append(c.read, field+": "+read+",")
}

// pass adds a parameter of the function, which is given to a field.
func (c *operationCode) pass(field, typ string, p part) {
	v := parameter(p.name)
	for c.given[v] {
		v += "Value"
	}
	c.given[v] = true
	c.parameters = append(c.parameters, v+" "+typ)
	c.arguments = append(c.arguments, field+": "+v)
}

func (c *operationCode) operand(p part, f string) {
	c.operandLetters += map[string]string{newer: "+", older: "-"}[p.age]
	if p.many == "" && p.age == older {
		p.many = "optional"
	}
	if p.many == "variadic" {
		c.equal = append(c.equal, fmt.Sprintf("%q", p.name))
	} else {
		c.equal = append(c.equal, `""`)
	}
	lengths, nested := strings.CutPrefix(p.many, "nested:")
	switch {
	case nested:
		c.operandLetters += "*"
		c.add(f, "[][]mlir.Value", "", fmt.Sprintf("w.Nested(%q, %q, o.%s)", p.name, lengths, f),
			fmt.Sprintf("r.Nested(%q)", lengths))
		c.pass(f, "[][]mlir.Value", p)
	case p.many == "variadic":
		c.operandLetters += "*"
		c.add(f, "[]mlir.Value", p.ageNote(), fmt.Sprintf("%s.Operands(%q, o.%s)", p.writer(), p.name, f),
			"r.Operands()")
		if static, ok := c.static(p); ok && p.age == "" && !manyLists(c.operation) {
			c.sizes(p, f, static)
		} else if p.age == "" && !manyLists(c.operation) {
			c.pass(f, "[]mlir.Value", p)
		}
	case p.many == "optional":
		c.operandLetters += "?"
		c.add(f, "mlir.Value", p.manyNote(), fmt.Sprintf("%s.Optional(%q, o.%s)", p.writer(), p.name, f), "r.Operand()")
		if static, ok := c.static(p); ok && p.age == "" && (static.many == "" || static.many == "default") {
			c.sizes(p, f, static)
		}
	default:
		c.operandLetters += "1"
		c.add(f, "mlir.Value", p.ageNote(), fmt.Sprintf("%s.Operand(%q, o.%s)", p.writer(), p.name, f), "r.Operand()")
		c.pass(f, "mlir.Value", p)
	}
}

func (c *operationCode) static(p part) (part, bool) { return static(c.operation, p) }

// static returns the attribute with the numbers of the sizes whose values an operand has, if it has one.
func static(op *operation, p part) (part, bool) {
	kind := map[string]string{"variadic": "int64s", "optional": "i64"}[p.many]
	for _, a := range op.list("attribute") {
		if a.name == "static_"+strings.TrimPrefix(p.name, "dynamic_") && a.kind == kind && a.age == "" {
			return a, true
		}
	}
	return part{}, false
}

// isStatic reports whether an attribute has the numbers of sizes.
func (c *operationCode) isStatic(a part) bool {
	return slices.ContainsFunc(c.list("operand"), func(p part) bool {
		static, ok := c.static(p)
		return ok && static.name == a.name
	})
}

// sizes adds one parameter for the numbers and the values of sizes.
func (c *operationCode) sizes(p part, f string, static part) {
	name := strings.TrimPrefix(p.name, "dynamic_")
	what := fmt.Sprintf("the %s of %s", strings.ReplaceAll(name, "_", " "), c.operation.name)
	v := parameter(name)
	typ, function := "[]mlir.Size", "SplitSome"
	if p.many == "optional" {
		typ, function = "mlir.Size", "SplitOne"
	}
	c.pass(f, typ, part{name: name})
	number := v + "Numbers"
	if p.many == "optional" && static.many != "" {
		number = "&" + number
	}
	c.arguments[len(c.arguments)-1] = fmt.Sprintf("%s: %sValues, %s: %s", f, v, goName(static.name), number)
	c.before = append(c.before, fmt.Sprintf("%sNumbers, %[1]sValues := ods.%s(b, %q, %[1]s)", v, function, what))
	for _, a := range c.list("attribute") {
		of, scalable := strings.CutPrefix(a.name, "scalable_") // scalable_sizes are also those of vector_sizes
		if scalable && a.kind == "bools" && strings.HasSuffix(name, of) {
			c.arguments = append(c.arguments, fmt.Sprintf("%s: make([]bool, len(%s))", goName(a.name), v))
		}
	}
}

func (c *operationCode) attribute(p part, f string) {
	k := c.g.respelled(c.operation.name, p.name, c.g.goKindOf(p.kind))
	typ, note, set, get := k.typ, p.manyNote(), "SetValue", "GetValue"
	switch {
	case p.many == "":
		note, set = p.ageNote(), "Set"
		if p.age == "" {
			get = "Get"
		}
		if !c.isStatic(p) {
			c.pass(f, typ, p)
		}
	case k.form == "pointer":
		typ, set, get = "*"+typ, "SetPointer", "GetPointer"
	case k.form == "list":
		set = "SetList"
	}
	c.add(f, typ, note, fmt.Sprintf("ods.%s(%s, %q, o.%s, %s)", set, p.writer(), p.name, f, k.kind),
		fmt.Sprintf("ods.%s(r, %q, %s)", get, p.name, k.kind))
}

func (c *operationCode) region(p part, f string) {
	switch {
	case named(c.operation):
		c.write = append(c.write, "w.Region(mlir.Region{})")
		return
	case p.many == "variadic":
		c.add(f, "[]mlir.Region", "", fmt.Sprintf("w.Regions(%q, o.%s)", p.name, f), "r.Regions()")
		c.pass(f, "[]mlir.Region", p)
	default:
		c.add(f, "mlir.Region", "", fmt.Sprintf("w.Region(o.%s)", f), "r.Region()")
		c.pass(f, "mlir.Region", p)
	}
}

func (c *operationCode) successor(p part, f string) {
	typ, call := "mlir.Block", "Successor"
	if p.many == "variadic" {
		typ, call = "[]mlir.Block", "Successors"
	}
	c.add(f, typ, "", fmt.Sprintf("w.%s(%q, o.%s)", call, p.name, f), "r."+call+"()")
	c.pass(f, typ, p)
}

func (c *operationCode) result(p part, f string) {
	c.resultParts += map[string]string{"": "1", "optional": "?", "variadic": "*"}[p.many]
	note, write, read := "", fmt.Sprintf("w.Result(%q, o.%s)", p.name, f), "r.Result()"
	switch p.many {
	case "variadic":
		write, read = fmt.Sprintf("w.Results(%q, o.%s)", p.name, f), "r.Results()"
	case "optional":
		note, write = "optional", fmt.Sprintf("w.OptionalResult(o.%s)", f)
	}
	fixed, isFixed := c.g.fixed(c.operation, p)
	switch to, ok := destination(c.operation); {
	case isFixed:
		note, write = "optional: "+fixed, fmt.Sprintf("w.ResultOr(%q, o.%s, %q)", p.name, f, fixed)
	case c.is(infers):
		note = "optional: inferred, unless some are given"
		if p.many != "variadic" {
			write = fmt.Sprintf("w.OptionalResult(o.%s)", f)
		}
	case ok && p.many == "":
		note = "optional: the type of " + to.name
		write = fmt.Sprintf("w.DestinationType(%q, o.%s, o.%s)", p.name, f, goName(to.name))
	case ok:
		note = "optional: the type of " + to.name + ", if it is a tensor"
		spread := ""
		if to.many == "variadic" {
			note, spread = "optional: the types of the "+to.name+" that are tensors", "..."
		}
		write = fmt.Sprintf("w.Destination(%q, o.%s, o.%s%s)", p.name, f, goName(to.name), spread)
	}
	c.add(f, p.resultType(), note, write, read)
}

// lengths adds the code that writes and reads the lengths of operands and results.
func (c *operationCode) lengths() {
	for _, l := range []struct {
		property, letter string
		letters          *string
		write            string
	}{
		{operandSegments, "s", &c.operandLetters, "w.OperandSegments()"},
		{newerSegments, "S", &c.operandLetters, "w.NewerOperandSegments()"},
		{equalOperands, "=", &c.operandLetters, "w.EqualOperands(" + strings.Join(c.equal, ", ") + ")"},
		{equalResults, "=", &c.resultParts, ""},
		{resultSegments, "s", &c.resultParts, "w.ResultSegments()"},
	} {
		if !c.is(l.property) {
			continue
		}
		*l.letters += l.letter
		if l.write != "" {
			c.write = append(c.write, l.write)
		}
	}
}

// print writes the struct, its method Create, the function and the reader.
func (c *operationCode) print(b *bytes.Buffer) {
	end := "w.Create()"
	types, known := c.g.usual(c.operation)
	switch {
	case known:
		end = "w.InferOr(" + types + ")"
	case named(c.operation):
		end = "named(w)"
	case c.is(infers):
		end = "w.Infer()"
	}
	fmt.Fprintf(b, "\n%stype %sOp struct {\n%s\n}\n", comment(c.name+"Op is the operation "+c.operation.name+"."),
		c.name, strings.Join(c.fields, "\n"))
	fmt.Fprintf(b, `
// Create creates the operation.
func (o %sOp) Create(b *mlir.Builder) mlir.Operation {
	w := ods.New(b, %q)
	%s
	return %s
}
`, c.name, c.operation.name, strings.Join(c.write, "\n"), end)
	c.writeFunction(b)
	doc := fmt.Sprintf("As%s returns op as %sOp. It returns false if op is another operation", c.name, article(c.name))
	call := fmt.Sprintf("ods.Read(op, %q, %q, %q)", c.operation.name, c.operandLetters, c.resultParts)
	if len(c.read) == 0 {
		fmt.Fprintf(b, "\n%sfunc As%s(op mlir.Operation) (%[2]sOp, bool) {\nr := %[3]s\nreturn %[2]sOp{}, r != nil && r.OK()\n}\n", comment(doc+"."), c.name, call)
		return
	}
	fmt.Fprintf(b, `
%sfunc As%s(op mlir.Operation) (%[2]sOp, bool) {
	r := %[3]s
	if r == nil {
		return %[2]sOp{}, false
	}
	o := %[2]sOp{
		%[4]s
	}
	return o, r.OK()
}
`, comment(doc+" or lacks a part."), c.name, call, strings.Join(c.read, "\n"))
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
		case p.sort == "operand" && p.many != "optional", p.sort == "attribute" && p.many == "", p.sort == "region",
			p.sort == "successor":
			return nil, false
		}
	}
	return operands, len(operands) > 0
}

// writeFunction writes the function that takes the required parts and returns the results.
func (c *operationCode) writeFunction(b *bytes.Buffer) {
	name, parameters := c.name, c.parameters
	if c.g.byHand[name] || c.g.taken[name] {
		return
	}
	c.g.taken[name] = true
	call := fmt.Sprintf("%sOp{%s}.Create(b)", name, strings.Join(c.arguments, ", "))
	_, known := c.g.usual(c.operation)
	if names, ok := c.simple(); ok && !known {
		values := ""
		for _, p := range parameters {
			v, _, _ := strings.Cut(p, " ")
			values += ", " + v
		}
		call = fmt.Sprintf("ods.Infer(b, %q, %q%s)", c.operation.name, strings.Join(names, " "), values)
	}
	if n := len(parameters); n > 0 {
		for _, typ := range []string{"mlir.Value", "mlir.Size"} {
			if v, ok := strings.CutSuffix(parameters[n-1], " []"+typ); ok {
				parameters[n-1] = v + " ..." + typ
			}
		}
	}
	results := c.list("result")
	single := len(results) - len(slices.DeleteFunc(slices.Clone(results), func(p part) bool { return p.many == "" }))
	types, values := make([]string, single), make([]string, single)
	for i := range types {
		types[i], values[i] = "mlir.Value", fmt.Sprintf("op.Result(%d)", i)
	}
	doc, result, body := "", "mlir.Operation", "return "+call
	switch {
	case single == 1 && len(results) == 1:
		doc, result, body = " and returns its result", "mlir.Value", body+".Result(0)"
	case single == len(results) && single > 1 && single < 5:
		doc, result = " and returns its results", "("+strings.Join(types, ", ")+")"
		body = "op := " + call + "\nreturn " + strings.Join(values, ", ")
	}
	fmt.Fprintf(b, "\n%sfunc %s(%s) %s {\n%s\n}\n", comment(name+" creates "+c.operation.name+doc+"."), name,
		strings.Join(append([]string{"b *mlir.Builder"}, parameters...), ", "), result,
		strings.Join(append(c.before, body), "\n"))
}
