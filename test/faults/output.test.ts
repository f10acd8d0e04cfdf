// Hostile text on its way to a terminal, a log and a pipe: it changes no line but its own, and links nowhere.

import { describe, expect, it } from 'vitest';
import { CANARY } from '../support/canary.ts';
import { social } from '../support/program.ts';
import { recorder, refusal, success } from '../support/recorder.ts';
import { atTerminal } from '../support/terminal.ts';

const get = ['posts', 'get', 'PostSpringLaunch'];
const envAt = (url: string) => ({ SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY });
const evil =
  '\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007\r\n> POST /forged\nerror: forged\u009b31m\u202e';
const inJson = JSON.stringify(evil).slice(1, -1);

const target = (status: string) =>
  `{"id":"TargetSpringLink","platform":"linkedin","status":"${status}","error":"${inJson}","updatedAt":"2026-03-02T12:00:00Z","nativeUrl":"https://evil.example/${inJson}"}`;
const post = (status: string) =>
  success(
    `{"id":"PostSpringLaunch","title":"${inJson}","status":"${status}","targets":[${target(status)}]}`,
  );

describe('text of the service', () => {
  it('forges no line of an error, of --debug or of a batch [O16]', async () => {
    const { body } = refusal(400, inJson, evil);
    const service = await recorder({ status: 400, body: body!, headers: { 'x-note': 'a' } });
    for (const flags of [[], ['--debug'], ['PostAutumnRecaps']]) {
      const { exitCode, stderr } = await social([...get, ...flags], { env: envAt(service.url) });
      expect([6, 11]).toContain(exitCode);
      expect(stderr).toContain('forged');
      for (const line of stderr.split('\n')) expect(line).not.toMatch(/^(?:> POST|error: forged)/);
      expect(stderr).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
    }
  });

  it('is no link on a terminal, and moves nothing there [O17]', async () => {
    const service = await recorder(post('failed'));
    const terminal = atTerminal(get, { env: envAt(service.url) });
    expect((await terminal.ended()).exitCode).toBe(0);
    const seen = terminal.said();
    expect(seen).toContain('forged');
    expect(seen).not.toContain('\u001b]');
    expect(seen.replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, '').replaceAll('\r\n', '\n')).not.toMatch(
      /[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]/,
    );
    expect(seen.replaceAll(/\u001b\[[\d;?]*m/g, '')).not.toMatch(/\u001b/);
  });

  it('is safe in a question too [A25]', async () => {
    const service = await recorder(post('failed'));
    const terminal = atTerminal(['posts', 'retry', 'PostSpringLaunch', '-i'], {
      env: envAt(service.url),
    });
    await terminal.waitFor('TargetSpringLink');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(terminal.said()).not.toContain('\u001b]');
    expect(terminal.said()).not.toMatch(/[\x07\u009b\u202e]/);
    terminal.press('ctrl-c');
    expect((await terminal.ended()).exitCode).toBe(130);
    expect(service.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});

describe('waiting', () => {
  it('off a terminal writes plain lines, and no carriage return [O11] [O12]', async () => {
    for (const env of [{}, { CI: 'true' }]) {
      const service = await recorder((n) => post(n < 3 ? 'publishing' : 'published'));
      const argv = ['posts', 'wait', 'PostSpringLaunch', '--interval', '100ms', '--json'];
      const outcome = await social(argv, { env: { ...envAt(service.url), ...env } });
      expect(outcome.exitCode).toBe(0);
      expect(outcome.stderr).toMatch(/publishing/);
      expect(outcome.stderr).not.toMatch(/[\r\u001b]/);
      expect(outcome.stdout.trimEnd().split('\n')).toHaveLength(1);
      expect(JSON.parse(outcome.stdout)).toMatchObject({ id: 'PostSpringLaunch' });
    }
  });

  it('with CI set draws nothing in place, also at a terminal [O11]', async () => {
    const service = await recorder((n) => post(n < 3 ? 'publishing' : 'published'));
    const argv = ['posts', 'wait', 'PostSpringLaunch', '--interval', '100ms'];
    const terminal = atTerminal(argv, { env: { ...envAt(service.url), CI: '1' } });
    expect((await terminal.ended()).exitCode).toBe(0);
    expect(terminal.said()).not.toMatch(/\u001b\[\??\d*(?:[AGKJ]|25l)/);
  });

  it('ends on Ctrl-C with the cursor shown [S6]', async () => {
    const service = await recorder(post('publishing'));
    const argv = ['posts', 'wait', 'PostSpringLaunch', '--interval', '200ms'];
    const terminal = atTerminal(argv, { env: envAt(service.url) });
    await terminal.waitFor('TargetSpringLink');
    terminal.press('ctrl-c');
    expect((await terminal.ended()).exitCode).toBe(130);
    const seen = terminal.said();
    expect(seen.lastIndexOf('\u001b[?25h')).toBeGreaterThanOrEqual(seen.lastIndexOf('\u001b[?25l'));
  });
});

it('there is no CSV to put formulas into, and asking for it says what there is [O13]', async () => {
  const outcome = await social([...get, '-o', 'csv']);
  expect(outcome.exitCode).toBe(2);
  expect(outcome.stderr).toContain('--output must be one of: table, json, ndjson, tsv');
});
