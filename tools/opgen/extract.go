package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// record is a definition in the output of llvm-tblgen --dump-json.
type record = map[string]any

// definitions has the records of one file by name.
type definitions map[string]any

func (d definitions) get(v any) record {
	switch v := v.(type) {
	case string:
		r, _ := d[v].(record)
		return r
	case record:
		name, _ := v["def"].(string)
		return d.get(name)
	}
	return nil
}

func (d definitions) instances(class string) []any {
	all, _ := d["!instanceof"].(record)
	list, _ := all[class].([]any)
	return list
}

func isA(r record, class string) bool {
	list, _ := r["!superclasses"].([]any)
	return slices.Contains(list, any(class))
}

func text(r record, field string) string {
	s, _ := r[field].(string)
	return strings.TrimSpace(s)
}

func number(r record, field string) int {
	n, _ := r[field].(float64)
	return int(n)
}

// arg is one argument of a DAG.
type arg struct {
	what record
	name string
}

func (d definitions) dag(v any) (args []arg) {
	r, _ := v.(record)
	list, _ := r["args"].([]any)
	for _, a := range list {
		pair := a.([]any)
		name, _ := pair[1].(string)
		what := d.get(pair[0])
		if isA(what, "OpVariable") {
			what = d.get(what["constraint"])
		}
		args = append(args, arg{what, name})
	}
	return args
}

// extraction collects the tables of all dialects.
type extraction struct {
	tables map[string]*table
	seen   map[string]bool
	spaces map[string]string // dialects by C++ namespace
	enums  map[string]enum   // by dialect and name
	named  map[string]string // kinds of attributes, by the names of their builders in Python
	merged map[string]bool   // operations whose parts are those of a wheel too
	infers func(operation string) bool
}

func (e *extraction) table(dialect string) *table {
	t := e.tables[dialect]
	if t == nil {
		t = &table{dialect: dialect}
		e.tables[dialect] = t
	}
	return t
}

// add takes the facts of one file.
func (e *extraction) add(d definitions) error {
	for _, v := range d.instances("Dialect") {
		r := d.get(v)
		e.spaces[strings.Trim(text(r, "cppNamespace"), ":")] = text(r, "name")
	}
	for _, v := range d.instances("Op") {
		r := d.get(v)
		dialect := text(d.get(r["opDialect"]), "name")
		name := dialect + "." + text(r, "opName")
		if e.seen[name] {
			continue
		}
		e.seen[name] = true
		t := e.table(dialect)
		op, err := e.operation(d, r, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		t.operations = append(t.operations, op)
	}
	e.builders(d)
	return nil
}

func (e *extraction) operation(d definitions, r record, name string) (operation, error) {
	op := operation{name: name, class: className(text(r, "!name"))}
	for i, a := range d.dag(r["arguments"]) {
		p := part{name: a.name}
		if p.name == "" {
			p.name = fmt.Sprintf("operand%d", i)
		}
		switch {
		case isA(a.what, "TypeConstraint"):
			p.sort = "operand"
			p.kind, p.many = e.typed(d, a.what, name)
		case isA(a.what, "Attr"):
			p.sort = "attribute"
			p.kind, p.many = e.attribute(d, a.what)
		default:
			p.sort = "property"
			if p.kind = e.property(d, a.what); p.kind == "" {
				return op, fmt.Errorf("%s has no Go form", a.name)
			}
		}
		e.use(p.kind)
		op.parts = append(op.parts, p)
	}
	for _, p := range op.parts {
		if lengths, ok := strings.CutPrefix(p.many, "nested:"); ok {
			op.parts = slices.DeleteFunc(op.parts,
				func(p part) bool { return p.sort == "attribute" && p.name == lengths })
		}
	}
	results := d.dag(r["results"])
	for i, a := range results {
		p := part{sort: "result", name: a.name}
		if p.name == "" {
			p.name = "result"
			if len(results) > 1 {
				p.name += fmt.Sprint(i)
			}
		}
		p.kind, p.many = e.typed(d, a.what, name)
		op.parts = append(op.parts, p)
	}
	for i, a := range d.dag(r["regions"]) {
		p := part{sort: "region", name: cmp.Or(a.name, fmt.Sprintf("region%d", i))}
		if isA(a.what, "VariadicRegion") {
			p.many = "variadic"
		}
		op.parts = append(op.parts, p)
	}
	for i, a := range d.dag(r["successors"]) {
		p := part{sort: "successor", name: cmp.Or(a.name, fmt.Sprintf("successor%d", i))}
		if isA(a.what, "VariadicSuccessor") {
			p.many = "variadic"
		}
		op.parts = append(op.parts, p)
	}
	traits := map[string]bool{}
	d.traits(r["traits"], traits)
	for trait, property := range map[string]string{"AttrSizedOperandSegments": operandSegments,
		"AttrSizedResultSegments": resultSegments,
		"SameVariadicOperandSize": equalOperands, "SameVariadicResultSize": equalResults, "IsTerminator": terminator,
		"SameOperandsAndResultType": sameType} {
		if traits[trait] {
			op.properties = append(op.properties, property)
		}
	}
	if e.infers(name) {
		op.properties = append(op.properties, infers)
	}
	slices.Sort(op.properties)
	return op, nil
}

func (d definitions) traits(v any, into map[string]bool) {
	list, _ := v.([]any)
	for _, t := range list {
		r := d.get(t)
		if isA(r, "TraitList") {
			d.traits(r["traits"], into)
		}
		into[strings.TrimPrefix(text(r, "trait"), "::mlir::OpTrait::")] = true
	}
}

// className returns the class of a record's name: Arith_AddFOp is AddF.
func className(record string) string {
	if i := strings.LastIndexByte(record, '_'); i >= 0 {
		record = record[i+1:]
	}
	return strings.TrimSuffix(record, "Op")
}

// typed returns the constraint of an operand or result, and how often it occurs.
func (e *extraction) typed(d definitions, r record, operation string) (kind, many string) {
	for {
		base := d.get(r["baseType"])
		switch {
		case isA(r, "VariadicOfVariadic"):
			many = "nested:" + text(r, "segmentAttrName")
		case isA(r, "Optional"):
			many = "optional"
		case isA(r, "Variadic") && many == "":
			many = "variadic"
		}
		if base == nil || !isA(r, "VariadicOfVariadic") && !isA(r, "Optional") && !isA(r, "Variadic") {
			break
		}
		r = base
	}
	dialect, _, _ := strings.Cut(operation, ".")
	t := e.tables[dialect]
	expr := d.predicate(r["predicate"])
	if expr == "any" {
		return "any", many
	}
	name := text(r, "!name")
	if anonymous, _ := r["!anonymous"].(bool); anonymous {
		name = ""
	}
	for _, c := range t.constraints {
		if c.expr == expr && (name == "" || c.name == name) {
			return c.name, many
		}
	}
	if name == "" {
		n := 1
		for _, c := range t.constraints {
			if strings.HasPrefix(c.name, "Type") {
				n++
			}
		}
		name = fmt.Sprintf("Type%d", n)
	}
	t.constraints = append(t.constraints, constraint{name, expr})
	return name, many
}

var (
	isaType = regexp.MustCompile(`^\((?:::)?llvm::isa<(?:::)?(?:\w+::)*?((?:\w+::)?(\w+))>\(\$_self\)\)$`)
	isNum   = regexp.MustCompile(`^\(\$_self\.is(Signless|Signed|Unsigned|)Integer\((\d*)\)\)$`)
	isFloat = regexp.MustCompile(`^\(\$_self\.is(F16|F32|F64|BF16|TF32|F80|F128)\(\)\)$`)
)

// builtinTypes has the classes of builtin types, and what they are called in expressions.
var builtinTypes = map[string]string{
	"VectorType": "vector", "FixedVectorType": "fixed-vector", "ScalableVectorType": "scalable-vector",
	"RankedTensorType": "ranked-tensor", "UnrankedTensorType": "unranked-tensor", "TensorType": "tensor",
	"MemRefType":         "memref",
	"UnrankedMemRefType": "unranked-memref", "BaseMemRefType": "any-memref", "ShapedType": "shaped",
	"FloatType": "float", "IndexType": "index",
	"IntegerType": "integer", "ComplexType": "complex", "TupleType": "tuple", "FunctionType": "function",
	"NoneType":     "none",
	"BFloat16Type": "bf16", "FloatTF32Type": "tf32", "Float16Type": "f16", "Float32Type": "f32", "Float64Type": "f64",
	"Float80Type": "f80", "Float128Type": "f128",
}

// otherTypes has the classes of types that are not defined in the files of definitions.
var otherTypes = map[string]string{
	"LLVM::LLVMPointerType": "!llvm.ptr",
	"spirv::ArrayType":      "!spirv.array", "spirv::MatrixType": "!spirv.matrix", "spirv::PointerType": "!spirv.ptr",
	"spirv::RuntimeArrayType": "!spirv.rtarray",
	"spirv::SampledImageType": "!spirv.sampled_image", "spirv::ImageType": "!spirv.image",
	"spirv::StructType":            "!spirv.struct",
	"spirv::CooperativeMatrixType": "!spirv.coopmatrix", "spirv::TensorArmType": "!spirv.arm.tensor",
	"gpu::MMAMatrixType":            "!gpu.mma_matrix",
	"gpu::SparseDnTensorHandleType": "!gpu.sparse.dntensor_handle",
	"gpu::SparseSpMatHandleType":    "!gpu.sparse.spmat_handle",
	"gpu::SparseSpGEMMOpHandleType": "!gpu.sparse.spgemmop_handle",
}

// predicate returns the expression of a condition: see typeCondition in the package mlir. A condition that the
// expressions do not have is "any".
func (d definitions) predicate(v any) string {
	r := d.get(v)
	if r == nil {
		return "any"
	}
	if p := text(r, "predExpr"); p != "" {
		return d.expression(strings.Join(strings.Fields(p), " "))
	}
	var children []string
	list, _ := r["children"].([]any)
	for _, c := range list {
		if expr := d.predicate(c); !slices.Contains(children, expr) {
			children = append(children, expr)
		}
	}
	switch text(d.get(r["kind"]), "!name") {
	case "PredCombinerAnd":
		children = slices.DeleteFunc(children, func(c string) bool { return c == "any" })
		if len(children) > 1 {
			return "and(" + strings.Join(children, ",") + ")"
		}
		if len(children) == 0 {
			return "any"
		}
		return children[0]
	case "PredCombinerOr":
		if slices.Contains(children, "any") || len(children) == 0 {
			return "any"
		}
		if len(children) > 1 {
			return "or(" + strings.Join(children, ",") + ")"
		}
		return children[0]
	case "PredCombinerNot":
		if children[0] == "any" {
			return "any"
		}
		return "not(" + children[0] + ")"
	case "PredCombinerConcat":
		if strings.HasSuffix(text(r, "suffix"), "(::llvm::cast<::mlir::ShapedType>($_self).getElementType())") &&
			children[0] != "any" {
			return "of(" + children[0] + ")"
		}
	case "PredCombinerSubstLeaves":
		switch text(r, "replacement") {
		case "elementType":
			return children[0]
		case "::llvm::cast<::mlir::VectorType>($_self).getElementType()":
			if children[0] != "any" {
				return "of(" + children[0] + ")"
			}
		}
	}
	return "any"
}

// expression is predicate for an expression in C++.
func (d definitions) expression(p string) string {
	if m := isaType.FindStringSubmatch(p); m != nil {
		if name := cmp.Or(builtinTypes[m[2]], otherTypes[m[1]]); name != "" {
			return name
		}
		for _, v := range d.instances("TypeDef") {
			if t := d.get(v); text(t, "cppClassName") == m[2] && text(t, "mnemonic") != "" {
				return "!" + text(d.get(t["dialect"]), "name") + "." + text(t, "mnemonic")
			}
		}
		return "any"
	}
	if m := isNum.FindStringSubmatch(p); m != nil {
		return map[string]string{"Signless": "i", "Signed": "si", "Unsigned": "ui", "": "int"}[m[1]] + m[2]
	}
	if m := isFloat.FindStringSubmatch(p); m != nil {
		return strings.ToLower(m[1])
	}
	switch p {
	case "($_self.isSignlessIntOrIndex())":
		return "or(i,index)"
	case "(::llvm::cast<::mlir::ShapedType>($_self).hasRank())":
		return "ranked"
	case "(::llvm::cast<::mlir::VectorType>($_self).getRank() > 0)":
		return "nonscalar"
	case "(::mlir::LLVM::isCompatibleVectorType($_self))":
		return "vector"
	case "(!!::mlir::sparse_tensor::getSparseTensorEncoding($_self))":
		return "sparse"
	}
	return "any"
}
