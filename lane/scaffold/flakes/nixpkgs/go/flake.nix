{
  description = "The environment in which Lane runs this project's Go tests";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-26.05";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
      ];
      forAllSystems = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in
    {
      # A plain package, not a shell: the store paths that it needs are all that a test can see.
      packages = forAllSystems (pkgs: {
        lane-env = pkgs.buildEnv {
          name = "lane-env";
          paths = [
            pkgs.go
            pkgs.bash
            pkgs.coreutils
            pkgs.tzdata
          ];
          pathsToLink = [
            "/bin"
            "/share/zoneinfo"
          ];
        };
      });
    };
}
