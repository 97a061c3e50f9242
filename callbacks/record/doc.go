// Package record writes the calls of callbacks to a file, has a program run against
// such a file without the functions, and makes a trace of the calls that a viewer
// such as Perfetto shows.
//
// A [Recorder], a [Replay] and a [Tracer] are put around the functions of a registry
// with callbacks.Registry.Use; what is not in use costs nothing.
//
//	recorder, err := record.Create("calls.rec")
//	defer callbacks.Default.Use(recorder.Wrap)()
//	… compile and run …
//	err = recorder.Close()
//
// # The file
//
// A recording is the 8 bytes "CALLREC1" and then records. A record is the length of
// its body in 8 bytes, the CRC-32 (Castagnoli) of the body in 4, and the body; these
// numbers are little-endian. A body begins with a byte for its kind; what follows is
// made of unsigned varints (as encoding/binary has them) and of texts and bytes that
// are preceded by their length as a varint:
//
//	'S' start  nanoseconds since 1970
//	'C' site   the contract.Encoding of a call site, and for the contract's own the
//	           backend_config: a count, then key and value of each; a value is 's' and
//	           a text, 'b' and 0 or 1, or 'i' and a zig-zag varint. For the others: form,
//	           id (zig-zag), opaque id, server, number of aliased results.
//	           Sites are numbered from 0 in the order of their records.
//	'B' begin  site, device, run (zig-zag), nanoseconds since the start, then the
//	           arguments and the ids, each a count and that many arrays. Calls are
//	           numbered from 0 in the order of these records.
//	'E' end    call, nanoseconds since the start, 0 and the results, or 1 and the text
//	           of the error, or 2 where the function panicked
//
// An array is its shape as a text ("f32[2,3]") and its bytes, row-major, in the
// machine's byte order (little-endian on every machine that is supported).
//
// Each record is written whole and at once, a call's beginning before its function is
// called: when the process dies, what was written before is there, with the call that
// it died in. What a torn end leaves is told by its length or its CRC; [Open] gives
// everything before it.
package record
