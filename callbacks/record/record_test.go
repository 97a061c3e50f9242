package record_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/record"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// double is a callback of the call form that doubles floats.
var double = callbacks.Call(func(_ context.Context, args []tensor.View) ([]tensor.View, error) {
	values, err := tensor.Slice[float32](args[0])
	if err != nil {
		return nil, err
	}
	out := make([]float32, len(values))
	for i, v := range values {
		if v < 0 {
			return nil, fmt.Errorf("%v is negative", v)
		}
		out[i] = 2 * v
	}
	return []tensor.View{tensor.Vector(out...)}, nil
})

func configOf(name string, tokens int) contract.Config {
	return contract.Config{Form: contract.Call, Callback: name, NumTokens: tokens}
}

// call calls a function as a device does, with one value; it is the result.
func call(fn callbacks.Func, config contract.Config, device int, run int64, value float32) (float32, error) {
	result := make([]float32, 1)
	err := fn(&callbacks.Frame{
		Name: config.Name(), Config: config, Device: device, RunID: run,
		Args: []tensor.View{tensor.Vector(value)}, Results: []tensor.View{tensor.Vector(result...)},
	})
	return result[0], err
}

// recorded are the bytes of a recording that the function made.
func recorded(t *testing.T, calls func(wrap callbacks.Middleware)) []byte {
	t.Helper()
	var b bytes.Buffer
	r, err := record.NewRecorder(&b)
	check.NoError(t, err)
	calls(r.Wrap)
	check.NoError(t, r.Close())
	if err := r.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	return b.Bytes()
}

func read(t *testing.T, data []byte) *record.Recording {
	t.Helper()
	r, err := record.Read(bytes.NewReader(data))
	check.NoError(t, err)
	return r
}

// What is recorded is what was called, with the arguments of before the call.
func TestRoundTrip(t *testing.T) {
	config := contract.Config{
		Form: contract.Passthrough, Callback: "f", Signature: "0011223344556677", Registry: "r", NumIDs: 1,
		NumTokens: 2,
		Effect:    "io", Transforms: "vmap", Loc: "x.go:3", Optional: true, Every: 7,
	}
	small := tensor.View{Shape: tensor.ShapeOf(tensor.U8, 2, 2), Data: []byte{5, 6, 7, 8}}
	empty := tensor.View{Shape: tensor.ShapeOf(tensor.S64, 0, 3)}
	data := recorded(t, func(wrap callbacks.Middleware) {
		change := wrap(func(f *callbacks.Frame) error { copy(f.Args[0].Data, []byte{1, 2, 3, 4}); return nil })
		args := []tensor.View{small.Clone(), empty.Clone(), tensor.Scalar(true)}
		if err := change(&callbacks.Frame{Name: "f", Config: config, Device: 3, RunID: -5, Args: args, Results: args,
			IDs: []tensor.View{tensor.Scalar(uint32(9))}}); err != nil {
			t.Error(err)
		}
		_, err := call(wrap(double), configOf("double", 0), 0, 1, -1)
		check.Diff(t, "error", "-1 is negative", fmt.Sprint(err))
		func() {
			defer func() { check.Diff(t, "panic", any("oh"), recover()) }()
			_, _ = call(wrap(func(*callbacks.Frame) error { panic("oh") }), configOf("panics", 0), 0, 1, 0)
		}()
		_, err = call(wrap(func(*callbacks.Frame) error { return badError{} }), configOf("bad", 0), 0, 1, 0)
		check.Diff(t, "error", error(badError{}), err)
		// In the middle of another call of the same site.
		nested := wrap(func(*callbacks.Frame) error {
			_, err := call(wrap(double), configOf("double", 0), 1, 2, 4)
			return err
		})
		if _, err := call(nested, configOf("double", 0), 1, 2, 3); err != nil {
			t.Error(err)
		}
	})
	r := read(t, data)
	if r.Torn != nil || r.Start.IsZero() {
		t.Errorf("torn: %v, start %v", r.Torn, r.Start)
	}
	var got []string
	for _, c := range r.Calls {
		if !c.Finished || c.End < c.Begin {
			t.Errorf("%s ended: %t, from %v to %v", c.Name(), c.Finished, c.Begin, c.End)
		}
		got = append(got, fmt.Sprint(c.Name(), " ", c.Device, " ", c.RunID, " ", c.Args, " ", c.IDs, " ", c.Results,
			" ", c.Panicked, " ", c.Err))
	}
	check.Diff(t, "config", config, r.Calls[0].Config)
	check.Diff(t, "calls", []string{
		"f 3 -5 [u8[2,2] [5 6 7 8] s64[0,3] [] pred[] true] [u32[] 9] [u8[2,2] [1 2 3 4] s64[0,3] [] pred[] true] false ",
		"double 0 1 [f32[1] [-1]] [] [] false -1 is negative",
		"panics 0 1 [f32[1] [0]] [] [] true ",
		"bad 0 1 [f32[1] [0]] [] [] false an error of type record_test.badError whose text is not available",
		"double 1 2 [f32[1] [3]] [] [f32[1] [0]] false ",
		"double 1 2 [f32[1] [4]] [] [f32[1] [8]] false ",
	}, got)
	check.Diff(t, "registries", []string{"r", ""}, r.Registries())
}

type badError struct{}

func (badError) Error() string { panic("no text") }

// A file that was cut off anywhere gives what stands before, and never more or other.
func TestTorn(t *testing.T) {
	data := recorded(t, func(wrap callbacks.Middleware) {
		for i := range 3 {
			if _, err := call(wrap(double), configOf("double", 0), 0, 1, float32(i)); err != nil {
				t.Error(err)
			}
		}
	})
	whole := read(t, data)
	torn := 0
	for n := range data {
		r, err := record.Read(bytes.NewReader(data[:n]))
		if n < 8 {
			if err == nil {
				t.Errorf("%d bytes are a recording", n)
			}
			continue
		}
		check.NoError(t, err)
		if r.Torn != nil {
			torn++
		}
		for i, c := range r.Calls {
			want := whole.Calls[i]
			if !c.Finished {
				want.Finished, want.Results, want.End = false, nil, 0
			}
			check.Diff(t, fmt.Sprint("call ", i, " of ", n, " bytes"), want, c)
		}
		// One bit is enough to be found.
		broken := bytes.Clone(data)
		broken[n] ^= 4
		if r := read(t, broken); r.Torn == nil {
			t.Errorf("byte %d was changed and it is not torn", n)
		}
	}
	if torn < len(data)-20 {
		t.Errorf("only %d of %d are torn", torn, len(data))
	}
	check.Diff(t, "torn", "record: the recording is incomplete from byte 8, after 0 calls: it ends too early",
		fmt.Sprint(read(t, data[:12]).Torn))
}

func TestRefused(t *testing.T) {
	for data, want := range map[string]string{
		"":           "record: this is not a recording of callbacks",
		"PK\x03\x04": "not a recording",
		"CALLREC9":   `has version '9', but this program reads version '1'`,
	} {
		if _, err := record.Read(strings.NewReader(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", data, err)
		}
	}
	path := filepath.Join(t.TempDir(), "x")
	if _, err := record.Open(path); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	check.NoError(t, os.WriteFile(path, []byte("hello, world"), 0o600))
	if _, err := record.Open(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if _, err := record.Create(filepath.Join(path, "y")); err == nil {
		t.Error("a file in a file")
	}
	if _, err := record.NewRecorder(nil); err == nil {
		t.Error("a recorder without a writer")
	}
	if _, err := record.NewTracer(nil); err == nil {
		t.Error("a tracer without a writer")
	}
}

// TestLyingSizes reads records that state more than they have. Nothing is allocated for it.
func TestLyingSizes(t *testing.T) {
	number := binary.AppendUvarint
	const huge = 1 << 40
	shape := "f32[1099511627776]"
	head := func(size uint64) []byte { return append(binary.LittleEndian.AppendUint64(nil, size), 0, 0, 0, 0) }
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"a record":             {append([]byte("CALLREC1"), head(huge)...), "it ends too early"},
		"more than any record": {append([]byte("CALLREC1"), head(1<<63)...), "its length is not valid"},
		"attributes":           {sealed(append(append([]byte("C"), 0), number(nil, huge)...)), "it ends too early"},
		"calls":                {sealed(append([]byte("B"), number(nil, huge)...)), "there is no site 1099511627776"},
		"arguments": {sealed(aSite(t), append([]byte("B\x00\x00\x00\x00"), number(nil, huge)...)),
			"it ends too early"},
		"an argument": {sealed(aSite(t), append(append([]byte("B\x00\x00\x00\x00\x01"),
			append([]byte{byte(len(shape))}, shape...)...), 0, 0)), "f32[1099511627776]"},
		"a text": {sealed(aSite(t), append([]byte("B\x00\x00\x00\x00\x01"), number(nil, huge)...)),
			"it ends too early"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r, err := record.Read(bytes.NewReader(test.file))
			runtime.ReadMemStats(&after)
			check.NoError(t, err)
			check.Error(t, r.Torn, test.want)
			if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
				t.Errorf("%d bytes of memory for a file of %d", n, len(test.file))
			}
		})
	}
}

// aSite returns the body of the record of a site.
func aSite(t *testing.T) []byte {
	data := recorded(t, func(wrap callbacks.Middleware) {
		_, err := call(wrap(double), configOf("double", 0), 0, 1, 1)
		check.Report(t, err)
	})
	return bodies(data)[1]
}

// full takes some bytes and no more.
type full struct{ left int }

func (f *full) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(b), nil
}

// Where writing fails the functions go on.
func TestWriteFails(t *testing.T) {
	if _, err := record.NewRecorder(&full{}); err == nil {
		t.Error("a recorder that can write nothing")
	}
	r, err := record.NewRecorder(&full{left: 200})
	check.NoError(t, err)
	fn := r.Wrap(double)
	for i := range 20 {
		got, err := call(fn, configOf("double", 0), 0, 1, float32(i))
		if err != nil || got != float32(2*i) {
			t.Errorf("call %d: %v, %v", i, got, err)
		}
	}
	check.Error(t, r.Close(), "disk full")
	if got, err := call(fn, configOf("double", 0), 0, 1, 2); err != nil || got != 4 {
		t.Errorf("after closing: %v, %v", got, err)
	}
}

// The encodings of other hosts come back with what their attributes do not say.
func TestEncodings(t *testing.T) {
	configs := []contract.Config{
		{Form: contract.Passthrough, Host: contract.Host{Encoding: contract.EncodingWords, Opaque: "\x01\xff",
			Server: "s"}},
		{Form: contract.Call, Host: contract.Host{Encoding: contract.EncodingOperand}, ID: 77},
		{Form: contract.Passthrough, Host: contract.Host{Encoding: contract.EncodingServer, Opaque: "o", Aliased: 2}},
	}
	impossible := contract.Config{Form: contract.Observe, Host: contract.Host{Encoding: contract.EncodingWords,
		Opaque: "o"}}
	r := read(t, recorded(t, func(wrap callbacks.Middleware) {
		for _, c := range append(configs, impossible, contract.Config{}) {
			if got, err := call(wrap(double), c, 0, 1, 2); err != nil || got != 4 {
				t.Errorf("%s: %v, %v", c.Name(), got, err)
			}
		}
	}))
	var got []contract.Config
	for _, c := range r.Calls {
		got = append(got, c.Config)
	}
	check.Diff(t, "configs", configs, got)
}

// Many goroutines record at once: none is lost, and each has its own data.
func TestConcurrent(t *testing.T) {
	const callers, each = 8, 50
	data := recorded(t, func(wrap callbacks.Middleware) {
		fn := wrap(double)
		var wait sync.WaitGroup
		for i := range callers {
			wait.Go(func() {
				for j := range each {
					if _, err := call(fn, configOf("double", 0), i, int64(i), float32(1000*i+j)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wait.Wait()
	})
	next := map[int]int{}
	r := read(t, data)
	for _, c := range r.Calls {
		value, err := tensor.Slice[float32](c.Args[0])
		check.NoError(t, err)
		if want := float32(1000*c.Device + next[c.Device]); value[0] != want {
			t.Errorf("device %d: %v, want %v", c.Device, value[0], want)
		}
		next[c.Device]++
		result, _ := tensor.Slice[float32](c.Results[0])
		check.Diff(t, "result", 2*value[0], result[0])
	}
	check.Diff(t, "calls", callers*each, len(r.Calls))
}

// A call of 16 bytes, alone, and with a recorder or a tracer that writes to nowhere.
func BenchmarkCall(b *testing.B) {
	recorder, err := record.NewRecorder(io.Discard)
	if err != nil {
		b.Fatal(err)
	}
	tracer, err := record.NewTracer(io.Discard)
	if err != nil {
		b.Fatal(err)
	}
	for name, wrap := range map[string]callbacks.Middleware{
		"alone": func(next callbacks.Func) callbacks.Func { return next }, "recorded": recorder.Wrap,
		"traced": tracer.Wrap,
	} {
		b.Run(name, func(b *testing.B) {
			fn := wrap(func(*callbacks.Frame) error { return nil })
			v := []tensor.View{tensor.Vector[float32](1, 2, 3, 4)}
			f := &callbacks.Frame{Name: "f", Config: configOf("f", 0), Args: v, Results: v}
			b.ReportAllocs()
			for b.Loop() {
				if err := fn(f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// sealed is a file of records that carry right lengths and sums, whatever is in them.
func sealed(bodies ...[]byte) []byte {
	file := []byte("CALLREC1")
	for _, b := range bodies {
		file = binary.LittleEndian.AppendUint64(file, uint64(len(b)))
		file = binary.LittleEndian.AppendUint32(file, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
		file = append(file, b...)
	}
	return file
}

// bodies are the bodies of a file's records.
func bodies(file []byte) (list [][]byte) {
	for rest := file[8:]; len(rest) >= 12; {
		n := 12 + binary.LittleEndian.Uint64(rest)
		list = append(list, rest[12:n])
		rest = rest[n:]
	}
	return list
}

// Whatever stands in a file, reading it gives calls that make sense or says why not,
// and replaying and tracing those is safe.
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	r, err := record.NewRecorder(&b)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := call(r.Wrap(double), configOf("double", 1), 0, 1, 3); err != nil {
		f.Fatal(err)
	}
	list := bodies(b.Bytes())
	f.Add(list[0], list[1], list[2], list[3])
	f.Add([]byte("S"), []byte("C"), []byte("B"), []byte("E\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, first, second, third, fourth []byte) {
		r, err := record.Read(bytes.NewReader(sealed(first, second, third, fourth)))
		check.NoError(t, err)
		replay := record.NewReplay(r)
		for _, c := range r.Calls {
			for _, v := range append(append(c.Args, c.IDs...), c.Results...) {
				check.Report(t, v.Check())
			}
			frame := &callbacks.Frame{Name: c.Name(), Config: c.Config, Device: c.Device, RunID: c.RunID, Args: c.Args,
				IDs: c.IDs}
			for _, v := range c.Results {
				frame.Results = append(frame.Results, v.Clone())
			}
			if err := replay.Wrap(nil)(frame); err != nil && c.Finished && c.Err == "" && !c.Panicked {
				t.Error(err)
			}
		}
		check.Report(t, r.WriteTrace(&bytes.Buffer{}))
	})
}
