package callop

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// MeshOf returns the mesh of a module that has the most devices. It returns false if there is none
// with more than one device.
func MeshOf(m *mlir.Module) (best stablehlo.Mesh, ok bool) {
	for _, mesh := range stablehlo.Meshes(m.Body()) {
		if mesh.NumDevices() > max(1, best.NumDevices()) {
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
		return mesh.NumDevices()
	}
	return 1
}

// Manual is the name of Shardy's operation whose body each device runs by itself, on its parts of
// the operands.
const Manual = "sdy.manual_computation"

// Device is the target of a custom call in a module for one device that does what several do. Its operand, a s32, is
// the number of the device that makes the calls of the host that follow.
const Device = "calliope_device"

// ManualAttributes returns the attributes of such an operation. in and out have the shardings of its
// operands and results, such as <@mesh, [{"x"}, {}]>, and axes all axes of the mesh, as MLIR prints
// them.
func ManualAttributes(c *mlir.Context, in, out, axes []string) (list []mlir.NamedAttribute, err error) {
	for _, a := range []struct{ name, text string }{
		{"in_shardings", "#sdy.sharding_per_value<[" + strings.Join(in, ", ") + "]>"},
		{"manual_axes", "#sdy<manual_axes{" + strings.Join(axes, ", ") + "}>"},
		{"out_shardings", "#sdy.sharding_per_value<[" + strings.Join(out, ", ") + "]>"},
	} {
		value, err := c.ParseAttribute(a.text)
		if err != nil {
			return nil, err
		}
		list = append(list, mlir.NamedAttribute{Name: a.name, Value: value})
	}
	return list, nil
}

// manualBody is the prefix of the functions that such bodies are in modules that Shardy exported.
const manualBody = "xla.sdy.manual_computation_body"

// A Surrounding states where a call of a module runs: in a manual computation, or with a manual
// sharding of XLA's own, where each device runs it by itself, or outside, where all devices run it together. A function
// that is called from both is in both, and one that is never called is in neither.
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
	if a, ok := op.Attribute("mhlo.sharding"); ok { // of modules whose shardings are XLA's
		if text, _ := a.Text(); text == "{manual}" {
			return Surrounding{Inside: true}
		}
	}
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

// Maximal returns the device of an operation with a maximal sharding: that device alone runs it,
// with whole arrays, and sends the results to all. JAX writes it for its callbacks. It returns false
// for other operations.
func Maximal(m *mlir.Module, op mlir.Operation) (device int, ok bool) {
	text, devices := "", maximalHLO
	if a, has := op.Attribute("mhlo.sharding"); has {
		text, _ = a.Text()
	} else if a, has := op.Attribute("sdy.sharding"); has {
		for mesh := range m.Body().Operations() {
			name, _ := mesh.Symbol()
			if mesh.Name() == "sdy.mesh" &&
				strings.Contains(a.String(), "<"+m.Context().SymbolAttribute(name).String()+",") {
				grid, _ := mesh.Attribute("mesh")
				text, devices = grid.String(), maximalMesh
				break
			}
		}
	}
	found := devices.FindStringSubmatch(text)
	if found == nil {
		return 0, false
	}
	device, err := strconv.Atoi(found[1])
	return device, err == nil
}

var (
	maximalHLO  = regexp.MustCompile(`^\{ *maximal device=(\d+)`)
	maximalMesh = regexp.MustCompile(`<\[\], device_ids=\[(\d+)\]>`)
)

// IsPlaced reports whether XLA observes the maximal sharding of a custom call. In Shardy's form
// it does for some targets only: see contract.IsPlaced.
func IsPlaced(m *mlir.Module, op mlir.Operation) bool {
	if _, ok := Maximal(m, op); !ok {
		return false
	}
	_, own := op.Attribute("mhlo.sharding")
	return own || contract.IsPlaced(target(op))
}
