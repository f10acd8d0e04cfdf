// The OpenAPI 3.1 document of the API, as this program knows it: a projection of the operations. It holds what the
// API document shows; what it does not show and the program takes for granted is marked `x-assumed`.

import { areas, type AreaName } from '../../operations/areas.ts';
import { splitSchema, toJsonSchema } from '../../operations/json-schema.ts';
import type { Operation } from '../../operations/operation.ts';
import { ErrorEnvelope } from '../../schema/envelope.ts';
import { describeOperation } from './operation.ts';

interface Placed {
  readonly area: AreaName;
  readonly name: string;
  readonly operation: Operation;
}

const about = `Eighteen operations of the service, written by \`social schema --openapi\`.

Members named \`x-assumed\` say what the API document does not show and this program takes for granted. Enumerations list the values that the document lists; answers may bring others, and further members. \`ok\` alone decides nothing: the document's own samples show \`ok: true\` in error bodies, and a body with \`error\` is an error whatever its status.

\`x-command\` names the command that sends the operation, \`x-mutation\` what sending it twice does: \`none\` reads, \`idempotent\` changes nothing more by its method, \`set\` very likely changes nothing more, \`once\` does the thing again.`;

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

const responses = {
  Refused: {
    description:
      'Refused, and nothing was changed. Taken for: 401, 403 the token; 404, 410 no such thing; 429 too many requests, `Retry-After` is kept to; any other the input.',
    'x-assumed': [statusesAssumed],
    content: errorContent,
  },
  Failed: {
    description:
      'No usable answer: a change may have happened and is not repeated. 503 with `Retry-After` is waited for where a repeat is safe.',
    'x-assumed': [statusesAssumed],
    content: errorContent,
  },
};

/** The document of these operations. */
export function openApi(operations: readonly Placed[]): object {
  const described = operations.map(({ area, name, operation }) =>
    describeOperation(area, name, operation),
  );
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { path, method, operation } of described)
    paths[path] = { ...paths[path], [method]: operation };
  const { schema: envelope } = splitSchema(toJsonSchema(ErrorEnvelope), '#/components/schemas/');
  const schemas = Object.assign({}, ...described.map((each) => each.schemas)) as object;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Social Publishing Service API',
      version: '1.0.0',
      summary: 'Posts, connected accounts, ad audiences, app credentials and webhooks',
      description: about,
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
