package stablehlo

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/lex"
	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/mlir"
)

// Groups says between which devices a collective operation is. It has their numbers, or the axes of a mesh, which
// StableHLO has since version 1.16 and JAX writes since 0.11: see passes.ExpandMeshAxes. The zero Groups has no
// numbers, which is one group of all devices where StableHLO allows it.
type Groups struct {
	// Lists has the numbers of the devices of each group, in the order of their contributions. -1 fills a group that
	// is smaller than others.
	Lists [][]int64
	// Mesh is set in place of Lists. If it has a Name, it is the mesh of this name in the module, and its axes and
	// devices are not stated here: Devices looks them up.
	Mesh *Mesh
	// Axes has the axes of the mesh along which the devices of a group differ.
	Axes []AxisRef
}

// GroupsOf returns groups of devices by their numbers.
func GroupsOf(lists ...[]int64) Groups { return Groups{Lists: lists} }

// Devices returns the numbers of the devices of each group. The groups are those of an operation, or of another one in
// its module, in which a mesh with a name is looked up. The error says what is wrong with the mesh or its axes.
func (g Groups) Devices(of mlir.Operation) ([][]int64, error) {
	if g.Mesh == nil {
		return g.Lists, nil
	}
	mesh, err := g.MeshIn(of)
	if err != nil {
		return nil, err
	}
	lists, err := mesh.Groups(g.Axes...)
	if err != nil {
		return nil, fmt.Errorf("%s: the groups %s: %w", of.Name(), g, err)
	}
	return lists, nil
}

// MeshIn returns the mesh of groups by axes, with what the modules around an operation state of it. The error is for
// a mesh that they do not have.
func (g Groups) MeshIn(op mlir.Operation) (Mesh, error) {
	if g.Mesh.Name == "" {
		return *g.Mesh, nil
	}
	for at := op; !at.IsNil(); at = at.Parent() {
		if at.Name() != "builtin.module" {
			continue
		}
		for _, mesh := range Meshes(at.Region(0).First()) {
			if mesh.Name == g.Mesh.Name {
				return mesh, nil
			}
		}
	}
	return Mesh{}, fmt.Errorf("%s: the groups are of the mesh @%s, which the module does not have", op.Name(), g.Mesh.Name)
}

// Attribute returns a tensor of the numbers, or #stablehlo.replica_group_mesh_axes<…>.
func (g Groups) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	switch {
	case g.Mesh == nil && len(g.Axes) > 0:
		return mlir.Attribute{}, errors.New("the groups have axes, and no mesh")
	case g.Mesh == nil:
		return ods.Rows.Write(c, g.Lists)
	case g.Lists != nil:
		return mlir.Attribute{}, errors.New("the groups have both numbers and a mesh")
	}
	if err := c.LoadDialect("stablehlo"); err != nil {
		return mlir.Attribute{}, err
	}
	return c.ParseAttribute(g.String())
}

// String returns the numbers, such as [[0, 1], [2, 3]], or the text of the attribute.
func (g Groups) String() string {
	if g.Mesh == nil {
		texts := make([]string, len(g.Lists))
		for i, list := range g.Lists {
			texts[i] = ods.List(list)
		}
		return "[" + strings.Join(texts, ", ") + "]"
	}
	mesh := g.Mesh.String()
	if name := g.Mesh.Name; bareName.MatchString(name) {
		mesh = "@" + name
	} else if name != "" {
		mesh = "@" + lex.Quote(name)
	}
	axes := make([]string, len(g.Axes))
	for i, a := range g.Axes {
		part := ""
		if a.Size != 0 {
			part = fmt.Sprintf(", sub_axis_info = (%d)%d", a.PreSize, a.Size)
		}
		axes[i] = "#stablehlo.axis_ref<name = " + lex.Quote(a.Name) + part + ">"
	}
	return meshAxes + "mesh = " + mesh + ", axes = [" + strings.Join(axes, ", ") + "]>"
}

const meshAxes = "#stablehlo.replica_group_mesh_axes<"

var (
	bareName = regexp.MustCompile(`^[A-Za-z_][\w$.]*$`)
	axisRef  = regexp.MustCompile(`^#stablehlo\.axis_ref<name = ("(?:[^"\\]|\\.)*")` +
		`(?:, sub_axis_info = \((-?\d+)\)(-?[1-9]\d*))?>(?:, )?`)
)

// AsGroups returns attr as Groups. It returns false if attr is another attribute.
func AsGroups(attr mlir.Attribute) (g Groups, ok bool) {
	if attr.IsNil() {
		return g, false
	}
	if g.Lists, ok = ods.Rows.Read(attr); ok {
		return g, true
	}
	text, ok := strings.CutPrefix(attr.String(), meshAxes+"mesh = ")
	at := strings.LastIndex(text, ", axes = [")
	if !ok || at < 0 {
		return g, false
	}
	mesh, err := attr.Context().ParseAttribute(text[:at])
	if err != nil {
		return g, false
	}
	if name, ok := mesh.Symbol(); ok {
		g.Mesh = &Mesh{Name: name}
	} else if inline, ok := asMesh(mesh); ok {
		g.Mesh = &inline
	} else {
		return g, false
	}
	rest := text[at+len(", axes = ["):]
	for axis := axisRef.FindStringSubmatch(rest); ok && axis != nil; axis = axisRef.FindStringSubmatch(rest) {
		of := AxisRef{Name: unquoted(axis[1])}
		if axis[2] != "" {
			of.PreSize, of.Size = ods.FieldInt(axis[2], &ok), ods.FieldInt(axis[3], &ok)
		}
		g.Axes, rest = append(g.Axes, of), rest[len(axis[0]):]
	}
	return g, ok && rest == "]>"
}
