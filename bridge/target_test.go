package bridge

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// foreignCall returns a module that calls a foreign target.
func foreignCall(target, attributes string) string {
	return mainFunc("%x: tensor<2xf32>", "tensor<2xf32>",
		"%r = stablehlo.custom_call @"+target+"(%x) {"+attributes+
			"} : (tensor<2xf32>) -> tensor<2xf32>\nreturn %r : tensor<2xf32>")
}

// typedFFI returns the attributes of a call with a backend_config.
func typedFFI(dictionary string) string {
	return "api_version = 4 : i32, backend_config = {" + dictionary + "}"
}

// registerForeign registers the foreign targets of all tests, because TestForeignLimit
// registers as many as a process serves.
func registerForeign(t *testing.T) {
	t.Helper()
	for _, target := range foreignOfTests() {
		check.NoError(t, testPlugin(t).RegisterForeign(target))
	}
}

func foreignOfTests() []callbacks.ForeignTarget {
	return []callbacks.ForeignTarget{
		{Target: "test.attributes", Callback: "TestForeignAttributes"},
		{Target: "test.scale", Callback: "TestForeignDecode",
			Check: func(a callbacks.Attributes) error { return a.Decode(new(scaling)) }},
		{Target: "test.fails", Callback: "TestForeignErrors"},
		{Target: "test.absent"},
		{Target: "test.any_layout", Callback: "TestForeignLayouts", AnyLayout: true},
		{Target: "test.row_major", Callback: "TestForeignLayouts"},
		{Target: "example.power"}, // of ExamplePlugin_RegisterForeign
	}
}

// copies is a callback that copies its operands to its results.
func copies(f *callbacks.Frame) error {
	for i, r := range f.Results {
		copy(r.Data, f.Args[i].Data)
	}
	return nil
}

// TestForeignAttributes passes attributes of every type, in both spellings.
func TestForeignAttributes(t *testing.T) { onEngines(t, testForeignAttributes) }

func testForeignAttributes(t *testing.T, on testEngine) {
	const dictionary = `flag = true, text = "a\"b", i8 = -1 : i8, i16 = -2 : i16, i32 = -3 : i32, i64 = -4 : i64,
		u8 = 1 : ui8, u16 = 2 : ui16, u32 = 3 : ui32, u64 = 18446744073709551615 : ui64, f32 = 0.5 : f32, f64 = 0.25 : f64,
		i8s = array<i8: 1, -2>, i32s = array<i32: 3>, i64s = array<i64: 4, 5>, f32s = array<f32: 0.5>, f64s = array<f64: 0.25>, none = array<i64>,
		dict = {a = 1 : i64, b = {c = "d"}}, empty = {}`
	want := map[string]any{
		"flag": true, "text": `a"b`, "i8": int8(-1), "i16": int16(-2), "i32": int32(-3), "i64": int64(-4),
		"u8": uint8(1), "u16": uint16(2), "u32": uint32(3), "u64": uint64(1<<64 - 1), "f32": float32(0.5), "f64": 0.25,
		"i8s": []int8{1, -2}, "i32s": []int32{3}, "i64s": []int64{4, 5}, "f32s": []float32{0.5},
		"f64s": []float64{0.25}, "none": []int64{},
		"dict": callbacks.Attributes{{Name: "a", Value: int64(1)},
			{Name: "b", Value: callbacks.Attributes{{Name: "c", Value: "d"}}}},
		"empty": callbacks.Attributes{},
	}
	registerForeign(t)
	var got callbacks.Attributes
	const name = "TestForeignAttributes"
	registerAs(t, name, "", func(f *callbacks.Frame) error {
		got = f.Attributes
		check.Diff(t, "name", name, f.Name)
		return copies(f)
	})
	for spelling, attributes := range map[string]string{
		"stablehlo": typedFFI(dictionary),
		"jax":       `api_version = 1 : i32, backend_config = "", mhlo.backend_config = {` + dictionary + `}`,
	} {
		got = nil
		e := on.compile(t, foreignCall("test.attributes", attributes))
		out, err := e.Call(t.Context(), view(t, []float32{1, 2}, 2))
		check.NoError(t, err)
		check.Diff(t, "result", []float32{1, 2}, result[float32](t, out[0]))
		values := map[string]any{}
		for _, a := range got {
			values[a.Name] = a.Value
		}
		check.Diff(t, spelling, want, values)
		if e, ok := e.(*Executable); ok {
			check.Diff(t, "call sites", []CallSite{{
				Name: name, Form: contract.Call, Signature: "f32[2]->f32[2]", Target: "test.attributes",
				Config: contract.Config{Form: contract.Call, Callback: name},
			}}, e.Callbacks())
		}
	}
}

type scaling struct {
	Factor float32 `attr:"factor"`
	Shift  int     `attr:"shift,optional"`
}

// TestForeignDecode decodes the attributes of several call sites, and checks them while the
// module is compiled.
func TestForeignDecode(t *testing.T) { onEngines(t, testForeignDecode) }

func testForeignDecode(t *testing.T, on testEngine) {
	registerForeign(t)
	registerForeign(t) // nothing new
	registerAs(t, "TestForeignDecode", "", func(f *callbacks.Frame) error {
		var s scaling
		if err := f.Attributes.Decode(&s); err != nil {
			return err
		}
		from, to := check.Must(tensor.Slice[float32](f.Args[0])), check.Must(tensor.Slice[float32](f.Results[0]))
		for i, v := range from {
			to[i] = s.Factor*v + float32(s.Shift)
		}
		return nil
	})
	e := on.compile(t, mainFunc("%x: tensor<2xf32>", "tensor<2xf32>",
		"%a = stablehlo.custom_call @test.scale(%x) {"+typedFFI("factor = 2.0 : f32")+
			"} : (tensor<2xf32>) -> tensor<2xf32>\n"+
			"%b = stablehlo.custom_call @test.scale(%a) {"+typedFFI("factor = 10.0 : f32, shift = -1 : i32")+
			"} : (tensor<2xf32>) -> tensor<2xf32>\n"+
			"return %b : tensor<2xf32>"))
	out, err := e.Call(t.Context(), view(t, []float32{1, 2}, 2))
	check.NoError(t, err)
	check.Diff(t, "result", []float32{19, 39}, result[float32](t, out[0]))

	for dictionary, want := range map[string]callbacks.AttributeError{
		`factor = 2.0 : f64`:                 {Name: "factor", Want: "a float32", Got: "a float64"},
		``:                                   {Name: "factor", Want: "a float32"},
		`factor = 2.0 : f32, shfit = 1: i64`: {Name: "shfit", Got: "an int64"},
	} {
		_, err := on.with(t, foreignCall("test.scale", typedFFI(dictionary)), nil)
		check.Diff(t, dictionary, want, *check.As[*callbacks.AttributeError](t, err))
		check.Error(t, err, `custom call target "test.scale": callbacks: `)
	}
}

func TestForeignErrors(t *testing.T) {
	registerForeign(t)
	p, c := testPlugin(t), testClient(t)
	for _, test := range []struct {
		target callbacks.ForeignTarget
		want   string
	}{
		{callbacks.ForeignTarget{}, `"" is not a name of a custom call target`},
		{callbacks.ForeignTarget{Target: "a\x00b"}, "is not a name of a custom call target"},
		{callbacks.ForeignTarget{Target: contract.TargetIOCallback},
			"it is registered for calls of the contract already: leave it out of OpenOptions.Targets"},
		{callbacks.ForeignTarget{Target: "test.name", Callback: "a\x00b"}, "contains a NUL"},
	} {
		check.Error(t, p.RegisterForeign(test.target), test.want)
	}
	check.Error(t, p.RegisterForeign(callbacks.ForeignTarget{Target: "test.absent", Callback: "other"}),
		`the callback "test.absent" of the registry "" serves it already`)
	check.Error(t, p.registerTarget("test.absent"), "a callback serves it already")
	_, err := c.Compile(t.Context(), Source(foreignCall("test.absent", typedFFI(""))), engine.CompileOptions{})
	unknown := check.As[*callbacks.UnknownError](t, err)
	check.Diff(t, "callback", "test.absent", unknown.Callback)

	failure := errors.New("no scale")
	register(t, "", func(*callbacks.Frame) error { return failure })
	e := compile(t, c, foreignCall("test.fails", typedFFI("")), engine.CompileOptions{})
	if _, err := e.Run(t.Context(), view(t, []float32{1, 2}, 2)); !errors.Is(err, failure) {
		t.Errorf("the run's error is %v", err)
	}
}

// TestForeignLayouts calls a target that takes any layout, and one that does not.
func TestForeignLayouts(t *testing.T) {
	registerForeign(t)
	c := testClient(t)
	layouts := func(operand, result string) string {
		return fmt.Sprintf(", operand_layouts = [dense<[%s]> : tensor<2xindex>], result_layouts = [dense<[%s]> : tensor<2xindex>]", operand, result)
	}
	module := func(target, call string) Source {
		return Source(mainFunc("%x: tensor<2x3xf32>", "tensor<2x3xf32>",
			"%r = stablehlo.custom_call @"+target+"(%x) {"+typedFFI("")+call+
				"} : (tensor<2x3xf32>) -> tensor<2x3xf32>\nreturn %r : tensor<2x3xf32>"))
	}
	const rows, columns = "1, 0", "0, 1"
	var saw []byte
	register(t, "", func(f *callbacks.Frame) error {
		saw = append([]byte(nil), f.Args[0].Data...)
		check.Diff(t, "dimensions", []int{2, 3}, f.Args[0].Shape.Dims)
		return copies(f)
	})
	x := view(t, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	byColumns := view(t, []float32{1, 4, 2, 5, 3, 6}, 6)
	for _, test := range []struct {
		operand, result string
		saw             []byte
		want            []float32
	}{
		{rows, rows, x.Data, []float32{1, 2, 3, 4, 5, 6}},
		{columns, columns, byColumns.Data, []float32{1, 2, 3, 4, 5, 6}},
		{columns, rows, byColumns.Data, []float32{1, 4, 2, 5, 3, 6}},
	} {
		e, err := c.Compile(t.Context(), module("test.any_layout", layouts(test.operand, test.result)),
			engine.CompileOptions{})
		check.NoError(t, err)
		out, err := e.Run(t.Context(), x)
		check.NoError(t, err)
		check.Diff(t, "operand", test.saw, saw)
		check.Diff(t, "result", test.want, host[float32](t, out[0]))
		check.NoError(t, e.Close())
	}
	_, err := c.Compile(t.Context(), module("test.row_major", layouts(columns, rows)), engine.CompileOptions{})
	check.Error(t, err, "operand 0 of the call of @test.row_major")
}

// TestForeignLimit registers targets up to the limit.
func TestForeignLimit(t *testing.T) {
	registerForeign(t)
	p := testPlugin(t)
	for i := range 257 {
		if err := p.RegisterForeign(callbacks.ForeignTarget{Target: fmt.Sprint("test.many.", i)}); err != nil {
			if i < 128 || !strings.Contains(err.Error(),
				"256 targets of other hosts are registered, and a process serves no more") {
				t.Error(err)
			}
			return
		}
	}
	t.Error("257 targets were registered")
}
