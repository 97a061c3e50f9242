package main

import (
	"archive/zip"
	"context"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

// extract makes the tables from a wheel, or from a folder that one was unpacked into.
func extract(from string) (map[string][]byte, error) {
	wheel := os.DirFS(from)
	if info, err := os.Stat(from); err != nil {
		return nil, err
	} else if !info.IsDir() {
		z, err := zip.OpenReader(from)
		if err != nil {
			return nil, err
		}
		defer z.Close()
		wheel = z
	}
	found, err := native.Ensure(context.Background(), native.Jaxlib, native.EnsureOptions{})
	if err != nil {
		return nil, err
	}
	library, err := mlir.Open(mlir.OpenOptions{Path: found.Path})
	if err != nil {
		return nil, err
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	files := map[string][]byte{}
	for _, dialect := range dialects {
		source, err := fs.ReadFile(wheel, "jaxlib/mlir/dialects/_"+dialect+"_ops_gen.py")
		if err != nil {
			return nil, err
		}
		ops, err := parseBindings(string(source))
		if err != nil {
			return nil, err
		}
		for i, op := range ops {
			if ops[i].infers = c.InfersTypes(op.name); ops[i].infers {
				ops[i].results = nil // some bindings require them nevertheless
			}
		}
		files[tableFile(dialect)] = formatTable(ops)
	}
	return files, nil
}

var (
	nameLine      = regexp.MustCompile(`^  OPERATION_NAME = "(.+)"$`)
	operandLine   = regexp.MustCompile(`^    (if .+: )?operands\.(append|extend)\((?:_get_op_results?_or_values?\()?(\w+)\)+$`)
	attributeLine = regexp.MustCompile(`^    (if .+: )?attributes\["(\w+)"\] = (\(|_ods_ir\.UnitAttr)`)
	kindLine      = regexp.MustCompile(`^ +_ods_ir\.AttrBuilder\.get\('(\w+)'\)`)
	resultLine    = regexp.MustCompile(`^    results\.(append|extend)\((\w+)\)$`)
	propertyLine  = regexp.MustCompile(`^  def (\w+)\(self\):$`)
	regionLine    = regexp.MustCompile(`^    return self\.regions\[(\d+)(:?)\]$`)
	partsLine     = regexp.MustCompile(`operands\.(append|extend)|results\.(append|extend)|^    (?:if .+: )?attributes\["\w+"\] = .*(\(|get)|self\.regions\[`)
)

// parseBindings reads the operations from the Python bindings that MLIR generates. It
// returns an error for a line that seems to define a part but has an unknown form.
func parseBindings(source string) ([]operation, error) {
	var ops []operation
	var property string
	for line := range strings.Lines(source) {
		line = strings.TrimRight(line, "\n")
		if m := nameLine.FindStringSubmatch(line); m != nil {
			ops = append(ops, operation{name: m[1]})
			continue
		}
		if len(ops) == 0 {
			continue
		}
		op := &ops[len(ops)-1]
		if m := operandLine.FindStringSubmatch(line); m != nil {
			op.operands = append(op.operands, part{name: plain(m[3]), count: counted(m[1], m[2])})
		} else if m := attributeLine.FindStringSubmatch(line); m != nil {
			p := part{name: m[2], count: counted(m[1], "")}
			if m[3] != "(" {
				p.kind = "UnitAttr"
			}
			op.attributes = append(op.attributes, p)
		} else if m := kindLine.FindStringSubmatch(line); m != nil {
			a := &op.attributes[len(op.attributes)-1]
			if a.kind != "" {
				return nil, fmt.Errorf("%s: the attribute %s has two kinds", op.name, a.name)
			}
			if a.kind = m[1]; strings.HasPrefix(a.kind, "anonymous_") {
				a.kind = "anonymous" // their numbers have no meaning
			}
		} else if m := resultLine.FindStringSubmatch(line); m != nil {
			op.results = append(op.results, part{name: plain(m[2]), count: counted("", m[1])})
		} else if m := propertyLine.FindStringSubmatch(line); m != nil {
			property = m[1]
		} else if m := regionLine.FindStringSubmatch(line); m != nil {
			p := part{name: plain(property)}
			if m[2] != "" {
				p.count = variadic
			}
			op.regions = append(op.regions, p)
		} else if partsLine.MatchString(line) {
			return nil, fmt.Errorf("%s: unknown line %q", op.name, line)
		}
	}
	for _, op := range ops {
		for _, a := range op.attributes {
			if a.kind == "" {
				return nil, fmt.Errorf("%s: the kind of the attribute %s is not found", op.name, a.name)
			}
		}
	}
	return ops, nil
}

// plain removes the suffix that the bindings add to reserved names of Python.
func plain(name string) string { return strings.TrimSuffix(name, "_") }

func counted(condition, how string) count {
	switch {
	case how == "extend":
		return variadic
	case condition != "":
		return optional
	}
	return once
}
