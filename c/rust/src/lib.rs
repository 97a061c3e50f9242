//! Programs that XLA compiles call closures of Rust, by the library Calliope.
//!
//! [`register_pjrt`] lets a PJRT plugin find the library, and [`register`] gives a closure a name that modules call. The
//! other functions of the library are in [`sys`].

pub mod sys;

use std::cell::RefCell;
use std::ffi::{c_void, CStr, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;
use std::{error, fmt, ptr, slice};

/// An error of the library: a code of absl::Status, and a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub status: sys::calliope_status,
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl error::Error for Error {}

/// What a closure fails with: any error, or a text by `into`.
pub type Failure = Box<dyn error::Error + Send + Sync>;

/// Returns the error of a function of [`sys`] that was called on this thread, if it failed.
pub fn check(status: sys::calliope_status) -> Result<(), Error> {
    if status == sys::CALLIOPE_OK {
        return Ok(());
    }
    // SAFETY: the message is valid until a function fails on this thread again.
    let message = unsafe { CStr::from_ptr(sys::calliope_error_message()) };
    Err(Error { status, message: message.to_string_lossy().into_owned() })
}

fn invalid(message: String) -> Error {
    Error { status: sys::CALLIOPE_INVALID_ARGUMENT, message }
}

fn text(s: &str) -> Result<CString, Error> {
    CString::new(s).map_err(|_| invalid(format!("{s:?} contains a NUL")))
}

/// Registers the handlers of the library with a PJRT plugin.
///
/// # Safety
/// api must be the result of the plugin's GetPjrtApi.
pub unsafe fn register_pjrt(api: *const c_void) -> Result<(), Error> {
    check(sys::calliope_register_pjrt(api))
}

/// Waits until all calls that were queued are done, for a time at most. It fails with the errors of closures that
/// failed no run. The name is for messages.
pub fn barrier(name: &str, timeout: Option<Duration>) -> Result<(), Error> {
    let name = text(name)?;
    // SAFETY: the library copies the name.
    check(unsafe { sys::calliope_barrier(name.as_ptr(), timeout.map_or(0, nanoseconds)) })
}

fn nanoseconds(d: Duration) -> i64 {
    i64::try_from(d.as_nanos()).unwrap_or(i64::MAX)
}

/// A type whose values are the elements of an array.
///
/// # Safety
/// Each pattern of bits must be a value of the type, and DTYPE must be its element type.
pub unsafe trait Element: Copy + 'static {
    const DTYPE: sys::calliope_dtype;
}

macro_rules! elements {
    ($($t:ty: $dtype:ident),*) => { $(unsafe impl Element for $t { const DTYPE: sys::calliope_dtype = sys::$dtype; })* };
}

elements!(i8: CALLIOPE_S8, i16: CALLIOPE_S16, i32: CALLIOPE_S32, i64: CALLIOPE_S64, u8: CALLIOPE_U8, u16: CALLIOPE_U16,
    u32: CALLIOPE_U32, u64: CALLIOPE_U64, f32: CALLIOPE_F32, f64: CALLIOPE_F64);

/// A call of a closure, with its arrays, which are in row-major order.
pub struct Call<'a> {
    call: &'a sys::calliope_call,
    taken: RefCell<Vec<usize>>, // results
}

impl Call<'_> {
    /// Returns the name of the callback, or "id N".
    pub fn name(&self) -> String {
        // SAFETY: the name is valid during the call.
        unsafe { CStr::from_ptr(self.call.name) }.to_string_lossy().into_owned()
    }

    /// Returns the number of XLA's run, 0 if XLA does not say.
    pub fn run_id(&self) -> i64 {
        self.call.run_id
    }

    /// Returns the ordinal of the device that calls.
    pub fn device(&self) -> i32 {
        self.call.device
    }

    /// Returns the operands, for their types and dimensions. [`Call::arg`] has their elements.
    pub fn args(&self) -> &[sys::calliope_array] {
        array_list(self.call.args, self.call.num_args)
    }

    /// Returns the results, as args does the operands.
    pub fn results(&self) -> &[sys::calliope_array] {
        array_list(self.call.results, self.call.num_results)
    }

    /// Returns the elements of an operand. One whose memory is that of a result, as in the form passthrough, is
    /// read there.
    pub fn arg<T: Element>(&self, i: usize) -> Result<&[T], Error> {
        let a = typed::<T>("operand", self.args(), i)?;
        if let Some(j) = self.results().iter().position(|r| overlap(a, r)) {
            return Err(invalid(format!("operand {i} is in the memory of result {j}: read it there")));
        }
        // SAFETY: the memory is valid during the call, of this type, and no result's.
        Ok(unsafe { slice::from_raw_parts(data(a), a.size / size_of::<T>()) })
    }

    /// Returns the elements of a result, to be filled. Each result can be taken once.
    #[allow(clippy::mut_from_ref)]
    pub fn result<T: Element>(&self, i: usize) -> Result<&mut [T], Error> {
        let a = typed::<T>("result", self.results(), i)?;
        if self.taken.borrow().iter().any(|&j| j == i || overlap(a, &self.results()[j])) {
            return Err(invalid(format!("result {i} was taken before")));
        }
        self.taken.borrow_mut().push(i);
        // SAFETY: the memory is valid during the call, of this type, and nobody else's.
        Ok(unsafe { slice::from_raw_parts_mut(data(a), a.size / size_of::<T>()) })
    }

    /// Reports whether nobody waits for the call any more.
    pub fn stopped(&self) -> bool {
        // SAFETY: the call is the library's.
        unsafe { sys::calliope_stopped(self.call) != 0 }
    }
}

fn array_list<'a>(list: *const sys::calliope_array, n: usize) -> &'a [sys::calliope_array] {
    // SAFETY: the list is valid during the call.
    if n == 0 {
        &[]
    } else {
        unsafe { slice::from_raw_parts(list, n) }
    }
}

fn typed<'a, T: Element>(
    what: &str,
    arrays: &'a [sys::calliope_array],
    i: usize,
) -> Result<&'a sys::calliope_array, Error> {
    let a = arrays.get(i).ok_or_else(|| invalid(format!("there is no {what} {i}: the call has {}", arrays.len())))?;
    if a.dtype != T::DTYPE {
        return Err(invalid(format!("{what} {i} has the element type {}, and is read as {}", a.dtype, T::DTYPE)));
    }
    Ok(a)
}

/// Returns the memory of an array. A slice without elements must not begin at NULL, either.
fn data<T>(a: &sys::calliope_array) -> *mut T {
    if a.size == 0 {
        return ptr::NonNull::dangling().as_ptr();
    }
    a.data.cast()
}

fn overlap(a: &sys::calliope_array, b: &sys::calliope_array) -> bool {
    let (x, y) = (a.data as usize, b.data as usize);
    x < y + b.size && y < x + a.size
}

/// How a closure is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(i32)]
pub enum Dispatch {
    /// On XLA's thread, on XLA's memory.
    #[default]
    Inline = sys::CALLIOPE_INLINE,
    /// On a thread of the library, on copies. XLA's thread waits.
    Goroutine = sys::CALLIOPE_GOROUTINE,
    /// On a thread of the library, on copies. Nobody waits, so calls have no results of their own.
    Async = sys::CALLIOPE_ASYNC,
    /// As Goroutine, but XLA's thread does not wait.
    Deferred = sys::CALLIOPE_DEFERRED,
}

/// The type of an operand or a result in a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Type {
    pub dtype: sys::calliope_dtype,
    pub dims: Vec<i64>,
}

/// The options of a callback, as `calliope_options` in calliope.h.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The name of the registry; empty for the default one.
    pub registry: String,
    pub dispatch: Dispatch,
    /// Whether an error in the form observe fails the run.
    pub fail_run: bool,
    /// Whether the run goes on after an error in any form, with results of zeros, and the next barrier has the error.
    pub keep_errors: bool,
    /// The time that one call may take.
    pub timeout: Option<Duration>,
    /// The most calls in a second; 0 is no limit.
    pub per_second: i64,
    /// The types of the operands and of the results that modules must call with.
    pub template: Option<(Vec<Type>, Vec<Type>)>,
}

type Closure = Box<dyn Fn(&Call<'_>) -> Result<(), Failure> + Send + Sync>;

unsafe extern "C" fn invoke(user_data: *mut c_void, call: *mut sys::calliope_call) -> sys::calliope_status {
    let closure = &*(user_data as *const Closure);
    // A panic must not unwind into C.
    let result = catch_unwind(AssertUnwindSafe(|| closure(&Call { call: &*call, taken: RefCell::default() })));
    let (status, message) = match result {
        Ok(Ok(())) => return sys::CALLIOPE_OK,
        Ok(Err(e)) => (e.downcast_ref::<Error>().map_or(sys::CALLIOPE_INTERNAL, |e| e.status), e.to_string()),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(|s| s.as_str()));
            (sys::CALLIOPE_INTERNAL, text.map_or("panic".into(), |text| format!("panic: {text}")))
        }
    };
    sys::calliope_fail(call, message.as_ptr().cast(), message.len());
    status
}

unsafe extern "C" fn free(user_data: *mut c_void) {
    // A panic of what the closure owns must not unwind into C, either.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(Box::from_raw(user_data as *mut Closure))));
}

/// A registered closure. Dropping it unregisters the closure, which is dropped after its last call.
#[derive(Debug)]
pub struct Callback {
    registry: CString,
    name: CString,
    id: i64,
}

impl Callback {
    /// Returns the id, which modules call by, or 0 if the closure has a name.
    pub fn id(&self) -> i64 {
        self.id
    }
}

impl Drop for Callback {
    fn drop(&mut self) {
        // SAFETY: the library copies the names. The only error is that the closure is unregistered already.
        unsafe {
            if self.id == 0 {
                sys::calliope_unregister(self.registry.as_ptr(), self.name.as_ptr());
            } else {
                sys::calliope_unregister_id(self.registry.as_ptr(), self.id);
            }
        }
    }
}

/// Registers a closure with a name that modules call, or with an id if the name is empty.
pub fn register<F>(name: &str, options: Options, closure: F) -> Result<Callback, Error>
where
    F: Fn(&Call<'_>) -> Result<(), Failure> + Send + Sync + 'static,
{
    let (registry, name, mut id) = (text(&options.registry)?, text(name)?, 0);
    let (args, results) = options.template.as_ref().map_or((vec![], vec![]), |(a, r)| (types(a), types(r)));
    let raw = sys::calliope_options {
        struct_size: size_of::<sys::calliope_options>(),
        registry: registry.as_ptr(),
        dispatch: options.dispatch as i32,
        fail_run: options.fail_run.into(),
        keep_errors: options.keep_errors.into(),
        timeout_ns: options.timeout.map_or(0, nanoseconds),
        per_second: options.per_second,
        measure: 0,
        has_template: options.template.is_some().into(),
        args: args.as_ptr(),
        num_args: args.len(),
        results: results.as_ptr(),
        num_results: results.len(),
        drop: Some(free),
    };
    let closure: *mut c_void = Box::into_raw(Box::new(Box::new(closure) as Closure)).cast();
    // SAFETY: the library copies what the options point to, and calls free once, if it returns CALLIOPE_OK.
    check(unsafe {
        if name.is_empty() {
            sys::calliope_register_id(invoke, closure, &raw, &mut id)
        } else {
            sys::calliope_register(name.as_ptr(), invoke, closure, &raw)
        }
    })
    // SAFETY: the closure still belongs to this function.
    .inspect_err(|_| unsafe { free(closure) })?;
    Ok(Callback { registry, name, id })
}

fn types(list: &[Type]) -> Vec<sys::calliope_type> {
    list.iter()
        .map(|t| sys::calliope_type { dims: t.dims.as_ptr(), rank: t.dims.len() as i32, dtype: t.dtype })
        .collect()
}

/// Returns the version of the library, as CALLIOPE_VERSION: 1.2.3 is 10203.
pub fn version() -> i32 {
    // SAFETY: it takes nothing.
    unsafe { sys::calliope_version() }
}

/// Returns the handler of a custom call target for a stage, for hosts that register handlers with XLA by themselves.
pub fn handler(target: &str, stage: sys::calliope_stage) -> Result<sys::calliope_handler, Error> {
    let (target, mut handler) = (text(target)?, None);
    // SAFETY: the library copies the target.
    check(unsafe { sys::calliope_get_handler(target.as_ptr(), stage, ptr::addr_of_mut!(handler)) })?;
    Ok(handler)
}
