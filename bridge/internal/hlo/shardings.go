package hlo

import (
	"fmt"
	"strings"
)

// InputShardings returns the shardings of the parameters of a partitioned program as text, such as
// {devices=[2,2]<=[4]}. {unknown} is one that has no such form.
func InputShardings(program []byte) []string {
	const module, parameters = 1, 14
	list := []string{}
	for f := range fields(first(program, module).bytes, parameters) {
		list = append(list, shardingText(f.bytes))
	}
	return list
}

// OutputShardings is InputShardings for the results. It is nil if the program does not state them.
func OutputShardings(program []byte) []string {
	const module, output = 1, 12
	for f := range fields(first(program, module).bytes, output) {
		return tupleOf(f.bytes)
	}
	return nil
}

// The types of an OpSharding of xla/xla_data.proto.
const (
	shardingReplicated = 0
	shardingMaximal    = 1
	shardingTuple      = 2
	shardingOther      = 3
	shardingManual     = 4
)

// tupleOf returns the texts of a tuple's elements, or of the only sharding.
func tupleOf(sharding []byte) (list []string) {
	const typ, elements = 1, 5
	if first(sharding, typ).number != shardingTuple {
		return []string{shardingText(sharding)}
	}
	list = []string{}
	for f := range fields(sharding, elements) {
		list = append(list, shardingText(f.bytes))
	}
	return list
}

const unknownSharding = "{unknown}"

// namedText returns a NamedShardingProto as text, which newer plugins have for arrays that
// are not divided. Other ones are unknown.
func namedText(sharding []byte) string {
	const mesh, dims, unreduced, axes, devices = 2, 3, 5, 1, 2
	for f := range fields(sharding, dims) {
		for range fields(f.bytes, axes) {
			return unknownSharding
		}
	}
	for range fields(sharding, unreduced) {
		return unknownSharding
	}
	on := first(sharding, mesh).bytes
	for range fields(on, axes) {
		return "{replicated}"
	}
	if device := numberList(on, devices); device != "" {
		return fmt.Sprintf("{maximal device=%s}", device)
	}
	return "{replicated}"
}

// shardingText returns an OpSharding as text.
func shardingText(sharding []byte) string {
	const typ, dims, devices, replicateLast, lastDims, iota, perm, named = 1, 3, 4, 6, 8, 9, 10, 14
	for f := range fields(sharding, named) {
		return namedText(f.bytes)
	}
	switch first(sharding, typ).number {
	case shardingReplicated:
		return "{replicated}"
	case shardingMaximal:
		return fmt.Sprintf("{maximal device=%s}", numberList(sharding, devices))
	case shardingManual:
		return "{manual}"
	case shardingOther:
	default:
		return unknownSharding
	}
	var b strings.Builder
	fmt.Fprintf(&b, "{devices=[%s]", numberList(sharding, dims))
	if shape := numberList(sharding, iota); shape != "" {
		fmt.Fprintf(&b, "<=[%s]", shape)
		if order := numberList(sharding, perm); strings.Contains(order, ",") {
			fmt.Fprintf(&b, "T(%s)", order)
		}
	} else {
		b.WriteString(numberList(sharding, devices))
	}
	var last []string
	for f := range fields(sharding, lastDims) {
		for _, n := range f.numbers() {
			switch n {
			case shardingReplicated:
				last = append(last, "replicated")
			case shardingManual:
				last = append(last, "manual")
			default:
				return unknownSharding
			}
		}
	}
	switch {
	case last != nil:
		fmt.Fprintf(&b, " last_tile_dims={%s}", strings.Join(last, ","))
	case first(sharding, replicateLast).number != 0:
		b.WriteString(" last_tile_dim_replicate")
	}
	b.WriteString("}")
	return b.String()
}
