package quick

import (
	"math"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
)

// A module is bytecode whose operations are searched.
type module struct {
	*bytecode.Module
	rules    map[string]operation // by the names of operations in the module, the name and the rule of those to find
	resolved map[uint64]position
	bad      string // why the module cannot be read
}

const damaged = "the bytecode is damaged: "

func readBytecode(data []byte) (found []operation, err error) {
	m := &module{Module: bytecode.Open(data), rules: map[string]operation{}, resolved: map[uint64]position{}}
	if m.Version > bytecode.Last {
		return nil, &Error{1, 1, "it has a newer version of the bytecode format: it needs the full engine, without -quick"}
	}
	portable := m.IsPortable()
	for _, name := range m.Names {
		if full, rule, ok := ruleOf(stableName(name, portable)); ok {
			m.rules[name] = operation{name: full, rule: rule}
		}
	}
	if len(m.rules) > 0 && m.Damage == "" {
		if m.Read(); m.Damage == "" {
			m.Walk(bytecode.Visitor{Op: func(op bytecode.Op) bool {
				if rule, ok := m.rules[op.Name]; ok {
					rule.stated = m.position(op.Location, 0)
					rule.stated.known = true
					found = append(found, rule)
				} else if op.Name == "" {
					m.bad = damaged + "it refers to a name of an operation that it does not have"
				}
				return m.bad == ""
			}})
		}
	}
	if m.bad == "" && m.Damage != "" {
		m.bad = damaged + m.Damage
	}
	if m.bad != "" {
		return found, &Error{1, 1, m.bad}
	}
	return found, nil
}

// stableName returns the name of an operation, with the dialect StableHLO in the place of VHLO in a portable artifact,
// which a library converts.
func stableName(name string, portable bool) string {
	if short, ok := strings.CutPrefix(name, "vhlo."); ok && portable {
		if i := strings.LastIndex(short, "_v"); i >= 0 && strings.Trim(short[i+2:], "0123456789") == "" {
			return "stablehlo." + short[:i]
		}
	}
	return name
}

// The locations, and the attributes that they usually contain, in the binary encoding of the
// builtin dialect.
const (
	arrayAttr             = 0
	dictionaryAttr        = 1
	stringAttr            = 2
	typedStringAttr       = 3
	symbolAttr            = 4
	nestedSymbolAttr      = 5
	typeAttr              = 6
	unitAttr              = 7
	integerAttr           = 8
	floatAttr             = 9
	callSiteLocation      = 10
	fileLineColLocation   = 11
	fusedLocation         = 12
	fusedMetadataLocation = 13
	nameLocation          = 14
	unknownLocation       = 15
	fileRangeLocation     = 22
)

// maxNested is how deep locations may be nested.
const maxNested = 10_000

// position returns the first file:line:column of the location with an index.
func (m *module) position(index uint64, nested int) position {
	if at, ok := m.resolved[index]; ok {
		return at
	}
	if nested > maxNested {
		m.bad = "its locations are nested too deeply: it needs the full engine, without -quick"
		return position{}
	}
	if index >= uint64(len(m.Attributes)) {
		m.bad = damaged + "it refers to a location that it does not have"
		return position{}
	}
	m.resolved[index] = position{} // ends a cycle
	at := m.positionOf(m.Attributes[index], nested)
	m.resolved[index] = at
	return at
}

func (m *module) positionOf(attr bytecode.Part, nested int) position {
	if attr.Data == nil {
		text := strings.TrimSuffix(string(attr.Text), "\x00")
		if nested > 0 && !strings.HasPrefix(text, "loc(") { // metadata
			if strings.Contains(text, `":`) {
				m.bad = "its locations have metadata that may contain a position: it needs the full engine, without -quick"
			}
			return position{}
		}
		s := scanner{text: []byte(text)}
		at := s.location()
		if s.err != nil {
			m.bad = s.err.Error()
		}
		return at
	}
	if attr.Dialect != "builtin" {
		m.bad = "it has a location of another dialect: it needs the full engine, without -quick"
		return position{}
	}
	a := bytecode.NewReader(attr.Data)
	first := func(n uint64) position {
		for ; n > 0 && !a.Ended() && m.bad == ""; n-- {
			if at := m.position(a.Number(), nested+1); at.known {
				return at
			}
		}
		return position{}
	}
	switch code := a.Number(); code {
	case callSiteLocation:
		return first(2)
	case fusedLocation:
		return first(a.Number())
	case nameLocation:
		a.Number()
		return first(1)
	case unknownLocation:
		return position{}
	case fileLineColLocation:
		file := m.stringAttribute(a.Number())
		return position{file: file, line: int(a.Number()), column: int(a.Number()), known: true}
	case fileRangeLocation:
		at := position{file: m.stringAttribute(a.Number()), known: true}
		n := a.Number()
		if n > 0 {
			at.line = int(a.Number())
		}
		if n > 1 {
			at.column = int(a.Number())
		}
		return at
	case fusedMetadataLocation:
		locations := a
		for n := a.Number(); n > 0 && !a.Ended(); n-- {
			a.Number()
		}
		// The metadata are printed before the locations.
		if at := first(1); at.known || m.bad != "" {
			return at
		}
		a = locations
		return first(a.Number())
	case arrayAttr:
		return first(a.Number())
	case dictionaryAttr:
		return first(2 * min(a.Number(), math.MaxInt64)) // names and values
	case stringAttr, typedStringAttr, symbolAttr, nestedSymbolAttr, typeAttr, unitAttr, integerAttr, floatAttr:
		return position{}
	default:
		m.bad = "it has a location of an unknown kind: it needs the full engine, without -quick"
	}
	return position{}
}

// stringAttribute returns the value of an attribute, which must be a string.
func (m *module) stringAttribute(index uint64) string {
	if index < uint64(len(m.Attributes)) {
		part := m.Attributes[index]
		a := bytecode.NewReader(part.Data)
		if part.Dialect == "builtin" && part.Data != nil && a.Number() == stringAttr {
			return m.String(a.Number())
		}
	}
	m.bad = damaged + "the file name in a location is not a string"
	return ""
}
