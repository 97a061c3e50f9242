package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
)

// Parse parses a configuration. file is its absolute path, shown its name in errors, and rules
// are the names that it may use, or nil if it may use any. The error is an *Error.
func Parse(file, shown string, data []byte, rules []string) (c *Config, err error) {
	return parse(file, shown, data, rules, "")
}

// parse is Parse for a file that others extend. What it extends must be below root, unless that is "".
func parse(file, shown string, data []byte, rules []string, root string, by ...string) (c *Config, err error) {
	p := parser{shown: shown, rules: rules, tree: root, files: append(slices.Clip(by), file),
		c: &Config{File: file, Levels: map[string]Level{}}}
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	err = decoder.Decode(&document)
	if err == nil && decoder.Decode(new(yaml.Node)) != io.EOF {
		err = errors.New("there is more than one document")
	}
	if err != nil && err != io.EOF {
		return nil, p.syntax(err)
	}
	if len(document.Content) == 0 { // nothing but comments
		return p.c, nil
	}
	if err := p.root(document.Content[0]); err != nil {
		return nil, err
	}
	return p.c, nil
}

type parser struct {
	shown string
	rules []string
	tree  string
	files []string // the file, after those that extend it
	c     *Config
}

func (p *parser) fail(at *yaml.Node, format string, args ...any) error {
	return &Error{p.shown, at.Line, at.Column, fmt.Sprintf(format, args...)}
}

var yamlLine = lazyregexp.New(`^(?:yaml: )?line (\d+): `)

// syntax returns the error of the YAML library with a position.
func (p *parser) syntax(err error) error {
	message, line := err.Error(), 1
	var types *yaml.TypeError
	if errors.As(err, &types) && len(types.Errors) > 0 {
		message = types.Errors[0]
	}
	if m := yamlLine().FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1])
		message = message[len(m[0]):]
	}
	return &Error{p.shown, line, 1, "this is not YAML: " + strings.TrimPrefix(message, "yaml: ")}
}

func (p *parser) root(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil
	}
	if n = resolved(n); n.Kind == yaml.MappingNode {
		if err := p.extend(n); err != nil {
			return err
		}
	}
	return p.mapping(n, "the configuration", map[string]func(*yaml.Node) error{
		"extends":       func(*yaml.Node) error { return nil }, // see extend
		"strict":        func(n *yaml.Node) error { return p.boolean(n, "strict", "", &p.c.Strict) },
		"known-targets": func(n *yaml.Node) error { return p.texts(n, "known-targets", &p.c.KnownTargets) },
		"target-stablehlo": func(n *yaml.Node) (err error) {
			if p.c.TargetStableHLO, err = p.text(n, "target-stablehlo"); err != nil {
				return err
			}
			if err := CheckVersion(p.c.TargetStableHLO); err != nil {
				return p.fail(n, "%v", err)
			}
			return nil
		},
		"allow-unregistered": p.dialects,
		"rules":              p.levels,
		"ignore":             p.ignores,
	})
}

func (p *parser) levels(n *yaml.Node) error {
	fields := map[string]func(*yaml.Node) error{}
	rules := p.rules
	if rules == nil {
		for i, key := range resolved(n).Content {
			if i%2 == 0 {
				rules = append(rules, key.Value)
			}
		}
	}
	for _, rule := range rules {
		fields[rule] = func(n *yaml.Node) error {
			level, err := p.text(n, "the severity of "+rule)
			if err != nil {
				return err
			}
			if !slices.Contains(levels, level) {
				return p.fail(n, "there is no severity %q%s: choose from %s", level, report.DidYouMean(level, levels),
					strings.Join(levels, ", "))
			}
			p.c.Levels[rule] = Level(level)
			return nil
		}
	}
	return p.mapping(n, "rules", fields)
}

func (p *parser) ignores(n *yaml.Node) error {
	return p.sequence(n, "ignore", func(n *yaml.Node) error {
		var i Ignore
		err := p.mapping(n, "an entry of ignore", map[string]func(*yaml.Node) error{
			"path": func(n *yaml.Node) (err error) {
				if i.Path, err = p.text(n, "path"); err != nil {
					return err
				}
				if problem := checkPattern(i.Path); problem != "" {
					return p.fail(n, "%q: %s", i.Path, problem)
				}
				return nil
			},
			"reason": func(n *yaml.Node) (err error) {
				i.Reason, err = p.text(n, "reason")
				return err
			},
			"rules": func(n *yaml.Node) error {
				i.Rules = []string{}
				return p.sequence(n, "rules", func(n *yaml.Node) error {
					name, err := p.text(n, "a rule")
					if err != nil {
						return err
					}
					if p.rules != nil && !slices.Contains(p.rules, name) {
						return p.unknown(n, "rule", name, p.rules)
					}
					i.Rules = append(i.Rules, name)
					return nil
				})
			},
		})
		if err != nil {
			return err
		}
		if i.Path == "" {
			return p.fail(n, "an entry of ignore has no path")
		}
		p.c.Ignores = append(p.c.Ignores, i)
		return nil
	})
}

func (p *parser) unknown(n *yaml.Node, what, name string, known []string) error {
	return p.fail(n, "there is no %s %q%s: choose from %s", what, name, report.DidYouMean(name, known),
		strings.Join(known, ", "))
}

// mapping calls the function of each field that a mapping has.
func (p *parser) mapping(n *yaml.Node, what string, fields map[string]func(*yaml.Node) error) error {
	n = resolved(n)
	if n.Kind != yaml.MappingNode {
		return p.fail(n, "%s is %s, and must be a mapping (key: value)", what, kind(n))
	}
	var names []string
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		read, ok := fields[key.Value]
		if !ok || key.Kind != yaml.ScalarNode {
			noun := "key"
			if what == "rules" {
				noun = "rule"
			}
			return p.unknown(key, noun, key.Value, names)
		}
		if seen[key.Value] {
			return p.fail(key, "%q occurs twice", key.Value)
		}
		seen[key.Value] = true
		if err := read(resolved(n.Content[i+1])); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) sequence(n *yaml.Node, what string, read func(*yaml.Node) error) error {
	n = resolved(n)
	if n.Kind != yaml.SequenceNode {
		return p.fail(n, "%s is %s, and must be a list", what, kind(n))
	}
	for _, entry := range n.Content {
		if err := read(resolved(entry)); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) texts(n *yaml.Node, what string, into *[]string) error {
	return p.sequence(n, what, func(n *yaml.Node) error {
		text, err := p.text(n, "an entry of "+what)
		*into = append(*into, text)
		return err
	})
}

func (p *parser) text(n *yaml.Node, what string) (string, error) {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" || n.Value == "" {
		return "", p.fail(n, "%s is %s, and must be a text", what, kind(n))
	}
	return n.Value, nil
}

// boolean reads true or false. or is what else may be there.
func (p *parser) boolean(n *yaml.Node, what, or string, into *bool) error {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
		return p.fail(n, "%s is %s, and must be true or false%s", what, kind(n), or)
	}
	return n.Decode(into)
}

// dialects reads the dialects that a library need not have: a list, or true for all.
func (p *parser) dialects(n *yaml.Node) error {
	const what = "allow-unregistered"
	if n.Kind == yaml.SequenceNode {
		return p.texts(n, what, &p.c.AllowUnregistered)
	}
	all := false
	if err := p.boolean(n, what, ", or a list of dialects", &all); err != nil {
		return err
	}
	p.c.AllowUnregistered = nil
	if all {
		p.c.AllowUnregistered = []string{AnyDialect}
	}
	return nil
}

// resolved returns the node that an alias refers to.
func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// kind describes a node in messages.
func kind(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "empty"
	case n.Value == "":
		return "an empty text"
	}
	if n.Line <= 1 && n.Column <= 1 || len(n.Value) > 32 || strings.Contains(n.Value, "\n") {
		return "a text" // without its content: the file may be another one than somebody thinks
	}
	return fmt.Sprintf("%q", n.Value)
}
