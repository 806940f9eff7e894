{
  description = "memcached and what scripts call, pinned by content";

  outputs = { self }:
    let
      name = "memcached";

      # What scripts call, all of it busybox.
      programs = [
        "[" "awk" "basename" "cat" "chmod" "cmp" "cp" "cut" "date" "dd" "diff" "dirname" "echo" "egrep" "env" "expr" "false" "find"
        "grep" "gunzip" "gzip" "head" "hostname" "id" "kill" "ln" "ls" "md5sum" "mkdir" "mktemp" "mv" "nc" "nl" "nproc" "od" "paste"
        "patch" "printenv" "printf" "ps" "pwd" "readlink" "realpath" "rm" "rmdir" "sed" "seq" "sh" "sha256sum" "sleep" "sort"
        "stat" "tac" "tail" "tar" "tee" "test" "timeout" "touch" "tr" "true" "uname" "uniq" "wc" "which" "whoami" "xargs" "yes"
      ];

      machines = {
        x86_64-linux = { libs = "lib/x86_64-linux-gnu"; loader = "ld-linux-x86-64.so.2"; at = "lib64"; };
        aarch64-linux = { libs = "lib/aarch64-linux-gnu"; loader = "ld-linux-aarch64.so.1"; at = "lib"; };
      };
      each = f: builtins.mapAttrs f machines;

      pins = if builtins.pathExists ./debian.json then builtins.fromJSON (builtins.readFile ./debian.json) else { };
      pinned = system: ((pins.${system} or { }).${name} or { narHash = ""; debs = { }; });

      source = system: machine:
        let
          pin = pinned system;
          deb = name: from: to: { inherit from to; deb = if pin.debs ? ${name} then "${name}=${pin.debs.${name}}" else name; };
        in
        {
          inherit name;
          inherit (pin) narHash;
          pins = "debian.json";
          parts = [
            (deb "memcached" "usr/bin/memcached" "bin/memcached")
            (deb "busybox-static" "bin/busybox" "bin/busybox")
            (deb "libc6" machine.libs machine.libs)
            (deb "libevent-2.1-7" "usr/${machine.libs}/libevent-2.1.so.7" "${machine.libs}/libevent-2.1.so.7")
            (deb "libevent-2.1-7" "usr/${machine.libs}/libevent-2.1.so.7.0.1" "${machine.libs}/libevent-2.1.so.7.0.1")
            (deb "libsasl2-2" "usr/${machine.libs}/libsasl2.so.2" "${machine.libs}/libsasl2.so.2")
            (deb "libsasl2-2" "usr/${machine.libs}/libsasl2.so.2.0.25" "${machine.libs}/libsasl2.so.2.0.25")
            (deb "libssl3" "usr/${machine.libs}/libssl.so.3" "${machine.libs}/libssl.so.3")
            (deb "libssl3" "usr/${machine.libs}/libcrypto.so.3" "${machine.libs}/libcrypto.so.3")
          ];
          links = {
            # The box's /lib, /lib64 and /usr/lib are these folders: so programs find loader and libraries.
            "${machine.at}/${machine.loader}" = "../${machine.libs}/${machine.loader}";
          } // builtins.listToAttrs (map (p: { name = "bin/${p}"; value = "busybox"; }) programs);
        };

      # The output's name follows from its hash: a store that holds it never runs the builder.
      env = system: derivation {
        inherit name system;
        builder = "/run/lane-warm-first";
        outputHashMode = "recursive";
        outputHash = (pinned system).narHash;
      };
    in
    {
      packages = each (system: _: rec { lane-env = env system; default = lane-env; });

      # What `lane warm` fetches with the clients of this machine, lays together, checks and adds.
      laneSources = each (system: machine: [ (source system machine) ]);
    };
}
