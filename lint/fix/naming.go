package fix

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// A naming has the names of values in a text: of those of the module that was parsed, and of those of
// the module that it became.
type naming struct {
	of    map[mlir.Value]string
	lists map[mlir.Operation][]pack // the names before the = of an operation
	taken map[string]bool           // names without their numbers
}

// A pack is a name and the number of results that it stands for: %x:2.
type pack struct {
	name string
	size int
}

func (p pack) value(i int) string {
	if p.size == 1 {
		return p.name
	}
	return fmt.Sprintf("%s#%d", p.name, i)
}

// defined returns the text before the name of an operation.
func defined(packs []pack) string {
	var names []string
	for _, p := range packs {
		if p.size > 1 {
			p.name += fmt.Sprint(":", p.size)
		}
		names = append(names, p.name)
	}
	return strings.Join(names, ", ")
}

// packs reads the names before the = of a statement.
func (s *source) packs(of statement) (all []pack) {
	for i := of.first; i < of.name; i++ {
		switch w := s.word(i); {
		case w[0] == '%':
			all = append(all, pack{w, 1})
		case w == ":" && len(all) > 0:
			all[len(all)-1].size, _ = strconv.Atoi(s.word(i + 1))
		}
	}
	return all
}

// unnamed begins the names of values that have none in the text, which must not get into it.
const unnamed = "%?"

// name returns the name of a value.
func (n *naming) name(v mlir.Value) string {
	if name, ok := n.of[v]; ok {
		return name
	}
	return unnamed
}

// define sets the names of the results of an operation.
func (n *naming) define(op mlir.Operation, packs []pack) {
	n.lists[op] = packs
	at := 0
	for _, p := range packs {
		for i := range p.size {
			if at < op.NumResults() {
				n.of[op.Result(at)] = p.value(i)
			}
			at++
		}
	}
}

// redefine names the results of an operation as those of another one, in whose place it is, or which it was.
func (n *naming) redefine(op, before mlir.Operation, stays bool, model func(mlir.Value) string) {
	old := n.lists[before]
	switch size := op.NumResults(); {
	case size == 0:
		return
	case len(old) == 1 && (old[0].size > 1 || size == 1 && (stays || alike(op.Result(0), before.Result(0)))):
		n.define(op, []pack{{old[0].name, size}})
		return
	}
	var names []string
	for _, p := range old {
		if p.size > 1 { // a list with packs gets other names
			names = nil
			break
		}
		names = append(names, p.name)
	}
	var packs []pack
	values := op.ResultValues()
	invent := func(v mlir.Value) string { return n.fresh(model(v)) }
	for _, name := range n.assign(values, before.ResultValues(), names, invent) {
		packs = append(packs, pack{name, 1})
	}
	n.define(op, packs)
}

// assign returns the names of values that stand in the place of others, whose names are known. Each
// gets that of the next one of its type, or of one that is left and like it, or a new one.
func (n *naming) assign(values, before []mlir.Value, names []string, invent func(mlir.Value) string) []string {
	assigned := make([]string, len(values))
	used := make([]bool, len(names))
	at := 0
	for i, v := range values {
		for j := at; j < len(names); j++ {
			if before[j].Type().Equal(v.Type()) {
				assigned[i], used[j], at = names[j], true, j+1
				break
			}
		}
	}
	for i, v := range values {
		for j := range names {
			if assigned[i] == "" && !used[j] && alike(v, before[j]) {
				assigned[i], used[j] = names[j], true
			}
		}
		if assigned[i] == "" {
			assigned[i] = invent(v)
		}
	}
	return assigned
}

// alike reports whether a value may have the name of another one.
func alike(v, before mlir.Value) bool {
	return v.Type().Equal(before.Type()) || isToken(v) && isToken(before) ||
		v.Type().IsTuple() && before.Type().IsTuple()
}

// isToken reports whether a value is a token, of XLA or of a callback.
func isToken(v mlir.Value) bool {
	text := v.Type().String()
	return text == callbackToken || strings.HasSuffix(text, ".token")
}

const callbackToken = "tensor<1xi8>"

// spare is the end of a name that the library adds to make it another one.
var spare = regexp.MustCompile(`(_\d+)?(#\d+)?$`)

// fresh returns a name that is not in the text. The library's own name is its model, unless that is a number.
func (n *naming) fresh(model string) string {
	base := spare.ReplaceAllString(model, "")
	if base == "%" || '0' <= base[1] && base[1] <= '9' {
		base = "%v"
	}
	name := base
	for i := 0; n.taken[name]; i++ {
		name = fmt.Sprint(base, "_", i)
	}
	n.taken[name] = true
	return name
}
