package main

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/calliope-mlir/calliope/c/plugin/internal/abi"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
	"github.com/calliope-mlir/calliope/tensor"
)

func init() {
	on(abi.ParameterShardings, func(a *abi.ShardingsArgs) error {
		e := object[*executable](a.Executable)
		return e.fill(a, e.main.Tokens, e.params, e.main.Params)
	})
	on(abi.OutputShardings, func(a *abi.ShardingsArgs) error {
		e := object[*executable](a.Executable)
		return e.fill(a, e.main.Returned, e.results, e.main.Results)
	})
}

// fill says how arrays are divided. Tokens are before them. A program for one partition divides none.
func (e *executable) fill(a *abi.ShardingsArgs, tokens int, list []sharding.Sharding, shapes []tensor.Shape) error {
	texts := make([]string, tokens, tokens+len(shapes))
	for i, s := range shapes {
		text, err := e.opSharding(e.sharding(list, i), s)
		if err != nil {
			return err
		}
		texts = append(texts, string(text))
	}
	a.Num = len(texts)
	a.Shardings, a.Sizes = e.strings(texts)
	return nil
}

// The fields of an OpSharding, and its types.
const (
	fieldType       = 1
	fieldTiles      = 3
	fieldTileOwners = 4
	fieldReplicates = 6

	tiled = 3
)

// opSharding returns an OpSharding. The empty one says that each device has the whole array.
func (e *executable) opSharding(s sharding.Sharding, shape tensor.Shape) ([]byte, error) {
	if !s.IsKnown() {
		return nil, nil
	}
	tiles := s.Tiles()
	parts := 1
	for _, n := range tiles {
		parts *= n
	}
	if parts == 1 {
		return nil, nil
	}
	part, err := s.PartShape(shape)
	if err != nil {
		return nil, err
	}
	owners := make([][]int, parts) // devices by tile, in row-major order
	for device := range e.partitions {
		r, err := s.Region(shape, device)
		if err != nil {
			return nil, err
		}
		tile := 0
		for d, n := range tiles {
			tile = tile*n + r.Start[d]/max(part.Dims[d], 1)
		}
		owners[tile] = append(owners[tile], device)
	}
	var dims, devices []byte
	for _, n := range tiles {
		dims = protowire.AppendVarint(dims, uint64(n))
	}
	copies := e.partitions / parts
	if copies > 1 {
		dims = protowire.AppendVarint(dims, uint64(copies))
	}
	for _, list := range owners {
		for _, device := range list {
			devices = protowire.AppendVarint(devices, uint64(device))
		}
	}
	data := protowire.AppendVarint(protowire.AppendTag(nil, fieldType, protowire.VarintType), tiled)
	data = protowire.AppendBytes(protowire.AppendTag(data, fieldTiles, protowire.BytesType), dims)
	data = protowire.AppendBytes(protowire.AppendTag(data, fieldTileOwners, protowire.BytesType), devices)
	if copies > 1 {
		data = protowire.AppendVarint(protowire.AppendTag(data, fieldReplicates, protowire.VarintType), 1)
	}
	return data, nil
}
