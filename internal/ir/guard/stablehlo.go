package guard

import (
	"bytes"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
)

// stablehlo is also for MHLO, and for those operations of VHLO that become its own:
//
//  1. The verifier of stablehlo.all_to_all divides by the number of its replica groups. Its only form is the generic
//     one.
//  2. The verifiers of collective operations look at each number of their groups: see groups.go.
//  3. The parser of the dimension numbers of a convolution allocates as many as the largest says, and printing them may
//     abort: see convolution.go.
//  4. The verifier of stablehlo.custom_call reads a result for each alias of an operand, also if there is none.
var stablehlo = dialect{
	texts: []func([]byte) (int, string){largeNumber, wrongRawNumbers, aliasOfNoResult, largeGroups, emptyAllToAll},
	marks: []string{"all_to_all", "all_gather", "all_reduce", "collective_", "reduce_scatter", "convolution",
		"custom_call"},
	tables: (*module).wrongNumbers,
	op: func(m *module, op bytecode.Op) string {
		name := collective(op.Name)
		if groups, ok := groupsOf[name]; ok {
			i, ok := m.attribute(op, groups.name, groups.position, false)
			dims := m.shape(i)
			switch {
			case !ok:
			case name == "all_to_all" && len(dims) > 0 && dims[0] == 0:
				return noGroups
			case manyElements(dims):
				return tooManyGroups
			}
		}
		if name == "custom_call" && op.Results == 0 {
			i, ok := m.attribute(op, "output_operand_aliases", 6, !strings.HasPrefix(op.Name, "vhlo."))
			list, isList := content(m.Attributes, i, codeList)
			if ok && isList && list.Number() > 0 {
				return noResult
			}
		}
		return ""
	},
}

const (
	noGroups = "'stablehlo.all_to_all' op has no replica groups: the library would crash on it"
	noResult = "'stablehlo.custom_call' op has output_operand_aliases and no results: the library would crash on it"
)

var (
	allToAll      = []byte(`"stablehlo.all_to_all"`)
	attributeList = lazyregexp.New(`^"stablehlo\.all_to_all"\s*\([^()"]*\)\s*<?`)
	closing       = lazyregexp.New(`^>?\s*`)
	replicaGroups = lazyregexp.New(`[{,]\s*replica_groups\s*=\s*(?:` + noElements + `|(#[A-Za-z_][\w$.]*))`)
	emptyAlias    = lazyregexp.New(`([#!][A-Za-z_][\w$.]*)\s*=\s*(?:` + noElements + `|tensor<\s*0\s*x)`)

	aliases   = lazyregexp.New(`output_operand_aliases"?\s*=\s*(?:\[\s*#|(#[A-Za-z_][\w$.]*))`)
	emptyList = lazyregexp.New(`(#[A-Za-z_][\w$.]*)\s*=\s*\[\s*\]`)
)

const noElements = `dense\s*<[^>]*>\s*:\s*(?:tensor<\s*0\s*x|(![A-Za-z_][\w$.]*))`

// aliasOfNoResult looks for the aliases in a text of a call without results.
func aliasOfNoResult(data []byte) (at int, wrong string) {
	if !bytes.Contains(data, []byte("_operand_aliases")) {
		return 0, ""
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
			return m[0], noResult
		}
	}
	return 0, ""
}

// A groupSearch searches a text for all_to_all without replica groups.
type groupSearch struct {
	data    []byte
	aliases map[string]bool // of attributes without elements; nil if not searched yet
}

func emptyAllToAll(data []byte) (at int, wrong string) {
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
