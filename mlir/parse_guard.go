package mlir

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/internal/lazyregexp"
)

// The parser verifies what it reads, and some verifiers crash. parseGuard finds in text and in
// bytecode what would crash them:
//
//  1. The verifier of stablehlo.all_to_all divides by the number of its replica groups. Its only
//     form is the generic one.
//  2. The verifiers of chlo.broadcast_… index with the broadcast dimensions.
//  3. The verifiers of collective operations look at each number of their groups: see group_guard.go.
//  4. The parser of the dimension numbers of a convolution allocates as many as the largest says, and printing
//     them may abort: see conv_guard.go.
//  5. The verifier of stablehlo.custom_call reads a result for each alias of an operand, also if there is none.
//  6. The parser of arrays of booleans of some libraries crashes on a negative number, which no library takes.
//  7. The reader of bytecode trusts what it reads: see bytecode_forms.go and bytecode_vhlo.go.
//  8. Verifiers trust what is around an operation, or at its end: see nest_guard.go.
//  9. The verifier of linalg.transpose never comes back from one without a dimension, in all libraries.
var (
	allToAll      = []byte(`"stablehlo.all_to_all"`)
	attributeList = lazyregexp.New(`^"stablehlo\.all_to_all"\s*\([^()"]*\)\s*<?`)
	closing       = lazyregexp.New(`^>?\s*`)
	replicaGroups = lazyregexp.New(`[{,]\s*replica_groups\s*=\s*(?:` + noElements + `|(#[A-Za-z_][\w$.]*))`)
	emptyAlias    = lazyregexp.New(`([#!][A-Za-z_][\w$.]*)\s*=\s*(?:` + noElements + `|tensor<\s*0\s*x)`)

	negativeBroadcast = lazyregexp.New(`broadcast_dimensions"?\s*=\s*(?:` + negatives + `|(#[A-Za-z_][\w$.]*))`)
	negativeAlias     = lazyregexp.New(`(#[A-Za-z_][\w$.]*)\s*=\s*` + negatives)

	aliases   = lazyregexp.New(`output_operand_aliases"?\s*=\s*(?:\[\s*#|(#[A-Za-z_][\w$.]*))`)
	emptyList = lazyregexp.New(`(#[A-Za-z_][\w$.]*)\s*=\s*\[\s*\]`)

	noPermutation   = lazyregexp.New(`permutation"?\s*=\s*(?:\[\s*\]|array\s*<\s*i64\s*>)`)
	negativeBoolean = lazyregexp.New(`array\s*<\s*i1\s*:[\s\w,]*-`)

	largeDimension = lazyregexp.New(`\[[\s,?0-9bfio]*[bfio][\s,?0-9bfio]*\d{5}[\d\s,?bfio]*\]|\[[\s,?0-9]*\d{5}[\s,?0-9]*[bfio][\d\s,?bfio]*\]`)
)

const negatives = `array\s*<\s*i64\s*:[^>]*-\d`

const noElements = `dense\s*<[^>]*>\s*:\s*(?:tensor<\s*0\s*x|(![A-Za-z_][\w$.]*))`

const (
	noGroups      = "'stablehlo.all_to_all' op has no replica groups: the library would crash on it"
	negativeDims  = "a chlo.broadcast_ op has negative broadcast dimensions: the library would crash on it"
	noResult      = "'stablehlo.custom_call' op has output_operand_aliases and no results: the library would crash on it"
	tooLargeDims  = "a dimension number has more than 4 digits: the library would crash on it"
	negativeBool  = "an array of i1 has a negative number: the library would crash on it"
	noDimensions  = "the permutation of a linalg.transpose is empty: the library would hang on it"
	chloBroadcast = "chlo.broadcast_"
)

// A groupSearch searches a text for all_to_all without replica groups.
type groupSearch struct {
	data    []byte
	aliases map[string]bool // of attributes without elements; nil if not searched yet
}

// parseGuard returns an error if the library would crash on what Parse is given.
func parseGuard(name string, data []byte) error {
	if name == "" {
		name = unnamed
	}
	at, wrong := 0, ""
	if IsBytecode(data) {
		wrong = bytecodeGuard(data)
	} else {
		at, wrong = textGuard(data)
	}
	if wrong == "" {
		return nil
	}
	return &DiagnosticError{Op: "parse",
		Diagnostics: []Diagnostic{{Position: positionIn(name, data, at), Message: wrong}}}
}

// positionIn returns the position of an offset in a text. That in bytecode has no line.
func positionIn(name string, data []byte, at int) Position {
	if IsBytecode(data) {
		return Position{File: name}
	}
	line := data[bytes.LastIndexByte(data[:at], '\n')+1 : at]
	return Position{name, 1 + bytes.Count(data[:at], []byte{'\n'}), 1 + len(line)}
}

// textGuard returns what is wrong with a text, and where.
func textGuard(data []byte) (at int, wrong string) {
	if index(data, "]x[") >= 0 {
		if i := largeDimension().FindIndex(data); i != nil {
			return i[0], tooLargeDims
		}
	}
	if bytes.Contains(data, []byte("i1")) && bytes.Contains(data, []byte("array")) {
		if i := negativeBoolean().FindIndex(data); i != nil {
			return i[0], negativeBool
		}
	}
	if bytes.Contains(data, []byte("linalg.transpose")) {
		if i := noPermutation().FindIndex(data); i != nil {
			return i[0], noDimensions
		}
	}
	if i := wrongRawNumbers(data); i >= 0 {
		return i, wrongDims
	}
	if bytes.Contains(data, []byte(chloBroadcast)) {
		if at := negativeDimension(data); at >= 0 {
			return at, negativeDims
		}
	}
	if i := aliasOfNoResult(data); i >= 0 {
		return i, noResult
	}
	if i := largeGroups(data); i >= 0 {
		return i, tooManyGroups
	}
	s := groupSearch{data: data}
	for ; ; at += len(allToAll) {
		next := bytes.Index(data[at:], allToAll)
		if next < 0 {
			return 0, ""
		}
		at += next
		before := data[max(0, at-maxSearched):at]
		line := before[bytes.LastIndexByte(before, '\n')+1:]
		if !bytes.Contains(line, []byte("//")) && s.emptyGroups(data[at:min(len(data), at+maxSearched)]) {
			return at, noGroups
		}
	}
}

// negativeDimension returns the position of broadcast dimensions in a text one of which is negative, or -1.
func negativeDimension(data []byte) int {
	var aliases map[string]bool // of negative numbers
	for _, m := range negativeBroadcast().FindAllSubmatchIndex(data, -1) {
		if m[2] < 0 {
			return m[0]
		}
		if aliases == nil {
			aliases = map[string]bool{}
			for _, a := range negativeAlias().FindAllSubmatch(data, -1) {
				aliases[string(a[1])] = true
			}
		}
		if aliases[string(data[m[2]:m[3]])] {
			return m[0]
		}
	}
	return -1
}

// aliasOfNoResult returns the position of the aliases in a text of a call without results, or -1.
func aliasOfNoResult(data []byte) int {
	if !bytes.Contains(data, []byte("_operand_aliases")) {
		return -1
	}
	empty := sync.OnceValue(func() map[string]bool { // names of lists without elements
		names := map[string]bool{}
		for _, m := range emptyList().FindAllSubmatch(data, -1) {
			names[string(m[1])] = true
		}
		return names
	})
	for _, m := range aliases().FindAllSubmatchIndex(data, -1) {
		line := data[bytes.LastIndexByte(data[:m[0]], '\n')+1 : m[0]]
		rest, types, _ := bytes.Cut(data[m[1]:min(len(data), m[1]+maxSearched)], []byte("->"))
		types = bytes.TrimLeft(types, " \t\r\n")
		if bytes.HasPrefix(types, []byte("()")) && !bytes.ContainsRune(rest, '%') &&
			!bytes.Contains(line, []byte("//")) && (m[2] < 0 || !empty()[string(data[m[2]:m[3]])]) {
			return m[0]
		}
	}
	return -1
}

// guarded are texts of which bytecode has one if it has operations that bytecodeGuard looks at. One search for each is
// many times faster than a regular expression.
var guarded = []string{"all_to_all", "all_gather", "all_reduce", "collective_", "reduce_scatter", "convolution",
	"custom_call", "broadcast_dimensions", "chlo\x00"}

// bytecodeGuard returns what is wrong with bytecode.
func bytecodeGuard(data []byte) (wrong string) {
	m := readBytecode(data)
	if m.lying {
		return lyingCount
	}
	if wrong := m.damaged(); wrong != "" {
		return wrong
	}
	isGuarded := slices.ContainsFunc(guarded, func(text string) bool { return bytes.Contains(data, []byte(text)) })
	if isGuarded && m.wrongNumbers() {
		return wrongDims
	}
	m.visit = func(op bytecodeOp) {
		if m.hasOtherKind(op) {
			wrong = otherKind
		}
		if !isGuarded {
			return
		}
		name := collective(op.name)
		groups, ok := groupsOf[name]
		switch {
		case ok:
			i, ok := m.attribute(op, groups.name, groups.position, false)
			dims := m.shape(i)
			switch {
			case !ok:
			case name == "all_to_all" && len(dims) > 0 && dims[0] == 0:
				wrong = noGroups
			case manyElements(dims):
				wrong = tooManyGroups
			}
		case name == "custom_call":
			i, ok := m.attribute(op, "output_operand_aliases", 6, !strings.HasPrefix(op.name, "vhlo."))
			list, isList := content(m.attributes, i, codeList)
			if ok && isList && op.results == 0 && list.number() > 0 {
				wrong = noResult
			}
		case strings.HasPrefix(op.name, chloBroadcast):
			i, ok := m.attribute(op, "broadcast_dimensions", 0, true)
			if ok && slices.ContainsFunc(m.elements(i), func(d int64) bool { return d < 0 }) {
				wrong = negativeDims
			}
		}
	}
	if m.ir.arguments() {
		return topArguments
	}
	if m.walk(); m.lying {
		return lyingCount
	}
	return wrong
}

// maxSearched limits how much is searched around each operation, so that the time is linear.
const maxSearched = 1 << 12

// emptyGroups reports whether the all_to_all at the start of a text has no replica groups.
func (s *groupSearch) emptyGroups(text []byte) bool {
	for i := attributeList().FindIndex(text); i != nil; i = closing().FindIndex(text) {
		text = text[i[1]:]
		list, n := dictionary(text)
		if n == 0 {
			return false
		}
		if m := replicaGroups().FindSubmatch(list); m != nil {
			return len(m[1])+len(m[2]) == 0 || s.isEmpty(string(m[1])) || s.isEmpty(string(m[2]))
		}
		text = text[n:]
	}
	return false
}

// isEmpty reports whether an alias is of an attribute without elements.
func (s *groupSearch) isEmpty(alias string) bool {
	if s.aliases == nil {
		s.aliases = map[string]bool{}
		for _, m := range emptyAlias().FindAllSubmatch(s.data, -1) {
			// The type may be an alias that stands before.
			s.aliases[string(m[1])] = len(m[2]) == 0 || s.aliases[string(m[2])]
		}
	}
	return s.aliases[alias]
}

// dictionary returns the dictionary at the start of a text without its strings, except for
// the name of the replica groups in quotes, and its length, or 0 if there is none.
func dictionary(text []byte) (list []byte, length int) {
	if len(text) == 0 || text[0] != '{' {
		return nil, 0
	}
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			depth--
		case '"':
			from := i + 1
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if inside := text[from:min(i, len(text))]; string(inside) == "replica_groups" {
				list = append(list, inside...)
			}
			continue
		}
		list = append(list, text[i])
		if depth == 0 {
			return list, i + 1
		}
	}
	return nil, 0
}
