package jaxexport

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A reader reads a flatbuffer (https://flatbuffers.dev/internals). After the first error it
// reads zeros.
type reader struct {
	data []byte
	left int // how many more elements and bytes of text may be read
	err  error
}

// allowance returns how much may be read from data. A flatbuffer can refer to one place
// many times, so that a small one can describe a large structure. JAX refers to each place
// once.
func allowance(data []byte) int { return 4*len(data) + 1<<10 }

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = fmt.Errorf("jaxexport: the data is not a valid file of jax.export: %w", err)
	}
}

// spend counts n elements that are read.
func (r *reader) spend(n int) bool {
	if r.err == nil && n > r.left {
		r.fail(errors.New("it refers to more than it has"))
	}
	r.left -= n
	return r.err == nil
}

// within reports whether n bytes at a position are inside the data.
func (r *reader) within(at, n int) bool {
	if r.err == nil && (at < 0 || n < 0 || at > len(r.data) || n > len(r.data)-at) {
		r.fail(fmt.Errorf("%d bytes at offset %d are not in its %d bytes", n, at, len(r.data)))
	}
	return r.err == nil
}

// number reads an unsigned integer of 1, 2 or 4 bytes.
func (r *reader) number(at, size int) uint64 {
	if !r.within(at, size) {
		return 0
	}
	switch b := r.data[at:]; size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	default:
		return uint64(binary.LittleEndian.Uint32(b))
	}
}

// follow returns the position that the offset at a position refers to. Offsets are unsigned,
// so that structures cannot contain themselves.
func (r *reader) follow(at int) int {
	offset := r.number(at, 4)
	if r.err == nil && offset == 0 {
		r.fail(fmt.Errorf("the offset at %d is zero", at))
	}
	return at + int(offset)
}

// root returns the table at the root.
func (r *reader) root() (table, error) {
	t := r.tableAt(r.follow(0))
	return t, r.err
}

// A table is a flatbuffer's table. Its fields are read by their index in the schema; one
// that it lacks is zero.
type table struct {
	r      *reader
	at     int
	fields int // position of the offsets of the fields
	count  int // of the fields
}

func (r *reader) tableAt(at int) table {
	t := table{r: r, at: at}
	fields := at - int(int32(uint32(r.number(at, 4))))
	size := int(r.number(fields, 2))
	if r.err == nil && size < 4 {
		r.fail(fmt.Errorf("the table at %d describes itself by %d bytes", at, size))
	}
	if r.within(fields, size) {
		t.fields, t.count = fields+4, (size-4)/2
	}
	return t
}

// field returns the position of a field, or 0 if the table lacks it.
func (t table) field(i int) int {
	if i >= t.count {
		return 0
	}
	offset := int(t.r.number(t.fields+2*i, 2))
	if offset == 0 {
		return 0
	}
	return t.at + offset
}

func (t table) number(i, size int) uint64 {
	at := t.field(i)
	if at == 0 {
		return 0
	}
	return t.r.number(at, size)
}

func (t table) table(i int) (table, bool) {
	at := t.field(i)
	if at == 0 || !t.r.spend(1) {
		return table{}, false
	}
	inner := t.r.tableAt(t.r.follow(at))
	return inner, t.r.err == nil
}

// vector returns the position and the number of the elements of a vector, each of which has
// the given size.
func (t table) vector(i, size int) (at, n int) {
	field := t.field(i)
	if field == 0 {
		return 0, 0
	}
	at = t.r.follow(field)
	n = int(t.r.number(at, 4))
	if t.r.err == nil && n > len(t.r.data)/size {
		t.r.fail(fmt.Errorf("the vector at %d has %d elements", at, n))
	}
	if !t.r.within(at+4, n*size) {
		return 0, 0
	}
	return at + 4, n
}

// bytes returns a vector of bytes, which shares memory with the data.
func (t table) bytes(i int) []byte {
	at, n := t.vector(i, 1)
	return t.r.data[at : at+n : at+n]
}

func (t table) numbers(i, size int) []uint64 {
	at, n := t.vector(i, size)
	if n == 0 || !t.r.spend(n) {
		return nil
	}
	list := make([]uint64, n)
	for j := range list {
		list[j] = t.r.number(at+j*size, size)
	}
	return list
}

func (t table) tables(i int) []table {
	at, n := t.vector(i, 4)
	if n == 0 || !t.r.spend(n) {
		return nil
	}
	list := make([]table, n)
	for j := range list {
		list[j] = t.r.tableAt(t.r.follow(at + 4*j))
	}
	if t.r.err != nil {
		return nil
	}
	return list
}

// text returns a string field.
func (t table) text(i int) string {
	if at := t.field(i); at != 0 {
		return t.r.text(t.r.follow(at))
	}
	return ""
}

func (t table) texts(i int) []string {
	at, n := t.vector(i, 4)
	if n == 0 || !t.r.spend(n) {
		return nil
	}
	list := make([]string, n)
	for j := range list {
		list[j] = t.r.text(t.r.follow(at + 4*j))
	}
	return list
}

func (r *reader) text(at int) string {
	n := int(r.number(at, 4))
	if !r.within(at+4, n) || !r.spend(n) {
		return ""
	}
	return string(r.data[at+4 : at+4+n])
}
