package jit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/jit/internal/lower"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// alignment is that of each buffer in the arena, a cache line.
const alignment = 64

// A temporary is a buffer that lives from one operation of main's block to another, both included.
type temporary struct {
	alloc       mlir.Operation
	first, last int
	size        int
	offset      int
}

// planMemory gives each temporary a place in the arena, which becomes the last parameter of main. Temporaries share
// memory if no operation of main's block needs both.
func planMemory(m *mlir.Module, e *Executable) error {
	f, err := main(m)
	if err != nil {
		return err
	}
	if err := useStack(m, f); err != nil {
		return err
	}
	c, body := m.Context(), f.Region(0).First()
	list, err := temporaries(body)
	if err != nil {
		return err
	}
	if e.arena, err = pack(list); err != nil {
		return err
	}
	t, err := c.MemRefType(c.IntegerType(8, mlir.Signless), mlir.MemRefOptions{}, int64(e.arena))
	if err != nil {
		return err
	}
	arena := body.AddArgument(t, f.Location())
	if err := place(list, arena); err != nil {
		return err
	}
	in, _ := typesOf(f)
	setParameters(f, append(in, t))
	return nil
}

// place puts temporaries where pack has set.
func place(list []*temporary, memory mlir.Value) error {
	for _, one := range list {
		b := mlir.NewBuilder(mlir.Before(one.alloc), one.alloc.Location())
		at := memref.View(b, one.alloc.Result(0).Type(), memory, arith.ConstantIndex(b, int64(one.offset)))
		if b.Err() != nil {
			return b.Err()
		}
		one.alloc.Result(0).ReplaceAllUses(at)
		if err := one.alloc.Erase(); err != nil {
			return err
		}
	}
	return nil
}

// largestStack is how many bytes of temporaries a function has on the stack, at most.
const largestStack = 1 << 14

// useStack moves the temporaries of functions but main to the stack. These are comparators of sorts, whose temporaries
// are few elements. It refuses those that the stack of a thread may lack room for.
func useStack(m *mlir.Module, main mlir.Operation) error {
	for f := range m.Body().Operations() {
		if f.Name() != "func.func" || f.Equal(main) {
			continue
		}
		total := 0
		for op := range f.Index().Named("memref.alloc") {
			size, err := sizeOf(op.Result(0).Type())
			if total += min(size, largestStack+1); err == nil && total > largestStack {
				err = fmt.Errorf("the comparator of a sort needs more than %d bytes for its temporaries: "+
					"compute them before the sort", largestStack)
			}
			if err != nil {
				return fmt.Errorf("at %s: %w", op.Location().Position(), err)
			}
			b := mlir.NewBuilder(mlir.AtStart(f.Region(0).First()), op.Location())
			place := memref.AllocaOp{MemrefType: op.Result(0).Type()}.Create(b)
			if b.Err() != nil {
				return b.Err()
			}
			op.Result(0).ReplaceAllUses(place.Result(0))
			if err := op.Erase(); err != nil {
				return err
			}
		}
	}
	return nil
}

// temporaries returns the allocations in a block, which allocations of nested blocks take part of.
func temporaries(body mlir.Block) (list []*temporary, err error) {
	position := map[mlir.Operation]int{}
	var allocs []mlir.Operation
	n := 0
	for op := range body.Operations() {
		for inner := range op.All() {
			position[inner] = n
			if inner.Name() == "memref.alloc" || inner.Name() == "memref.alloca" {
				allocs = append(allocs, inner)
			}
		}
		n++
	}
	for _, op := range allocs {
		one := &temporary{alloc: op, first: position[op], last: position[op]}
		if one.size, err = sizeOf(op.Result(0).Type()); err != nil {
			return nil, fmt.Errorf("at %s: %w", op.Location().Position(), err)
		}
		seen := map[mlir.Value]bool{}
		if err := one.follow(op.Result(0), position, seen); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// addresses are the operations that compute the address of a buffer.
var addresses = []string{"arith.index_cast", "llvm.inttoptr", "memref.extract_aligned_pointer_as_index"}

// follow extends the life of a temporary to the uses of a value that is its memory, part of it, or its address.
func (t *temporary) follow(v mlir.Value, position map[mlir.Operation]int, seen map[mlir.Value]bool) error {
	if seen[v] {
		return nil
	}
	seen[v] = true
	for use := range v.Uses() {
		user := use.Owner
		t.last = max(t.last, position[user])
		for _, r := range user.Results() {
			if isBuffer(r.Type()) || slices.Contains(addresses, user.Name()) {
				if err := t.follow(r, position, seen); err != nil {
					return err
				}
			}
		}
		if user.Name() != "scf.yield" && user.Name() != "scf.condition" {
			continue
		}
		parent := user.Parent()
		if parent.Name() != "scf.if" && parent.Name() != "scf.index_switch" && parent.Encloses(t.alloc.Result(0)) {
			return fmt.Errorf("a buffer of one iteration of %s lives in the next one", parent.Name())
		}
		for _, r := range parent.Results() {
			if isBuffer(r.Type()) {
				if err := t.follow(r, position, seen); err != nil {
					return err
				}
			}
		}
		for _, region := range parent.Regions() {
			for block := range region.Blocks() {
				for _, a := range block.Arguments() {
					if isBuffer(a.Type()) {
						if err := t.follow(a, position, seen); err != nil {
							return err
						}
					}
				}
			}
		}
	}
	return nil
}

func isBuffer(t mlir.Type) bool { return t.Kind() == mlir.KindMemRef }

// sizeOf returns how many bytes a buffer takes.
func sizeOf(t mlir.Type) (int, error) {
	dims, ok := t.Dims()
	one, err := elementSize(t)
	if err == nil && (!ok || slices.Contains(dims, mlir.Dynamic) || !isWhole(t)) {
		err = fmt.Errorf("a temporary of the type %s has no known size", t)
	}
	if err != nil || slices.Contains(dims, 0) {
		return 0, err
	}
	for _, n := range dims {
		if n > int64(largestArray/one) {
			return 0, fmt.Errorf("a temporary of the type %s takes more than %d bytes, the most that is addressed",
				t, int64(largestArray))
		}
		one *= int(n)
	}
	return one, nil
}

// largestArray is how many bytes an array may take: what a process can address. The sum of several still fits an int.
const largestArray = stablehlo.LargestArray

// checkSizes refuses a module with an array that is too large for any memory. The sizes of those that later steps make
// would overflow.
func checkSizes(m *mlir.Module, _ *Executable) error {
	if e, ok := errors.AsType[*stablehlo.SizeError](stablehlo.CheckSizes(m)); ok {
		return lower.Refuse(e.Operation, e.Reason())
	}
	return nil
}

// elementSize returns how many bytes an element of a buffer takes.
func elementSize(t mlir.Type) (int, error) {
	elem, _ := t.Element()
	if elem.IsIndex() {
		return 8, nil
	}
	if kind, ok := elem.FloatKind(); ok {
		return (kind.Bits() + 7) / 8, nil
	}
	d, err := tensor.DTypeFromMLIR(elem.String())
	if err != nil {
		return 0, fmt.Errorf("a temporary has elements of the type %s", elem)
	}
	return d.Size(), nil
}

// pack sets the offsets so that temporaries that live at the same time do not overlap, the largest first, and returns
// the size of the arena.
func pack(list []*temporary) (total int, err error) {
	order := slices.Clone(list)
	slices.SortStableFunc(order, func(a, b *temporary) int { return cmp.Compare(b.size, a.size) })
	var placed []*temporary // by offset
	for _, t := range order {
		at := 0
		for _, p := range placed {
			if p.first > t.last || p.last < t.first {
				continue
			}
			if at+t.size <= p.offset {
				break
			}
			at = max(at, (p.offset+p.size+alignment-1)&^(alignment-1))
		}
		t.offset = at
		i, _ := slices.BinarySearchFunc(placed, t, func(a, b *temporary) int { return cmp.Compare(a.offset, b.offset) })
		placed = slices.Insert(placed, i, t)
		if total = max(total, at+t.size); total > largestArray {
			return 0, fmt.Errorf("its temporaries take more than %d bytes together, the most that is addressed",
				int64(largestArray))
		}
	}
	return total, nil
}
