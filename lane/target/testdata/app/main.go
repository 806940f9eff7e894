// Command app is what the tests of package target put up, ask and take down: an honest service that adds two numbers, and the ways in which
// one may cheat.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

const built = "/tmp/built"

func main() {
	switch os.Args[1] {
	case "serve":
		fail(serve(os.Args[2]))
	case "check":
		fail(check(os.Args[2]))
	case "down":
		_, err := get("/down")
		fail(err)
	case "build":
		fail(os.WriteFile(built, []byte("yes"), 0o600))
	case "false":
		os.Exit(1)
	case "true":
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(mode string) error {
	switch mode {
	case "nothing":
		return nil
	case "daemon":
		cmd := exec.Command("/proc/self/exe", "serve", "good")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return cmd.Start()
	case "sleeper":
		time.Sleep(time.Hour)
	case "stubborn":
		cmd := exec.Command("/proc/self/exe", "serve", "sleeper")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			return err
		}
	}
	if _, err := os.Stat(built); mode == "built" && err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:8080")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, r *http.Request) { health(mode, w, r) })
	mux.HandleFunc("/there", func(w http.ResponseWriter, r *http.Request) { health("good", w, r) })
	mux.HandleFunc("/sum", func(w http.ResponseWriter, r *http.Request) {
		if mode == "dies" {
			os.Exit(0)
		}
		var a, b int
		fmt.Sscan(r.FormValue("a")+" "+r.FormValue("b"), &a, &b)
		if mode == "wrong" {
			b++
		}
		fmt.Fprint(w, a+b)
	})
	mux.HandleFunc("/down", func(w http.ResponseWriter, r *http.Request) {
		time.AfterFunc(50*time.Millisecond, func() { os.Exit(0) })
	})
	if mode == "loris" {
		return loris(l)
	}
	return http.Serve(l, mux)
}

func health(mode string, w http.ResponseWriter, r *http.Request) {
	challenge := os.Getenv("LANE_CHALLENGE")
	switch mode {
	case "body":
		fmt.Fprintln(w, challenge)
		return
	case "always-200":
		return
	case "echo": // whatever is asked is said again
		r.Write(w)
		for _, v := range r.Header {
			w.Header().Add("Lane-Challenge", v[0])
		}
		return
	case "stale":
		challenge = strings.Repeat("ab", 16)
	case "twice":
		w.Header().Add("Lane-Challenge", "another")
	case "metadata":
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		return
	case "elsewhere":
		http.Redirect(w, r, "http://127.0.0.1:8081/there", http.StatusFound)
		return
	case "there":
		http.Redirect(w, r, "/there", http.StatusFound)
		return
	case "round":
		http.Redirect(w, r, "/healthz", http.StatusFound)
		return
	case "head":
		w.Header().Set("X-Long", strings.Repeat("a", 1<<20))
	case "endless", "slow":
		w.Header().Set("Lane-Challenge", challenge)
		for r.Context().Err() == nil {
			if mode == "slow" {
				time.Sleep(200 * time.Millisecond)
				w.Write([]byte{'a'})
				w.(http.Flusher).Flush()
			} else if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
		return
	case "sick":
		w.Header().Set("Lane-Challenge", challenge)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Add("Lane-Challenge", challenge)
}

// loris answers a byte at a time and never gets to the end of the head.
func loris(l net.Listener) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			for {
				if _, err := io.WriteString(c, "X: y\r\n"); err != nil {
					return
				}
				time.Sleep(100 * time.Millisecond)
			}
		}()
	}
}

func get(path string) (string, error) {
	client := &http.Client{Timeout: 5 * time.Second}
	resp, err := client.Get(os.Getenv("LANE_TARGET_URL") + path)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

func check(mode string) error {
	switch mode {
	case "yes":
		return nil
	case "no":
		return fmt.Errorf("no")
	case "any-200":
		_, err := get("/sum?a=2&b=3")
		return err
	case "alone":
		for _, to := range strings.Fields("127.0.0.1:8081 127.0.0.1:22 192.0.2.1:80 169.254.169.254:80") {
			if c, err := net.DialTimeout("tcp", to, time.Second); err == nil {
				c.Close()
				return fmt.Errorf("%s answers", to)
			}
		}
		if os.Getenv("LANE_CHALLENGE") != "" {
			return fmt.Errorf("the challenge is in the check's box")
		}
	}
	sum, err := get("/sum?a=2&b=3")
	if err == nil && sum != "5" {
		err = fmt.Errorf("2 and 3 make %q", sum)
	}
	if mode == "hang" && err == nil {
		time.Sleep(time.Hour)
	}
	return err
}
