package stablehlo

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/lex"
	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/mlir"
)

// A Mesh is the devices that share a module, as a grid with named axes: an sdy.mesh, or a #stablehlo.mesh<…>.
type Mesh struct {
	Name      string // of the symbol; "" if the mesh is an attribute
	Axes      []MeshAxis
	DeviceIDs []int64 // in the row-major order of the axes; nil means in ascending order
}

// A MeshAxis is a dimension of a Mesh.
type MeshAxis struct {
	Name string
	Size int64
}

// An AxisRef names an axis of a mesh, or a part of it. If Size is not 0, the axis counts as three in its place, of the
// sizes PreSize, Size, and what is left, and the part is the second one.
type AxisRef struct {
	Name          string
	PreSize, Size int64
}

// MaxDevices is the largest number of devices of a mesh that programs can have, as in package sharding.
const MaxDevices = 1 << 20

// NumDevices returns the number of devices of a mesh. Those of a mesh with more than MaxDevices are counted as one
// more.
func (m Mesh) NumDevices() int {
	n := int64(1)
	for _, a := range m.Axes {
		if n *= min(max(a.Size, 0), MaxDevices+1); n > MaxDevices {
			return MaxDevices + 1
		}
	}
	return int(n)
}

// Device returns the number of the device at a place in the row-major order of the axes.
func (m Mesh) Device(place int64) int64 {
	if m.DeviceIDs == nil {
		return place
	}
	return m.DeviceIDs[place]
}

// Groups returns the devices that differ along axes only, in the order of these axes, the last one the fastest. The
// groups are in the order of the other axes. The error is for axes that the mesh does not have, for axes that overlap,
// and for a mesh that is too large or damaged.
func (m Mesh) Groups(axes ...AxisRef) ([][]int64, error) {
	n := m.NumDevices()
	switch {
	case n < 1:
		return nil, errors.New("the mesh has no devices")
	case n > MaxDevices:
		return nil, fmt.Errorf("the mesh has more than %d devices", MaxDevices)
	case m.DeviceIDs != nil && len(m.DeviceIDs) != n:
		return nil, fmt.Errorf("the mesh has %d devices and %d device_ids", n, len(m.DeviceIDs))
	}
	type digit struct{ stride, size int64 } // of the places along an axis
	digits, size := make([]digit, len(axes)), 1
	for i, of := range axes {
		at := slices.IndexFunc(m.Axes, func(a MeshAxis) bool { return a.Name == of.Name })
		if at < 0 {
			return nil, fmt.Errorf("the mesh has no axis %q", of.Name)
		}
		d := digit{1, m.Axes[at].Size}
		for _, later := range m.Axes[at+1:] {
			d.stride *= later.Size
		}
		if of.Size != 0 {
			if of.Size < 0 || of.PreSize < 1 || d.size%of.PreSize != 0 || d.size/of.PreSize%of.Size != 0 {
				return nil, fmt.Errorf("the axis %q of %d devices has no part (%d)%d",
					of.Name, d.size, of.PreSize, of.Size)
			}
			d.stride, d.size = d.stride*(d.size/of.PreSize/of.Size), of.Size
		}
		if digits[i], size = d, size*int(d.size); size > n {
			return nil, errors.New("the axes of the groups overlap")
		}
	}
	var groups [][]int64
	index := map[int64]int{} // of the group with a first place
	filled := 0
	for place := range int64(n) {
		first, at := place, int64(0)
		for _, d := range digits {
			c := place / d.stride % d.size
			first, at = first-c*d.stride, at*d.size+c
		}
		i, ok := index[first]
		if !ok {
			i = len(groups)
			index[first] = i
			groups = append(groups, slices.Repeat([]int64{-1}, size))
		}
		if groups[i][at] < 0 {
			filled++
		}
		groups[i][at] = m.Device(place)
	}
	if filled != n || len(groups)*size != n {
		return nil, errors.New("the axes of the groups overlap")
	}
	return groups, nil
}

// String returns the text of the mesh as an attribute, #stablehlo.mesh<…>.
func (m Mesh) String() string {
	var b strings.Builder
	b.WriteString("#stablehlo.mesh<axes = [")
	for i, a := range m.Axes {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "#stablehlo.mesh_axis<name = %s, size = %d>", lex.Quote(a.Name), a.Size)
	}
	b.WriteString("]")
	if m.DeviceIDs != nil {
		fmt.Fprintf(&b, ", device_ids = dense<%s> : tensor<%dxi64>", ods.List(m.DeviceIDs), len(m.DeviceIDs))
	}
	return b.String() + ">"
}

// Meshes returns the meshes in the body of a module.
func Meshes(body mlir.Block) (list []Mesh) {
	for op := range body.Operations() {
		if m, ok := meshOf(op); ok {
			list = append(list, m)
		}
	}
	return list
}

// meshOf returns the mesh that an operation names.
func meshOf(op mlir.Operation) (m Mesh, ok bool) {
	a, isMesh := op.Attribute("mesh")
	name, isSymbol := op.Symbol()
	switch {
	case !isMesh || !isSymbol:
	case op.Name() == "sdy.mesh":
		m, ok = shardyMesh(a), true
	default:
		m, ok = asMesh(a)
	}
	m.Name = name
	return m, ok
}

// shardyMesh reads #sdy.mesh<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>.
func shardyMesh(a mlir.Attribute) (m Mesh) {
	text := a.String()
	for _, axis := range shardyAxis.FindAllStringSubmatch(text, -1) {
		size, err := strconv.ParseInt(axis[2], 10, 64)
		if err != nil {
			size = MaxDevices + 1
		}
		m.Axes = append(m.Axes, MeshAxis{unquoted(axis[1]), size})
	}
	if _, ids, ok := strings.Cut(text, "device_ids=["); ok {
		for id := range strings.SplitSeq(ids[:strings.IndexByte(ids, ']')], ",") {
			n, _ := strconv.ParseInt(strings.TrimSpace(id), 10, 64) // MLIR printed it
			m.DeviceIDs = append(m.DeviceIDs, n)
		}
	}
	return m
}

// shardyAxis is an axis in the text of an sdy.mesh.
var shardyAxis = regexp.MustCompile(`("(?:[^"\\]|\\.)*")=(\d+)`)

// asMesh reads #stablehlo.mesh<axes=[<name = "x", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>.
func asMesh(a mlir.Attribute) (m Mesh, ok bool) {
	rest, ok := strings.CutPrefix(a.String(), "#stablehlo.mesh<axes=[")
	for axis := meshAxis.FindStringSubmatch(rest); ok && axis != nil; axis = meshAxis.FindStringSubmatch(rest) {
		m.Axes = append(m.Axes, MeshAxis{unquoted(axis[1]), ods.FieldInt(axis[2], &ok)})
		rest = rest[len(axis[0]):]
	}
	if ids, has := strings.CutPrefix(rest, "], device_ids="); ok && has {
		list, err := a.Context().ParseAttribute(strings.TrimSuffix(ids, ">"))
		if err != nil {
			return m, false
		}
		m.DeviceIDs, ok = ods.Elements.Read(list)
		return m, ok
	}
	return m, ok && rest == "]>"
}

// meshAxis is an axis in the text of a #stablehlo.mesh.
var meshAxis = regexp.MustCompile(`^<name = ("(?:[^"\\]|\\.)*"), size = (-?\d+)>(?:, )?`)

// unquoted returns the string that MLIR printed in quotes.
func unquoted(text string) string { return string(lex.Unescape([]byte(strings.Trim(text, `"`)))) }
