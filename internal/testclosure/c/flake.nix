{
  description = "A small C compiler and what scripts call, pinned by content";

  outputs = { self }:
    let
      name = "c";

      # What scripts call, all of it busybox.
      programs = [
        "[" "awk" "basename" "cat" "chmod" "cmp" "cp" "cut" "date" "dd" "diff" "dirname" "echo" "egrep" "env" "expr" "false" "find"
        "grep" "gunzip" "gzip" "head" "hostname" "id" "kill" "ln" "ls" "md5sum" "mkdir" "mktemp" "mv" "nl" "nproc" "od" "paste"
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
            (deb "tcc" "usr/bin/tcc" "libexec/tcc")
            (deb "tcc" "usr/${machine.libs}/tcc" "libexec/lib")
            (deb "libc6" machine.libs machine.libs)
            (deb "libc6-dev" "usr/include" "include")
            (deb "linux-libc-dev" "usr/include" "include")
            (deb "libc-bin" "usr/lib/locale/C.utf8" "lib/locale/C.utf8")
            (deb "busybox-static" "bin/busybox" "bin/busybox")
          ]
          # The rest of what libc6-dev has for the linker leads to absolute paths.
          ++ map (file: deb "libc6-dev" "usr/${machine.libs}/${file}" "${machine.libs}/${file}") [ "crt1.o" "crti.o" "crtn.o" "libc.so" "libc_nonshared.a" ];
          links = {
            # The box's /lib, /lib64 and /usr/lib are these folders: so programs find loader and libraries.
            "${machine.at}/${machine.loader}" = "../${machine.libs}/${machine.loader}";
            "${machine.libs}/libm.so" = "libm.so.6";
          } // builtins.listToAttrs (map (p: { name = "bin/${p}"; value = "busybox"; }) programs);
          files."bin/cc" = ''
            #!/bin/sh
            # The compiler looks for its own files and the headers where this script is.
            root=''${0%/bin/cc}
            exec "$root/libexec/tcc" "-B$root/libexec/lib" "-I$root/include" "-I$root/include/${builtins.baseNameOf machine.libs}" "$@"
          '';
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
