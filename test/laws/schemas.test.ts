// `social schema`: a strict validator that is not ours accepts every schema, and agrees with the program about inputs
// and with the sandbox about responses.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exampleInput } from '../support/example-input.ts';
import { everyOperation } from '../../src/api/operations/registry.ts';
import { inputSchema, type JsonSchema } from '../../src/api/operations/json-schema.ts';
import { commandNamesOf } from '../../src/api/operations/fields.ts';
import { compileSchema, schemaErrors } from '../support/schemas.ts';
import { splitWords } from '../support/shell-words.ts';
import { testCli } from '../support/test-cli.ts';

interface Described {
  readonly command: string;
  readonly request: string;
  readonly input: JsonSchema;
  readonly result: JsonSchema;
}

const run = async (argv: readonly string[]) => {
  const { exitCode, stdout, stderr } = await testCli().social(argv);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as unknown;
};
const schemaOf = async (path: string) => (await run(['schema', ...path.split(' ')])) as Described;

const every = (await everyOperation()).map(({ operation }) => operation);
const spelled = every.flatMap((operation) =>
  commandNamesOf(operation).map((spelling) => ({
    path: spelling.words.join(' '),
    operation,
    spelling,
  })),
);

describe.each(spelled)('social schema $path', ({ path, operation, spelling }) => {
  it('accepts its examples, and describes the responses of the sandbox', async () => {
    const { command, request, input, result } = await schemaOf(path);
    expect({ command, request }).toEqual({
      command: `social ${path}`,
      request: `${operation.method} ${operation.path}`,
    });
    const [fitsInput, fitsResult] = [compileSchema(input), compileSchema(result)];
    for (const line of Object.values(spelling.examples)) {
      const whole = exampleInput(operation, spelling, line);
      const given = Object.keys(spelling.impliedFields);
      const own = Object.fromEntries(Object.entries(whole).filter(([key]) => !given.includes(key)));
      expect(schemaErrors(fitsInput, own)).toBeUndefined();
      const words = splitWords(line).slice(1);
      // A result of a few fields does not match the schema.
      if (words.includes('--fields')) continue;
      const { stdout } = await testCli().social([...words, '--json'], {
        env: { SOCIAL_CONTEXT: 'sandbox' },
      });
      const data: unknown = JSON.parse(stdout);
      expect(schemaErrors(fitsResult, data)).toBeUndefined();
      // A schema drops unknown fields: no field may be dropped.
      expect(operation.result.parse(data)).toEqual(data);
    }
  });
});

/** Texts at the limits of fields, and any others. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 24 }),
  fc.string({ unit: fc.constantFrom(...Array.from('aZ09 .:/-_\\?#@\n\u0000é𝒳')), maxLength: 24 }),
  fc.stringMatching(/^[a-zA-Z]{15,17}$/),
  fc.stringMatching(/^[0-9]{1,21}$/),
  fc.stringMatching(/^[0-9a-f]{63,65}$/),
  fc.stringMatching(/^(?:https|HTTPS|Https|http):\/\/[a-z.]{1,9}(?:\/[a-z ]{0,3})?$/),
  fc.nat({ max: 12 }).map((n) => '𝒳'.repeat(295 + n)),
  fc.nat({ max: 4 }).map((n) => 'x'.repeat(158 + n)),
  fc.constantFrom('', '.', '..', 'favourite', 'post.failed', 'post.partial'),
);
const value = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 3, arbitrary: fc.array(text, { maxLength: 3 }) },
  { weight: 2, arbitrary: fc.dictionary(text, text, { maxKeys: 2 }) },
  fc.boolean(),
  fc.constant(null),
  fc.double(),
);

/** JSON Schema cannot say these rules, but the tool enforces them. */
const unsayable =
  /control character|is an address|unpaired surrogate|is too long|https:\/\/ with a host|is not allowed|not allowed in a header|name "__proto__"/;

describe.each(every)('the help for the input of social $command', (operation) => {
  const schema = inputSchema(operation);
  const judge = compileSchema({ ...schema, minProperties: 0 });
  const fields = Object.keys(operation.input.shape);
  const [spelling] = commandNamesOf(operation);
  const example = exampleInput(operation, spelling!, Object.values(spelling!.examples)[0]!);

  const wrong = (field: string, wild: unknown) => {
    const input = { ...example, [field]: wild };
    const { success, error } = operation.input.safeParse(input);
    const fits = judge(input);
    const said = error?.issues.map(({ message }) => message).join() ?? '';
    return fits === success || (fits && unsayable.test(said)) ? [] : [{ wild, fits, said }];
  };

  it('agrees with its schema, unless it cannot', () => {
    const [disagreement] = fc
      .sample(fc.tuple(fc.constantFrom(...fields), value), { seed: 20260302, numRuns: 300 })
      .flatMap(([field, wild]) => wrong(field, wild));
    expect(disagreement).toBeUndefined();
  });

  it('has exactly its fields', () => {
    expect(judge({ ...example, stray: 1 })).toBe(false);
    for (const field of fields) {
      const rest = Object.fromEntries(Object.entries(example).filter(([key]) => key !== field));
      expect(judge(rest)).toBe(operation.input.safeParse(rest).success);
    }
  });
});

const list = async (...words: string[]) =>
  (await run(['schema', ...words, '--json'])) as { command: string }[];

describe('social schema', () => {
  it('lists the commands with a schema: operations, and two that read posts', async () => {
    const rows = await list();
    expect(rows.map(({ command }) => command)).toEqual(
      [...spelled.map(({ path }) => path), 'posts triage', 'posts wait'].toSorted(),
    );
    expect(rows).toContainEqual({
      command: 'posts get',
      summary: 'Show a post and the state of its targets',
      request: 'GET /v1/posts/{postId}',
    });
    expect(await list('accounts', 'mastodon')).toHaveLength(8);
  });

  it('accepts aliases of a command, and omits fields that the words fix', async () => {
    const { command, input } = await schemaOf('accounts mastodon boost');
    expect(command).toBe('social accounts mastodon reblog');
    expect(input['required']).toEqual(['statusId', 'accountId']);
  });

  it('says that a change needs a field to change, and that a secret is write-only', async () => {
    const { input } = await schemaOf('webhooks update');
    const judge = compileSchema(input);
    expect(judge({ id: 'WebhookAlertsOps' })).toBe(false);
    expect(judge({ id: 'WebhookAlertsOps', secret: null })).toBe(true);
    expect(JSON.stringify(input['properties'])).toContain('"writeOnly":true');
  });

  it.each([
    [['posts', 'gte'], 'did you mean posts get?', 'social schema'],
    [['webhooks', 'event'], 'no schema for "webhooks event"', 'social schema'],
  ])('rejects %j', async (words, said, next) => {
    const { exitCode, stdout, stderr } = await testCli().social(['schema', ...words]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(said);
    expect(stderr).toContain(next);
  });

  it('is indented, unless JSON was requested for a pipe', async () => {
    const { social } = testCli();
    const lines = async (...words: string[]) =>
      (await social(['schema', 'posts', 'get', ...words])).stdout.split('\n').length;
    expect(await lines()).toBeGreaterThan(100);
    expect(await lines('--json')).toBe(2);
    expect(await lines('-o', 'ndjson')).toBe(2);
  });
});
