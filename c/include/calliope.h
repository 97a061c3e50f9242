// calliope.h declares what programs in C, and in languages that call C, share with
// Calliope. So far these are the constants of the callback contract: what stands in a
// module that calls back into its host. The contract itself is described in the package
// contract of the Go module. The functions of a C ABI come with a later release.
//
// It compiles as C11 and as C++17 and includes nothing.

#ifndef CALLIOPE_H
#define CALLIOPE_H

// The release of Calliope that the header belongs to. CALLIOPE_VERSION is made for
// comparisons in #if: 0.1.0 is 100, 1.2.3 is 10203.
#define CALLIOPE_VERSION_MAJOR 0
#define CALLIOPE_VERSION_MINOR 1
#define CALLIOPE_VERSION_PATCH 0
#define CALLIOPE_VERSION \
  (CALLIOPE_VERSION_MAJOR * 10000 + CALLIOPE_VERSION_MINOR * 100 + CALLIOPE_VERSION_PATCH)

// The version of the contract, which is the value of the key "v".
#define CALLIOPE_CONTRACT_VERSION 2

// The value of api_version of each custom call: XLA's typed FFI.
#define CALLIOPE_API_VERSION 4

// The custom call targets of the contract.
#define CALLIOPE_TARGET_IO_CALLBACK "calliope_io_callback"    // of the forms passthrough and observe
#define CALLIOPE_TARGET_RUNTIME_CALL "calliope_runtime_call"  // of the forms call and pure

// The custom call targets of the further encodings, for hosts whose ids are opaque bytes.
#define CALLIOPE_TARGET_EXLA_IO_CALLBACK "exla_io_callback"            // words, passthrough
#define CALLIOPE_TARGET_EXLA_RUNTIME_CALLBACK "exla_runtime_callback"  // words, call; server, both
#define CALLIOPE_TARGET_EXLA_ELIXIR_CALLBACK "exla_elixir_callback"    // operand

// The forms of a callback: the values of the key "form".
#define CALLIOPE_FORM_PASSTHROUGH "passthrough"  // the results are the operands, in the same memory
#define CALLIOPE_FORM_OBSERVE "observe"          // operands in, a one-byte token out
#define CALLIOPE_FORM_CALL "call"                // results of given types; kept when they are not used
#define CALLIOPE_FORM_PURE "pure"                // as call, but may be dropped, merged and moved

// The device policies: the values of the key "policy". The last two may be followed by ":" and
// the number of the device that calls.
#define CALLIOPE_POLICY_PER_DEVICE "per_device"  // each device calls, with its part of the arrays
#define CALLIOPE_POLICY_ONCE "once"              // one device calls
#define CALLIOPE_POLICY_GATHER "gather"          // one device calls, with whole arrays

// The keys of backend_config. A key that is absent has its zero value: 0, "" or false.
#define CALLIOPE_KEY_VERSION "v"              // i64, required: the version of the contract
#define CALLIOPE_KEY_FORM "form"              // string, required: one of the forms
#define CALLIOPE_KEY_CALLBACK "callback"      // string: the name that the callback is bound by
#define CALLIOPE_KEY_SIGNATURE "signature"    // string, with a name: hash of the signature
#define CALLIOPE_KEY_ID "callback_id"         // i64, without a name: positive, of one process
#define CALLIOPE_KEY_REGISTRY "registry"      // string: name of the registry, "" for the default
#define CALLIOPE_KEY_NUM_IDS "n_ids"          // i64: operands behind the data that are ids
#define CALLIOPE_KEY_NUM_TOKENS "n_tokens"    // i64: operands behind the ids that are tokens
#define CALLIOPE_KEY_EFFECT "effect"          // string: the effect that orders the callback
#define CALLIOPE_KEY_POLICY "policy"          // string: which devices call, see the policies above
#define CALLIOPE_KEY_TRANSFORMS "transforms"  // string, for people: what was done to the operation
#define CALLIOPE_KEY_LOC "loc"                // string, for people: source file and line
#define CALLIOPE_KEY_OPTIONAL "optional"      // bool: without a callback it does nothing
#define CALLIOPE_KEY_EVERY "every"            // i64: only every n-th call is made

// The keys of a call that stands for one of XLA's old custom calls. See calliope_custom_call.h.
#define CALLIOPE_KEY_LEGACY "legacy"                // i64: the api_version of that call, 1 to 3
#define CALLIOPE_KEY_LEGACY_OPAQUE "legacy_opaque"  // string: its opaque bytes in hexadecimal
#define CALLIOPE_KEY_LEGACY_TUPLES "legacy_tuples"  // string: its tuples, as (.,(.,.))->.

// The keys of the further encodings, beside CALLIOPE_KEY_ID, which is an array<i64> there.
// Bytes stand in 64-bit words, the first byte lowest.
#define CALLIOPE_KEY_ID_SIZE "callback_id_size"              // ui64: bytes of the id
#define CALLIOPE_KEY_SERVER "callback_server_pid"            // array<i64>: the id's server
#define CALLIOPE_KEY_SERVER_SIZE "callback_server_pid_size"  // ui64: bytes of the server
#define CALLIOPE_KEY_ALIASED "num_aliased_data_outputs"      // ui64: results that pass operands through

#endif
