package vmap_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/vmap"
)

// register binds fn to a name of the test until the test ends.
func register(t *testing.T, fn callbacks.Func) (name string) {
	t.Helper()
	name = strings.ReplaceAll(t.Name(), "/", ".")
	check.NoError(t, callbacks.Default.Register(name, fn, callbacks.Options{}))
	t.Cleanup(func() { _ = callbacks.Default.Unregister(name) })
	return name
}

// floats returns the elements of an array of f32.
func floats(v tensor.View) []float32 { return check.Must(tensor.Slice[float32](v)) }

// vector returns an array of f32.
func vector(dims []int, list ...float32) tensor.View {
	return check.Must(tensor.FromSlice(list, dims...))
}

// TestMethods calls a function of a batched vector and an unbatched scalar in each way.
func TestMethods(t *testing.T) {
	client := newClient(t)
	for method, want := range map[contract.BatchMethod][]string{
		contract.Sequential:         {"f32[2] f32[] -> f32[2]", "f32[2] f32[] -> f32[2]", "f32[2] f32[] -> f32[2]"},
		contract.SequentialUnrolled: {"f32[2] f32[] -> f32[2]", "f32[2] f32[] -> f32[2]", "f32[2] f32[] -> f32[2]"},
		contract.ExpandDims:         {`f32[3,2] f32[1] -> f32[3,2] [('batch', {'batch_dims': (0, None)})]`},
		contract.BroadcastAll:       {`f32[3,2] f32[3] -> f32[3,2] [('batch', {'batch_dims': (0, 0)})]`},
		contract.Parallel:           {"f32[2] f32[] -> f32[2]", "f32[2] f32[] -> f32[2]", "f32[2] f32[] -> f32[2]"},
	} {
		t.Run(string(method), func(t *testing.T) {
			var mu sync.Mutex
			var calls []string
			name := register(t, func(f *callbacks.Frame) error {
				call := fmt.Sprintf("%s %s -> %s %s", f.Args[0].Shape, f.Args[1].Shape, f.Results[0].Shape,
					contract.TransformText(f.Config.Transforms))
				mu.Lock()
				calls = append(calls, strings.TrimSpace(call))
				mu.Unlock()
				x, s, y := floats(f.Args[0]), floats(f.Args[1]), floats(f.Results[0])
				for i := range y {
					y[i] = x[i] * s[i/2%len(s)]
				}
				return nil
			})
			module := fmt.Sprintf(`func.func @main(%%x: tensor<2xf32>, %%s: tensor<f32>) -> tensor<2xf32> {
				%%0 = stablehlo.custom_call @calliope_runtime_call(%%x, %%s) {
					api_version = 4 : i32, operand_layouts = [dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>], result_layouts = [dense<0> : tensor<1xindex>],
					backend_config = {callback = %q, form = "pure", signature = %q, v = 1 : i64}
				} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
				return %%0 : tensor<2xf32>
			}`, name, contract.SignatureHash("f32[2],f32[]->f32[2]"))
			f := function(t, parse(t, module), "main")
			batched, err := vmap.Batch(f, vmap.Options{Size: 3, In: []int{0, vmap.NotBatched}, Method: method})
			check.NoError(t, err)
			got := compile(t, client, batched)(vector([]int{3, 2}, 1, 2, 3, 4, 5, 6), tensor.Scalar(float32(10)))
			check.Diff(t, "results", []float32{10, 20, 30, 40, 50, 60}, floats(got[0]))
			check.Diff(t, "calls", want, calls)
		})
	}
	t.Run("none", func(t *testing.T) {
		f := function(t, parse(t, `func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
			%0 = stablehlo.custom_call @calliope_runtime_call(%x) {
				api_version = 4 : i32, backend_config = {callback = "mine", form = "pure", v = 1 : i64}
			} : (tensor<2xf32>) -> tensor<2xf32> loc("user.py":7:3)
			return %0 : tensor<2xf32>
		}`), "main")
		_, err := vmap.Batch(f, vmap.Options{Size: 3})
		check.Error(t, err, "stablehlo.custom_call at user.py:7:3", `the callback "mine"`,
			`Options.Method to one of ["sequential" "sequential_unrolled" "expand_dims" "broadcast_all" "parallel"]`)
	})
}

// tap returns a tap of a scalar after a token, ordered by the effect io. %r is the token after it.
func tap(name, x, token string) string {
	return fmt.Sprintf(`stablehlo.custom_call @calliope_io_callback(%s, %s) {
		api_version = 4 : i32, has_side_effect = true,
		backend_config = {callback = %q, effect = "io", form = "observe", n_tokens = 1 : i64, v = 1 : i64},
		output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]
	} : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>`, x, token, name)
}

// unordered returns a tap of a scalar without a token.
func unordered(name, x string) string {
	return fmt.Sprintf(`stablehlo.custom_call @calliope_io_callback(%s) {
		api_version = 4 : i32, has_side_effect = true, backend_config = {callback = %q, form = "observe", v = 1 : i64}
	} : (tensor<f32>) -> ()`, x, name)
}

// TestTaps holds what taps see: one call with the batch, and under a condition that differs in the batch one
// call for each element for which it holds, in their order.
func TestTaps(t *testing.T) {
	client := newClient(t)
	for _, test := range []struct {
		name string
		body func(callback string) string // of a function of %x: tensor<f32> that returns %y: tensor<f32>
		want []string
	}{
		{"plain", func(f string) string {
			return "%t = " + tap(f, "%x", "%token") + "\n%t1 = " + tap(f, "%one", "%t") +
				"\n%y = stablehlo.negate %x : tensor<f32>"
		}, []string{"f32[3] [1 2 3] [('batch', {'batch_dims': (0,)})]", "f32[] [1] "}},
		{"passthrough", func(f string) string {
			return fmt.Sprintf(`%%y:2 = stablehlo.custom_call @calliope_io_callback(%%x, %%one) {
				api_version = 4 : i32, has_side_effect = true, backend_config = {callback = %q, form = "passthrough", v = 1 : i64},
				output_operand_aliases = [
					#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>,
					#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>]
			} : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
			%%z = stablehlo.add %%y#0, %%y#1 : tensor<f32>`, f)
		}, []string{"f32[3] [1 2 3] [('batch', {'batch_dims': (0, None)})]"}},
		{"in if, ordered", func(f string) string {
			return `%first = ` + tap(f, "%x", "%token") + `
			%p = stablehlo.compare NE, %x, %two : (tensor<f32>, tensor<f32>) -> tensor<i1>
			%y:2 = "stablehlo.if"(%p) ({
				%t = ` + tap(f, "%x", "%first") + `
				%z = stablehlo.multiply %x, %x : tensor<f32>
				stablehlo.return %z, %t : tensor<f32>, tensor<1xi8>
			}, {
				stablehlo.return %x, %first : tensor<f32>, tensor<1xi8>
			}) : (tensor<i1>) -> (tensor<f32>, tensor<1xi8>)
			%last = ` + tap(f, "%y#0", "%y#1")
		}, []string{"f32[3] [1 2 3] [('batch', {'batch_dims': (0,)})]", "f32[] [1] ", "f32[] [3] ",
			"f32[3] [1 2 9] [('batch', {'batch_dims': (0,)})]"}},
		{"in case, unordered", func(f string) string {
			return `%i = stablehlo.convert %x : (tensor<f32>) -> tensor<i32>
			%y = "stablehlo.case"(%i) ({
				stablehlo.return %x : tensor<f32>
			}, {
				` + unordered(f, "%x") + `
				stablehlo.return %x : tensor<f32>
			}, {
				stablehlo.return %x : tensor<f32>
			}) : (tensor<i32>) -> tensor<f32>`
		}, []string{"f32[] [1] "}},
		{"in while, ordered", func(f string) string {
			return `%y:2 = stablehlo.while(%c = %x, %t = %token) : tensor<f32>, tensor<1xi8>
			cond {
				%p = stablehlo.compare LT, %c, %three : (tensor<f32>, tensor<f32>) -> tensor<i1>
				stablehlo.return %p : tensor<i1>
			} do {
				%u = ` + tap(f, "%c", "%t") + `
				%d = stablehlo.add %c, %one : tensor<f32>
				stablehlo.return %d, %u : tensor<f32>, tensor<1xi8>
			}
			%last = ` + tap(f, "%y#0", "%y#1")
		}, []string{"f32[] [1] ", "f32[] [2] ", "f32[] [2] ", "f32[3] [3 3 3] [('batch', {'batch_dims': (0,)})]"}},
		{"in a loop of as many steps, ordered", func(f string) string {
			return `%y:3 = stablehlo.while(%i = %one, %c = %x, %t = %token) : tensor<f32>, tensor<f32>, tensor<1xi8>
			cond {
				%p = stablehlo.compare LT, %i, %three : (tensor<f32>, tensor<f32>) -> tensor<i1>
				stablehlo.return %p : tensor<i1>
			} do {
				%u = ` + tap(f, "%c", "%t") + `
				%j = stablehlo.add %i, %one : tensor<f32>
				%d = stablehlo.add %c, %one : tensor<f32>
				stablehlo.return %j, %d, %u : tensor<f32>, tensor<f32>, tensor<1xi8>
			}`
		}, []string{"f32[3] [1 2 3] [('batch', {'batch_dims': (0,)})]",
			"f32[3] [2 3 4] [('batch', {'batch_dims': (0,)})]"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var calls []string
			name := register(t, func(f *callbacks.Frame) error {
				calls = append(calls, fmt.Sprint(f.Args[0].Shape, " ", floats(f.Args[0]), " ",
					contract.TransformText(f.Config.Transforms)))
				return nil
			})
			f := function(t, parse(t, `func.func @main(%x: tensor<f32>) -> tensor<f32> {
				%token = stablehlo.constant dense<0> : tensor<1xi8>
				%one = stablehlo.constant dense<1.0> : tensor<f32>
				%two = stablehlo.constant dense<2.0> : tensor<f32>
				%three = stablehlo.constant dense<3.0> : tensor<f32>
				`+test.body(name)+`
				return %x : tensor<f32>
			}`), "main")
			batched, err := vmap.Batch(f, vmap.Options{Size: 3})
			check.NoError(t, err)
			compile(t, client, batched)(vector([]int{3}, 1, 2, 3))
			check.Diff(t, "calls", test.want, calls)
			if t.Failed() {
				t.Log(batched)
			}
		})
	}
}

// TestOrderedCalls holds that a call with a token keeps its place in the order, in each way of calling it.
func TestOrderedCalls(t *testing.T) {
	client := newClient(t)
	for _, method := range []contract.BatchMethod{contract.Sequential, contract.SequentialUnrolled,
		contract.BroadcastAll} {
		t.Run(string(method), func(t *testing.T) {
			var calls []string
			name := register(t, func(f *callbacks.Frame) error {
				calls = append(calls, fmt.Sprint(floats(f.Args[0])))
				if len(f.Results) > 0 {
					for i, x := range floats(f.Args[0]) {
						floats(f.Results[0])[i] = x + 1
					}
				}
				return nil
			})
			f := function(t,
				parse(t, `func.func @main(%x: tensor<f32>, %token: tensor<1xi8>) -> (tensor<f32>, tensor<1xi8>) {
				%first = `+tap(name, "%x", "%token")+`
				%0:2 = stablehlo.custom_call @calliope_runtime_call(%x, %first) {
					api_version = 4 : i32, has_side_effect = true,
					backend_config = {callback = "`+name+`", effect = "io", form = "call", n_tokens = 1 : i64, v = 1 : i64},
					output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>]
				} : (tensor<f32>, tensor<1xi8>) -> (tensor<f32>, tensor<1xi8>)
				%last = `+tap(name, "%0#0", "%0#1")+`
				return %0#0, %last : tensor<f32>, tensor<1xi8>
			}`), "main")
			batched, err := vmap.Batch(f, vmap.Options{Size: 2, Method: method})
			check.NoError(t, err)
			got := compile(t, client, batched)(vector([]int{2}, 1, 5), tensor.Vector(int8(0)))
			check.Diff(t, "results", []float32{2, 6}, floats(got[0]))
			want := []string{"[1 5]", "[1]", "[5]", "[2 6]"}
			if method == contract.BroadcastAll {
				want = []string{"[1 5]", "[1 5]", "[2 6]"}
			}
			check.Diff(t, "calls", want, calls)
			_, err = vmap.Batch(f, vmap.Options{Size: 2, Method: contract.Parallel})
			check.Error(t, err, "are ordered, so that they cannot be made at the same time")
			_, err = vmap.Batch(f, vmap.Options{Size: 2, Method: method, In: []int{0, 0}})
			check.Error(t, err, "value 1 of Options.In is tensor<1xi8>, a token")
		})
	}
}

// TestOrderedOfJAX holds that ordered calls as JAX lowers them, from the token that main takes to the one that it
// returns, stay one chain.
func TestOrderedOfJAX(t *testing.T) {
	f := function(t, parse(t, `func.func @main(%t: !stablehlo.token, %x: tensor<f32>) -> (!stablehlo.token, tensor<f32>) {
		%0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%t, %x) {has_side_effect = true,
			mhlo.backend_config = {index = 0 : ui64}} : (!stablehlo.token, tensor<f32>) -> !stablehlo.token
		%1:2 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%0, %x) {has_side_effect = true,
			mhlo.backend_config = {index = 1 : ui64}} : (!stablehlo.token, tensor<f32>) -> (!stablehlo.token, tensor<f32>)
		return %1#0, %1#1 : !stablehlo.token, tensor<f32>
	}`), "main")
	batched, err := vmap.Batch(f, vmap.Options{Size: 3, Method: contract.Sequential})
	check.NoError(t, err)
	check.NoError(t, batched.Verify())
	body := batched.Region(0).First()
	token := body.Argument(0)
	calls := 0
	for op := range body.Operations() {
		if op.Name() != "stablehlo.while" {
			continue
		}
		for i, v := range op.Operands() {
			if stablehlo.IsToken(v.Type()) {
				check.Diff(t, fmt.Sprint("call ", calls, " follows the one before"), true, v.Equal(token))
				token = op.Result(i)
			}
		}
		calls++
	}
	check.Diff(t, "calls", 2, calls)
	check.Diff(t, "the last one is returned", true, body.Terminator().Operand(0).Equal(token))
	_, err = vmap.Batch(f, vmap.Options{Size: 3})
	check.Error(t, err, "has side effects")
}

// TestParallel holds that a batch of a batch of a callback that is called in parallel is one operation, which calls the
// function for each element of both, and that its derivative is such a batch again.
func TestParallel(t *testing.T) {
	client := newClient(t)
	product := register(t, func(f *callbacks.Frame) error {
		check.Diff(t, "shapes", "f32[2] f32[]", fmt.Sprint(f.Args[0].Shape, " ", f.Args[1].Shape))
		x, s := floats(f.Args[0]), floats(f.Args[1])
		for i := range x {
			floats(f.Results[0])[i] = x[i] * x[i] * s[0]
		}
		return nil
	})
	check.NoError(t, callbacks.Default.Register(product+".vjp", func(f *callbacks.Frame) error { // of x, s, y, dy
		x, s, dy := floats(f.Args[0]), floats(f.Args[1]), floats(f.Args[3])
		floats(f.Results[1])[0] = 0
		for i := range x {
			floats(f.Results[0])[i] = 2 * x[i] * s[0] * dy[i]
			floats(f.Results[1])[0] += x[i] * x[i] * dy[i]
		}
		return nil
	}, callbacks.Options{}))
	t.Cleanup(func() { _ = callbacks.Default.Unregister(product + ".vjp") })
	for _, rule := range []string{"", product + ".vjp"} {
		f := function(t, parse(t, fmt.Sprintf(`func.func @main(%%x: tensor<2xf32>, %%s: tensor<f32>) -> tensor<2xf32> {
			%%0 = stablehlo.custom_call @calliope_runtime_call(%%x, %%s) {
				api_version = 4 : i32,
				backend_config = {batch = "parallel", callback = %q, form = "pure", signature = %q, v = 3 : i64, vjp = %q}
			} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
			return %%0 : tensor<2xf32>
		}`, product, contract.SignatureHash("f32[2],f32[]->f32[2]"), rule)), "main")
		batched, err := vmap.Batch(f, vmap.Options{Size: 3, In: []int{0, vmap.NotBatched}})
		check.NoError(t, err)
		batched, err = vmap.Batch(batched, vmap.Options{Size: 2, In: []int{vmap.NotBatched, 0}})
		check.NoError(t, err)
		axes := `parallel = ".*,*."`
		if rule != "" {
			axes = `parallel = "**,**"` // each element has a cotangent of s
		}
		if text := batched.String(); strings.Count(text, "custom_call") != 1 || !strings.Contains(text, axes) {
			t.Errorf("the batch is not one operation with %s:\n%s", axes, text)
		}
		x, s := vector([]int{3, 2}, 1, 2, 3, 4, 5, 6), vector([]int{2}, 10, 100)
		want := []float32{10, 40, 90, 160, 250, 360, 100, 400, 900, 1600, 2500, 3600}
		check.Diff(t, "results", want, floats(compile(t, client, batched)(x, s)[0]))
		if rule == "" {
			continue
		}
		forward, backward, err := autodiff.VJP(batched, autodiff.Options{})
		check.NoError(t, err)
		kept := compile(t, client, forward)(x, s)
		dy := vector([]int{2, 3, 2}, 1, 1, 1, 0, 2, 1, 0, 0, 0, 0, 0, 1)
		got := compile(t, client, backward)(append(kept[1:], dy)...)
		check.Diff(t, "cotangent of x", []float32{20, 40, 60, 0, 200, 120 + 1200}, floats(got[0]))
		check.Diff(t, "cotangent of s", []float32{1 + 4 + 9 + 50 + 36, 36}, floats(got[1]))
	}
}

// TestKey holds that a call says how it is called for a batch.
func TestKey(t *testing.T) {
	client := newClient(t)
	for _, test := range []struct {
		name, form, key string
		want            []string
		err             string
	}{
		{"a method", "pure", "sequential", []string{"f32[2]", "f32[2]"}, ""},
		{"that of the options", "pure", "", []string{"f32[2,2]"}, ""},
		{"a tap for each element", "observe", "sequential_unrolled", []string{"f32[2]", "f32[2]"}, ""},
		{"a function", "pure", "@rule", nil, ""},
		{"a function that is not there", "pure", "@other", nil,
			"the function @other of its rule for batches is not in the module"},
		{"a function of another type", "pure", "@main", nil, "has the type (tensor<2xf32>) -> tensor<2xf32>, but batches of the operands and results need (tensor<2x2xf32>) -> tensor<2x2xf32>"},
		{"parallel for a tap", "observe", "parallel", nil, "has no results that the host computes, so that its method cannot be \"parallel\""},
		{"no method", "pure", "slowly", nil, `the key batch of the callback is "slowly": use one of ["sequential"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var calls []string
			name := register(t, func(f *callbacks.Frame) error {
				calls = append(calls, f.Args[0].Shape.String())
				for i := range f.Results {
					copy(f.Results[i].Data, f.Args[i].Data)
				}
				return nil
			})
			key := ""
			if test.key != "" {
				key = fmt.Sprintf("batch = %q, ", test.key)
			}
			call := fmt.Sprintf(`%%0 = stablehlo.custom_call @calliope_runtime_call(%%x) {
				api_version = 4 : i32, backend_config = {%scallback = %q, form = "pure", v = 3 : i64}
			} : (tensor<2xf32>) -> tensor<2xf32>
			return %%0 : tensor<2xf32>`, key, name)
			if test.form == "observe" {
				call = fmt.Sprintf(`stablehlo.custom_call @calliope_io_callback(%%x) {
					api_version = 4 : i32, has_side_effect = true, backend_config = {%scallback = %q, form = "observe", v = 3 : i64}
				} : (tensor<2xf32>) -> ()
				return %%x : tensor<2xf32>`, key, name)
			}
			f := function(t, parse(t, `func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
				`+call+`
			}
			func.func private @rule(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
				return %x : tensor<2x2xf32>
			}`), "main")
			batched, err := vmap.Batch(f, vmap.Options{Size: 2, Method: contract.BroadcastAll})
			if test.err != "" {
				check.Error(t, err, test.err)
				return
			}
			check.NoError(t, err)
			got := compile(t, client, batched)(vector([]int{2, 2}, 1, 2, 3, 4))
			check.Diff(t, "results", []float32{1, 2, 3, 4}, floats(got[0]))
			check.Diff(t, "calls", test.want, calls)
		})
	}
}

// TestRules holds that a callback keeps its derivative in a batch: that of the batch is the batch of the function of
// the module that has it, also for arguments that are not batched.
func TestRules(t *testing.T) {
	client := newClient(t)
	for _, method := range []contract.BatchMethod{
		contract.Sequential, contract.SequentialUnrolled, contract.ExpandDims, contract.BroadcastAll, contract.Parallel,
	} {
		for _, rule := range []string{"jvp", "vjp"} {
			t.Run(fmt.Sprint(method, " ", rule), func(t *testing.T) {
				name := register(t, func(f *callbacks.Frame) error {
					x, s, y := floats(f.Args[0]), floats(f.Args[1]), floats(f.Results[0])
					for i := range y {
						y[i] = x[i] * x[i] * s[i/2%len(s)]
					}
					return nil
				})
				call := fmt.Sprintf(`stablehlo.custom_call @calliope_runtime_call(%%x, %%s) {
					api_version = 4 : i32, backend_config = {callback = %q, form = "pure", %s = "@%[2]s", v = 3 : i64}
				} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>`, name, rule)
				m := parse(t, `func.func @main(%x: tensor<2xf32>, %s: tensor<f32>) -> tensor<2xf32> {
					%0 = `+call+`
					return %0 : tensor<2xf32>
				}
				func.func @jvp(%x: tensor<2xf32>, %s: tensor<f32>, %dx: tensor<2xf32>, %ds: tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>) {
					%y = `+call+`
					%ss = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2xf32>
					%dss = stablehlo.broadcast_in_dim %ds, dims = [] : (tensor<f32>) -> tensor<2xf32>
					%xx = stablehlo.multiply %x, %x : tensor<2xf32>
					%a = stablehlo.multiply %xx, %dss : tensor<2xf32>
					%twice = stablehlo.add %x, %x : tensor<2xf32>
					%b = stablehlo.multiply %twice, %ss : tensor<2xf32>
					%c = stablehlo.multiply %b, %dx : tensor<2xf32>
					%dy = stablehlo.add %a, %c : tensor<2xf32>
					return %y, %dy : tensor<2xf32>, tensor<2xf32>
				}
				func.func @vjp(%x: tensor<2xf32>, %s: tensor<f32>, %y: tensor<2xf32>, %dy: tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>) {
					%zero = stablehlo.constant dense<0.0> : tensor<f32>
					%ss = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2xf32>
					%twice = stablehlo.add %x, %x : tensor<2xf32>
					%b = stablehlo.multiply %twice, %ss : tensor<2xf32>
					%dx = stablehlo.multiply %b, %dy : tensor<2xf32>
					%xx = stablehlo.multiply %x, %x : tensor<2xf32>
					%all = stablehlo.multiply %xx, %dy : tensor<2xf32>
					%ds = stablehlo.reduce(%all init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
					return %dx, %ds : tensor<2xf32>, tensor<f32>
				}`)
				batched, err := vmap.Batch(function(t, m, "main"),
					vmap.Options{Size: 3, In: []int{0, vmap.NotBatched}, Method: method})
				check.NoError(t, err)
				forward, backward, err := autodiff.VJP(batched, autodiff.Options{})
				check.NoError(t, err)
				kept := compile(t, client, forward)(vector([]int{3, 2}, 1, 2, 3, 4, 5, 6), tensor.Scalar(float32(10)))
				got := compile(t, client, backward)(append(kept[1:], vector([]int{3, 2}, 1, 1, 1, 0, 2, 1))...)
				check.Diff(t, "cotangent of x", []float32{20, 40, 60, 0, 200, 120}, floats(got[0]))
				check.Diff(t, "cotangent of s", []float32{1 + 4 + 9 + 50 + 36}, floats(got[1]))
			})
		}
	}
}

// TestRuleOfBatch holds that a callback whose batch a function of the module computes keeps its derivative.
func TestRuleOfBatch(t *testing.T) {
	client := newClient(t)
	for _, rule := range []string{"jvp", "vjp"} {
		t.Run(rule, func(t *testing.T) {
			call := fmt.Sprintf(`stablehlo.custom_call @calliope_runtime_call(%%x, %%n) {
				api_version = 4 : i32, backend_config = {batch = "@batch", callback = "nobody", form = "pure", %s = "@%[1]s", v = 3 : i64}
			} : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)`, rule)
			m := parse(t, `func.func @main(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
				%0:2 = `+call+`
				return %0#0 : tensor<f32>
			}
			func.func private @batch(%x: tensor<3xf32>, %n: tensor<3xi32>) -> (tensor<3xf32>, tensor<3xi32>) {
				%0 = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xi32>
				%1 = stablehlo.convert %n : (tensor<3xi32>) -> tensor<3xf32>
				%2 = stablehlo.multiply %x, %1 : tensor<3xf32>
				return %2, %0 : tensor<3xf32>, tensor<3xi32>
			}
			func.func private @jvp(%x: tensor<f32>, %n: tensor<i32>, %dx: tensor<f32>) -> (tensor<f32>, tensor<i32>, tensor<f32>) {
				%0:2 = `+call+`
				%1 = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>
				%2 = stablehlo.multiply %dx, %1 : tensor<f32>
				return %0#0, %0#1, %2 : tensor<f32>, tensor<i32>, tensor<f32>
			}
			func.func private @vjp(%x: tensor<f32>, %n: tensor<i32>, %y: tensor<f32>, %z: tensor<i32>, %dy: tensor<f32>) -> tensor<f32> {
				%1 = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>
				%2 = stablehlo.multiply %dy, %1 : tensor<f32>
				return %2 : tensor<f32>
			}`)
			batched, err := vmap.Batch(function(t, m, "main"), vmap.Options{Size: 3})
			check.NoError(t, err)
			forward, backward, err := autodiff.VJP(batched, autodiff.Options{})
			check.NoError(t, err)
			kept := compile(t, client, forward)(vector([]int{3}, 1, 2, 3), tensor.Vector[int32](4, 5, 6))
			check.Diff(t, "results", []float32{4, 10, 18}, floats(kept[0]))
			got := compile(t, client, backward)(append(kept[1:], vector([]int{3}, 1, 10, 100))...)
			check.Diff(t, "cotangents", []float32{4, 50, 600}, floats(got[0]))
		})
	}
}
