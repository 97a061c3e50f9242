package operations_test

import (
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
	upstream "github.com/calliope-mlir/calliope/mlir/dialect/affine"
	"github.com/calliope-mlir/calliope/mlir/dialect/amdgpu"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/async"
	"github.com/calliope-mlir/calliope/mlir/dialect/complex"
	"github.com/calliope-mlir/calliope/mlir/dialect/emitc"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/gpu"
	"github.com/calliope-mlir/calliope/mlir/dialect/linalg"
	"github.com/calliope-mlir/calliope/mlir/dialect/llvm"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
	"github.com/calliope-mlir/calliope/mlir/dialect/nvgpu"
	"github.com/calliope-mlir/calliope/mlir/dialect/pdl"
	"github.com/calliope-mlir/calliope/mlir/dialect/quant"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
	"github.com/calliope-mlir/calliope/mlir/dialect/smt"
	"github.com/calliope-mlir/calliope/mlir/dialect/sparse"
	"github.com/calliope-mlir/calliope/mlir/dialect/tensor"
	"github.com/calliope-mlir/calliope/mlir/dialect/transform"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// builders are the functions of the dialect packages that are written by hand and build something, by package.
var builders = map[string][]any{
	"affine":  {upstream.For, upstream.Load, upstream.Store},
	"amdgpu":  {amdgpu.TDMBaseType, amdgpu.TDMDescriptorType, amdgpu.TDMGatherBaseType},
	"arith":   {arith.ConstantInt, arith.ConstantIndex, arith.ConstantFloat, arith.ConstantDense[float32]},
	"async":   {async.Execute, async.Func},
	"complex": {complex.Number},
	"emitc": {emitc.Opaque, emitc.ArrayType, emitc.LValueType, emitc.PointerType, emitc.OpaqueType, emitc.PtrDiffType,
		emitc.SignedSizeType, emitc.SizeType},
	"function": {function.Func, function.FuncOptions.Func, function.Declare, function.Inline},
	"gpu": {gpu.Launch, gpu.Module, gpu.ModuleOptions.Module, gpu.Kernel, gpu.AsyncTokenType,
		gpu.Object.Attribute},
	"linalg": {linalg.Generic, linalg.ContractionOfMaps, linalg.ConvolutionOfMaps, linalg.FillRegion},
	"llvm": {llvm.PointerType, llvm.VoidType, llvm.Array.Type, llvm.Function.Type, llvm.Struct.Type,
		llvm.NamedStruct, llvm.NewStruct, llvm.SetBody},
	"memref": {memref.SubView, memref.GenericAtomicRMW, memref.AllocaScope},
	"nvgpu":  {nvgpu.TensorMapDescriptor.Type},
	"pdl":    {pdl.RangeType},
	"quant": {quant.Any.Type, quant.Uniform.Type, quant.PerAxis.Type, quant.SubChannel.Type, quant.Calibrated.Type,
		quant.FromStorage, quant.FromExpressed, quant.ExpressedToStorage, quant.IntegerRange},
	"scf":    {scf.For, scf.Nest, scf.Iterate, scf.If, scf.Choose, scf.While, scf.Parallel},
	"smt":    {smt.BitVector, smt.BitVectorType, smt.ArrayType, smt.FuncType, smt.SortType},
	"sparse": {sparse.Encoding.Attribute},
	"stablehlo": {stablehlo.ReshapeType, stablehlo.BroadcastInDimType, stablehlo.IotaType, stablehlo.ConvertType,
		stablehlo.BitcastConvertType, stablehlo.AllGatherType, stablehlo.ReduceScatterType,
		stablehlo.DotGeneralType, stablehlo.DotType, stablehlo.ConvolutionType, stablehlo.BoundedTensorType,
		stablehlo.TensorType, stablehlo.ElementType, stablehlo.ShapeOf, stablehlo.AsQuantized, stablehlo.DimensionsOf},
	"tensor": {tensor.ExtractSlice, tensor.InsertSlice, tensor.Pad, tensor.Generate},
	"transform": {transform.Main, transform.Named, transform.Match, transform.Tile, transform.OperationType,
		transform.ParamType},
}

// odd makes odd arguments.
type odd struct {
	r     *rand.Rand
	l     *mlir.Library
	c     *mlir.Context
	m     *mlir.Module
	b     *mlir.Builder
	f     *builder.Func // nil: not needed yet
	depth int
}

var oddInts = []int64{0, 1, -1, 2, 3, 7, 8, 64, 300, 1 << 31, 1 << 62, math.MaxInt64, math.MinInt64}

func pick[T any](o *odd, list []T) T { return list[o.r.IntN(len(list))] }

func (o *odd) typ() mlir.Type {
	t, err := o.c.ParseType(pick(o, typeTexts))
	if err != nil {
		return o.c.NoneType()
	}
	return t
}

func (o *odd) value() mlir.Value {
	if o.r.IntN(8) == 0 {
		return mlir.Value{}
	}
	return o.c.NewBlock(mlir.Location{}, o.typ()).Argument(0)
}

func (o *odd) argument(t reflect.Type) reflect.Value {
	o.depth++
	defer func() { o.depth-- }()
	v := o.oddValue(t)
	switch t {
	case reflect.TypeFor[*mlir.Builder]():
		v = o.b
	case reflect.TypeFor[*mlir.Context]():
		v = o.c
	case reflect.TypeFor[*mlir.Library]():
		v = o.l
	case reflect.TypeFor[*mlir.Module]():
		v = o.m
	case reflect.TypeFor[mlir.Value]():
		v = o.value()
	case reflect.TypeFor[mlir.Type]():
		if o.r.IntN(8) > 0 {
			v = o.typ()
		}
	case reflect.TypeFor[mlir.Attribute]():
		if o.r.IntN(8) > 0 {
			v, _ = o.c.ParseAttribute(pick(o, tries).attr)
		}
	case reflect.TypeFor[affine.Map]():
		if o.r.IntN(8) > 0 {
			v = affine.Identity(o.c, o.r.IntN(4))
		}
	case reflect.TypeFor[mlir.Block]():
		if o.r.IntN(8) > 0 {
			v = o.c.NewBlock(mlir.Location{}, o.typ())
		}
	case reflect.TypeFor[mlir.Region]():
		if o.r.IntN(8) > 0 {
			v = o.c.NewRegion()
		}
	case reflect.TypeFor[mlir.Operation]():
		if o.r.IntN(8) > 0 {
			v = pick(o, slices.Collect(o.m.Operation().All()))
		}
	case reflect.TypeFor[mlir.Size]():
		switch o.r.IntN(3) {
		case 0:
			v = mlir.Computed(o.value())
		case 1:
			v = mlir.Fixed(pick(o, oddInts))
		}
	case reflect.TypeFor[mlir.InsertionPoint]():
		v = mlir.InsertionPoint(o.b)
	case reflect.TypeFor[io.Writer]():
		v = io.Discard
	}
	if v != nil {
		return reflect.ValueOf(v)
	}
	made := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		made.SetInt(pick(o, oddInts))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		made.SetUint(uint64(pick(o, oddInts)))
	case reflect.Float32, reflect.Float64:
		made.SetFloat(pick(o, []float64{0, -1, 1e300, math.NaN(), math.Inf(1)}))
	case reflect.Bool:
		made.SetBool(o.r.IntN(2) == 0)
	case reflect.String:
		made.SetString(pick(o, []string{"", "x", "y z", "i32", "parallel", "func.func", "a\x00b", "\xff", "\"",
			strings.Repeat("x", 10_000)}))
	case reflect.Slice:
		if n := o.r.IntN(5); n > 0 {
			made.Set(reflect.MakeSlice(t, n-1, n-1))
			for i := range n - 1 {
				made.Index(i).Set(o.argument(t.Elem()))
			}
		}
	case reflect.Array:
		for i := range t.Len() {
			made.Index(i).Set(o.argument(t.Elem()))
		}
	case reflect.Pointer:
		if o.r.IntN(3) > 0 && o.depth < 5 && t.Elem().Kind() != reflect.Struct {
			made.Set(reflect.New(t.Elem()))
			made.Elem().Set(o.argument(t.Elem()))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() && o.depth < 5 {
				made.Field(i).Set(o.argument(t.Field(i).Type))
			}
		}
	case reflect.Func:
		if o.r.IntN(8) > 0 {
			made.Set(reflect.MakeFunc(t, func([]reflect.Value) (out []reflect.Value) {
				for i := range t.NumOut() {
					out = append(out, o.argument(t.Out(i)))
				}
				return out
			}))
		}
	}
	return made
}

// TestHostileBuilders calls each builder with odd arguments. A builder that takes a *mlir.Builder keeps an error,
// and others return one. A nil handle may panic with a sentence.
func TestHostileBuilders(t *testing.T) {
	complete(t)
	mlirtest.Outlives(t, func(t *testing.T, start int) {
		n := 0
		for _, e := range mlirtest.Engines(t) {
			for _, name := range slices.Sorted(maps.Keys(builders)) {
				for _, f := range builders[name] {
					if n++; n > start {
						fmt.Printf("%s%d %s: %s\n", mlirtest.CaseMark, n-1, e.Name, nameOf(f))
						for i := range 12 {
							callOdd(t, e.Library, f, uint64(n*1000+i))
						}
					}
				}
			}
		}
	})
}

func callOdd(t *testing.T, l *mlir.Library, f any, seed uint64) {
	c := l.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m := c.NewModule(mlir.Location{})
	o := &odd{r: rand.New(rand.NewPCG(seed, 1)), l: l, c: c, m: m, b: mlir.NewBuilder(m.Body(), mlir.Location{})}
	v := reflect.ValueOf(f)
	var args []reflect.Value
	for i := range v.Type().NumIn() {
		args = append(args, o.argument(v.Type().In(i)))
	}
	defer func() {
		if r := recover(); r != nil {
			if o.usedBuilder(v.Type()) || !sentence(r) {
				stack := make([]byte, 4<<10)
				stack = stack[:runtime.Stack(stack, false)]
				t.Errorf("%s, seed %d: panic %v\n%s", nameOf(f), seed, r, stack)
			}
		}
	}()
	if v.Type().IsVariadic() {
		v.CallSlice(args)
	} else {
		v.Call(args)
	}
	_ = m.Verify()
	_ = m.String()
	if o.f != nil {
		if m, err := o.f.Builder().Module(); err == nil {
			_ = m.String()
		}
	}
}

func (o *odd) usedBuilder(t reflect.Type) bool {
	return t.NumIn() > 0 && t.In(0) == reflect.TypeFor[*mlir.Builder]()
}

// complete checks that builders has each function that is written by hand and takes a *mlir.Builder.
func complete(t *testing.T) {
	var known []string
	for _, list := range builders {
		for _, f := range list {
			known = append(known, nameOf(f))
		}
	}
	for _, path := range check.Must(filepath.Glob("../../mlir/dialect/*/*.go")) {
		if base := filepath.Base(path); strings.HasPrefix(base, "gen_") || strings.HasSuffix(base, "_test.go") {
			continue
		}
		folder := filepath.Base(filepath.Dir(path))
		for _, f := range builderFunction.FindAllSubmatch(check.Must(os.ReadFile(path)), -1) {
			if name := folder + "." + string(f[1]); !slices.Contains(known, name) {
				t.Errorf("%s is not in the table", name)
			}
		}
	}
}

var builderFunction = regexp.MustCompile(`(?m)^func ([A-Z]\w*)\(b \*mlir\.Builder`)

// nameOf returns the name of a function with its package.
func nameOf(f any) string { return path.Base(runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()) }
