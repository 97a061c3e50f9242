package callbacks_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

type celsius float32

type point struct{ X, Y float32 }

type everything struct {
	Bool bool
	I8   int8
	I16  int16
	I32  int32
	I64  int64
	Int  int
	U8   uint8
	U16  uint16
	U32  uint32
	U64  uint64
	Uint uint
	F16  tensor.Float16
	BF16 tensor.BFloat16
	F32  celsius
	F64  float64
	C64  complex64
	C128 complex128

	Array tensor.Array[int16]
	View  tensor.View

	Point  point
	Points [2]point
	None   struct{}
	Slice  []int8
	List   []point
	Grid   [][]int32
	Map    map[string]point
	Ints   map[int]int8
	Uints  map[uint8][]int8
	Nil    []float64
}

func someEverything() everything {
	return everything{
		Bool: true, I8: -8, I16: -16, I32: -32, I64: -64, Int: -1, U8: 8, U16: 16, U32: 32, U64: math.MaxUint64,
		Uint: 1,
		F16:  tensor.ToFloat16(0.5), BF16: tensor.ToBFloat16(2), F32: 21.5, F64: math.Pi, C64: 1 + 2i, C128: 3 - 4i,
		Array: tensor.Array[int16]{Dims: []int{2, 1}, Data: []int16{1, 2}}, View: tensor.Vector[uint32](7, 8, 9),
		Point: point{1, 2}, Points: [2]point{{3, 4}, {5, 6}},
		Slice: []int8{7, 8}, List: []point{{7, 8}}, Grid: [][]int32{{1, 2, 3}, {4, 5, 6}},
		Map:   map[string]point{"b": {11, 12}, "a": {9, 10}},
		Ints:  map[int]int8{10: 3, -2: 1, 9: 2},
		Uints: map[uint8][]int8{200: {5}, 3: {4, 4}}, Nil: []float64{},
	}
}

// everythingFlat are its leaves in order, written out.
func everythingFlat() []tensor.View {
	array, _ := tensor.FromSlice([]int16{1, 2}, 2, 1)
	flat := []tensor.View{
		tensor.Scalar(true), tensor.Scalar[int8](-8), tensor.Scalar[int16](-16), tensor.Scalar[int32](-32),
		tensor.Scalar[int64](-64), tensor.Scalar[int64](-1),
		tensor.Scalar[uint8](8), tensor.Scalar[uint16](16), tensor.Scalar[uint32](32),
		tensor.Scalar[uint64](math.MaxUint64), tensor.Scalar[uint64](1),
		tensor.Scalar(tensor.ToFloat16(0.5)), tensor.Scalar(tensor.ToBFloat16(2)), tensor.Scalar[float32](21.5),
		tensor.Scalar(math.Pi),
		tensor.Scalar[complex64](1 + 2i), tensor.Scalar[complex128](3 - 4i), array, tensor.Vector[uint32](7, 8, 9),
	}
	for i := range 6 {
		flat = append(flat, tensor.Scalar(float32(i+1))) // Point, Points
	}
	grid, _ := tensor.FromSlice([]int32{1, 2, 3, 4, 5, 6}, 2, 3)
	flat = append(flat, tensor.Vector[int8](7, 8), tensor.Scalar[float32](7), tensor.Scalar[float32](8), grid)
	for i := range 4 {
		flat = append(flat, tensor.Scalar(float32(i+9))) // the map by "a", "b"
	}
	for _, n := range []int8{1, 2, 3} { // by -2, 9, 10
		flat = append(flat, tensor.Scalar(n))
	}
	return append(flat, tensor.Vector[int8](4, 4), tensor.Vector[int8](5), tensor.Vector[float64]()) // by 3, 200
}

// room returns memory for results of the given shapes.
func room(views []tensor.View) []tensor.View {
	out := make([]tensor.View, len(views))
	for i, v := range views {
		out[i] = v.Clone()
		for j := range out[i].Data {
			out[i].Data[j] = 0xA5
		}
	}
	return out
}

// A tree of every kind comes in, and goes out, in the order of the contract.
func TestTree(t *testing.T) {
	like := someEverything()
	like.View.Data, like.Array.Data = nil, nil // a template needs none
	template := callbacks.Template[everything, everything]{Args: like, Results: like}
	var got everything
	identity := callbacks.Call(func(_ context.Context, args everything) (everything, error) {
		got = args
		return args, nil
	}, template)
	// Later changes of the template have no effect.
	like.Map["c"], like.List[0].X = point{}, 1
	delete(like.Ints, 9)

	call := &callbacks.Frame{Name: "f", Args: everythingFlat(), Results: room(everythingFlat())}
	check.NoError(t, identity(call))
	check.Diff(t, "arguments", someEverything(), got, cmpopts.EquateEmpty())
	check.Diff(t, "results", everythingFlat(), call.Results, cmpopts.EquateEmpty())
}

func TestArraysAreNotCopied(t *testing.T) {
	args := []tensor.View{tensor.Vector[float32](1, 2), tensor.Vector[int8](3)}
	call := &callbacks.Frame{Args: args}
	type tree struct {
		A tensor.Array[float32]
		V tensor.View
	}
	check.NoError(t, callbacks.Tap(func(_ context.Context, in tree) error {
		in.A.Data[1], in.V.Data[0] = 5, 6
		return nil
	})(call))
	check.Diff(t, "args", []tensor.View{tensor.Vector[float32](1, 5), tensor.Vector[int8](6)}, args)
}

// call runs a function on arguments, with room for results.
func call[A, R any](
	fn func(context.Context, A) (R, error), args, results []tensor.View, template ...callbacks.Template[A, R],
) error {
	return callbacks.Call(fn, template...)(&callbacks.Frame{Name: "f", Args: args, Results: results})
}

func TestTreesOfOneLeafAndOfNone(t *testing.T) {
	result := room([]tensor.View{tensor.Scalar[float32](0)})
	check.NoError(t, call(func(_ context.Context, x float32) (float32, error) { return 2 * x, nil },
		[]tensor.View{tensor.Scalar[float32](4)}, result))
	check.Diff(t, "scalar", []tensor.View{tensor.Scalar[float32](8)}, result)

	check.NoError(t, call(func(_ context.Context, x tensor.Array[float32]) (tensor.View, error) {
		return tensor.Scalar(x.Data[1]), nil
	},
		[]tensor.View{tensor.Vector[float32](4, 5)}, result))
	check.Diff(t, "arrays", []tensor.View{tensor.Scalar[float32](5)}, result)

	calls := 0
	check.NoError(t,
		call(func(context.Context, struct{}) (struct{}, error) { calls++; return struct{}{}, nil }, nil, nil))
	check.NoError(t, call(func(context.Context, [0]int) (map[string]int, error) { calls++; return nil, nil }, nil, nil))
	check.NoError(t, call(func(context.Context, []tensor.View) ([][0]int, error) {
		calls++
		return make([][0]int, 3), nil
	}, nil, nil))
	check.Diff(t, "calls", 3, calls)
}

// A slice accepts any number of arrays, if its elements are all alike.
func TestOpenSlices(t *testing.T) {
	flat := []tensor.View{tensor.Scalar[float32](1), tensor.Scalar[float32](2), tensor.Scalar[float32](3),
		tensor.Scalar[float32](4)}
	var points []point
	results := room(flat[:2])
	check.NoError(t, call(func(_ context.Context, args []point) ([2]float32, error) {
		points = args
		return [2]float32{args[1].X, args[1].Y}, nil
	}, flat, results))
	check.Diff(t, "points", []point{{1, 2}, {3, 4}}, points)
	check.Diff(t, "results", flat[2:], results)

	check.NoError(t, call(func(_ context.Context, args []point) (struct{}, error) {
		points = args
		return struct{}{}, nil
	}, nil, nil))
	check.Diff(t, "no points", []point{}, points)

	err := call(func(_ context.Context, args []point) (struct{}, error) { return struct{}{}, nil }, flat[:3], nil)
	check.Text(t, err, `the function takes 4 arguments, the module gives 3:
  [0].X: takes f32[], given f32[]
  [0].Y: takes f32[], given f32[]
  [1].X: takes f32[], given f32[]
  [1].Y: takes f32[], given nothing  <- differs`)
	err = call(func(_ context.Context, args []bool) (struct{}, error) { return struct{}{}, nil }, flat[:1], nil)
	check.Text(t, err, `the function takes other arguments than the module gives:
  argument 0: takes pred[?], given f32[]  <- differs`)
}

// XLA accepts bytes as bools that Go does not.
func TestBoolBytes(t *testing.T) {
	odd := tensor.Scalar(true)
	odd.Data[0] = 2
	results := room([]tensor.View{odd})
	check.NoError(t, call(func(_ context.Context, b bool) (bool, error) { return b, nil }, []tensor.View{odd}, results))
	check.Diff(t, "result", []tensor.View{tensor.Scalar(true)}, results)
}

func TestArgumentsThatDoNotFit(t *testing.T) {
	type tree struct {
		N     int32
		A     tensor.Array[float32]
		V     tensor.View
		Named map[string]float64
	}
	template := tree{Named: map[string]float64{"lr": 0}}
	n, a, v, lr := tensor.Scalar[int32](1), tensor.Vector[float32](1, 2), tensor.Scalar(true), tensor.Scalar(0.5)
	for _, c := range []struct {
		name string
		args []tensor.View
		want string
	}{
		{"fits", []tensor.View{n, a, v, lr}, ""},
		{"too few", []tensor.View{n, a, v}, `the function takes 4 arguments, the module gives 3:
  .N: takes s32[], given s32[]
  .A: takes any f32 array, given f32[2]
  .V: takes any array, given pred[]
  .Named["lr"]: takes f64[], given nothing  <- differs`},
		{"too many", []tensor.View{n, a, v, lr, lr}, `the function takes 4 arguments, the module gives 5:
  .N: takes s32[], given s32[]
  .A: takes any f32 array, given f32[2]
  .V: takes any array, given pred[]
  .Named["lr"]: takes f64[], given f64[]
  argument 4: takes nothing, given f64[]  <- differs`},
		{"order", []tensor.View{a, n, v, lr}, `the function takes other arguments than the module gives:
  .N: takes s32[], given f32[2]  <- differs
  .A: takes any f32 array, given s32[]  <- differs
  .V: takes any array, given pred[]
  .Named["lr"]: takes f64[], given f64[]`},
		{"not a scalar", []tensor.View{tensor.Vector[int32](1), a, v, lr},
			`the function takes other arguments than the module gives:
  .N: takes s32[], given s32[1]  <- differs
  .A: takes any f32 array, given f32[2]
  .V: takes any array, given pred[]
  .Named["lr"]: takes f64[], given f64[]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls := 0
			err := callbacks.Tap(func(context.Context, tree) error { calls++; return nil },
				template)(&callbacks.Frame{Name: "f", Args: c.args})
			if c.want == "" {
				check.NoError(t, err)
				check.Diff(t, "calls", 1, calls)
				return
			}
			check.Text(t, err, c.want)
			if !check.As[*callbacks.TemplateError](t, err).Arguments || calls != 0 {
				t.Errorf("Arguments is not set, or the function was called: %d", calls)
			}
		})
	}
}

// If any result is wrong, no byte of the results is copied.
func TestResultsThatDoNotFit(t *testing.T) {
	type tree struct {
		Mean  float32
		Rows  []tensor.Array[int32]
		Named map[string]tensor.View
		Any   tensor.View
	}
	good := func() tree {
		return tree{
			Mean:  1,
			Rows:  []tensor.Array[int32]{{Dims: []int{2}, Data: []int32{1, 2}}, {Dims: []int{2}, Data: []int32{3, 4}}},
			Named: map[string]tensor.View{"b": tensor.Scalar(true), "a": tensor.Scalar(false)},
			Any:   tensor.Scalar[int8](5),
		}
	}
	flat := []tensor.View{tensor.Scalar[float32](1), tensor.Vector[int32](1, 2), tensor.Vector[int32](3, 4),
		tensor.Scalar(false), tensor.Scalar(true), tensor.Scalar[int8](5)}
	rows := [6]string{
		"  .Mean: expected f32[], returned f32[]",
		"  .Rows[0]: expected s32[2], returned s32[2]",
		"  .Rows[1]: expected s32[2], returned s32[2]",
		`  .Named["a"]: expected pred[], returned pred[]`,
		`  .Named["b"]: expected pred[], returned pred[]`,
		"  .Any: expected s8[], returned s8[]",
	}
	for _, c := range []struct {
		name   string
		change func(*tree)
		count  int
		rows   map[int]string // that differ
	}{
		{"nothing", func(*tree) {}, 0, nil},
		{"everything zero", func(r *tree) { *r = tree{} }, 2, map[int]string{
			1: "  .Rows[0]: expected s32[2], returned nothing  <- differs",
			2: "  .Rows[1]: expected s32[2], returned nothing  <- differs",
			3: `  .Named["a"]: expected pred[], returned nothing  <- differs`,
			4: `  .Named["b"]: expected pred[], returned nothing  <- differs`,
			5: "  .Any: expected s8[], returned an empty View  <- differs",
		}},
		{"a nil slice", func(r *tree) { r.Rows = nil }, 4, map[int]string{
			1: "  .Rows[0]: expected s32[2], returned nothing  <- differs",
			2: "  .Rows[1]: expected s32[2], returned nothing  <- differs",
		}},
		{"a slice that is too long", func(r *tree) { r.Rows = append(r.Rows, r.Rows[0]) }, 7, map[int]string{
			6: "  .Rows[2]: expected nothing, returned s32[2]  <- differs",
		}},
		{"another key with the same shape", func(r *tree) { r.Named["c"] = r.Named["b"]; delete(r.Named, "b") }, 6,
			map[int]string{
				4: `  .Named["b"]: expected pred[], returned nothing  <- differs`,
				6: `  .Named["c"]: expected nothing, returned pred[]  <- differs`,
			}},
		{"a shape", func(r *tree) { r.Rows[1] = tensor.Array[int32]{Dims: []int{2, 1}, Data: []int32{1, 2}} }, 6,
			map[int]string{
				2: "  .Rows[1]: expected s32[2], returned s32[2,1]  <- differs",
			}},
		{"an element type", func(r *tree) { r.Any = tensor.Scalar[uint8](5) }, 6, map[int]string{
			5: "  .Any: expected s8[], returned u8[]  <- differs",
		}},
		{"an array without its elements", func(r *tree) { r.Rows[1].Data = nil }, 6, map[int]string{
			2: "  .Rows[1]: expected s32[2], returned a broken array (tensor: s32[2] has 2 elements, the slice has 0)  <- differs",
		}},
		{"a zero array", func(r *tree) { r.Rows[0] = tensor.Array[int32]{} }, 6, map[int]string{
			1: "  .Rows[0]: expected s32[2], returned a broken array (tensor: s32[] has 1 elements, the slice has 0)  <- differs",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			results := room(flat)
			value := good()
			c.change(&value)
			err := call(func(context.Context, struct{}) (tree, error) { return value, nil }, nil, results,
				callbacks.Template[struct{}, tree]{Results: good()})
			if c.rows == nil {
				check.NoError(t, err)
				check.Diff(t, "results", flat, results)
				return
			}
			want := "the function returned other results than the module expects:"
			if c.count != 6 {
				want = fmt.Sprintf("the function returned %d results, the module expects 6:", c.count)
			}
			for i := range 7 {
				switch row, ok := c.rows[i]; {
				case ok:
					want += "\n" + row
				case i < 6:
					want += "\n" + rows[i]
				}
			}
			check.Text(t, err, want)
			check.As[*callbacks.TemplateError](t, err)
			check.Diff(t, "results", room(flat), results)
		})
	}
}

// Without a template results of open types are compared with the module only.
func TestOpenResults(t *testing.T) {
	result := func(m map[string]int8) ([]tensor.View, error) {
		results := room([]tensor.View{tensor.Scalar[int8](0), tensor.Scalar[int8](0)})
		err := call(func(context.Context, struct{}) (map[string]int8, error) { return m, nil }, nil, results)
		return results, err
	}
	results, err := result(map[string]int8{"y": 2, "x": 1})
	check.NoError(t, err)
	check.Diff(t, "results", []tensor.View{tensor.Scalar[int8](1), tensor.Scalar[int8](2)}, results)
	_, err = result(nil)
	check.Text(t, err, `the function returned 0 results, the module expects 2:
  result 0: expected s8[], returned nothing  <- differs
  result 1: expected s8[], returned nothing  <- differs`)
	_, err = result(map[string]int8{"y": 2})
	check.Text(t, err, `the function returned 1 result, the module expects 2:
  result 0: expected s8[], returned s8[]
  result 1: expected s8[], returned nothing  <- differs`)
}

type loop []loop

func TestResultsThatHoldThemselves(t *testing.T) {
	err := call(func(context.Context, struct{}) (loop, error) {
		l := make(loop, 1)
		l[0] = l
		return l, nil
	}, nil, nil)
	check.Text(t, err, `the results: the tree is nested more than 1000 deep: does a slice or map hold itself?`)
}

func TestTemplateErrorUnwraps(t *testing.T) {
	mine := errors.New("mine")
	err := &callbacks.TemplateError{Got: []callbacks.Leaf{{Path: "result 0"}, {Path: "result 1", Err: mine}}}
	if !errors.Is(err, mine) {
		t.Error("the error of a leaf is not found")
	}
}

// In the passthrough form results are the arguments' memory, whatever the function does to
// them.
func TestPassthroughOfTrees(t *testing.T) {
	type tree struct {
		A, B tensor.Array[int32]
		N    int32
	}
	a, b, n := tensor.Vector[int32](1, 2), tensor.Vector[int32](3, 4), tensor.Scalar[int32](5)
	memory := []tensor.View{a, b, n}
	frame := &callbacks.Frame{Name: "f", Config: contract.Config{Form: contract.Passthrough}, Args: memory,
		Results: memory}
	check.NoError(t, callbacks.Call(func(_ context.Context, in tree) (tree, error) {
		return tree{A: in.B, B: in.A, N: in.N + 1}, nil
	})(frame))
	check.Diff(t, "swapped",
		[]tensor.View{tensor.Vector[int32](3, 4), tensor.Vector[int32](1, 2), tensor.Scalar[int32](6)}, memory)
	check.NoError(t, callbacks.Call(func(_ context.Context, in tree) (tree, error) {
		in.A.Data[0] = 9 // in place
		return in, nil
	})(frame))
	check.Diff(t, "in place",
		[]tensor.View{tensor.Vector[int32](9, 4), tensor.Vector[int32](1, 2), tensor.Scalar[int32](6)}, memory)
}

type hidden struct {
	X float32
	y float32
}

// Functions that return an error return one for such a type.
func TestRegisterTypesThatAreNoTrees(t *testing.T) {
	var r callbacks.Registry
	check.Text(t, callbacks.RegisterCall(&r, "f",
		func(context.Context, struct{}) (hidden, error) { return hidden{y: 1}, nil }, callbacks.Options{}),
		`callbacks: callback "f": results: the field y of callbacks_test.hidden is not exported`)
	check.Text(t, callbacks.RegisterTap(&r, "f", func(context.Context, *int) error { return nil }, callbacks.Options{}),
		`callbacks: callback "f": arguments: this is a *int, which cannot be part of a tree: use tensor.View, tensor.Array, numbers, slices of numbers, structs, slices, arrays and maps`)
	check.Text(t, callbacks.RegisterTap[int32](&r, "f", nil, callbacks.Options{}),
		`callbacks: the function of callback "f" is nil`)
	check.Diff(t, "what is registered", 0, len(r.List()))
}

// Types that cannot be trees cause a panic when the function is made.
func TestTypesThatAreNoTrees(t *testing.T) {
	for want, make := range map[string]func(){
		"callbacks: Tap: arguments: this is a *int, which cannot be part of a tree: use tensor.View, tensor.Array, numbers, slices of numbers, structs, slices, arrays and maps": func() {
			callbacks.Tap(func(context.Context, *int) error { return nil })
		},
		"callbacks: Tap: arguments: struct { S []string }.S[] is a string, which cannot be part of a tree: use tensor.View, tensor.Array, numbers, slices of numbers, structs, slices, arrays and maps": func() {
			callbacks.Tap(func(context.Context, struct{ S []string }) error { return nil })
		},
		"callbacks: Call: results: the field y of callbacks_test.hidden is not exported": func() {
			callbacks.Call(func(context.Context, struct{}) (hidden, error) { return hidden{y: 1}, nil })
		},
		"callbacks: Call: results: map[float64]int is a map with keys of type float64: use strings or integers, which have an order": func() {
			callbacks.Call(func(context.Context, struct{}) (map[float64]int, error) { return nil, nil })
		},
		"callbacks: Call: arguments: map[string]int has slices or maps, whose lengths and keys the type does not determine: give a template with an example": func() {
			callbacks.Call(func(context.Context, map[string]int) (struct{}, error) { return struct{}{}, nil })
		},
		"callbacks: Tap: arguments: []map[int]int has slices or maps, whose lengths and keys the type does not determine: give a template with an example": func() {
			callbacks.Tap(func(context.Context, []map[int]int) error { return nil })
		},
		"callbacks: Tap: arguments: the arguments are a slice whose elements hold no array, so its length is not known: give a template with an example": func() {
			callbacks.Tap(func(context.Context, []struct{}) error { return nil })
		},
	} {
		func() {
			defer func() { check.Diff(t, "panic", any(want), recover()) }()
			make()
		}()
	}
	if callbacks.Tap[int](nil) != nil || callbacks.Call[int, int](nil) != nil {
		t.Error("a nil function became one that could be registered")
	}
}

func TestFrameOf(t *testing.T) {
	frame := &callbacks.Frame{Name: "f", Device: 2, RunID: 7, Static: []any{"s"},
		Config: contract.Config{Effect: "log", Loc: "a/b.go:3"}}
	var kept context.Context
	check.NoError(t, callbacks.Tap(func(ctx context.Context, _ struct{}) error {
		derived, cancel := context.WithCancel(ctx)
		defer cancel()
		for _, ctx := range []context.Context{ctx, derived} {
			got, ok := callbacks.FrameOf(ctx)
			if !ok || got != frame {
				t.Errorf("the frame is %v, %v", got, ok)
			}
		}
		kept = ctx
		return nil
	})(frame))
	for name, ctx := range map[string]context.Context{"after the call": kept, "of no call": t.Context()} {
		if got, ok := callbacks.FrameOf(ctx); ok || got != nil {
			t.Errorf("the frame %s is %v, %v", name, got, ok)
		}
	}
}

func TestSignatureOf(t *testing.T) {
	matrix := tensor.Array[float32]{Dims: []int{2, 3}}
	type stats struct {
		Mean celsius
		Rows []tensor.View
	}
	for _, c := range []struct {
		want string
		get  func() (string, error)
	}{
		{"f32[2,3],s32[]->f32[]", func() (string, error) {
			return callbacks.SignatureOf(struct {
				M tensor.Array[float32]
				N int32
			}{M: matrix}, float32(0))
		}},
		{"->", func() (string, error) { return callbacks.SignatureOf(struct{}{}, struct{}{}) }},
		{"pred[]->f32[],s8[2],s8[]", func() (string, error) {
			return callbacks.SignatureOf(false,
				stats{Rows: []tensor.View{tensor.Vector[int8](1, 2), {Shape: tensor.ShapeOf(tensor.S8)}}})
		}},
		{"f32[],f32[],s64[0]->", func() (string, error) {
			return callbacks.SignatureOf(map[string]tensor.View{"y": {Shape: tensor.ShapeOf(tensor.S64, 0)},
				"x": tensor.Scalar[float32](1), "X": tensor.Scalar[float32](1)}, struct{}{})
		}},
		{"bf16[],f16[]->u32[]", func() (string, error) {
			return callbacks.SignatureOf(struct {
				A tensor.Array[tensor.BFloat16]
				B tensor.Array[tensor.Float16]
			}{tensor.Array[tensor.BFloat16]{Data: make([]tensor.BFloat16, 1)},
				tensor.Array[tensor.Float16]{Dims: []int{}}}, uint32(0))
		}},
	} {
		got, err := c.get()
		check.NoError(t, err)
		check.Diff(t, "signature", c.want, got)
	}
	_, err := callbacks.SignatureOf(matrix, stats{Rows: make([]tensor.View, 1)})
	check.Text(t, err, "callbacks: the results have no signature: .Rows[0] has no dimensions: give a View with a Shape, an Array with Dims, or a slice of the length")
	_, err = callbacks.SignatureOf([]int8(nil), 0)
	check.Text(t, err, "callbacks: the arguments have no signature: leaf 0 has no dimensions: give a View with a Shape, an Array with Dims, or a slice of the length")
	_, err = callbacks.SignatureOf(tensor.Array[int8]{}, 0)
	check.Text(t, err, "callbacks: the arguments have no signature: leaf 0 has no dimensions: give a View with a Shape, an Array with Dims, or a slice of the length")
	_, err = callbacks.SignatureOf(0, "text")
	check.Text(t, err, "callbacks: the results have no signature: this is a string, which cannot be part of a tree: use tensor.View, tensor.Array, numbers, slices of numbers, structs, slices, arrays and maps")
}

// The signature is filled in where the types or the template determine it.
func TestRegisterTyped(t *testing.T) {
	r := registry(t)
	norm := func(context.Context, point) (float32, error) { return 0, nil }
	first := func(_ context.Context, args []tensor.Array[float32]) (tensor.View, error) { return args[0].View() }
	check.NoError(t, callbacks.RegisterCall(r, "a: types", norm, callbacks.Options{}))
	check.NoError(t, callbacks.RegisterCall(r, "b: given", norm, callbacks.Options{Signature: "f32[],f32[]->f32[]"}))
	check.NoError(t, callbacks.RegisterCall(r, "c: open", first, callbacks.Options{}))
	check.NoError(t, callbacks.RegisterCall(r, "d: template", first, callbacks.Options{},
		callbacks.Template[[]tensor.Array[float32], tensor.View]{
			Args:    []tensor.Array[float32]{{Dims: []int{4}}},
			Results: tensor.View{Shape: tensor.ShapeOf(tensor.F32, 4)},
		}))
	check.NoError(t, callbacks.RegisterCall(r, "e: half a template", first, callbacks.Options{},
		callbacks.Template[[]tensor.Array[float32], tensor.View]{
			Args: []tensor.Array[float32]{{Dims: []int{4}}},
		}))
	tap := func(context.Context, []int8) error { return nil }
	check.NoError(t,
		callbacks.RegisterTap(r, "f: tap", func(context.Context, point) error { return nil }, callbacks.Options{}))
	check.NoError(t, callbacks.RegisterTap(r, "g: open tap", tap, callbacks.Options{}))
	check.NoError(t, callbacks.RegisterTap(r, "h: template of a tap", tap, callbacks.Options{}, []int8{0, 0}))
	got := map[string]string{}
	for _, info := range r.List() {
		got[info.Name] = info.Signature
	}
	check.Diff(t, "signatures", map[string]string{
		"a: types": "f32[],f32[]->f32[]", "b: given": "f32[],f32[]->f32[]", "c: open": "",
		"d: template": "f32[4]->f32[4]", "e: half a template": "",
		"f: tap": "f32[],f32[]->", "g: open tap": "", "h: template of a tap": "s8[2]->",
	}, got)
	check.Text(t, callbacks.RegisterTap[int](r, "nil", nil, callbacks.Options{}),
		`callbacks: the function of callback "nil" is nil`)
	check.Text(t, callbacks.RegisterCall(r, "a: types", norm, callbacks.Options{}),
		`callbacks: the callback "a: types" is registered already: Unregister it first`)
}

// Concurrent calls on many devices do not mix their trees.
func TestTypedConcurrently(t *testing.T) {
	call := callbacks.Call(func(_ context.Context, p map[string]point) (point, error) { return p["a"], nil },
		callbacks.Template[map[string]point, point]{Args: map[string]point{"a": {}}})
	done := make(chan error)
	for i := range 8 {
		go func() {
			x, y := tensor.Scalar(float32(i)), tensor.Scalar(float32(-i))
			var err error
			for range 100 {
				frame := &callbacks.Frame{Args: []tensor.View{x, y}, Results: room([]tensor.View{x, y})}
				err = errors.Join(err, call(frame))
				if d := cmp.Diff(frame.Args, frame.Results); d != "" {
					err = errors.Join(err, errors.New(d))
				}
			}
			done <- err
		}()
	}
	for range 8 {
		check.NoError(t, <-done)
	}
}

// A call of a typed function makes its context, its arguments and its results, and
// nothing for each leaf.
func TestTypedAllocations(t *testing.T) {
	fn, frame := scalarCall()
	if n := testing.AllocsPerRun(100, func() { _ = fn(frame) }); n > 3 {
		t.Errorf("a call allocates %v times", n)
	}
}

func scalarCall() (callbacks.Func, *callbacks.Frame) {
	type in struct {
		P point
		N int32
	}
	type out struct {
		Sum  float32
		Done bool
	}
	args := []tensor.View{tensor.Scalar[float32](1), tensor.Scalar[float32](2), tensor.Scalar[int32](3)}
	return callbacks.Call(func(_ context.Context, a in) (out, error) { return out{a.P.X + a.P.Y, a.N > 2}, nil }),
		&callbacks.Frame{Args: args, Results: []tensor.View{tensor.Scalar[float32](0), tensor.Scalar(false)}}
}

func BenchmarkTyped(b *testing.B) {
	scalars, scalarFrame := scalarCall()
	views := callbacks.Tap(func(context.Context, []tensor.View) error { return nil })
	mapped := callbacks.Tap(func(context.Context, map[string]float32) error { return nil },
		map[string]float32{"x": 0, "y": 0, "z": 0})
	three := make([]tensor.View, 3)
	for i := range three {
		three[i] = tensor.Scalar[float32](1)
	}
	for _, c := range []struct {
		name  string
		fn    callbacks.Func
		frame *callbacks.Frame
	}{
		{"scalars", scalars, scalarFrame},
		{"views", views, &callbacks.Frame{Args: three}},
		{"map", mapped, &callbacks.Frame{Args: three}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.fn(c.frame); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
