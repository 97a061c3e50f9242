package bridge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// BenchmarkSaved compiles modules, and loads what was compiled, from memory and from a cache. Loading 20 operations may
// take a tenth of the time of compiling them, and loading 2000 a third.
func BenchmarkSaved(b *testing.B) {
	callback := register(b, "f32[64]->f32[64]", negate)
	cache := check.Must(OpenCache(b.TempDir(), CacheOptions{}))
	client := testClient(b)
	cached := check.Must(testPlugin(b).NewClient(ClientOptions{Cache: cache}))
	check.Cleanup(b, cached)
	for _, operations := range []int{20, 2000} {
		module := Source(longModule(operations, callback))
		e := compile(b, client, string(module), engine.CompileOptions{})
		data := check.Must(e.Serialize())
		check.NoError(b, check.Must(cached.Compile(b.Context(), module,
			engine.CompileOptions{})).Close()) // which stores it
		for _, way := range []struct {
			name string
			make func() (*Executable, error)
		}{
			{"compile", func() (*Executable,
				error) {
				return client.Compile(b.Context(), module, engine.CompileOptions{})
			}},
			{"load", func() (*Executable, error) { return client.Load(b.Context(), data) }},
			{"hit", func() (*Executable,
				error) {
				return cached.Compile(b.Context(), module, engine.CompileOptions{})
			}},
		} {
			b.Run(fmt.Sprint(operations, "/", way.name), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					made := check.Must(way.make())
					if made.Cached() != (way.name == "hit") {
						b.Fatal("the cache has another module")
					}
					check.NoError(b, made.Close())
				}
			})
		}
		b.Run(fmt.Sprint(operations, "/serialize"), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for range b.N {
				check.Must(e.Serialize())
			}
		})
	}
}

// longModule returns a module with the number of operations, which XLA cannot fuse into one loop, and a call of Go at
// its end.
func longModule(operations int, callback string) string {
	const typ = "tensor<64xf32>"
	var s strings.Builder
	fmt.Fprintf(&s, "%%v0 = stablehlo.add %%x, %%x : %s\n", typ)
	for i := 1; i < operations; i++ {
		last := fmt.Sprintf("%%v%d", i-1)
		switch {
		case i%50 == 25:
			fmt.Fprintf(&s, "%%v%d = stablehlo.reverse %s, dims = [0] : %s\n", i, last, typ)
		case i%7 == 3:
			fmt.Fprintf(&s, "%%v%d = stablehlo.logistic %s : %s\n", i, last, typ)
		case i%7 == 5:
			fmt.Fprintf(&s, "%%v%d = stablehlo.tanh %s : %s\n", i, last, typ)
		default:
			op := []string{"subtract", "maximum"}[i%2]
			fmt.Fprintf(&s, "%%v%d = stablehlo.%s %s, %%v%d : %s\n", i, op, last, max(0, i-9), typ)
		}
	}
	call := custom(contract.Call, fmt.Sprintf("callback = %q", callback), fmt.Sprintf("%%v%d", operations-1), typ, typ)
	return mainFunc("%x: "+typ, typ, s.String()+"%c = "+call+"\nreturn %c : "+typ)
}
