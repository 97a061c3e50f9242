package builder

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// Sharding says how devices share an array. The zero Sharding says nothing.
type Sharding struct {
	// Mesh and Dims are Shardy's form (sdy.sharding): the name of a mesh that
	// Builder.Mesh made, and for each dimension of the array the axes of the mesh that
	// split it, the greatest part first. Dimensions without axes, and those beyond the
	// end of Dims, are not split.
	Mesh string
	Dims [][]string
	// HLO is XLA's own form (mhlo.sharding), for example "{devices=[2,1]<=[2]}". The two
	// forms exclude each other.
	HLO string
}

// Axis is an axis of a mesh of devices.
type Axis struct {
	Name string
	Size int
}

// Mesh gives the devices of the module the names that Sharding uses: a grid with an axis
// for each of its dimensions, as sdy.mesh.
func (b *Builder) Mesh(name string, axes ...Axis) {
	at := b.here()
	if err := b.mesh(at, name, axes); err != nil {
		b.fail(at, "mesh", nil, err)
	}
}

func (b *Builder) mesh(at place, name string, axes []Axis) error {
	if err := b.symbol(name, at); err != nil {
		return err
	}
	parts := make([]string, len(axes))
	sizes := map[string]int{}
	for i, a := range axes {
		switch _, twice := sizes[a.Name]; {
		case a.Name == "":
			return fmt.Errorf("axis %d of the mesh %q has no name", i, name)
		case twice:
			return fmt.Errorf("the mesh %q has the axis %q twice", name, a.Name)
		case a.Size < 1:
			return fmt.Errorf("the axis %q of the mesh %q has the size %d, it needs 1 at least", a.Name, name, a.Size)
		}
		sizes[a.Name] = a.Size
		parts[i] = quote(a.Name) + "=" + strconv.Itoa(a.Size)
	}
	mesh, err := b.ctx.ParseAttribute("#sdy.mesh<[" + strings.Join(parts, ", ") + "]>")
	if err != nil {
		return err
	}
	op, err := b.ctx.Create(mlir.OperationState{Name: "sdy.mesh", Location: at.location, Attributes: []mlir.NamedAttribute{
		{Name: "sym_name", Value: b.ctx.StringAttribute(name)}, {Name: "mesh", Value: mesh},
	}})
	if err != nil {
		return err
	}
	b.module.Body().Insert(0, op)
	if b.meshes == nil {
		b.meshes = map[string]map[string]int{}
	}
	b.meshes[name] = sizes
	return nil
}

// Constrain is x, of which XLA is told how the devices are to share it.
func Constrain(x Value, s Sharding) Value {
	f := mustFuncOf("constrain", x)
	at := f.b.here()
	if !f.usable(at, "constrain", []Value{x}) {
		return f.nothing()
	}
	err := s.check(f.b, x.v.Type())
	if err == nil && s.isZero() {
		err = errors.New("the sharding says nothing")
	}
	var attributes []mlir.NamedAttribute
	if err == nil {
		attributes, err = s.attribute(f.b.ctx, x.v.Type())
	}
	if err != nil {
		f.b.fail(at, "constrain", []Value{x}, err)
		return f.nothing()
	}
	o := raw{Operands: []mlir.Value{x.v}, Results: []mlir.Type{x.v.Type()}, Attributes: attributes}
	if s.HLO == "" {
		o.Name, o.Attributes[0].Name = "sdy.sharding_constraint", "sharding"
	} else {
		o.Name = "stablehlo.custom_call"
		o.Attributes = append(o.Attributes, mlir.NamedAttribute{Name: "call_target_name", Value: f.b.ctx.StringAttribute("Sharding")})
	}
	return f.add(at, "constrain", []Value{x}, o)
}

func (s Sharding) isZero() bool { return s.HLO == "" && s.Mesh == "" && s.Dims == nil }

// check is an error for what does not fit the module's meshes or the type.
func (s Sharding) check(b *Builder, t mlir.Type) error {
	if s.isZero() {
		return nil
	}
	if s.HLO != "" {
		if s.Mesh != "" || s.Dims != nil {
			return errors.New("the sharding has both forms, Mesh and HLO: use one")
		}
		return nil
	}
	axes, ok := b.meshes[s.Mesh]
	if !ok {
		return fmt.Errorf("there is no mesh %q: make it with Builder.Mesh first", s.Mesh)
	}
	dims, _ := t.Dims()
	if len(s.Dims) > len(dims) {
		return fmt.Errorf("the sharding has %d dimensions, and %s has %d", len(s.Dims), describeType(t), len(dims))
	}
	used := map[string]bool{}
	for i, names := range s.Dims {
		parts := int64(1)
		for _, name := range names {
			size, ok := axes[name]
			switch {
			case !ok:
				return fmt.Errorf("the mesh %q has no axis %q", s.Mesh, name)
			case used[name]:
				return fmt.Errorf("the sharding uses the axis %q twice", name)
			}
			used[name] = true
			parts *= int64(size)
		}
		if dims[i] >= 0 && dims[i]%parts != 0 {
			return fmt.Errorf("dimension %d of %s cannot be split into %d equal parts", i, describeType(t), parts)
		}
	}
	return nil
}

// attribute is what the sharding says of a value of a type, at most one attribute.
func (s Sharding) attribute(ctx *mlir.Context, t mlir.Type) ([]mlir.NamedAttribute, error) {
	switch {
	case s.isZero():
		return nil, nil
	case s.HLO != "":
		return []mlir.NamedAttribute{{Name: "mhlo.sharding", Value: ctx.StringAttribute(s.HLO)}}, nil
	}
	dims, _ := t.Dims()
	parts := make([]string, len(dims))
	for i := range parts {
		var axes []string
		if i < len(s.Dims) {
			for _, a := range s.Dims[i] {
				axes = append(axes, quote(a))
			}
		}
		parts[i] = "{" + strings.Join(axes, ", ") + "}"
	}
	a, err := ctx.ParseAttribute("#sdy.sharding<@" + quote(s.Mesh) + ", [" + strings.Join(parts, ", ") + "]>")
	if err != nil {
		return nil, err
	}
	return []mlir.NamedAttribute{{Name: "sdy.sharding", Value: a}}, nil
}

// quote is a string as MLIR's text has it.
func quote(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, b := range []byte(s) {
		if b < ' ' || b > '~' || b == '"' || b == '\\' {
			fmt.Fprintf(&out, "\\%02X", b)
		} else {
			out.WriteByte(b)
		}
	}
	out.WriteByte('"')
	return out.String()
}
