package bytecode

// A writer writes bytecode.
type writer struct{ data []byte }

func (w *writer) add(parts ...[]byte) {
	for _, part := range parts {
		w.data = append(w.data, part...)
	}
}

// number writes an integer as Reader.Number reads it.
func (w *writer) number(n uint64) {
	size := 1
	for size < 9 && n>>(7*size) != 0 {
		size++
	}
	if size == 9 {
		w.data = append(w.data, 0)
		size = 8
	} else {
		n = n<<size | 1<<(size-1)
	}
	for i := range size {
		w.data = append(w.data, byte(n>>(8*i)))
	}
}

// section writes a section. It is not aligned if the alignment is 0.
func (w *writer) section(id byte, alignment uint64, content []byte) {
	if alignment == 0 {
		w.data = append(w.data, id)
		w.number(uint64(len(content)))
	} else {
		w.data = append(w.data, id|sectionAligned)
		w.number(uint64(len(content)))
		w.number(alignment)
		for range padding(len(w.data), alignment) {
			w.data = append(w.data, 0xcb)
		}
	}
	w.add(content)
}
