// Checks of the service in use, the token that goes there, and the keychain. Looks at where a token is and to whom it
// may go; says nothing of the token itself, and runs no program that would print it.

import { constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Runtime } from '../../base/runtime.ts';
import { loginCommand } from '../../config/auth/login-command.ts';
import {
  checkTokenOrigin,
  checkTokenMayGo,
  findToken,
  tokenSources,
} from '../../config/auth/token.ts';
import { SANDBOX } from '../../config/settings.ts';
import { asFailure } from '../../output/error-report.ts';
import { canAccess } from './check-files.ts';
import {
  type Shareable,
  command,
  type Check,
  fail,
  failed,
  ok,
  type DoctorContext,
  warn,
  seen,
  shareable,
} from './finding.ts';

/** Which service calls go to without further flags. */
export const checkService: Check = ({ settings, config }) => {
  const { context, baseUrl, stored } = settings;
  if (context === SANDBOX) return ok(seen`the embedded sandbox`);
  if (baseUrl === undefined) {
    const [first] = Object.keys(config.contexts ?? {});
    return context === undefined && first !== undefined
      ? warn(seen`no current context`, command('social', 'context', 'use', first))
      : warn(
          seen`no service is configured; -C sandbox needs none`,
          loginCommand(context, undefined),
        );
  }
  checkTokenMayGo(baseUrl);
  const mark = shareable(stored?.protected === true ? ', protected' : '');
  return context === undefined
    ? ok(seen`${baseUrl}${mark}`)
    : ok(seen`${baseUrl}, context ${context}${mark}`);
};

/** Which source the token comes from, and that it belongs to the origin in use. */
export const checkTokenSource: Check = async (doctorContext) => {
  const { settings, runtime } = doctorContext;
  const { context, baseUrl, stored } = settings;
  if (context === SANDBOX) return ok(seen`the sandbox creates its own`);
  if (baseUrl === undefined) return [];
  const [source, ...beaten] = tokenSources(stored, runtime);
  const { origin } = new URL(baseUrl);
  const login = loginCommand(context, baseUrl);
  if (source === undefined) return fail(seen`none for ${origin}`, login);
  const others = shareable(
    beaten.length === 0 ? '' : `; takes precedence over ${beaten.join(', ')}`,
  );
  try {
    checkTokenOrigin(source, stored, baseUrl, runtime);
    if (source === 'token-command') return checkTokenCommand(doctorContext, others);
    await findToken(context, stored, baseUrl, runtime);
  } catch (error) {
    const hasOwn = asFailure(error).facts.next !== undefined;
    return failed(error, source === 'file' && !hasOwn ? login : undefined);
  }
  return ok(
    source === 'SOCIAL_TOKEN'
      ? seen`from SOCIAL_TOKEN${others}`
      : seen`from ${shareable(source)}, bound to ${origin}${others}`,
  );
};

function checkTokenCommand({ settings, runtime }: DoctorContext, others: Shareable) {
  const [program = ''] = settings.stored?.tokenCommand ?? [];
  if (isInstalled(program, runtime)) return ok(seen`from the command ${program}, not run${others}`);
  return fail(
    seen`the token command ${program} was not found on this machine`,
    command('social', 'context', 'set', settings.context!, '--token-command', 'pass show social'),
  );
}

function isInstalled(program: string, { env }: Runtime): boolean {
  const folders = isAbsolute(program) ? [''] : (env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => canAccess(join(folder, program), constants.X_OK));
}

/**
 * Whether the keychain still has the tokens that were stored there. Where it holds none nothing is written to find out
 * whether it works: a keychain that is not there may read like an empty one.
 */
export const checkKeychain: Check = async ({ runtime, config }) => {
  const stored = Object.entries(config.contexts ?? {}).flatMap(([name, { tokenIn }]) =>
    tokenIn === 'keychain' ? [name] : [],
  );
  const [first] = stored;
  try {
    const token = await (await runtime.keychain()).read(first ?? 'nobody');
    if (first === undefined) return ok(seen`no token stored; social auth login uses it`);
    if (token !== undefined) return ok(seen`available, stores the token of ${stored.join(', ')}`);
    return fail(seen`the token of ${first} is missing`, loginCommand(first, undefined));
  } catch {
    if (first === undefined) return ok(seen`not available; tokens are stored in a private file`);
    return fail(
      seen`not available, but it stores the token of ${stored.join(', ')}`,
      `${loginCommand(first, undefined)} --insecure-storage`,
    );
  }
};
