//! Calliope for Rust: closures that compiled programs call. The declarations are those of calliope.h that are used here.

use std::ffi::{c_char, c_void, CStr, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::slice;

/// An error of the library: a code of absl::Status, and a message.
#[derive(Debug)]
pub struct Error {
    pub status: i32,
    pub message: String,
}

const INTERNAL: i32 = 13;
pub const F32: i32 = 11;

#[repr(C)]
pub struct Array {
    data: *mut c_void,
    size: usize,
    dims: *const i64,
    rank: i32,
    dtype: i32,
}

#[repr(C)]
pub struct Call {
    struct_size: usize,
    name: *const c_char,
    run_id: i64,
    device: i32,
    reserved: i32,
    num_args: usize,
    args: *const Array,
    num_results: usize,
    results: *const Array,
}

#[repr(C)]
struct Options {
    struct_size: usize,
    registry: *const c_char,
    dispatch: i32,
    fail_run: i32,
    timeout_ns: i64,
    per_second: i64,
    measure: i32,
    has_template: i32,
    args: *const c_void,
    num_args: usize,
    results: *const c_void,
    num_results: usize,
    drop: Option<unsafe extern "C" fn(*mut c_void)>,
}

type Function = unsafe extern "C" fn(*mut c_void, *mut Call) -> i32;

#[link(name = "calliope")]
extern "C" {
    fn calliope_error_message() -> *const c_char;
    fn calliope_register_pjrt(api: *const c_void) -> i32;
    fn calliope_register(name: *const c_char, function: Function, user_data: *mut c_void, options: *const Options) -> i32;
    fn calliope_unregister(registry: *const c_char, name: *const c_char) -> i32;
    fn calliope_fail(call: *mut Call, message: *const c_char, size: usize);
    fn calliope_stopped(call: *const Call) -> i32;
}

fn check(status: i32) -> Result<(), Error> {
    if status == 0 {
        return Ok(());
    }
    let message = unsafe { CStr::from_ptr(calliope_error_message()) };
    Err(Error { status, message: message.to_string_lossy().into_owned() })
}

fn text(s: &str) -> Result<CString, Error> {
    CString::new(s).map_err(|e| Error { status: 3, message: e.to_string() })
}

impl Call {
    /// Returns an operand of F32.
    pub fn arg(&self, i: usize) -> Result<&[f32], String> {
        if i >= self.num_args {
            return Err(format!("there is no operand {i}"));
        }
        let a = unsafe { &*self.args.add(i) };
        a.is_f32()?;
        Ok(if a.size == 0 { &[] } else { unsafe { slice::from_raw_parts(a.data.cast(), a.size / 4) } })
    }

    /// Returns a result of F32, to be filled. In the form call it is other memory than that of the operands.
    #[allow(clippy::mut_from_ref)]
    pub fn result(&self, i: usize) -> Result<&mut [f32], String> {
        if i >= self.num_results {
            return Err(format!("there is no result {i}"));
        }
        let a = unsafe { &*self.results.add(i) };
        a.is_f32()?;
        Ok(if a.size == 0 { &mut [] } else { unsafe { slice::from_raw_parts_mut(a.data.cast(), a.size / 4) } })
    }

    /// Reports whether nobody waits for the call any more.
    pub fn stopped(&self) -> bool {
        unsafe { calliope_stopped(self) != 0 }
    }
}

impl Array {
    fn is_f32(&self) -> Result<(), String> {
        if self.dtype == F32 {
            return Ok(());
        }
        Err(format!("the element type is {}, and must be {F32}", self.dtype))
    }
}

type Closure = Box<dyn Fn(&Call) -> Result<(), String> + Send + Sync>;

unsafe extern "C" fn invoke(user_data: *mut c_void, call: *mut Call) -> i32 {
    let closure = &*(user_data as *const Closure);
    // A panic must not unwind into C.
    let message = match catch_unwind(AssertUnwindSafe(|| closure(&*call))) {
        Ok(Ok(())) => return 0,
        Ok(Err(message)) => message,
        Err(panic) => match panic.downcast_ref::<&str>() {
            Some(text) => format!("panic: {text}"),
            None => match panic.downcast_ref::<String>() {
                Some(text) => format!("panic: {text}"),
                None => "panic".to_string(),
            },
        },
    };
    calliope_fail(call, message.as_ptr().cast(), message.len());
    INTERNAL
}

unsafe extern "C" fn free(user_data: *mut c_void) {
    drop(Box::from_raw(user_data as *mut Closure));
}

/// A registered closure. Dropping it unregisters the closure, which is dropped after its last call.
pub struct Callback(CString);

impl Drop for Callback {
    fn drop(&mut self) {
        unsafe { calliope_unregister(std::ptr::null(), self.0.as_ptr()) };
    }
}

/// How a closure is called.
#[derive(Clone, Copy)]
pub enum Dispatch {
    Inline = 0,
    Goroutine = 1,
}

/// Registers a closure as a callback. A timeout of 0 is none.
pub fn register<F>(name: &str, dispatch: Dispatch, timeout_ns: i64, closure: F) -> Result<Callback, Error>
where
    F: Fn(&Call) -> Result<(), String> + Send + Sync + 'static,
{
    let name = text(name)?;
    let mut options: Options = unsafe { std::mem::zeroed() };
    options.struct_size = std::mem::size_of::<Options>();
    options.dispatch = dispatch as i32;
    options.timeout_ns = timeout_ns;
    options.drop = Some(free);
    let closure: *mut Closure = Box::into_raw(Box::new(Box::new(closure)));
    let status = unsafe { calliope_register(name.as_ptr(), invoke, closure.cast(), &options) };
    if let Err(e) = check(status) {
        unsafe { free(closure.cast()) };
        return Err(e);
    }
    Ok(Callback(name))
}

/// Registers the handlers with a PJRT plugin.
///
/// # Safety
/// api must be the result of the plugin's GetPjrtApi.
pub unsafe fn register_pjrt(api: *const c_void) -> Result<(), Error> {
    check(calliope_register_pjrt(api))
}
