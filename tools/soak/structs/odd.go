package structs

import (
	"math"
	"math/rand/v2"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// types are those of values. A case prefers few of them, so that operations get operands of the same type.
var types = strings.Split(`i32;f32;index;i1;i64;i8;tensor<2xf32>;tensor<f32>;tensor<i32>;tensor<0xf32>;tensor<?xf32>
tensor<*xf32>;tensor<*xi32>;tensor<2x3xf32>;tensor<0x?xindex>;tensor<1x1x1x1xf32>;tensor<2xi1>;tensor<2xcomplex<f32>>
tensor<9223372036854775807xf32>;tensor<4294967296x4294967296xi8>;memref<f32>;memref<2xf32>;memref<*xf32>
memref<?x?xi32>
memref<0xi8>;memref<2x2xi32, strided<[1, 2]>>;memref<2xf32, strided<[?], offset: ?>>;vector<2xf32>;vector<f32>
vector<[4]xi1>;vector<2x3xi32>;vector<1xi64>;none;complex<f32>;tuple<>;tuple<i32>;() -> ();(i32) -> f32;!llvm.ptr
!llvm.struct<(i32)>;!llvm.array<0 x i32>;!llvm.void;!pdl.value;!pdl.operation;!pdl.range<type>;!transform.any_op
!transform.param<i64>;!transform.any_value;!shape.shape;!shape.size;!shape.witness;!async.token;!async.value<f32>
!gpu.async.token;!spirv.ptr<i32, Function>;!spirv.array<2 x i32>;!spirv.struct<()>
tensor<2x!quant.uniform<i8:f32, 0.5>>
!emitc.lvalue<i32>;!emitc.ptr<i32>;!emitc.array<2xi32>;!smt.bool;!smt.bv<8>;!smt.int;!torch.vtensor<[2],f32>
!torch.int
!torch.list<int>;!torch.none;!tt.ptr<f32>;tensor<2x!tt.ptr<f32>>;!shard.sharding;!wasmssa<local ref to i32>
!x86.amx.tile<16x16xf32>;!xegpu.tensor_desc<8x16xf32>;!xegpu.nbarrier;!mpi.comm;!amdgpu.tdm_base<f32>;!tosa.shape<0>
!tosa.shape<2>;!stablehlo.token;!mhlo.token;!acc.data_bounds_ty;!omp.map_bounds_ty;!rocdl.void
!nvgpu.device.async.token
!irdl.attribute;!ptr.ptr<#ptr.generic_space>
!sparse_tensor.storage_specifier<#sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>>
tensor<2xf32, #sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>>`, "\n")

// attributes are those of fields without a Go type.
var attributes = strings.Split(`unit;"x";"";1 : i32;0 : i64;-1 : i64;-9223372036854775808 : i64;true;1.0 : f32
[];["x"];[1];[[]]
[@x];{};{a = 1};@x;@x::@y;i32;tensor<f32>;() -> ();array<i64>;array<i64: -1>;array<i32: 0>;array<i1: true>
dense<1> : tensor<2xi64>;dense<> : tensor<0xi64>;dense<1> : tensor<i32>;dense<1.0> : tensor<f32>
dense<-1> : tensor<1x1xi64>
dense<true> : vector<2xi1>;affine_map<() -> ()>;affine_map<(d0) -> (d0)>;affine_map<(d0)[s0] -> (d0 floordiv s0)>
affine_set<() : (0 == 0)>;loc(unknown);[affine_map<() -> ()>];["parallel"];[unit]
dense<"x"> : tensor<1x!torch.str>`, "\n")

func split(lines []string) (list []string) {
	for _, line := range lines {
		// A semicolon separates short ones.
		list = append(list, strings.Split(line, ";")...)
	}
	return list
}

func init() { types, attributes = split(types), split(attributes) }

// odd are the parts of one operation.
type odd struct {
	*rand.Rand
	c          *mlir.Context
	types      []mlir.Type      // those that a case prefers
	attributes []mlir.Attribute // all
	home       mlir.Block       // where the operation will be
	ends       []Operation      // of its dialect, which may end a region
	n          int              // the usual length of a list
	deep       bool             // its regions are in another one
}

var numbers = []int64{0, 1, 2, 3, -1, 1, 2, 8, 64, mlir.Dynamic, math.MaxInt64, math.MaxInt64 - 1, math.MaxInt32,
	1 << 40, 255, 1, 0}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func (o *odd) rarely() bool { return o.IntN(12) == 0 }

func (o *odd) Value() mlir.Value {
	if o.rarely() {
		return mlir.Value{}
	}
	return o.home.Argument(o.IntN(o.home.NumArguments()))
}

func (o *odd) Type() mlir.Type { return pick(o.Rand, o.types) }

func (o *odd) Attribute() mlir.Attribute {
	if o.rarely() {
		return mlir.Attribute{}
	}
	return pick(o.Rand, o.attributes)
}

func (o *odd) AffineMap() mlir.AffineMap {
	if o.rarely() {
		return o.c.AffineMap(0, 0)
	}
	return o.c.IdentityMap(o.IntN(4))
}

func (o *odd) IntegerSet() mlir.IntegerSet { return o.c.EmptyIntegerSet(o.IntN(2), o.IntN(2)) }

func (o *odd) Block() mlir.Block { return o.home }

func (o *odd) Len() int {
	if o.IntN(4) == 0 {
		return o.IntN(4)
	}
	return o.n
}

func (o *odd) Number() int64 { return pick(o.Rand, numbers) }

func (o *odd) Text() string {
	return pick(o.Rand, []string{"x", "", "y", "add", "()", "\"", "parallel"})
}

// Region returns a region without a block, with an empty one, or with one that ends with an operation of the dialect.
func (o *odd) Region() mlir.Region {
	r := o.c.NewRegion()
	if o.IntN(3) == 0 {
		return r
	}
	var arguments []mlir.Type
	for range o.IntN(4) {
		arguments = append(arguments, o.Type())
	}
	block := o.c.NewBlock(mlir.Location{}, arguments...)
	r.Append(block)
	if o.deep || len(o.ends) == 0 || o.IntN(3) == 0 {
		return r
	}
	inner := *o
	inner.deep = true
	if len(arguments) > 0 {
		inner.home = block
	}
	if inner.home == o.home {
		return r // the values of another place cannot be used
	}
	pick(o.Rand, o.ends).Make(&inner, false).Create(mlir.NewBuilder(block, mlir.Location{}))
	return r
}
