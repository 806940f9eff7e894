#[derive(Debug)]
pub struct A { x: i32 }
impl A {
    #[inline]
    pub fn f(&mut self, a: i32, s: &str) -> Result<bool, String> {
        let mut n: usize = 0x1f_u8 as usize;
        if a < 3 && !self.ok() { n += 1; self.go(a)?; println!("x {}", n); } else if let Some(z) = q { return Err("bad".into()); } else { n = -n; }
        while n >= 2 { n -= 1; if n == 4 { continue; } break; }
        for i in 0..=10 { n ^= i; }
        loop { break; }
        match a { 1 => 2, x if x > 3 => { 4 } _ => 5 };
        let v = if a > 0 { 1 } else { 2 };
        assert!(n > 0, "text");
        drop(n);
        Ok(a < b as i32 || true)
    }
}
fn g() -> Option<i32> { Some(1) }
const K: f64 = 1.5e3;
#[cfg(test)]
mod tests { #[test] fn t() { assert_eq!(1, 1); } }
