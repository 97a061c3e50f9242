package ffihost

import (
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/host/dl"
	"github.com/calliope-mlir/calliope/internal/test/cctest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// handlers returns a function that finds those of testdata.
func handlers(t *testing.T) func(name string) unsafe.Pointer {
	l, err := dl.Open(cctest.Library(t, filepath.Join("testdata", "handlers.c")))
	check.NoError(t, err)
	return func(name string) unsafe.Pointer {
		p := l.Symbol(name)
		if p == nil {
			t.Fatalf("there is no %s", name)
		}
		return p
	}
}

func TestCall(t *testing.T) {
	handler := handlers(t)
	b := Bundle{Instantiate: handler("instantiate"), Execute: handler("add")}
	check.NoError(t, b.Check())
	s, err := b.NewSite([]contract.Attr{{Key: "list", Value: []float32{1, 2}}, {Key: "note", Value: "a"},
		{Key: "start", Value: int32(10)}})
	check.NoError(t, err)
	x, y := tensor.Vector[int32](1, 2), tensor.Vector[int32](0, 0)
	for _, want := range []int32{11, 12} {
		check.NoError(t, s.Call([]tensor.View{x}, []tensor.View{y}, Run{ID: 1}))
		check.Diff(t, "result", []int32{want, want + 1}, check.Must(tensor.Slice[int32](y)))
	}
	check.Error(t, s.Call([]tensor.View{tensor.Vector[float32](1, 2)}, []tensor.View{y}, Run{}), "the arrays are wrong")
	s.Close()

	s, err = Bundle{Execute: handler("asynchronous")}.NewSite(nil)
	check.NoError(t, err)
	defer s.Close()
	check.NoError(t, s.Call(nil, []tensor.View{y}, Run{}))
	check.Diff(t, "what is written later", int32(7), check.Must(tensor.Slice[int32](y))[0])
}

func TestErrors(t *testing.T) {
	handler := handlers(t)
	check.Error(t, Bundle{Execute: handler("newer")}.Check(), "the handler is for version 0.99 of XLA's FFI")
	check.Error(t, Bundle{Instantiate: handler("instantiate")}.Check(), "no handler for the stage execute")
	b := Bundle{Instantiate: handler("instantiate"), Execute: handler("add")}
	_, err := b.NewSite(nil)
	check.Error(t, err, "the attributes are wrong")
	_, err = b.NewSite([]contract.Attr{{Key: "c", Value: complex64(1)}})
	check.Error(t, err, "the attribute c: a complex64 has no form in XLA's FFI")
	s, err := Bundle{Execute: handler("stream")}.NewSite(nil)
	check.NoError(t, err)
	defer s.Close()
	check.Error(t, s.Call(nil, nil, Run{}), "the call is on the CPU, which has no streams")
}
