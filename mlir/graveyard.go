package mlir

// graveyard are the addresses of what was erased and is not freed yet, with what erased
// them. Every use of a handle asks it, nearly always in vain: so a filter is asked first.
type graveyard struct {
	by     map[pointer]string
	filter [64]uint64 // a bit for each address, which others may have too
}

// has reports whether the address is of something erased.
func (g *graveyard) has(p pointer) bool {
	word, bit := filterBit(p)
	return g.filter[word]&bit != 0 && g.by[p] != ""
}

func (g *graveyard) add(addresses []pointer, by string) {
	if g.by == nil {
		g.by = map[pointer]string{}
	}
	for _, p := range addresses {
		word, bit := filterBit(p)
		g.filter[word] |= bit
		g.by[p] = by
	}
}

func (g *graveyard) remove(addresses []pointer) {
	for _, p := range addresses {
		delete(g.by, p)
	}
	if len(g.by) == 0 {
		g.filter = [64]uint64{}
	}
}

// filterBit is where an address stands in the filter. Its high bits are spread by
// multiplying (Knuth, The Art of Computer Programming, volume 3, 6.4).
func filterBit(p pointer) (word int, bit uint64) {
	h := uint64(uintptr(p)) * 0x9e3779b97f4a7c15 >> 52
	return int(h >> 6), 1 << (h & 63)
}
