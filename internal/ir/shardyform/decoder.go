package shardyform

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
	"github.com/calliope-mlir/calliope/internal/ir/lex"
)

// Numbers of the forms of attributes in bytecode. Source: bytecode.td of Shardy, 2026-08.
const (
	manualAxes = iota
	meshAxis
	mesh
	subAxis
	axisRef
	dimension
	tensorSharding
	perValue
	dimMapping
	tensorMapping
	rule
	axisRefs
	axisRefLists
	allToAll
	allToAlls
	unreducedSharding
	unreducedPerValue
	reducedSharding
)

// Numbers of those of MLIR's builtin dialect. Source: BuiltinDialectBytecode.td of MLIR.
const (
	builtinDictionary = 1
	builtinString     = 2
	builtinFlatSymbol = 4
	maxNested         = 8 // levels of Shardy's attributes
	builtin           = "builtin"
)

// mnemonics are what the texts of whole attributes begin with.
var mnemonics = map[uint64]string{manualAxes: "<manual_axes", meshAxis: "<mesh_axis", mesh: ".mesh",
	subAxis: "<sub_axis_info", axisRef: "<axis_ref", dimension: "<dimension_sharding", tensorSharding: ".sharding",
	perValue: ".sharding_per_value", dimMapping: "<dim_mapping", tensorMapping: "<tensor_mapping",
	rule: ".op_sharding_rule", axisRefs: "<axis_ref_list", axisRefLists: "<list_of_axis_ref_lists",
	allToAll: "<all_to_all_param", allToAlls: "<all_to_all_param_list", unreducedSharding: ".sharding",
	unreducedPerValue: ".sharding_per_value", reducedSharding: ".sharding"}

// A decoder reads the attributes of a module.
type decoder struct {
	m     *bytecode.Module
	names map[string]int // texts of strings, which are attributes
	depth int
	err   error // the first one
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("the bytecode has "+format+
			" of the dialect sdy in a form that is not known here: write the module as text", args...)
	}
}

// whole returns the text of an attribute of Shardy.
func (d *decoder) whole(i uint64) string {
	r := bytecode.NewReader(d.m.Attributes[i].Data)
	code := r.Number()
	mnemonic, ok := mnemonics[code]
	if !ok {
		d.fail("an attribute with the number %d", code)
		return `""`
	}
	text := "#" + Dialect + mnemonic + d.attribute(i)
	if mnemonic[0] == '<' {
		text += ">"
	}
	return text
}

// attribute returns the text that an attribute has in another one.
func (d *decoder) attribute(i uint64) string {
	if i >= uint64(len(d.m.Attributes)) || d.depth > maxNested {
		d.fail("an attribute")
		return ""
	}
	d.depth++
	defer func() { d.depth-- }()
	p := d.m.Attributes[i]
	if p.Data == nil {
		return string(bytes.TrimSuffix(p.Text, []byte{0}))
	}
	r := bytecode.NewReader(p.Data)
	code := r.Number()
	if p.Dialect == builtin {
		switch code {
		case builtinString:
			return lex.Quote(d.m.String(r.Number()))
		case builtinFlatSymbol:
			return symbolText(d.attribute(r.Number()))
		}
		d.fail("a reference to another attribute")
		return ""
	}
	text := d.body(code, &r)
	if r.Wrong() || !r.Ended() {
		d.fail("an attribute")
	}
	return text
}

// body reads an attribute of Shardy behind its number.
func (d *decoder) body(code uint64, r *bytecode.Reader) string {
	switch code {
	case manualAxes, axisRefs:
		return "{" + d.list(r) + "}"
	case meshAxis:
		return lex.Quote(d.m.String(r.Number())) + "=" + signed(r)
	case mesh:
		text := "<[" + d.list(r) + "]"
		if devices := ints(r); len(devices) > 0 {
			text += ", device_ids=[" + strings.Join(devices, ", ") + "]"
		}
		return text + ">"
	case subAxis:
		return "(" + signed(r) + ")" + signed(r)
	case axisRef:
		text := lex.Quote(d.m.String(r.Number()))
		if i, has := r.Flagged(); has {
			text += ":" + d.attribute(i)
		}
		return text
	case dimension:
		axes, closed := d.list(r), r.Byte() != 0
		if priority, has := r.Flagged(); has {
			return openOrClosed(axes, closed) + "p" + strconv.FormatUint(priority, 10)
		}
		return openOrClosed(axes, closed)
	case tensorSharding, unreducedSharding, reducedSharding:
		text := "<" + meshText(d.attribute(r.Number())) + ", [" + d.list(r) + "]"
		if replicated := d.list(r); replicated != "" {
			text += ", replicated={" + replicated + "}"
		}
		if code == tensorSharding {
			return text + ">"
		}
		unreduced := d.list(r)
		if code == reducedSharding {
			if by := r.Signed(); by > 0 && by < int64(len(words[reduction])) {
				unreduced = words[reduction][by] + "{" + unreduced + "}"
			} else {
				d.fail("a reduction")
			}
		} else {
			unreduced = "{" + unreduced + "}"
		}
		return text + ", unreduced=" + unreduced + ">"
	case perValue, unreducedPerValue:
		return "<[" + d.list(r) + "]>"
	case tensorMapping, axisRefLists, allToAlls:
		return "[" + d.list(r) + "]"
	case dimMapping:
		return factors(r, "")
	case allToAll:
		return "{" + d.list(r) + "}: " + signed(r) + "->" + signed(r)
	case rule:
		return d.rule(r)
	}
	return ""
}

func openOrClosed(axes string, closed bool) string {
	switch {
	case closed:
		return "{" + axes + "}"
	case axes == "":
		return "{?}"
	}
	return "{" + axes + ", ?}"
}

// meshText returns a mesh as it is in a sharding: one without a name is a word there.
func meshText(text string) string {
	if strings.HasPrefix(text, "<") {
		return "mesh" + text
	}
	return text
}

// rule reads a sharding rule.
func (d *decoder) rule(r *bytecode.Reader) string {
	sizes := ints(r)
	for i, size := range sizes {
		sizes[i] = factor(int64(i)) + "=" + size
	}
	text := "<(" + d.list(r) + ")->(" + d.list(r) + ")"
	if len(sizes) > 0 {
		text += " {" + strings.Join(sizes, ", ") + "}"
	}
	for _, what := range []string{"reduction", "need_replication", "permutation", "blocked_propagation"} {
		if list := factors(r, ", "); list != "" {
			text += " " + what + "={" + list + "}"
		}
	}
	if r.Byte() != 0 {
		text += ", custom"
	}
	return text + ">"
}

// factors reads a list of factors.
func factors(r *bytecode.Reader, separator string) string {
	var list []string
	for n := r.Count(); n > 0; n-- {
		list = append(list, factor(r.Signed()))
	}
	return strings.Join(list, separator)
}

// factor returns the name of a factor.
func factor(i int64) string {
	const last = 'z' - 'i'
	if i <= last {
		return string(rune('i' + i))
	}
	return "z_" + strconv.FormatInt(i-last, 10)
}

// list reads a list of attributes.
func (d *decoder) list(r *bytecode.Reader) string {
	var list []string
	for n := r.Count(); n > 0; n-- {
		list = append(list, d.attribute(r.Number()))
	}
	return strings.Join(list, ", ")
}

func ints(r *bytecode.Reader) (list []string) {
	for n := r.Count(); n > 0; n-- {
		list = append(list, signed(r))
	}
	return list
}

func signed(r *bytecode.Reader) string { return strconv.FormatInt(r.Signed(), 10) }

// dictionary returns the number of the dictionary with the attributes and the properties of an operation, or -1.
func (d *decoder) dictionary(name string, o bytecode.Op) int {
	entries, n := d.entries(o)
	r := bytecode.NewReader(o.Properties)
	properties := slices.Clone(forms[name])
	slices.SortFunc(properties, func(a, b piece) int { return strings.Compare(a.attribute, b.attribute) })
	for _, p := range properties { // in the order of their names
		if p.attribute == "" || r.Ended() {
			continue
		}
		value, has := r.Number(), true
		if p.optional {
			value, has = value>>1, value&1 != 0
		}
		if has {
			entries = append(entries, d.name(p.attribute), value)
			n++
		}
	}
	if !r.Ended() || o.Properties != nil && forms[name] == nil {
		d.fail("the operation %s.%s", Dialect, name)
	}
	if n == 0 {
		return -1
	}
	var w bytecode.Writer
	w.Number(builtinDictionary)
	w.Number(n)
	for _, e := range entries {
		w.Number(e)
	}
	return d.m.AddAttribute(builtin, w.Bytes())
}

// entries returns the names and values in the dictionary of an operation, and the number of them.
func (d *decoder) entries(o bytecode.Op) (list []uint64, n uint64) {
	if o.Attributes < 0 || o.Attributes >= len(d.m.Attributes) {
		return nil, 0
	}
	p := d.m.Attributes[o.Attributes]
	r := bytecode.NewReader(p.Data)
	if p.Dialect != builtin || r.Number() != builtinDictionary {
		d.fail("the attributes of %s", o.Name)
		return nil, 0
	}
	n = r.Count()
	for range 2 * n {
		list = append(list, r.Number())
	}
	return list, n
}

// name returns the number of a string.
func (d *decoder) name(text string) uint64 {
	i, ok := d.names[text]
	if !ok {
		i = d.m.AddText(builtin, lex.Quote(text))
		d.names[text] = i
	}
	return uint64(i)
}
