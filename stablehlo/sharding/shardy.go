package sharding

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A mesh is a mesh of Shardy: named axes, and the devices in their row-major order.
type mesh struct {
	axes    []axis
	devices []int // nil means in ascending order
}

type axis struct {
	name string
	size int
}

// maxMesh is the largest number of devices of a mesh. It limits the memory that a damaged
// module can ask for.
const maxMesh = 1 << 20

// size returns the number of devices. A mesh without axes is one device.
func (m mesh) size() int {
	n := 1
	for _, a := range m.axes {
		n *= a.size
	}
	return n
}

// unfit is the error for a text that is not in a form that is known here.
func unfit(what, text string) error {
	return fmt.Errorf("sharding: %.200q is not %s of Shardy in a form that is known here", text, what)
}

// parseMesh reads a mesh such as #sdy.mesh<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>.
func parseMesh(text string) (mesh, error) {
	s := scanner{rest: text}
	s.expect("#sdy.")
	m := s.mesh()
	if !s.done() {
		return mesh{}, unfit("a mesh", text)
	}
	return m, nil
}

// mesh reads mesh<…>.
func (s *scanner) mesh() (m mesh) {
	s.expect("mesh<")
	s.expect("[")
	n := 1
	for !s.failed && !s.accept("]") {
		if len(m.axes) > 0 {
			s.expect(",")
		}
		a := axis{name: s.quoted()}
		s.expect("=")
		a.size = s.number()
		if a.size < 1 || n > maxMesh/a.size ||
			slices.ContainsFunc(m.axes, func(b axis) bool { return a.name == b.name }) {
			s.failed = true
			return m
		}
		n *= a.size
		m.axes = append(m.axes, a)
	}
	if s.accept(",") {
		s.expect("device_ids=")
		s.expect("[")
		m.devices = s.numbers()
		s.expect("]")
		if len(m.devices) != n || len(m.axes) > 0 && !isPermutation(m.devices) {
			s.failed = true
		}
	}
	s.expect(">")
	return m
}

// parseShardy reads a sharding such as #sdy.sharding<@mesh, [{"x", ?}, {}]>. meshOf returns
// the mesh of a name.
func parseShardy(text string, devices int, meshOf func(name string) (mesh, error)) (Sharding, error) {
	s := scanner{rest: text}
	if s.accept("#sdy.sharding_per_value<[<") { // of the results of one operation
		sharding, err := s.sharding(text, devices, meshOf)
		s.expect("]>")
		if err == nil && !s.done() {
			err = unfit("a sharding", text)
		}
		return sharding, err
	}
	s.expect("#sdy.sharding<")
	sharding, err := s.sharding(text, devices, meshOf)
	if err == nil && !s.done() {
		err = unfit("a sharding", text)
	}
	return sharding, err
}

// sharding reads a sharding from the mesh to the >.
func (s *scanner) sharding(text string, devices int, meshOf func(name string) (mesh, error)) (Sharding, error) {
	m, err := s.meshOrName(meshOf)
	if err != nil {
		return Sharding{}, err
	}
	s.expect(",")
	s.expect("[")
	var dims [][]part
	open := false
	for !s.failed && !s.accept("]") {
		if len(dims) > 0 {
			s.expect(",")
		}
		list, isOpen := s.dimension(m)
		dims, open = append(dims, list), open || isOpen
	}
	for s.accept(",") {
		// Replicated axes may not divide the array further, which changes nothing here. Along unreduced ones each
		// device has a part of a sum, and only the compiler knows which.
		if s.accept("unreduced") {
			open = true
		} else {
			s.expect("replicated")
		}
		s.accept("=")
		s.accept("max")
		s.accept("min")
		s.accept("sum")
		s.expect("{")
		for !s.failed && !s.accept("}") {
			s.axis(m)
			s.accept(",")
		}
	}
	s.expect(">")
	if s.failed {
		return Sharding{}, unfit("a sharding", text)
	}
	result, err := m.sharding(dims, devices)
	if err != nil {
		return Sharding{}, fmt.Errorf("sharding: %.200s: %w", text, err)
	}
	result.open = open
	return result, nil
}

func (s *scanner) meshOrName(meshOf func(name string) (mesh, error)) (mesh, error) {
	if !s.accept("@") {
		return s.mesh(), nil
	}
	var name string
	if strings.HasPrefix(s.rest, `"`) {
		name = s.quoted()
	} else {
		name = s.word()
	}
	if s.failed {
		return mesh{}, nil
	}
	return meshOf(name)
}

// A part is an axis of a mesh, or a sub-axis of it, along which a dimension is divided.
type part struct {
	axis      int // number in the mesh
	pre, size int // the axis is [pre, size, the rest]
}

// dimension reads the sharding of one dimension, such as {"x":(1)2, "y", ?}p1.
func (s *scanner) dimension(m mesh) (list []part, open bool) {
	s.expect("{")
	for !s.failed && !s.accept("}") {
		if s.accept("?") {
			open = true
			s.expect("}")
			break
		}
		list = append(list, s.axis(m))
		if !s.accept(",") {
			s.expect("}")
			break
		}
	}
	if s.accept("p") {
		s.number()
	}
	return list, open
}

// axis reads an axis "x" or a sub-axis "x":(1)2.
func (s *scanner) axis(m mesh) part {
	name := s.quoted()
	i := slices.IndexFunc(m.axes, func(a axis) bool { return a.name == name })
	if s.failed || i < 0 {
		s.failed = true
		return part{}
	}
	p := part{i, 1, m.axes[i].size}
	if s.accept(":") {
		s.expect("(")
		p.pre = s.number()
		s.expect(")")
		p.size = s.number()
		if size := m.axes[i].size; p.pre < 1 || p.size < 1 || p.pre > size || p.size > size ||
			size%(p.pre*p.size) != 0 {
			s.failed = true
		}
	}
	return p
}

// sharding returns the sharding of an array whose dimensions are divided along axes.
func (m mesh) sharding(dims [][]part, devices int) (Sharding, error) {
	if len(m.axes) == 0 {
		if len(m.devices) == 0 {
			return Replicated(devices), nil
		}
		if m.devices[0] >= devices {
			return Sharding{}, fmt.Errorf("the mesh has device %d, but there are %d devices", m.devices[0], devices)
		}
		return Sharding{devices: devices, maximal: true, holder: m.devices[0]}, nil
	}
	if m.size() != devices {
		return Sharding{}, fmt.Errorf("the mesh has %d devices, but the module is for %d", m.size(), devices)
	}
	tiles := make([]int, len(dims))
	total := 1
	for i, list := range dims {
		tiles[i] = 1
		for _, p := range list {
			if total > devices/p.size {
				return Sharding{}, fmt.Errorf("it divides the array into more parts than the %d devices", devices)
			}
			tiles[i] *= p.size
			total *= p.size
		}
	}
	s := Sharding{devices: devices}
	if total == 1 {
		return s, nil
	}
	s.tiles, s.tile = tiles, make([]int, devices)
	at := make([]int, len(m.axes))
	for i := range devices {
		rest := i
		for k := len(m.axes) - 1; k >= 0; k-- {
			at[k] = rest % m.axes[k].size
			rest /= m.axes[k].size
		}
		tile := 0
		for _, list := range dims {
			for _, p := range list {
				after := m.axes[p.axis].size / (p.pre * p.size)
				tile = tile*p.size + at[p.axis]/after%p.size
			}
		}
		device := i
		if m.devices != nil {
			device = m.devices[i]
		}
		s.tile[device] = tile
	}
	copies := make([]int, total)
	for _, tile := range s.tile {
		copies[tile]++
	}
	if slices.ContainsFunc(copies, func(n int) bool { return n != devices/total }) {
		return Sharding{}, errors.New("an axis occurs twice")
	}
	return s, nil
}
