package builder

import (
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/vmap"
)

// NotBatched is the axis of a leaf that is the same for all elements of a batch: None in in_axes of jax.vmap.
const NotBatched = vmap.NotBatched

// BatchOptions say which axes of the leaves of the argument and the result of a function are those of the batch, in the
// order of the leaves. Nil means the first axis of each. -1 is the last axis.
type BatchOptions struct {
	In, Out []int                // or NotBatched, of a result that does not depend on the batch
	Size    int                  // of the batch, which is needed only if nothing in the argument is batched
	Method  contract.BatchMethod // of callbacks that return values and state no method themselves
	// AxisName, which may be any name, makes the elements of the batch the replicas of the function: AllReduce between
	// all of them, and other collectives, become operations on the batch. ReplicaID is the number of the element.
	AxisName string
}

// Batch returns the function that computes f for each element of a batch, as jax.vmap. The leaves of its argument and
// of its result have one axis more than those of f. What f takes from outside is the same for all elements. Batch and
// the derivatives nest, in any order.
//
// f is called once for each call, while building. See package vmap for what becomes of its callbacks.
func Batch[T, R any](f func(T) R, o BatchOptions) func(T) R {
	return func(x T) (y R) {
		s, values := argument("batch", x, f == nil)
		in, size := s.batchOf(values, o)
		if y = structure(&s, f, x); !s.ok {
			return y
		}
		elements := typesOf(values)
		for i, axis := range in {
			if axis != NotBatched {
				dims := dimsOf(values[i])
				elements[i] = s.typed(values[i], slices.Delete(dims, axis, axis+1))
			}
		}
		s.batches = append(slices.Clone(s.f.scope.batches), size)
		t := s.trace(elements, nil, traceOf(f, x, &y))
		if !s.ok {
			return placeholders(s.f, y)
		}
		out := o.Out
		if out == nil {
			out = make([]int, t.results)
		} else if len(out) != t.results {
			s.fail("BatchOptions.Out has %d axes, and the result has %d values", len(out), t.results)
		}
		shared := slices.Repeat([]int{NotBatched}, len(t.effects)+len(t.captured))
		results := s.transformed(t, s.arguments(t, values), func(f mlir.Operation) (mlir.Operation, error) {
			return vmap.Batch(f, vmap.Options{
				Size: int64(size), Method: o.Method, AxisName: o.AxisName,
				In: slices.Concat(in, shared), Out: slices.Concat(out, shared[:len(t.effects)]),
			})
		})
		if !s.ok {
			return placeholders(s.f, y)
		}
		return rebuild(y, s.f.takeTokensOfCall(results, t.effects))
	}
}

// refine says what to do about dynamic dimensions.
const refine = "it has a dynamic dimension: make the shapes of the module static first, with stablehlo.Refine"

// batchOf returns the axes of the batch in the leaves of an argument, none of them negative, and its size.
func (s *step) batchOf(values []Value, o BatchOptions) (in []int, size int) {
	in, size = slices.Clone(o.In), o.Size
	if o.In == nil {
		in = make([]int, len(values))
	}
	if len(in) != len(values) {
		s.fail("BatchOptions.In has %d axes, and the argument has %d values", len(in), len(values))
	}
	for i, axis := range in {
		if !s.ok {
			return nil, 0
		}
		if axis == NotBatched {
			continue
		}
		in[i] = s.axis(axis, rankOf(values[i]))
		if !s.ok {
			return nil, 0
		}
		switch n := dimsOf(values[i])[in[i]]; {
		case n < 0:
			s.fail("value %d of the argument is %s: %s", i, values[i].describe(), refine)
		case size != 0 && n != size:
			s.fail("the batch has %d elements, and value %d of the argument has %d", size, i, n)
		default:
			size = n
		}
	}
	if size < 1 {
		s.fail("the batch has no elements: set BatchOptions.Size if nothing in the argument is batched")
	}
	return in, size
}
