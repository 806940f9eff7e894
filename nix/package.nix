{
  lib,
  buildGo126Module,
  commit ? "unknown",
}:

let
  version = lib.fileContents ../VERSION;
  root = ../.;
in
buildGo126Module {
  pname = "lane";
  inherit version;

  # The list is data because `go run ./nix/vendorhash` must vendor for exactly these files.
  src = lib.fileset.toSource {
    inherit root;
    fileset = lib.fileset.unions (
      map (name: lib.fileset.maybeMissing (root + "/${name}")) (lib.importJSON ./source.json)
    );
  };

  inherit (lib.importJSON ./hashes.json) vendorHash;

  subPackages = [ "cmd/lane" ];
  env.CGO_ENABLED = "0";
  ldflags = [
    "-X main.version=${version}"
    "-X main.commit=${commit}"
  ];

  # The suite needs namespaces and a Nix of its own: neither exists in Nix's sandbox.
  doCheck = false;

  meta = {
    description = "Verify a change that someone else wrote, and say how much the answer is worth";
    homepage = "https://github.com/vallane/lane";
    license = lib.licenses.asl20;
    mainProgram = "lane";
    platforms = lib.platforms.unix;
  };
}
