package main

import (
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// platformOf returns the tag of the systems on which an executable runs.
func platformOf(path string) (string, error) {
	if f, err := elf.Open(path); err == nil {
		defer f.Close()
		return linux(f)
	}
	if f, err := macho.Open(path); err == nil {
		defer f.Close()
		return macOS(f)
	}
	f, err := pe.Open(path)
	if err != nil {
		return "", fmt.Errorf("%s is no executable of Linux, macOS or Windows: %w", path, err)
	}
	defer f.Close()
	switch f.Machine {
	case pe.IMAGE_FILE_MACHINE_AMD64:
		return "win_amd64", nil
	case pe.IMAGE_FILE_MACHINE_ARM64:
		return "win_arm64", nil
	}
	return "", fmt.Errorf("wheels have no tag for Windows on machine %#x", f.Machine)
}

// linux returns the tag of an executable that needs glibc, with the lowest version that has all its symbols.
func linux(f *elf.File) (string, error) {
	architecture, ok := map[elf.Machine]string{elf.EM_X86_64: "x86_64", elf.EM_AARCH64: "aarch64"}[f.Machine]
	if !ok {
		return "", fmt.Errorf("wheels have no tag for Linux on %v", f.Machine)
	}
	symbols, err := f.ImportedSymbols()
	if err != nil {
		return "", err
	}
	minor := 0
	for _, s := range symbols {
		if version, ok := strings.CutPrefix(s.Version, "GLIBC_2."); ok {
			n, err := strconv.Atoi(strings.Split(version, ".")[0])
			if err != nil {
				return "", fmt.Errorf("the symbol %s needs %s: %w", s.Name, s.Version, err)
			}
			minor = max(minor, n)
		}
	}
	if minor == 0 {
		return "", errors.New("the executable does not need glibc: build it with a compiler for Linux with glibc")
	}
	return fmt.Sprintf("manylinux_2_%d_%s", minor, architecture), nil
}

// macOS returns the tag of an executable, with the lowest system that it states.
func macOS(f *macho.File) (string, error) {
	architecture, ok := map[macho.Cpu]string{macho.CpuAmd64: "x86_64", macho.CpuArm64: "arm64"}[f.Cpu]
	if !ok {
		return "", fmt.Errorf("wheels have no tag for macOS on %v", f.Cpu)
	}
	const buildVersion = 0x32 // LC_BUILD_VERSION: command, size, platform, lowest system, …
	for _, load := range f.Loads {
		if raw := load.Raw(); len(raw) >= 16 && f.ByteOrder.Uint32(raw) == buildVersion {
			lowest := f.ByteOrder.Uint32(raw[12:])
			major, minor := lowest>>16, lowest>>8&0xff
			if major >= 11 {
				minor = 0 // as in the tags that pip knows
			}
			return fmt.Sprintf("macosx_%d_%d_%s", major, minor, architecture), nil
		}
	}
	return "", errors.New("the executable does not state the lowest macOS")
}
