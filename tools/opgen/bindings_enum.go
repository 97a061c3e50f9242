package main

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	enumLine    = regexp.MustCompile(`^class (\w+)\((IntEnum|IntFlag)\):$`)
	caseLine    = regexp.MustCompile(`^    (\w+) = (\d+)$`)
	wordLine    = regexp.MustCompile(`^            return "(.+)"$`)
	testLine    = regexp.MustCompile(`^        if self is \w+\.(\w+):$`)
	builderLine = regexp.MustCompile(`^@register_attribute_builder\("([\w.]+)"`)
	numberLine  = regexp.MustCompile(`^    return _ods_ir\.IntegerAttr\.get\(_ods_ir\.IntegerType\.get_signless\((\d+), context=context\), int\(x\)\)$`)
	parseLine   = regexp.MustCompile(
		`^    return _ods_ir\.Attribute\.parse\(f'(#.*)\{str\(x\)\}(.*)', context=context\)$`)
)

// readEnums reads the enumerations of a file that mlir-tblgen wrote for Python, by the names
// of their builders. Combinations of bits are left out.
func readEnums(source string) map[string]enum {
	all := map[string]enum{}  // by class
	by := map[string]enum{}   // by builder
	base := map[string]enum{} // by the builder of integers
	var e *enum
	flags, builder, word := false, "", ""
	for line := range strings.Lines(source) {
		line = strings.TrimRight(line, "\n")
		if m := enumLine.FindStringSubmatch(line); m != nil {
			e, flags = &enum{name: m[1]}, m[2] == "IntFlag"
		} else if m := builderLine.FindStringSubmatch(line); m != nil {
			builder = m[1]
		} else if m := caseLine.FindStringSubmatch(line); m != nil && e != nil {
			n, _ := strconv.ParseUint(m[2], 10, 64)
			e.cases = append(e.cases, enumCase{plain(m[1]), m[1], n})
		} else if m := testLine.FindStringSubmatch(line); m != nil {
			word = plain(m[1])
		} else if m := wordLine.FindStringSubmatch(line); m != nil && e != nil {
			for i := range e.cases {
				if e.cases[i].symbol == word {
					e.cases[i].keyword = m[1]
				}
			}
		} else if m := numberLine.FindStringSubmatch(line); m != nil && e != nil && !flags {
			number := *e
			number.form = "int:" + m[1]
			by[builder], base[builder], all[e.name] = number, number, number
		} else if m := parseLine.FindStringSubmatch(line); m != nil {
			_, name, _ := strings.Cut(builder, ".")
			name = strings.TrimSuffix(name, "Attr")
			for _, found := range []enum{base[name], base[name+"Enum"], all[name]} {
				if found.name != "" {
					found.form, found.text = "text", m[1]+"%"+m[2]
					by[builder] = found
					break
				}
			}
		}
	}
	return by
}
