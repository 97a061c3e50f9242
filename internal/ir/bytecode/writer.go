package bytecode

// A Writer writes bytecode.
type Writer struct{ data []byte }

func (w *Writer) add(parts ...[]byte) {
	for _, part := range parts {
		w.data = append(w.data, part...)
	}
}

// Number writes an integer as Reader.Number reads it.
func (w *Writer) Number(n uint64) {
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
func (w *Writer) section(id byte, alignment uint64, content []byte) {
	if alignment == 0 {
		w.data = append(w.data, id)
		w.Number(uint64(len(content)))
	} else {
		w.data = append(w.data, id|sectionAligned)
		w.Number(uint64(len(content)))
		w.Number(alignment)
		for range padding(len(w.data), alignment) {
			w.data = append(w.data, 0xcb)
		}
	}
	w.add(content)
}

// Bytes returns what was written.
func (w *Writer) Bytes() []byte { return w.data }
