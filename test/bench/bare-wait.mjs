// The least that a client can do to retry many posts and wait for them: a read, a change on a connection of its own,
// and polls at the program's times, eight at once. The JSON is parsed, nothing is checked, nothing printed.

import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

const [, , file, origin] = process.argv;
const AT_ONCE = 8;
/** Of `SLACK_MS` in a row one wake is enough. */
const SLACK_MS = 3000 / 16;
const headers = { authorization: 'Bearer bench' };
const pool = new Pool(origin, { connections: AT_ONCE, pipelining: 1 });

async function statusOf(id) {
  const { body } = await pool.request({ path: `/v1/posts/${id}`, method: 'GET', headers });
  const { data } = await body.json();
  return data.status;
}

const retry = (id) =>
  new Promise((resolve, reject) => {
    const options = { method: 'POST', agent: false, headers };
    const sent = request(`${origin}/v1/posts/${id}/retry`, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve(JSON.parse(text)));
    });
    sent.on('error', reject).end();
  });

/** Does the work for each, so many at once; `next` gives nothing at the end. */
const eightAtOnce = (next, work) =>
  Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let each = next(); each !== undefined; each = next()) await work(each);
    }),
  );

const ids = readFileSync(file, 'utf8').trim().split('\n');
/** Those that are due first come first, as their gaps grow alike. */
const waiting = [];
await eightAtOnce(
  () => ids.shift(),
  async (id) => {
    await statusOf(id);
    await retry(id);
    waiting.push({ id, due: performance.now() + 3000, gap: 3000 });
  },
);
while (waiting.length > 0) {
  await sleep(waiting[0].due - performance.now() + SLACK_MS);
  await eightAtOnce(
    () => (waiting[0]?.due <= performance.now() ? waiting.shift() : undefined),
    async ({ id, gap }) => {
      if ((await statusOf(id)) !== 'publishing') return;
      const longer = Math.min(gap * 1.25, 15_000);
      waiting.push({ id, due: performance.now() + longer, gap: longer });
    },
  );
}
await pool.close();
