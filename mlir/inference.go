package mlir

import (
	_ "embed" // for upstreamInference
	"fmt"
	"strings"
	"sync"
)

// upstreamInference has a line for each operation of upstream dialects that infers its
// result types: its name, the conditions on its operands, what its regions are, and the
// required attributes, separated by "|".
//
//go:embed gen_inference.txt
var upstreamInference string

// upstreamInferences returns the table of upstreamInference by name.
var upstreamInferences = sync.OnceValue(func() map[string]string {
	table := map[string]string{}
	for line := range strings.Lines(upstreamInference) {
		name, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), "|")
		table[name] = rest
	}
	return table
})

// inferenceOf returns what the inference of an operation reads, from a call of AllowInference
// or for an operation of an upstream dialect.
func inferenceOf(name string) (*Inference, bool) {
	if known, ok := inference.Load(name); ok {
		return known.(*Inference), true
	}
	line, ok := upstreamInferences()[name]
	if !ok {
		return nil, false
	}
	i := upstream(name, line)
	known, _ := inference.LoadOrStore(name, i)
	return known.(*Inference), true
}

// upstream reads a line of upstreamInference without the name.
func upstream(name, line string) *Inference {
	f := strings.Split(line, "|")
	i := &Inference{Attributes: strings.Fields(f[2])}
	for range strings.Count(f[1], "1") {
		i.Regions++
	}
	i.VariadicRegions = strings.Contains(f[1], "*")
	var conditions []typeCondition
	guarded := false
	for _, operand := range strings.Fields(f[0]) {
		text, more := strings.CutSuffix(operand, "*")
		if more {
			i.Variadic = true
		} else {
			i.Operands++
		}
		condition := parseCondition(text)
		condition.many = more
		guarded = guarded || condition.what != "any"
		conditions = append(conditions, condition)
	}
	if guarded {
		i.Check = func(s OperationState) error {
			for n, v := range s.Operands {
				c := conditionOf(conditions, n, len(s.Operands), i)
				if t := v.Type(); !c.holds(t) {
					return fmt.Errorf("mlir: operand %d of %s must be %s, not %s", n, name, c, t)
				}
			}
			return nil
		}
	}
	return i
}

// conditionOf returns the condition on operand n of several. If the variadic operands cannot
// be located, there is none.
func conditionOf(conditions []typeCondition, n, of int, i *Inference) typeCondition {
	if !i.Variadic {
		return conditions[n]
	}
	variadic := len(conditions) - i.Operands
	at := 0
	for at < len(conditions) && !conditions[at].many {
		at++
	}
	switch {
	case n < at:
		return conditions[n]
	case variadic > 1:
		return typeCondition{what: "any"}
	case n < at+of-i.Operands:
		return conditions[at]
	}
	return conditions[n-(of-i.Operands)+1]
}
