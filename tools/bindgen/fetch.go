package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The headers come from Debian's package of LLVM 19, unpacked and not installed.
const (
	debPackage = "libmlir-19-dev"
	debVersion = "1:19.1.7-3~deb12u1"
	debInclude = "usr/lib/llvm-19/include"
)

// debSHA256 holds the package's hash for amd64. The headers are the same for
// every architecture.
const debSHA256 = "997293b64e6ebaac52a962d277416fbd8028af6fa821ed7854fc734c256205d8"

// fetchHeaders returns the folder that holds mlir-c/, downloading it where the
// cache does not have it yet.
func fetchHeaders() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	root := filepath.Join(cache, "calliope", "headers", debPackage+"-"+debSHA256[:12])
	include := filepath.Join(root, filepath.FromSlash(debInclude))
	if _, err := os.Stat(include); err == nil {
		return include, nil
	}
	tmp, err := os.MkdirTemp("", "calliope-headers-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	download := exec.Command("apt-get", "download", debPackage+"="+debVersion)
	download.Dir = tmp
	if out, err := download.CombinedOutput(); err != nil {
		return "", fmt.Errorf("apt-get download %s=%s failed (%w); run apt-get update, or name a folder that holds mlir-c/ with -headers:\n%s",
			debPackage, debVersion, err, out)
	}
	debs, err := filepath.Glob(filepath.Join(tmp, "*.deb"))
	if err != nil || len(debs) != 1 {
		return "", fmt.Errorf("apt-get download %s left no package behind", debPackage)
	}
	data, err := os.ReadFile(debs[0])
	if err != nil {
		return "", err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != debSHA256 {
		return "", fmt.Errorf("%s has sha256 %x, expected %s: the archive has moved on, pin the new package", filepath.Base(debs[0]), sum, debSHA256)
	}
	unpacked := filepath.Join(tmp, "unpacked")
	if out, err := exec.Command("dpkg", "-x", debs[0], unpacked).CombinedOutput(); err != nil {
		return "", fmt.Errorf("dpkg -x: %w\n%s", err, out)
	}
	if err := os.MkdirAll(filepath.Dir(root), 0o755); err != nil {
		return "", err
	}
	if err := exec.Command("cp", "-r", unpacked, root).Run(); err != nil {
		return "", fmt.Errorf("copying the headers into the cache: %w", err)
	}
	return include, nil
}
