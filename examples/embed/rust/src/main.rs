//! A host in Rust: closures that compiled programs call.
//!
//!     go run ./examples/embed rust

mod calliope;
mod pjrt;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use calliope::Dispatch;

fn module(callback: &str) -> String {
    format!(
        r#"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %y = stablehlo.custom_call @calliope_runtime_call(%x) {{
    api_version = 4 : i32, has_side_effect = true,
    backend_config = {{v = 1 : i64, form = "call", callback = "{callback}"}}
  }} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}}"#
    )
}

struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn main() {
    let path = std::env::args().nth(1).expect("usage: host PLUGIN");
    let mut client = pjrt::Client::open(&path);
    unsafe { calliope::register_pjrt(client.api()) }.expect("the handlers");
    client.start().expect("a client");
    let x = [1.0, 2.0, 3.0, 4.0];
    let drops = Arc::new(AtomicUsize::new(0));

    for (how, dispatch) in [("inline", Dispatch::Inline), ("on another thread", Dispatch::Goroutine)] {
        let (calls, dropped) = (Arc::new(AtomicUsize::new(0)), Dropped(drops.clone()));
        let counter = calls.clone();
        let callback = calliope::register("scale", dispatch, 0, move |call| {
            let _keep = &dropped;
            counter.fetch_add(1, Ordering::SeqCst);
            for (y, x) in call.result(0)?.iter_mut().zip(call.arg(0)?) {
                *y = 10.0 * x;
            }
            Ok(())
        })
        .expect("a callback");
        let program = client.compile(&module("scale")).expect("a program");
        println!("{how}: {:?}", client.run(program, &x).expect("a run"));
        println!("calls: {}", calls.load(Ordering::SeqCst));
        let again = calliope::register("scale", dispatch, 0, |_| Ok(()));
        println!("registered twice: {:?}", again.err().map(|e| (e.status, e.message)));
        drop(callback);
        println!("unregistered: {}", client.run(program, &x).unwrap_err());
    }
    println!("closures that were dropped: {}", drops.load(Ordering::SeqCst));

    let _fails = calliope::register("fails", Dispatch::Inline, 0, |call| call.arg(7).map(|_| ())).expect("a callback");
    let program = client.compile(&module("fails")).expect("a program");
    println!("an error: {}", client.run(program, &x).unwrap_err());

    std::panic::set_hook(Box::new(|_| ()));
    let _panics = calliope::register("panics", Dispatch::Inline, 0, |_| panic!("not today")).expect("a callback");
    let program = client.compile(&module("panics")).expect("a program");
    println!("a panic: {}", client.run(program, &x).unwrap_err());

    let _slow = calliope::register("slow", Dispatch::Inline, 20_000_000, |call| {
        while !call.stopped() {
            std::thread::yield_now();
        }
        Ok(())
    })
    .expect("a callback");
    let program = client.compile(&module("slow")).expect("a program");
    println!("too slow: {}", client.run(program, &x).unwrap_err());
    println!("nobody: {}", client.compile(&module("nobody")).unwrap_err());
}
