// The service in use, the token that goes there, and the keychain. Looks at where a token is and to whom it may go;
// says nothing of the token itself, and runs no program that would print it.

import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Runtime } from '../../base/runtime.ts';
import {
  checkTokenOrigin,
  checkTokenMayGo,
  findToken,
  tokenSources,
} from '../../config/auth/token.ts';
import { SANDBOX } from '../../config/settings.ts';
import { command, type Check, fail, checkFailed, ok, type DoctorContext, warn } from './finding.ts';

/** Which service calls go to without further flags. */
export const checkService: Check = ({ settings, config }) => {
  const { context, baseUrl, stored } = settings;
  if (context === SANDBOX) return [ok('service', 'the embedded sandbox')];
  if (baseUrl === undefined) {
    const named = Object.keys(config.contexts ?? {});
    const [first] = named;
    return context === undefined && first !== undefined
      ? [warn('service', 'no context is in use', command('social', 'context', 'use', first))]
      : [warn('service', 'none is configured; -C sandbox needs none', login(context))];
  }
  const where = context === undefined ? '' : `, context ${context}`;
  const guard = stored?.protected === true ? ', protected' : '';
  try {
    checkTokenMayGo(baseUrl);
  } catch (error) {
    return [checkFailed('service', error)];
  }
  return [ok('service', `${baseUrl}${where}${guard}`)];
};

const login = (context: string | undefined, baseUrl?: string): string =>
  command(
    'social',
    'auth',
    'login',
    ...(context === undefined ? [] : ['-C', context]),
    ...(context === undefined && baseUrl !== undefined ? ['--base-url', baseUrl] : []),
  );

/** Where the token comes from that counts, and that it belongs to the origin in use. */
export const checkTokenSource: Check = async (patient) => {
  const { settings, runtime } = patient;
  const { context, baseUrl, stored } = settings;
  if (context === SANDBOX) return [ok('token', 'the sandbox makes its own')];
  if (baseUrl === undefined) return [];
  const [source, ...beaten] = tokenSources(stored, runtime);
  const { origin } = new URL(baseUrl);
  if (source === undefined) return [fail('token', `none for ${origin}`, login(context, baseUrl))];
  const others = beaten.length === 0 ? '' : `; counts before ${beaten.join(', ')}`;
  try {
    checkTokenOrigin(source, stored, origin, runtime);
    if (source === 'token-command') return [tokenCommand(patient, others)];
    await findToken(context, stored, origin, runtime);
  } catch (error) {
    return [checkFailed('token', error, source === 'file' ? login(context, baseUrl) : undefined)];
  }
  const bound = source === 'SOCIAL_TOKEN' ? '' : `, bound to ${origin}`;
  return [ok('token', `from ${source}${bound}${others}`)];
};

function tokenCommand({ settings, runtime }: DoctorContext, others: string) {
  const [program = ''] = settings.stored?.tokenCommand ?? [];
  if (isThere(program, runtime))
    return ok('token', `from the command ${program}, not run${others}`);
  return fail(
    'token',
    `the token command ${program} is not on this machine`,
    command('social', 'context', 'set', settings.context!, '--token-command', 'pass show social'),
  );
}

function isThere(program: string, { env }: Runtime): boolean {
  const folders = isAbsolute(program) ? [''] : (env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Whether the keychain gives the tokens that it was given. Where it holds none nothing is put into it to find out: one
 * that is not there may read like an empty one.
 */
export const checkKeychain: Check = async ({ runtime, config }) => {
  const holders = Object.entries(config.contexts ?? {}).flatMap(([name, { tokenIn }]) =>
    tokenIn === 'keychain' ? [name] : [],
  );
  const [first] = holders;
  try {
    const held = await (await runtime.keychain()).read(first ?? 'nobody');
    if (first === undefined) return [ok('keychain', 'holds nothing of ours; auth login tries it')];
    if (held !== undefined) return [ok('keychain', `answers, holds ${holders.join(', ')}`)];
    return [fail('keychain', `it holds no token of ${first} any more`, login(first))];
  } catch {
    if (first === undefined) return [ok('keychain', 'none answers; tokens go to a private file')];
    const what = `it does not answer, and holds the token of ${holders.join(', ')}`;
    return [fail('keychain', what, `${login(first)} --insecure-storage`)];
  }
};
