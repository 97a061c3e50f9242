package legacy_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/legacy"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// The tests in this file hold what XLA's document on custom calls says. docs/legacy.md has its sentences.

// A program is a module with legacy calls, and the functions that they call.
type program struct {
	platform string // of the functions
	text     string
	extra    map[string]*legacy.Function // further functions, by target
}

// executable rewrites the module, registers the functions that its calls name, and compiles it.
func (p program) executable(t testing.TB) (*bridge.Executable, error) {
	t.Helper()
	m := mlirtest.Parse(t, mlirtest.Context(t), p.text)
	registry := check.Must(callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{}))
	t.Cleanup(func() { check.NoError(t, registry.Close()) })
	result, err := passes.ReplaceLegacy(m, passes.LegacyOptions{Registry: registry.Name()})
	check.NoError(t, err)
	check.Diff(t, "left", 0, len(result.Skipped))
	for _, f := range document.open(t).Functions() {
		if f.Platform() == p.platform {
			check.NoError(t, f.Register(registry, "", callbacks.Options{}))
		}
	}
	for target, f := range p.extra {
		check.NoError(t, f.Register(registry, target, callbacks.Options{}))
	}
	e, err := check.Must(client()).Compile(t.Context(), stablehlo.Unprepared(m), engine.CompileOptions{})
	if err == nil {
		t.Cleanup(func() { check.NoError(t, e.Close()) })
	}
	return e, err
}

func (p program) run(t testing.TB, args ...tensor.View) ([]tensor.View, error) {
	t.Helper()
	e, err := p.executable(t)
	check.NoError(t, err)
	return run(t, e, args...)
}

// ramp returns n numbers that begin with first.
func ramp(n int, first float32) tensor.View {
	list := make([]float32, n)
	for i := range list {
		list[i] = first + float32(i)
	}
	return tensor.Vector(list...)
}

// periodicProgram is the document's A[i] = B[i % 128] + C[i] with a custom call.
func periodicProgram(call string) string {
	return `func.func @main(%p0: tensor<128xf32>, %p1: tensor<2048xf32>) -> tensor<2048xf32> {
  ` + call + `
  return %a : tensor<2048xf32>
}`
}

// regular returns the same without a custom call.
func regular(t testing.TB, b, c tensor.View) []tensor.View {
	t.Helper()
	got, err := program{text: `func.func @main(%b: tensor<128xf32>, %c: tensor<2048xf32>) -> tensor<2048xf32> {
  %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<128xf32>) -> tensor<16x128xf32>
  %1 = stablehlo.reshape %0 : (tensor<16x128xf32>) -> tensor<2048xf32>
  %2 = stablehlo.add %1, %c : tensor<2048xf32>
  return %2 : tensor<2048xf32>
}`}.run(t, b, c)
	check.NoError(t, err)
	return got
}

// wantPeriodic runs a program on B and C, and compares it with regular operations.
func wantPeriodic(t *testing.T, p program) {
	t.Helper()
	b, c := ramp(128, 0.5), ramp(2048, -100)
	var want []tensor.View
	t.Run("regular", func(t *testing.T) { want = regular(t, b, c) })
	got, err := p.run(t, b, c)
	check.NoError(t, err)
	check.Diff(t, "A", want, got)
}

// The example computes the same as regular operations.
func TestDocumentCPU(t *testing.T) {
	wantPeriodic(t, program{platform: "Host", text: periodicProgram(`%a = stablehlo.custom_call @do_custom_call(%p0, %p1) : (tensor<128xf32>, tensor<2048xf32>) -> tensor<2048xf32>`)})
}

// Functions of C++ are called like those of C.
func TestDocumentLanguages(t *testing.T) {
	got, err := program{platform: "CUDA", text: `func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.custom_call @gpu_status(%x) {api_version = 2 : i32} : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}`}.run(t, tensor.Scalar[int32](21))
	check.NoError(t, err)
	check.Diff(t, "results", []tensor.View{tensor.Scalar[int32](42)}, got)
}

// A function gets no sizes. They can be operands.
func TestDocumentSizesAsOperands(t *testing.T) {
	wantPeriodic(t, program{platform: "Host", text: periodicProgram(`%n = stablehlo.constant dense<128> : tensor<i32>
  %m = stablehlo.constant dense<2048> : tensor<i32>
  %a = stablehlo.custom_call @with_sizes(%p0, %p1, %n, %m) : (tensor<128xf32>, tensor<2048xf32>, tensor<i32>, tensor<i32>) -> tensor<2048xf32>`)})
}

// The same operation calls a function of the convention of GPUs, with the operands first and then the result.
func TestDocumentGPU(t *testing.T) {
	wantPeriodic(t, program{platform: "CUDA", text: periodicProgram(`%a = stablehlo.custom_call @do_custom_call(%p0, %p1) : (tensor<128xf32>, tensor<2048xf32>) -> tensor<2048xf32>`)})
}

// A GPU function runs on the CPU, with buffers whose list is of the host. Without a GPU, it has no stream.
func TestDocumentGPUFunctionRunsOnCPU(t *testing.T) {
	var lengths []int
	f := legacy.Go(func(stream legacy.Stream, buffers []tensor.View, opaque string) {
		lengths = append(lengths, int(stream), len(buffers), len(opaque))
		copy(buffers[1].Data, buffers[0].Data)
	})
	got, err := program{extra: map[string]*legacy.Function{"copy": f},
		text: `func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @copy(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}`}.run(t, tensor.Vector[float32](1, 2))
	check.NoError(t, err)
	check.Diff(t, "results", []tensor.View{tensor.Vector[float32](1, 2)}, got)
	check.Diff(t, "stream, buffers and opaque", []int{0, 2, 0}, lengths)
}

// The sizes can be in the opaque string.
func TestDocumentSizesInOpaque(t *testing.T) {
	sizes := binary.NativeEndian.AppendUint32(binary.NativeEndian.AppendUint32(nil, 128), 2048)
	opaque := ""
	for _, b := range sizes {
		opaque += fmt.Sprintf("\\%02X", b)
	}
	wantPeriodic(t,
		program{platform: "CUDA",
			text: periodicProgram(`%a = stablehlo.custom_call @with_opaque(%p0, %p1) {backend_config = "` + opaque +
				`"} : (tensor<128xf32>, tensor<2048xf32>) -> tensor<2048xf32>`)})
}

// The opaque string has any bytes: here each value, in both orders, so that it is no text and has zeros.
func TestDocumentOpaqueIsAnyBytes(t *testing.T) {
	want, text := "", ""
	for i := range 512 {
		b := byte(min(i, 511-i))
		want += string([]byte{b})
		text += fmt.Sprintf("\\%02X", b)
	}
	for version, make := range map[int]func(to *string) *legacy.Function{
		1: func(to *string) *legacy.Function {
			return legacy.Go(func(_ legacy.Stream, _ []tensor.View, opaque string) { *to = opaque })
		},
		2: func(to *string) *legacy.Function {
			return legacy.Go(func(_ legacy.Stream, _ []tensor.View, opaque string) error { *to = opaque; return nil })
		},
		3: func(to *string) *legacy.Function {
			return legacy.Go(func(_ legacy.Value, _ []legacy.Value, opaque string) error { *to = opaque; return nil })
		},
	} {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			got := ""
			_, err := program{extra: map[string]*legacy.Function{"f": make(&got)},
				text: fmt.Sprintf(`func.func @main() {
  stablehlo.custom_call @f() {api_version = %d : i32, has_side_effect = true, backend_config = "%s"} : () -> ()
  return
}`, version, text)}.run(t)
			check.NoError(t, err)
			check.Diff(t, "opaque", want, got)
		})
	}
}

func statusProgram(version int) string {
	return fmt.Sprintf(`func.func @main(%%x: tensor<i32>) -> tensor<i32> {
  %%0 = stablehlo.custom_call @with_status(%%x) {api_version = %d : i32, backend_config = "An error occurred"} : (tensor<i32>) -> tensor<i32>
  return %%0 : tensor<i32>
}`, version)
}

// A failure is the error of the run, with the message. Success need not be reported.
func TestDocumentStatus(t *testing.T) {
	e := check.Must(program{platform: "Host", text: statusProgram(2)}.executable(t))
	for _, x := range []int32{0, 1} {
		got, err := run(t, e, tensor.Scalar(x))
		check.NoError(t, err)
		check.Diff(t, "results", []tensor.View{tensor.Scalar[int32](1)}, got)
	}
	got, err := run(t, e, tensor.Scalar[int32](-1))
	check.Diff(t, "error", legacy.StatusError{Target: "with_status", Message: "An error occurred"},
		*check.As[*legacy.StatusError](t, err))
	check.Diff(t, "results", 0, len(got))
}

func TestDocumentStatusOnGPU(t *testing.T) {
	e := check.Must(program{platform: "CUDA", text: statusProgram(2)}.executable(t))
	got, err := run(t, e, tensor.Scalar[int32](0))
	check.NoError(t, err)
	check.Diff(t, "results", []tensor.View{tensor.Scalar[int32](1)}, got)
	_, err = run(t, e, tensor.Scalar[int32](-1))
	check.Diff(t, "message", "An error occurred", check.As[*legacy.StatusError](t, err).Message)
}

// A function with a status needs an operation of that version.
func TestDocumentVersion(t *testing.T) {
	for platform, served := range map[string]map[int]bool{"Host": {2: true}, "CUDA": {2: true, 3: true}} {
		for version := range 4 {
			t.Run(fmt.Sprint(platform, version), func(t *testing.T) {
				_, err := program{platform: platform, text: statusProgram(version)}.executable(t)
				if served[version] {
					check.NoError(t, err)
					return
				}
				check.Diff(t, "version", int64(max(version, 1)), check.As[*legacy.VersionError](t, err).Version)
			})
		}
	}
}

// After a failure nothing uses the results, and no other operation can go on instead.
func TestDocumentFailureEndsComputation(t *testing.T) {
	var reached atomic.Int32
	later := legacy.Go(func(out legacy.Value, in []legacy.Value) {
		reached.Add(1)
		copy(out.Data, in[0].Data)
	})
	for name, text := range map[string]string{
		"in a line": `  %1 = stablehlo.custom_call @with_status(%x) {api_version = 2 : i32} : (tensor<i32>) -> tensor<i32>`,
		"in a branch": `  %z = stablehlo.constant dense<0> : tensor<i32>
  %p = stablehlo.compare LT, %x, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %1 = "stablehlo.if"(%p) ({
    %2 = stablehlo.custom_call @with_status(%x) {api_version = 2 : i32} : (tensor<i32>) -> tensor<i32>
    stablehlo.return %2 : tensor<i32>
  }, {
    stablehlo.return %x : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>`,
	} {
		t.Run(name, func(t *testing.T) {
			reached.Store(0)
			e := check.Must(program{platform: "Host", extra: map[string]*legacy.Function{"later": later},
				text: `func.func @main(%x: tensor<i32>) -> tensor<i32> {
` + text + `
  %3 = stablehlo.custom_call @later(%1) {has_side_effect = true} : (tensor<i32>) -> tensor<i32>
  return %3 : tensor<i32>
}`}.executable(t))
			got, err := run(t, e, tensor.Scalar[int32](-1))
			check.As[*legacy.StatusError](t, err)
			check.Diff(t, "results and later calls", []int{0, 0}, []int{len(got), int(reached.Load())})
			_, err = run(t, e, tensor.Scalar[int32](0)) // the next run is not affected
			check.NoError(t, err)
			check.Diff(t, "later calls", int32(1), reached.Load())
		})
	}
}

const (
	p0Type  = "tuple<tensor<32xf32>, tuple<tensor<64xf32>, tensor<128xf32>>, tensor<256xf32>>"
	outType = "tuple<tensor<512xf32>, tensor<1024xf32>>"
)

// tupleProgram is the document's program with tuples. It returns the results of the call with the indices.
func tupleProgram(target string, indices ...int) string {
	types := map[int]string{0: "tensor<512xf32>", 1: "tensor<1024xf32>"}
	text, names, results := "", "", ""
	for i, index := range indices {
		text += fmt.Sprintf("  %%%d = stablehlo.get_tuple_element %%r[%d] : (%s) -> %s\n", i, index, outType,
			types[index])
		if i > 0 {
			names, results = names+", ", results+", "
		}
		names, results = names+fmt.Sprint("%", i), results+types[index]
	}
	return fmt.Sprintf("func.func @main(%%p0: %s) -> (%s) {\n  %%r = stablehlo.custom_call @%s(%%p0) : (%s) -> %s\n%s  return %s : %s\n}",
		p0Type, results, target, p0Type, outType, text, names, results)
}

// leaves are the arrays of the document's operand, and collected what the functions make of them: the first result.
func leaves() (args []tensor.View, collected tensor.View) {
	all := make([]float32, 512)
	next := float32(1)
	at := 0
	for _, n := range []int{32, 64, 128, 256} {
		args = append(args, ramp(n, next))
		next += float32(n)
		for range n {
			all[at] = float32(at + 1)
			at++
		}
	}
	return args, tensor.Vector(all...)
}

// On CPU the tuple is an array of pointers, and so is the tuple in it and the result.
func TestDocumentTuplesOnCPU(t *testing.T) {
	args, want := leaves()
	got, err := program{platform: "Host", text: tupleProgram("with_tuples", 0)}.run(t, args...)
	check.NoError(t, err)
	check.Diff(t, "results", []tensor.View{want}, got)
}

// On GPU the six buffers are those of the leaves in pre-order.
func TestDocumentTuplesOnGPU(t *testing.T) {
	args, want := leaves()
	got, err := program{platform: "CUDA", text: tupleProgram("with_tuples", 0)}.run(t, args...)
	check.NoError(t, err)
	check.Diff(t, "results", []tensor.View{want}, got)

	t.Run("order", func(t *testing.T) {
		var sizes []int
		f := legacy.Go(func(_ legacy.Stream, buffers []tensor.View, _ string) {
			for _, b := range buffers {
				sizes = append(sizes, b.Shape.NumElements())
			}
		})
		_, err := program{extra: map[string]*legacy.Function{"f": f}, text: tupleProgram("f", 0)}.run(t, args...)
		check.NoError(t, err)
		check.Diff(t, "sizes", []int{32, 64, 128, 256, 512, 1024}, sizes)
	})
}

// In has one element for the one operand, and its tuples have the nested form.
func TestDocumentInHasOneElement(t *testing.T) {
	var shape []int
	f := legacy.Go(func(out legacy.Value, in []legacy.Value) {
		shape = append(shape, len(in), len(in[0].Elements), len(in[0].Elements[1].Elements), len(out.Elements))
	})
	args, _ := leaves()
	_, err := program{extra: map[string]*legacy.Function{"f": f}, text: tupleProgram("f", 0)}.run(t, args...)
	check.NoError(t, err)
	check.Diff(t, "operands, elements, inner elements and results", []int{1, 3, 2, 2}, shape)
}

// Operands that are unpacked give the same.
func TestDocumentUnpackedTuple(t *testing.T) {
	args, want := leaves()
	text := fmt.Sprintf(`func.func @main(%%p0: %s) -> tensor<512xf32> {
  %%0 = stablehlo.get_tuple_element %%p0[0] : (%[1]s) -> tensor<32xf32>
  %%1 = stablehlo.get_tuple_element %%p0[1] : (%[1]s) -> tuple<tensor<64xf32>, tensor<128xf32>>
  %%2 = stablehlo.get_tuple_element %%1[0] : (tuple<tensor<64xf32>, tensor<128xf32>>) -> tensor<64xf32>
  %%3 = stablehlo.get_tuple_element %%1[1] : (tuple<tensor<64xf32>, tensor<128xf32>>) -> tensor<128xf32>
  %%4 = stablehlo.get_tuple_element %%p0[2] : (%[1]s) -> tensor<256xf32>
  %%5 = stablehlo.custom_call @unpacked(%%0, %%2, %%3, %%4) : (tensor<32xf32>, tensor<64xf32>, tensor<128xf32>, tensor<256xf32>) -> %[2]s
  %%6 = stablehlo.get_tuple_element %%5[0] : (%[2]s) -> tensor<512xf32>
  return %%6 : tensor<512xf32>
}`, p0Type, outType)
	got, err := program{platform: "Host", text: text}.run(t, args...)
	check.NoError(t, err)
	check.Diff(t, "results", []tensor.View{want}, got)
}

// A tuple returns several arrays.
func TestDocumentTupleResults(t *testing.T) {
	args, first := leaves()
	got, err := program{platform: "Host", text: tupleProgram("with_tuples", 1, 0)}.run(t, args...)
	check.NoError(t, err)
	second := ramp(1024, 0)
	clear(second.Data)
	copy(second.Data, first.Data)
	check.Diff(t, "results", []tensor.View{second, first}, got)
}

// A result that the program does not read is memory for the function, which reads what it has written there.
func TestDocumentTemporaryMemory(t *testing.T) {
	for _, platform := range []string{"Host", "CUDA"} {
		t.Run(platform, func(t *testing.T) {
			args, want := leaves()
			e := check.Must(program{platform: platform, text: tupleProgram("with_tuples", 0)}.executable(t))
			check.Diff(t, "number of outputs", 1, e.NumOutputs())
			for range 3 {
				got, err := run(t, e, args...)
				check.NoError(t, err)
				check.Diff(t, "results", []tensor.View{want}, got)
			}
		})
	}
}

// A result that is aliased to an operand is in its memory, also if both are elements of tuples.
func TestAliases(t *testing.T) {
	same := errors.New("the result is not in the memory of the operand")
	f := legacy.Go(func(out legacy.Value, in []legacy.Value) error {
		a, b := in[0].Elements[1].Data, out.Elements[1].Data
		if &a[0] != &b[0] {
			return same
		}
		copy(out.Elements[0].Data, in[0].Elements[0].Data)
		return nil
	})
	in, out := "tuple<tensor<2xf32>, tensor<4xf32>>", "tuple<tensor<2xf32>, tensor<4xf32>>"
	got, err := program{extra: map[string]*legacy.Function{"f": f},
		text: `func.func @main(%a: tensor<2xf32>, %b: tensor<4xf32>) -> (tensor<2xf32>, tensor<4xf32>) {
  %0 = stablehlo.add %b, %b : tensor<4xf32>
  %1 = stablehlo.tuple %a, %0 : ` + in + `
  %2 = stablehlo.custom_call @f(%1) {api_version = 2 : i32, output_operand_aliases = [
    #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = [1]>]} : (` + in + `) -> ` + out + `
  %3 = stablehlo.get_tuple_element %2[0] : (` + out + `) -> tensor<2xf32>
  %4 = stablehlo.get_tuple_element %2[1] : (` + out + `) -> tensor<4xf32>
  return %3, %4 : tensor<2xf32>, tensor<4xf32>
}`}.run(t, tensor.Vector[float32](1, 2), tensor.Vector[float32](1, 2, 3, 4))
	check.NoError(t, err)
	check.Diff(t, "results", []tensor.View{tensor.Vector[float32](1, 2), tensor.Vector[float32](2, 4, 6, 8)}, got)
}
