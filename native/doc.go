// Package native finds the native libraries that the toolkit loads at run time (the MLIR
// and StableHLO C API, the XLA PJRT plugin, and others), and fetches them on request.
//
// [Find] only searches: the part's environment variable, then the executable's folder, then
// the per-user cache, then the system's library directories. [Ensure] also searches, and if nothing is found, downloads
// the pinned Python wheel that holds the library with the user's own pip (or uv), verifies
// it, and stores the one shared library in the cache. One part, [LLVM], is made of pinned
// Debian packages; apt-get downloads them and does not install them. What is stored is
// compared with pinned hashes, and a cache
// that another user may change is rejected. Find never downloads anything, so library code
// calls Find, and tools, examples and tests call Ensure.
//
// For a machine without a network, [Export] writes the wheels to a folder on another machine,
// and [Import] takes them into the cache.
//
// All functions may be called concurrently by several goroutines and several processes.
package native
