package transform

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A Manual is a manual computation: its body is what each device does with its parts of the operands.
type Manual struct {
	Op      mlir.Operation
	Body    mlir.Block
	In, Out []string // the shardings of operands and results
	Axes    []string // the manual ones
}

// AsManual reads a manual computation.
func AsManual(op mlir.Operation) (m Manual, err error) {
	m = Manual{Op: op, Body: op.Region(0).First()}
	text := func(name string) string { a, _ := op.Attribute(name); return a.String() }
	m.In, m.Out = shardings(text("in_shardings")), shardings(text("out_shardings"))
	m.Axes = axisName.FindAllString(text("manual_axes"), -1)
	if len(m.In) != op.NumOperands() || len(m.Out) != op.NumResults() {
		return m, fmt.Errorf("its shardings cannot be read")
	}
	return m, nil
}

// axisName is an axis in the text of a sharding, with its quotation marks.
var axisName = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// shardings returns the shardings <mesh, dimensions, …> in the text of #sdy.sharding_per_value<[…]>.
func shardings(text string) (list []string) {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "#sdy.sharding_per_value<["), "]>")
	return split(text)
}

// split splits a text at the commas that are outside of brackets and quotation marks.
func split(text string) (list []string) {
	depth, start, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.IndexByte("<[{(", c) >= 0:
			depth++
		case strings.IndexByte(">]})", c) >= 0:
			depth--
		case c == ',' && depth == 0:
			list, start = append(list, strings.TrimSpace(text[start:i])), i+1
		}
	}
	if rest := strings.TrimSpace(text[start:]); rest != "" {
		list = append(list, rest)
	}
	return list
}

// Copied returns the manual axes along which a value with a sharding has a copy on each device.
func (m Manual) Copied(sharding string) []string {
	parts := split(sharding[1 : len(sharding)-1])
	var used []string
	if len(parts) > 1 {
		used = axisName.FindAllString(parts[1], -1)
	}
	return slices.DeleteFunc(slices.Clone(m.Axes), func(a string) bool { return slices.Contains(used, a) })
}

// Mesh returns the mesh of the computation, and its name as the shardings write it.
func (m Manual) Mesh() (mesh stablehlo.Mesh, name string, err error) {
	list := slices.Concat(m.In, m.Out)
	if len(list) == 0 {
		return mesh, name, fmt.Errorf("it has neither operands nor results")
	}
	name = split(list[0][1 : len(list[0])-1])[0]
	top := m.Op
	for !top.Parent().IsNil() {
		top = top.Parent()
	}
	for _, mesh := range stablehlo.Meshes(top.Region(0).First()) {
		if name == "@"+mesh.Name || name == "@"+strconv.Quote(mesh.Name) { // as others write it
			return mesh, name, nil
		}
	}
	return mesh, name, fmt.Errorf("its mesh %s is not in the module", name)
}

// Groups returns how many devices along axes of its mesh, as MLIR prints them, have copies, and the groups of devices
// that have them.
func (m Manual) Groups(mesh stablehlo.Mesh, along []string) (size int64, list [][]int64) {
	axes := make([]stablehlo.AxisRef, len(along))
	for i, text := range along {
		axes[i].Name, _ = Must(m.Op.Context().ParseAttribute(text)).Text()
	}
	list, err := mesh.Groups(axes...)
	if err != nil {
		Fail(m.Op, "%v", err)
	}
	return int64(len(list[0])), list
}

// Attributes returns the attributes of the computation.
func (m Manual) Attributes(c *mlir.Context) []mlir.NamedAttribute {
	return Must(callop.ManualAttributes(c, m.In, m.Out, m.Axes))
}

// Write sets the attributes of an operation.
func (m Manual) Write(op mlir.Operation) {
	for _, a := range m.Attributes(op.Context()) {
		op.SetAttribute(a.Name, a.Value)
	}
}

// pruneManual removes the results and operands that nothing uses, and what nothing uses in the body.
func (e *Emitter) pruneManual(op mlir.Operation) {
	m := Must(AsManual(op))
	keep := uses(op.ResultValues())
	m.Body.Terminator().SetOperands(Filter(m.Body.Terminator().OperandValues(), keep)...)
	NewEmitter(m.Body.Terminator(), e.Loc).Clean(m.Body)
	keepIn := uses(m.Body.ArgumentValues())
	if !slices.Contains(keep, false) && !slices.Contains(keepIn, false) {
		return
	}
	for i := len(keepIn) - 1; i >= 0; i-- {
		if !keepIn[i] {
			Check(m.Body.EraseArgument(i))
		}
	}
	made := e.Remake(op, Filter(op.OperandValues(), keepIn), Filter(mlir.TypesOf(op.ResultValues()), keep))
	Manual{In: Filter(m.In, keepIn), Out: Filter(m.Out, keep), Axes: m.Axes}.Write(made)
	Replace(Filter(op.ResultValues(), keep), made.ResultValues())
	Check(op.Erase())
}
