package patch_test

import (
	"crypto/sha1"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/worktree/patch"
)

func blobID(data string) string {
	return fmt.Sprintf("%x", sha1.Sum([]byte(fmt.Sprintf("blob %d\x00%s", len(data), data))))
}

// diff puts the names of a file before hunks; id is the blob that they were made from.
func diff(id string, hunks ...string) string {
	return "diff --git a/f b/f\nindex " + id + "..0000000 100644\n--- a/f\n+++ b/f\n" + strings.Join(hunks, "")
}

const elsewhere = "1234567" // a blob that no file of these tests is

func TestApply(t *testing.T) {
	ten := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	for _, c := range []struct{ name, old, in, want string }{
		{"in its place", "a\nb\nc\n", diff(elsewhere, "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"), "a\nB\nc\n"},
		{"two hunks", ten, diff(elsewhere, "@@ -1,3 +1,4 @@\n 1\n-2\n+two\n+zwei\n 3\n", "@@ -8,3 +9,2 @@\n 8\n-9\n 10\n"), "1\ntwo\nzwei\n3\n4\n5\n6\n7\n8\n10\n"},
		{"the file has moved down", "new\n" + ten, diff(elsewhere, "@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n"), "new\n1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n"},
		{"append", "a\n", diff(elsewhere, "@@ -1 +1,2 @@\n a\n+b\n"), "a\nb\n"},
		{"whole file", "a\nb\n", diff(elsewhere, "@@ -1,2 +1 @@\n-a\n-b\n+c\n"), "c\n"},
		{"into an empty file", "", diff(elsewhere, "@@ -0,0 +1 @@\n+a\n"), "a\n"},
		{"no context, the very file", ten, diff(blobID(ten), "@@ -5 +5 @@\n-5\n+five\n"), strings.Replace(ten, "5", "five", 1)},
		{"insertion without context, the very file", ten, diff(blobID(ten), "@@ -5,0 +6 @@\n+five and a half\n"), strings.Replace(ten, "5\n", "5\nfive and a half\n", 1)},
		{"newline lost", "a\nb\n", diff(elsewhere, "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n"), "a\nb"},
		{"newline gained", "a\nb", diff(elsewhere, "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"), "a\nb\n"},
		{"neither has one", "a\nb", diff(elsewhere, "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n"), "A\nb"},
		{"CR LF in the file stays", "a\r\nb\r\n", diff(elsewhere, "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+B\r\n"), "a\r\nB\r\n"},
		{"bytes that are no text", "\xef\xbb\xbfa\n\xff\xfe\n", diff(elsewhere, "@@ -1,2 +1,2 @@\n \xef\xbb\xbfa\n-\xff\xfe\n+\xfe\xff\n"), "\xef\xbb\xbfa\n\xfe\xff\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, err := patch.Parse([]byte(c.in))
			if err != nil {
				t.Fatal(err)
			}
			got, err := files[0].Apply([]byte(c.old), blobID(c.old))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestPatchesOfAnotherBase(t *testing.T) {
	twice := "x\na\ny\nx\na\ny\nx\na\ny\n"
	for _, c := range []struct{ name, old, in, says string }{
		{"another line", "a\nB\nc\n", diff(elsewhere, "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"), `line 2 of the file is "B\n", the patch expects "b\n"`},
		{"beyond the end", "a\n", diff(elsewhere, "@@ -5,3 +5,3 @@\n a\n-b\n+x\n c\n"), "wants line 5, and the file has 1"},
		{"two places fit", "top\n" + twice, diff(elsewhere, "@@ -4,3 +4,3 @@\n x\n-a\n+b\n y\n"), "fits at lines 2 and 5"},
		{"no context", "a\nb\nc\n", diff(elsewhere, "@@ -2 +2 @@\n-b\n+x\n"), "no line of context"},
		{"insertion without context", "a\nb\nc\n", diff(elsewhere, "@@ -2,0 +3 @@\n+x\n"), "no line of context"},
		{"cut at the end, and it is not the end", "a\nb\nc\n", diff(elsewhere, "@@ -1,2 +1,2 @@\n a\n-b\n+x\n"), "the file goes on"},
		{"edited after it was made", "a\nb\nc\n", diff(blobID("a\nb\nc\n"), "@@ -1,3 +1,3 @@\n a\n-X\n+x\n c\n"), "edited afterwards"},
		{"second hunk astray", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", diff(elsewhere, "@@ -1,3 +1,3 @@\n 1\n-2\n+x\n 3\n", "@@ -7,3 +7,3 @@\n 7\n-eight\n+x\n 9\n"), "hunk 2"},
		{"no newline in the patch, one in the file", "a\nb\n", diff(elsewhere, "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n"), `is "b\n", the patch expects "b"`},
		{"newline in the patch, none in the file", "a\nb", diff(elsewhere, "@@ -1,2 +1,2 @@\n-a\n+A\n b\n"), `is "b", the patch expects "b\n"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, err := patch.Parse([]byte(c.in))
			if err != nil {
				t.Fatal(err)
			}
			got, err := files[0].Apply([]byte(c.old), blobID(c.old))
			var refused *patch.Error
			if !errors.As(err, &refused) || refused.Kind != patch.Unbound {
				t.Fatalf("got %q, %v, want an unbound patch", got, err)
			}
			if !strings.Contains(err.Error(), c.says) || refused.Hunk == 0 || refused.Path != "f" {
				t.Errorf("says %q, want %q with file and hunk", err, c.says)
			}
		})
	}
}
