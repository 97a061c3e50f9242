package serve

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/element"
	"github.com/calliope-mlir/calliope/internal/run/ffi"
	"github.com/calliope-mlir/calliope/tensor"
)

// A frame holds the state of one call.
type frame struct {
	call   dispatch.Call
	views  []tensor.View    // operands, then results
	packed []element.Packed // results to pack after the call

	// The layouts of the last call, in the order of views. XLA's shapes are static:
	// calls of one site differ only in their addresses.
	layouts []layout
	args    int // number of operands in layouts; -1 if the next call must be read anew
	data    int // number of operands that the function gets beside ids
	filled  int // number of results that it gets
	aliased []bool

	passed    []tensor.View    // results of the passthrough form
	addresses []unsafe.Pointer // of the results, if they are not in XLA's memory
	lane      int              // of the slot; -1 for none

	// The fields below are of the current call.
	site     *site
	ffi      *ffi.Call   // nil once XLA's thread is gone
	device   *deviceCall // nil if the operands and results are in host memory
	run      *Run        // nil if it is not known
	results  int
	original *original // if the function gets copies, in debug mode
}

// A layout is the type of an operand or a result in a call frame.
type layout struct {
	number int32 // of the element type in XLA
	dtype  tensor.DType
	dims   []int
	bytes  int
}

func newFrame(s *site, lane int) *frame {
	f := &frame{args: -1, lane: lane, site: s}
	f.call.Init(s.name, s.config, lane, f)
	f.call.Attributes = s.attributes
	return f
}

// A frameError reports a call frame that is not valid.
type frameError struct{ err error }

func (e *frameError) Error() string { return e.err.Error() }
func (e *frameError) Unwrap() error { return e.err }

// reread makes views of a call that has the same layouts as the last call of this frame. It
// returns false if the layouts differ; then the caller must use readFrame.
func (f *frame) reread(call *ffi.Call, s *site) bool {
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
		// The last call was aliased.
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
	f.split(args, s)
	return true
}

// same reports whether a buffer has this layout.
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

// view makes v a view of a buffer of this layout. It returns false if the layout differs.
func (l *layout) view(v *tensor.View, b *ffi.Buffer) bool {
	if b == nil || !l.same(b) {
		return false
	}
	v.Shape.DType, v.Shape.Dims = l.dtype, l.dims
	v.Data = unsafe.Slice((*byte)(b.Data()), l.bytes)
	return true
}

// split sets the operands, ids and results of the call, and clears the tokens. The counts
// are checked already.
func (f *frame) split(args int, s *site) {
	in, out := f.views[:args], f.views[args:]
	// The capacity is limited, so that a function that appends overwrites nothing.
	data, ids := f.data, f.data+s.config.NumIDs
	f.call.Args = in[:data:data]
	f.call.IDs = in[data:ids:ids]
	switch s.form {
	case formPassthrough:
		// A separate list: a function may assign to elements of one list only.
		f.passed = append(f.passed[:0], in[:data]...)
		f.call.Results, out = f.passed[:data:data], nil
	case formObserve:
		f.call.Results = nil
	default:
		f.call.Results, out = out[:f.filled:f.filled], out[f.filled:]
	}
	for _, token := range out {
		clear(token.Data)
	}
}

// read makes views of the buffers in XLA's call frame. It copies only values of sub-byte
// types, and operands that pass through and for which XLA chose another place. It returns a
// *frameError if the frame is not valid.
func (f *frame) read(call *ffi.Call, s *site) error {
	operands, returns := call.Args(), call.Results()
	args, results := operands.Len(), returns.Len()
	f.args = -1
	var err error
	if f.data, _, _, err = s.config.Split(args); err != nil {
		return &frameError{err}
	}
	n := args + results
	f.views, f.layouts, f.packed = make([]tensor.View, n), make([]layout, n), f.packed[:0]
	in, out := f.views[:args], f.views[args:]
	packs := false
	for i := range in {
		if i >= args-s.config.NumTokens && f.layouts[i].readToken(&in[i], operands.At(i)) {
			continue
		}
		bits, err := f.layouts[i].read(&in[i], operands.At(i))
		if err != nil {
			return &frameError{fmt.Errorf("operand %d: %w", i, err)}
		}
		packs = packs || bits != 0
	}
	for i := range out {
		b := returns.At(i)
		if i >= results-s.config.NumTokens && f.layouts[args+i].readToken(&out[i], b) {
			continue
		}
		bits, err := f.layouts[args+i].read(&out[i], b)
		if err != nil {
			return &frameError{fmt.Errorf("result %d: %w", i, err)}
		}
		if bits != 0 {
			size := element.PackedSize(len(out[i].Data), bits)
			to := unsafe.Slice((*byte)(b.Data()), size)
			f.packed = append(f.packed, element.Packed{Values: out[i].Data, To: to, Bits: bits})
			packs = true
		}
	}
	if f.filled, err = s.config.Filled(args, results); err != nil {
		return &frameError{err}
	}
	f.aliased = nil
	moved := false
	if s.form == formPassthrough {
		f.aliased = make([]bool, results)
		for i := range in {
			if !f.layouts[i].equal(&f.layouts[args+i]) {
				return &frameError{fmt.Errorf("a passthrough callback has the operand %s and the result %s; they must be of one type", in[i].Shape, out[i].Shape)}
			}
			f.aliased[i] = operands.At(i).Data() == returns.At(i).Data()
			moved = moved || !f.aliased[i]
			if !f.aliased[i] || f.views[i].Shape.DType.Bits() < 8 {
				// The function sees the operand in the result's memory.
				copy(out[i].Data, in[i].Data)
				in[i].Data = out[i].Data
			}
		}
	}
	f.call.SetAliased(f.aliased)
	f.split(args, s)
	if !packs && !moved {
		f.args = args
	} else {
		f.saveAddresses()
	}
	return nil
}

func (l *layout) equal(o *layout) bool { return l.number == o.number && slices.Equal(l.dims, o.dims) }

// read makes v a view of b and sets the layout. It returns the number of bits of an element
// if XLA's memory is packed, and 0 otherwise.
func (l *layout) read(v *tensor.View, b *ffi.Buffer) (packed uint, err error) {
	n, _, err := measure(b)
	if err != nil {
		return 0, err
	}
	e := element.OfFFI(b.DType())
	dims, _ := b.Dims()
	*l = layout{b.DType(), e.DType, slices.Clone(dims), n}
	v.Shape = tensor.Shape{DType: e.DType, Dims: l.dims}
	if e.Bits != 0 {
		v.Data = element.Unpack(e.DType, b.Data(), n, uint(e.Bits))
	} else {
		v.Data = unsafe.Slice((*byte)(b.Data()), n)
	}
	return uint(e.Bits), nil
}

// readToken is read for XLA's own tokens, by which a host such as JAX orders calls. They have no
// memory. It returns false for other buffers.
func (l *layout) readToken(v *tensor.View, b *ffi.Buffer) bool {
	if b == nil || b.DType() != ffi.TokenType {
		return false
	}
	*l = layout{number: ffi.TokenType, dtype: tensor.Token}
	*v = tensor.View{Shape: tensor.Shape{DType: tensor.Token}}
	return true
}

// measure checks a buffer. It returns the number of bytes of a view of it, and of XLA's memory,
// which differ if that is packed. It does not access the memory.
func measure(b *ffi.Buffer) (view, memory int, err error) {
	if b == nil {
		return 0, 0, errors.New("it is not a buffer")
	}
	e := element.OfFFI(b.DType())
	if e.Size == 0 {
		return 0, 0, fmt.Errorf("its element type %d is not a known XLA PrimitiveType", b.DType())
	}
	dims, ok := b.Dims()
	if !ok {
		return 0, 0, errors.New("its rank is not valid")
	}
	n := uint64(e.Size)
	for _, d := range dims {
		high, low := bits.Mul64(n, uint64(d))
		if d < 0 || high != 0 || low>>62 != 0 {
			return 0, 0, fmt.Errorf("its dimensions %v are not valid", dims)
		}
		n = low
	}
	if b.Data() == nil && n > 0 {
		return 0, 0, errors.New("it has no memory")
	}
	if e.Bits != 0 {
		return int(n), element.PackedSize(int(n), uint(e.Bits)), nil
	}
	return int(n), int(n), nil
}

// saveAddresses stores the addresses of the results if they are not in XLA's memory.
func (f *frame) saveAddresses() {
	f.addresses = f.addresses[:0]
	for _, v := range f.call.Results {
		f.addresses = append(f.addresses, unsafe.Pointer(unsafe.SliceData(v.Data)))
	}
}

// resultAddress returns the address of result i, even if the function replaced its view.
func (f *frame) resultAddress(call *ffi.Call, i int) unsafe.Pointer {
	if f.args < 0 {
		return f.addresses[i]
	}
	return call.Results().At(i).Data()
}

// inPlace returns an error if the function replaced a result. n is the number of results.
func (f *frame) inPlace(call *ffi.Call, n int) error {
	if len(f.call.Results) != n {
		return &callbacks.ReplacedError{Result: min(len(f.call.Results), n)}
	}
	for i := range f.call.Results {
		if unsafe.Pointer(unsafe.SliceData(f.call.Results[i].Data)) != f.resultAddress(call, i) {
			return &callbacks.ReplacedError{Result: i}
		}
	}
	return nil
}

// clearResults zeroes the results of a function that failed or was not called. Results that
// pass through are left, because they are computed already.
func (f *frame) clearResults(s *site) {
	if s.form == formPassthrough {
		return
	}
	for _, v := range f.call.Results {
		clear(v.Data)
	}
}
