package lint

import (
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/quick"
	"github.com/calliope-mlir/calliope/mlir"
)

// Places are where the operations of a module are in the text from which it was parsed. If the text
// states locations for them, their positions are those that they have without.
type Places struct {
	located    bool
	operations map[mlir.Operation]place
	locations  map[mlir.Location]mlir.Position // of the first operation with a location
}

// A place is that of an operation with a location. It is not that of an operation that a rewriting made
// later and that has the same handle.
type place struct {
	mlir.Position
	location mlir.Location
}

// PlacesOf returns the places of the operations in a module that Parse parsed from text, with the same
// rules. They remain valid while the module is rewritten.
func PlacesOf(m *mlir.Module, text []byte, analyzers []*Analyzer) *Places {
	p := &Places{}
	var blank []byte
	if blank, p.located = quick.WithoutLocations(text); !p.located {
		return p
	}
	without, _, _ := Parse(m.Context(), blank, analyzers)
	if without == nil {
		return p
	}
	defer without.Close()
	var positions []mlir.Position
	for op := range without.Operation().All() {
		positions = append(positions, op.Location().Position())
	}
	p.operations, p.locations = map[mlir.Operation]place{}, map[mlir.Location]mlir.Position{}
	i := 0
	for op := range m.Operation().All() {
		if i == len(positions) {
			break
		}
		at := place{positions[i], op.Location()}
		p.operations[op] = at
		if _, ok := p.locations[at.location]; !ok {
			p.locations[at.location] = at.Position
		}
		i++
	}
	return p
}

// of returns the position of an operation, or the zero Position if it is not known.
func (p *Places) of(op mlir.Operation) mlir.Position {
	at := op.Location()
	if p != nil && p.located {
		if is, ok := p.operations[op]; ok && is.location == at {
			return is.Position
		}
	}
	return p.at(at)
}

// at returns the position of the first operation with a location, or the zero Position if it is not
// known.
func (p *Places) at(l mlir.Location) mlir.Position {
	at := mlir.Position{}
	switch {
	case p == nil:
	case p.located:
		at = p.locations[l]
	default:
		at = l.Position()
	}
	if at.File != finding.TextName || at.Line == 0 {
		return mlir.Position{}
	}
	return at
}

// Set sets the position of a finding to that of a location, and adds the places in the location. p may be nil, for a
// module that was not parsed from text.
func (p *Places) Set(f *finding.Finding, l mlir.Location) { setPlace(f, p.at(l), l) }

// setPlace sets the position of a finding in the text, where at is the zero Position if it is not known. It puts the
// places in the location, except this position, before the related ones.
func setPlace(f *finding.Finding, at mlir.Position, l mlir.Location) {
	setPosition(f, at)
	if f.NoPlace || l.Position() != at {
		f.Related = append(relatedTo(l), f.Related...)
	}
}

// setPosition is setPlace without a location.
func setPosition(f *finding.Finding, at mlir.Position) {
	f.Line, f.Column, f.NoPlace = max(at.Line, 1), max(at.Column, 1), at.Line == 0
}
