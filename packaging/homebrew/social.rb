# Formula for Homebrew: a template. PLACEHOLDER marks what to fill in for each release, see docs/package.md.
class Social < Formula
  desc "Command-line for the operators of a social publishing service"
  homepage "https://github.com/social-cli/social"
  url "https://registry.npmjs.org/PLACEHOLDER/-/social-0.1.0.tgz"
  sha256 "PLACEHOLDER: shasum -a 256 social-0.1.0.tgz"
  license "MIT"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink Dir["#{libexec}/bin/*"]
    bash_completion.install "completions/social.bash" => "social"
    zsh_completion.install "completions/_social"
    fish_completion.install "completions/social.fish"
    man1.install Dir["man/*.1"]
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/social --version").strip
    assert_match "PostSpringLaunch", shell_output("#{bin}/social -q -C sandbox posts get PostSpringLaunch --json")
    assert_match "must be exactly 16 letters", shell_output("#{bin}/social posts get x 2>&1", 2)
  end
end
