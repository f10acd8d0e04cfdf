# Formula for Homebrew: a template; scripts/release-files.mjs fills in what stands between two @.
class Social < Formula
  desc "Command-line for the operators of a social publishing service"
  homepage "@HOMEPAGE@"
  url "@RELEASE@/@PACKAGE@"
  sha256 "@PACKAGE_SHA256@"
  license "MIT"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    bash_completion.install "completions/social.bash" => "social"
    zsh_completion.install "completions/_social"
    fish_completion.install "completions/social.fish"
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/social --version").strip
    assert_match "PostSpringLaunch", shell_output("#{bin}/social -q -C sandbox posts get PostSpringLaunch --json")
    assert_match "must be exactly 16 letters", shell_output("#{bin}/social posts get x 2>&1", 2)
  end
end
