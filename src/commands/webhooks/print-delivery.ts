// What `webhooks listen` prints of a delivery: a line for a person, TSV, or the whole record as a line of JSON.

import { toJson } from '../../base/json.ts';
import { excerpt, sanitizeLine } from '../../base/sanitize.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { rawCell } from '../../output/cell.ts';
import { pick, valueAt } from '../../output/columns.ts';
import { colorsFor } from '../../output/stream-colors.ts';
import type { DeliveryRecord } from './delivery.ts';

/** Of a word that came from outside. */
const MOST_CHARACTERS = 60;
const EVENT_WIDTH = 20;
const ID_WIDTH = 16;
const COLUMNS = ['receivedAt', 'event', 'postId'];

/** Returns the function that makes the line of a record, with its end. */
export async function deliveryPrinter({
  form,
  settings,
  runtime,
}: Pick<LocalCall, 'form' | 'settings' | 'runtime'>): Promise<(record: DeliveryRecord) => string> {
  const { fields, utc } = settings;
  if (form === 'json' || form === 'ndjson')
    return (record) => `${toJson(fields.length === 0 ? record : pick(record, fields))}\n`;
  if (form === 'tsv' || fields.length > 0)
    return (record) => {
      const cells = (fields.length === 0 ? COLUMNS : fields).map((path) => valueAt(record, path));
      const all = fields.length === 0 ? [...cells, verdictOf(record)] : cells;
      return `${all.map(rawCell).join('\t')}\n`;
    };
  const { good, bad, signs } = await colorsFor(runtime.stdout, settings, runtime);
  return (record) => {
    const { receivedAt, event, postId, verified } = record;
    const paint = verified === true ? good : bad;
    const verdict = verdictOf(record);
    const sign = verified === true ? signs.good : signs.bad;
    const cells = [
      utc ? receivedAt : localTime(new Date(receivedAt)),
      word(event).padEnd(EVENT_WIDTH),
      word(postId).padEnd(ID_WIDTH),
      ...(verdict === undefined ? [] : [paint(`${sign} ${verdict}`)]),
    ];
    return `${cells.join('  ').trimEnd()}\n`;
  };
}

const word = (text = '-') => excerpt(sanitizeLine(text), MOST_CHARACTERS);

/** Undefined without `--verify`. */
function verdictOf({ verified, reason }: DeliveryRecord): string | undefined {
  if (verified === undefined) return undefined;
  return verified ? 'verified' : `not verified: ${reason!}`;
}

const localTime = (time: Date): string =>
  [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
