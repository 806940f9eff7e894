package p;
import java.util.*;
@Deprecated
public class A<T extends B> {
  static final int K = 3; private static final Logger LOG = LoggerFactory.getLogger(A.class);
  enum E { X(1), Y(2); }
  @Override public boolean f(int a, List<String> s) throws E {
    int n = 0x1fL; float q = 1.5f; char c = 'a'; String t = "abc";
    if (a < 3 && !ok()) { n += 1; go(a); log.info("x" + n); } else if (b instanceof C) return false; else n = -n;
    while (n >= 2) { n--; if (n == 4) continue; break; }
    do { n++; } while (n < 3);
    for (int i = 0; i < 10; i++) { n ^= i; }
    for (String x : s) { this.n = x; }
    switch (a) { case 1: n = 2; break; default: n >>>= 3; }
    int z = switch (a) { case 1 -> 2; default -> { yield 5; } };
    int v = a > 0 ? 1 : 2;
    assert n > 0 : "text";
    if (a == 0) throw new IllegalStateException("bad " + a);
    synchronized (this) { x(); }
    try { y(); } catch (E e) { } finally { z(); }
    super.f(); new Foo(); a = b;
    Runnable r = () -> go(1); F g = x -> x > 3;
    return a < b || true;
  }
  A() { this(1); }
  void g() { return; }
  native void h();
  int[] arr = {1, 2};
  Object o() { return null; }
}
