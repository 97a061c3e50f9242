package shardyform

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
)

// Bytecode returns a module as a library without the dialect reads it: with its attributes as texts, and its operations
// in the form that Generic gives them. It returns an error if something of the dialect has a form that is not known
// here, and bytecode that is damaged as it is, for the library to report.
func Bytecode(data []byte) ([]byte, error) {
	m := bytecode.Open(data)
	m.Read()
	m.Walk(bytecode.Visitor{Op: func(bytecode.Op) bool { return true }})
	if m.Damage != "" {
		return data, nil
	}
	d := decoder{m: m, names: map[string]int{}}
	texts := map[int][]byte{}
	for i, p := range m.Attributes {
		if p.Dialect == Dialect && p.Data != nil {
			texts[i] = append([]byte(d.whole(uint64(i))), 0)
		}
	}
	for i, text := range texts {
		m.Attributes[i] = bytecode.Part{Dialect: Dialect, Text: text}
	}
	made := m.Rewrite(Dialect, func(o bytecode.Op) *bytecode.Change {
		name, ok := strings.CutPrefix(o.Name, Dialect+".")
		if !ok {
			return nil
		}
		return &bytecode.Change{Attributes: d.dictionary(name, o), More: hasBody(name)}
	})
	return made, d.err
}

// Written returns what a library without the dialect wrote, without the extra regions of operations.
func Written(data []byte) []byte {
	m := bytecode.Open(data)
	if !slices.ContainsFunc(m.Names, HasExtraRegion) {
		return data
	}
	m.Read()
	return m.Rewrite(Dialect, func(o bytecode.Op) *bytecode.Change {
		if !HasExtraRegion(o.Name) {
			return nil
		}
		return &bytecode.Change{Attributes: o.Attributes, Less: true}
	})
}
