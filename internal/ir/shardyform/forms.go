package shardyform

import "strings"

// A kind is what a piece of an operation's form is.
type kind byte

const (
	mark      kind = iota // a text that is always the same
	operand               // %0
	operands              // (%0, %1), or without brackets in a return
	symbol                // @name
	group                 // what is in brackets, with them
	list                  // the same, of shardings
	number                // 3
	label                 // <"name">
	constant              // dense<1.0> : tensor<2xf32>
	direction             // BOTH
	reduction             // max, or nothing
	body                  // (%arg0: type) {…}
	rest                  // {…}: further attributes, if there are some
	result                // : type, of the only operand and result
	input                 // : type, of the only operand of an operation without results
	function              // : (type) -> type
)

// A piece is a part of an operation's form, in the order of the text.
type piece struct {
	kind      kind
	attribute string // its name
	word      string // that precedes the piece, with a = behind it; or the mark
	open      string // the text that the generic form has before the piece
	optional  bool
}

// forms are the forms of Shardy's operations by their names without the dialect. Source: the assembly formats in ops.td
// of Shardy, 2026-08.
var forms = map[string][]piece{
	"mesh": {{kind: symbol, attribute: "sym_name"}, {kind: mark, word: "="}, ofGroup("mesh", "", "#sdy.mesh"),
		{kind: rest}},
	"sharding_constraint": {{kind: operand}, ofGroup("sharding", "", sharding), {kind: rest}, {kind: result}},
	"reshard":             {{kind: operand}, ofGroup("sharding", "", sharding), {kind: rest}, {kind: result}},
	"return":              {{kind: rest}, {kind: operands}},
	"manual_computation": {{kind: operands}, ofList("in_shardings", false), ofList("out_shardings", false),
		ofGroup("manual_axes", "manual_axes", "#sdy<manual_axes"), {kind: body}, {kind: rest}, {kind: function}},
	"sharding_group": {{kind: operand}, {kind: number, attribute: "group_id", word: "group_id"}, {kind: rest},
		{kind: input}},
	"constant": {{kind: rest}, {kind: constant, attribute: "value"}},
	"data_flow_edge": {{kind: operand},
		{kind: group, attribute: "sharding", word: "sharding", open: sharding, optional: true}, {kind: rest},
		{kind: result}},
	"func_data_flow_edge": {{kind: operand}, {kind: rest}, {kind: result}},
	"propagation_barrier": {{kind: operand},
		{kind: direction, attribute: "allowed_direction", word: "allowed_direction"}, {kind: rest}, {kind: result}},
	"named_computation": {{kind: label, attribute: "name"}, {kind: operands}, ofList("in_shardings", true),
		ofList("out_shardings", true), {kind: body}, {kind: rest}, {kind: function}},
	"all_gather":     collective(ofGroup("gathering_axes", "", "#sdy<list_of_axis_ref_lists")),
	"all_slice":      collective(ofGroup("slicing_axes", "", "#sdy<list_of_axis_ref_lists")),
	"all_to_all":     collective(ofGroup("params", "", "#sdy<all_to_all_param_list")),
	"all_reduce":     collective(reduced, ofGroup("reduction_axes", "", "#sdy<axis_ref_list")),
	"reduce_scatter": collective(reduced, ofGroup("reduce_scatter_axes", "", "#sdy<list_of_axis_ref_lists")),

	"collective_permute":      collective(),
	"sharded_to_unreduced":    collective(ofGroup("axes", "", "#sdy<list_of_axis_ref_lists")),
	"replicated_to_unreduced": collective(ofGroup("axes", "", "#sdy<axis_ref_list")),
}

const (
	sharding         = "#sdy.sharding"
	shardingPerValue = "#sdy.sharding_per_value<"
)

var reduced = piece{kind: reduction, attribute: "reduction_op", optional: true}

func ofGroup(attribute, word, open string) piece {
	return piece{kind: group, attribute: attribute, word: word, open: open}
}

func ofList(attribute string, optional bool) piece {
	return piece{kind: list, attribute: attribute, word: attribute, open: shardingPerValue, optional: optional}
}

func collective(first ...piece) []piece {
	return append(first, piece{kind: operand}, ofGroup("out_sharding", "out_sharding", sharding), piece{kind: rest},
		piece{kind: result})
}

// close is the text that the generic form has after the piece.
func (p piece) close() string {
	if strings.Contains(p.open, "<") {
		return ">"
	}
	return ""
}

// words are the values of enumerations, by their numbers.
var words = map[kind][]string{
	direction: {"NONE", "FORWARD", "BACKWARD", "BOTH"},
	reduction: {"sum", "max", "min"},
}

// Known reports whether an operation of the dialect is known here.
func Known(operation string) bool {
	name, ok := strings.CutPrefix(operation, Dialect+".")
	return ok && forms[name] != nil
}

// HasOperandsType reports whether operations of a name have one operand and one result, of the same type.
func HasOperandsType(operation string) bool {
	name, _ := strings.CutPrefix(operation, Dialect+".")
	form := forms[name]
	return form != nil && form[len(form)-1].kind == result
}

// Infers reports whether the operands and attributes of operations of a name give the types of their results.
func Infers(operation string) bool {
	name, _ := strings.CutPrefix(operation, Dialect+".")
	return HasOperandsType(operation) || name == "constant" || name == "sharding_group"
}

// hasBody reports whether the operations of a name have a region.
func hasBody(name string) bool { return name == "manual_computation" || name == "named_computation" }

// describe returns the form of an operation for messages.
func describe(name string) string {
	var parts []string
	for _, p := range forms[name] {
		if p.optional {
			continue
		}
		text := map[kind]string{mark: p.word, operand: "%0", operands: "(%0)", symbol: "@name", number: "1",
			label: `<"name">`, constant: "dense<…> : type", direction: "BOTH", body: "(%arg0: type) {…}", result: ": type",
			input: ": type", function: ": (type) -> type", list: "[<@mesh, […]>]", group: "<…>"}[p.kind]
		if name == "return" && p.kind == operands {
			text = "%0 : type"
		}
		if p.kind != mark && p.word != "" {
			text = p.word + "=" + text
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}
