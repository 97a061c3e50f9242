package bridge

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestPassthrough(t *testing.T) { onEngines(t, testPassthrough) }

func testPassthrough(t *testing.T, on testEngine) {
	const signature = "f32[4]->f32[4]"
	var saw []float32
	var same bool
	name := register(t, signature, func(call *callbacks.Frame) error {
		v, err := tensor.Slice[float32](call.Args[0])
		if err != nil {
			return err
		}
		saw = append(saw, v...)
		same = unsafe.SliceData(call.Args[0].Data) == unsafe.SliceData(call.Results[0].Data)
		return nil
	})
	e := on.compile(t, passthrough(name, signature, "tensor<4xf32>"))
	out, err := e.Call(t.Context(), view(t, []float32{0, 1, 2, 3}, 4))
	check.NoError(t, err)
	var want, doubled []float32
	for i := range 4 {
		v := float32(math.Cos(float64(i)))
		want, doubled = append(want, v), append(doubled, 2*v)
	}
	check.Diff(t, "operand", want, saw)
	check.Diff(t, "shares memory", true, same)
	check.Diff(t, "result", doubled, result[float32](t, out[0]))
}

// A value that is used later cannot be aliased: XLA allocates other memory for the result,
// and if the module has no aliases, the bridge copies.
func TestPassthroughCopies(t *testing.T) { onEngines(t, testPassthroughCopies) }

func testPassthroughCopies(t *testing.T, on testEngine) {
	for _, aliased := range []bool{true, false} {
		t.Run(fmt.Sprint("aliased=", aliased), func(t *testing.T) {
			const signature = "f32[3]->f32[3]"
			name := register(t, signature, func(call *callbacks.Frame) error {
				v, err := tensor.Slice[float32](call.Args[0])
				if err != nil {
					return err
				}
				v[0] = 9 // the operand is in the result's memory
				return nil
			})
			const typ = "tensor<3xf32>"
			call := custom(contract.Passthrough, named(name, signature), "%x", typ, typ)
			if !aliased {
				before, _, _ := strings.Cut(call, ", output_operand_aliases")
				call = before + "} : (" + typ + ") -> " + typ
			}
			e := on.compile(t,
				mainFunc("%x: "+typ, typ+", "+typ, "%p = "+call+"\nreturn %p, %x : "+typ+", "+typ))
			out, err := e.Call(t.Context(), view(t, []float32{1, 2, 3}, 3))
			check.NoError(t, err)
			check.Diff(t, "result", []float32{9, 2, 3}, result[float32](t, out[0]))
			check.Diff(t, "operand", []float32{1, 2, 3}, result[float32](t, out[1]))
		})
	}
}

func TestObserve(t *testing.T) { onEngines(t, testObserve) }

func testObserve(t *testing.T, on testEngine) {
	const signature = "s32[2]->"
	var saw []int32
	results := -1
	name := register(t, signature, func(call *callbacks.Frame) error {
		v, err := tensor.Slice[int32](call.Args[0])
		saw, results = append(saw, v...), len(call.Results)
		return err
	})
	const typ = "tensor<2xi32>"
	e := on.compile(t, mainFunc("%x: "+typ, "tensor<i8>",
		"%t = "+custom(contract.Observe, named(name, signature), "%x", typ, "tensor<i8>")+"\nreturn %t : tensor<i8>"))
	out, err := e.Call(t.Context(), view(t, []int32{5, 6}, 2))
	check.NoError(t, err)
	check.Diff(t, "operand", []int32{5, 6}, saw)
	check.Diff(t, "results seen", 0, results)
	check.Diff(t, "token", []int8{0}, result[int8](t, out[0]))
}

// Observing calls are made in the order of their token.
func TestTokensOrder(t *testing.T) { onEngines(t, testTokensOrder) }

func testTokensOrder(t *testing.T, on testEngine) {
	const signature = "s32[]->"
	var order []int32
	name := register(t, signature, func(call *callbacks.Frame) error {
		v, err := tensor.Slice[int32](call.Args[0])
		order = append(order, v...)
		return err
	})
	var body, token = "%t0 = stablehlo.constant dense<0> : tensor<i8>\n", "%t0"
	const n = 20
	for i := range n {
		body += fmt.Sprintf("%%c%d = stablehlo.constant dense<%d> : tensor<i32>\n", i, i)
		next := fmt.Sprintf("%%t%d", i+1)
		body += next + " = " + custom(contract.Observe, named(name, signature)+", n_tokens = 1 : i64",
			fmt.Sprintf("%%c%d, %s", i, token), "tensor<i32>, tensor<i8>", "tensor<i8>") + "\n"
		token = next
	}
	e := on.compile(t, mainFunc("", "", body+"return"))
	if _, err := e.Call(t.Context()); err != nil {
		t.Fatal(err)
	}
	var want []int32
	for i := range int32(n) {
		want = append(want, i)
	}
	check.Diff(t, "order", want, order)
}

func TestCallWithTemplate(t *testing.T) { onEngines(t, testCallWithTemplate) }

func testCallWithTemplate(t *testing.T, on testEngine) {
	for _, form := range []contract.Form{contract.Call, contract.Pure} {
		t.Run(string(form), func(t *testing.T) {
			const signature = "f32[2],s32[]->f64[3],pred[]"
			name := register(t, signature,
				callbacks.Call(func(_ context.Context, args []tensor.View) ([]tensor.View, error) {
					x, err := tensor.Slice[float32](args[0])
					if err != nil {
						return nil, err
					}
					k, err := tensor.Slice[int32](args[1])
					if err != nil {
						return nil, err
					}
					a, b := float64(x[0]), float64(x[1])
					return []tensor.View{view(t, []float64{a, b, a + b + float64(k[0])}, 3), tensor.Scalar(true)}, nil
				}))
			e := on.compile(t, mainFunc("%x: tensor<2xf32>, %k: tensor<i32>", "tensor<3xf64>, tensor<i1>",
				"%r:2 = "+custom(form, named(name, signature), "%x, %k", "tensor<2xf32>, tensor<i32>",
					"(tensor<3xf64>, tensor<i1>)")+
					"\nreturn %r#0, %r#1 : tensor<3xf64>, tensor<i1>"))
			out, err := e.Call(t.Context(), view(t, []float32{1, 2}, 2), tensor.Scalar(int32(4)))
			check.NoError(t, err)
			check.Diff(t, "results", 2, len(out))
			check.Diff(t, "result 0", []float64{1, 2, 7}, result[float64](t, out[0]))
			check.Diff(t, "result 1", []bool{true}, result[bool](t, out[1]))
		})
	}
}

// An unused pure call is removed, an impure one is kept.
func TestUnusedCalls(t *testing.T) { onEngines(t, testUnusedCalls) }

func testUnusedCalls(t *testing.T, on testEngine) {
	for _, test := range []struct {
		form  contract.Form
		calls int
	}{{contract.Pure, 0}, {contract.Call, 1}} {
		t.Run(string(test.form), func(t *testing.T) {
			const signature = "->f32[]"
			calls := 0
			name := register(t, signature, func(*callbacks.Frame) error { calls++; return nil })
			e := on.compile(t, mainFunc("", "",
				"%r = "+custom(test.form, named(name, signature), "", "", "tensor<f32>")+"\nreturn"))
			if _, err := e.Call(t.Context()); err != nil {
				t.Fatal(err)
			}
			check.Diff(t, "calls", test.calls, calls)
		})
	}
}

func TestByID(t *testing.T) { onEngines(t, testByID) }

func testByID(t *testing.T, on testEngine) {
	calls := 0
	id, err := callbacks.Default.RegisterFunc(func(call *callbacks.Frame) error {
		calls++
		if call.Name == "" {
			t.Error("the call has no name")
		}
		return nil
	}, callbacks.Options{})
	check.NoError(t, err)
	const typ = "tensor<2xf32>"
	e := on.compile(t, mainFunc("%x: "+typ, typ,
		"%p = "+custom(contract.Passthrough, fmt.Sprintf("callback_id = %d : i64", id), "%x", typ, typ)+
			"\nreturn %p : "+typ))
	_, err = e.Call(t.Context(), view(t, []float32{1, 2}, 2))
	check.NoError(t, err)
	check.Diff(t, "calls", 1, calls)
}

// The operands are data, ids and tokens, in this order.
func TestOperandOrder(t *testing.T) { onEngines(t, testOperandOrder) }

func testOperandOrder(t *testing.T, on testEngine) {
	const signature = "f32[1]->f32[1]"
	name := register(t, signature, func(call *callbacks.Frame) error {
		check.Diff(t, "operands", []string{"f32[1]"}, []string{call.Args[0].Shape.String()})
		check.Diff(t, "ids", []byte{7, 0, 0, 0}, call.IDs[0].Data)
		check.Diff(t, "results", 1, len(call.Results))
		return nil
	})
	e := on.compile(t, mainFunc("%x: tensor<1xf32>", "tensor<1xf32>",
		"%id = stablehlo.constant dense<7> : tensor<ui32>\n%t = stablehlo.constant dense<0> : tensor<i8>\n"+
			"%p:3 = "+custom(contract.Passthrough, named(name, signature)+", n_ids = 1 : i64, n_tokens = 1 : i64",
			"%x, %id, %t",
			"tensor<1xf32>, tensor<ui32>, tensor<i8>", "(tensor<1xf32>, tensor<ui32>, tensor<i8>)")+
			"\nreturn %p#0 : tensor<1xf32>"))
	out, err := e.Call(t.Context(), view(t, []float32{1}, 1))
	check.NoError(t, err)
	check.Diff(t, "result", []float32{1}, result[float32](t, out[0]))
}

// An optional callback that is not registered passes its operands through.
func TestOptionalUnbound(t *testing.T) { onEngines(t, testOptionalUnbound) }

func testOptionalUnbound(t *testing.T, on testEngine) {
	const typ = "tensor<2xf32>"
	e := on.compile(t, mainFunc("%x: "+typ, typ,
		"%p = "+custom(contract.Passthrough, named("nobody_listens", "f32[2]->f32[2]")+", optional = true", "%x", typ,
			typ)+"\nreturn %p : "+typ))
	out, err := e.Call(t.Context(), view(t, []float32{1, 2}, 2))
	check.NoError(t, err)
	check.Diff(t, "result", []float32{1, 2}, result[float32](t, out[0]))
}

// loop returns a module that calls a passthrough callback n times on a value that is
// doubled each time.
func loop(target, config string) string {
	const typ = "tensor<4xf32>"
	call := custom(contract.Passthrough, config, "%x", typ, typ)
	call = strings.Replace(call, contract.TargetIOCallback, target, 1)
	return mainFunc("%a: "+typ+", %n: tensor<i32>", typ, `
  %c = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c, %x = %a) : tensor<i32>, `+typ+`
    cond { %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1> }
    do { %y = `+call+`
      %z = stablehlo.add %y, %y : `+typ+`
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %z : tensor<i32>, `+typ+` }
  return %r#1 : `+typ)
}

func TestLoopAllocatesNothing(t *testing.T) { onEngines(t, testLoopAllocatesNothing) }

func testLoopAllocatesNothing(t *testing.T, on testEngine) {
	const signature = "f32[4]->f32[4]"
	calls := 0
	name := register(t, signature, func(*callbacks.Frame) error { calls++; return nil })
	e := on.compile(t, loop(contract.TargetIOCallback, named(name, signature)))
	run := func(n int32) {
		_, err := e.Call(context.Background(), view(t, []float32{1, 2, 3, 4}, 4), tensor.Scalar(n))
		check.NoError(t, err)
	}
	run(1)
	one := testing.AllocsPerRun(10, func() { run(1) })
	many := testing.AllocsPerRun(10, func() { run(10_001) })
	if perCall := (many - one) / 10_000; perCall > 0.01 {
		t.Errorf("%g allocations in a call", perCall)
	}
	check.Diff(t, "calls", 1+11+11*10_001, calls)
}

func TestConcurrentRuns(t *testing.T) { onEngines(t, testConcurrentRuns) }

func testConcurrentRuns(t *testing.T, on testEngine) {
	const signature = "f32[64,64]->f32[64,64]"
	var mu sync.Mutex
	runsSeen := map[int64]int{}
	name := register(t, signature, func(call *callbacks.Frame) error {
		mu.Lock()
		defer mu.Unlock()
		runsSeen[call.RunID]++
		return nil
	})
	e := on.compile(t, bigPassthrough(name, signature))
	const goroutines, each = 8, 20
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			in := make([]float32, 64*64)
			for i := range in {
				in[i] = float32(g)
			}
			for range each {
				out, err := e.Call(context.Background(), view(t, in, 64, 64))
				if err != nil {
					t.Error(err)
					return
				}
				if got, want := result[float32](t, out[0])[0], float32(64*g*g); got != want {
					t.Errorf("goroutine %d got %g, want %g", g, got, want)
				}
			}
		})
	}
	wg.Wait()
	check.Diff(t, "runs", goroutines*each, len(runsSeen))
}

// bigPassthrough returns a module that is large enough for XLA to execute it on its own
// threads.
func bigPassthrough(name, signature string) string {
	const typ = "tensor<64x64xf32>"
	return mainFunc("%x: "+typ, typ,
		"%d = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : ("+typ+", "+typ+") -> "+typ+"\n"+
			"%p = "+custom(contract.Passthrough, named(name, signature), "%d", typ, typ)+"\nreturn %p : "+typ)
}

// Bytecode and portable artifacts that bind by name run in every process. testdata has
// x + x after a passthrough callback "bridge_bytecode", written by another toolkit. Only
// portable artifacts outlive a change of StableHLO's bytecode: a plugin with 1.20 cannot read
// this file of bytecode, and says so.
func TestStoredModules(t *testing.T) {
	calls := 0
	if err := callbacks.Default.Register("bridge_bytecode", func(*callbacks.Frame) error { calls++; return nil },
		callbacks.Options{Signature: "f32[4]->f32[4]"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { callbacks.Default.Unregister("bridge_bytecode") })
	ran := 0
	for _, file := range []string{"bytecode.mlirbc", "portable_1_9_0.mlirbc"} {
		module, err := os.ReadFile(filepath.Join("testdata", file))
		check.NoError(t, err)
		if file == "bytecode.mlirbc" && knownPlugin(t).stablehlo == "1.20.0" {
			_, err := testClient(t).Compile(t.Context(), Source(module), engine.CompileOptions{})
			check.Error(t, err, "bridge: compile: ", "Failed to parse using StableHLO v1.20.0")
			continue
		}
		ran++
		e := compile(t, testClient(t), string(module), engine.CompileOptions{})
		out, err := e.Run(t.Context(), view(t, []float32{1, 2, 3, 4}, 4))
		check.NoError(t, err)
		check.Diff(t, file, []float32{2, 4, 6, 8}, host[float32](t, out[0]))
		check.Diff(t, "calls", ran, calls)
	}
	check.Diff(t, "an artifact was run", true, ran > 0)
}
