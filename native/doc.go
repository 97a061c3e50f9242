// Package native finds the native libraries that the rest of the toolkit loads
// at run time (the MLIR and StableHLO C API, the XLA PJRT plugin, and others),
// and fetches them when it is asked to.
//
// [Find] only looks: at the part's environment variable, in the per-user cache,
// then in the system's library directories. [Ensure] looks and, where nothing is
// found, downloads the pinned Python wheel that holds the library with the
// user's own pip (or uv), checks it, and puts the one shared library into the
// cache. One part, [LLVM], is made of pinned Debian packages, which apt-get
// downloads and nothing installs.
// What is kept is held against pinned hashes, and a cache that somebody else may change
// is refused. Nothing is ever downloaded by Find, so library code calls Find, and tools,
// examples and tests call Ensure.
//
// All functions may be called from several goroutines and several processes at
// once.
package native
