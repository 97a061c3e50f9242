package ods

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// A Reader reads the parts of an operation. If a part is missing or does not match the
// operation's definition, OK returns false.
type Reader struct {
	op                mlir.Operation
	operands, results []int // the lengths that are not read yet
	operand, result   int   // the next ones
	region, successor int
	properties        []mlir.NamedAttribute // nil if not read yet
	ok                bool
}

// Read returns a Reader of an operation, or nil if it has another name. The letters of
// operands and results stand for one part each: 1 is a single, ? an optional, * a variadic one.
// Before one there may be: + if only libraries after LLVM 22 have the part, - if only libraries
// up to LLVM 22 have it. After them there may be: = if the lengths are equal, s if an attribute
// has the lengths, S if that is so only in libraries after LLVM 22.
func Read(op mlir.Operation, name, operands, results string) *Reader {
	if op.IsNil() || op.Name() != name {
		return nil
	}
	r := &Reader{op: op, ok: true}
	r.operands = r.lengths(operands, op.NumOperands(), "operandSegmentSizes")
	r.results = r.lengths(results, op.NumResults(), "resultSegmentSizes")
	return r
}

// lengths returns the length of each part of n operands or results.
func (r *Reader) lengths(parts string, n int, attribute string) []int {
	parts, segments := strings.CutSuffix(parts, "s")
	if rest, ok := strings.CutSuffix(parts, "S"); ok {
		parts, segments = rest, isNewer(r.op.Context())
	}
	parts, equal := strings.CutSuffix(parts, "=")
	parts, missing := r.present(parts)
	lengths := r.presentLengths(parts, segments, equal, n, attribute)
	for _, at := range missing {
		if r.ok {
			lengths = slices.Insert(lengths, at, 0)
		}
	}
	return lengths
}

// present returns the letters of the parts that the library has, and the positions of the others.
func (r *Reader) present(parts string) (present string, missing []int) {
	if !strings.ContainsAny(parts, "+-") {
		return parts, nil
	}
	newer := isNewer(r.op.Context())
	at := 0
	lacks := false
	for _, letter := range parts {
		switch letter {
		case '+', '-':
			lacks = (letter == '+') != newer
			continue
		}
		if lacks {
			missing = append(missing, at)
		} else {
			present += string(letter)
		}
		at++
		lacks = false
	}
	return present, missing
}

// presentLengths does so for the parts that the library has.
func (r *Reader) presentLengths(parts string, segments, equal bool, n int, attribute string) []int {
	lengths := make([]int, len(parts))
	single := strings.Count(parts, "1")
	rest, more := n-single, len(parts)-single
	switch {
	case segments:
		a, _ := r.op.Attribute(attribute)
		sizes, ok := readIntegers[int32](a)
		if !ok || len(sizes) != len(parts) {
			r.ok = false
			return nil
		}
		sum := 0
		for i, size := range sizes {
			sum += int(size)
			lengths[i] = int(size)
			r.ok = r.ok && size >= 0 && (parts[i] == '*' || size < 2) && (parts[i] != '1' || size == 1)
		}
		r.ok = r.ok && sum == n
		return lengths
	case more > 1 && equal:
		r.ok = r.ok && rest >= 0 && rest%more == 0
		rest /= more
	case more > 1, more == 0 && rest != 0, rest < 0:
		r.ok = false
	}
	for i, part := range parts {
		lengths[i] = 1
		if part != '1' {
			lengths[i] = rest
			r.ok = r.ok && (part == '*' || rest < 2)
		}
	}
	return lengths
}

// OK reports whether all parts that were read exist and match the definition.
func (r *Reader) OK() bool { return r.ok }

// Operand returns the next operand, or nil if it is optional and missing.
func (r *Reader) Operand() mlir.Value {
	if values := r.Operands(); len(values) > 0 {
		return values[0]
	}
	return mlir.Value{}
}

// Operands returns the operands of the next variadic one.
func (r *Reader) Operands() (values []mlir.Value) {
	if !r.ok {
		return nil
	}
	n := r.operands[0]
	r.operands = r.operands[1:]
	for range n {
		values = append(values, r.op.Operand(r.operand))
		r.operand++
	}
	return values
}

// Nested returns the lists of the next variadic operand. The named attribute has their
// lengths.
func (r *Reader) Nested(lengths string) (lists [][]mlir.Value) {
	all := r.Operands()
	a, _ := r.op.Attribute(lengths)
	sizes, ok := readIntegers[int32](a)
	r.ok = r.ok && ok
	for _, n := range sizes {
		if n < 0 || int(n) > len(all) {
			r.ok = false
			return nil
		}
		lists, all = append(lists, all[:n:n]), all[n:]
	}
	r.ok = r.ok && len(all) == 0
	return lists
}

// Result returns the type of the next result, or nil if it is optional and missing.
func (r *Reader) Result() mlir.Type {
	if types := r.Results(); len(types) > 0 {
		return types[0]
	}
	return mlir.Type{}
}

// Results returns the types of the next variadic result.
func (r *Reader) Results() (types []mlir.Type) {
	if !r.ok {
		return nil
	}
	n := r.results[0]
	r.results = r.results[1:]
	for range n {
		types = append(types, r.op.Result(r.result).Type())
		r.result++
	}
	return types
}

// Region returns the next region.
func (r *Reader) Region() mlir.Region {
	if r.region >= r.op.NumRegions() {
		r.ok = false
		return mlir.Region{}
	}
	r.region++
	return r.op.Region(r.region - 1)
}

// Regions returns the remaining regions.
func (r *Reader) Regions() (regions []mlir.Region) {
	for r.region < r.op.NumRegions() {
		regions = append(regions, r.Region())
	}
	return regions
}

// Successor returns the next successor.
func (r *Reader) Successor() mlir.Block {
	if r.successor >= r.op.NumSuccessors() {
		r.ok = false
		return mlir.Block{}
	}
	r.successor++
	return r.op.Successor(r.successor - 1)
}

// Successors returns the remaining successors.
func (r *Reader) Successors() (blocks []mlir.Block) {
	for r.successor < r.op.NumSuccessors() {
		blocks = append(blocks, r.Successor())
	}
	return blocks
}
