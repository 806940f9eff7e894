package signing

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/assurance/gate"
	"github.com/vallane/lane/lane/journal"
)

// Options say what is signed, by which key, and where it goes.
type Options struct {
	// Verdict is a verdict.json as `lane check` writes it.
	Verdict string
	// Key is a file of NewKey's.
	Key string
	// Out gets the envelope; "" is Verdict with the ending .intoto.json, or with that of a form, such as .vsa.intoto.json.
	Out string
	// As has something derived from the verdict signed in its place; its zero value is the verdict itself.
	As attest.Derivation
	// Log gets the envelope as a line of its own behind those that it has; "" is no log.
	Log string
}

// Refused says that a verdict is not signed, since it is not what its evidence says.
type Refused struct{ Reason string }

func (r *Refused) Error() string { return "the verdict is not signed: " + r.Reason }

// ExitCode is that of evidence which is not to be trusted.
func (*Refused) ExitCode() int { return int(assurance.ExitDistrust) }

// Sign judges a verdict again and signs it: a red one as well as a green one. It returns the file that holds the envelope. Its error
// is a *Refused where the verdict claims something else than its evidence.
func Sign(o Options) (string, error) {
	data, err := os.ReadFile(o.Verdict)
	if err != nil {
		return "", fmt.Errorf("read verdict: %w", err)
	}
	d, err := gate.Check(gate.Options{AllowUnsigned: true}, data)
	if err != nil {
		return "", err
	}
	for _, s := range d.Steps {
		if s.State == assurance.Failed && (s.Step == gate.StepForm || s.Step == gate.StepEvidence) {
			return "", &Refused{s.Reason}
		}
	}
	if attest.IsEnvelope(data) {
		return "", errors.New("sign verdict: it is signed already")
	}
	key, err := ReadPrivateKey(o.Key)
	if err != nil {
		return "", err
	}
	signed, ending, err := o.sign(data, key)
	if err != nil {
		return "", err
	}
	if o.Out == "" {
		o.Out = strings.TrimSuffix(o.Verdict, ".json") + ending
	}
	signed = append(signed, '\n')
	if err := journal.Replace(o.Out, signed, 0o644); err != nil {
		return "", fmt.Errorf("write the signed verdict: %w", err)
	}
	if o.Log != "" {
		err = appendTo(o.Log, signed)
	}
	return o.Out, err
}

// sign signs the verdict or what is derived from it, and says how the file of that ends.
func (o Options) sign(verdict []byte, key attest.PrivateKey) (signed []byte, ending string, err error) {
	if o.As.Form == "" {
		signed, err = attest.Sign(verdict, key)
		return signed, ".intoto.json", err
	}
	signed, err = attest.Derive(verdict, o.As, key)
	return signed, "." + string(o.As.Form) + ".intoto.json", err
}

// appendTo adds a line to a log, in one write, and waits until it is on disk.
func appendTo(file string, line []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("write the log of signed verdicts: %w", err)
	}
	_, err = f.Write(line)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write the log of signed verdicts %s: %w", filepath.Base(file), err)
	}
	return nil
}
