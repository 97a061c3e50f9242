package builder

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/lex"
	"github.com/calliope-mlir/calliope/mlir"
)

// Sharding describes how an array is split over devices. The zero Sharding leaves it to
// XLA.
type Sharding struct {
	// Mesh and Dims are Shardy's form (sdy.sharding). Mesh is the name of a mesh that
	// Builder.Mesh made. Dims holds, for each dimension of the array, the axes of the mesh
	// that split it, from major to minor. Dimensions without axes, and those beyond the end
	// of Dims, are not split.
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

// Mesh names the devices of the module for Sharding: they form a grid, and each of its
// dimensions has an axis. It adds an sdy.mesh.
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
	seen := map[string]bool{}
	for i, a := range axes {
		switch {
		case a.Name == "":
			return fmt.Errorf("axis %d of the mesh %q has no name", i, name)
		case seen[a.Name]:
			return fmt.Errorf("the mesh %q has the axis %q twice", name, a.Name)
		case a.Size < 1:
			return fmt.Errorf("the axis %q of the mesh %q has the size %d: it must be at least 1", a.Name, name, a.Size)
		}
		seen[a.Name] = true
		parts[i] = lex.Quote(a.Name) + "=" + strconv.Itoa(a.Size)
	}
	mesh, err := b.ctx.ParseAttribute("#sdy.mesh<[" + strings.Join(parts, ", ") + "]>")
	if err != nil {
		return err
	}
	op, err := mlir.Create(b.ctx,
		mlir.OperationState{Name: "sdy.mesh", Location: at.location, Attributes: []mlir.NamedAttribute{
			{Name: "sym_name", Value: b.ctx.StringAttribute(name)}, {Name: "mesh", Value: mesh},
		}})
	if err != nil {
		return err
	}
	b.module.Body().Insert(0, op)
	b.addMesh(name, axes)
	return nil
}

func (b *Builder) addMesh(name string, axes []Axis) {
	if b.meshes == nil {
		b.meshes = map[string][]Axis{}
	}
	b.meshes[name] = axes
}

// sizeOf returns the size of an axis of a mesh. It returns false if there is none of this name.
func (b *Builder) sizeOf(mesh, axis string) (int, bool) {
	for _, a := range b.meshes[mesh] {
		if a.Name == axis {
			return a.Size, true
		}
	}
	return 0, false
}

// Constrain returns x with a constraint that tells XLA how to shard it.
func Constrain(x Value, s Sharding) Value {
	f := mustFuncOf(x)
	at := f.b.here()
	if !f.usable(at, "constrain", []Value{x}) {
		return f.missing()
	}
	err := s.check(f.b, x.v.Type())
	if err == nil && s.isZero() {
		err = errors.New("the sharding is empty: set Mesh and Dims, or HLO")
	}
	var attributes []mlir.NamedAttribute
	if err == nil {
		attributes, err = s.attribute(f.b.ctx, x.v.Type())
	}
	if err != nil {
		f.b.fail(at, "constrain", []Value{x}, err)
		return f.missing()
	}
	o := raw{Operands: []mlir.Value{x.v}, Results: []mlir.Type{x.v.Type()}, Attributes: attributes}
	if s.HLO == "" {
		o.Name, o.Attributes[0].Name = "sdy.sharding_constraint", "sharding"
	} else {
		o.Name = "stablehlo.custom_call"
		o.Attributes = append(o.Attributes,
			mlir.NamedAttribute{Name: "call_target_name", Value: f.b.ctx.StringAttribute("Sharding")})
	}
	return f.add(at, "constrain", []Value{x}, o)
}

func (s Sharding) isZero() bool { return s.HLO == "" && s.Mesh == "" && s.Dims == nil }

// check returns an error if the sharding does not fit the module's meshes or the type.
func (s Sharding) check(b *Builder, t mlir.Type) error {
	if s.isZero() {
		return nil
	}
	if s.HLO != "" {
		if s.Mesh != "" || s.Dims != nil {
			return errors.New("the sharding has both forms, Mesh and HLO: use one of them")
		}
		return nil
	}
	if _, ok := b.meshes[s.Mesh]; !ok {
		return fmt.Errorf("there is no mesh %q: make it with Builder.Mesh first", s.Mesh)
	}
	dims, _ := t.Dims()
	if len(s.Dims) > len(dims) {
		return fmt.Errorf("the sharding has %d dimensions, but %s has %d", len(s.Dims), describeType(t), len(dims))
	}
	used := map[string]bool{}
	for i, names := range s.Dims {
		parts := int64(1)
		for _, name := range names {
			size, ok := b.sizeOf(s.Mesh, name)
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

// attribute returns the sharding of a value of type t, as at most one attribute.
func (s Sharding) attribute(ctx *mlir.Context, t mlir.Type) ([]mlir.NamedAttribute, error) {
	switch {
	case s.isZero():
		return nil, nil
	case s.HLO != "":
		return []mlir.NamedAttribute{{Name: "mhlo.sharding", Value: ctx.StringAttribute(s.HLO)}}, nil
	}
	a, err := ctx.ParseAttribute("#sdy.sharding<" + s.body(t) + ">")
	if err != nil {
		return nil, err
	}
	return []mlir.NamedAttribute{{Name: "sdy.sharding", Value: a}}, nil
}

// body returns Shardy's form for a value of type t, without what its text has around it.
func (s Sharding) body(t mlir.Type) string {
	dims, _ := t.Dims()
	parts := make([]string, len(dims))
	for i := range parts {
		var axes []string
		if i < len(s.Dims) {
			for _, a := range s.Dims[i] {
				axes = append(axes, lex.Quote(a))
			}
		}
		parts[i] = "{" + strings.Join(axes, ", ") + "}"
	}
	return "@" + lex.Quote(s.Mesh) + ", [" + strings.Join(parts, ", ") + "]"
}
