package fix

import (
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// A form is a module as the library prints it: in the forms of the dialects, or in the generic one.
type form struct {
	*source
	numbers map[mlir.Operation]int // of the operations of the module, from 1
	state   *mlir.AsmState         // has the names of its values
}

// formOf prints a module, which is valid. It returns false if the library cannot read the text again.
func formOf(m *mlir.Module, generic bool) (*form, bool) {
	o := mlir.PrintOptions{Generic: generic, LocalScope: true, AssumeVerified: true}
	f := &form{source: newSource(m.Context(), m.Operation().Print(o), nil), numbers: map[mlir.Operation]int{}}
	for op := range m.Operation().All() {
		f.numbers[op] = len(f.numbers) + 1
	}
	var err error
	f.state, err = m.Operation().NewAsmState(o)
	return f, err == nil && len(f.numbers) == len(f.byNumber)
}

func (f *form) close() {
	if f.state != nil {
		f.state.Close()
	}
}

// own returns the operation of the source that an operation of the module is printed as.
func (f *form) own(op mlir.Operation) mlir.Operation { return f.byNumber[f.numbers[op]-1] }

// A reading is the text of one operation in a form, without the statements in it.
type reading struct {
	parts  [][]item
	blocks []place
	values []map[string]mlir.Value // of the module, by their names, for each part
}

// read returns the text of an operation. It returns false if it has none of its own.
func (f *form) read(op mlir.Operation) (reading, bool) {
	parts, blocks, ok := f.parts(f.own(op))
	if !ok {
		return reading{}, false
	}
	r := reading{parts: parts, blocks: blocks}
	for i := range parts {
		values := map[string]mlir.Value{}
		add := func(v mlir.Value) {
			if name := f.state.Name(v); values[name].IsNil() {
				values[name] = v
			}
		}
		// The arguments of the block that follows have the names in this part.
		if i < len(blocks) {
			for _, v := range blocks[i].in(op).Arguments() {
				add(v)
			}
		}
		each(op, add)
		r.values = append(r.values, values)
	}
	return r, true
}

// each calls f for the operands and results of an operation and the arguments of its blocks.
func each(op mlir.Operation, f func(mlir.Value)) {
	for _, v := range op.Operands() {
		f(v)
	}
	for _, v := range op.Results() {
		f(v)
	}
	for _, region := range op.Regions() {
		for block := range region.Blocks() {
			for _, v := range block.Arguments() {
				f(v)
			}
		}
	}
}

// A place is that of a block in an operation.
type place struct{ region, block int }

func (p place) in(op mlir.Operation) mlir.Block {
	i := 0
	for block := range op.Region(p.region).Blocks() {
		if i == p.block {
			return block
		}
		i++
	}
	return mlir.Block{}
}

// An item is a token of a statement, or a use of a value: %x, or %x#1.
type item struct {
	start, end int // in the text
	value      bool
}

func (s *source) of(i item) string { return s.text[i.start:i.end] }

// items returns the items of some tokens, without those of locations.
func (s *source) items(first, last int) (items []item) {
	for i := first; i <= last; i++ {
		w, t := s.word(i), s.tokens[i]
		if s.isLocation(i) {
			if i = matching(s.text, s.tokens, i+1); i < 0 {
				break
			}
			continue
		}
		value := w[0] == '%'
		if value && i < last && s.word(i + 1)[0] == '#' && s.tokens[i+1].start == t.end {
			i++
			t.end = s.tokens[i].end
		}
		items = append(items, item{t.start, t.end, value})
	}
	return items
}

// isLocation reports whether the location of an operation or of an argument begins at a token.
func (s *source) isLocation(i int) bool {
	return s.word(i) == "loc" && s.word(i+1) == "(" && !strings.Contains("=,[(<", s.word(i-1))
}

// parts returns the items of the statement of an operation, from its name: those before, between and
// after the blocks that have statements, and the places of these blocks.
func (s *source) parts(op mlir.Operation) (parts [][]item, blocks []place, ok bool) {
	of, ok := s.statement(op)
	if !ok {
		return nil, nil, false
	}
	from := of.name
	for i, region := range op.Regions() {
		at := place{i, 0}
		for block := range region.Blocks() {
			if first, last, ok := s.inside(block); ok {
				parts, blocks = append(parts, s.items(from, first.first-1)), append(blocks, at)
				from = last.last + 1
			}
			at.block++
		}
	}
	return append(parts, s.items(from, of.last)), blocks, true
}

// inside returns the first and the last statement of a block.
func (s *source) inside(block mlir.Block) (first, last statement, ok bool) {
	var end mlir.Operation
	for op := range block.Operations() {
		if _, has := s.names[op]; !has {
			continue
		}
		if !ok {
			first, ok = s.statement(op)
		}
		end = op
	}
	if ok {
		last, _ = s.statement(end)
	}
	return first, last, ok
}
