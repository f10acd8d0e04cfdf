// The operations as a table of routes, and the one whose path a request has.
// Segments are decoded once, each for itself: an escaped slash stays inside its segment.

import { everyOperation } from '../operations/areas.ts';
import { type Operation, placesOf, type Places, queryFields } from '../operations/operation.ts';
import { type Behaviour, behaviours } from './behaviour.ts';
import { refusal, withHeaders } from './refusal.ts';

export interface Route {
  readonly operation: Operation;
  readonly behaviour: Behaviour<Record<string, unknown>, unknown>;
  readonly places: Places;
  /** Wire name of each query field, with the field. */
  readonly query: readonly (readonly [field: string, name: string])[];
  readonly segments: readonly string[];
}

export interface Match {
  readonly route: Route;
  /** The path fields, decoded. */
  readonly fields: Readonly<Record<string, string>>;
}

/** One route an operation. */
export async function allRoutes(): Promise<readonly Route[]> {
  const operations = await everyOperation();
  return operations.map(({ area, name, operation }) => ({
    operation,
    // The type of `behaviours` says that there is one for each operation, under its area and name.
    behaviour: (behaviours[area] as Record<string, unknown>)[name] as Route['behaviour'],
    places: placesOf(operation),
    query: queryFields(operation),
    segments: operation.path.split('/'),
  }));
}

/** The route of a method and a raw path. Throws a `Refusal`: 400 bad escape, 404 no such path, 405 other method. */
export function matchRoute(routes: readonly Route[], method: string, path: string): Match {
  const segments = path.split('/').map(decodeSegment);
  const fitting = routes.filter((route) => fits(route.segments, segments));
  const route = fitting.find((one) => one.operation.method === method);
  if (route !== undefined) return { route, fields: fieldsOf(route.segments, segments) };
  if (fitting.length === 0) throw refusal(404, 'unknown_path', 'There is no such path.');
  const allowed = fitting.map((one) => one.operation.method).join(', ');
  const wrongMethod = refusal(405, 'method_not_allowed', `This path takes ${allowed}.`);
  throw withHeaders(wrongMethod, { allow: allowed });
}

function decodeSegment(segment: string): string {
  try {
    return segment.includes('%') ? decodeURIComponent(segment) : segment;
  } catch {
    throw refusal(400, 'malformed_path', 'The path has a malformed percent escape.');
  }
}

/** No segment may be empty but the one before the first slash; `.` and `..` name nothing. */
function fits(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, i) => {
      const segment = segments[i]!;
      return isField(part) ? !['', '.', '..'].includes(segment) : part === segment;
    })
  );
}

function fieldsOf(
  template: readonly string[],
  segments: readonly string[],
): Record<string, string> {
  const fields = template
    .map((part, i) => [part, segments[i]!] as const)
    .filter(([part]) => isField(part));
  return Object.fromEntries(fields.map(([part, segment]) => [part.slice(1, -1), segment]));
}

const isField = (part: string): boolean => part.startsWith('{');
