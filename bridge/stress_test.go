package bridge

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// Runs of all kinds, whose contexts end at any time and whose clients are closed during the
// runs, do not leak, on any number of processors.
func TestStress(t *testing.T) {
	for _, processors := range []int{1, 2, 16} {
		t.Run(fmt.Sprint(processors), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			before := buffersAlive()
			for round := range 4 {
				stress(t, uint64(round))
			}
			check.Diff(t, "buffers alive", before, buffersAlive())
		})
	}
}

func stress(t *testing.T, seed uint64) {
	const workers, each = 12, 40
	c, err := testPlugin(t).NewClient(ClientOptions{Devices: 2, MemoryLimit: 64 << 20})
	check.NoError(t, err)
	var executables []*Executable
	for i, way := range ways {
		registry, err := callbacks.NewRegistry(fmt.Sprintf("%s.%d", t.Name(), i), callbacks.RegistryOptions{})
		check.NoError(t, err)
		defer registry.Close()
		var n atomic.Int32
		if err := registry.Register("f", func(*callbacks.Frame) error {
			if n.Add(1)%50 == 0 {
				return errSentinel
			}
			return nil
		}, callbacks.Options{Dispatch: way}); err != nil {
			t.Fatal(err)
		}
		e, err := c.Compile(t.Context(), Source(big(contract.Passthrough,
			fmt.Sprintf("callback = \"f\", registry = %q", registry.Name()))), engine.CompileOptions{})
		check.NoError(t, err)
		executables = append(executables, e)
	}
	in := bigInput(t)
	data := aligned(64 * 64)
	buffer, err := c.ArrayFromHost(t.Context(), in, 0)
	check.NoError(t, err)
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(worker)))
			for range each {
				e := executables[random.IntN(len(executables))]
				ctx, stop := context.Background(), func() {}
				if random.IntN(3) > 0 {
					ctx, stop = context.WithTimeout(ctx, time.Duration(random.IntN(2000))*time.Microsecond)
				}
				input := []engine.Input{in, buffer, engine.Borrow(view(t, data, 64, 64))}[random.IntN(3)]
				var out []*engine.Array
				var err error
				if random.IntN(2) == 0 {
					out, err = e.Run(ctx, input)
				} else if r, failed := e.Start(ctx, input); failed != nil {
					err = failed
				} else {
					out, err = r.Wait(ctx)
				}
				stop()
				if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, errSentinel) &&
					!strings.Contains(err.Error(), "closed") {
					t.Error(err)
				}
				for _, b := range out {
					v, err := b.View(t.Context())
					if err != nil {
						t.Error(err)
						continue
					}
					b.Close()
					v.Close()
				}
			}
		})
	}
	if seed%2 == 1 { // during the runs
		time.Sleep(5 * time.Millisecond)
		check.Report(t, c.Close())
	}
	wg.Wait()
	buffer.Close()
	for _, e := range executables {
		e.Close()
	}
	check.Report(t, c.Close())
	for begun := time.Now(); !c.xla.Closed(); { // abandoned runs end soon
		if runtime.Gosched(); time.Since(begun) > 10*time.Second {
			t.Fatalf("the client is not freed: %+v", c.Stats())
		}
	}
}
