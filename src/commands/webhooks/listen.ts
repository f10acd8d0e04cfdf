// The run of `webhooks listen`: its flags, its server, and the counts at the end. What becomes of each delivery is in
// `accept-delivery.ts`.

import { Failure, type Fault, usageFailure } from '../../base/errors.ts';
import { toJson } from '../../base/json.ts';
import { isLoopbackHost } from '../../base/url.ts';
import { withPortAdvice } from '../../cli/free-port.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { numberFlag } from '../../config/read-flag.ts';
import { isJsonForm } from '../../config/choices.ts';
import { PORTS } from '../../sandbox/options.ts';
import { startReceiver } from './delivery-server.ts';
import { deliveryUrlFault } from './forward.ts';
import { type IntakeCounts, type IntakeOptions, openIntake } from './accept-delivery.ts';
import { readSigning } from './signature.ts';

/** After a signal, what has arrived gets this long to be answered, and then what is being forwarded. */
const GRACE_MS = 2_000;

/** Listens until a signal comes, and ends with its failure. */
export async function listenForDeliveries(call: LocalCall, argv: readonly string[]): Promise<void> {
  const { runtime, form, settings } = call;
  const given = await readFlags(call);
  const { port, forwardTo } = given;
  const intake = await openIntake(call, given);
  const summary = () => summaryOf(intake.counts, given);
  try {
    const taking = { ...intake, now: runtime.now };
    const receiver = await startReceiver(port, taking).catch((error: unknown) => {
      throw withPortAdvice(error, argv);
    });
    try {
      const { url } = receiver;
      if (forwardTo !== undefined) refuseLoop(forwardTo, url);
      // For a filter there are deliveries alone.
      if (isJsonForm(form) && settings.jq === undefined)
        await runtime.stdout.write(`${toJson({ url })}\n`);
      await runtime.stderr.write(`webhooks: listening on ${url} until Ctrl-C\n`);
      runtime.onQuestion(() => `listening on ${url}: ${summary()}`);
      await intake.ended;
    } finally {
      await receiver.close(GRACE_MS);
    }
  } finally {
    await intake.close(GRACE_MS);
  }
  const { reason } = runtime.signal as { readonly reason: unknown };
  if (!(reason instanceof Failure)) return;
  const what = `stopped: ${summary()}`;
  throw new Failure(reason.kind, { what, details: intake.counts });
}

const some = (count: number, what: string) => (count > 0 ? [`${count} ${what}`] : []);

/** `12 deliveries received, 10 verified, 1 refused` */
function summaryOf(counts: IntakeCounts, { signing, append = 'the file' }: IntakeOptions): string {
  const { received, verified, refused, notStored, forwarded, notForwarded, notPrinted } = counts;
  return [
    `${received} ${received === 1 ? 'delivery' : 'deliveries'} received`,
    ...(signing === undefined ? [] : [`${verified} verified`]),
    ...some(refused, 'refused'),
    ...some(notStored, 'not stored (answered with 503)'),
    ...some(forwarded, 'forwarded'),
    ...some(notForwarded, 'not forwarded'),
    ...some(notPrinted, `not printed, but in ${append}`),
  ].join(', ');
}

/** Throws one `usage` failure with all faults of the flags. */
async function readFlags({ flags, runtime }: LocalCall): Promise<IntakeOptions & { port: number }> {
  const text = (name: string) => (typeof flags[name] === 'string' ? flags[name] : undefined);
  const faults: Fault[] = [];
  const port = numberFlag(flags, '--port', PORTS, faults) ?? 0;
  const append = text('append');
  if (append === '') faults.push({ field: '--append', problem: 'needs a file name' });
  const forwardTo = text('forwardTo');
  const urlFault = forwardTo === undefined ? undefined : deliveryUrlFault(forwardTo);
  if (urlFault !== undefined) faults.push({ field: '--forward-to', problem: urlFault });
  const signing = await readSigning('--verify', flags, runtime, faults);
  const mustVerify = flags['requireVerified'] === true;
  if (mustVerify && text('verify') === undefined)
    faults.push({ field: '--require-verified', problem: 'requires --verify' });
  if (faults.length > 0) throw usageFailure(faults, 'social webhooks listen --help');
  return { port, append, forwardTo, signing, mustVerify };
}

/** A delivery that is forwarded to where it came in would go round for ever. */
function refuseLoop(forwardTo: string, own: string): void {
  const { hostname, port, protocol } = new URL(forwardTo);
  const target = port || (protocol === 'https:' ? '443' : '80');
  if (!isLoopbackHost(hostname) || target !== new URL(own).port) return;
  const problem = `is the address of this receiver, ${own}`;
  throw usageFailure({ field: '--forward-to', problem });
}
