package serve

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/ffi/ffitest"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// source returns numbers from the bytes of a fuzzer, and zeros at their end.
type source []byte

func (s *source) next() int {
	if len(*s) == 0 {
		return 0
	}
	n := (*s)[0]
	*s = (*s)[1:]
	return int(n)
}

func (s *source) text() string {
	n := min(s.next()%16, len(*s))
	text := string((*s)[:n])
	*s = (*s)[n:]
	return text
}

// fuzzMemory is the memory of the buffers of a frame. XLA's memory is always as large as the
// shape says: a wrong address could not be recognized.
var fuzzMemory = make([]complex128, 1<<12)

// buffer returns a buffer that is most often valid.
func (s *source) buffer() ffitest.Buffer {
	b := ffitest.Buffer{DType: int32(s.next()%40 - 2)}
	for range s.next() % 4 {
		dim := int64(s.next()%6) - 1
		if s.next() == 255 {
			dim = 1 << (s.next() % 63)
		}
		b.Dims = append(b.Dims, dim)
	}
	bytes := 16
	for _, d := range b.Dims {
		if d > 1<<10 || bytes > 1<<12 {
			bytes = 1 << 30
			break
		}
		bytes *= int(max(d, 0))
	}
	if bytes <= len(fuzzMemory)*16 {
		// A few different addresses, so that some are aliased.
		b.Data = unsafe.Pointer(&fuzzMemory[s.next()%3])
	}
	switch s.next() % 32 {
	case 1:
		b.Kind = int32(s.next())
	case 2:
		b.StructSize = s.next()
	case 3:
		b.RankOff = int64(s.next()) - 128
		if b.RankOff > 0 {
			b.NoDims = true // memory after the dimensions must not be read
		}
	case 4:
		b.NoDims = true
	case 5:
		b.Missing = true
	case 6:
		b.Data = nil
	}
	return b
}

func (s *source) frame() ffitest.Frame {
	f := ffitest.Frame{RunID: int64(s.next()) - 2, Device: s.next()}
	for range s.next() % 4 {
		f.Args = append(f.Args, s.buffer())
	}
	if s.next()%2 == 0 {
		f.Results = f.Args // as in the passthrough form
	} else {
		for range s.next() % 4 {
			f.Results = append(f.Results, s.buffer())
		}
	}
	return f
}

// fuzzed is the function of the fuzzed sites: it reads all operands and writes all results.
func fuzzed(f *callbacks.Frame) error {
	for _, v := range slices.Concat(f.Args, f.IDs, f.Results) {
		if err := v.Check(); err != nil {
			return fmt.Errorf("a broken view came through: %w", err)
		}
		if v.Shape.NumElements() > 1<<16 {
			return errors.New("a view of an invalid address was passed")
		}
	}
	for _, v := range f.Results {
		clear(v.Data)
	}
	return nil
}

// FuzzFrame calls a site with invalid frames: each call returns a status. It makes several
// calls of one site, because a site keeps the layouts of the last one.
func FuzzFrame(f *testing.F) {
	forms := []contract.Form{contract.Passthrough, contract.Observe, contract.Call, contract.Pure}
	r, err := callbacks.NewRegistry(f.Name(), callbacks.RegistryOptions{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = r.Close() })
	for _, way := range ways {
		if err := r.Register(way.String(), fuzzed, callbacks.Options{Dispatch: way}); err != nil {
			f.Fatal(err)
		}
	}
	f.Add([]byte{0, 0, 0, 0})
	f.Add([]byte{0, 0, 1, 0, 2, 3, 1, 13, 1, 4, 0, 0, 0, 0, 0, 0, 1, 13, 1, 4, 0, 0, 0, 0})
	f.Add([]byte{2, 1, 0, 1, 2, 3, 2, 23, 2, 3, 0, 2, 0, 1, 9, 15, 0, 1, 2, 19, 1, 3, 0, 1, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		s := source(data)
		config := contract.Config{
			Form: forms[s.next()%4], Callback: ways[s.next()%3].String(), Registry: r.Name(),
			NumIDs: s.next() % 3, NumTokens: s.next() % 3,
		}
		slot, err := dispatch.Resolve(config)
		check.NoError(t, err)
		defer slot.Close()
		site := bind(slot, config)
		first := s.frame()
		for range 3 {
			calls := []ffitest.Frame{first, first}
			if len(s) > 0 {
				calls = append(calls, s.frame())
			}
			for _, frame := range calls {
				code, message := site.Execute(frame.Call())
				switch {
				case code == 0 && message == "", code == codeInvalidArgument && message != "":
				default:
					t.Fatalf("XLA gets %d %q", code, message)
				}
			}
		}
	})
}

// FuzzAttributes binds call sites with invalid attributes.
func FuzzAttributes(f *testing.F) {
	keys := []string{"v", "form", "callback", "signature", "callback_id", "registry", "n_ids", "n_tokens", "effect",
		"policy",
		"transforms", "loc", "optional", "every", "callback_id_size", "callback_server_pid", "callback_server_pid_size",
		"num_aliased_data_outputs"}
	texts := []string{"passthrough", "observe", "call", "pure", "", "\xff\xfe", "f\x00", "f32[2]->f32[2]"}
	f.Add([]byte{0, 0, 1, 1, 3, 0, 2, 2, 5})
	f.Add([]byte{0, 4, 1, 1, 4, 1, 4, 7})
	f.Fuzz(func(t *testing.T, data []byte) {
		s := source(data)
		attrs := []contract.Attr{{Key: "v", Value: int64(contract.Version)}}
		for len(s) > 0 {
			n := s.next()
			key := s.text()
			if n%20 < len(keys) {
				key = keys[n%20]
			}
			var value any
			switch s.next() % 10 {
			case 0:
				value = s.text()
			case 1, 2, 3:
				value = texts[s.next()%len(texts)]
			case 4:
				value = int64(s.next()) - 3
			case 5:
				value = s.next()%2 == 0
			case 6:
				value = []int64{int64(s.next()), -1}
			case 7:
				value = []contract.Attr{{Key: s.text(), Value: uint64(s.next())}}
			case 8:
				value = uint64(s.next())
			}
			attrs = append(attrs, contract.Attr{Key: key, Value: value})
		}
		site, code, err := Instantiate(attrs, false)
		if (site == nil) != (err != nil) || (code != 0) != (err != nil) {
			t.Fatalf("got %v, %d and %v", site, code, err)
		}
		if err != nil {
			Cause(err.Error()) // forgets the error
			return
		}
		site.Delete()
	})
}
