package gomlx

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/testutil"

	"github.com/calliope-mlir/calliope/callbacks"
)

var (
	hostileCases = flag.Int("hostile", 3000, "the computations of TestHostileCalls")
	hostileSeed  = flag.Uint64("hostile-seed", 1, "the first seed of TestHostileCalls")
)

// TestHostileCalls calls the methods of the backend with random arguments of the right Go types, most of them wrong. A
// wrong argument must be an error, and never a panic. The failing seed is in the message: -hostile-seed=N -hostile=1.
func TestHostileCalls(t *testing.T) {
	b := open(t, "devices=2,dynamic")
	same := func(_ compute.Function, p []compute.Value) []compute.Value { return p }
	executables := []compute.Executable{
		compiled(t, b, []shapes.Shape{shapes.Make(dtypes.Float32, 2), shapes.Make(dtypes.Int4, 3)}, same),
		compiled(t, b, []shapes.Shape{dynamic("n"), dynamic("n")}, same),
	}
	cases := *hostileCases
	if testing.Short() {
		cases = min(cases, 300)
	}
	called, failed, panics := map[string]int{}, 0, map[string]bool{}
	for i := range cases {
		h := newHostile(b, executables, *hostileSeed+uint64(i))
		for range 8 {
			name, err, place, panicked := h.call()
			called[name]++
			if panicked != "" && !panics[place] { // one report for each place
				panics[place] = true
				t.Errorf("-hostile-seed=%d: %s panics: %s\n%s", h.seed, h.last, panicked, place)
			}
			if err {
				failed++
			}
			if h.builder.err() != nil {
				break // what follows would be the same error
			}
		}
		h.close()
	}
	t.Logf("%d methods, %d errors", len(called), failed)
	if cases >= 300 && (len(called) < 120 || failed < cases) {
		t.Errorf("only %d methods were called, with %d errors", len(called), failed)
	}
}

// hostile makes calls for one computation.
type hostile struct {
	*rand.Rand
	seed    uint64
	backend *Backend
	builder *builder
	last    string // call

	rank int // of the last value among the arguments, for the lengths of the slices after it

	values, wrongValues       []compute.Value
	functions, wrongFunctions []compute.Function
	buffers, wrongBuffers     []compute.Buffer
	other                     *builder // another one
	methods                   []hostileMethod
}

func newHostile(b *Backend, executables []compute.Executable, seed uint64) *hostile {
	h := &hostile{Rand: rand.New(rand.NewPCG(seed, 0)), seed: seed, backend: b, builder: newBuilder(b, "hostile")}
	f := h.builder.Main()
	for i, s := range []shapes.Shape{
		shapes.Make(dtypes.Float32, 2, 3), shapes.Make(dtypes.Float32, 3), shapes.Make(dtypes.Float32),
		shapes.Make(dtypes.Int32), shapes.Make(dtypes.Bool), shapes.Make(dtypes.Complex64, 2),
		shapes.Make(dtypes.Uint64, 3), shapes.Make(dtypes.Float32, 0), shapes.Make(dtypes.Float32, 1, 4, 4, 2),
		shapes.Make(dtypes.Int4, 3), dynamic("n", 2),
	} {
		if !s.IsDynamic() || h.IntN(4) == 0 {
			h.values = append(h.values, must(f.Parameter(fmt.Sprint("x", i), s, nil)))
		}
	}
	for _, flat := range []any{[]int32{2}, []float32{3}, []bool{true}} {
		h.values = append(h.values, must(f.Constant(flat)))
	}
	h.values = append(h.values, must(f.Constant([]int32{}, 0)), must(f.Constant([]int32{1, 2}, 2)))
	g := testutil.Must1(f.Closure())
	inner := must(g.Parameter("y", shapes.Make(dtypes.Float32), nil))
	testutil.Must(g.Return([]compute.Value{must(g.Neg(inner))}, nil))
	open := testutil.Must1(f.Closure()) // it never returns
	empty := testutil.Must1(h.builder.NewFunction("empty"))
	h.other = newBuilder(b, "other")
	other := h.other.Main()
	foreign := must(other.Parameter("z", shapes.Make(dtypes.Float32), nil))
	h.wrongValues = []compute.Value{inner, foreign, nil, "no value"}
	h.functions = []compute.Function{g, open}
	h.wrongFunctions = []compute.Function{f, empty, other, nil, (*function)(nil)}
	for _, flat := range []any{[]float32{1, 2}, []float32{1}, []int32{1}} {
		h.buffers = append(h.buffers, testutil.Must1(testutil.ToBuffer(b, flat)))
	}
	packed := testutil.Must1(b.BufferFromFlatData(1, []byte{1, 2}, shapes.Make(dtypes.Int4, 3)))
	gone := testutil.Must1(testutil.ToBuffer(b, []float32{1, 2}))
	testutil.Must(gone.Finalize())
	h.buffers, h.wrongBuffers = append(h.buffers, packed), []compute.Buffer{nil, (*buffer)(nil), gone}
	for _, target := range []struct {
		name string
		of   any
		as   reflect.Type
	}{
		{"main", f, reflect.TypeFor[compute.Function]()},
		{"closure", open, reflect.TypeFor[compute.Function]()},
		{"returned", g, reflect.TypeFor[compute.Function]()},
		{"builder", h.builder, reflect.TypeFor[compute.Builder]()},
		{"backend", b, reflect.TypeFor[compute.DataInterface]()},
		{"executable", executables[0], reflect.TypeFor[compute.Executable]()},
		{"dynamic executable", executables[1], reflect.TypeFor[compute.Executable]()},
		{"buffer", h.buffers[0], reflect.TypeFor[compute.Buffer]()},
		{"packed buffer", packed, reflect.TypeFor[compute.Buffer]()},
		{"finalized buffer", gone, reflect.TypeFor[compute.Buffer]()},
	} {
		for i := range target.as.NumMethod() {
			name := target.as.Method(i).Name
			if name == "Finalize" { // it is called at the end
				continue
			}
			method := hostileMethod{target.name + "." + name, reflect.ValueOf(target.of).MethodByName(name)}
			for range max(method.fn.Type().NumIn(), 1) { // what has more arguments is called more often
				h.methods = append(h.methods, method)
			}
		}
	}
	h.methods = append(h.methods, hostileMethod{"Tap", reflect.ValueOf(Tap)},
		hostileMethod{"Check", reflect.ValueOf(Check)}, hostileMethod{"RuntimeCall", reflect.ValueOf(RuntimeCall)},
		hostileMethod{"PureCall", reflect.ValueOf(PureCall)}, hostileMethod{"Return", reflect.ValueOf(Return)})
	return h
}

type hostileMethod struct {
	name string
	fn   reflect.Value
}

// call calls a random method with random arguments. It returns its name, whether it returned an error, and the place
// and message of a panic.
func (h *hostile) call() (name string, failed bool, place, panicked string) {
	method := h.methods[h.IntN(len(h.methods))]
	fn := method.fn
	name, h.rank = method.name, h.IntN(4)
	var in []reflect.Value
	var shown []string
	for i := range fn.Type().NumIn() {
		v := h.of(fn.Type().In(i))
		in, shown = append(in, v), append(shown, fmt.Sprintf("%#v", h.show(v)))
	}
	h.last = fmt.Sprintf("%s(%s)", name, strings.Join(shown, ", "))
	defer func() {
		if r := recover(); r != nil {
			failed, place, panicked = true, panicPlace(string(debug.Stack())), fmt.Sprint(r)
		}
	}()
	call := fn.Call
	if fn.Type().IsVariadic() {
		call = fn.CallSlice
	}
	for _, out := range call(in) {
		if out.Type() == reflect.TypeFor[error]() {
			failed = !out.IsNil()
			continue
		}
		switch x := out.Interface().(type) {
		case compute.Buffer:
			testutil.Must(x.Finalize())
		case []compute.Buffer:
			for _, b := range x {
				testutil.Must(b.Finalize())
			}
		case value:
			h.values = append(h.values, x)
		case []compute.Value:
			h.values = append(h.values, x...)
		}
	}
	return name, failed, "", ""
}

// show returns an argument as a message shows it.
func (h *hostile) show(v reflect.Value) any {
	switch x := v.Interface().(type) {
	case compute.Function, *value:
		return fmt.Sprintf("%T", x)
	case value:
		return fmt.Sprint("value ", x.number)
	default:
		return x
	}
}

// panicPlace returns the first line of a panic's stack that is below the call of panic.
func panicPlace(stack string) string {
	_, after, _ := strings.Cut(stack, "panic(")
	for line := range strings.Lines(after) {
		if strings.HasPrefix(line, "\t") && !strings.Contains(line, "/src/runtime/") {
			return strings.TrimSpace(line)
		}
	}
	return stack
}

// The sizes, axes and counts that fit something, and those that do not. Sizes that a machine might have are none of the
// latter: that there is no memory for one ends a program in Go.
var (
	smallNumbers = []int{0, 0, 1, 1, 2, 2, 3, 4}
	wrongNumbers = []int{-1, -1, -2, 7, 1 << 50, math.MaxInt, math.MinInt}
)

var hostileFlats = []any{[]float32{1, 2, 3}, []float32{1}, []int32{2}, []bool{true}, []int{1, 2}, []byte{1, 2},
	[]complex64{1}, []string{"a"}, []any{1}, []float32(nil), 3, "text", nil, [2]int32{1, 2}, map[string]int{}}

// pick returns a random element of right, or now and then one of wrong.
func pick[T any](h *hostile, right, wrong []T) T {
	if h.IntN(8) == 0 {
		right = wrong
	}
	return right[h.IntN(len(right))]
}

// of returns a random value of a type.
func (h *hostile) of(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	set := func(x any) {
		if x != nil {
			v.Set(reflect.ValueOf(x))
		}
	}
	switch t {
	case reflect.TypeFor[compute.Value]():
		x := pick(h, h.values, h.wrongValues)
		if own, ok := x.(value); ok && own.of.builder == h.builder {
			h.rank = h.builder.traces[0].values[own.number].Shape().Rank()
		}
		set(x)
		return v
	case reflect.TypeFor[compute.Function]():
		set(pick(h, h.functions, h.wrongFunctions))
		return v
	case reflect.TypeFor[compute.Buffer]():
		set(pick(h, h.buffers, h.wrongBuffers))
		return v
	case reflect.TypeFor[any]():
		set(hostileFlats[h.IntN(len(hostileFlats))])
		return v
	case reflect.TypeFor[callbacks.Func]():
		if h.IntN(2) == 0 {
			set(callbacks.Func(func(*callbacks.Frame) error { return nil }))
		}
		return v
	case reflect.TypeFor[shapes.Shape]():
		s := shapes.Shape{DType: h.of(reflect.TypeFor[dtypes.DType]()).Interface().(dtypes.DType),
			Dimensions: h.of(reflect.TypeFor[[]int]()).Interface().([]int)}
		switch h.IntN(4) {
		case 0:
			s.AxisNames = h.of(reflect.TypeFor[[]string]()).Interface().([]string)
		case 1:
			s.AxisNames = make([]string, len(s.Dimensions))
			for i := range s.AxisNames {
				s.AxisNames[i] = h.of(reflect.TypeFor[string]()).String()
			}
		}
		set(s)
		return v
	case reflect.TypeFor[dtypes.DType]():
		if h.IntN(16) > 0 {
			set([]dtypes.DType{dtypes.Float32, dtypes.Int32, dtypes.Uint64, dtypes.Bool, dtypes.Int4}[h.IntN(5)])
		} else {
			v.SetInt(int64(h.IntN(60) - 5))
		}
		return v
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(pick(h, smallNumbers, wrongNumbers)))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(h.IntN(6)))
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, 1e-5, -1, math.NaN()}[h.IntN(4)])
	case reflect.Bool:
		v.SetBool(h.IntN(2) == 0)
	case reflect.String:
		v.SetString([]string{"", "x0", "n", "m", "?", "main", "a b\x00\xff", "hostile"}[h.IntN(8)])
	case reflect.Pointer:
		if h.IntN(2) == 0 {
			v.Set(h.of(t.Elem()).Addr())
		}
	case reflect.Slice:
		n := h.rank
		if h.IntN(3) == 0 {
			n = h.IntN(5)
		}
		if n > 0 {
			v.Set(reflect.MakeSlice(t, n, n))
			for i := range n {
				v.Index(i).Set(h.of(t.Elem()))
			}
		}
	case reflect.Array:
		for i := range t.Len() {
			v.Index(i).Set(h.of(t.Elem()))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				v.Field(i).Set(h.of(t.Field(i).Type))
			}
		}
	default:
		panic(fmt.Sprintf("the generator makes no %s", t))
	}
	return v
}

// close frees the computation.
func (h *hostile) close() {
	for _, b := range h.buffers {
		testutil.Must(b.Finalize())
	}
	for _, b := range []*builder{h.builder, h.other} {
		for _, t := range b.traces {
			testutil.Must(t.close())
		}
	}
}
