// Package record writes the calls of callbacks to a file, lets a program run against such a
// file without the functions, and writes a trace of the calls for a viewer such as
// Perfetto.
//
// A [Recorder], a [Replay] and a [Tracer] wrap the functions of a registry by
// callbacks.Registry.Use. They cost nothing when they are not in use.
//
//	recorder, err := record.Create("calls.rec")
//	defer callbacks.Default.Use(recorder.Wrap)()
//	… compile and run …
//	err = recorder.Close()
//
// # The file
//
// A recording is the 8 bytes "CALLREC1" followed by records. A record is the length of its
// body in 8 bytes, the CRC-32 (Castagnoli) of the body in 4 bytes, and the body. These
// numbers are little-endian. A body starts with a byte for its kind. The rest consists of
// unsigned varints (as in encoding/binary), and of texts and bytes, which are preceded by
// their length as a varint:
//
//	'S' start  nanoseconds since 1970
//	'C' site   the contract.Encoding of a call site. For the contract's own encoding, the
//	           backend_config follows: a count, then key and value of each; a value is 's'
//	           and a text, 'b' and 0 or 1, or 'i' and a zig-zag varint. For the others: form,
//	           id (zig-zag), opaque id, server, number of aliased results.
//	           Sites are numbered from 0 in the order of their records.
//	'B' begin  site, device, run (zig-zag), nanoseconds since the start, then the
//	           arguments and the ids, each a count and that many arrays. Calls are
//	           numbered from 0 in the order of these records.
//	'E' end    call, nanoseconds since the start, then 0 and the results, or 1 and the
//	           text of the error, or 2 if the function panicked
//
// An array is its shape as a text ("f32[2,3]") and its bytes, row-major, in the machine's
// byte order (little-endian on every supported machine).
//
// Each record is written in one piece. The begin of a call is written before its function
// is called. So when the process dies, the file has everything that was written before,
// including the begin of the call in which it died. The length or the CRC shows that the
// end of a file is incomplete; [Open] returns everything before it.
package record
