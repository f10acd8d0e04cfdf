// docs/messages.md: every error and note of the program with its exit code, read off the sources. A test keeps it up
// to date. What a message is given at run time stands in <angle brackets>; variants are parted by " | ".

import { readFileSync, readdirSync } from 'node:fs';
import { parseSync } from 'rolldown/utils';
import { failureKinds, type FailureKind } from '../../src/base/exit-codes.ts';

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

interface Message {
  readonly file: string;
  readonly kind: string;
  readonly lines: readonly string[];
}

const sources = new URL('../../src/', import.meta.url);
const MAX_DEPTH = 4;
/** Functions that put `the response` before what they are given. */
const responseCalls = new Set(['ofResponse', 'unreadableAnswer', 'unusable']);
/** Functions of a file that make a failure of what they are given, by its kind. */
const failureCalls: Readonly<Record<string, FailureKind>> = { cannotContinue: 'no_answer' };
const noteCalls = new Set(['note', 'warn', 'tell', 'push']);
const findings: Readonly<Record<string, string>> = { ok: 'ok', warn: 'warning', fail: 'failed' };

/** The page of messages in Markdown. */
export function messagesPage(): string {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .toSorted();
  const messages = files.flatMap((file) =>
    messagesIn(file, readFileSync(new URL(file, sources), 'utf8')),
  );
  const byKind = (kind: string) => messages.filter((message) => message.kind === kind);
  const sections = Object.entries(failureKinds).flatMap(([kind, { exitCode, meaning }]) =>
    section(`Exit ${exitCode}: ${kind}`, `${meaning}.`, byKind(kind)),
  );
  return `${[
    '# Messages',
    'Every error and note that the program can show, read off its sources, by exit code and by file. `<…>` stands for a value. An error is shown as `error: …`, followed by its reasons, a hint and a `try:` line. The first line of a single call also names the host and the attempts: `HTTP 500 internal from api.example.com (3 attempts): Try again later`. The lines of a batch do not.',
    ...sections,
    ...section(
      'Errors of several exit codes',
      'Errors and parts of errors whose exit code depends on what was sent.',
      byKind('depends'),
    ),
    ...section(
      'Notes',
      'Lines on stderr that change no exit code; `-q` hides them.',
      byKind('note'),
    ),
    ...section('Findings', 'Lines of `social doctor`.', byKind('finding')),
  ].join('\n\n')}\n`;
}

/** The texts of a source that people may read: strings and templates of at least two words. */
export function textsIn(file: string, source: string): readonly string[] {
  const { program } = parseSync(file, source);
  return [...walk(program)].flatMap((node) => {
    const text =
      node.type === 'Literal' && typeof node['value'] === 'string'
        ? node['value']
        : node.type === 'TemplateLiteral'
          ? (node['quasis'] as readonly { value: { cooked: string } }[])
              .map(({ value: { cooked } }) => cooked)
              .join('…')
          : '';
    return /[a-z…] [a-z…]/i.test(text) ? [text] : [];
  });
}

function section(title: string, text: string, messages: readonly Message[]): readonly string[] {
  if (messages.length === 0) return [];
  const files = [...new Set(messages.map(({ file }) => file))];
  const entries = files.map((file) => {
    const lines = messages.filter((message) => message.file === file).map(entry);
    return `\`${file}\`\n\n${[...new Set(lines)].join('\n')}`;
  });
  return [`## ${title}`, text, ...entries];
}

const entry = ({ lines: [first, ...rest] }: Message): string =>
  [`- ${inline(first!)}`, ...rest.map((line) => `  - ${inline(line)}`)].join('\n');

const inline = (text: string): string => {
  const fence = text.includes('`') ? '``' : '`';
  return `${fence}${text.replaceAll('\n', ' ')}${fence}`;
};

function messagesIn(file: string, source: string): readonly Message[] {
  const { program } = parseSync(file, source);
  const nodes = [...walk(program)];
  const scope = declarations(nodes);
  const known = new Set<unknown>();
  const say = (value: unknown) => render(value, scope, 0);
  const found: Message[] = [];
  const add = (kind: string, lines: readonly string[]) => {
    const told = lines.filter((line) => /[a-z]{3}/i.test(line.replaceAll(/<[^>]*>/g, '')));
    if (told.length > 0) found.push({ file, kind, lines: told });
  };
  for (const node of nodes) {
    if (node.type === 'NewExpression' && nameOf(node['callee']) === 'ProxyFault')
      for (const argument of node['arguments'] as readonly Node[]) known.add(argument);
    if (isFailure(node)) {
      const [kind, facts] = node['arguments'] as readonly Node[];
      const name = kind?.type === 'Literal' ? String(kind['value']) : 'depends';
      if (facts?.type !== 'ObjectExpression') continue;
      known.add(facts);
      add(Object.hasOwn(failureKinds, name) ? name : 'depends', factLines(facts, say));
    } else if (node.type === 'ObjectExpression' && !known.has(node)) {
      const { field, problem, fix, what } = properties(node);
      if (problem !== undefined)
        add('usage' satisfies FailureKind, [
          `${field === undefined ? '<field>' : say(field)} ${say(problem)}`,
          ...(fix === undefined ? [] : [say(fix)]),
        ]);
      else if (what !== undefined) add('depends', factLines(node, say));
    } else if (node.type === 'CallExpression') {
      const name = nameOf(node['callee']) ?? '';
      const args = node['arguments'] as readonly Node[];
      if (file.startsWith('commands/doctor/') && Object.hasOwn(findings, name))
        add('finding', [`${findings[name]!}: ${args.slice(0, 2).map(say).join(': ')}`]);
      else if (Object.hasOwn(failureCalls, name)) add(failureCalls[name]!, [say(args[0])]);
      else if (responseCalls.has(name) && args[0] !== undefined && isText(args[0]))
        add('depends', [`the response ${say(args[0])}`]);
      else if (name === 'ofPlace')
        add('depends', [`${say(args[0])} ${say(args[1])}${say(args[2])}`]);
      else if (noteCalls.has(name) && args[0] !== undefined && isText(args[0]))
        add('note', [say(args[0])]);
    }
  }
  return found;
}

/** `new Failure(kind, { … })`, or its maker for what was not sent. */
const isFailure = ({ type, callee }: Node): boolean =>
  (type === 'NewExpression' && nameOf(callee) === 'Failure') ||
  (type === 'CallExpression' && nameOf(callee) === 'unsentFailure');

function factLines(facts: Node, say: (value: unknown) => string): readonly string[] {
  const { what, why, hint, next } = properties(facts);
  const reasons =
    why === undefined
      ? []
      : isNode(why) && why.type === 'ArrayExpression'
        ? (why['elements'] as readonly unknown[]).map(say)
        : [say(why)];
  return [
    what === undefined ? '' : say(what),
    ...reasons,
    ...(hint === undefined ? [] : [say(hint)]),
    ...(next === undefined ? [] : [`try: ${say(next)}`]),
  ];
}

/** The declared values of a file by name: constants and functions of one expression. */
function declarations(nodes: readonly Node[]): ReadonlyMap<string, unknown> {
  const all = new Map<string, unknown>();
  for (const node of nodes) {
    if (node.type === 'VariableDeclarator' && isNode(node['init'])) {
      const name = nameOf(node['id']);
      if (name !== undefined) all.set(name, node['init']);
    } else if (node.type === 'FunctionDeclaration') all.set(nameOf(node['id'])!, node);
  }
  return all;
}

function render(value: unknown, scope: ReadonlyMap<string, unknown>, depth: number): string {
  if (!isNode(value)) return '';
  const say = (each: unknown) => render(each, scope, depth);
  switch (value.type) {
    case 'Literal':
      return String(value['value']);
    case 'TemplateLiteral': {
      const texts = value['quasis'] as readonly { value: { cooked: string } }[];
      const values = value['expressions'] as readonly unknown[];
      return texts.map(({ value: { cooked } }, at) => cooked + say(values[at])).join('');
    }
    case 'TaggedTemplateExpression':
      return say(value['quasi']);
    case 'ConditionalExpression':
      return either([say(value['consequent']), say(value['alternate'])]);
    case 'LogicalExpression':
      // What is left of `&&` is only asked whether it is there.
      return value['operator'] === '&&'
        ? say(value['right'])
        : either([say(value['left']), say(value['right'])]);
    case 'BinaryExpression':
      return value['operator'] === '+' ? say(value['left']) + say(value['right']) : '<value>';
    case 'TSAsExpression':
    case 'TSNonNullExpression':
    case 'TSSatisfiesExpression':
    case 'AwaitExpression':
    case 'ChainExpression':
    case 'ParenthesizedExpression':
      return say(value['expression'] ?? value['argument']);
    case 'ArrayExpression':
      return (value['elements'] as readonly unknown[]).map(say).filter(Boolean).join(' ');
    case 'SpreadElement':
      return say(value['argument']);
    case 'Identifier': {
      const name = String(value['name']);
      if (name === 'undefined') return '';
      const declared = scope.get(name);
      const text = depth < MAX_DEPTH ? render(declared, scope, depth + 1) : '';
      return /[a-z]{3} ?/i.test(text.replaceAll(/<[^>]*>/g, '')) ? text : `<${words(name)}>`;
    }
    case 'MemberExpression':
      return `<${words(nameOf(value) ?? 'value')}>`;
    case 'CallExpression':
      return call(value, scope, depth);
    default:
      return '<value>';
  }
}

/** What a call gives: of a function of this file its result, of one that quotes its argument in quotes. */
function call(node: Node, scope: ReadonlyMap<string, unknown>, depth: number): string {
  const name = nameOf(node['callee']) ?? 'value';
  const args = node['arguments'] as readonly unknown[];
  if (name.startsWith('quote')) return `"${render(args[0], scope, depth)}"`;
  if (name === 'shareable') return render(args[0], scope, depth);
  if (name === 'notOneOf') {
    const [choices, seen] = args.map((each) => render(each, scope, depth));
    return `must be one of: ${choices?.replaceAll(/(?<=^| )([A-Z]+) (?=[A-Z])/g, '$1, ')}; got ${seen}`;
  }
  if (name === 'command') return args.map((each) => render(each, scope, depth)).join(' ');
  const made = scope.get(name);
  if (depth < MAX_DEPTH && isNode(made)) {
    const text = either(results(made).map((each) => render(each, scope, depth + 1)));
    if (/[a-z]{3}/i.test(text.replaceAll(/<[^>]*>/g, ''))) return text;
  }
  const inner = isNode(node['callee']) ? node['callee']['object'] : undefined;
  return ['join', 'map', 'filter', 'toString'].includes(name) && inner !== undefined
    ? render(inner, scope, depth)
    : `<${words(name)}>`;
}

/** The expressions that a function returns. */
function results(made: Node): readonly unknown[] {
  if (!/Function/.test(made.type)) return [];
  const { body } = made as { body?: unknown };
  if (!isNode(body)) return [];
  if (body.type !== 'BlockStatement') return [body];
  return [...walk(body)]
    .filter(({ type, argument }) => type === 'ReturnStatement' && isNode(argument))
    .map(({ argument }) => argument);
}

const either = (texts: readonly string[]): string => {
  const distinct = [...new Set(texts.filter((text) => text !== '' && text !== 'undefined'))];
  return distinct.length > 1 ? `(${distinct.join(' | ')})` : (distinct[0] ?? '');
};

const words = (name: string): string =>
  name.replaceAll(/(?<=[a-z])[A-Z]/g, (at) => ` ${at.toLowerCase()}`);

const isText = (node: Node): boolean =>
  ['TemplateLiteral', 'ConditionalExpression'].includes(node.type) ||
  (node.type === 'Literal' && typeof node['value'] === 'string' && node['value'].includes(' '));

/** The name of an identifier, or of the last part of a member expression. */
function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Identifier') return String(node['name']);
  return node.type === 'MemberExpression' ? nameOf(node['property']) : undefined;
}

/** The values of an object expression by key, those of objects spread into it included. */
function properties(node: Node): Readonly<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for (const each of node['properties'] as readonly Node[]) {
    if (each.type !== 'Property') {
      const objects = [...walk(each['argument'])].filter(({ type }) => type === 'ObjectExpression');
      for (const object of objects) Object.assign(all, properties(object));
    } else if (nameOf(each['key']) !== undefined) all[nameOf(each['key'])!] = each['value'];
  }
  return all;
}

function* walk(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const each of value) yield* walk(each);
  if (!isNode(value)) return;
  yield value;
  for (const child of Object.values(value)) yield* walk(child);
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value;
