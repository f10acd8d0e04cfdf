// An independent validator of JSON Schema: ajv in its strictest mode.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** Returns the validator of a schema. Throws if the schema is invalid, or has a keyword that JSON Schema lacks. */
export function compileSchema(schema: object, root: object = {}): ValidateFunction {
  const ajv = new Ajv2020({
    strict: true,
    allErrors: true,
    // The schemas differ by pattern; ajv has no formats of its own.
    formats: { uri: true },
  });
  ajv.addVocabulary(['components']);
  return ajv.compile({ ...schema, ...root });
}

/** Returns the errors of a value; `undefined` if it is valid. */
export function schemaErrors(judge: ValidateFunction, value: unknown): unknown {
  return judge(value) ? undefined : judge.errors;
}
