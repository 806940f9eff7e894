package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"os"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"
)

// packArchive makes what tar --zstd makes of a folder.
func packArchive(ts *testscript.TestScript, _ bool, args []string) {
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	ts.Check(err)
	w := tar.NewWriter(z)
	ts.Check(errors.Join(w.AddFS(os.DirFS(ts.MkAbs(args[1]))), w.Close(), z.Close()))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o600))
}
