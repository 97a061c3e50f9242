//! Compiles and runs modules of one array through a PJRT plugin: what main.rs needs, and no more. Each structure of
//! PJRT is an array of words here, the first of which is its size in bytes.

use std::ffi::{c_char, c_int, c_void, CString};
use std::{ptr, slice, str};

extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

// The functions, by their place in the table.
const ERROR_DESTROY: usize = 0;
const ERROR_MESSAGE: usize = 1;
const EVENT_DESTROY: usize = 5;
const EVENT_AWAIT: usize = 8;
const CLIENT_CREATE: usize = 10;
const ADDRESSABLE_DEVICES: usize = 16;
const COMPILE: usize = 20;
const BUFFER_FROM_HOST: usize = 22;
const EXECUTE: usize = 55;
const BUFFER_TO_HOST: usize = 70;

pub struct Client {
    api: *const usize,
    client: usize,
    device: usize,
}

fn address<T>(p: &T) -> usize {
    p as *const T as usize
}

impl Client {
    pub fn open(path: &str) -> Client {
        let path = CString::new(path).unwrap();
        unsafe {
            let library = dlopen(path.as_ptr(), 2); // RTLD_NOW
            assert!(!library.is_null(), "the plugin cannot be loaded");
            let get: extern "C" fn() -> *const usize = std::mem::transmute(dlsym(library, c"GetPjrtApi".as_ptr()));
            Client { api: get(), client: 0, device: 0 }
        }
    }

    pub fn api(&self) -> *const c_void {
        self.api.cast()
    }

    pub fn start(&mut self) -> Result<(), String> {
        self.client = self.call::<11>(CLIENT_CREATE, &[])?[8];
        let devices = self.call::<5>(ADDRESSABLE_DEVICES, &[(2, self.client)])?[3] as *const usize;
        self.device = unsafe { *devices };
        Ok(())
    }

    // Calls a function with some words of its structure, and returns the structure.
    fn call<const N: usize>(&self, function: usize, words: &[(usize, usize)]) -> Result<[usize; N], String> {
        let mut args = [0usize; N];
        args[0] = N * 8;
        for &(i, word) in words {
            args[i] = word;
        }
        let error = unsafe { self.function(function)(args.as_mut_ptr()) };
        if error == 0 {
            return Ok(args);
        }
        let mut message = [5 * 8, 0, error, 0, 0];
        let mut destroy = [3 * 8, 0, error];
        unsafe {
            self.function(ERROR_MESSAGE)(message.as_mut_ptr());
            let bytes = slice::from_raw_parts(message[3] as *const u8, message[4]);
            let text = str::from_utf8(bytes).unwrap_or("?").to_string();
            self.function(ERROR_DESTROY)(destroy.as_mut_ptr());
            Err(text)
        }
    }

    unsafe fn function(&self, n: usize) -> extern "C" fn(*mut usize) -> usize {
        std::mem::transmute(ptr::read(self.api.add(5 + n))) // behind two words and the version, which has three
    }

    fn wait(&self, event: usize) -> Result<(), String> {
        let result = self.call::<3>(EVENT_AWAIT, &[(2, event)]);
        self.call::<3>(EVENT_DESTROY, &[(2, event)])?;
        result.map(|_| ())
    }

    pub fn compile(&self, module: &str) -> Result<usize, String> {
        let one_device = b"\x1a\x04\x20\x01\x28\x01"; // num_replicas and num_partitions are 1
        let program = [6 * 8, 0, module.as_ptr() as usize, module.len(), b"mlir".as_ptr() as usize, 4];
        let words =
            [(2, self.client), (3, address(&program)), (4, one_device.as_ptr() as usize), (5, one_device.len())];
        Ok(self.call::<7>(COMPILE, &words)?[6])
    }

    pub fn run(&self, executable: usize, x: &[f32]) -> Result<Vec<f32>, String> {
        let dims = [x.len() as i64];
        let f32_type = 11;
        let words =
            [(2, self.client), (3, x.as_ptr() as usize), (4, f32_type), (5, address(&dims)), (6, 1), (10, self.device)];
        let from = self.call::<15>(BUFFER_FROM_HOST, &words)?;
        self.wait(from[13])?;
        let options = {
            let mut words = [0usize; 14];
            words[0] = 14 * 8;
            words
        };
        let arguments = [from[14]];
        let (mut results, mut events) = ([0usize], [0usize]);
        let (argument_list, result_list) = ([address(&arguments)], [results.as_mut_ptr() as usize]);
        let words = [
            (2, executable),
            (3, address(&options)),
            (4, address(&argument_list)),
            (5, 1),
            (6, 1),
            (7, address(&result_list)),
            (8, events.as_mut_ptr() as usize),
        ];
        self.call::<10>(EXECUTE, &words)?;
        // PJRT has written to these.
        let (event, buffer) = unsafe { (ptr::read_volatile(&events[0]), ptr::read_volatile(&results[0])) };
        self.wait(event)?;
        let mut y = vec![0f32; x.len()];
        let words = [(2, buffer), (4, y.as_mut_ptr() as usize), (5, y.len() * 4)];
        let to = self.call::<7>(BUFFER_TO_HOST, &words)?;
        self.wait(to[6])?;
        Ok(y)
    }
}
