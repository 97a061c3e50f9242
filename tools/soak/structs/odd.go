package structs

import (
	"math"
	"math/rand/v2"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
)

// types are those of values. A case prefers few of them, so that operations get operands of the same type.
var types = strings.Split(`i32;f32;index;i1;i64;i8;i16;f16;bf16;f64;ui8;si64;i128;f8E4M3FN;f8E5M2;tensor<2xf32>;tensor<f32>
tensor<i32>;tensor<0xf32>;tensor<?xf32>;tensor<2xi32>;tensor<2x2xf32>;tensor<?x?xf32>;tensor<1x2x2x1xf32>
tensor<2xindex>;tensor<i1>;tensor<1xi8>;tensor<i8>;tensor<1x2x2xf32>;tensor<2xui8>;tensor<2xf16>
tensor<*xf32>;tensor<*xi32>;tensor<2x3xf32>;tensor<0x?xindex>;tensor<1x1x1x1xf32>;tensor<2xi1>;tensor<2xcomplex<f32>>
tensor<9223372036854775807xf32>;tensor<4294967296x4294967296xi8>;memref<f32>;memref<2xf32>;memref<*xf32>
memref<?x?xi32>;memref<2x2xf32>;memref<?xi8>;memref<2xf32, 3>;memref<2x3xf16, #gpu.address_space<workgroup>>
memref<0xi8>;memref<2x2xi32, strided<[1, 2]>>;memref<2xf32, strided<[?], offset: ?>>;vector<2xf32>;vector<f32>
vector<[4]xi1>;vector<2x3xi32>;vector<1xi64>;vector<2xi1>;vector<4xi32>;vector<4xf32>;vector<8xf16>;vector<2xi16>
vector<16xi8>;vector<8xi16>;vector<8xbf16>;vector<16xf32>;vector<4xi8>;vector<2xbf16>;vector<2xf16>;vector<6xi32>
vector<[4]xf32>;vector<[4]xi32>;vector<[16]xi8>;vector<[8]xi16>;vector<[2]xi64>;vector<[8]xi1>;vector<[16]xi1>
vector<[8]xf16>;vector<[8]xbf16>;vector<[2]xf64>;vector<[2]xi1>;vector<[4]x[4]xf32>;vector<[16]x[16]xi8>
vector<[8]x[8]xf16>;vector<[4]x[4]xi32>
none;complex<f32>;complex<f64>;tuple<>;tuple<i32>;() -> ();(i32) -> f32;!llvm.ptr
!llvm.struct<(i32)>;!llvm.array<0 x i32>;!llvm.void;!llvm.ptr<1>;!llvm.ptr<3>;!llvm.ptr<7>;!llvm.ptr<8>;!llvm.token
!llvm.struct<(i32, i1)>;!llvm.ptr<6>;!llvm.array<2 x f32>;!llvm.metadata;!llvm.ptr<5>
!pdl.value;!pdl.operation;!pdl.range<type>;!pdl.attribute;!pdl.type;!pdl.range<value>
!transform.any_op;!transform.any_param;!transform.op<"func.func">;!transform.type
!transform.param<i64>;!transform.any_value;!shape.shape;!shape.size;!shape.witness;!shape.value_shape
!async.token;!async.value<f32>;!async.group;!async.coro.id;!async.coro.handle;!async.coro.state
!gpu.async.token;!gpu.mma_matrix<16x16xf16, "AOp">;!gpu.sparse.dntensor_handle;!gpu.sparse.spmat_handle
!spirv.ptr<i32, Function>;!spirv.array<2 x i32>;!spirv.struct<()>;!spirv.arm.tensor<2xi32>;!spirv.arm.tensor<2xf32>
!spirv.ptr<f32, StorageBuffer>;!spirv.coopmatrix<8x8xf32, Subgroup, MatrixA>;!spirv.struct<(i32, i32)>
!spirv.image<f32, Dim2D, NoDepth, NonArrayed, SingleSampled, NeedSampler, Unknown>;!spirv.matrix<2 x vector<2xf32>>
!spirv.sampled_image<!spirv.image<f32, Dim2D, NoDepth, NonArrayed, SingleSampled, NeedSampler, Unknown>>
!spirv.arm.tensor<1x2x2x1xf32>;!spirv.arm.tensor<2xi1>;!spirv.arm.tensor<1xi8>;!spirv.ptr<!spirv.struct<(i32)>, Uniform>
tensor<2x!quant.uniform<i8:f32, 0.5>>;!quant.uniform<i8:f32, 0.5>
!emitc.lvalue<i32>;!emitc.ptr<i32>;!emitc.array<2xi32>;!emitc.opaque<"x">;!emitc.size_t;!emitc.lvalue<!emitc.opaque<"x">>
!smt.bool;!smt.bv<8>;!smt.int;!smt.array<[!smt.int -> !smt.bool]>;!smt.func<(!smt.int) !smt.bool>;!smt.sort<"x">
!torch.vtensor<[2],f32>;!torch.vtensor;!torch.tensor;!torch.tensor<[0],si64>;!torch.vtensor<[],si64>;!torch.float
!torch.bool;!torch.str;!torch.Device;!torch.Generator;!torch.any;!torch.number;!torch.optional<int>;!torch.list<str>
!torch.list<vtensor>;!torch.optional<float>;!torch.optional<list<int>>;!torch.dict<str, int>;!torch.tuple<int>
!torch.vtensor<[2,2],f32>;!torch.list<bool>;!torch.list<float>;!torch.optional<vtensor>;!torch.optional<bool>
!torch.optional<str>;!torch.optional<Device>;!torch.list<optional<vtensor>>;!torch.nn.Module<"x">;!torch.union<int, none>
!torch.int
!torch.list<int>;!torch.none;!tt.ptr<f32>;tensor<2x!tt.ptr<f32>>;!tt.ptr<tensor<2xf32>>;!tt.tensordesc<tensor<2xf32>>
!shard.sharding;!wasmssa<local ref to i32>;!wasmssa<local ref to f32>
!x86.amx.tile<16x16xf32>;!x86.amx.tile<16x64xi8>;!xegpu.tensor_desc<8x16xf32>;!xegpu.nbarrier;!xegpu.mem_desc<8x16xf32>
!mpi.comm;!mpi.request;!mpi.retval;!amdgpu.tdm_base<f32>;!tosa.shape<0>;!amdgpu.tdm_descriptor
!tosa.shape<2>;!tosa.shape<1>;!stablehlo.token;!mhlo.token;!acc.data_bounds_ty;!acc.device_type<host>
!omp.map_bounds_ty;!omp.cli;!omp.affinity_entry_ty<!llvm.ptr, i64>;!omp.iterated<i32>;!rocdl.void;!acc.declare_token
!nvgpu.device.async.token;!nvgpu.mbarrier.token;!nvgpu.mbarrier.group<memorySpace = 3>
!irdl.attribute;!irdl.type;!ptr.ptr<#ptr.generic_space>;!tpu.dma_semaphore;!tpu.semaphore;!tpu.float8_exmy<f8E5M2>
!sdy.manual;!vhlo.token_v1;tensor<!tpu.semaphore>;memref<!tpu.dma_semaphore>
!sparse_tensor.storage_specifier<#sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>>
!sparse_tensor.iter_space<#sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>, lvls = 0>
tensor<2xf32, #sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>>
tensor<2x2xf32, #sparse_tensor.encoding<{map = (d0, d1) -> (d0 : dense, d1 : compressed)}>>`, "\n")

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

func (o *odd) Map() affine.Map {
	if o.rarely() {
		return affine.NewMap(o.c, 0, 0)
	}
	return affine.Identity(o.c, o.IntN(4))
}

func (o *odd) Set() affine.Set { return affine.EmptySet(o.c, o.IntN(2), o.IntN(2)) }

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
