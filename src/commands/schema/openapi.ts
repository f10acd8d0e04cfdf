// The operations as an OpenAPI 3.1 document. What the API document does not show, and the program assumes, is marked
// `x-assumed`.

import { type CommandNames, commandNamesOf } from '../../api/operations/command-names.ts';
import {
  type Example,
  type Mutation,
  mutationOf,
  type Operation,
  queryFields,
  type Input,
} from '../../api/operations/define-operation.ts';
import { fieldsOf } from '../../api/operations/fields.ts';
import {
  inputSchema,
  type JsonSchema,
  resultSchema,
  splitSchema,
  toJsonSchema,
} from '../../api/operations/json-schema.ts';
import { type AreaName, areas, type everyOperation } from '../../api/operations/registry.ts';
import { ErrorEnvelope } from '../../api/schema/envelopes.ts';
import { assumption } from '../../api/schema/protocol.ts';
import { splitShellWords } from '../../base/shell.ts';
import { inputInLine } from '../../input/line-input.ts';
import { sampleAnswer } from '../../sandbox/sample-answer.ts';

type Json = Readonly<Record<string, unknown>>;

/** The schemas that operations share. */
const SCHEMAS = '#/components/schemas/';

/** The only operation whose success status the API document shows. */
const SHOWN_STATUS = 'posts retry';
const statusAssumed =
  'the API document shows the status of a success for posts retry alone; any 2xx is taken for one';

const about = `Eighteen operations of the service, written by \`social schema --openapi\`.

Members named \`x-assumed\` say what the API document does not show and this program takes for granted. Enumerations list the values that the document lists; answers may bring others, and further members. \`ok\` alone decides nothing: the document's own samples show \`ok: true\` in error bodies, and a body with \`error\` is an error whatever its status.

\`x-command\` names the command that sends the operation, \`x-mutation\` what sending it twice does: \`none\` reads, \`idempotent\` changes nothing more by its method, \`set\` very likely changes nothing more, \`once\` does the thing again.`;

const repeated: Readonly<Record<Mutation, string>> = {
  none: 'It reads, and changes nothing.',
  idempotent: 'Sent twice, it changes nothing more.',
  set: 'Sent twice, it very likely changes nothing more.',
  once: 'Sent twice, it does the thing again.',
};

const security = {
  type: 'http',
  scheme: 'bearer',
  description: 'How tokens are issued, their scopes and their lifetime are not in the API document',
};

const statusesAssumed =
  'the API document shows the error envelope for every operation, and no status of any';

const errorContent = {
  'application/json': {
    schema: { $ref: '#/components/schemas/ErrorEnvelope' },
    example: {
      ok: true,
      error: {
        code: 'post_not_found',
        message: 'There is no post PostUnknownAaaaa.',
        details: [],
      },
    },
  },
};

const failing = (description: string) => ({
  description,
  'x-assumed': [statusesAssumed],
  content: errorContent,
});

const responses = {
  Refused: failing(
    'Rejected; nothing was changed. 401 and 403: the token; 404 and 410: not found; 429: too many requests, `Retry-After` is respected; any other: the input.',
  ),
  Failed: failing(
    'No usable response: a change may have happened and is not retried. 503 with `Retry-After` is retried where that is safe.',
  ),
};

export function openApi(operations: Awaited<ReturnType<typeof everyOperation>>): object {
  const described = operations.map(({ area, name, operation }) =>
    describeOperation(area, name, operation),
  );
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { path, method, operation } of described)
    paths[path] = { ...paths[path], [method]: operation };
  const { schema: envelope } = splitSchema(toJsonSchema(ErrorEnvelope), SCHEMAS);
  const schemas = Object.assign({}, ...described.map((each) => each.schemas)) as object;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Social Publishing Service API',
      version: '1.0.0',
      summary: 'Posts, connected accounts, ad audiences, app credentials and webhooks',
      description: about,
      license: { name: 'Not in the API document', identifier: 'LicenseRef-not-stated' },
    },
    servers: [
      {
        url: '{baseUrl}',
        description: 'The API document names no address',
        variables: { baseUrl: { default: 'https://api.example.com' } },
      },
    ],
    security: [{ bearer: [] }],
    tags: Object.entries(areas).map(([name, { summary }]) => ({ name, description: summary })),
    paths,
    components: {
      securitySchemes: { bearer: security },
      responses,
      schemas: Object.fromEntries(
        Object.entries({ ...schemas, ErrorEnvelope: envelope }).toSorted(([a], [b]) =>
          a < b ? -1 : 1,
        ),
      ),
    },
  };
}

/**
 * The input of an example's command line, by its words, operands and flags. Flags of no field (`--wait`) are ignored.
 */
export function exampleInput(operation: Operation, names: CommandNames, [, line]: Example): Input {
  const words = (splitShellWords(line) ?? []).slice(1 + names.words.length);
  return { ...inputInLine(words, fieldsOf(operation)).input, ...names.given };
}

/** The operation with its path and method, and the schemas that it refers to. */
function describeOperation(area: AreaName, name: string, operation: Operation) {
  const { method, path, details, danger, assumes, deprecated } = operation;
  const input = splitSchema(inputSchema(operation), SCHEMAS);
  const result = splitSchema(resultSchema(operation), SCHEMAS);
  const examples = examplesOf(operation);
  const mutation = mutationOf(operation);
  const notes = [...details, ...(danger === undefined ? [] : [danger]), repeated[mutation]];
  return {
    path,
    method: method.toLowerCase(),
    operation: {
      operationId: `${area}${name[0]!.toUpperCase()}${name.slice(1)}`,
      tags: [area],
      summary: summaryOf(operation),
      description: notes.join('\n\n'),
      'x-command': commandNamesOf(operation).map(({ words }) => `social ${words.join(' ')}`),
      'x-mutation': mutation,
      ...(deprecated === undefined ? {} : { deprecated: true }),
      ...(assumes.length === 0 ? {} : { 'x-assumed': assumes }),
      ...parameters(operation, input.schema, examples[0]!.input),
      ...requestBody(operation, input.schema, examples),
      responses: {
        200: success(operation, result.schema, sampleAnswer(area, name, examples[0]!.input)),
        '4XX': { $ref: '#/components/responses/Refused' },
        '5XX': { $ref: '#/components/responses/Failed' },
      },
    },
    schemas: { ...input.shared, ...result.shared },
  };
}

function examplesOf(operation: Operation) {
  const names = commandNamesOf(operation)[0]!;
  return names.examples.map((example) => ({
    purpose: example[0],
    input: exampleInput(operation, names, example),
  }));
}

/** The summary of an operation that has several commands names them all. */
function summaryOf({ summary, input }: Operation): string {
  const whole = summary.replace(/\{(\w+)\}/g, (_all, field: string) => {
    const values = (input.shape[field] as unknown as { options: readonly string[] }).options;
    return `${values.slice(0, -1).join(', ')} or ${values.at(-1)!}`;
  });
  return whole[0]!.toUpperCase() + whole.slice(1);
}

const propertiesOf = ({ properties }: JsonSchema) => properties as Readonly<Record<string, Json>>;
const requiredIn = ({ required = [] }: JsonSchema) => required as readonly string[];

function parameters(operation: Operation, schema: JsonSchema, example: Input): Json {
  const { path } = operation.places;
  const parameter = (field: string, name: string, place: 'path' | 'query', more: Json) => {
    const { description, ...rest } = propertiesOf(schema)[field]!;
    return {
      name,
      in: place,
      required: requiredIn(schema).includes(field),
      ...(description === undefined ? {} : { description }),
      ...more,
      schema: rest,
      example: example[field],
    };
  };
  const all = [
    ...path.map((field) => parameter(field, field, 'path', {})),
    ...queryFields(operation).map(([field, name]) =>
      parameter(field, name, 'query', { 'x-assumed': [assumption(field)] }),
    ),
  ];
  return all.length === 0 ? {} : { parameters: all };
}

function requestBody(
  operation: Operation,
  schema: JsonSchema,
  examples: ReturnType<typeof examplesOf>,
): Json {
  const { body } = operation.places;
  if (body.length === 0) return {};
  const only = (from: Json) =>
    Object.fromEntries(body.filter((field) => field in from).map((field) => [field, from[field]]));
  const required = requiredIn(schema).filter((field) => body.includes(field));
  const bodies = examples.map(({ purpose, input }) => ({ purpose, value: only(input) }));
  const isFirst = ({ value }: { value: Json }, i: number) =>
    bodies.findIndex((each) => JSON.stringify(each.value) === JSON.stringify(value)) === i;
  const values = bodies.filter(isFirst).map(({ purpose, value }): [string, Json] => {
    const key = purpose.toLowerCase().replaceAll(/\W+/g, '-');
    return [key, { summary: purpose, value }];
  });
  const whole = {
    type: 'object',
    properties: only(propertiesOf(schema)),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
  return {
    requestBody: {
      required: true,
      content: { 'application/json': { schema: whole, examples: Object.fromEntries(values) } },
    },
  };
}

function success({ command }: Operation, schema: JsonSchema, data: unknown): Json {
  return {
    description: 'Success; the result is in `data`',
    ...(command === SHOWN_STATUS ? {} : { 'x-assumed': [statusAssumed] }),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: { ok: { type: 'boolean' }, data: schema },
          required: ['ok', 'data'],
        },
        example: { ok: true, data },
      },
    },
  };
}
