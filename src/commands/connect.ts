// The hooks of `connect`: `facebook pages --require-ready` fails unless the account can publish, and
// `telegram …` on a terminal offers to keep watching a pending pairing, and says when it is paired.

import { relativeTime } from '../base/durations.ts';
import { Failure } from '../base/errors.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import { labelledLine, socialLine } from '../base/shell.ts';
import type { Extras } from '../cli/specs-of-operation.ts';
import type { Session, CallOutcome, CommandHooks } from '../client/session.ts';
import { valueAt } from '../output/table-view.ts';
import { clockOf, formOf, noteDone } from '../output/write-result.ts';
import { promptsFor } from '../prompts/confirm.ts';

const requireReadyPages: CommandHooks = {
  async after({ data }, _input, { flags }) {
    if (flags['requireReady'] !== true || valueAt(data, 'readiness.ready') === true) return;
    const status = valueAt(data, 'readiness.status');
    throw new Failure('ended_badly', {
      what: `the account is not ready to publish${typeof status === 'string' ? ` (${status})` : ''}`,
      sent: true,
    });
  },
};

const pairingHooks: CommandHooks = {
  async offerWait(result, session) {
    const { state, standing, hint } = verdictOn(result, session);
    if (!isForPeople(session) || state !== 'pending') return false;
    const ask = await promptsFor(session.settings, session.runtime);
    // A hint says that the status may be an end.
    const question = `Not connected yet: ${sanitizeLine(standing)}. Keep watching?`;
    return (await ask?.confirm(question, hint === undefined)) === true;
  },

  adviseAfterWait(last, _bad, _input, session) {
    return { what: endOf(last, session), hint: anew(session).join('\n') };
  },

  async after(result, _input, session) {
    if (session.isBatch === true) return;
    const { state, remarks = [] } = verdictOn(result, session);
    // The status of an expired pairing may still be pending.
    const notes = state === 'ended_badly' ? [endOf(result, session)] : remarks;
    if (notes.length > 0)
      [...notes, ...anew(session)].forEach((line) => session.runtime.note(line));
    if (state === 'done' && isForPeople(session)) notePaired(result, session);
  },
};

/** Says when a pairing has ended: for a person by the clock on the wall. */
function endOf(last: CallOutcome, session: Session): string {
  const { operation, settings, runtime } = session;
  const at = operation.wait!.endsAt?.(last.data);
  if (at === undefined || settings.utc || !isForPeople(session))
    return verdictOn(last, session).standing;
  const ago = relativeTime(Math.min(0, at - clockOf(runtime, last.serverTime))).replace(
    'now',
    'just now',
  );
  return `${nounOf(operation)} expired ${ago} (${new Date(at).toTimeString().slice(0, 5)})`;
}

/** Says what helps after the end. The line has a gap: its ID is not made yet. */
function anew(session: Session): readonly string[] {
  const { operation } = session;
  const noun = nounOf(operation);
  const ids = [{ gap: noun === 'session' ? '<session-id>' : '<code>' }];
  const again = { words: operation.command.split(' '), ids, flags: ['--wait'] };
  const line = labelledLine('then run', socialLine(again, session));
  return [`make a new ${noun} in the service; nothing is lost`, line];
}

const nounOf = ({ command }: Session['operation']): string =>
  command.endsWith('session') ? 'session' : 'access code';

const isForPeople = ({ settings, runtime }: Session): boolean =>
  formOf(settings, runtime.stdout) === 'table';

/** Judges a pairing as a wait does; both operations with these hooks have one. */
function verdictOn({ data, serverTime }: CallOutcome, { operation, runtime }: Session) {
  const now = clockOf(runtime, serverTime);
  return operation.wait!.judge(data, {}, { elapsedMs: 0, now });
}

function notePaired({ data }: CallOutcome, { runtime, settings }: Session): void {
  const [name, id] = ['displayName', 'accountId'].map((key) => valueAt(data, `account.${key}`));
  // It is paired, so it has an account with an ID.
  const account = typeof name === 'string' && name !== '' ? `${name} (${String(id)})` : String(id);
  noteDone(`Connected: ${account}`, settings, runtime);
}

const pairing = { hooks: async () => pairingHooks };

/** The hooks of operations, by command. */
export const extras: Extras = {
  'connect facebook pages': {
    flags: [
      {
        flags: '--require-ready',
        description: 'Fail (exit 10) unless the account is ready to publish',
      },
    ],
    hooks: async () => requireReadyPages,
  },
  'connect telegram access-code': pairing,
  'connect telegram session': pairing,
};
