package mutants

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// textChanges are those of texts.
var textChanges = append(slices.Clone(anyChanges),
	insert, insert, insert, harmless, harmless, harmless, number, number, number, rename, rename, swapDictionaries,
	nest,
	lines(func(m *mutator, all []string, i, j int) { all[i], all[j] = all[j], all[i] }),
	lines(func(m *mutator, all []string, i, j int) { all[i] += all[i] }),
	lines(func(m *mutator, all []string, i, j int) { all[i] = all[j] + all[i] }),
	lines(func(m *mutator, all []string, i, j int) { all[i] = "" }),
	tokens(func(m *mutator, all []string, i, j int) { all[i], all[j] = all[j], all[i] }),
	tokens(func(m *mutator, all []string, i, j int) { all[i] += all[i] }),
	tokens(func(m *mutator, all []string, i, j int) { all[i] += all[j] }),
	tokens(func(m *mutator, all []string, i, j int) { all[i] = "" }),
	func(m *mutator, data, _ []byte) []byte { return bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")) },
)

// lines returns a change of two lines.
func lines(do func(m *mutator, all []string, i, j int)) change {
	return func(m *mutator, data, _ []byte) []byte {
		all := strings.SplitAfter(string(data), "\n")
		do(m, all, m.IntN(len(all)), m.IntN(len(all)))
		return []byte(strings.Join(all, ""))
	}
}

var token = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|[@%^#!]?[A-Za-z_0-9$.-]+|->|\s+|//[^\n]*|(?s:.)`)

// tokens returns a change of two tokens.
func tokens(do func(m *mutator, all []string, i, j int)) change {
	return func(m *mutator, data, _ []byte) []byte {
		all := token.FindAllString(string(data), -1)
		if len(all) == 0 {
			return data
		}
		do(m, all, m.IntN(len(all)), m.IntN(len(all)))
		return []byte(strings.Join(all, ""))
	}
}

// pieces are texts that may be anywhere in a module of a stranger.
var pieces = []string{
	"\x00", "\xff", "\xed\xa0\x80", "\xf0\x9f\x98\x80", "\ufeff", "\u2028", "\r", "\t", "\x1b[31m", `"`, `\`, `\0`,
	"//", "/*", "<", ">", "(", ")", "{", "}", "[", "]", "->", ",", "::",
	"// -----\n", "\n// -----\n", "\n//-----\n// -----  \r\n", "// mlir-lint:ignore outfeed, infeed why not\n",
	"// mlir-lint:ignore", "// mlir-lint:ignore nosuch \xff\n",
	" {mlir_lint.ignore = \"outfeed why\"}", " {mlir_lint.ignore = [\"outfeed why\", 1, \"\\FF\"]}",
	" attributes {mlir_lint.ignore = \"create-token\"}", "mhlo.", "stablehlo.", "chlo.",
	"{-# dialect_resources: { builtin: { b: \"0x0400000001\" } } #-}", " loc(unknown)", " loc(\"a\":3:4)",
	" loc(\"-\":99999999:1)", " loc(#l1)", " loc(callsite(\"a\" at \"-\":1:2))", " loc(fused<\"a\">[\"b\":1:2])",
	"\n#l1 = loc(\"x\"(#l1))\n",
	"\"stablehlo.outfeed\"", "stablehlo.create_token", "%t = stablehlo.create_token : !stablehlo.token\n",
	"\"stablehlo.custom_call\"() {call_target_name = \"x\", has_side_effect = true} : () -> ()\n",
	"dense<\"0x00\">", "dense<[[1], [2, 3]]>", "array<i64: 0>", "tensor<0x?xf32>", "tensor<*xf32>",
	"tensor<99999999999999999999xi8>", "tuple<tuple<>>", "vector<0xi1>", "i16777215", "i16777216", "complex<f32>",
	"output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [9], operand_index = -1, operand_tuple_indices = []>]", "backend_config = {a = 1}", "backend_config = \"\\00\"", "api_version = 77 : i32",
	"@\"\"", "@\"a b\"::@c", "%-", "^", "#", "!", "!stablehlo.token<", "sym_name", "func.func @f()", "module @m {",
	"unit", "affine_map<(d0)->(d0 floordiv 0)>",
}

func insert(m *mutator, data, _ []byte) []byte {
	at := m.IntN(len(data) + 1)
	return splice(data, at, at, []byte(pick(m, pieces))...)
}

// between are texts that may be between most lines of a valid module.
var between = []string{
	"// \"stablehlo.outfeed\"(\n", "// mlir-lint:ignore outfeed because\n", "// \xff\x00 #a<\n",
	"%t__ = stablehlo.create_token : !stablehlo.token\n",
	"\"stablehlo.create\\5ftoken\"() {stablehlo.outfeed} : () -> !stablehlo.token loc(callsite(\"a\" at \"-\":7:8))\n",
	"stablehlo.create_token {a = \"b\"} : !stablehlo.token loc(\"f.py\":1:2)\n",
	"stablehlo.create_token {mlir_lint.ignore = \"create-token x\"} : !stablehlo.token\n",
	"%z__ = stablehlo.constant dense<1> : tensor<i32>\n", "\r", " \t\n", "\v",
	"func.func private @zz__() attributes {x.y = \"\\\"stablehlo.outfeed\\\"(\"}\n",
	"%c__:2 = stablehlo.custom_call @x() {has_side_effect = true, api_version = 1 : i32} : () -> (tensor<i32>, !stablehlo.token)\n",
	"%i__:2 = \"stablehlo.infeed\"(%t__) {infeed_config = \"\", layout = []} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)\n",
}

// harmless inserts lines that leave many modules valid.
func harmless(m *mutator, data, _ []byte) []byte {
	all := strings.SplitAfter(string(data), "\n")
	all[m.IntN(len(all))] += pick(m, between)
	return []byte(strings.Join(all, ""))
}

var digits = regexp.MustCompile(`-?\b[0-9]+(\.[0-9]+(e[-+]?[0-9]+)?)?\b`)

var numbers = []string{"0", "1", "2", "3", "-1", "64", "255", "2147483647", "2147483648", "-2147483649", "4294967296",
	"9223372036854775807", "-9223372036854775808", "18446744073709551616",
	"0x0", "0xFFFFFFFFFFFFFFFFF", "1.0", "1e400", "-0.0", "0x7FC00000", "?", "1e", "007"}

func number(m *mutator, data, _ []byte) []byte { return replaceOne(m, data, digits, pick(m, numbers)) }

var name = regexp.MustCompile(`[@%#!^][A-Za-z_0-9$.-]+|\b[a-z_]+\b`)

// rename puts one name in the place of another, there or everywhere.
func rename(m *mutator, data, other []byte) []byte {
	found := name.FindAll(data, -1)
	if m.IntN(4) == 0 {
		found = append(found, name.FindAll(other, -1)...)
	}
	if len(found) == 0 {
		return data
	}
	from, to := bytes.Clone(pick(m, found)), bytes.Clone(pick(m, found))
	if m.IntN(3) == 0 {
		return bytes.ReplaceAll(data, from, to)
	}
	return replaceOne(m, data, name, string(to))
}

// replaceOne replaces one of the matches.
func replaceOne(m *mutator, data []byte, what *regexp.Regexp, by string) []byte {
	found := what.FindAllIndex(data, -1)
	if len(found) == 0 {
		return data
	}
	at := pick(m, found)
	return splice(data, at[0], at[1], []byte(by)...)
}

var dictionary = regexp.MustCompile(`<?\{[^{}\n]*=[^{}\n]*\}>?`)

func swapDictionaries(m *mutator, data, other []byte) []byte {
	found := dictionary.FindAll(append(bytes.Clone(data), other...), -1)
	if len(found) == 0 {
		return data
	}
	return replaceOne(m, data, dictionary, string(pick(m, found)))
}

// brackets open and close what can be nested.
var brackets = [][2]string{{"(", ")"}, {"[", "]"}, {"{a = ", "}"}, {"module {", "}"}, {"tuple<", ">"}, {"#x<", ">"}, {
	"loc(fused[", "])"}, {"tensor<1x", ">"}, {"\"a.b\"() ({", "}) : () -> ()"}, {"module attributes {a.b = [", "]} {}"}}

// nest puts many brackets around a part. Some are not closed.
func nest(m *mutator, data, _ []byte) []byte {
	b, n := pick(m, brackets), pick(m, []int{2, 10, 100, 100, 1000})
	start, end := m.span(data, len(data))
	if m.IntN(2) == 0 {
		start, end = 0, len(data)
	}
	inner := strings.Repeat(b[0], n) + string(data[start:end]) + strings.Repeat(b[1], n-m.IntN(2))
	return splice(data, start, end, []byte(inner)...)
}
