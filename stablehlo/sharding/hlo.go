package sharding

import (
	"fmt"
	"slices"
)

// Parse reads a sharding in the form of XLA, which modules have as mhlo.sharding, for a
// number of devices: {replicated}, {maximal device=1}, {manual}, {devices=[2,2]0,1,2,3}, or
// {devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}. {unknown} is the zero Sharding.
// The error for another form shows the text.
func Parse(text string, devices int) (Sharding, error) {
	if devices < 1 {
		return Sharding{}, fmt.Errorf("sharding: %d devices for %s: at least 1 is needed", devices, text)
	}
	s := scanner{rest: text}
	s.expect("{")
	switch {
	case s.accept("replicated}") && s.done():
		return Replicated(devices), nil
	case s.accept("manual}") && s.done():
		return Sharding{devices: devices, manual: true}, nil
	case s.accept("unknown}") && s.done():
		return Sharding{}, nil
	case s.accept("maximal"):
		s.expect("device=")
		device := s.number()
		s.expect("}")
		if s.done() {
			if device >= devices {
				return Sharding{},
					fmt.Errorf("sharding: %s names device %d, but there are %d devices", text, device, devices)
			}
			return Sharding{devices: devices, maximal: true, holder: device}, nil
		}
	case s.accept("devices="):
		if t, ok := s.tiles(); ok {
			return t.sharding(text, devices)
		}
	}
	return Sharding{}, fmt.Errorf("sharding: %.200q is not a sharding in a form that is known here: "+
		"{replicated}, {maximal device=0}, {manual}, {devices=[2,2]<=[4]} or {devices=[2,2]0,1,2,3}", text)
}

// hloTiles is what follows devices= in a text.
type hloTiles struct {
	dims   []int
	list   []int // of the devices, or
	iota   []int // the dimensions of the numbers of the devices in order
	perm   []int // their transposition, or nil
	last   int   // number of dimensions at the end that do not divide the array
	manual bool  // one of them is manual
}

func (s *scanner) tiles() (t hloTiles, ok bool) {
	s.expect("[")
	t.dims = s.numbers()
	s.expect("]")
	if s.accept("<=") {
		s.expect("[")
		t.iota = s.numbers()
		s.expect("]")
		if s.accept("T(") {
			t.perm = s.numbers()
			s.expect(")")
		}
	} else {
		t.list = s.numbers()
	}
	switch {
	case s.accept("last_tile_dim_replicate"):
		t.last = 1
	case s.accept("last_tile_dims={"):
		for {
			t.last++
			switch {
			case s.accept("replicated"):
			case s.accept("manual"):
				t.manual = true
			default:
				return t, false
			}
			if !s.accept(",") {
				break
			}
		}
		s.expect("}")
	}
	s.expect("}")
	return t, s.done()
}

func (t hloTiles) sharding(text string, devices int) (Sharding, error) {
	bad := func(why string, args ...any) (Sharding, error) {
		return Sharding{}, fmt.Errorf("sharding: %.200s: %s", text, fmt.Sprintf(why, args...))
	}
	if !multiplyTo(t.dims, devices) {
		return bad("it is not for %d devices: their number is the product of the dimensions", devices)
	}
	if t.last > len(t.dims) {
		return bad("it has fewer dimensions than names for the last ones")
	}
	order := t.list
	if t.iota != nil {
		if !multiplyTo(t.iota, devices) {
			return bad("the numbers after <= do not multiply to %d", devices)
		}
		perm := t.perm
		if perm == nil {
			for i := range t.iota {
				perm = append(perm, i)
			}
		}
		if len(perm) != len(t.iota) || !isPermutation(perm) {
			return bad("the numbers after T are not a permutation of the dimensions")
		}
		order = transposed(t.iota, perm)
	}
	if len(order) != devices || !isPermutation(order) {
		return bad("its devices are not each of the numbers from 0 to %d", devices-1)
	}
	if t.manual {
		return Sharding{devices: devices, manual: true}, nil
	}
	at := len(t.dims) - t.last
	return tiled(t.dims[:at], order, product(t.dims[at:])), nil
}

// multiplyTo reports whether the product of positive numbers is n.
func multiplyTo(list []int, n int) bool {
	p := 1
	for _, x := range list {
		if x < 1 || x > n || p > n/x {
			return false
		}
		p *= x
	}
	return p == n
}

// isPermutation reports whether the list has each of the numbers from 0 once.
func isPermutation(list []int) bool {
	seen := make([]bool, len(list))
	for _, n := range list {
		if n < 0 || n >= len(list) || seen[n] {
			return false
		}
		seen[n] = true
	}
	return true
}

// transposed returns the numbers from 0 as an array of the given dimensions, transposed.
func transposed(dims, perm []int) []int {
	strides := make([]int, len(dims))
	n := 1
	for i := range slices.Backward(dims) {
		strides[i] = n
		n *= dims[i]
	}
	list := []int{0}
	for _, dim := range perm {
		var next []int
		for _, base := range list {
			for k := range dims[dim] {
				next = append(next, base+k*strides[dim])
			}
		}
		list = next
	}
	return list
}
