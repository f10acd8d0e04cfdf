// `posts open`: shows the published post of one target in the browser. Without a browser (a pipe, SSH, no display) it prints
// the address.

import { get, reply } from '../../api/operations/posts.ts';
import type { Operation } from '../../api/operations/define-operation.ts';
import { fieldsOf } from '../../api/operations/fields.ts';
import { Platform } from '../../api/schema/platforms.ts';
import { targetsOf, type TargetState } from '../../api/schema/post.ts';
import { Failure, ifPossible } from '../../base/errors.ts';
import type { Fault } from '../../base/fault.ts';
import type { Runtime } from '../../base/runtime.ts';
import { quote, sanitizeLine } from '../../base/sanitize.ts';
import { flagWords, socialLine } from '../../base/shell.ts';
import type { Invocation, CommandSpec } from '../../cli/command-spec.ts';
import { refuseFaults } from '../../cli/run-command.ts';
import { callOperation } from '../../client/call-operation.ts';
import { type Client, withClient } from '../../client/open-client.ts';
import { oneOf } from '../../config/flag-types.ts';
import { isJsonForm } from '../../config/flags.ts';
import { validateField } from '../../input/validate-input.ts';
import { printLine, printValue } from '../../output/write-result.ts';

export const openCommand: CommandSpec = {
  words: ['posts', 'open'],
  summary: 'Open a published post in the browser',
  details: 'Prints the address where there is no browser: in a pipe, over SSH, without a display.',
  operands: [{ name: 'post-id', description: 'Post ID', id: 'post' }],
  flags: [
    { flags: '--target <id>', description: 'The post of this target', once: true, id: 'target' },
    {
      flags: '--platform <platform>',
      description: 'The post on this platform',
      type: oneOf(Platform.options),
    },
  ],
  example: 'social posts open PostAutumnRecaps --platform mastodon',
  collectsFaults: true,
  run: openPost,
};

async function openPost(call: Invocation): Promise<void> {
  const { operands, runtime, form } = call;
  const { target, platform } = call.flags as {
    readonly target?: string;
    readonly platform?: string;
  };
  const [postId] = operands;
  refuseFaults(call, faultsOf(postId, target));
  await withClient(call, runtime, async (client) => {
    const { data } = await callOperation(client, get, { postId });
    const all = targetsOf(data);
    const wanted = all.filter(
      ({ id, platform: on }) => (target ?? id) === id && (platform ?? on) === on,
    );
    const { id, platform: on, url } = theOnly(wanted, all, postId!, client);
    if (isJsonForm(form)) return printValue(call, [], { postId, targetId: id, platform: on, url });
    if (!hasBrowser(runtime) || runtime.browse === undefined) return printLine(call, url);
    await runtime.browse(url);
    runtime.note(`opened ${sanitizeLine(url)}`);
  });
}

const problemOf = (operation: Operation, name: string, value: string) =>
  validateField(
    operation,
    fieldsOf(operation).find((field) => field.name === name)!,
    value,
  );

function faultsOf(postId: string | undefined, target: string | undefined): readonly Fault[] {
  const ofPost = postId === undefined ? 'is required' : problemOf(get, 'postId', postId);
  const ofTarget = target === undefined ? undefined : problemOf(reply, 'targetId', target);
  return [
    { field: 'post ID', problem: ofPost },
    { field: '--target', problem: ofTarget },
  ].flatMap(({ field, problem }) => (problem === undefined ? [] : [{ field, problem }]));
}

/** Returns the address of a target on its platform. Only one of the web is opened: it is a text of the service. */
function published(target: TargetState) {
  const { nativeUrl } = target as { readonly nativeUrl?: unknown };
  const url = typeof nativeUrl === 'string' ? ifPossible(() => new URL(nativeUrl)) : undefined;
  const isOfWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return isOfWeb ? [{ id: target.id, platform: target.platform, url: url.href }] : [];
}

function theOnly(
  wanted: readonly TargetState[],
  all: readonly TargetState[],
  postId: string,
  client: Client,
) {
  const found = wanted.flatMap(published);
  const [first, second] = found;
  if (first === undefined) {
    const isOther = wanted.length === 0 && all.length > 0;
    const seen = isOther ? all : wanted;
    throw new Failure('not_found', {
      what: isOther ? 'the post has no such target' : 'the post has no address on a platform yet',
      why: seen.map(({ id, platform, status }) => `${platform} ${id} is ${status}`),
      next: socialLine({ words: ['posts', 'get'], ids: [postId] }, client),
      sent: true,
      retryable: false,
    });
  }
  if (second === undefined) return first;
  throw new Failure('usage', {
    what: 'the post is on several platforms; choose one with --platform or --target',
    why: found.map(({ id, platform, url }) => `${platform} ${id} ${quote(url)}`),
    next: socialLine(
      { words: ['posts', 'open'], ids: [postId], flags: flagWords('--target', first.id) },
      client,
    ),
    sent: true,
    retryable: false,
  });
}

/** True on a screen where a browser can open. */
function hasBrowser({ stdout, env, program }: Runtime): boolean {
  if (!stdout.isTTY || env['SSH_CONNECTION'] || env['SSH_TTY']) return false;
  const isPlain = program.platform !== 'win32' && program.platform !== 'darwin';
  return !isPlain || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['WSL_DISTRO_NAME']);
}
