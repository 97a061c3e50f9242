package cuda

// #include "cuda.h"
import "C"

import "unsafe"

// A Block is pinned memory that is in use. One goroutine at a time may use it.
type Block struct {
	pool   *Pool
	c      C.calliope_cuda_block
	stream unsafe.Pointer
	copies bool // whether copies from it may be under way, behind which its event is
	broken bool // whether the driver has failed with it
}

// A Copy is a part of a Block and a part of a device's memory.
type Copy struct {
	Offset int            // in the Block's memory
	Device unsafe.Pointer // address in the device's memory
	Size   int            // number of bytes
}

// Address returns an address in the block's memory. It is valid until Release.
func (b *Block) Address(offset int) unsafe.Pointer { return unsafe.Add(b.c.memory, offset) }

// Bytes returns a part of the block's memory. It is valid until Release.
func (b *Block) Bytes(offset, size int) []byte {
	return unsafe.Slice((*byte)(b.Address(offset)), size)
}

// ToHost copies from the device when the work is done that the stream has by now, and returns
// when the copies are made. It waits once, for the stream alone.
func (b *Block) ToHost(copies []Copy) error {
	if len(copies) == 0 {
		return nil
	}
	list := listOf(copies)
	err := b.pool.driver.check(C.calliope_cuda_to_host(b.pool.driver.c, &b.c, b.stream, &list[0], C.size_t(len(list))))
	b.broken = b.broken || err != nil
	return err
}

// ToDevice begins to copy to the device. The work that the stream gets from now on finds the
// copies made.
func (b *Block) ToDevice(copies []Copy) error {
	if len(copies) == 0 {
		return nil
	}
	list := listOf(copies)
	err := b.pool.driver.check(
		C.calliope_cuda_to_device(b.pool.driver.c, &b.c, b.stream, &list[0], C.size_t(len(list))))
	b.copies, b.broken = true, b.broken || err != nil
	return err
}

func listOf(copies []Copy) []C.calliope_cuda_copy {
	list := make([]C.calliope_cuda_copy, len(copies))
	for i, c := range copies {
		list[i] = C.calliope_cuda_copy{offset: C.size_t(c.Offset), device: C.uint64_t(uintptr(c.Device)),
			size: C.size_t(c.Size)}
	}
	return list
}

// over reports whether the copies from the block are made.
func (b *Block) over() bool {
	if !b.copies {
		return true
	}
	if r := C.calliope_cuda_query(b.pool.driver.c, &b.c); r.code != C.CUDA_OK {
		b.broken = r.code != C.CUDA_NOT_READY // then the device has failed and copies nothing
		return b.broken
	}
	b.copies = false
	return true
}

// wait waits until the copies from the block are made.
func (b *Block) wait() {
	if b.copies {
		b.broken = b.broken || C.calliope_cuda_wait(b.pool.driver.c, &b.c).code != C.CUDA_OK
		b.copies = false
	}
}

// free frees the memory. The driver waits for copies that are under way.
func (b *Block) free() error {
	return b.pool.driver.check(C.calliope_cuda_free(b.pool.driver.c, &b.c))
}
