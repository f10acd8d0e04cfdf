// One operation in the words of OpenAPI. What the API document does not show is marked `x-assumed`.

import type { Input } from '../../call/request.ts';
import type { AreaName } from '../../operations/areas.ts';
import {
  inputSchema,
  resultSchema,
  splitSchema,
  type JsonSchema,
} from '../../operations/json-schema.ts';
import { mutationOf, placesOf, queryFields, type Operation } from '../../operations/operation.ts';
import { spellingsOf } from '../../operations/spelling.ts';
import { sampleAnswer } from '../../sandbox/sample-answer.ts';
import { assumption } from '../../schema/assumed.ts';
import { exampleInput } from './example-input.ts';

type Json = Readonly<Record<string, unknown>>;

/** Where the schemas that operations share are in the document. */
const PLACE = '#/components/schemas/';

/** The one operation of which the API document shows the status of a success. */
const SHOWN_STATUS = 'posts retry';
const statusAssumed =
  'the API document shows the status of a success for posts retry alone; any 2xx is taken for one';

export interface Described {
  readonly path: string;
  readonly method: string;
  readonly operation: Json;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** The operation under its path and method, and the schemas that it refers to. */
export function describeOperation(area: AreaName, name: string, operation: Operation): Described {
  const { method, path, details, danger, assumes } = operation;
  const input = splitSchema(inputSchema(operation), PLACE);
  const result = splitSchema(resultSchema(operation), PLACE);
  const examples = examplesOf(operation);
  const description = [...details, ...(danger === undefined ? [] : [danger])].join('\n\n');
  return {
    path,
    method: method.toLowerCase(),
    operation: {
      operationId: `${area}${name[0]!.toUpperCase()}${name.slice(1)}`,
      tags: [area],
      summary: summaryOf(operation),
      ...(description === '' ? {} : { description }),
      'x-command': spellingsOf(operation).map(({ words }) => `social ${words.join(' ')}`),
      'x-mutation': mutationOf(operation),
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

interface ExampleInput {
  readonly purpose: string;
  readonly input: Input;
}

function examplesOf(operation: Operation): readonly ExampleInput[] {
  const [spelling] = spellingsOf(operation);
  return spelling!.examples.map((example) => ({
    purpose: example[0],
    input: exampleInput(operation, spelling!, example),
  }));
}

/** One that stands for several commands names them all. */
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
  const { path } = placesOf(operation);
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
  examples: readonly ExampleInput[],
): Json {
  const { body } = placesOf(operation);
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
    description: 'Done; what came of it is in `data`',
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
