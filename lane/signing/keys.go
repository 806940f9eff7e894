package signing

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vallane/lane/assurance/attest"
)

// largestKey bounds a key file, in bytes.
const largestKey = 64 << 10

// NewKey writes a new private key to file, with mode 0600, and the public one beside it as file.pub. It replaces neither.
func NewKey(file string) (attest.PublicKey, error) {
	key, err := attest.NewKey()
	if err != nil {
		return attest.PublicKey{}, fmt.Errorf("make key: %w", err)
	}
	private, err := key.PEM()
	if err != nil {
		return attest.PublicKey{}, fmt.Errorf("make key: %w", err)
	}
	public, err := key.Public().PEM()
	if err != nil {
		return attest.PublicKey{}, fmt.Errorf("make key: %w", err)
	}
	if err := WriteKey(file, private, public); err != nil {
		return attest.PublicKey{}, err
	}
	return key.Public(), nil
}

// WriteKey writes a private key to file, with mode 0600, and the public one beside it as file.pub. It replaces neither.
func WriteKey(file string, private, public []byte) error {
	if err := writeNew(file+".pub", public, 0o644); err != nil {
		return err
	}
	if err := writeNew(file, private, 0o600); err != nil {
		return errors.Join(err, os.Remove(file+".pub"))
	}
	return nil
}

func writeNew(file string, data []byte, perm fs.FileMode) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write key: %s exists, and a key is never replaced; choose another name", file)
	}
	if err != nil {
		return fmt.Errorf("write key: %w", err)
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(fmt.Errorf("write key: %w", err), os.Remove(file))
	}
	return nil
}

// ReadKey reads the file of a private key, which nobody but its owner may be able to read.
func ReadKey(file string) ([]byte, error) {
	st, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read key: %w", err)
	case !st.Mode().IsRegular() || st.Size() > largestKey:
		return nil, fmt.Errorf("read key %s: it is no key file", file)
	case st.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("read key %s: others than its owner may read it (mode %04o); run chmod 600 on it, and make a new one if somebody may have", file, st.Mode().Perm())
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	return data, nil
}

// ReadPrivateKey reads a key that signs verdicts or contracts, as ReadKey does.
func ReadPrivateKey(file string) (attest.PrivateKey, error) {
	data, err := ReadKey(file)
	if err != nil {
		return attest.PrivateKey{}, err
	}
	key, err := attest.ParsePrivateKey(data)
	if err != nil {
		return attest.PrivateKey{}, fmt.Errorf("read key %s: %w", file, err)
	}
	return key, nil
}

// ReadTrust reads a trust.toml and the public keys that it names, which lie relative to it. files holds what was read, by its path.
func ReadTrust(file string) (t *attest.Trust, files map[string][]byte, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, fmt.Errorf("read whose signatures count: %w", err)
	}
	files = map[string][]byte{file: data}
	t, err = attest.ParseTrust(data, func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(file), name)
		}
		st, err := os.Stat(name)
		if err == nil && (!st.Mode().IsRegular() || st.Size() > largestKey) {
			err = fmt.Errorf("%s is no key file", name)
		}
		if err != nil {
			return nil, err
		}
		files[name], err = os.ReadFile(name)
		return files[name], err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", file, err)
	}
	return t, files, nil
}
