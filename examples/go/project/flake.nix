{
  description = "The tools that this project's tests run with: Go, pinned by content";

  outputs = { self }:
    let
      version = "1.26.8";

      # A Go toolchain is static, so it is a whole environment by itself. The NAR hash is of
      # the folder that the go command downloads, with the run bits that it sets.
      toolchains = {
        x86_64-linux = { module = "linux-amd64"; narHash = "sha256-2K2SbG1izp0sk1F0iFm06B9yjumIe1+Ds7UNH1wX00M="; };
        aarch64-linux = { module = "linux-arm64"; narHash = "sha256-eG66KhKioYkbZsn1OEmwoynU10zUiFr+rdwebZB1lx8="; };
      };

      each = f: builtins.mapAttrs f toolchains;

      # The output's name follows from its hash: a store that holds it never runs the builder.
      go = system: t: derivation {
        name = "go-${version}";
        inherit system;
        builder = "/run/lane-warm-first";
        outputHashMode = "recursive";
        outputHash = t.narHash;
      };
    in
    {
      packages = each (system: t: rec { lane-env = go system t; default = lane-env; });

      # What `lane warm` fetches with the go command of this machine, checks and adds.
      laneSources = each (system: t: [
        {
          name = "go-${version}";
          inherit (t) narHash;
          goModule = "golang.org/toolchain@v0.0.1-go${version}.${t.module}";
        }
      ]);
    };
}
