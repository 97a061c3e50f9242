package main

import "google.golang.org/protobuf/encoding/protowire"

// withText appends a field of text or of a message.
func withText[T string | []byte](proto []byte, field protowire.Number, value T) []byte {
	return protowire.AppendString(protowire.AppendTag(proto, field, protowire.BytesType), string(value))
}

// withNumber appends a field of a number.
func withNumber(proto []byte, field protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(proto, field, protowire.VarintType), n)
}

// withNumbers appends a packed field of numbers.
func withNumbers[T int | int64 | uint64](proto []byte, field protowire.Number, list []T) []byte {
	var packed []byte
	for _, n := range list {
		packed = protowire.AppendVarint(packed, uint64(n))
	}
	return withText(proto, field, packed)
}
