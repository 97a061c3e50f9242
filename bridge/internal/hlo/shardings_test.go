package hlo

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// The bytes are those that protoc makes of an OpSharding.
func TestShardingText(t *testing.T) {
	for _, test := range []struct{ proto, want string }{
		{"", "{replicated}"},
		{"\b\x01\"\x01\x02", "{maximal device=2}"},
		{"\b\x04", "{manual}"},
		{"\b\x05", "{unknown}"},
		{"\b\x06", "{unknown}"},
		// named_sharding
		{"r\x00", "{replicated}"},
		{"r\x02\x12\x00", "{replicated}"},
		{"r\x05\x12\x03\x12\x01\x02", "{maximal device=2}"},
		{"r\x09\x12\x03\n\x01x\x1a\x02\x10\x01", "{replicated}"},
		{"r\x06\x1a\x04\n\x02\b\x01", "{unknown}"},
		{"r\x02*\x00", "{unknown}"},
		{"\b\x03\x1a\x02\x02\x02\"\x04\x03\x01\x02\x00", "{devices=[2,2]3,1,2,0}"},
		{"\b\x03\x1a\x02\x02\x02J\x01\x04R\x01\x00", "{devices=[2,2]<=[4]}"},
		{"\b\x03\x1a\x02\x02\x02J\x02\x02\x02R\x02\x01\x00", "{devices=[2,2]<=[2,2]T(1,0)}"},
		{"\b\x03\x1a\x03\x02\x01\x020\x01J\x01\x04R\x01\x00", "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"},
		{"\b\x03\x1a\x03\x02\x02\x02B\x02\x04\x00J\x01\b", "{devices=[2,2,2]<=[8] last_tile_dims={manual,replicated}}"},
		{"\b\x03\x1a\x03\x02\x02\x02B\x01\x06J\x01\b", "{unknown}"},
	} {
		check.Diff(t, test.want, test.want, shardingText([]byte(test.proto)))
	}
	check.Diff(t, "tuple", []string{"{manual}", "{replicated}"}, tupleOf([]byte("\b\x02*\x02\b\x04*\x00")))
}
