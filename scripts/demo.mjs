// A demonstration on the embedded sandbox: reads a post that failed on some platforms, retries it, reads it again; then
// one command of each area. Writes only to a temporary folder. npm run demo

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const social = fileURLToPath(new URL('../bin/social.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'social-demo-'));
const env = {
  ...process.env,
  HOME: home,
  USERPROFILE: home,
  SOCIAL_CONFIG_DIR: join(home, 'config'),
  SOCIAL_STATE_DIR: join(home, 'state'),
  SOCIAL_CONTEXT: 'sandbox',
  SOCIAL_OUTPUT: 'table',
};
for (const name of ['SOCIAL_TOKEN', 'SOCIAL_BASE_URL', 'SOCIAL_ACCOUNT']) delete env[name];

/** Runs one command line; an unexpected exit code ends the demo. */
function type(line, expected = 0) {
  console.log(`\n$ social ${line}`);
  const words = line.match(/"[^"]*"|\S+/g).map((word) => word.replaceAll('"', ''));
  const { status } = spawnSync(process.execPath, [social, '--quiet', ...words], {
    env,
    stdio: 'inherit',
  });
  if (status !== expected) throw new Error(`social ${line} ended with ${status}`);
}

function tell(text) {
  console.log(`\n# ${text}`);
}

try {
  tell('The spring launch went out on some platforms and failed on others.');
  type('posts get PostSpringLaunch');
  tell('Retry what failed. The service starts again at once …');
  type('posts retry PostSpringLaunch');
  tell('… and a moment later LinkedIn is published. Mastodon has failed once more.');
  await sleep(3500);
  type('posts get PostSpringLaunch');
  tell('Retry only what is failed now, and wait until it is published.');
  type('posts retry PostSpringLaunch --failed --wait');
  tell('The same for a script: only the fields it needs, as JSON.');
  type('posts get PostSpringLaunch --json --fields status,targets.platform,targets.status');
  tell('Print the request without sending it.');
  type('posts retry PostSpringLaunch --target TargetSpringMast --dry-run');
  tell('A mistake is caught before anything is sent.');
  type('posts retry PostSpringL4unch --target abc', 2);
  tell('One command of each area.');
  type('posts reply PostAutumnRecaps --target TargetAutumnMast --text "Thank you!"');
  type('accounts mastodon favourite 113000000000000001 -a AccountMastodonA');
  type('connect facebook pages -a AccountFacebookA');
  type('discord roles 223344556677889900 -a AccountDiscordAa');
  type('ads audiences delete 23850000000000001 --yes');
  type('credentials disable CredentialSystem --yes');
  type(
    'webhooks create --url https://ops.example.com/hook --event post.failed --event post.partial',
  );
  tell('That was the embedded sandbox; nothing was saved and no network was used.');
} finally {
  rmSync(home, { recursive: true, force: true });
}
