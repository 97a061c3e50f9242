// Package legacycall has what XLA's custom calls before its typed FFI pass to functions of C: tuples of arrays in one
// another, by signatures of their own.
package legacycall

import (
	"fmt"
	"strings"
)

// Signatures returns the signatures in C of the functions f that serve a legacy custom call of an
// api_version from 0 to 3: the one of functions for hosts, and the one of functions for GPUs.
func Signatures(version int64) (host, gpu string) {
	const status = ", XlaCustomCallStatus* status)"
	host, gpu = "void f(void* out, const void** in",
		"void f(CUstream stream, void** buffers, const char* opaque, size_t opaque_len"
	switch {
	case version >= 3:
		return host + ", const char* opaque, size_t opaque_len" + status, gpu + status
	case version == 2:
		return host + status, gpu + status
	}
	return host + ")", gpu + ")"
}

// A Nest is the structure of a value of a legacy custom call: an array, or a tuple of Nests.
type Nest struct {
	Tuple    bool
	Elements []Nest // of a tuple
}

// Leaves returns the number of arrays in the value.
func (n Nest) Leaves() int {
	if !n.Tuple {
		return 1
	}
	sum := 0
	for _, e := range n.Elements {
		sum += e.Leaves()
	}
	return sum
}

// arrays returns the Nests of n arrays.
func arrays(n int) []Nest { return make([]Nest, n) }

// Tuples returns the key "legacy_tuples" of a legacy custom call. It is empty if all operands are
// arrays, and the result is one array, or a tuple of no array or of several arrays.
func Tuples(operands []Nest, result Nest) string {
	nested := result.Tuple && result.Leaves() == 1
	for _, n := range operands {
		nested = nested || n.Tuple
	}
	for _, n := range result.Elements {
		nested = nested || n.Tuple
	}
	if !nested {
		return ""
	}
	var b strings.Builder
	writeNests(&b, operands)
	b.WriteString("->")
	writeNests(&b, []Nest{result})
	return b.String()
}

func writeNests(b *strings.Builder, list []Nest) {
	for i, n := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		if !n.Tuple {
			b.WriteByte('.')
			continue
		}
		b.WriteByte('(')
		writeNests(b, n.Elements)
		b.WriteByte(')')
	}
}

// ParseTuples reads the key "legacy_tuples" of a call with as many data operands and results. It
// returns an error if the structure has other numbers of arrays.
func ParseTuples(text string, operands, results int) (in []Nest, out Nest, err error) {
	if text == "" {
		if results != 1 {
			out = Nest{Tuple: true, Elements: arrays(results)}
		}
		return arrays(operands), out, nil
	}
	if in, out, err = parseTuples(text); err != nil {
		return nil, Nest{}, err
	}
	have := Nest{Tuple: true, Elements: in}.Leaves()
	if have != operands || out.Leaves() != results {
		return nil, Nest{}, fmt.Errorf("contract: legacy_tuples %.200q has %d arrays in the operands and %d in the result, and the call has %d operands and %d results",
			text, have, out.Leaves(), operands, results)
	}
	return in, out, nil
}

// CheckTuples returns an error if a text is not of the form that Tuples writes.
func CheckTuples(text string) error {
	_, _, err := parseTuples(text)
	return err
}

// maxNesting is how deep tuples may be nested.
const maxNesting = 64

func parseTuples(text string) (in []Nest, out Nest, err error) {
	p := nestParser{rest: text}
	if !p.take("->") {
		in = p.list(maxNesting)
		p.want("->")
	}
	out = p.part(maxNesting)
	if p.bad || p.rest != "" {
		return nil, Nest{}, fmt.Errorf("contract: %.200q is no legacy_tuples at %.20q; write them like (.,(.,.),.)->(.,.), nested %d deep at most", text, p.rest, maxNesting)
	}
	return in, out, nil
}

type nestParser struct {
	rest string
	bad  bool
}

func (p *nestParser) take(token string) bool {
	rest, ok := strings.CutPrefix(p.rest, token)
	if ok && !p.bad {
		p.rest = rest
	}
	return ok && !p.bad
}

func (p *nestParser) want(token string) { p.bad = !p.take(token) || p.bad }

func (p *nestParser) list(depth int) []Nest {
	list := []Nest{p.part(depth)}
	for p.take(",") {
		list = append(list, p.part(depth))
	}
	return list
}

func (p *nestParser) part(depth int) Nest {
	if p.take(".") {
		return Nest{}
	}
	n := Nest{Tuple: true}
	if p.want("("); p.bad || depth == 0 {
		p.bad = true
		return n
	}
	if !p.take(")") {
		n.Elements = p.list(depth - 1)
		p.want(")")
	}
	return n
}
