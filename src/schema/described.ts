// What is said of a schema besides its rule: for readers, and for how a field is typed on the command line.

import * as z from 'zod/mini';

/** Options of a field that decide how it is typed on the command line; see `operations/operation`. */
export interface FieldMeta {
  /**
   * The flag's name, where it is not the field's own in kebab-case; `on|off` names both words of a boolean,
   * and its description then says what each does, the same way: `Deliver events | Hold events back`.
   */
  readonly flag?: string;
  /** A positional: exactly one, or as many as are typed (each is a call of its own). */
  readonly argument?: 'one' | 'many';
  /** Never in argv, masked everywhere. */
  readonly secret?: true;
  /** Lets in whoever knows it: masked in every output but the result that is about it. */
  readonly sensitive?: true;
  /** A long text: also from a file, standard input or an editor. */
  readonly prose?: true;
  /** What stands for the value in help. */
  readonly placeholder?: string;
}

declare module 'zod/v4/core' {
  interface GlobalMeta extends FieldMeta {}
}

/** The schema with a description of what it is here. A copy: elsewhere the same schema may be something else. */
export function described<S extends z.ZodMiniType>(
  schema: S,
  description: string,
  meta: FieldMeta = {},
): S {
  const copy = schema.clone();
  z.globalRegistry.add(copy, { description, ...meta });
  return copy;
}
