// Package quiet keeps gopjrt from logging while the program is initialized. There it looks for plugins, which nothing
// here asks it for, and writes to stderr what it misses: $HOME, or /etc/ld.so.conf, as in a container.
//
// Go initializes packages in the order of their import paths, each after those that it imports. This package imports
// only what gopjrt imports, too, and its path comes before gopjrt's.
package quiet

import (
	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

var before = begin()

func begin() klog.State {
	state := klog.CaptureState()
	klog.SetLogger(logr.Discard())
	return state
}

// End lets gopjrt log again. It is called once gopjrt is initialized.
func End() { before.Restore() }
