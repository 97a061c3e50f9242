package execution

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// A MemRefResult is the variable for a result of Invoke that is a memref with a rank. Invoke checks that T is the type
// of its elements. The caller must close it. It must be used by one goroutine at a time.
type MemRefResult[T Element] struct {
	words []uintptr // two addresses, the offset, the sizes and the strides
	given bool      // the memory is an argument's
}

// A memRefResult is a *MemRefResult.
type memRefResult interface {
	element() reflect.Type
	set(words reflect.Value, arguments []reflect.Value)
}

const memRefHeader = 3 // two addresses and the offset

// globalMemory is what the library gives as the allocated memory of a global.
const globalMemory = 0xdeadbeef

// memRefWords returns a variable for a memref that a function returns.
func memRefWords(rank int) reflect.Value {
	return reflect.New(reflect.ArrayOf(memRefHeader+2*rank, reflect.TypeFor[uintptr]()))
}

func (r *MemRefResult[T]) element() reflect.Type { return reflect.TypeFor[T]() }

// set sets what a function returned for these arguments.
func (r *MemRefResult[T]) set(words reflect.Value, arguments []reflect.Value) {
	r.words = words.Elem().Slice(0, words.Elem().Len()).Interface().([]uintptr)
	r.given = slices.ContainsFunc(arguments, func(v reflect.Value) bool {
		return v.Kind() == reflect.Pointer && v.Pointer() == r.words[0]
	})
}

// Sizes returns the sizes of the memref's dimensions.
func (r *MemRefResult[T]) Sizes() []int64 {
	var sizes []int64
	for _, word := range r.open("Sizes")[memRefHeader:][:r.rank()] {
		sizes = append(sizes, int64(word))
	}
	return sizes
}

// Values returns a copy of the elements in row-major order.
func (r *MemRefResult[T]) Values() []T {
	words := r.open("Values")
	rank := r.rank()
	sizes, strides := words[memRefHeader:][:rank], words[memRefHeader+rank:]
	if slices.Contains(sizes, 0) {
		return nil
	}
	var values []T
	at := make([]uintptr, rank)
	for i := words[2]; ; {
		address := words[1] + i*unsafe.Sizeof(*new(T)) // wraps around as negative strides do
		values = append(values, **(**T)(unsafe.Pointer(&address)))
		dim := rank - 1
		for ; dim >= 0; dim-- {
			at[dim]++
			i += strides[dim]
			if at[dim] < sizes[dim] {
				break
			}
			i -= at[dim] * strides[dim]
			at[dim] = 0
		}
		if dim < 0 {
			return values
		}
	}
}

// Close frees the memory with C's free, as memref.dealloc does. It leaves the memory of a global, and that of an
// argument which the function returns from its beginning: other memory that the function did not allocate must not be
// closed. A second call does nothing. The error is always nil.
func (r *MemRefResult[T]) Close() error {
	if len(r.words) > 0 && r.words[0] != globalMemory && !r.given {
		capi.Free(*(*unsafe.Pointer)(unsafe.Pointer(&r.words[0])))
	}
	r.words = nil
	return nil
}

func (r *MemRefResult[T]) rank() int { return (len(r.words) - memRefHeader) / 2 }

func (r *MemRefResult[T]) open(method string) []uintptr {
	if len(r.words) == 0 {
		panic("execution: MemRefResult." + method +
			" called without a result: call Invoke first, and look at its error")
	}
	return r.words
}

// memRefRank returns the rank if t is what a function returns for a memref with a rank.
func (t machineType) memRefRank() (rank int, err error) {
	wrong := fmt.Errorf("it is not a memref with a rank: to return an unranked one, cast it first")
	if t.kind != layoutStruct || len(t.parts) != memRefHeader && len(t.parts) != memRefHeader+2 {
		return 0, wrong
	}
	for i, kind := range []layoutKind{layoutPointer, layoutPointer, layoutInt} {
		if t.parts[i].kind != kind {
			return 0, wrong
		}
	}
	for _, part := range t.parts[memRefHeader:] {
		if part.kind != layoutArray {
			return 0, wrong
		}
		rank = part.length
	}
	return rank, nil
}
