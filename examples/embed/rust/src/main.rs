//! A host in Rust: closures that compiled programs call.
//!
//!     go run ./examples/embed rust

mod pjrt;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use calliope_mlir::{register, Dispatch, Options};

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
    unsafe { calliope_mlir::register_pjrt(client.api()) }.expect("the handlers");
    client.start().expect("a client");
    let x = [1.0, 2.0, 3.0, 4.0];
    let drops = Arc::new(AtomicUsize::new(0));

    for (how, dispatch) in [("inline", Dispatch::Inline), ("on another thread", Dispatch::Goroutine)] {
        let (calls, dropped) = (Arc::new(AtomicUsize::new(0)), Dropped(drops.clone()));
        let counter = calls.clone();
        let options = Options { dispatch, ..Default::default() };
        let callback = register("scale", options.clone(), move |call| {
            let _keep = &dropped;
            counter.fetch_add(1, Ordering::SeqCst);
            for (y, x) in call.result::<f32>(0)?.iter_mut().zip(call.arg::<f32>(0)?) {
                *y = 10.0 * x;
            }
            Ok(())
        })
        .expect("a callback");
        let program = client.compile(&module("scale")).expect("a program");
        println!("{how}: {:?}", client.run(program, &x).expect("a run"));
        println!("calls: {}", calls.load(Ordering::SeqCst));
        let again = register("scale", options, |_| Ok(()));
        println!("registered twice: {:?}", again.err().map(|e| (e.status, e.message)));
        drop(callback);
        println!("unregistered: {}", client.run(program, &x).unwrap_err());
    }
    println!("closures that were dropped: {}", drops.load(Ordering::SeqCst));

    type Wrong = fn(&calliope_mlir::Call) -> Result<(), calliope_mlir::Failure>;
    let wrong: [Wrong; 4] = [
        |call| Ok(call.arg::<f32>(7).map(|_| ())?),
        |call| Ok(call.arg::<i64>(0).map(|_| ())?),
        |call| call.result::<f32>(0).and(call.result::<f32>(0)).map(|_| Ok(()))?,
        |_| Err("no such thing".into()),
    ];
    for closure in wrong {
        let _fails = register("fails", Options::default(), closure).expect("a callback");
        let program = client.compile(&module("fails")).expect("a program");
        println!("an error: {}", client.run(program, &x).unwrap_err());
    }

    std::panic::set_hook(Box::new(|_| ()));
    let _panics = register("panics", Options::default(), |_| panic!("not today")).expect("a callback");
    let program = client.compile(&module("panics")).expect("a program");
    println!("a panic: {}", client.run(program, &x).unwrap_err());

    let options = Options { timeout: Some(Duration::from_millis(20)), ..Default::default() };
    let _slow = register("slow", options, |call| {
        while !call.stopped() {
            std::thread::yield_now();
        }
        Ok(())
    })
    .expect("a callback");
    let program = client.compile(&module("slow")).expect("a program");
    println!("too slow: {}", client.run(program, &x).unwrap_err());
    println!("nobody: {}", client.compile(&module("nobody")).unwrap_err());

    let type_of = |n| calliope_mlir::Type { dtype: calliope_mlir::sys::CALLIOPE_F32, dims: vec![n] };
    let template = Some((vec![type_of(5)], vec![type_of(5)]));
    let _typed = register("typed", Options { template, ..Default::default() }, |_| Ok(())).expect("a callback");
    let program = client.compile(&module("typed")).expect("a program");
    println!("other types: {}", client.run(program, &x).unwrap_err());

    let by_id = register("", Options::default(), |_| Ok(())).expect("a callback");
    println!("by id: {}", by_id.id());
    let nowhere = Options { registry: "nowhere".into(), ..Default::default() };
    println!("no registry: {}", register("f", nowhere, |_| Ok(())).unwrap_err());
    println!("a barrier: {:?}", calliope_mlir::barrier("end", Some(Duration::from_secs(60))));
    let handler = calliope_mlir::handler("calliope_io_callback", calliope_mlir::sys::CALLIOPE_STAGE_EXECUTE);
    println!("a handler: {}", handler.expect("a handler").is_some());
}
