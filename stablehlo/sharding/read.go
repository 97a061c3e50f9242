package sharding

import (
	"errors"
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// A Module is what a module declares about the devices that it runs on.
type Module struct {
	// Replicas is the number of devices that each run the whole module: mhlo.num_replicas,
	// or 1.
	Replicas int
	// Partitions is the number of devices that share one run: mhlo.num_partitions, or, if the
	// module does not have it, the size of its meshes, or 1.
	Partitions int
	// Params and Results are the shardings of @main, if there are several partitions. A
	// sharding is unknown, or open, where the module leaves it to the compiler. The compiler
	// may also choose another one than the module's: Shardy does not divide dimensions
	// unevenly between programs.
	Params, Results []Sharding
	// GSPMD reports whether the shardings are XLA's strings and not Shardy's attributes, so
	// that GSPMD must divide the module: see engine.CompileOptions.
	GSPMD bool
}

// Read returns what a module declares. It reads attributes of Shardy (sdy.mesh,
// sdy.sharding), their form as strings, which Shardy writes for programs that do not have its
// dialect (xla.sdy.meshes and xla.sdy.sharding in mhlo.frontend_attributes), and XLA's
// strings (mhlo.sharding). Numbers and shardings that contradict each other, and shardings in
// a form that is not known here, are errors.
func Read(m *mlir.Module) (Module, error) {
	r := reader{meshes: map[string]mesh{}}
	d := Module{Replicas: 1, Partitions: 1}
	replicas, err := count(m, "mhlo.num_replicas")
	if err != nil {
		return Module{}, err
	}
	partitions, err := count(m, "mhlo.num_partitions")
	if err != nil {
		return Module{}, err
	}
	d.Replicas = max(replicas, 1)
	if err := r.readMeshes(m); err != nil {
		return Module{}, err
	}
	if d.Partitions = partitions; partitions == 0 {
		d.Partitions = r.largest
	}
	if r.largest > 1 && r.largest != d.Partitions {
		return Module{},
			fmt.Errorf("sharding: mhlo.num_partitions is %d, but the mesh %s has %d devices: they must be equal", d.Partitions, r.largestName, r.largest)
	}
	if r.devices = d.Partitions; r.devices == 1 {
		return d, nil
	}
	d.GSPMD = r.largest == 1 && hasStrings(m)
	return d, r.readMain(m, &d)
}

// count returns the number that an attribute of the module has, or 0 if there is none.
func count(m *mlir.Module, name string) (int, error) {
	a, ok := m.Operation().Attribute(name)
	if !ok {
		return 0, nil
	}
	n, ok := a.Int()
	if !ok || n < 1 || n > maxMesh {
		return 0, fmt.Errorf("sharding: the module has %s = %s: a number from 1 to %d is expected", name, a, maxMesh)
	}
	return int(n), nil
}

// A reader reads the shardings of one module.
type reader struct {
	devices     int
	meshes      map[string]mesh // by name, without the @
	largest     int             // number of devices
	largestName string
}

func (r *reader) mesh(name string) (mesh, error) {
	m, ok := r.meshes[name]
	if !ok {
		return mesh{}, fmt.Errorf("sharding: the module has no mesh @%s", name)
	}
	return m, nil
}

func (r *reader) add(name, text string) error {
	m, err := parseMesh(text)
	if err != nil {
		return err
	}
	r.meshes[name] = m
	r.see("@"+name, m)
	return nil
}

func (r *reader) see(name string, m mesh) {
	if n := m.size(); n > r.largest {
		r.largest, r.largestName = n, name
	}
}

// readMeshes reads the meshes of the module, and those in the attributes of @main.
func (r *reader) readMeshes(m *mlir.Module) error {
	r.largest = 1
	for op := range m.Body().Operations() {
		if op.Name() != "sdy.mesh" {
			continue
		}
		symbol, _ := op.Attribute("sym_name")
		name, _ := symbol.Text()
		a, ok := op.Attribute("mesh")
		if !ok {
			continue
		}
		if err := r.add(name, a.String()); err != nil {
			return err
		}
	}
	if text, ok := frontend(m.Operation().Attribute("mhlo.frontend_attributes"))("xla.sdy.meshes"); ok {
		if err := r.readMeshTexts(text); err != nil {
			return err
		}
	}
	main, ok := mainOf(m)
	if !ok {
		return nil
	}
	for _, list := range []string{"arg_attrs", "res_attrs"} {
		for _, a := range elements(main, list) {
			s, _ := a.Entry("sdy.sharding")
			if s.IsNil() {
				continue
			}
			if rest, ok := strings.CutPrefix(s.String(), "#sdy.sharding<"); ok && strings.HasPrefix(rest, "mesh<") {
				inlined := scanner{rest: rest}
				if m := inlined.mesh(); !inlined.failed {
					r.see("in "+s.String(), m)
				}
			}
		}
	}
	return nil
}

// readMeshTexts reads {mesh = #sdy.mesh<["x"=2]>, other = …}.
func (r *reader) readMeshTexts(text string) error {
	s := scanner{rest: text}
	s.expect("{")
	for first := true; !s.failed && !s.accept("}"); first = false {
		if !first {
			s.expect(",")
		}
		s.space()
		var name string
		if strings.HasPrefix(s.rest, `"`) {
			name = s.quoted()
		} else {
			name = s.word()
		}
		s.expect("=")
		s.expect("#sdy.")
		m := s.mesh()
		if !s.failed {
			r.meshes[name] = m
			r.see("@"+name, m)
		}
	}
	if !s.done() {
		return unfit("a list of meshes", text)
	}
	return nil
}

func mainOf(m *mlir.Module) (mlir.Operation, bool) {
	for op := range m.Body().Operations() {
		if op.Name() != "func.func" {
			continue
		}
		symbol, _ := op.Attribute("sym_name")
		if name, _ := symbol.Text(); name == "main" {
			return op, true
		}
	}
	return mlir.Operation{}, false
}

// hasStrings reports whether anything in the module has a sharding as XLA's string.
func hasStrings(m *mlir.Module) (found bool) {
	if main, ok := mainOf(m); ok {
		for _, a := range append(elements(main, "arg_attrs"), elements(main, "res_attrs")...) {
			if _, found = a.Entry("mhlo.sharding"); found {
				return true
			}
		}
	}
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if _, found = op.Attribute("mhlo.sharding"); found {
			return mlir.WalkStop
		}
		return mlir.WalkContinue
	})
	return found
}

// elements returns the dictionaries of the parameters or results of a function.
func elements(op mlir.Operation, name string) []mlir.Attribute {
	a, ok := op.Attribute(name)
	if !ok {
		return nil
	}
	list, _ := a.Elements()
	return list
}

// frontend returns a function that returns the texts in a dictionary of frontend attributes.
// XLA escapes quotes in them.
func frontend(a mlir.Attribute, ok bool) func(name string) (string, bool) {
	return func(name string) (string, bool) {
		if !ok || !a.IsDictionary() {
			return "", false
		}
		e, has := a.Entry(name)
		if !has {
			return "", false
		}
		text, _ := e.Text()
		return strings.ReplaceAll(text, `\"`, `"`), true
	}
}

func (r *reader) readMain(m *mlir.Module, d *Module) error {
	main, ok := mainOf(m)
	if !ok {
		return errors.New("sharding: the module has no function @main")
	}
	t, _ := main.Attribute("function_type")
	typ, _ := t.TypeValue()
	params, results, _ := typ.Signature()
	d.Params, d.Results = make([]Sharding, len(params)), make([]Sharding, len(results))
	for _, side := range []struct {
		what, attributes string
		to               []Sharding
	}{{"parameter", "arg_attrs", d.Params}, {"result", "res_attrs", d.Results}} {
		for i, a := range elements(main, side.attributes) {
			if i >= len(side.to) {
				break
			}
			var err error
			if side.to[i], err = r.of(a.Entry); err != nil {
				return fmt.Errorf("%s %d of @main: %w", side.what, i, err)
			}
		}
	}
	return r.readReturned(main, d.Results)
}

// readReturned reads the shardings of results that Shardy writes as custom calls before the
// return.
func (r *reader) readReturned(main mlir.Operation, results []Sharding) error {
	block := main.Region(0).First()
	if block.IsNil() {
		return nil
	}
	for op := range block.Operations() {
		if op.Name() != "func.return" {
			continue
		}
		for i, v := range op.Operands() {
			call := v.Owner()
			if call.IsNil() || i >= len(results) || results[i].IsKnown() || call.Name() != "stablehlo.custom_call" {
				continue
			}
			target, _ := call.Attribute("call_target_name")
			if name, _ := target.Text(); name != "xla.sdy.FuncResultSharding" {
				continue
			}
			var err error
			if results[i], err = r.of(call.Attribute); err != nil {
				return fmt.Errorf("result %d of @main: %w", i, err)
			}
		}
	}
	return nil
}

// of returns the sharding in the attributes of a parameter, result or operation.
func (r *reader) of(attribute func(name string) (mlir.Attribute, bool)) (Sharding, error) {
	if a, ok := attribute("sdy.sharding"); ok {
		return parseShardy(a.String(), r.devices, r.mesh)
	}
	if text, ok := frontend(attribute("mhlo.frontend_attributes"))("xla.sdy.sharding"); ok {
		return parseShardy(text, r.devices, r.mesh)
	}
	if a, ok := attribute("mhlo.sharding"); ok {
		text, isText := a.Text()
		if !isText {
			text = a.String()
		}
		return Parse(text, r.devices)
	}
	return Sharding{}, nil
}
