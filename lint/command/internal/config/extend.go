package config

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"
)

// extend begins with the configuration that a mapping extends, if it has one. What the mapping says is added to it.
func (p *parser) extend(mapping *yaml.Node) error {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value != "extends" {
			continue
		}
		n := resolved(mapping.Content[i+1])
		name, err := p.text(n, "extends")
		if err != nil {
			return err
		}
		file := filepath.FromSlash(name)
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(p.c.File), file)
		}
		if !filepath.IsLocal(name) && !Below(filepath.Dir(file), p.tree) {
			return p.outside(n, name)
		}
		if _, err := os.Stat(file); err != nil {
			if path, ok := errors.AsType[*fs.PathError](err); ok {
				err = path.Err
			}
			return p.fail(n, "extends: %s cannot be read: %v: give a path relative to this file", name, err)
		}
		if !regular(file) {
			return p.fail(n, "extends: %s is not a regular file", name)
		}
		if !Below(file, p.tree) {
			return p.outside(n, name)
		}
		if slices.Contains(p.files, file) {
			return p.fail(n, "extends: %s extends this file", name)
		}
		base, err := read(file, shown(file), p.rules, p.tree, p.files...)
		if err != nil {
			return err
		}
		extended := p.c.File
		*p.c = *base
		p.c.File, p.c.base, p.c.Ignores = extended, base, nil
		p.c.Levels = maps.Clone(base.Levels)
		p.c.KnownTargets, p.c.AllowUnregistered = slices.Clip(base.KnownTargets), slices.Clip(base.AllowUnregistered)
	}
	return nil
}

func (p *parser) outside(n *yaml.Node, name string) error {
	return p.fail(n, "extends: %s is outside of the tree %s: only a configuration that -config names may extend it", name,
		p.tree)
}
