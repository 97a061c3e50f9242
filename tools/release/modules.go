package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// A module is something that is linked into what is released: a Go module, Go's own packages, or a library in C.
type module struct {
	path, version string
	licence       string // an expression of SPDX
	texts         []string
}

// modules returns what the platform's files are linked of.
func (b build) modules() ([]module, error) {
	args := []string{"list", "-deps", "-json=Module", "./c/shared"}
	for _, tool := range tools {
		args = append(args, "./tools/"+tool)
	}
	out, err := output(b.ctx, b.env, "go", args...)
	if err != nil {
		return nil, err
	}
	folders := map[string]module{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		if p.Module != nil && !p.Module.Main {
			folders[p.Module.Dir] = module{path: p.Module.Path, version: p.Module.Version}
		}
	}
	root, err := output(b.ctx, b.env, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	folders[string(bytes.TrimSpace(root))] = module{path: "std", version: runtime.Version()}
	if b.platform.os == "windows" {
		// Its libraries are linked: winpthreads and the runtime.
		folders["/usr/share/doc/mingw-w64-x86-64-dev"] = module{path: "mingw-w64", version: "Debian", licence: "ZPL-2.1 AND MIT"}
	}
	var list []module
	for folder, m := range folders {
		if err := m.read(folder); err != nil {
			return nil, fmt.Errorf("%s: %w", m.path, err)
		}
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b module) int { return cmp.Compare(a.path, b.path) })
	return list, nil
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|patents)`)

// read reads the texts in the folder of a module, and what they say.
func (m *module) read(folder string) error {
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var licences []string
	for _, f := range files {
		if f.IsDir() || !licenceFile.MatchString(f.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			return err
		}
		m.texts = append(m.texts, string(text))
		for _, name := range licencesIn(string(text)) {
			if !slices.Contains(licences, name) {
				licences = append(licences, name)
			}
		}
	}
	switch {
	case len(m.texts) == 0:
		return errors.New("there is no licence in " + folder)
	case m.licence == "" && len(licences) == 0:
		return fmt.Errorf("the licence in %s is none of %v: add it to tools/release", folder, phrases)
	case m.licence == "":
		m.licence = strings.Join(licences, " AND ")
	}
	return nil
}

// phrases are what tells licences apart.
var phrases = []struct{ name, phrase string }{
	{"Apache-2.0", "Apache License"},
	{"BSD-3-Clause", "Neither the name of"},
	{"BSD-2-Clause", "Redistribution and use in source and binary forms"},
	{"MIT", "Permission is hereby granted, free of charge"},
}

// licencesIn returns the licences that a text has.
func licencesIn(text string) (list []string) {
	text = strings.Join(strings.Fields(text), " ")
	for _, p := range phrases {
		// The licence with three clauses begins as that with two.
		if strings.Contains(text, p.phrase) && !(p.name == "BSD-2-Clause" && slices.Contains(list, "BSD-3-Clause")) {
			list = append(list, p.name)
		}
	}
	return list
}

// texts returns the files of each archive that state licences.
func texts(modules []module) ([]entry, error) {
	var list []entry
	for _, name := range []string{"LICENSE", "NOTICE"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		list = append(list, entry{name: name, data: data, mode: 0o644})
	}
	var all strings.Builder
	all.WriteString("The files of this archive are linked of these, beside Calliope itself.\n")
	for _, m := range modules {
		fmt.Fprintf(&all, "\n%s\n%s %s: %s\n%[1]s\n", strings.Repeat("=", 80), m.path, m.version, m.licence)
		for _, text := range m.texts {
			all.WriteString("\n" + strings.TrimSpace(text) + "\n")
		}
	}
	return append(list, entry{name: "LICENSES.txt", data: []byte(all.String()), mode: 0o644}), nil
}
