package gomlx

import (
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/interpreter"
	"github.com/calliope-mlir/calliope/jit"
)

func TestOptions(t *testing.T) {
	tests := []struct {
		config string
		want   calliope.Options
		sizes  int
		axes   bool
		err    string
	}{
		{config: "", sizes: 64},
		{config: "interpreter,dynamic,sizes=2", want: calliope.Options{Engine: interpreter.Engine()}, sizes: 2,
			axes: true},
		{config: "jit,fallback=off", want: calliope.Options{Engine: jit.Engine(), Fallback: engine.FallbackOff},
			sizes: 64},
		{config: "fallback=maybe", err: `"maybe" is no fallback: use off, warn or on`},
		{config: "sizes=few", err: `option "sizes=few"`},
		{config: "devices=4,plugin=/a/b.so,cache=dir,offline", want: calliope.Options{Offline: true, Cache: "dir",
			Plugin: bridge.OpenOptions{Path: "/a/b.so"}, Client: bridge.ClientOptions{Devices: 4}}, sizes: 64},
		{config: "devices=many", err: `option "devices=many"`},
		{config: "cuda", err: "the options are devices=N"},
	}
	for _, test := range tests {
		got, err := parse(test.config)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%q: the error is %v", test.config, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", test.config, err)
		}
		want := options{session: test.want, dynamic: test.axes, sizes: test.sizes}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(options{})); d != "" {
			t.Errorf("%q (-want +got):\n%s", test.config, d)
		}
	}
}

// TestCache compiles a computation in two backends with one folder.
func TestCache(t *testing.T) {
	config := "cache=" + t.TempDir()
	for _, want := range []bool{false, true} {
		e := reversal(t, open(t, config), shapes.Make(dtypes.Float32, 3))
		if got := e.(*executable).fixed.(*bridge.Executable).Cached(); got != want {
			t.Errorf("whether the program was found is %t", got)
		}
	}
}
