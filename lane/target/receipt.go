package target

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"strings"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/runner"
)

// outputBytes is how much of what a command wrote stands in its receipt.
const outputBytes = 2 << 10

// run runs a command in a box and writes a receipt. The error says that Lane could not run it, or was stopped.
func (t *Target) run(ctx context.Context, b *fence.Box, name string, c fence.Command) (*assurance.Receipt, fence.Result, error) {
	log, err := t.log(name)
	if err != nil {
		return nil, fence.Result{}, fmt.Errorf("log %s of the target: %w", name, err)
	}
	defer log.Close()
	stdout, stderr := sha256.New(), sha256.New()
	c.Log, c.Stdout, c.Stderr = log, stdout, stderr
	r := &assurance.Receipt{Started: time.Now().UTC()}
	result, err := b.Run(ctx, c)
	r.Ended = time.Now().UTC()
	r.End, r.Exit = runner.Ended(&result), max(result.Exit, 0)
	if err != nil && result.End != fence.Interrupted {
		return nil, result, err
	}
	r.Stdout = "sha256:" + hex.EncodeToString(stdout.Sum(nil))
	r.Stderr = "sha256:" + hex.EncodeToString(stderr.Sum(nil))
	r.Output = lastOf(result.Stdout.String()+result.Stderr.String()+result.Note, outputBytes)
	return r, result, err
}

// log opens the full log of a command.
func (t *Target) log(name string) (io.WriteCloser, error) {
	if t.Log == nil {
		return discard{io.Discard}, nil
	}
	return t.Log(name)
}

type discard struct{ io.Writer }

func (discard) Close() error { return nil }

// silent logs nowhere: what a server of Lane's says of its clients interests nobody.
func silent() *log.Logger { return log.New(io.Discard, "", 0) }

// lastOf keeps the end of a text.
func lastOf(s string, most int) string {
	return strings.ToValidUTF8(s[max(0, len(s)-most):], "\ufffd")
}
