package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// binding is an operation as the Python bindings of a library have it. The kinds of its
// attributes are the names of their builders, and those of its operands are "any" or a class of
// types.
type binding struct {
	operation
	order    []string          // the parameters of its constructor
	storages map[string]string // the classes of its attributes in Python, by name
}

var (
	classLine    = regexp.MustCompile(`^class (\w+)\(_ods_ir\.OpView\):$`)
	nameLine     = regexp.MustCompile(`^  OPERATION_NAME = "(.+)"$`)
	segmentsLine = regexp.MustCompile(`^  _ODS_(OPERAND|RESULT)_SEGMENTS = \[(.*),\]$`)
	initLine     = regexp.MustCompile(`^  def __init__\(self, (.*)\):$`)
	operandLine  = regexp.MustCompile(
		`^    (if .+: )?operands\.(append|extend)\((?:_get_op_results?_or_values?\()?(\w+)\)+$`)
	attributeLine = regexp.MustCompile(`^    (if .+: )?attributes\["(\w+)"\] = (\(|_ods_ir\.UnitAttr)`)
	kindLine      = regexp.MustCompile(`^ +_ods_ir\.AttrBuilder\.get\('([\w.]+)'\)`)
	resultLine    = regexp.MustCompile(`^    (if .+: )?results\.(append|extend)\((.+)\)$`)
	successorLine = regexp.MustCompile(
		`^    _ods_successors\.(append|extend)\((?:_get_op_results_or_values\()?(\w+)\)+$`)
	propertyLine = regexp.MustCompile(`^  def (\w+)\(self\)(?: -> (.+))?:$`)
	regionLine   = regexp.MustCompile(`^    return self\.regions\[(\d+)(:?)\]$`)
	singleResult = regexp.MustCompile(`^    return self\.operation\.results\[`)
	otherResult  = regexp.MustCompile(`^    return None if len\(self\.operation\.results\)`)
	manyResults  = regexp.MustCompile(`^    _ods_variadic_group_length = len\(self\.operation\.results\)`)
	functionLine = regexp.MustCompile(`^def \w+\(.*\) -> _ods_ir\.(Value|OpResult(\[.+\])?):$`)
	returnLine   = regexp.MustCompile(`^  return (_get_op_result_or_op_results\()?\w+\(.*\)`)
	equalLine    = regexp.MustCompile(`_ods_equally_sized_accessor\(self\.operation\.(operands|results)`)
	segmentLine  = regexp.MustCompile(`^         self\.operation\.results,$`)
	partsLine    = regexp.MustCompile(`^    (if .+: )?(operands\.|results\.|_ods_successors\.|attributes\["\w+"\] = |return self\.regions\[)`)
)

// readBindings reads the operations of a file that mlir-tblgen wrote for Python. It returns an
// error for a line that seems to define a part but has another form.
func readBindings(source string) (list []*binding, err error) {
	r := bindingReader{}
	for line := range strings.Lines(source) {
		if line = strings.TrimRight(line, "\n"); !r.read(line) {
			return nil, fmt.Errorf("%s: the line %q has an unknown form", r.op.name, line)
		}
	}
	r.finish()
	return r.list, nil
}

type bindingReader struct {
	list               []*binding
	class              string
	op                 *binding
	property           string // the accessor that is being read
	annotation         string // of it
	given, seen        []part // results as the constructor adds them, and as the accessors return them
	function           bool   // whether the function that returns values is being read
	operands           int
	operand, resultSeg []string
	classes            map[string]string // of the parameters that are values of one class of types
}

func (r *bindingReader) read(line string) bool {
	if m := classLine.FindStringSubmatch(line); m != nil {
		r.finish()
		r.class = m[1]
		return true
	}
	if m := nameLine.FindStringSubmatch(line); m != nil && r.class != "" {
		r.op = &binding{operation{name: m[1], class: bindingClass(r.class)}, nil, map[string]string{}}
		r.class = "" // the adaptor has the name again
		return true
	}
	if r.op == nil {
		return true
	}
	op := r.op
	if m := segmentsLine.FindStringSubmatch(line); m != nil {
		if m[1] == "OPERAND" {
			r.operand = strings.Split(m[2], ",")
			op.properties = append(op.properties, operandSegments)
		} else {
			r.resultSeg = strings.Split(m[2], ",")
			op.properties = append(op.properties, resultSegments)
		}
	} else if m := initLine.FindStringSubmatch(line); m != nil {
		op.order, r.classes = parameters(m[1])
	} else if functionLine.MatchString(line) {
		r.function = true
	} else if m := propertyLine.FindStringSubmatch(line); m != nil {
		r.property, r.annotation = plain(m[1]), m[2]
	} else if m := operandLine.FindStringSubmatch(line); m != nil {
		p := part{sort: "operand", name: plain(m[3]), kind: "any", many: manyOf(m[1], m[2], r.operand, r.operands)}
		if class := r.classes[p.name]; builtinTypes[class] != "" {
			p.kind = class
		}
		if strings.HasPrefix(p.name, "_gen_arg_") {
			p.name = fmt.Sprintf("operand%s", strings.TrimPrefix(p.name, "_gen_arg_"))
		}
		r.operands++
		op.parts = append(op.parts, p)
	} else if m := attributeLine.FindStringSubmatch(line); m != nil {
		p := part{sort: "attribute", name: m[2], many: manyOf(m[1], "", nil, 0)}
		if m[3] != "(" {
			p.kind, p.many = "unit", "optional"
		}
		op.parts = append(op.parts, p)
	} else if m := kindLine.FindStringSubmatch(line); m != nil {
		op.parts[len(op.parts)-1].kind = m[1]
	} else if m := successorLine.FindStringSubmatch(line); m != nil {
		op.parts = append(op.parts, part{sort: "successor", name: plain(m[2]), many: manyOf("", m[1], nil, 0)})
	} else if m := regionLine.FindStringSubmatch(line); m != nil {
		p := part{sort: "region", name: r.property}
		if m[2] != "" {
			p.many = "variadic"
		}
		op.parts = append(op.parts, p)
	} else if m := equalLine.FindStringSubmatch(line); m != nil {
		property := map[string]string{"operands": equalOperands, "results": equalResults}[m[1]]
		if !op.is(property) {
			op.properties = append(op.properties, property)
		}
		if m[1] == "results" {
			r.seen = append(r.seen, part{sort: "result", name: r.property, kind: "any", many: "variadic"})
		}
	} else if strings.HasPrefix(line, `    return self.operation.attributes["`) {
		if m := attributeClass.FindStringSubmatch(r.annotation); m != nil {
			op.storages[r.property] = m[1]
		}
	} else {
		return r.readResult(line) || !partsLine.MatchString(line)
	}
	return true
}

// readResult reads a line about a result. It returns false for other lines.
func (r *bindingReader) readResult(line string) bool {
	if m := returnLine.FindStringSubmatch(line); m != nil && r.function && len(r.given)+len(r.seen) == 0 {
		many := ""
		if m[1] != "" {
			many = "variadic"
		}
		r.seen = append(r.seen, part{sort: "result", name: "result", kind: "any", many: many})
	} else if m := resultLine.FindStringSubmatch(line); m != nil {
		if !strings.HasPrefix(m[3], "[operands[0].type]") {
			r.given = append(r.given, part{sort: "result", name: plain(m[3]), kind: "any",
				many: manyOf(m[1], m[2], r.resultSeg, len(r.given))})
		}
	} else if manyResults.MatchString(line) {
		r.seen = append(r.seen, part{sort: "result", name: r.property, kind: "any", many: "variadic"})
	} else if otherResult.MatchString(line) {
		r.seen = append(r.seen, part{sort: "result", name: r.property, kind: "any", many: "optional"})
	} else if segmentLine.MatchString(line) {
		n := map[string]string{"1": "", "0": "optional",
			"-1": "variadic"}[r.resultSeg[min(len(r.seen), len(r.resultSeg)-1)]]
		r.seen = append(r.seen, part{sort: "result", name: r.property, kind: "any", many: n})
	} else if singleResult.MatchString(line) {
		if len(r.seen) == 0 || r.seen[len(r.seen)-1].name != r.property {
			r.seen = append(r.seen, part{sort: "result", name: r.property, kind: "any"})
		}
	} else {
		return false
	}
	return true
}

var (
	special  = regexp.MustCompile(`__(\w+?)__`)
	internal = regexp.MustCompile(`^([A-Z][a-z]+)_([A-Z])`)
	inPlace  = regexp.MustCompile(`([a-z0-9])_([A-Z]|$)`)
)

// bindingClass returns the class of an operation by that in Python, which in torch has the
// underscores of PyTorch's names: AtenAdd_TensorOp is in place, Aten_ToCopyOp is internal, and
// Aten__Is__Op is a special method.
func bindingClass(name string) string {
	name = strings.TrimSuffix(name, "Op")
	name = special.ReplaceAllString(name, "$1")
	name = strings.ReplaceAll(name, "__", "_")
	name = internal.ReplaceAllString(name, "${1}Internal$2")
	return inPlace.ReplaceAllString(name, "${1}InPlace$2")
}

// attributeClass matches the annotation of an attribute's accessor.
var attributeClass = regexp.MustCompile(`_ods_ir\.(\w+)\]?$`)

// finish ends the operation that is being read.
func (r *bindingReader) finish() {
	if op := r.op; op != nil {
		results := r.given
		if len(results) < len(r.seen) {
			results = r.seen
		}
		for i := range results {
			if len(results) == len(r.seen) {
				results[i].name = r.seen[i].name
			}
		}
		op.arrange()
		end := slices.IndexFunc(op.parts, func(p part) bool { return p.sort == "region" || p.sort == "successor" })
		if end < 0 {
			end = len(op.parts)
		}
		op.parts = slices.Insert(op.parts, end, results...)
		slices.Sort(op.properties)
		r.list = append(r.list, op)
	}
	*r = bindingReader{list: r.list}
}

// arrange puts required attributes before the operands that follow them in the constructor, as
// definitions often have them, and other attributes behind all operands.
func (b *binding) arrange() {
	operands := b.list("operand")
	parts := slices.DeleteFunc(slices.Clone(b.parts),
		func(p part) bool { return p.sort != "region" && p.sort != "successor" })
	var early, late []part
	before := make([][]part, len(operands)+1)
	for _, p := range b.list("attribute") {
		at := slices.Index(b.order, p.name)
		next := slices.IndexFunc(operands,
			func(o part) bool { return o.many != "optional" && slices.Index(b.order, o.name) > at })
		if p.many != "" || at < 0 || next < 0 {
			late = append(late, p)
			continue
		}
		before[next] = append(before[next], p)
	}
	for i, p := range operands {
		early = append(append(early, before[i]...), p)
	}
	b.parts = slices.Concat(early, late, parts)
}

// manyOf returns how often a part occurs: by the segments, if there are some, or by the line
// that adds it.
func manyOf(condition, how string, segments []string, i int) string {
	if i < len(segments) {
		return map[string]string{"1": "", "0": "optional", "-1": "variadic"}[strings.TrimSpace(segments[i])]
	}
	switch {
	case how == "extend":
		return "variadic"
	case condition != "":
		return "optional"
	}
	return ""
}

// plain removes the suffix that the bindings add to reserved names of Python.
func plain(name string) string { return strings.TrimSuffix(name, "_") }

var valueClass = regexp.MustCompile(`_ods_ir\.Value\[_ods_ir\.(\w+)\]`)

// parameters returns the names in a list of parameters, and the classes of types of those that
// are values. Their annotations have commas too.
func parameters(list string) (names []string, classes map[string]string) {
	classes = map[string]string{}
	depth := 0
	start := 0
	for i, r := range list + "," {
		switch r {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case ',':
			if depth == 0 {
				name, annotation, _ := strings.Cut(strings.TrimSpace(list[start:i]), ":")
				name, _, _ = strings.Cut(name, "=")
				name = plain(strings.TrimSpace(name))
				names = append(names, name)
				if m := valueClass.FindStringSubmatch(annotation); m != nil {
					classes[name] = m[1]
				}
				start = i + 1
			}
		}
	}
	return names, classes
}
