{
  description = "The environments of warmup/flake.nix without nixpkgs and without Rust, out of those of the examples";

  # Each part is the flake of an example, laid beside this one.
  outputs = { self }:
    let
      parts = {
        go = import ./go/flake.nix;
        node = import ./node/flake.nix;
        python = import ./python/flake.nix;
        shell = import ./shell/flake.nix;
      };
      made = builtins.mapAttrs (_: part: part.outputs { self = { }; }) parts;
      systems = [ "x86_64-linux" "aarch64-linux" ];
      each = f: builtins.listToAttrs (map (name: { inherit name; value = f name; }) systems);
    in
    {
      packages = each (system: builtins.mapAttrs (_: part: part.packages.${system}.lane-env) made);
      laneSources = each (system: builtins.concatLists (map (part: part.laneSources.${system}) (builtins.attrValues made)));
    };
}
