// Ctrl-C and signals during a command: the exit code and the message say what may have happened.

import { describe, expect, it } from 'vitest';
import { targetPost, targets } from '../support/posts.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';
import { atTerminal, serviceAt } from '../support/terminal.ts';

const retry = ['posts', 'retry', 'PostForTheTestsA'];

const publishing = successResponse(JSON.stringify(targetPost([targets.linkedin('publishing')])));
const published = successResponse(JSON.stringify(targetPost([targets.linkedin('published')])));

describe('Ctrl-Z', () => {
  it('suspends a wait and restores the terminal, and fg resumes it', async () => {
    let settled = false;
    const service = await recordingServer(() => (settled ? published : publishing));
    const terminal = atTerminal(['posts', 'wait', 'PostForTheTestsA', '--interval', '300ms'], {
      env: serviceAt(service.url),
      jobControl: true,
    });
    await terminal.waitFor('timeout in');
    terminal.press('ctrl-z');
    await terminal.waitFor('[stopped]');
    const looks = service.requests.length;
    // A terminal left raw, or without echo, would not take a line.
    terminal.type('hello there\r');
    await terminal.waitFor('[typed hello there]');
    expect(terminal.said()).toMatch(/hello there\r\n\[typed hello there\]/);
    expect(service.requests.length - looks).toBeLessThan(2);
    settled = true;
    const { exitCode, text, cursor, cooked } = await terminal.ended();
    expect({ exitCode, cursor, cooked }).toEqual({ exitCode: 0, cursor: true, cooked: true });
    expect(text).toContain('✓ published');
  });
});

describe('Ctrl-C after a request', () => {
  it('in a prompt after a read does not claim that nothing was sent', async () => {
    const service = await recordingServer(
      successResponse(JSON.stringify(targetPost([targets.linkedin('failed')]))),
    );
    const terminal = atTerminal([...retry, '-i'], { env: serviceAt(service.url) });
    await terminal.waitFor('? Which targets to retry?');
    terminal.press('ctrl-c');
    const { exitCode, text } = await terminal.ended();
    expect(exitCode).toBe(130);
    expect(text).toMatch(/cancelled; nothing was changed$/);
    expect(service.requests.map(({ method }) => method)).toEqual(['GET']);
  });
});
