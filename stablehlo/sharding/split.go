package sharding

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/tensor"
)

// Split returns the parts of a global array, one for each device. All have the shape of
// [Sharding.PartShape]; padding is zero. Parts are copies, except that a part that lies in
// one piece in v shares memory with v: the whole array of a replicated one, or rows. Devices
// with the same part share one view.
func (s Sharding) Split(v tensor.View) ([]tensor.View, error) {
	if err := v.Check(); err != nil {
		return nil, err
	}
	part, err := s.PartShape(v.Shape)
	if err != nil {
		return nil, err
	}
	views := make([]tensor.View, s.devices)
	if s.tiles == nil {
		for i := range views {
			views[i] = v
		}
		return views, nil
	}
	made := map[int]tensor.View{} // by tile
	for device, tile := range s.tile {
		view, ok := made[tile]
		if !ok {
			view = cut(v, part, s.region(v.Shape, part, device))
			made[tile] = view
		}
		views[device] = view
	}
	return views, nil
}

// cut returns a region of an array, padded with zeros to the shape of a part.
func cut(v tensor.View, part tensor.Shape, r Region) tensor.View {
	part = tensor.ShapeOf(part.DType, part.Dims...)
	if start, ok := contiguous(v.Shape, part, r); ok {
		start *= part.DType.Size()
		end := start + part.NumBytes()
		return tensor.View{Shape: part, Data: v.Data[start:end:end]}
	}
	to := tensor.View{Shape: part, Data: make([]byte, part.NumBytes())}
	move(r.Size, to, make([]int, len(r.Size)), v, r.Start)
	return to
}

// contiguous returns the first element of a region that is not padded and lies in one piece.
func contiguous(global, part tensor.Shape, r Region) (start int, ok bool) {
	whole := true // the dimensions after this one are not divided
	for i := len(r.Size) - 1; i >= 0; i-- {
		if r.Size[i] != part.Dims[i] || !whole && r.Size[i] > 1 {
			return 0, false
		}
		whole = whole && r.Size[i] == global.Dims[i]
	}
	if part.NumElements() == 0 {
		return 0, true
	}
	for i, at := range r.Start {
		start = start*global.Dims[i] + at
	}
	return start, true
}

// Join returns the global array of its parts, one for each device. Where several devices have
// a part, it uses that of the first one and does not compare the others, which may be zero
// Views; see [Sharding.IsFirst]. A part that is the whole array is returned itself.
func (s Sharding) Join(global tensor.Shape, parts []tensor.View) (tensor.View, error) {
	part, err := s.PartShape(global)
	if err != nil {
		return tensor.View{}, err
	}
	if len(parts) != s.devices {
		return tensor.View{},
			fmt.Errorf("sharding: %s is for %d devices, and there are %d parts", s, s.devices, len(parts))
	}
	var whole tensor.View
	if s.tiles != nil {
		whole = tensor.View{Shape: tensor.ShapeOf(global.DType, global.Dims...), Data: make([]byte, global.NumBytes())}
	}
	used := map[int]bool{} // tiles
	for device, v := range parts {
		if s.tiles == nil && !s.IsFirst(device) || s.tiles != nil && used[s.tile[device]] {
			continue
		}
		if !v.Shape.Equal(part) {
			return tensor.View{}, fmt.Errorf("sharding: the part of device %d is %s: %s is expected, as a part of %s with the sharding %s", device, v.Shape, part, global, s)
		}
		if err := v.Check(); err != nil {
			return tensor.View{}, err
		}
		if s.tiles == nil {
			return v, nil
		}
		used[s.tile[device]] = true
		r := s.region(global, part, device)
		move(r.Size, whole, r.Start, v, make([]int, len(r.Size)))
	}
	return whole, nil
}

// move copies a block of elements of one array into another one.
func move(size []int, to tensor.View, toStart []int, from tensor.View, fromStart []int) {
	if slices.Contains(size, 0) {
		return
	}
	// The dimensions from last on lie in one piece in both arrays.
	last := len(size)
	run := to.Shape.DType.Size()
	for last > 0 {
		last--
		run *= size[last]
		if size[last] != to.Shape.Dims[last] || size[last] != from.Shape.Dims[last] {
			break
		}
	}
	toStrides, fromStrides := strides(to.Shape), strides(from.Shape)
	toAt, fromAt := 0, 0
	for i := range size {
		toAt += toStart[i] * toStrides[i]
		fromAt += fromStart[i] * fromStrides[i]
	}
	at := make([]int, last)
	for {
		copy(to.Data[toAt:toAt+run], from.Data[fromAt:fromAt+run])
		i := last - 1
		for ; i >= 0; i-- {
			at[i]++
			toAt += toStrides[i]
			fromAt += fromStrides[i]
			if at[i] < size[i] {
				break
			}
			toAt -= at[i] * toStrides[i]
			fromAt -= at[i] * fromStrides[i]
			at[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

// strides returns the distances in bytes between neighbours along each dimension.
func strides(s tensor.Shape) []int {
	list := make([]int, s.Rank())
	n := s.DType.Size()
	for i := len(list) - 1; i >= 0; i-- {
		list[i] = n
		n *= s.Dims[i]
	}
	return list
}
