package main

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
)

// A platform is a system that a release is for, with the C compiler.
type platform struct{ os, arch, cc string }

// compilers are the platforms, with Debian's names of the compilers. There is none for macOS.
var compilers = []platform{
	{"linux", "amd64", "x86_64-linux-gnu-gcc"},
	{"linux", "arm64", "aarch64-linux-gnu-gcc"},
	{"windows", "amd64", "x86_64-w64-mingw32-gcc"},
	{"darwin", "arm64", ""},
}

// name returns the name of the platform in those of files.
func (p platform) name() string { return p.os + "-" + p.arch }

// executable returns how the names of executables end.
func (p platform) executable() string {
	if p.os == "windows" {
		return ".exe"
	}
	return ""
}

// parse reads arguments such as linux/arm64=aarch64-linux-gnu-gcc.
func parse(args []string) (list []platform, err error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("name the platforms: %s", names())
	}
	for _, arg := range args {
		name, cc, given := strings.Cut(arg, "=")
		p, ok := find(name)
		switch {
		case !ok:
			return nil, fmt.Errorf("there is no release for %q: choose from %s", name, names())
		case given:
			p.cc = cc
		case p.os == runtime.GOOS && p.arch == runtime.GOARCH:
			p.cc = "gcc" // the go command's own default, so that it builds nothing again
		}
		if p.cc == "" {
			return nil, fmt.Errorf("%s has no default compiler: write %[1]s=CC (.ci/darwin-cc makes one)", name)
		}
		if _, err := exec.LookPath(p.cc); err != nil {
			return nil, errors.Join(fmt.Errorf("%s needs a C compiler: install it, or write %[1]s=CC", name), err)
		}
		list = append(list, p)
	}
	return list, nil
}

func find(name string) (platform, bool) {
	for _, p := range compilers {
		if name == p.os+"/"+p.arch {
			return p, true
		}
	}
	return platform{}, false
}

func names() string {
	var list []string
	for _, p := range compilers {
		list = append(list, p.os+"/"+p.arch)
	}
	return strings.Join(list, ", ")
}
