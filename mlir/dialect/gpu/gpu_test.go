package gpu_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/gpu"
)

func TestAsyncToken(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		token := check.Must(gpu.AsyncTokenType(c))
		check.Diff(t, "the type", "!gpu.async.token", token.String())
		check.Diff(t, "its kind", true, gpu.IsAsyncToken(token))
		check.Diff(t, "i32's kind", false, gpu.IsAsyncToken(mlirtest.Type(c, "i32")))
	})
}

func TestObject(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		target := mlirtest.Attribute(c, "#nvvm.target")
		kernels := mlirtest.Attribute(c, "#gpu.kernel_table<[#gpu.kernel_metadata<\"k\", () -> ()>]>")
		properties := mlirtest.Attribute(c, "{O = 3 : i32}")
		for want, o := range map[string]gpu.Object{
			`#gpu.object<#nvvm.target, offload = "a\00\FF">`: {Target: target,
				Format: gpu.Offload, Data: []byte("a\x00\xff")},
			`#gpu.object<#nvvm.target, assembly = "">`: {Target: target,
				Format: gpu.Assembly, Data: []byte{}},
			`#gpu.object<#nvvm.target, properties = {O = 3 : i32}, bin = "b">`: {Target: target,
				Format: gpu.Binary, Data: []byte("b"), Properties: properties},
			`#gpu.object<#nvvm.target, kernels = <[#gpu.kernel_metadata<"k", () -> ()>]>, "f">`: {Target: target,
				Format: gpu.FatBinary, Data: []byte("f"), Kernels: kernels},
		} {
			a := check.Must(o.Attribute(c))
			check.Diff(t, "the attribute", mlirtest.Attribute(c, want).String(), a.String())
			got := check.Must(gpu.ReadObject(a))
			check.Diff(t, "the data", o.Data, got.Data)
			check.Diff(t, "the format", o.Format, got.Format)
			check.Diff(t, "the parts", []string{o.Target.String(), o.Properties.String(), o.Kernels.String()},
				[]string{got.Target.String(), got.Properties.String(), got.Kernels.String()})
		}
		for want, bad := range map[string]gpu.Object{
			"0 is not a format": {Target: target},
			"5 is not a format": {Target: target, Format: 5},
			"a dictionary, not": {Target: target, Format: gpu.Binary, Properties: target},
			"kernel_table, not": {Target: target, Format: gpu.Binary, Kernels: target},
			"unit":              {Target: c.UnitAttribute(), Format: gpu.Binary},
		} {
			_, err := bad.Attribute(c)
			check.Error(t, err, want)
		}
		_, err := gpu.ReadObject(target)
		check.Error(t, err, "is not an object")
		check.Panics(t, "called on a zero value", func() { gpu.Object{Format: gpu.Binary}.Attribute(c) })
		check.Panics(t, "called on a zero value", func() { gpu.ReadObject(mlir.Attribute{}) })
	})
}

// TestModuleOptions builds modules for targets, which the library's verifier checks.
func TestModuleOptions(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		m := c.NewModule(mlir.Location{})
		m.Operation().SetAttribute("gpu.container_module", c.UnitAttribute())
		b := mlir.NewBuilder(m.Body(), mlir.Location{})
		gpu.ModuleOptions{Targets: []mlir.Attribute{b.Attribute(`#nvvm.target<chip = "sm_90">`),
			b.Attribute(`#nvvm.target<chip = "sm_80">`)}}.Module(b, "kernels", func() {
			gpu.Kernel(b, "nothing", nil, func([]mlir.Value) {})
		})
		gpu.Module(b, "plain", func() {})
		check.NoError(t, b.Err())
		check.NoError(t, m.Verify())
		check.Diff(t, "the module", `module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<chip = "sm_90">, #nvvm.target<chip = "sm_80">] {
    gpu.func @nothing() kernel {
      gpu.return
    }
  }
  gpu.module @plain {
  }
}
`, m.String())
		gpu.ModuleOptions{Targets: []mlir.Attribute{c.UnitAttribute()}}.Module(b, "wrong", func() {})
		if b.Fail(m.Verify()); b.Err() == nil {
			t.Error("an attribute that is no target is accepted")
		}
	})
}

func TestObjects(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		m := mlirtest.Parse(t, c, `gpu.binary @b [#gpu.object<#nvvm.target, bin = "x">, #gpu.object<#nvvm.target, assembly = "y">]`)
		objects := check.Must(gpu.Objects(m.Body().First()))
		if len(objects) != 2 || string(objects[0].Data) != "x" || objects[1].Format != gpu.Assembly {
			t.Errorf("the objects are %v", objects)
		}
		_, err := gpu.Objects(m.Operation())
		check.Error(t, err, "not a gpu.binary")
	})
}
