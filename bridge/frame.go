package bridge

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/c"
	"github.com/calliope-mlir/calliope/tensor"
)

// read makes views of what stands in XLA's call frame. Nothing is copied, but
// values of sub-byte types, and passed-through ones that XLA gave a new place. A
// frame that makes no sense is an error.
func (f *frame) read(call *c.Call, s *site) error {
	operands, returns := call.Args(), call.Results()
	args, results := operands.Len(), returns.Len()
	if args < s.ids+s.tokens {
		return fmt.Errorf("bridge: callback %s has %d operands, and says that its last are %d ids and %d tokens", s.name, args, s.ids, s.tokens)
	}
	if n := args + results; len(f.views) != n {
		f.views = make([]tensor.View, n)
	}
	f.packed = f.packed[:0]
	in, out := f.views[:args], f.views[args:]
	for i := range in {
		if _, err := setView(&in[i], operands.At(i)); err != nil {
			return fmt.Errorf("bridge: callback %s: operand %d: %w", s.name, i, err)
		}
	}
	data := args - s.ids - s.tokens
	f.call.Device = call.Device()
	f.call.RunID = call.RunID()
	f.call.Args = in[:data]
	f.call.IDs = in[data : data+s.ids]
	if s.form == formPassthrough && aliased(operands, returns) {
		f.call.Results = in[:data]
		return nil
	}
	for i := range out {
		b := returns.At(i)
		bits, err := setView(&out[i], b)
		if err != nil {
			return fmt.Errorf("bridge: callback %s: result %d: %w", s.name, i, err)
		}
		if bits != 0 {
			size := packedSize(len(out[i].Data), bits)
			f.packed = append(f.packed, packed{&out[i], unsafe.Slice((*byte)(b.Data()), size), bits})
		}
	}
	tokens := out
	switch s.form {
	case formPassthrough:
		f.call.Results = out[:min(data, results)]
		return pass(in, out)
	case formObserve:
		f.call.Results = nil
	default:
		// An ordered call has its tokens behind its results, too.
		if results < s.tokens {
			return fmt.Errorf("bridge: callback %s has %d results, fewer than its %d tokens", s.name, results, s.tokens)
		}
		f.call.Results, tokens = out[:results-s.tokens], out[results-s.tokens:]
	}
	for _, token := range tokens {
		clear(token.Data)
	}
	return nil
}

// aliased says whether each result is its operand: XLA honoured the contract's
// aliases, and the views of the operands will do.
func aliased(operands, results *c.Buffers) bool {
	if operands.Len() != results.Len() {
		return false
	}
	for i := range operands.Len() {
		// The operands were read already.
		a, b := operands.At(i), results.At(i)
		if b == nil || a.Data() != b.Data() || a.DType() != b.DType() || ffiTypes[a.DType()].bits != 0 {
			return false
		}
		from, _ := a.Dims()
		to, ok := b.Dims()
		if !ok || !slices.Equal(from, to) {
			return false
		}
	}
	return true
}

// pass makes results of operands, and lets the operands be seen where the results
// are. With the aliases of the contract they are the same memory already.
func pass(in, out []tensor.View) error {
	if len(in) != len(out) {
		return fmt.Errorf("bridge: a passthrough callback has %d operands and %d results; it needs one result for each operand", len(in), len(out))
	}
	for i := range in {
		from, to := in[i].Data, out[i].Data
		if len(from) != len(to) {
			return fmt.Errorf("bridge: a passthrough callback has the operand %s and the result %s; they must be of one type", in[i].Shape, out[i].Shape)
		}
		if unsafe.SliceData(from) != unsafe.SliceData(to) {
			copy(to, from)
			in[i].Data = to
		}
	}
	return nil
}

// clearResults zeroes what a function that is not called, or failed, would have
// written. What passes through stays as it is: it is computed already.
func (f *frame) clearResults(s *site) {
	if s.form == formPassthrough {
		return
	}
	for _, v := range f.call.Results {
		clear(v.Data)
	}
}

// setView makes v a view of b, in place, and says how many bits an element has in
// XLA's memory where it is packed.
func setView(v *tensor.View, b *c.Buffer) (packed uint, err error) {
	if b == nil {
		return 0, errors.New("it is not a buffer")
	}
	var e element
	if n := uint32(b.DType()); n < uint32(len(ffiTypes)) {
		e = ffiTypes[n]
	}
	if e.size == 0 {
		return 0, fmt.Errorf("its element type has the number %d, which is not known here", b.DType())
	}
	dims, ok := b.Dims()
	if !ok {
		return 0, errors.New("its rank makes no sense")
	}
	n := uint64(e.size)
	for _, d := range dims {
		high, low := bits.Mul64(n, uint64(d))
		if d < 0 || high != 0 || low>>62 != 0 {
			return 0, fmt.Errorf("its dimensions %v make no sense", dims)
		}
		n = low
	}
	if b.Data() == nil && n > 0 {
		return 0, errors.New("it has no memory")
	}
	v.Shape.DType = e.dtype
	v.Shape.Dims = dims
	if e.bits != 0 {
		v.Data = unpack(e.dtype, b.Data(), int(n), uint(e.bits))
	} else {
		v.Data = unsafe.Slice((*byte)(b.Data()), int(n))
	}
	return uint(e.bits), nil
}
