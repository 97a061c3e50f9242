package abi

import (
	"testing"
	"unsafe"
)

// TestSizes holds the Go structs against the sizes that a C compiler gives them.
func TestSizes(t *testing.T) {
	for name, size := range sizes {
		if size[0] != size[1] {
			t.Errorf("%s has %d bytes in Go, and %d in C", name, size[0], size[1])
		}
	}
}

// TestWithin does not touch what a caller with an older header does not know.
func TestWithin(t *testing.T) {
	whole := DeviceMemoryStatsArgs{StructSize: int(unsafe.Offsetof(DeviceMemoryStatsArgs{}.NumAllocs)), NumAllocs: 7}
	args, save := Within[DeviceMemoryStatsArgs](unsafe.Pointer(&whole))
	if args.NumAllocs != 0 {
		t.Error("it reads what is not there")
	}
	args.BytesInUse, args.NumAllocs = 5, 6
	save()
	if whole.BytesInUse != 5 || whole.NumAllocs != 7 {
		t.Errorf("it wrote %d and %d", whole.BytesInUse, whole.NumAllocs)
	}
}
