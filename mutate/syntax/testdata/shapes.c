#include <stdio.h>
#define N 3
#define MAX(a,b) ((a)>(b)?(a):(b))
typedef struct s { int x : 3; } S;
enum e { X = 1, Y };
static const int k[2] = {1, 2};
int g(void);
#ifdef FOO
static int f(const char *s, size_t n) {
  int i = 0x1fUL, j; double q = 1.5f; char c = 'a'; S *p = NULL;
  if (n < 3 && !ok()) { i += 1; go(s); fprintf(stderr, "x %d", i); } else if (p) return -1; else i = -i;
  while (i >= 2) { i--; if (i == 4) continue; break; }
  do { i++; } while (i < 3);
  for (i = 0; i < 10; i++) { i ^= j; }
  switch (i) { case 1: i = 2; break; default: i >>= 3; }
  int v = n > 0 ? 1 : 2;
  assert(i > 0);
  p->x = 3; *s = 0; (void)i;
  goto out;
  a[i++] = ~i & 3;
out:
  return i < j || 1;
}
#endif
void h(void) { return; }
bool z(void) { return true; }
char *y(void) { if (x) { return p; } return NULL; }
