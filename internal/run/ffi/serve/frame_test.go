package serve

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/element"
	"github.com/calliope-mlir/calliope/internal/run/ffi/ffitest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

const xlaF32, xlaS4 = 11, 21

func newSite(t testing.TB, config contract.Config, fn callbacks.Func) *site {
	t.Helper()
	config.Callback = register(t, callbacks.Options{}, fn)
	config.Signature = contract.SignatureHash("")
	slot, err := dispatch.Resolve(config)
	check.NoError(t, err)
	s := bind(slot, config)
	s.checked.Store(true)
	return s
}

func floats(values ...float32) ffitest.Buffer {
	return ffitest.Buffer{DType: xlaF32, Data: unsafe.Pointer(unsafe.SliceData(values)),
		Dims: []int64{int64(len(values))}}
}

// For an invalid frame XLA gets an error, and the function is not called.
func TestCorruptFrames(t *testing.T) {
	good := floats(1, 2)
	with := func(change func(*ffitest.Buffer)) []ffitest.Buffer {
		b := good
		change(&b)
		return []ffitest.Buffer{b}
	}
	for _, test := range []struct {
		what          string
		args, results []ffitest.Buffer
		config        contract.Config
		want          string
	}{
		{what: "kind", args: with(func(b *ffitest.Buffer) { b.Kind = 7 }), want: "not a buffer"},
		{what: "missing", args: with(func(b *ffitest.Buffer) { b.Missing = true }), want: "not a buffer"},
		{what: "small", args: with(func(b *ffitest.Buffer) { b.StructSize = 40 }), want: "not a buffer"},
		{what: "type", args: with(func(b *ffitest.Buffer) { b.DType = 77 }), want: "77"},
		{what: "negative type", args: with(func(b *ffitest.Buffer) { b.DType = -1 }), want: "-1"},
		{what: "a gap in the types", args: with(func(b *ffitest.Buffer) { b.DType = 13 }), want: "13"},
		{what: "token", args: with(func(b *ffitest.Buffer) { b.DType = 17 }), want: "17"},
		{what: "negative rank", args: with(func(b *ffitest.Buffer) { b.RankOff = -9 }), want: "rank"},
		{what: "huge rank", args: with(func(b *ffitest.Buffer) { b.RankOff = 1 << 40 }), want: "rank"},
		{what: "no dimensions", args: with(func(b *ffitest.Buffer) { b.NoDims = true }), want: "rank"},
		{what: "negative dimension", args: with(func(b *ffitest.Buffer) { b.Dims = []int64{-2} }), want: "[-2]"},
		{what: "two negative dimensions", args: with(func(b *ffitest.Buffer) { b.Dims = []int64{-2, -2} }),
			want: "[-2 -2]"},
		{what: "too large", args: with(func(b *ffitest.Buffer) { b.Dims = []int64{1 << 40, 1 << 40} }),
			want: "are not valid"},
		{what: "too large by little", args: with(func(b *ffitest.Buffer) { b.Dims = []int64{1 << 31, 1 << 30} }),
			want: "are not valid"},
		{what: "no memory", args: with(func(b *ffitest.Buffer) { b.Data = nil }), want: "no memory"},
		{what: "result", args: []ffitest.Buffer{good}, results: with(func(b *ffitest.Buffer) { b.Data = nil }),
			want: "result 0"},
		{what: "no result", args: []ffitest.Buffer{good}, want: "one result for each operand"},
		{what: "another size", args: []ffitest.Buffer{good}, results: []ffitest.Buffer{floats(1, 2, 3)},
			want: "one type"},
		{what: "no ids", config: contract.Config{NumIDs: 1}, want: "1 ids"},
		{what: "no tokens", config: contract.Config{NumTokens: 2}, want: "2 tokens"},
		{what: "no token result", config: contract.Config{Form: contract.Call, NumTokens: 1},
			args: []ffitest.Buffer{good}, want: "fewer than its 1 tokens"},
	} {
		t.Run(test.what, func(t *testing.T) {
			if test.config.Form == "" {
				test.config.Form = contract.Passthrough
			}
			s := newSite(t, test.config,
				func(*callbacks.Frame) error { t.Error("the function was called"); return nil })
			code, message := s.Execute(ffitest.Frame{Args: test.args, Results: test.results}.Call())
			if code != codeInvalidArgument || !strings.Contains(message, test.want) {
				t.Errorf("got %d %q, want %q", code, message, test.want)
			}
		})
	}
}

// Rare frames that are valid.
func TestOddFrames(t *testing.T) {
	empty := ffitest.Buffer{DType: xlaF32, Dims: []int64{0, 1 << 40}}
	value := float32(3)
	scalar := ffitest.Buffer{DType: xlaF32, Data: unsafe.Pointer(&value), NoDims: true}
	s4 := []byte{0xf1}
	packed := ffitest.Buffer{DType: xlaS4, Data: unsafe.Pointer(unsafe.SliceData(s4)), Dims: []int64{2}}
	var saw []tensor.View
	s := newSite(t, contract.Config{Form: contract.Passthrough}, func(call *callbacks.Frame) error {
		for _, v := range call.Args {
			saw = append(saw, v.Clone())
		}
		call.Args[2].Data[0] = 2
		return nil
	})
	list := []ffitest.Buffer{empty, scalar, packed}
	if code, message := s.Execute(ffitest.Frame{Args: list, Results: list}.Call()); code != 0 {
		t.Fatal(message)
	}
	check.Diff(t, "empty", "f32[0,1099511627776]", saw[0].Shape.String())
	check.Diff(t, "scalar", "f32[]", saw[1].Shape.String())
	check.Diff(t, "s4", []byte{1, 0xff}, saw[2].Data)
	check.Diff(t, "s4 packed again", []byte{0xf2}, s4)
}

// XLA's own tokens order a call as those of the contract do, and the function does not see them.
func TestTokensOfXLA(t *testing.T) {
	token := ffitest.Buffer{DType: 17}
	for _, form := range []contract.Form{contract.Observe, contract.Passthrough, contract.Call} {
		t.Run(string(form), func(t *testing.T) {
			calls := 0
			s := newSite(t, contract.Config{Form: form, NumTokens: 1}, func(call *callbacks.Frame) error {
				calls++
				check.Diff(t, "operands", 1, len(call.Args))
				return nil
			})
			x := floats(1, 2)
			results := []ffitest.Buffer{x, token}
			if form == contract.Observe {
				results = results[1:]
			}
			for range 2 { // the second call finds the layouts of the first
				_, message := s.Execute(ffitest.Frame{Args: []ffitest.Buffer{x, token}, Results: results}.Call())
				check.Diff(t, "error", "", message)
			}
			check.Diff(t, "calls", 2, calls)
		})
	}
}

// A call has a context even if its run is not known.
func TestCallOfUnknownRun(t *testing.T) {
	values := []float32{1, 2}
	s := newSite(t, contract.Config{Form: contract.Passthrough}, func(call *callbacks.Frame) error {
		check.Diff(t, "run", int64(12345), call.RunID)
		check.Diff(t, "device", 3, call.Device)
		if err := call.Context().Err(); err != nil {
			return err
		}
		return errSentinel
	})
	b := floats(values...)
	code, message := s.Execute(
		ffitest.Frame{Args: []ffitest.Buffer{b}, Results: []ffitest.Buffer{b}, RunID: 12345, Device: 3}.Call())
	check.Diff(t, "code", int32(codeInternal), code)
	check.Diff(t, "message", `callbacks: callback "TestCallOfUnknownRun" on device 3: `+errSentinel.Error(), message)
}

func TestPack(t *testing.T) {
	for _, test := range []struct {
		dtype  tensor.DType
		packed []byte
		values []byte
	}{
		{tensor.U4, []byte{0x21, 0x03}, []byte{1, 2, 3}},
		{tensor.S4, []byte{0xf8, 0x07}, []byte{0xf8, 0xff, 7}},
		{tensor.U2, []byte{0b11100100, 0b01}, []byte{0, 1, 2, 3, 1}},
		{tensor.S2, []byte{0b11100100}, []byte{0, 1, 0xfe, 0xff}},
		{tensor.F4E2M1FN, []byte{0xf0}, []byte{0, 15}},
	} {
		bits := element.PackedBits(test.dtype)
		check.Diff(t, "bits", test.dtype.Bits(), int(bits))
		values := element.Unpack(test.dtype, unsafe.Pointer(unsafe.SliceData(test.packed)), len(test.values), bits)
		check.Diff(t, test.dtype.String()+" unpacked", test.values, values)
		to := slices.Repeat([]byte{0xaa}, len(test.packed))
		element.Packed{Values: values, To: to, Bits: bits}.Pack()
		check.Diff(t, test.dtype.String()+" packed", test.packed, to)
	}
}

// One operation is Go's part of one call, without the call from C.
func BenchmarkSite(b *testing.B) {
	s := newSite(b, contract.Config{Form: contract.Passthrough}, func(*callbacks.Frame) error { return nil })
	v := floats(1, 2, 3, 4)
	call := ffitest.Frame{Args: []ffitest.Buffer{v}, Results: []ffitest.Buffer{v}}.Call()
	b.ReportAllocs()
	for range b.N {
		if code, message := s.Execute(call); code != 0 {
			b.Fatal(message)
		}
	}
}
