// `social schema --openapi`: valid to validators that are not ours, the eighteen operations and nothing else, and true
// of what the embedded service really sends.

import { tmpdir } from 'node:os';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { everyOperation } from '../../src/api/operations/registry.ts';
import { queryFields } from '../../src/api/operations/define-operation.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { compileSchema, schemaErrors } from '../support/schemas.ts';
import { rawRequest } from '../support/raw-request.ts';
import { commandLines } from '../support/command-lines.ts';
import { NOON, temporaryFolder, testCli } from '../support/test-cli.ts';

interface Media {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Body {
  readonly content: { readonly 'application/json': Media };
  readonly 'x-assumed'?: readonly string[];
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: object;
  readonly example: unknown;
  readonly 'x-assumed'?: readonly string[];
}
interface Described {
  readonly description: string;
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body & { readonly required: boolean };
  readonly responses: { readonly 200: Body };
  readonly 'x-assumed'?: readonly string[];
  readonly 'x-command': readonly string[];
}
interface Document {
  readonly info: object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly security: unknown;
  readonly components: {
    readonly schemas: object;
    readonly responses: Readonly<Record<string, Body>>;
    readonly securitySchemes: unknown;
  };
}

const { stdout, stderr, exitCode } = await testCli(tmpdir()).social(['schema', '--openapi']);
const document = JSON.parse(stdout) as Document;
const { components } = document;
const root = { components };
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
const every = await everyOperation();
const mediaOf = (body: Body) => body.content['application/json'];
const judgeOf = (body: Body) => compileSchema(mediaOf(body).schema, root);

describe('the OpenAPI document', () => {
  it('is valid to an independent validator, every reference included', async () => {
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(stdout));
    expect(errors).toBeUndefined();
    expect({ valid, version: validator.version }).toEqual({ valid: true, version: '3.1' });
    expect(JSON.stringify(validator.resolveRefs())).not.toContain('"$ref"');
  });

  it('is refused by that validator when it is broken, so that the test can fail', async () => {
    const broken = { ...document, paths: { 'no-slash': {} } };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  it('has the eighteen operations, each under a name of its own', () => {
    const found = described.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(found).toHaveLength(18);
    expect(found.toSorted()).toEqual(
      every.map(({ operation: { method, path } }) => `${method} ${path}`).toSorted(),
    );
    expect(new Set(described.map(({ operation }) => operation.operationId)).size).toBe(18);
  });

  // What the recommended rules of Redocly and Spectral ask for beyond the standard.
  it('says whom to ask and the licence, and describes every operation by what a repeat does', () => {
    expect(document.info).toMatchObject({
      license: { name: expect.any(String), identifier: expect.any(String) },
    });
    const silent = described.filter(
      ({ operation: { description } }) => !/(?:It reads|Sent twice), [^\n]+\.$/.test(description),
    );
    expect(silent).toEqual([]);
  });

  it('wants a bearer token for everything', () => {
    expect(document.security).toEqual([{ bearer: [] }]);
    expect(components.securitySchemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer' },
    });
    expect(described.filter(({ operation }) => 'security' in operation)).toEqual([]);
  });

  it('is the same whatever is configured and whenever it is made', async () => {
    const { social, clock } = testCli();
    clock.now += 1e10;
    const again = await social(['schema', '--openapi'], {
      env: { SOCIAL_BASE_URL: 'https://elsewhere.example', SOCIAL_ACCOUNT: 'AccountElsewhere' },
    });
    expect(again.stdout).toBe(stdout);
  });

  it('has none of the words of the command line in its schemas', () => {
    for (const word of ['placeholder', 'argument', 'prose', 'secret":true'])
      expect(stdout).not.toContain(`"${word}`);
  });
});

describe.each(every)('$area $name in the OpenAPI document', ({ operation: known }) => {
  const operation = document.paths[known.path]![known.method.toLowerCase()]!;

  it('has a parameter for every placeholder and every query name, and a body where one is sent', () => {
    const { parameters = [], requestBody } = operation;
    const placeholders = [...known.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `path ${name}`);
    const names = queryFields(known).map(([, name]) => `query ${name}`);
    expect(parameters.map((each) => `${each.in} ${each.name}`)).toEqual([
      ...placeholders,
      ...names,
    ]);
    expect(parameters.every(({ required }) => required)).toBe(true);
    expect(requestBody?.required).toBe(known.places.body.length > 0 ? true : undefined);
  });

  it('marks what is assumed', () => {
    const queries = (operation.parameters ?? []).filter((each) => each.in === 'query');
    for (const query of queries)
      expect(query['x-assumed']![0]).toContain('not in the API document');
    expect(operation['x-assumed'] ?? []).toEqual(known.assumes);
    expect(operation.responses[200]['x-assumed'] === undefined).toBe(
      known.command === 'posts retry',
    );
  });

  it('has examples that fit their own schemas', () => {
    for (const { schema, example } of operation.parameters ?? [])
      expect(schemaErrors(compileSchema(schema, root), example)).toBeUndefined();
    const { requestBody, responses } = operation;
    const bodies = [responses[200], ...(requestBody === undefined ? [] : [requestBody])];
    for (const body of bodies) {
      const { example, examples = {} } = mediaOf(body);
      const values = [example, ...Object.values(examples).map((each) => each.value)];
      const shown = values.filter((each) => each !== undefined);
      expect(shown).not.toEqual([]);
      for (const value of shown) expect(schemaErrors(judgeOf(body), value)).toBeUndefined();
    }
  });
});

const open = async () => {
  const sandbox = await startSandbox({
    stateDir: temporaryFolder(),
    now: () => NOON,
    note: () => undefined,
  });
  onTestFinished(() => sandbox.close());
  return sandbox;
};

describe('what the embedded service really sends fits the document', () => {
  it('every success', async () => {
    const sandbox = await open();
    const judged = new Set<string>();
    for (const { method, target, body } of commandLines) {
      const [path = ''] = target.split('?');
      const found = described.find(
        (each) =>
          each.method === method.toLowerCase() &&
          new RegExp(`^${each.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
      )!;
      const { requestBody, responses, operationId } = found.operation;
      const sent = body === undefined ? undefined : schemaErrors(judgeOf(requestBody!), body);
      expect(sent).toBeUndefined();
      const answer = await rawRequest(sandbox, method, target, body);
      expect({ target, status: answer.status }).toEqual({ target, status: 200 });
      expect(schemaErrors(judgeOf(responses[200]), JSON.parse(answer.body))).toBeUndefined();
      judged.add(operationId);
    }
    expect(judged.size).toBe(18);
  });

  it.each([
    [401, 'GET', '/v1/posts/PostSpringLaunch', undefined, 'wrong'],
    [404, 'GET', '/v1/posts/PostUnknownAaaaa', undefined, undefined],
    [405, 'DELETE', '/v1/posts/PostSpringLaunch', undefined, undefined],
    [409, 'POST', '/v1/posts/PostAutumnRecaps/retry', {}, undefined],
    [422, 'POST', '/v1/webhooks', { url: 'http://x', events: [] }, undefined],
  ] as const)('the refusal %i', async (status, method, path, body, token) => {
    const sandbox = await open();
    const answer = await rawRequest(
      { ...sandbox, token: token ?? sandbox.token },
      method,
      path,
      body,
    );
    expect(answer.status).toBe(status);
    const judge = judgeOf(components.responses['Refused']!);
    expect(schemaErrors(judge, JSON.parse(answer.body))).toBeUndefined();
    expect(judge({ ok: false })).toBe(false);
  });
});
