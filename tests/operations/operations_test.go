// Package operations tests the generated operations of upstream dialects, all in one program.
package operations_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tools/soak/structs"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

// parts are the fields of structs.
type parts struct {
	c      *mlir.Context
	value  mlir.Value
	other  mlir.Value
	n      int // length of lists
	typ    mlir.Type
	attr   mlir.Attribute
	text   string
	number int64
}

func (p *parts) Value() mlir.Value         { return p.value }
func (p *parts) Type() mlir.Type           { return p.typ }
func (p *parts) Attribute() mlir.Attribute { return p.attr }
func (p *parts) Map() affine.Map           { return affine.Identity(p.c, 1) }
func (p *parts) Set() affine.Set           { return affine.EmptySet(p.c, 0, 0) }
func (p *parts) Block() mlir.Block         { return p.other.Block() }
func (p *parts) Len() int                  { return p.n }
func (p *parts) Number() int64             { return p.number }
func (p *parts) Text() string              { return p.text }

func (p *parts) Region() mlir.Region {
	r := p.c.NewRegion()
	if p.n > 0 {
		r.Append(p.c.NewBlock(mlir.Location{}, slices.Repeat([]mlir.Type{p.typ}, p.n)...))
	}
	return r
}

var typeTexts = []string{
	"i32", "f32", "index", "i1", "tensor<2xf32>", "tensor<*xi32>", "memref<2xf32>", "memref<*xf32>",
	"memref<2x2xi32, strided<[1, 2]>>", "vector<2xf32>", "vector<[4]xi1>", "vector<f32>",
	"tensor<0x?xindex>", "none", "complex<f32>", "tuple<i32>", "() -> ()", "!llvm.ptr", "!pdl.value",
	"!transform.any_op", "!shape.shape", "!async.token", "!gpu.async.token",
	"!spirv.ptr<i32, Function>", "!spirv.array<2 x i32>", "tensor<2x!quant.uniform<i8:f32, 0.5>>", "!emitc.lvalue<i32>", "!smt.bool", "!llvm.struct<(i32)>", "!sparse_tensor.iter_space<#sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>, lvls = 0>",
	"!torch.vtensor<[2],f32>", "!torch.int", "!torch.list<int>", "!tt.ptr<f32>", "!shard.sharding",
	"!wasmssa<local ref to i32>", "!x86.amx.tile<16x16xf32>", "!xegpu.tensor_desc<8x16xf32>", "!mpi.comm",
	"!amdgpu.tdm_base<f32>",
}

// tries are the ways in which each operation is created with each type.
var tries = []struct {
	n      int
	text   string
	number int64
	infer  bool
	attr   string
}{
	{1, "x", 1, true, "1 : i32"},
	{0, "", 0, true, "unit"},
	{2, "x", -1, true, "dense<1> : tensor<2xi64>"},
	{1, "x", 1, false, "affine_map<(d0) -> (d0)>"},
	{3, "()", 1 << 40, false, "\"x\""},
	{2, "x", 2, false, "[]"},
}

// TestHostileOperations creates every operation with missing, extra and wrong parts. It verifies, prints
// and reads what was created, and creates a copy from what it read. Without the build tag
// engines it tries one of twelve types, and with it one of three.
func TestHostileOperations(t *testing.T) {
	mlirtest.Outlives(t, func(t *testing.T, start int) {
		engines := mlirtest.Engines(t)
		step := 3
		if len(engines) == 1 {
			step = 12
		}
		n := 0
		for _, e := range engines {
			known, created := 0, 0
			// A context is that of some operations of one dialect. Loading takes long, and what they leave in it slows
			// the next ones.
			var c *mlir.Context
			for i, op := range structs.All {
				dialect, _, _ := strings.Cut(op.Name, ".")
				if i%32 == 0 || !strings.HasPrefix(structs.All[i-1].Name, dialect+".") {
					c = mlirtest.ContextOf(t, e.Library)
				}
				if c.LoadDialect(dialect) != nil || !c.Registered(op.Name) {
					continue
				}
				known++
				for j := i % step; j < len(typeTexts); j += step {
					if n++; n-1 < start {
						continue
					}
					fmt.Printf("%s%d %s: %s %s\n", mlirtest.CaseMark, n-1, e.Name, op.Name, typeTexts[j])
					created += hostile(t, c, e.Name, op, typeTexts[j])
				}
			}
			t.Logf("%s: %d operations, %d created in %d tries", e.Name, known, created,
				known*len(typeTexts)/step*len(tries))
			if start == 0 && created < known {
				t.Errorf("%s: only %d operations were created", e.Name, created)
			}
		}
	})
}

// notRead is an operation whose attribute group has another type in jaxlib's library, so that
// its reader refuses it there.
var notRead = struct{ engine, operation string }{native.Jaxlib.String(), "nvvm.tcgen05.relinquish_alloc_permit"}

// hostile creates an operation in each of the tries with a value of a type, and checks what the
// reader returns.
func hostile(t *testing.T, c *mlir.Context, engine string, op structs.Operation, typ string) (made int) {
	value, err := c.ParseType(typ)
	if err != nil {
		return 0
	}
	for i, try := range tries {
		m := c.NewModule(mlir.Location{})
		region := c.NewRegion()
		block := c.NewBlock(mlir.Location{}, value)
		region.Append(block)
		check.Must(mlir.Create(m.Body(), mlir.OperationState{Name: "builtin.module", Regions: []mlir.Region{region}}))
		attr, err := c.ParseAttribute(try.attr)
		check.NoError(t, err)
		b := mlir.NewBuilder(block, mlir.Location{})
		p := &parts{c: c, value: block.Argument(0), other: block.Argument(0), n: try.n, typ: value, attr: attr,
			text: try.text, number: try.number}
		made += created(t, b, op, engine != notRead.engine || op.Name != notRead.operation, op.Make(p, try.infer),
			fmt.Sprintf("%s with %s, try %d", op.Name, typ, i))
		b = mlir.NewBuilder(block, mlir.Location{})
		op.Zero.Create(b)
		check.NoError(t, m.Close())
	}
	return made
}

// unnamed returns the text of an operation without the names of its results.
func unnamed(o mlir.Operation) string {
	text := o.String()
	if _, rest, ok := strings.Cut(text, " = "); ok && o.NumResults() > 0 {
		return rest
	}
	return text
}

// created creates an operation, and a copy from what it reads. It returns 1 if the
// operation was created.
func created(
	t *testing.T, b *mlir.Builder, op structs.Operation, readable bool, parts structs.Creator, what string,
) int {
	o := parts.Create(b)
	if b.Err() != nil {
		return 0
	}
	valid := o.Verify() == nil
	text := unnamed(o)
	read, ok := op.Read(o)
	if !valid {
		return 1
	}
	if ok != readable {
		t.Errorf("%s: created, but read is %v: %s", what, ok, text)
	}
	if !ok {
		return 1
	}
	if o.NumRegions() > 0 {
		return 1 // its regions belong to it
	}
	// The library replaces a value that is not allowed by the default when it creates the second
	// one, so the third is like the second.
	for range 2 {
		again := read.Create(b)
		if b.Err() != nil {
			t.Errorf("%s: %v: creating it from what was read from %s", what, b.Err(), text)
			return 1
		}
		if unnamed(again) == text {
			return 1
		}
		text = unnamed(again)
		read, _ = op.Read(again)
	}
	t.Errorf("%s: created again from what was read it is another: %s", what, text)
	return 1
}
