// Words and flags that `social` does not have: what the API lacks is said, what was meant is named, and nothing leads to a change, or shows a value that may be secret.

import { describe, expect, it } from 'vitest';
import { testCli } from '../support/test-cli.ts';

const POST = 'PostSpringLaunch';

/** Returns the error for a line that is refused. */
async function refused(line: string): Promise<string> {
  const { exitCode, stdout, stderr } = await testCli().social(line.split(' '));
  expect({ line, exitCode, stdout }).toEqual({ line, exitCode: 2, stdout: '' });
  return stderr;
}

describe('a verb that the API does not have', () => {
  it.each([
    ['posts list', 'the API cannot list posts; post IDs come from', 'social posts'],
    ['posts ls', 'the API cannot list posts', 'social posts'],
    ['webhooks list', 'IDs of those created here: social history list', 'social webhooks'],
    ['webhooks delete x', '--inactive deactivates it', 'social webhooks'],
    ['accounts list', 'account IDs are in the targets of a post', 'social accounts'],
    ['config get timeout', 'config list shows every value', 'social config'],
    ['list posts', 'the API cannot list posts', 'social posts'],
  ])('%s is answered with the way to do it', async (line, words, group) => {
    const stderr = await refused(line);
    expect(stderr).toContain(words);
    expect(stderr).toContain(`\ntry: ${group} --help\n`);
  });
});

describe('a command typed at the wrong place', () => {
  it.each([
    ['posst -h', 'social posts'],
    ['retry', 'social posts retry'],
    ['login sk-canary', 'social auth login'],
    [`-C gte --jq posts posts gte ${POST} -q`, 'social posts get'],
    ['-h post get', 'social posts get'],
    ['discord pin 1 2', 'social discord pins'],
  ])('%s leads to the help of the right one', async (line, near) => {
    const stderr = await refused(line);
    expect(stderr).toContain(`\n  did you mean ${near}?\n`);
    expect(stderr).toContain(`\ntry: ${near} --help\n`);
  });

  it.each([
    ['login -C prod', 'auth login -C prod'],
    [`-C sandbox retry ${POST} --failed --wait`, `-C sandbox posts retry ${POST} --failed --wait`],
    [
      'mastodon favourite 113 -a AccountMastodonA',
      'accounts mastodon favourite 113 -a AccountMastodonA',
    ],
    [`watch ${POST}`, `posts wait ${POST}`],
    [`posts view ${POST} -q`, `posts get ${POST} -q`],
    ['use-context prod', 'context use prod'],
    [`-C sandbox describe post ${POST} -o wide`, `-C sandbox posts get ${POST} -o wide`],
    ['discord channels', 'accounts discord channels'],
    ['get context prod', 'context show prod'],
    ['auth switch prod', 'context use prod'],
    ['explain posts get', 'schema posts get'],
    [`posts get ${POST} -q .id`, `posts get ${POST} --jq .id`],
    [
      `posts get ${POST} --fields targets.url,id`,
      `posts get ${POST} --fields targets.nativeUrl,id`,
    ],
    [`-C prd posts get ${POST}`, 'context list'],
    ['get channels', 'posts get --help'],
    ['webhooks resend d.ndjson', 'webhooks replay --help'],
    ['exit-codes --help', 'help exit-codes'],
    ['auth login --base-url 127.0.0.1:99/a', 'auth login --base-url http://127.0.0.1:99/a'],
    ['context set x --base-url api.example', 'context set x --base-url https://api.example'],
    [`posts get ${POST} -o yml`, `posts get ${POST} -o json`],
  ])('%s leads to the line that was meant', async (line, meant) => {
    expect(await refused(line)).toContain(`\ntry: social ${meant}\n`);
  });

  it('gets several suggestions when several may be meant', async () => {
    expect(await refused('list')).toContain(
      'did you mean one of: social context list, social config list, social history list?',
    );
  });

  it.each([
    'delete 5 --confirm 5',
    'disable CredentialSystem --yes',
    'discord pins remove 1 2',
    'discord pins delete 1',
    'posts remove x',
    'posts rm x',
    'disable credential x --yes',
    'delete context prod',
    'auth delete x',
  ])('is never corrected to a destructive one of another area: %s', async (line) => {
    const stderr = await refused(line);
    expect(stderr).toContain('is not a command of social');
    expect(stderr).not.toMatch(/audiences|credentials disable|context delete|clear/);
  });

  it.each([
    'login hunter2hunter2',
    'login sk-canary',
    'posts gte token=canary',
    'auth lgin --no-check canary9f3b2',
    'get --base-url https://u:canary@a.example',
    'abcdef0123456789canary',
  ])('is not quoted when it may be a secret: %s', async (line) => {
    const stderr = await refused(line);
    expect(stderr).toMatch(/is not a command of social/);
    expect(stderr).not.toMatch(/canary|hunter2/);
  });

  it('is answered the same before and after --help', async () => {
    expect(await refused('-C sandbox -h bogus')).toBe(await refused('-C sandbox bogus -h'));
    expect(await refused('posts -h bogus')).toContain('"bogus" is not a command of social posts');
    const { social } = testCli();
    for (const words of [
      ['-h', 'posts'],
      ['posts', '-h', 'get'],
      ['-h', '--bogus', 'x'],
    ])
      expect(await social(words)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await refused('help posts gett')).toBe(await refused('posts gett -h'));
  });
});

describe('an unknown flag of a command', () => {
  it('is not answered with a flag that the command lacks too', async () => {
    expect(await refused('posts retry -f x')).toContain('--from <file> reads a list');
    expect(await refused('context list -f x')).not.toContain('--from');
  });

  it.each([
    ['--journal j', 'only a command that changes something takes a journal'],
    ['--retry-unknown', 'a read can be repeated: it has no unknown outcomes'],
    ['--wait', 'to wait for a post, use posts wait <post-id> or posts retry --wait'],
    ['--json id,nope', '--json takes no value; for fields use --fields'],
    ['--web', '--web is an unknown flag of social posts get; posts open'],
    ['--api-key=canary', 'secrets are not accepted on the command line; set SOCIAL_TOKEN'],
    ['--json=status', '--json takes no value; write --json alone'],
    ['--query targets[]', 'to filter the result use --jq'],
    ['-o yaml', 'must be one of: table, wide, json, ndjson, tsv'],
    ['--utc=true', '--utc takes no value; write --utc alone'],
    [
      '--token canary',
      '--token does not exist: secrets are not accepted on the command line; set SOCIAL_TOKEN',
    ],
    ['--secret canary', 'secrets are not accepted on the command line\ntry:'],
  ])('%s is answered with the flag or command for it', async (flags, words) => {
    const stderr = await refused(`posts get ${POST} ${flags}`);
    const said = stderr.startsWith('{')
      ? (JSON.parse(stderr) as { error: { message: string; hint: string } })
      : undefined;
    const text = said === undefined ? stderr : `${said.error.message}; ${said.error.hint}`;
    expect(text.replace(/\n {2}/g, '; ')).toContain(words);
    expect(stderr).not.toContain('canary');
  });

  it('is answered after a group too', async () => {
    expect(await refused('posts --contxt prod')).toContain('did you mean --context?');
    expect(await refused('--token canary')).toMatch(/secrets are not accepted[^]*set SOCIAL_TOKEN/);
    expect(await refused('--token=canary')).not.toContain('canary');
  });

  it.each([
    ['posts get --timeout', '--timeout needs a value; write --timeout <duration>', 'posts get'],
    [
      '-C sandbox accounts mastodon fav -a',
      '--account needs a value; write --account <id>',
      'accounts mastodon',
    ],
    ['sandbox serve --port', '--port needs a value; write --port <n>', 'sandbox serve'],
    ['-o', '--output needs a value; write --output <format>', ''],
    ['help --bogus', '--bogus is an unknown flag of social help', 'help'],
    ['posts -x', '-x is an unknown flag of social posts', 'posts'],
    [
      `config set retries -1`,
      '-1 is an unknown flag of social config set; put -- before a value that starts with -',
      'config set',
    ],
    [
      `posts get -5`,
      '-5 is an unknown flag of social posts get; put -- before an ID that starts with -',
      'posts get',
    ],
    ['history list -n 5', 'unexpected "5"; for a limit use --limit 5', 'history list'],
    [
      '-C sandbox connect reddit flairs typescript',
      'unexpected "typescript"; did you mean --subreddit typescript?',
      'connect reddit flairs',
    ],
    ['doctor now', 'social doctor accepts no arguments, got 1: unexpected "now"', 'doctor'],
    [
      'config set utc true x y',
      'social config set accepts 2 arguments, got 4: unexpected "x", "y"',
      'config set',
    ],
    ['api', 'path is required', 'api'],
    [
      'api FETCH /v1/x',
      'method must be one of: GET, HEAD, POST, PUT, PATCH, DELETE; got "FETCH"',
      'api',
    ],
    [
      'sandbox serve --port x',
      '--port must be a whole number from 0 to 65535, got "x"',
      'sandbox serve',
    ],
  ])('a line that the parser rejects is answered like any other: %s', async (line, words, path) => {
    const stderr = await refused(line);
    expect(stderr.replaceAll(/\n {2}/g, '; ')).toContain(words);
    expect(stderr).not.toMatch(/command line|unknown option/);
    expect(stderr).toContain(`\ntry: ${['social', path, '--help'].filter(Boolean).join(' ')}\n`);
  });
});

describe('“did you mean”', () => {
  it.each<readonly string[]>([
    ['post get x', 'social posts get', 'social posts get x'],
    ['posts gte x', 'social posts get', 'social posts get x'],
    ['audiences delete x', 'social ads audiences', 'social ads audiences --help'],
    ['credentials disabel x', 'social credentials disable', 'social credentials disable --help'],
    [
      'accounts mastodon favorit 1',
      'social accounts mastodon favorite',
      'social accounts mastodon favorite --help',
    ],
    ['posts retry PostSpringLaunch --targt x', '--target'],
    ['posts get PostSpringLaunch --hlep', '--help'],
    ['--versio', '--version', 'social --help'],
    ['posts --jsn', '--json', 'social posts --help'],
    ['posts get PostSpringLaunch -o jsno', 'json'],
    ['posts get PostSpringLaunch --color=alway', 'always'],
    [
      'posts get PostSpringLaunch --fields id,statsu -C sandbox',
      'status',
      'social posts get PostSpringLaunch --fields id,status -C sandbox',
    ],
    ['webhooks create --url https://h.example --event post.faild', 'post.failed'],
    ['webhooks create --url https://h.example --enabled-events post.failed', '--event'],
    ['webhooks replay d.ndjson', '--from d.ndjson'],
    ['webhooks update WebhookAlertsOps --event post.failed,ad.creatd', 'ad.created'],
    ['help posts gte', 'social posts get', 'social posts get --help'],
    ['completion bsh', 'bash', 'social completion bash'],
    ['config set timeot 1m', 'timeout', 'social config set timeout 1m'],
    ['context delete sandbx', 'sandbox', 'social context delete --help'],
    [
      'context set p -a mastadon=AccountMastodonA',
      'mastodon',
      'social context set p -a mastodon=AccountMastodonA',
    ],
    ['context show sandbx', 'sandbox', 'social context show sandbox'],
    [
      'posts get PostSpringLaunch --context=sanbox',
      'sandbox',
      'social posts get PostSpringLaunch --context=sandbox',
    ],
    ['schema posts rety', 'posts retry', 'social schema'],
  ])('%s', async (line = '', near = '', next?: string) => {
    const { exitCode, stdout, stderr } = await testCli().social(line.split(' '));
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`did you mean ${near}?`);
    expect(stderr).toContain(next === undefined ? '' : `try: ${next}\n`);
  });

  it.each([
    'posts get PostSpringLaunch --web',
    'posts get PostSpringLaunch --yess',
    'ads audiences delete 1 --ye',
    'ads audiences delete 1 --confrm 1',
    'posts retry --from ids --journal j --retry-unknwn',
    'mcp serve --allow-write',
    'auth login --no-chek',
    'context set prod --no-protecte',
    'posts retry PostSpringLaunch --force',
  ])('never suggests a flag that confirms or deletes: %s', async (line) => {
    const { exitCode, stderr } = await testCli().social(line.split(' '));
    expect(exitCode).toBe(2);
    expect(stderr).not.toMatch(
      /mean --(?:yes|confirm|retry-unknown|clear-\w+|allow-writes|no-check|insecure-storage|no-protected|for\b)/,
    );
  });

  it('suggests no other flag when one of those was meant', async () => {
    const { stderr } = await testCli().social('posts get PostSpringLaunch --confrm x'.split(' '));
    expect(stderr).toContain('--confrm is an unknown flag of social posts get\ntry: ');
  });

  it('stays silent when nothing is similar, and never repeats a value', async () => {
    const { social } = testCli();
    const far = await social('posts get PostSpringLaunch -o qqqqqqqq'.split(' '));
    expect(far.stderr).not.toContain('did you mean');
    const secret = await social('posts get PostSpringLaunch --jsonn=hunter2'.split(' '));
    expect(secret.stderr).toContain('did you mean --json?');
    expect(secret.stderr).not.toContain('hunter2');
  });

  it('keeps the list of words out of the details of an error object', async () => {
    const { stderr } = await testCli().social(
      'posts get PostSpringLaunch -o jsno --json'.split(' '),
    );
    const { error } = JSON.parse(stderr) as { error: { details: object[] } };
    expect(error.details.map((each) => Object.keys(each))).toEqual([['field', 'problem', 'fix']]);
    const line = 'posts get PostSpringLaunch --bogus --json';
    expect((await testCli().social(line.split(' '))).stderr).toContain(
      '"details":[{"field":"--bogus","problem":"is an unknown flag of social posts get"}]',
    );
  });
});
