//! The declarations of `calliope.h`, which describes them.

#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_int, c_void};

pub type calliope_status = c_int;
pub const CALLIOPE_OK: calliope_status = 0;
pub const CALLIOPE_CANCELLED: calliope_status = 1;
pub const CALLIOPE_INVALID_ARGUMENT: calliope_status = 3;
pub const CALLIOPE_DEADLINE_EXCEEDED: calliope_status = 4;
pub const CALLIOPE_NOT_FOUND: calliope_status = 5;
pub const CALLIOPE_ALREADY_EXISTS: calliope_status = 6;
pub const CALLIOPE_FAILED_PRECONDITION: calliope_status = 9;
pub const CALLIOPE_INTERNAL: calliope_status = 13;

pub type calliope_stage = c_int;
pub const CALLIOPE_STAGE_INSTANTIATE: calliope_stage = 0;
pub const CALLIOPE_STAGE_EXECUTE: calliope_stage = 3;

pub type calliope_dtype = c_int;
pub const CALLIOPE_PRED: calliope_dtype = 1;
pub const CALLIOPE_S8: calliope_dtype = 2;
pub const CALLIOPE_S16: calliope_dtype = 3;
pub const CALLIOPE_S32: calliope_dtype = 4;
pub const CALLIOPE_S64: calliope_dtype = 5;
pub const CALLIOPE_U8: calliope_dtype = 6;
pub const CALLIOPE_U16: calliope_dtype = 7;
pub const CALLIOPE_U32: calliope_dtype = 8;
pub const CALLIOPE_U64: calliope_dtype = 9;
pub const CALLIOPE_F16: calliope_dtype = 10;
pub const CALLIOPE_F32: calliope_dtype = 11;
pub const CALLIOPE_F64: calliope_dtype = 12;
pub const CALLIOPE_C64: calliope_dtype = 15;
pub const CALLIOPE_BF16: calliope_dtype = 16;
pub const CALLIOPE_C128: calliope_dtype = 18;
pub const CALLIOPE_F8E5M2: calliope_dtype = 19;
pub const CALLIOPE_F8E4M3FN: calliope_dtype = 20;
pub const CALLIOPE_S4: calliope_dtype = 21;
pub const CALLIOPE_U4: calliope_dtype = 22;
pub const CALLIOPE_F8E4M3B11FNUZ: calliope_dtype = 23;
pub const CALLIOPE_F8E5M2FNUZ: calliope_dtype = 24;
pub const CALLIOPE_F8E4M3FNUZ: calliope_dtype = 25;
pub const CALLIOPE_S2: calliope_dtype = 26;
pub const CALLIOPE_U2: calliope_dtype = 27;
pub const CALLIOPE_F8E4M3: calliope_dtype = 28;
pub const CALLIOPE_F8E3M4: calliope_dtype = 29;
pub const CALLIOPE_F4E2M1FN: calliope_dtype = 32;
pub const CALLIOPE_F8E8M0FNU: calliope_dtype = 33;

pub type calliope_dispatch = c_int;
pub const CALLIOPE_INLINE: calliope_dispatch = 0;
pub const CALLIOPE_GOROUTINE: calliope_dispatch = 1;
pub const CALLIOPE_ASYNC: calliope_dispatch = 2;
pub const CALLIOPE_DEFERRED: calliope_dispatch = 3;

pub type calliope_legacy_form = c_int;
pub const CALLIOPE_LEGACY_HOST: calliope_legacy_form = 1;
pub const CALLIOPE_LEGACY_HOST_STATUS: calliope_legacy_form = 2;
pub const CALLIOPE_LEGACY_HOST_OPAQUE: calliope_legacy_form = 3;
pub const CALLIOPE_LEGACY_GPU: calliope_legacy_form = 4;
pub const CALLIOPE_LEGACY_GPU_STATUS: calliope_legacy_form = 5;

/// A function of XLA's typed FFI: `XLA_FFI_Handler`.
pub type calliope_handler = Option<unsafe extern "C" fn(frame: *mut c_void) -> *mut c_void>;
pub type calliope_function = unsafe extern "C" fn(user_data: *mut c_void, call: *mut calliope_call) -> calliope_status;

#[repr(C)]
pub struct calliope_array {
    pub data: *mut c_void,
    pub size: usize,
    pub dims: *const i64,
    pub rank: i32,
    pub dtype: calliope_dtype,
}

#[repr(C)]
pub struct calliope_call {
    pub struct_size: usize,
    pub name: *const c_char,
    pub run_id: i64,
    pub device: i32,
    pub reserved: i32,
    pub num_args: usize,
    pub args: *const calliope_array,
    pub num_results: usize,
    pub results: *const calliope_array,
}

#[repr(C)]
pub struct calliope_type {
    pub dims: *const i64,
    pub rank: i32,
    pub dtype: calliope_dtype,
}

#[repr(C)]
pub struct calliope_options {
    pub struct_size: usize,
    pub registry: *const c_char,
    pub dispatch: calliope_dispatch,
    pub fail_run: i32,
    pub keep_errors: i32,
    pub timeout_ns: i64,
    pub per_second: i64,
    pub measure: i32,
    pub has_template: i32,
    pub args: *const calliope_type,
    pub num_args: usize,
    pub results: *const calliope_type,
    pub num_results: usize,
    pub drop: Option<unsafe extern "C" fn(user_data: *mut c_void)>,
}

#[repr(C)]
pub struct calliope_registry_options {
    pub struct_size: usize,
    pub workers: i32,
    pub lost_limit: i32,
    pub timeout_ns: i64,
    pub queue_bytes: i64,
}

#[repr(C)]
pub struct calliope_operation {
    pub struct_size: usize,
    pub form: *const c_char,
    pub callback: *const c_char,
    pub callback_id: i64,
    pub registry: *const c_char,
    pub effect: *const c_char,
    pub policy: *const c_char,
    pub loc: *const c_char,
    pub every: i64,
    pub optional: i32,
    pub check_signature: i32,
}

#[repr(C)]
pub struct calliope_preflight_options {
    pub struct_size: usize,
    pub targets: *const *const c_char,
    pub num_targets: usize,
    pub partitions: i64,
}

#[link(name = "calliope")]
extern "C" {
    pub fn calliope_error_message() -> *const c_char;
    pub fn calliope_version() -> i32;
    pub fn calliope_free(memory: *mut c_void) -> calliope_status;
    pub fn calliope_get_handler(
        target: *const c_char,
        stage: calliope_stage,
        handler: *mut calliope_handler,
    ) -> calliope_status;
    pub fn calliope_register_pjrt(api: *const c_void) -> calliope_status;
    pub fn calliope_fail(call: *mut calliope_call, message: *const c_char, size: usize);
    pub fn calliope_stopped(call: *const calliope_call) -> i32;
    pub fn calliope_register(
        name: *const c_char,
        function: calliope_function,
        user_data: *mut c_void,
        options: *const calliope_options,
    ) -> calliope_status;
    pub fn calliope_register_id(
        function: calliope_function,
        user_data: *mut c_void,
        options: *const calliope_options,
        id: *mut i64,
    ) -> calliope_status;
    pub fn calliope_unregister(registry: *const c_char, name: *const c_char) -> calliope_status;
    pub fn calliope_unregister_id(registry: *const c_char, id: i64) -> calliope_status;
    pub fn calliope_registry_open(name: *const c_char, options: *const calliope_registry_options) -> calliope_status;
    pub fn calliope_registry_close(name: *const c_char) -> calliope_status;
    pub fn calliope_barrier(name: *const c_char, timeout_ns: i64) -> calliope_status;
    pub fn calliope_stats(json: *mut *mut c_char) -> calliope_status;
    pub fn calliope_mlir_open(path: *const c_char, library: *mut i64) -> calliope_status;
    pub fn calliope_append(
        library: i64,
        context: *mut c_void,
        module: *mut c_void,
        block: *mut c_void,
        location: *mut c_void,
        description: *const calliope_operation,
        num_operands: usize,
        operands: *const *mut c_void,
        num_results: usize,
        results: *const *mut c_void,
        operation: *mut *mut c_void,
    ) -> calliope_status;
    pub fn calliope_order_effects(library: i64, context: *mut c_void, module: *mut c_void) -> calliope_status;
    pub fn calliope_prepare(library: i64, context: *mut c_void, module: *mut c_void) -> calliope_status;
    pub fn calliope_check(library: i64, context: *mut c_void, module: *mut c_void) -> calliope_status;
    pub fn calliope_preflight(
        library: i64,
        context: *mut c_void,
        module: *mut c_void,
        options: *const calliope_preflight_options,
    ) -> calliope_status;
    pub fn calliope_register_legacy(
        target: *const c_char,
        function: Option<unsafe extern "C" fn()>,
        form: calliope_legacy_form,
    ) -> calliope_status;
    pub fn calliope_replace_legacy(library: i64, context: *mut c_void, module: *mut c_void) -> calliope_status;
    pub fn calliope_lint(
        module: *const c_void,
        size: usize,
        name: *const c_char,
        format: *const c_char,
        options: *const c_char,
        report: *mut *mut c_char,
        findings: *mut i32,
    ) -> calliope_status;
    pub fn calliope_fix(
        module: *const c_void,
        size: usize,
        options: *const c_char,
        fixed: *mut *mut c_void,
        fixed_size: *mut usize,
    ) -> calliope_status;
}
