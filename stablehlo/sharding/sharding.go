package sharding

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

// A Sharding is the distribution of one array over the devices of a run. The zero Sharding
// is unknown: the module does not have it, and the compiler chooses one. A Sharding does not
// change, and is safe for concurrent use.
type Sharding struct {
	devices int   // 0 if it is unknown
	tiles   []int // number of parts along each dimension; nil if all devices have the whole array
	tile    []int // for each device the number of its part, in row-major order; nil if tiles is nil
	maximal bool  // only one device has the array
	holder  int   // that device
	manual  bool
	open    bool
}

// Replicated returns the sharding of an array that each device has as a whole.
func Replicated(devices int) Sharding { return Sharding{devices: max(devices, 1)} }

// tiled returns a sharding of parts. order has the devices of the parts: copies devices for
// each part.
func tiled(tiles []int, order []int, copies int) Sharding {
	s := Sharding{devices: len(order)}
	if copies == len(order) { // one part
		return s
	}
	s.tiles, s.tile = tiles, make([]int, len(order))
	for i, device := range order {
		s.tile[device] = i / copies
	}
	return s
}

// IsKnown reports whether s is not the zero Sharding.
func (s Sharding) IsKnown() bool { return s.devices > 0 }

// NumDevices returns the number of devices, or 0 if the sharding is unknown.
func (s Sharding) NumDevices() int { return s.devices }

// IsOpen reports whether the compiler may divide the array further than the module says.
func (s Sharding) IsOpen() bool { return s.open }

// Tiles returns the number of parts along each dimension. It returns nil if the array is not
// divided. The caller may change the result.
func (s Sharding) Tiles() []int { return slices.Clone(s.tiles) }

// Equal reports whether both shardings give each device the same part. IsOpen does not
// matter.
func (s Sharding) Equal(o Sharding) bool {
	return s.devices == o.devices && s.maximal == o.maximal && s.holder == o.holder && s.manual == o.manual &&
		slices.Equal(s.tiles, o.tiles) && slices.Equal(s.tile, o.tile)
}

// String returns the sharding in the form of XLA, with a list of devices, such as
// {devices=[2,2]0,1,2,3}. The text of an unknown one is {unknown}.
func (s Sharding) String() string {
	switch {
	case !s.IsKnown():
		return "{unknown}"
	case s.manual:
		return "{manual}"
	case s.maximal:
		return fmt.Sprintf("{maximal device=%d}", s.holder)
	case s.tiles == nil:
		return "{replicated}"
	}
	parts := product(s.tiles)
	copies := s.devices / parts
	order := make([]string, 0, s.devices)
	for part := range parts {
		for device, tile := range s.tile {
			if tile == part {
				order = append(order, strconv.Itoa(device))
			}
		}
	}
	dims, last := s.tiles, ""
	if copies > 1 {
		dims, last = append(slices.Clone(dims), copies), " last_tile_dim_replicate"
	}
	return fmt.Sprintf("{devices=[%s]%s%s}", join(dims), strings.Join(order, ","), last)
}

func join(list []int) string {
	text := make([]string, len(list))
	for i, n := range list {
		text[i] = strconv.Itoa(n)
	}
	return strings.Join(text, ",")
}

// product returns the product of numbers that are known to be small.
func product(list []int) int {
	n := 1
	for _, x := range list {
		n *= x
	}
	return n
}

// fits returns an error if arrays of a shape cannot have the sharding.
func (s Sharding) fits(global tensor.Shape) error {
	if err := global.Check(); err != nil {
		return err
	}
	switch {
	case !s.IsKnown():
		return errors.New("sharding: it is unknown, the compiler chooses it: use that of the compiled program")
	case s.manual:
		return errors.New("sharding: {manual} arrays belong to their devices and are not parts of a global array")
	case s.tiles != nil && len(s.tiles) != global.Rank():
		return fmt.Errorf("sharding: %s is for arrays of %d dimensions, and not for %s", s, len(s.tiles), global)
	}
	return nil
}

// PartShape returns the shape that each device has of a global array. If a dimension cannot
// be divided evenly, it is rounded up: XLA pads the last parts.
func (s Sharding) PartShape(global tensor.Shape) (tensor.Shape, error) {
	if err := s.fits(global); err != nil {
		return tensor.Shape{}, err
	}
	part := tensor.ShapeOf(global.DType, global.Dims...)
	for i, n := range s.tiles {
		part.Dims[i] = ceil(part.Dims[i], n)
	}
	return part, nil
}

func ceil(n, parts int) int { return n/parts + min(n%parts, 1) }

// A Region is a part of an array: its first element, and its size, along each dimension.
type Region struct{ Start, Size []int }

// Region returns the part of a global array that a device has, without padding. Its sizes
// may be smaller than those of PartShape, and 0. If the array has one holder only, the
// region of the other devices is that of the holder too, but their contents mean nothing.
func (s Sharding) Region(global tensor.Shape, device int) (Region, error) {
	part, err := s.PartShape(global)
	if err != nil {
		return Region{}, err
	}
	if device < 0 || device >= s.devices {
		return Region{}, fmt.Errorf("sharding: there is no device %d: %s is for %d devices", device, s, s.devices)
	}
	return s.region(global, part, device), nil
}

func (s Sharding) region(global, part tensor.Shape, device int) Region {
	r := Region{make([]int, global.Rank()), slices.Clone(part.Dims)}
	if s.tiles == nil {
		return r
	}
	tile := s.tile[device]
	for i := len(s.tiles) - 1; i >= 0; i-- {
		r.Start[i] = min(tile%s.tiles[i]*part.Dims[i], global.Dims[i])
		r.Size[i] = min(part.Dims[i], global.Dims[i]-r.Start[i])
		tile /= s.tiles[i]
	}
	return r
}

// IsFirst reports whether a device is the first one that has its part. [Sharding.Join] uses
// only the parts of these devices.
func (s Sharding) IsFirst(device int) bool {
	switch {
	case device < 0 || device >= s.devices:
		return false
	case s.maximal:
		return device == s.holder
	case s.tiles == nil:
		return device == 0
	}
	return slices.Index(s.tile, s.tile[device]) == device
}
