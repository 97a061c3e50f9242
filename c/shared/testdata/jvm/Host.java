// Uses the library from Java: callbacks on threads of the JVM and of the library, and null checks by SIGSEGV.
public final class Host {
    static native void open();

    static native int register(String name, int dispatch);

    static native float call(String name, float x);

    static native int unregister(String name);

    private static final class Node {
        int value = 1;
        Node next;
    }

    // Compiled code reads without a check; a fault becomes the exception.
    private static int sum(Node node) {
        return node.value + node.next.value;
    }

    static int exceptions() {
        Node good = new Node();
        good.next = new Node();
        int caught = 0;
        for (int i = 0; i < 200000; i++) {
            try {
                caught += sum(i >= 100000 && i % 1000 == 0 ? (i % 2000 == 0 ? null : new Node()) : good) - 2;
            } catch (NullPointerException e) {
                caught++;
            }
        }
        return caught;
    }

    // Called by the library.
    static float twice(float x) {
        if (exceptions() != 100) throw new IllegalStateException("null checks in a call");
        if (x < 0) throw new IllegalArgumentException("negative");
        return 2 * x;
    }

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        open();
        System.out.println("exceptions: " + exceptions());
        for (int dispatch : new int[] {0, 1, 3}) {
            if (register("twice", dispatch) != 0) throw new IllegalStateException();
            System.out.println("a call: " + call("twice", 4));
            Thread[] threads = new Thread[8];
            float[] results = new float[8];
            for (int i = 0; i < 8; i++) {
                int n = i;
                threads[i] = new Thread(() -> results[n] = call("twice", n));
                threads[i].start();
            }
            float all = 0;
            for (int i = 0; i < 8; i++) {
                threads[i].join();
                all += results[i];
            }
            System.out.println("on 8 threads: " + all);
            System.out.println("an exception in a call: " + call("twice", -1));
            if (unregister("twice") != 0) throw new IllegalStateException();
            System.gc();
        }
        System.out.println("exceptions: " + exceptions());
    }
}
