// How a behaviour says no: a plain value that it throws and the handler turns into an error envelope.
// Not a fault of the sandbox, so no stack is taken.

/** What is wrong with one field; the message follows its name. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

export interface Refusal {
  readonly refused: true;
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details: readonly FieldFault[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal with any status; `message` is a whole sentence. */
export function refusal(
  status: number,
  code: string,
  message: string,
  details: readonly FieldFault[] = [],
): Refusal {
  return { refused: true, status, code, message, details };
}

/** A refusal that also sends headers. */
export const withHeaders = (plain: Refusal, headers: Refusal['headers'] & object): Refusal => ({
  ...plain,
  headers,
});

/** 404 `<kind>_not_found`: there is no such thing, or it is not the caller's. */
export const notFound = (kind: string, id: string): Refusal =>
  refusal(404, `${kind}_not_found`, `There is no ${kind.replaceAll('_', ' ')} ${id}.`);

/** 409: the thing is not in the state that the operation acts on. */
export const conflict = (code: string, message: string): Refusal => refusal(409, code, message);

/** 422: the input is not valid; one sentence and a line for each field. */
export function invalid(details: readonly FieldFault[]): Refusal {
  const [first] = details;
  const only = details.length === 1 && first !== undefined;
  const message = only
    ? `${first.field} ${first.message}.`
    : `${details.length} fields are not valid.`;
  return refusal(422, 'validation_failed', message, details);
}

/** Tells a refusal from everything else that may be thrown. */
export function isRefusal(thrown: unknown): thrown is Refusal {
  return (
    typeof thrown === 'object' && thrown !== null && 'refused' in thrown && thrown.refused === true
  );
}
