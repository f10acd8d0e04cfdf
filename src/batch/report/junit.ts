// `--report junit=<file>`: the records as test cases, in the XML that CI services read. Written case by case.

import type { Runtime } from '../../base/runtime.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { Replacement } from '../../fs/atomic-write.ts';
import { plainColors } from '../../output/color.ts';
import { formatFailure } from '../../output/error-report.ts';
import type { CaseState, ReportCase, ReportTotals, ReportWriter } from './report-case.ts';

/** What XML 1.0 does not allow, escaped or not. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
};

const escaped = (text: string, special: RegExp): string =>
  sanitize(text)
    .replace(FORBIDDEN, '\ufffd')
    .replace(special, (found) => entities[found]!);

/** Text in an element: with the newlines that it has. */
const content = (text: string): string => escaped(text, /[&<>]/g);

/** An attribute with its name: a newline in it is one to every reader. */
const attribute = (name: string, value: string): string =>
  ` ${name}="${escaped(value, /[&<>"\n\t]/g)}"`;

const seconds = (value: number): string => value.toFixed(3);

/** The service or a platform said no; anything else that is bad is an error. */
const refusals: readonly string[] = ['refused', 'not_found', 'ended_badly', 'still_pending'];

/** Writes the cases of one command to a file, as one suite. */
export function junitWriter(command: string, file: Replacement, runtime: Runtime): ReportWriter {
  const classname = command.replaceAll(' ', '.');
  const timestamp = new Date(runtime.now()).toISOString().slice(0, 19);
  const start = (counts: readonly number[], time: number) => {
    const [tests = 0, failures = 0, errors = 0, skipped = 0] = counts;
    const values = {
      name: command,
      tests,
      failures,
      errors,
      skipped,
      time: seconds(time),
      timestamp,
    };
    const all = Object.entries(values).map(([name, value]) => attribute(name, String(value)));
    return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n<testsuite${all.join('')}`;
  };
  // The counts come last and stand first: there is room for all that there can be.
  const most = 10 ** 9;
  const room = start([most, most, most, most], most).length;
  let [tests, failures, errors, skipped] = [0, 0, 0, 0];
  file.add(`${start([], 0).padEnd(room)}>\n`);
  return {
    add(each) {
      const inner = elementOf(each);
      tests++;
      if (inner.startsWith('<failure')) failures++;
      if (inner.startsWith('<error')) errors++;
      if (inner.startsWith('<skipped')) skipped++;
      const { name, seconds: time } = each;
      const head = `${attribute('classname', classname)}${attribute('name', name)} time="${seconds(time)}"`;
      file.add(inner === '' ? `<testcase${head}/>\n` : `<testcase${head}>${inner}</testcase>\n`);
    },
    finish({ seconds: time }: ReportTotals) {
      file.add('</testsuite>\n</testsuites>\n');
      file.setStart(start([tests, failures, errors, skipped], time).padEnd(room));
      file.finish();
    },
  };
}

const skips: Partial<Record<CaseState, string>> = {
  skipped: 'nothing to do',
  'not started': 'not started',
};

/** What a case holds: nothing where all is well. */
function elementOf({ state, failure, errors }: ReportCase): string {
  const skip = skips[state];
  if (skip !== undefined) return `<skipped${attribute('message', skip)}/>`;
  if (failure === undefined) return '';
  const { kind, facts } = failure;
  const tag = state === 'pending' || refusals.includes(kind) ? 'failure' : 'error';
  const report = formatFailure(failure, {
    json: false,
    debug: false,
    tone: plainColors(true),
    redact: (text) => text,
  });
  const lines = [report.trimEnd(), ...errors];
  return `<${tag}${attribute('message', facts.what)}${attribute('type', kind)}>${content(lines.join('\n'))}</${tag}>`;
}
