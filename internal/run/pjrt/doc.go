// Package pjrt calls a PJRT plugin through its C API: it loads the plugin, and makes runs
// and transfers.
//
// pjrt_abi.h declares the part of the API that is used. The package does not make clients
// or compile: whoever does so calls through the table of Plugin.Decorate, by which this
// package knows the objects that are made.
package pjrt
