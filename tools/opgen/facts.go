package main

import (
	"errors"
	"fmt"
	"strings"
)

// operation describes an operation.
type operation struct {
	name       string // in full, "stablehlo.slice"
	operands   []part
	attributes []part
	regions    []part
	results    []part // only if the operation does not infer them
	infers     bool
}

// part is an operand, attribute, region or result.
type part struct {
	name  string
	count count
	kind  string // of an attribute, as in the definitions: "I64Attr"
}

// count is how often a part occurs.
type count string

const (
	once     count = "" // exactly once
	optional count = "optional"
	variadic count = "variadic"
)

// A table has one paragraph for each operation: its name, then a line for each part. The
// line has a tab, the sort of part, its name, an attribute's kind, and how often it occurs
// if that is not exactly once. A line "infers" means that the operation infers the types of
// its results.

// formatTable writes a table.
func formatTable(ops []operation) []byte {
	var b strings.Builder
	for i, op := range ops {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintln(&b, op.name)
		for _, list := range []struct {
			what  string
			parts []part
		}{{"operand", op.operands}, {"attribute", op.attributes}, {"region", op.regions}, {"result", op.results}} {
			for _, p := range list.parts {
				fields := []string{list.what, p.name}
				if p.kind != "" {
					fields = append(fields, p.kind)
				}
				if p.count != once {
					fields = append(fields, string(p.count))
				}
				fmt.Fprintf(&b, "\t%s\n", strings.Join(fields, " "))
			}
		}
		if op.infers {
			b.WriteString("\tinfers\n")
		}
	}
	return []byte(b.String())
}

// parseTable reads a table.
func parseTable(name string, data []byte) ([]operation, error) {
	var ops []operation
	err := readParagraphs(name, data, func(line string) error {
		ops = append(ops, operation{name: line})
		return nil
	}, func(line string) error {
		if len(ops) == 0 {
			return errors.New("the operation's name is missing above this line")
		}
		return ops[len(ops)-1].parsePart(line)
	})
	return ops, err
}

// parsePart reads a line below the operation's name.
func (op *operation) parsePart(line string) error {
	if line == "infers" {
		op.infers = true
		return nil
	}
	fields := strings.Fields(line)
	if len(fields) < 2 {
		return errors.New("a part needs a name")
	}
	p, more := part{name: fields[1]}, fields[2:]
	if fields[0] == "attribute" {
		if len(more) == 0 {
			return errors.New("an attribute needs a kind")
		}
		p.kind, more = more[0], more[1:]
	}
	if len(more) > 0 {
		p.count, more = count(more[0]), more[1:]
	}
	if len(more) > 0 || p.count != once && p.count != optional && p.count != variadic {
		return errors.New("a part must occur once, or be optional or variadic")
	}
	switch fields[0] {
	case "operand":
		op.operands = append(op.operands, p)
	case "attribute":
		op.attributes = append(op.attributes, p)
	case "region":
		op.regions = append(op.regions, p)
	case "result":
		op.results = append(op.results, p)
	default:
		return errors.New("a part must be an operand, attribute, region or result")
	}
	return nil
}

// readParagraphs reads a table. It calls head with the first line of each paragraph, and
// below with each further line, without its tab. It stops at the first error, and returns
// it with the line.
func readParagraphs(file string, data []byte, head, below func(line string) error) error {
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimRight(line, "\n")
		if line == "" {
			continue
		}
		read := head
		rest, inside := strings.CutPrefix(line, "\t")
		if inside {
			read = below
		}
		if err := read(rest); err != nil {
			return fmt.Errorf("%s:%d: %w: %q", file, n, err, line)
		}
	}
	return nil
}
