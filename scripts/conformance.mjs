// Runs the public conformance suite of the protocol against `social mcp serve`, prints the figures of docs/mcp.md, and
// fails unless every scenario that applies passes. The suite speaks HTTP and calls tools of its own; a bridge on
// loopback starts one server for each session and passes messages on. It changes nothing in them but the names in
// `tools`. `npm run conformance -- <version>` runs another version of the suite. It installs that into a temporary
// folder.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { nodeFolder, root, runNpm } from './package-run.mjs';

const [version = '0.1.16'] = process.argv.slice(2);
const suite = `@modelcontextprotocol/conformance@${version}`;
const launcher = join(root, 'bin', 'social.js');
/** The suite needs Node 22. */
const node = join(nodeFolder('22'), 'node');

/** The tools that scenarios call, and the calls of ours that behave as they must. */
const tools = {
  test_simple_text: ['posts_get', { postId: 'PostSpringLaunch' }],
  test_error_handling: ['posts_get', { postId: 'PostThatIsNoPost' }],
  test_tool_with_progress: [
    'posts_triage',
    { postIds: ['PostSpringLaunch', 'PostAutumnRecaps', 'PostThatIsNoPost'] },
  ],
};

const applicable = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'tools-call-with-progress',
];

/** Why the others do not apply, by their names. */
const reasons = [
  [/^resources-|^sep-2164|^sep-2640/, 'the server has no resources'],
  [/^prompts-/, 'the server has no prompts'],
  [/^completion-/, 'the server has no completion'],
  [/^logging-|with-logging$/, 'the server does not declare logging'],
  [/sampling$|elicitation/, 'the server asks the client for nothing'],
  [/^input-required-/, 'the server asks the client for nothing'],
  [/^tasks-/, 'the server has no tasks'],
  [/^tools-call-/, 'no tool returns images, audio or embedded resources'],
  [/^json-schema-/, 'tests a tool with a given schema, which only a test server has'],
  [
    /^server-stateless|^caching|^http-/,
    'tests revision 2026-07-28, which the bridge does not speak',
  ],
  [/^server-s|^dns-/, 'tests HTTP, which is the bridge’s and not the server’s'],
];

const folder = mkdtempSync(join(tmpdir(), 'social-conformance-'));
const servers = new Set();

/** Starts a server for a session; `ask` resolves with its response and reports notifications before it. */
function startSession() {
  const args = [launcher, 'mcp', 'serve', '-C', 'sandbox', '-q'];
  const env = { PATH: process.env.PATH, HOME: join(folder, 'home') };
  const server = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  servers.add(server);
  server.once('close', () => servers.delete(server));
  const waiting = new Map();
  createInterface({ input: server.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    const [first] = waiting.values();
    if (message.method === undefined) {
      waiting.get(message.id)?.respond(line);
      waiting.delete(message.id);
    } else first?.notify(line);
  });
  return {
    tell: (message) => void server.stdin.write(`${JSON.stringify(message)}\n`),
    ask(message, notify, respond) {
      waiting.set(message.id, { notify, respond });
      return this.tell(message);
    },
    end: () => server.stdin.end(),
  };
}

function renamed(message) {
  const [name, given] = tools[message.params?.name] ?? [];
  if (message.method !== 'tools/call' || name === undefined) return message;
  return { ...message, params: { ...message.params, name, arguments: given } };
}

async function bodyOf(request) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return JSON.parse(text);
}

/** The bridge: its address, and what closes it. */
async function openBridge() {
  const sessions = new Map();
  const answer = async (request, response) => {
    const given = request.headers['mcp-session-id'];
    const respond = (status) => void response.writeHead(status).end();
    if (request.method === 'DELETE') {
      sessions.get(given)?.end();
      sessions.delete(given);
      return respond(200);
    }
    if (request.method !== 'POST') return respond(405);
    const message = renamed(await bodyOf(request));
    const id = message.method === 'initialize' ? randomUUID() : given;
    if (message.method === 'initialize') sessions.set(id, startSession());
    const session = sessions.get(id);
    if (session === undefined) return respond(404);
    if (message.id === undefined) {
      session.tell(message);
      return respond(202);
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': id });
    const write = (line) => response.write(`event: message\ndata: ${line}\n\n`);
    return session.ask(message, write, (line) => {
      write(line);
      response.end();
    });
  };
  const bridge = createServer((request, response) => void answer(request, response));
  await new Promise((resolve) => bridge.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    for (const session of sessions.values()) session.end();
    bridge.closeAllConnections();
    bridge.close();
    await Promise.all([...servers].map((server) => once(server, 'close')));
  };
  return { url: `http://127.0.0.1:${bridge.address().port}/mcp`, close };
}

const program = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

function run(args) {
  return new Promise((resolve) => {
    const stdio = ['ignore', 'pipe', 'pipe'];
    const child = spawn(node, [program, ...args], { cwd: folder, stdio });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
    child.once('close', (code) => resolve({ code, text }));
  });
}

/** The checks of a scenario, from the file that the suite writes. */
function checksOf(output) {
  const files = readdirSync(output, { recursive: true }).filter((each) =>
    each.endsWith('checks.json'),
  );
  return files.flatMap((file) => JSON.parse(readFileSync(join(output, file), 'utf8')));
}

async function runScenario(scenario, url) {
  const output = join(folder, scenario);
  const { code, text } = await run(['server', '--url', url, '--scenario', scenario, '-o', output]);
  const checks = checksOf(output).filter(({ status }) => status !== 'INFO');
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
  const ok = code === 0 && passed > 0 && passed === checks.length;
  console.log(`${ok ? 'passed' : 'FAILED'}  ${scenario} (${passed} of ${checks.length} checks)`);
  if (!ok) console.log(text);
  return ok;
}

async function main() {
  runNpm(['install', '--no-audit', '--no-fund', '--prefix', folder, suite], { cwd: folder, node });
  const list = await run(['list', '--server']);
  if (list.code !== 0) throw new Error(list.text);
  const all = [...list.text.matchAll(/^ {2}- ([\w-]+) \[/gm)].map(([, name]) => name);
  const others = all.filter((name) => !applicable.includes(name));
  const reasonOf = (name) => reasons.find(([pattern]) => pattern.test(name))?.[1];
  const { url, close } = await openBridge();
  let passed = 0;
  try {
    for (const scenario of applicable) if (await runScenario(scenario, url)) passed++;
  } finally {
    await close();
  }
  for (const name of others)
    console.log(`n/a     ${name}: ${reasonOf(name) ?? 'UNKNOWN SCENARIO'}`);
  console.log(
    `${suite}: ${passed} of ${applicable.length} applicable scenarios passed; ${others.length} of ${all.length} do not apply`,
  );
  const known = others.every((name) => reasonOf(name) !== undefined);
  return known && passed === applicable.length ? 0 : 1;
}

try {
  process.exitCode = await main();
} finally {
  for (const server of servers) server.kill();
  rmSync(folder, { recursive: true, force: true });
}
