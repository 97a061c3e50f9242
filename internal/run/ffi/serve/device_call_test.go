//go:build linux

package serve

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/cuda/cudatest"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/ffi/ffitest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// A gpu is a stream of the library that stands in for CUDA's driver. No GPU takes part in
// these tests: memory of the device is inaccessible, and copies are made by other threads.
type gpu struct {
	*cudatest.Driver
	stream *cudatest.Stream
}

func newGPU(t testing.TB) gpu {
	t.Helper()
	d := cudatest.Open(t)
	before := d.Counts()
	t.Cleanup(func() { check.Diff(t, "misuses of the driver", 0, d.Counts().Since(before).Misuses) })
	return gpu{d, d.Stream()}
}

func bytesOf(values ...float32) []byte {
	return check.Must(binary.Append(nil, binary.NativeEndian, values))
}

// floats returns an array on the device and the buffer of a call with it.
func (g gpu) floats(t testing.TB, values ...float32) (*cudatest.Array, ffitest.Buffer) {
	a := g.Array(t, bytesOf(values...))
	return a, ffitest.Buffer{DType: xlaF32, Data: a.Pointer(), Dims: []int64{int64(len(values))}}
}

// read returns the elements of an array when the stream has done its work.
func (g gpu) read(a *cudatest.Array) []float32 {
	g.stream.Drain()
	values := make([]float32, len(a.Bytes())/4)
	if _, err := binary.Decode(a.Bytes(), binary.NativeEndian, values); err != nil {
		panic(err)
	}
	return values
}

// execute makes a call of the site on the stream and waits for its end.
func (g gpu) execute(site executor, args, results []ffitest.Buffer) (code int32, message string) {
	frame := ffitest.Frame{Args: args, Results: results, Stream: g.stream.Pointer(), Device: 1}
	future, code, message := frame.Execute(site)
	if future != nil {
		return future.Wait()
	}
	return code, message
}

// siteWith returns a site of a callback that is registered with options.
func siteWith(t testing.TB, config contract.Config, o callbacks.Options, fn callbacks.Func) *site {
	t.Helper()
	config.Callback = register(t, o, fn)
	s := bind(check.Must(dispatch.Resolve(config)), config)
	t.Cleanup(s.Delete)
	return s
}

// All operands come to the host with one wait, when the stream has computed them, and the
// device gets the results in the stream's order.
func TestDeviceCall(t *testing.T) {
	for _, way := range ways {
		t.Run(way.String(), func(t *testing.T) {
			g := newGPU(t)
			a, x := g.floats(t, 1, 2)
			b, y := g.floats(t, 3, 4)
			out, z := g.floats(t, 0, 0)
			again, w := g.floats(t, 0, 0)
			s := siteWith(t, contract.Config{Form: contract.Call}, callbacks.Options{Dispatch: way},
				func(f *callbacks.Frame) error {
					check.Diff(t, "device", 1, f.Device)
					l, r := check.Must(tensor.Slice[float32](f.Args[0])), check.Must(tensor.Slice[float32](f.Args[1]))
					sum := check.Must(tensor.Slice[float32](f.Results[0]))
					for i := range sum {
						sum[i] = l[i] + r[i]
					}
					return nil
				})
			for i := range 3 { // a site reuses what it knows of the first call
				before := g.Counts()
				g.stream.Sleep(5)
				g.stream.Fill(a, byte(i)) // what computes the operand
				code, message := g.execute(s, []ffitest.Buffer{x, y}, []ffitest.Buffer{z})
				check.Diff(t, "error", "0 ", fmt.Sprint(code, " ", message))
				n := float32(0)
				check.Must(binary.Decode(bytes.Repeat([]byte{byte(i)}, 4), binary.NativeEndian, &n))
				c := g.Counts().Since(before)
				check.Diff(t, "copies and waits", [...]int{2, 1, 1, 2},
					[...]int{c.ToHost, c.ToDevice, c.Waits, c.Records})
				// The next call finds the result.
				code, message = g.execute(s, []ffitest.Buffer{z, y}, []ffitest.Buffer{w})
				check.Diff(t, "error", "0 ", fmt.Sprint(code, " ", message))
				check.Diff(t, "result", []float32{n + 3, n + 4}, g.read(out))
				check.Diff(t, "result of the next call", []float32{n + 6, n + 8}, g.read(again))
				check.Diff(t, "operand", []float32{3, 4}, g.read(b))
			}
		})
	}
}

// The forms write what the device sees, and no more.
func TestDeviceForms(t *testing.T) {
	write := func(f *callbacks.Frame) error {
		for _, r := range f.Results {
			r.Data[0] = 0x7f
		}
		return nil
	}
	s4 := func(a *cudatest.Array) ffitest.Buffer {
		return ffitest.Buffer{DType: xlaS4, Data: a.Pointer(), Dims: []int64{3}}
	}
	for _, way := range append(ways, callbacks.Async) {
		t.Run(way.String(), func(t *testing.T) {
			g := newGPU(t)
			before := g.Counts()
			counts := func() [3]int {
				g.stream.Drain()
				c := g.Counts().Since(before)
				before = g.Counts()
				return [...]int{c.ToHost, c.ToDevice, c.Waits}
			}
			ok := func(s executor, args, results []ffitest.Buffer) {
				t.Helper()
				if code, message := g.execute(s, args, results); code != 0 {
					t.Errorf("got %d %q", code, message)
				}
			}
			t.Run("passthrough", func(t *testing.T) {
				a, x := g.floats(t, 1, 2)
				ok(siteWith(t, contract.Config{Form: contract.Passthrough}, callbacks.Options{Dispatch: way}, write),
					[]ffitest.Buffer{x}, []ffitest.Buffer{x})
				check.Diff(t, "copies and waits", [...]int{1, 1, 1}, counts())
				want := bytesOf(1, 2)
				if way != callbacks.Async {
					want[0] = 0x7f
				}
				check.Diff(t, "result", want, a.Bytes())
			})
			t.Run("moved", func(t *testing.T) {
				a, x := g.floats(t, 1, 2)
				b, y := g.floats(t, 0, 0)
				ok(siteWith(t, contract.Config{Form: contract.Passthrough}, callbacks.Options{Dispatch: way}, write),
					[]ffitest.Buffer{x}, []ffitest.Buffer{y})
				want := bytesOf(1, 2)
				g.stream.Drain()
				check.Diff(t, "operand", want, a.Bytes())
				if way != callbacks.Async {
					want[0] = 0x7f
				}
				check.Diff(t, "result", want, b.Bytes())
				counts()
			})
			t.Run("observe", func(t *testing.T) {
				_, x := g.floats(t, 1, 2)
				token := g.Array(t, []byte{1})
				pred := ffitest.Buffer{DType: 1, Data: token.Pointer()}
				ok(siteWith(t, contract.Config{Form: contract.Observe}, callbacks.Options{Dispatch: way}, write),
					[]ffitest.Buffer{x}, []ffitest.Buffer{pred})
				check.Diff(t, "copies and waits", [...]int{1, 1, 1}, counts())
				check.Diff(t, "token", []byte{0}, token.Bytes())
			})
			t.Run("every", func(t *testing.T) {
				a, x := g.floats(t, 1, 2)
				s := siteWith(t, contract.Config{Form: contract.Passthrough, Every: 3},
					callbacks.Options{Dispatch: way}, write)
				for range 3 {
					ok(s, []ffitest.Buffer{x}, []ffitest.Buffer{x})
				}
				check.Diff(t, "copies and waits of the one call that is made", [...]int{1, 1, 1}, counts())
				check.Diff(t, "the rest of the result", bytesOf(1, 2)[1:], a.Bytes()[1:])
			})
			t.Run("every, observe", func(t *testing.T) {
				_, x := g.floats(t, 1, 2)
				token := g.Array(t, []byte{1})
				s := siteWith(t, contract.Config{Form: contract.Observe, Every: 2}, callbacks.Options{Dispatch: way},
					write)
				for i, result := range [][]ffitest.Buffer{{{DType: 1, Dims: []int64{0}}},
					{{DType: 1, Dims: []int64{0}}}, nil, {{DType: 1, Data: token.Pointer()}}} {
					ok(s, []ffitest.Buffer{x}, result)
					check.Diff(t, fmt.Sprint("copies and waits of call ", i),
						[...][3]int{{1, 0, 1}, {0, 0, 0}, {1, 0, 1}, {0, 1, 0}}[i], counts())
				}
				check.Diff(t, "token", []byte{0}, token.Bytes())
			})
			if way == callbacks.Async {
				return // the other forms have results
			}
			t.Run("optional", func(t *testing.T) {
				a, x := g.floats(t, 1, 2)
				b, y := g.floats(t, 3, 4)
				config := contract.Config{Form: contract.Call, Callback: "TestDeviceForms.absent", Optional: true}
				s := bind(check.Must(dispatch.Resolve(config)), config)
				defer s.Delete()
				ok(s, []ffitest.Buffer{x}, []ffitest.Buffer{y})
				check.Diff(t, "copies and waits", [...]int{0, 1, 0}, counts())
				check.Diff(t, "operand and result", []float32{1, 2, 0, 0}, append(g.read(a), g.read(b)...))
			})
			t.Run("empty", func(t *testing.T) {
				empty := ffitest.Buffer{DType: xlaF32, Dims: []int64{0}}
				called := false
				s := siteWith(t, contract.Config{Form: contract.Call}, callbacks.Options{Dispatch: way},
					func(*callbacks.Frame) error { called = true; return nil })
				ok(s, []ffitest.Buffer{empty}, []ffitest.Buffer{empty})
				check.Diff(t, "called", true, called)
				check.Diff(t, "copies and waits", [...]int{0, 0, 0}, counts())
			})
			t.Run("token", func(t *testing.T) {
				_, x := g.floats(t, 1, 2)
				out, y := g.floats(t, 0)
				empty := ffitest.Buffer{DType: 1, Dims: []int64{0}}
				s := siteWith(t, contract.Config{Form: contract.Call, NumTokens: 1}, callbacks.Options{Dispatch: way},
					write)
				ok(s, []ffitest.Buffer{x, empty}, []ffitest.Buffer{y, empty})
				check.Diff(t, "copies and waits", [...]int{1, 1, 1}, counts())
				check.Diff(t, "result", byte(0x7f), out.Bytes()[0])
			})
			t.Run("packed", func(t *testing.T) {
				a, b := g.Array(t, []byte{0xf1, 0x07}), g.Array(t, make([]byte, 2))
				s := siteWith(t, contract.Config{Form: contract.Call}, callbacks.Options{Dispatch: way},
					func(f *callbacks.Frame) error {
						check.Diff(t, "operand", []byte{1, 0xff, 7}, f.Args[0].Data)
						copy(f.Results[0].Data, []byte{2, 0xfe, 3})
						return nil
					})
				ok(s, []ffitest.Buffer{s4(a)}, []ffitest.Buffer{s4(b)})
				g.stream.Drain()
				check.Diff(t, "result", []byte{0xe2, 0x03}, b.Bytes())
				counts()
			})
			t.Run("operand's memory", func(t *testing.T) {
				a, x := g.floats(t, 1, 2)
				s := siteWith(t, contract.Config{Form: contract.Call}, callbacks.Options{Dispatch: way}, negate)
				ok(s, []ffitest.Buffer{x}, []ffitest.Buffer{x})
				check.Diff(t, "result", []float32{-1, -2}, g.read(a))
				counts()
			})
		})
	}
}

// The id of a call's callback may be an operand, in the device's memory.
func TestDeviceOperandID(t *testing.T) {
	g := newGPU(t)
	id := check.Must(callbacks.Default.RegisterFunc(negate, callbacks.Options{}))
	t.Cleanup(func() { _ = callbacks.Default.UnregisterID(id) })
	_, x := g.floats(t, 1, 2)
	out, y := g.floats(t, 0, 0)
	number := g.Array(t, check.Must(binary.Append(nil, binary.NativeEndian, int64(id))))
	config := contract.Config{Form: contract.Call, Host: contract.Host{Encoding: contract.EncodingOperand}}
	s := &operandSite{config: config}
	t.Cleanup(s.Delete)
	before := g.Counts()
	code, message := g.execute(s, []ffitest.Buffer{x, {DType: 5, Data: number.Pointer()}}, []ffitest.Buffer{y})
	check.Diff(t, "error", "0 ", fmt.Sprint(code, " ", message))
	check.Diff(t, "result", []float32{-1, -2}, g.read(out))
	check.Diff(t, "waits", 1, g.Counts().Since(before).Waits)
}

// An error of the driver is the call's error, and names the driver's.
func TestDeviceErrors(t *testing.T) {
	tests := []struct {
		function string
		code     int
		after    int
		want     string
	}{
		{"cuStreamGetCtx", 400, 0,
			"memory for the operands: CUDA's driver: cuStreamGetCtx: CUDA_ERROR_INVALID_HANDLE (400)"},
		{"cuMemcpyDtoHAsync_v2", 1, 1, "copy the operands to the host: CUDA's driver: cuMemcpyDtoHAsync: CUDA_ERROR_INVALID_VALUE (1): invalid argument"},
		{"cuEventSynchronize", cudatest.LaunchFailed, 0, "copy the operands to the host: CUDA's driver: cuEventSynchronize: CUDA_ERROR_LAUNCH_FAILED (719): unspecified launch failure"},
		{"cuMemcpyHtoDAsync_v2", 1, 0,
			"copy the results to the device: CUDA's driver: cuMemcpyHtoDAsync: CUDA_ERROR_INVALID_VALUE"},
	}
	for _, way := range ways {
		for _, test := range tests {
			t.Run(way.String()+"/"+test.function, func(t *testing.T) {
				g := newGPU(t)
				_, x := g.floats(t, 1, 2)
				_, y := g.floats(t, 3, 4)
				out, z := g.floats(t, 5, 6)
				called := false
				s := siteWith(t, contract.Config{Form: contract.Call}, callbacks.Options{Dispatch: way},
					func(f *callbacks.Frame) error {
						called = true
						return negate(f)
					})
				g.Fail(t, test.function, test.code, test.after)
				code, message := g.execute(s, []ffitest.Buffer{x, y}, []ffitest.Buffer{z})
				if code != codeInternal || !strings.Contains(message, test.want) {
					t.Errorf("got %d %q, want %q", code, message, test.want)
				}
				check.Diff(t, "called", strings.Contains(test.want, "results"), called)
				check.Diff(t, "result", []float32{5, 6}, g.read(out))
			})
		}
	}
}

// A driver without memory to pin fails the call, not the process.
func TestDeviceOutOfMemory(t *testing.T) {
	g := newGPU(t)
	_, x := g.floats(t, make([]float32, 1<<20)...) // larger than what other tests leave in the pool
	s := newSite(t, contract.Config{Form: contract.Observe}, func(*callbacks.Frame) error { return nil })
	g.FailAlways(t, "cuMemHostAlloc", cudatest.OutOfMemory)
	code, message := g.execute(s, []ffitest.Buffer{x}, nil)
	const want = "memory for the operands: CUDA's driver: cuMemHostAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"
	if code != codeInternal || !strings.Contains(message, want) {
		t.Errorf("got %d %q, want %q", code, message, want)
	}
}

// An error of the function is the call's error, and the device gets no results.
func TestDeviceFunctionError(t *testing.T) {
	for _, way := range ways {
		t.Run(way.String(), func(t *testing.T) {
			g := newGPU(t)
			out, x := g.floats(t, 1, 2)
			s := siteWith(t, contract.Config{Form: contract.Call}, callbacks.Options{Dispatch: way},
				func(f *callbacks.Frame) error {
					f.Results[0].Data[0] = 9
					return errors.New("no")
				})
			before := g.Counts()
			code, message := g.execute(s, []ffitest.Buffer{x}, []ffitest.Buffer{x})
			if code != codeInternal || !strings.HasSuffix(message, ": no") {
				t.Errorf("got %d %q", code, message)
			}
			check.Diff(t, "copies to the device", 0, g.Counts().Since(before).ToDevice)
			check.Diff(t, "result", []float32{1, 2}, g.read(out))
		})
	}
}

// A frame that is not valid is refused before the driver gets it.
func TestDeviceOddFrames(t *testing.T) {
	g := newGPU(t)
	_, x := g.floats(t, 1, 2)
	s := newSite(t, contract.Config{Form: contract.Call},
		func(*callbacks.Frame) error { t.Error("called"); return nil })
	for _, test := range []struct {
		change func(*ffitest.Buffer)
		want   string
	}{
		{func(b *ffitest.Buffer) { b.DType = 77 }, "operand 1: its element type 77"},
		{func(b *ffitest.Buffer) { b.Dims = []int64{1 << 40, 1 << 40} }, "operand 1: its dimensions"},
		{func(b *ffitest.Buffer) { b.Data = nil }, "operand 1: it has no memory"},
		{func(b *ffitest.Buffer) { b.Missing = true }, "operand 1: it is not a buffer"},
		{func(b *ffitest.Buffer) { b.Dims = []int64{1 << 50} }, "operand 1: it is too large"},
		{func(b *ffitest.Buffer) { b.Dims = []int64{1 << 20} }, "CUDA_ERROR_INVALID_VALUE"}, // more than there is
	} {
		t.Run(test.want, func(t *testing.T) {
			odd := x
			test.change(&odd)
			before := g.Counts()
			_, message := g.execute(s, []ffitest.Buffer{x, odd}, nil)
			if !strings.Contains(message, test.want) {
				t.Errorf("got %q, want %q", message, test.want)
			}
			if !strings.HasPrefix(test.want, "CUDA") {
				check.Diff(t, "copies", 0, g.Counts().Since(before).ToHost)
			}
		})
	}
}

// Calls on several streams at once, of one site.
func TestDeviceStreams(t *testing.T) {
	for _, way := range ways {
		t.Run(way.String(), func(t *testing.T) {
			d := newGPU(t).Driver
			s := siteWith(t, contract.Config{Form: contract.Call}, callbacks.Options{Dispatch: way}, negate)
			var all sync.WaitGroup
			for i := range 8 {
				g := gpu{d, d.Stream()}
				_, x := g.floats(t, float32(i), 1)
				y, b := g.floats(t, 0, 0)
				z, c := g.floats(t, 0, 0)
				all.Go(func() {
					for range 30 {
						for _, step := range [][2]ffitest.Buffer{{x, b}, {b, c}} {
							if code, message := g.execute(s, step[:1], step[1:]); code != 0 {
								t.Errorf("got %d %q", code, message)
							}
						}
					}
					if got := fmt.Sprint(g.read(y), g.read(z)); got !=
						fmt.Sprint([]float32{-float32(i), -1}, []float32{float32(i), 1}) {
						t.Errorf("stream %d got %s", i, got)
					}
				})
			}
			all.Wait()
		})
	}
}

// The memory of the calls is limited.
func TestDevicePool(t *testing.T) {
	g := newGPU(t)
	pool := check.Must(hostedPinned())
	s := newSite(t, contract.Config{Form: contract.Passthrough}, func(*callbacks.Frame) error { return nil })
	const n = pinnedLimit/4 + 1024
	a := g.Array(t, make([]byte, 4*n))
	x := ffitest.Buffer{DType: xlaF32, Data: a.Pointer(), Dims: []int64{n}}
	code, message := g.execute(s, []ffitest.Buffer{x}, []ffitest.Buffer{x})
	check.Diff(t, "error", "0 ", fmt.Sprint(code, " ", message))
	if held := pool.Held(); held > pinnedLimit {
		t.Errorf("%d bytes are held, more than %d", held, pinnedLimit)
	}
}
