package callop

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// A Mesh is an sdy.mesh: the devices that share a module, as a grid.
type Mesh struct {
	Name    string
	Axes    []Axis
	Devices int
}

// An Axis is a dimension of a Mesh.
type Axis struct {
	Name string // as MLIR prints it, with quotation marks
	Size int
}

// Meshes returns the meshes of a module.
func Meshes(m *mlir.Module) (list []Mesh) {
	for op := range m.Body().Operations() {
		if op.Name() != "sdy.mesh" {
			continue
		}
		name, _ := op.Symbol()
		grid, _ := op.Attribute("mesh")
		mesh := Mesh{Name: name, Devices: 1}
		for _, axis := range meshAxis.FindAllStringSubmatch(grid.String(), -1) {
			size, err := strconv.Atoi(axis[2])
			if err != nil {
				continue // larger than any client
			}
			mesh.Axes = append(mesh.Axes, Axis{axis[1], size})
			mesh.Devices *= size
		}
		list = append(list, mesh)
	}
	return list
}

// meshAxis is an axis in the text of an sdy.mesh.
var meshAxis = regexp.MustCompile(`("(?:[^"\\]|\\.)*")=(\d+)`)

// MeshOf returns the mesh of a module that has the most devices. It returns false if there is none
// with more than one device.
func MeshOf(m *mlir.Module) (best Mesh, ok bool) {
	for _, mesh := range Meshes(m) {
		if mesh.Devices > max(1, best.Devices) {
			best, ok = mesh, true
		}
	}
	return best, ok
}

// Partitions returns the number of devices that share a module: mhlo.num_partitions or, without
// it, the devices of its mesh. It is 1 if the module has neither.
func Partitions(m *mlir.Module) int {
	if a, ok := m.Operation().Attribute("mhlo.num_partitions"); ok {
		if n, ok := a.Int(); ok && n > 0 {
			return int(n)
		}
	}
	if mesh, ok := MeshOf(m); ok {
		return mesh.Devices
	}
	return 1
}

// Manual is the name of Shardy's operation whose body each device runs by itself, on its parts of
// the operands.
const Manual = "sdy.manual_computation"

// manualBody is the prefix of the functions that such bodies are in modules that Shardy exported.
const manualBody = "xla.sdy.manual_computation_body"

// A Surrounding states where a call of a module runs: in a manual computation, where each device
// runs it by itself, or outside, where all devices run it together. A function that is called
// from both is in both, and one that is never called is in neither.
type Surrounding struct{ Inside, Outside bool }

// Surroundings returns a function that finds the Surrounding of an operation of the module. The
// functions of the module and the calls between them must not change.
func Surroundings(m *mlir.Module) func(mlir.Operation) Surrounding {
	s := surroundings{functions: map[string]Surrounding{}, calls: map[string][]mlir.Operation{}}
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if callee, ok := function.Callee(op); ok {
			s.calls[callee] = append(s.calls[callee], op)
		}
		return mlir.WalkContinue
	})
	return s.of
}

type surroundings struct {
	functions map[string]Surrounding
	calls     map[string][]mlir.Operation // by callee
}

func (s *surroundings) of(op mlir.Operation) Surrounding {
	for at := op.Parent(); !at.IsNil(); at = at.Parent() {
		switch at.Name() {
		case Manual:
			return Surrounding{Inside: true}
		case "func.func":
			return s.function(at)
		}
	}
	return Surrounding{Outside: true}
}

func (s *surroundings) function(f mlir.Operation) Surrounding {
	name, _ := f.Symbol()
	if known, ok := s.functions[name]; ok {
		return known
	}
	if strings.HasPrefix(name, manualBody) {
		return Surrounding{Inside: true}
	}
	var found Surrounding
	found.Outside = f.Visibility() != mlir.Private
	s.functions[name] = found // for a function that calls itself, which XLA refuses
	for _, call := range s.calls[name] {
		at := s.of(call)
		found.Inside, found.Outside = found.Inside || at.Inside, found.Outside || at.Outside
	}
	s.functions[name] = found
	return found
}

// IsMaximal reports whether an operation has a maximal sharding that XLA observes: it collects the
// operands on one device, which runs the operation, and sends the results to all. JAX writes it for
// its callbacks. Of those in Shardy's form, XLA observes only the ones of JAX's targets.
func IsMaximal(m *mlir.Module, op mlir.Operation) bool {
	if a, ok := op.Attribute("mhlo.sharding"); ok {
		text, _ := a.Text()
		return strings.HasPrefix(strings.TrimLeft(text, "{ "), "maximal")
	}
	a, ok := op.Attribute("sdy.sharding")
	if target, has := op.Attribute("call_target_name"); has {
		name, _ := target.Text()
		ok = ok && slices.Contains(jaxCallbacks, name)
	}
	if !ok {
		return false
	}
	text := a.String()
	for _, mesh := range Meshes(m) {
		if len(mesh.Axes) == 0 && strings.Contains(text, "<"+m.Context().SymbolAttribute(mesh.Name).String()+",") {
			return true
		}
	}
	return false
}

// jaxCallbacks are the targets of JAX's callbacks.
var jaxCallbacks = []string{
	"xla_ffi_python_cpu_callback", "xla_ffi_python_gpu_callback", "xla_python_cpu_callback", "xla_python_gpu_callback",
}
