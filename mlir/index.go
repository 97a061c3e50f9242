package mlir

import (
	"iter"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// An Index lists an operation and those in its regions, as they were when it was made.
type Index struct {
	ctx   *Context
	parts [][]Operation                    // of partLength, but for the last one
	named map[capi.MlirIdentifier]*[]int32 // the numbers of the operations, by name
}

const partLength = 1024

// Index lists o and all operations in its regions. Listing them takes a few calls of the library,
// so that finding operations by their names is faster than with All.
func (o Operation) Index() *Index {
	t := o.life.use("Operation.Index", o.raw.Ptr)
	c := o.life.ctx
	x := &Index{ctx: c, named: map[capi.MlirIdentifier]*[]int32{}}
	// A module has few names. This avoids most searches of the map.
	var recent [64]struct {
		name capi.MlirIdentifier
		of   *[]int32
	}
	var number int32
	for list := range capi.Descendants(t, o.raw, partLength) {
		part := make([]Operation, len(list))
		for i, each := range list {
			r := &recent[uintptr(each.Name.Ptr)>>4%uintptr(len(recent))]
			if r.name != each.Name {
				of, ok := x.named[each.Name]
				if !ok {
					of = new([]int32)
					x.named[each.Name] = of
				}
				r.name, r.of = each.Name, of
			}
			*r.of = append(*r.of, number)
			part[i] = c.operation(each.Operation)
			number++
		}
		x.parts = append(x.parts, part)
	}
	x.parts[0][0] = o
	return x
}

// All returns an iterator over the operations, with their numbers from 0, in the order of Walk.
// It leaves out those that were erased in the meantime.
func (x *Index) All() iter.Seq2[int, Operation] {
	return func(yield func(int, Operation) bool) {
		for n, part := range x.parts {
			for i, op := range part {
				if !op.erased() && !yield(n*partLength+i, op) {
					return
				}
			}
		}
	}
}

// Names returns an iterator over the full names of the operations, in no order.
func (x *Index) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range x.named {
			if !yield(x.ctx.text(name)) {
				return
			}
		}
	}
}

// Has reports whether there is an operation with one of the full names that was not erased in the meantime.
func (x *Index) Has(names ...string) bool {
	for range x.Named(names...) {
		return true
	}
	return false
}

// Named returns an iterator over the operations with one of the full names: in the order of the
// names and, for each, of Walk. It leaves out those that were erased in the meantime.
func (x *Index) Named(names ...string) iter.Seq[Operation] {
	return func(yield func(Operation) bool) {
		for _, name := range names {
			of, ok := x.named[x.ctx.identifier(name)]
			if !ok {
				continue
			}
			for _, i := range *of {
				op := x.parts[i/partLength][i%partLength]
				if !op.erased() && !yield(op) {
					return
				}
			}
		}
	}
}
