package main

import (
	"archive/zip"
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/shardyform"
)

// wheels lists the wheels with bindings, from the newest facts that the tables take to the oldest.
var wheels = []string{"torch_mlir", "iree_base_compiler", "jaxlib-0.5.3", newerHLO}

// newerHLO is the wheel with the bindings of StableHLO's and CHLO's operations after jaxlib 0.5.3. That of torch-mlir
// has none, though its library has the operations.
const newerHLO = "jaxlib-0.12.0.1"

// notTyped are dialects that only serve their compiler.
var notTyped = strings.Fields("vhlo flow hal stream util vm iree_codegen iree_gpu iree_tensor_ext")

// ownOperations start the names of operations that only serve their compiler.
var ownOperations = strings.Fields("transform.iree. transform.util. transform.apply_patterns.iree.")

// addWheel merges the facts of a wheel's bindings. The tables have those of LLVM 22, and of
// the wheels before it.
func (e *extraction) addWheel(folder, name string) error {
	paths, err := filepath.Glob(filepath.Join(folder, name+"-*.whl"))
	if err != nil {
		return err
	}
	if len(paths) != 1 {
		return fmt.Errorf("there are %d wheels %s in %s, want 1: fetch the version of package native with pip download --no-deps", len(paths), name, folder)
	}
	z, err := zip.OpenReader(paths[0])
	if err != nil {
		return err
	}
	defer z.Close()
	var sources []string
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, "_gen.py") {
			continue
		}
		text, err := readMember(f)
		if err != nil {
			return err
		}
		if !strings.HasSuffix(f.Name, "_enum_gen.py") {
			sources = append(sources, text)
			continue
		}
		dialect := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(f.Name), "_enum_gen.py"), "_")
		if dialect == "triton" {
			dialect = "tt"
		}
		e.addEnums(dialect, readEnums(text))
	}
	for _, source := range sources {
		list, err := readBindings(source)
		if err != nil {
			return err
		}
		for _, b := range list {
			dialect, _, _ := strings.Cut(b.name, ".")
			own := ownDialects[dialect] != ""
			switch {
			case own && !strings.HasPrefix(name, "jaxlib-"): // the pinned library has them
			case dialect == shardyform.Dialect && name != newerHLO: // package mlir has its newest form
			case name == newerHLO && !own && dialect != shardyform.Dialect:
			default:
				e.addBinding(b, name == wheels[0])
			}
		}
	}
	return nil
}

// conditions are those on operands that inference reads without a check and whose class the
// bindings do not have, by the operation and the operand, or by the operation or the dialect for all of
// its operands.
var conditions = map[string]string{
	"tosa.reshape_block_scaled new_value_shape": "!tosa.shape",
	"torch.copy.to_tensor":                      "!torch.vtensor",
	"torch.copy.to_vtensor":                     "!torch.tensor",
	"vector.extractelement vector":              "vector",
	"x86.avx512.vp2intersect":                   "and(vector,nonscalar)",
	"mhlo":                                      "ranked-tensor",
	"mhlo.after_all":                            "any",
	"mhlo.outfeed":                              "any",
	"mhlo.send":                                 "any",
	"tt.dot":                                    "ranked-tensor",
	"tt.gather":                                 "ranked-tensor",
	"tt.join":                                   "ranked-tensor",
	"tt.load ptr":                               "or(!tt.ptr,of(!tt.ptr))",
	"tt.split":                                  "ranked-tensor",
}

// condition returns the condition on an operand of an operation that infers its results.
func condition(dialect string, op *operation, operand string) string {
	for _, key := range []string{op.name + " " + operand, op.name, dialect} {
		if c := conditions[key]; c != "" && op.is(infers) {
			return c
		}
	}
	return ""
}

// notInferred are operations of jaxlib's library whose inference crashes on what the verifier would
// refuse: on attributes out of range, on element types, and on regions without a terminator.
var notInferred = strings.Fields(`chlo.scan mhlo.async_done mhlo.async_update mhlo.batch_norm_grad mhlo.batch_norm_inference
	mhlo.batch_norm_training mhlo.concatenate mhlo.get_tuple_element mhlo.select_and_scatter mhlo.sort
	mhlo.uniform_dequantize sdy.named_computation tt.expand_dims tt.reduce tt.trans`)

func (t *table) constrained(name string) bool {
	return slices.ContainsFunc(t.constraints, func(c constraint) bool { return c.name == name })
}

// constrain returns the name of the constraint with an expression, which it adds if there is none.
func (t *table) constrain(expr string) string {
	if expr == "any" {
		return expr
	}
	i := slices.IndexFunc(t.constraints, func(c constraint) bool { return c.expr == expr })
	if i < 0 {
		name := fmt.Sprintf("Condition%d", len(t.constraints)+1)
		t.constraints = append(t.constraints, constraint{name, expr})
		return name
	}
	return t.constraints[i].name
}

// addEnums keeps enumerations that are not known yet, by their builders. If an enumeration has two
// forms, attributes of dialects have the one that is a text.
func (e *extraction) addEnums(dialect string, list map[string]enum) {
	own := map[string]bool{}
	for _, form := range []string{"text", "int:"} {
		for _, builder := range slices.Sorted(maps.Keys(list)) {
			found := list[builder]
			name := dialect + "." + found.name
			if !strings.HasPrefix(found.form, form) || e.enums[name].name != "" && !own[name] {
				continue
			}
			if !own[name] {
				own[name], e.enums[name] = true, found
			}
			if e.named[builder] == "" && e.enums[name].form == found.form {
				e.named[builder] = "enum:" + name
			}
		}
	}
}

func readMember(f *zip.File) (string, error) {
	r, err := f.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	return string(data), err
}

// addBinding adds an operation that the tables do not have. If newest is set, it merges the
// parts of one that they have.
func (e *extraction) addBinding(b *binding, newest bool) {
	dialect, _, _ := strings.Cut(b.name, ".")
	if slices.Contains(notTyped, dialect) ||
		slices.ContainsFunc(ownOperations, func(p string) bool { return strings.HasPrefix(b.name, p) }) {
		return
	}
	for i := range b.parts {
		switch p := &b.parts[i]; {
		case p.sort == "attribute" && p.kind != "unit" && ownDialects[dialect] != "":
			p.kind = ownKindOf(dialect, p)
		case p.sort == "attribute" && p.kind != "unit":
			p.kind = e.kindOf(p.kind, b.storages[p.name])
		}
	}
	if ownDialects[dialect] != "" { // the names of the specification
		b.class = goName(strings.TrimPrefix(b.name, dialect+"."))
		if results := b.list("result"); len(results) == 1 {
			b.parts[slices.Index(b.parts, results[0])].name = "result"
		}
	}
	t := e.table(dialect)
	i := slices.IndexFunc(t.operations, func(op operation) bool { return op.name == b.name })
	switch {
	case i >= 0 && newest && !e.merged[b.name]:
		e.merged[b.name] = true
		t.operations[i].merge(&b.operation)
	case i < 0:
		e.merged[b.name] = true
		if e.infers(b.name) && !slices.Contains(notInferred, b.name) {
			b.properties = append(b.properties, infers)
			slices.Sort(b.properties)
		}
		t.operations = append(t.operations, b.operation)
	default:
		return
	}
	i = slices.IndexFunc(t.operations, func(op operation) bool { return op.name == b.name })
	for j, p := range t.operations[i].parts {
		switch {
		case p.sort == "attribute":
			e.use(p.kind)
		case p.sort != "operand":
		case condition(dialect, &t.operations[i], p.name) != "":
			t.operations[i].parts[j].kind = t.constrain(condition(dialect, &t.operations[i], p.name))
		case builtinTypes[p.kind] != "" && !t.constrained(p.kind):
			t.constraints = append(t.constraints, constraint{p.kind, builtinTypes[p.kind]})
		}
	}
}

// kindOf returns the kind of an attribute by its builder and its class in Python.
func (e *extraction) kindOf(builder, class string) string {
	kind := e.named[builder]
	if name, ok := strings.CutPrefix(strings.TrimPrefix(kind, "array:"), "enum:"); ok && e.enums[name].name == "" {
		kind = ""
	}
	switch {
	case kind != "":
		return kind
	case storages[class] != "" && class != "ArrayAttr":
		return storages[class]
	case class == "ArrayAttr":
		return "array"
	}
	return "attribute"
}

// builtinKinds are the kinds of attributes by the names of their builders.
var builtinKinds = map[string]string{
	"BoolAttr": "bool", "I64Attr": "i64", "I32Attr": "i32", "F32Attr": "f32", "StrAttr": "string",
	"FlatSymbolRefAttr": "symbol",
	"DenseI64ArrayAttr": "int64s", "DenseBoolArrayAttr": "bools",
	"ElementsAttr": "attribute", "TypedAttrInterface": "attribute", "ArrayAttr": "attribute",
	"DictionaryAttr": "attribute",
}

// ownKindOf returns the kind of an attribute of a dialect whose attributes have Go types.
func ownKindOf(dialect string, p *part) string {
	own, ok := strings.CutPrefix(p.kind, map[string]string{"stablehlo": "StableHLO_", "chlo": "CHLO_"}[dialect])
	list, isList := strings.CutSuffix(own, "ConfigAttr")
	switch {
	case p.name == "replica_groups":
		return "own:Groups"
	case ok && isList:
		return "array:own:" + list
	case ok:
		return "own:" + strings.TrimSuffix(own, "Attr")
	case p.kind == "I64ElementsAttr":
		return "pairs"
	case p.kind == "BoolAttr" && p.many == "optional":
		return "flag"
	}
	return cmp.Or(builtinKinds[p.kind], "attribute")
}

// merge takes what a newer library has in addition, and marks what it lacks. A part with
// another name in the place of one has the newer name.
func (op *operation) merge(b *operation) {
	op.mergeOperands(b.list("operand"))
	if b.is(operandSegments) && !op.is(operandSegments) {
		op.properties = append(op.properties, newerSegments)
		slices.Sort(op.properties)
	}
	has := func(parts []part, name string) bool {
		return slices.ContainsFunc(parts, func(p part) bool { return p.sort == "attribute" && p.name == name })
	}
	lengths := map[string]bool{}
	for i, p := range op.parts {
		if n, ok := strings.CutPrefix(p.many, "nested:"); ok {
			lengths[n] = true
		}
		if p.sort == "attribute" && !has(b.parts, p.name) {
			op.parts[i].age = older
			if p.many == "" {
				op.parts[i].many = "optional"
			}
		}
	}
	end := slices.IndexFunc(op.parts, func(p part) bool { return p.sort != "operand" && p.sort != "attribute" })
	if end < 0 {
		end = len(op.parts)
	}
	for _, p := range b.list("attribute") {
		if !has(op.parts, p.name) && !lengths[p.name] {
			p.age = newer
			op.parts = slices.Insert(op.parts, end, p)
			end++
		}
	}
}

// mergeOperands merges lists of operands, which have the same order.
func (op *operation) mergeOperands(list []part) {
	in := func(parts []part, name string) bool {
		return slices.ContainsFunc(parts, func(p part) bool { return p.name == name })
	}
	old := op.list("operand")
	var parts []part
	added := func(before string) { // the operands of the library up to the one of a name
		for len(list) > 0 && list[0].name != before {
			list[0].age = newer
			parts, list = append(parts, list[0]), list[1:]
		}
	}
	for _, p := range op.parts {
		if p.sort != "operand" {
			if len(old) == 0 && p.sort != "attribute" {
				added("")
			}
			parts = append(parts, p)
			continue
		}
		unnamed := strings.HasPrefix(p.name, "operand") && len(list) > 0 && strings.HasPrefix(list[0].name, "operand")
		switch {
		case unnamed:
			list = list[1:]
		case in(list, p.name):
			added(p.name)
			list = list[1:]
		case len(list) > 0 && !in(old, list[0].name) && rename(p, list[0]):
			p.name, p.many = list[0].name, list[0].many
			list = list[1:]
		default:
			p.age = older
		}
		parts, old = append(parts, p), old[1:]
	}
	added("")
	op.parts = parts
}

// rename reports whether two operands are one under two names: num_threads and
// num_threads_vars.
func rename(a, b part) bool {
	related := strings.HasPrefix(b.name, a.name) || strings.HasPrefix(a.name, b.name)
	return a.many == b.many || a.many != "" && b.many != "" && related
}
