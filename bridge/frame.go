package bridge

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/dispatch"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/ffi"
	"github.com/calliope-mlir/calliope/tensor"
)

// frame is what one call needs.
type frame struct {
	call   dispatch.Call
	views  []tensor.View // operands, then results
	packed []packed      // results to pack after the call

	// What the last call had, beside each of the views. XLA's shapes are static: a
	// call of the same site differs in its addresses only.
	layouts []layout
	args    int // of the layouts those of operands; -1 where the next call is to be read anew
	aliased []bool

	passed []tensor.View    // results of the passthrough form
	homes  []unsafe.Pointer // where the results are, where that is not XLA's memory
	lane   int              // of the slot; -1 for none

	// Of the call that it has:
	site    *site
	ffi     *ffi.Call // nil once XLA's thread is gone
	run     *Run      // nil where it is not known
	results int
	moved   *moved // in debug mode, where the function gets copies
}

// layout is the type of an operand or a result as it stands in a call frame.
type layout struct {
	number int32 // of the element type in XLA
	dtype  tensor.DType
	dims   []int
	bytes  int
}

func newFrame(s *site, lane int) *frame {
	f := &frame{args: -1, lane: lane, site: s}
	f.call.Init(s.name, s.config, lane, f)
	return f
}

// frameError is a call frame that makes no sense.
type frameError struct {
	callback string
	err      error
}

func (e *frameError) Error() string { return fmt.Sprintf("bridge: callback %s: %v", e.callback, e.err) }
func (e *frameError) Unwrap() error { return e.err }

// again makes views of a call that is like the last one of this frame, and is false
// where it is not: then read is to look.
func (f *frame) again(call *ffi.Call, s *site) bool {
	operands, returns := call.Args(), call.Results()
	args := operands.Len()
	if args != f.args || args+returns.Len() != len(f.layouts) {
		return false
	}
	for i := range args {
		if !f.layouts[i].view(&f.views[i], operands.At(i)) {
			return false
		}
	}
	if s.form == formPassthrough {
		// The last one was aliased.
		for i := range args {
			b := returns.At(i)
			if b == nil || unsafe.Pointer(unsafe.SliceData(f.views[i].Data)) != b.Data() || !f.layouts[i].same(b) {
				return false
			}
		}
	} else {
		for i := args; i < len(f.layouts); i++ {
			if !f.layouts[i].view(&f.views[i], returns.At(i-args)) {
				return false
			}
		}
	}
	f.divide(call, s)
	return true
}

// same reports whether a buffer is of that layout.
func (l *layout) same(b *ffi.Buffer) bool {
	if b.DType() != l.number || b.Rank() != len(l.dims) || b.Data() == nil && l.bytes > 0 {
		return false
	}
	for i, d := range l.dims {
		if b.Dim(i) != d {
			return false
		}
	}
	return true
}

// view makes v a view of a buffer of that layout.
func (l *layout) view(v *tensor.View, b *ffi.Buffer) bool {
	if b == nil || !l.same(b) {
		return false
	}
	v.Shape.DType, v.Shape.Dims = l.dtype, l.dims
	v.Data = unsafe.Slice((*byte)(b.Data()), l.bytes)
	return true
}

// divide gives the call its operands, ids and results, and clears the tokens. The
// counts were checked.
func (f *frame) divide(call *ffi.Call, s *site) {
	args := call.Args().Len()
	data := args - s.ids - s.tokens
	in, out := f.views[:args], f.views[args:]
	f.call.Device, f.call.RunID = call.Device(), call.RunID()
	// No capacity beyond the length: what a function appends is in nobody's way.
	f.call.Args = in[:data:data]
	f.call.IDs = in[data : data+s.ids : data+s.ids]
	switch s.form {
	case formPassthrough:
		// A list of its own: what a function puts into one list is not in the other.
		f.passed = append(f.passed[:0], in[:data]...)
		f.call.Results, out = f.passed[:data:data], nil
	case formObserve:
		f.call.Results = nil
	default:
		// An ordered call has its tokens behind its results, too.
		n := len(out) - s.tokens
		f.call.Results, out = out[:n:n], out[n:]
	}
	for _, token := range out {
		clear(token.Data)
	}
}

// read makes views of what stands in XLA's call frame. Nothing is copied, but
// values of sub-byte types, and passed-through ones that XLA gave a new place. A
// frame that makes no sense is an error.
func (f *frame) read(call *ffi.Call, s *site) error {
	operands, returns := call.Args(), call.Results()
	args, results := operands.Len(), returns.Len()
	f.args = -1
	if args-s.ids < s.tokens {
		return &frameError{s.name, fmt.Errorf("it has %d operands, and says that its last are %d ids and %d tokens", args, s.ids, s.tokens)}
	}
	if s.form == formCall && results < s.tokens {
		return &frameError{s.name, fmt.Errorf("it has %d results, fewer than its %d tokens", results, s.tokens)}
	}
	n := args + results
	f.views, f.layouts, f.packed = make([]tensor.View, n), make([]layout, n), f.packed[:0]
	in, out := f.views[:args], f.views[args:]
	packs := false
	for i := range in {
		bits, err := f.layouts[i].read(&in[i], operands.At(i))
		if err != nil {
			return &frameError{s.name, fmt.Errorf("operand %d: %w", i, err)}
		}
		packs = packs || bits != 0
	}
	for i := range out {
		b := returns.At(i)
		bits, err := f.layouts[args+i].read(&out[i], b)
		if err != nil {
			return &frameError{s.name, fmt.Errorf("result %d: %w", i, err)}
		}
		if bits != 0 {
			size := packedSize(len(out[i].Data), bits)
			f.packed = append(f.packed, packed{out[i].Data, unsafe.Slice((*byte)(b.Data()), size), bits})
			packs = true
		}
	}
	f.aliased = nil
	moved := false
	if s.form == formPassthrough {
		f.aliased = make([]bool, results)
		if len(in) != len(out) {
			return &frameError{s.name, fmt.Errorf("a passthrough callback has %d operands and %d results; it needs one result for each operand", len(in), len(out))}
		}
		for i := range in {
			if !f.layouts[i].equal(&f.layouts[args+i]) {
				return &frameError{s.name, fmt.Errorf("a passthrough callback has the operand %s and the result %s; they must be of one type", in[i].Shape, out[i].Shape)}
			}
			f.aliased[i] = operands.At(i).Data() == returns.At(i).Data()
			moved = moved || !f.aliased[i]
			if !f.aliased[i] || f.views[i].Shape.DType.Bits() < 8 {
				// The operand is seen where the result is.
				copy(out[i].Data, in[i].Data)
				in[i].Data = out[i].Data
			}
		}
	}
	f.call.SetAliased(f.aliased)
	f.divide(call, s)
	if !packs && !moved {
		f.args = args
	} else {
		f.settle()
	}
	return nil
}

func (l *layout) equal(o *layout) bool { return l.number == o.number && slices.Equal(l.dims, o.dims) }

// read makes v a view of b, keeps the layout, and says how many bits an element has in
// XLA's memory where it is packed.
func (l *layout) read(v *tensor.View, b *ffi.Buffer) (packed uint, err error) {
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
	*l = layout{b.DType(), e.dtype, slices.Clone(dims), int(n)}
	v.Shape = tensor.Shape{DType: e.dtype, Dims: l.dims}
	if e.bits != 0 {
		v.Data = unpack(e.dtype, b.Data(), int(n), uint(e.bits))
	} else {
		v.Data = unsafe.Slice((*byte)(b.Data()), int(n))
	}
	return uint(e.bits), nil
}

// settle notes where the results are, where that is not XLA's memory.
func (f *frame) settle() {
	f.homes = f.homes[:0]
	for _, v := range f.call.Results {
		f.homes = append(f.homes, unsafe.Pointer(unsafe.SliceData(v.Data)))
	}
}

// home is where result i is, whatever the function does to its views.
func (f *frame) home(call *ffi.Call, i int) unsafe.Pointer {
	if f.args < 0 {
		return f.homes[i]
	}
	return call.Results().At(i).Data()
}

// inPlace reports results that the function has put elsewhere. n is how many there are.
func (f *frame) inPlace(call *ffi.Call, n int) error {
	if len(f.call.Results) != n {
		return &callbacks.ReplacedError{Callback: f.call.Name, Result: min(len(f.call.Results), n)}
	}
	for i := range f.call.Results {
		if unsafe.Pointer(unsafe.SliceData(f.call.Results[i].Data)) != f.home(call, i) {
			return &callbacks.ReplacedError{Callback: f.call.Name, Result: i}
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
