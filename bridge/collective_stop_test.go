package bridge

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// Calls that are stopped between two collective operations release all devices, with every
// Dispatch. Otherwise XLA ends the process.
func TestStopBetweenCollectives(t *testing.T) {
	if os.Getenv("CALLIOPE_TEST_COLLECTIVES") != "" {
		for _, way := range []callbacks.Dispatch{callbacks.Goroutine, callbacks.Deferred} {
			t.Run(way.String(), func(t *testing.T) { stopBetweenCollectives(t, way) })
		}
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^TestStopBetweenCollectives$", "-test.timeout=30s")
	child.Env = append(os.Environ(), "CALLIOPE_TEST_COLLECTIVES=1")
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func stopBetweenCollectives(t *testing.T, way callbacks.Dispatch) {
	const replicas = 8
	const typ = "tensor<2xf32>"
	c, err := testPlugin(t).NewClient(ClientOptions{Devices: replicas})
	check.NoError(t, err)
	check.Cleanup(t, c)
	var stuck, later atomic.Int32
	leave := make(chan bool)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	blocks := func(done func()) callbacks.Func {
		return func(f *callbacks.Frame) error {
			if stuck.Add(1) == replicas {
				done()
			}
			<-leave
			return nil
		}
	}
	registry, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{Workers: 2 * replicas})
	check.NoError(t, err)
	defer registry.Close()
	defer close(leave)
	check.NoError(t, registry.Register("cancelled", blocks(cancel), callbacks.Options{Dispatch: way}))
	check.NoError(t,
		registry.Register("slow", blocks(func() {}), callbacks.Options{Dispatch: way, Timeout: 2 * time.Millisecond}))
	check.NoError(t, registry.Register("later", func(f *callbacks.Frame) error { later.Add(1); return nil },
		callbacks.Options{Dispatch: way}))

	call := func(name, operand string) string {
		return custom(contract.Passthrough,
			"callback = "+strconv.Quote(name)+", registry = "+strconv.Quote(registry.Name()), operand, typ, typ)
	}
	for _, test := range []struct {
		name string
		ctx  context.Context
		want func(error) bool
	}{
		{"cancelled", ctx, func(err error) bool { return errors.Is(err, context.Canceled) }},
		{"slow", t.Context(), func(err error) bool { var e *callbacks.TimeoutError; return errors.As(err, &e) }},
	} {
		module := func(between string) string {
			return mainFunc("%x: "+typ, typ,
				"%s = "+allReduce("%x", 1, replicas)+
					"%p = "+call(between, "%s")+
					"\n%r = "+allReduce("%p", 2, replicas)+
					"%q = "+call("later", "%r")+
					"\nreturn %q : "+typ)
		}
		run := func(ctx context.Context, between string, value float32) error {
			e := compile(t, c, module(between), engine.CompileOptions{Replicas: replicas})
			var inputs []engine.Input
			for range replicas {
				inputs = append(inputs, view(t, []float32{value, value}, 2))
			}
			out, err := e.Run(ctx, inputs...)
			for _, b := range out {
				check.Diff(t, "sum", []float32{0, 0}, host[float32](t, b))
			}
			return err
		}
		stuck.Store(0)
		later.Store(0)
		if err := run(test.ctx, test.name, 1); !test.want(err) {
			t.Errorf("%s: got the error %v", test.name, err)
		}
		// The run continues to its end.
		check.NoError(t, c.group.Wait(t.Context()))
		check.Diff(t, test.name+": calls after the error", int32(0), later.Load())
		later.Store(0)
		check.NoError(t, run(t.Context(), "later", 0))
		check.Diff(t, test.name+": calls of the next run", int32(2*replicas), later.Load())
	}
}

// allReduce returns a sum over all replicas.
func allReduce(operand string, channel, replicas int) string {
	ids := make([]string, replicas)
	for i := range ids {
		ids[i] = strconv.Itoa(i)
	}
	return `"stablehlo.all_reduce"(` + operand + `) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) {replica_groups = dense<[[` + strings.Join(ids, ", ") + `]]> : tensor<1x` + strconv.Itoa(replicas) +
		`xi64>, channel_handle = #stablehlo.channel_handle<handle = ` + strconv.Itoa(channel) +
		`, type = 1>} : (tensor<2xf32>) -> tensor<2xf32>
`
}
