package gpu

import (
	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/mlir"
)

// A Launched has the coordinates that the body of a launch gets, each with x, y and z.
type Launched struct {
	Block, Thread     [3]mlir.Value // the identifiers
	GridSize, Threads [3]mlir.Value // the numbers of blocks, and of threads in a block
}

// Launch creates a gpu.launch with the sizes of the grid and of a block of threads, and
// calls body to build the kernel. Launch adds the gpu.terminator if body ends without one.
func Launch(b *mlir.Builder, grid, block [3]mlir.Value, body func(Launched)) mlir.Operation {
	ods.Needs(b, body != nil)
	index := b.Context().IndexType()
	types := make([]mlir.Type, 12)
	for i := range types {
		types[i] = index
	}
	region := b.Region(func(in []mlir.Value) {
		body(Launched{[3]mlir.Value(in[:3]), [3]mlir.Value(in[3:6]), [3]mlir.Value(in[6:9]), [3]mlir.Value(in[9:12])})
	}, types...)
	ods.Terminate(b, region, func() { Terminator(b) })
	return LaunchOp{GridSizeX: grid[0], GridSizeY: grid[1], GridSizeZ: grid[2],
		BlockSizeX: block[0], BlockSizeY: block[1], BlockSizeZ: block[2], Body: region}.Create(b)
}

// Module creates a gpu.module, and calls body to build what is in it.
func Module(b *mlir.Builder, name string, body func()) mlir.Operation {
	return ModuleOptions{}.Module(b, name, body)
}

// ModuleOptions are what a gpu.module may have besides its name and body.
type ModuleOptions struct {
	// Targets are what the pass gpu-module-to-binary compiles the module for, such as #nvvm.target<chip = "sm_90"> and
	// #rocdl.target<chip = "gfx942">, which Builder.Attribute makes of this text.
	Targets []mlir.Attribute
	// OffloadingHandler says how the compiled objects are put into the module of the host, such as
	// #gpu.select_object. The zero Attribute leaves that to the pass.
	OffloadingHandler mlir.Attribute
}

// Module is [Module] with these options.
func (o ModuleOptions) Module(b *mlir.Builder, name string, body func()) mlir.Operation {
	ods.Needs(b, body != nil)
	return ModuleOp{SymName: name, Targets: o.Targets, OffloadingHandler: o.OffloadingHandler,
		BodyRegion: b.Region(func([]mlir.Value) { body() })}.Create(b)
}

// Kernel creates a gpu.func that is a kernel, and calls body with its arguments to build it. Kernel
// adds the gpu.return if body ends without a terminator.
func Kernel(b *mlir.Builder, name string, inputs []mlir.Type, body func(in []mlir.Value)) mlir.Operation {
	region := b.Region(body, inputs...)
	ods.Terminate(b, region, func() { Return(b) })
	op := FuncOp{FunctionType: ods.Signature(b, inputs, nil), Body: region}.Create(b)
	if b.Err() == nil {
		op.SetAttribute("sym_name", b.Context().StringAttribute(name))
		op.SetAttribute("gpu.kernel", b.Context().UnitAttribute())
	}
	return op
}
