// From what was typed after `social api` to the request as it would leave, or to all that is wrong with it at once.

import { Failure, usageFailure, type Fault } from '../../errors.ts';
import { queryPair } from '../../call/request.ts';
import type { AnyMethod, HttpRequest } from '../../http.ts';
import { parseJson, toJson } from '../../json.ts';
import {
  credentialPlaces,
  isSecretName,
  secretAlso,
  secretTexts,
} from '../../output/credentials.ts';
import { quote } from '../../output/sanitize.ts';
import { version } from '../../version.ts';
import { shellQuote } from '../dry-run.ts';
import { urlOf } from '../service.ts';
import type { LeafCall } from '../leaf.ts';
import { readText } from '../source.ts';
import { bodyOf, fieldsOf, queryPairs, type Given } from './fields.ts';
import { headersOf } from './headers.ts';
import { targetOf, type Target } from './path.ts';

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export interface ApiRequest {
  readonly request: HttpRequest;
  /** Encoded, without the query. */
  readonly path: string;
  /** The flags that make up the request, as a shell reads them. */
  readonly rest: readonly string[];
  /** The same for people to see: without a pairing's id or code. */
  readonly shownPath: string;
  /** Texts in it that nobody may see. */
  readonly secrets: readonly string[];
  /** Names under which the answer holds a pairing's id or code. */
  readonly hiddenNames: readonly string[];
}

/** Whether a method only reads. */
export const isRead = (method: string): boolean => ['GET', 'HEAD'].includes(method);

/** Builds the request for the address. Throws one `usage` failure with all that is wrong. */
export async function apiRequest(call: LeafCall, baseUrl: string): Promise<ApiRequest> {
  const { operands, flags, settings } = call;
  const list = (key: string) => (flags[key] as readonly string[] | undefined) ?? [];
  const method = methodOf(operands[0]);
  const target = targetOf(operands[1], baseUrl);
  const { fields, faults } = fieldsOf(list('field'), list('jsonField'));
  const own = headersOf(list('header'));
  const inQuery = typeof method !== 'string' || isRead(method) || method === 'DELETE';
  const body = inQuery ? noBody(call) : await bodyFor(call, fields);
  const wrong = [
    ...(typeof method === 'string' ? [] : [method]),
    ...('problem' in target ? [target] : []),
    ...faults,
    ...body.faults,
    ...own.faults,
  ];
  if (wrong.length > 0 || typeof method !== 'string' || 'problem' in target)
    throw usageFailure(wrong, 'social api --help');
  const query = queryOf(target, inQuery ? queryPairs(fields) : [], settings.query);
  const url = `${baseUrl}${target.path}${query}`;
  checkPlace(url, baseUrl, target);
  const headers = {
    accept: 'application/json',
    ...(body.text === undefined ? {} : { 'content-type': 'application/json' }),
    'user-agent': `social/${version}`,
    ...own.headers,
  };
  const places = await credentialPlaces();
  const hiddenNames = places.namesAt(target.path);
  const named = [...Object.entries(own.headers), ...new URLSearchParams(query)]
    .filter(([name]) => isSecretName(name) || hiddenNames.includes(name))
    .map(([, value]) => value);
  return {
    request: { method, url, headers, ...(body.text === undefined ? {} : { body: body.text }) },
    path: target.path,
    shownPath: places.maskPath(target.path),
    rest: ['field', 'jsonField', 'header'].flatMap((key, i) =>
      list(key).map((each) => `${['-f', '-F', '-H'][i]!} ${shellQuote(each)}`),
    ),
    secrets: [
      ...named,
      ...places.textsIn(target.path),
      ...secretTexts(body.value, secretAlso(hiddenNames)),
    ],
    hiddenNames,
  };
}

function methodOf(typed: string | undefined): AnyMethod | Fault {
  const known = methods.find((each) => each === typed?.toUpperCase());
  if (known !== undefined) return known;
  const seen = typed === undefined ? '' : `, got ${quote(typed)}`;
  return { field: 'method', problem: `must be one of: ${methods.join(', ')}${seen}` };
}

interface Body {
  /** The JSON text as it travels; nothing where there is no body. */
  readonly text?: string;
  readonly value?: unknown;
  readonly faults: readonly Fault[];
}

function noBody({ flags }: LeafCall): Body {
  if (flags['input'] === undefined) return { faults: [] };
  return { faults: [{ field: '--input', problem: 'is a body, which this method does not have' }] };
}

async function bodyFor({ flags, world }: LeafCall, fields: readonly Given[]): Promise<Body> {
  const from = flags['input'];
  if (typeof from !== 'string') {
    if (fields.length === 0) return { faults: [] };
    const { body, faults } = bodyOf(fields);
    return { text: toJson(body), value: body, faults };
  }
  if (fields.length > 0)
    return { faults: [{ field: '--input', problem: 'contradicts -f and -F; choose one' }] };
  const text = await readText(from, '--input', world);
  if (typeof text !== 'string') return { faults: [text] };
  try {
    return { text, value: parseJson(text), faults: [] };
  } catch (error) {
    const problem = error instanceof RangeError ? `is ${error.message}` : 'is not JSON';
    return { faults: [{ field: '--input', problem }] };
  }
}

/** What was typed in the path, then the fields; `--query` overrides by name. */
function queryOf(
  { query }: Target,
  fields: readonly (readonly [string, string])[],
  over: readonly (readonly [string, string])[],
): string {
  const before = [...query.split('&').filter(Boolean), ...fields.map(queryPair)];
  const names = new Set(over.map(([name]) => queryPair([name, '']).slice(0, -1)));
  const kept = before.filter((each) => !names.has(each.split('=')[0]!));
  const all = [...kept, ...over.map(queryPair)];
  return all.length === 0 ? '' : `?${all.join('&')}`;
}

/** The last look, with the eyes of whoever sends it: the same place, the same path. */
function checkPlace(url: string, baseUrl: string, { path }: Target): void {
  const [whole, base] = [urlOf(url), urlOf(baseUrl)];
  const prefix = base.pathname.replace(/\/$/, '');
  if (whole.origin === base.origin && whole.pathname === prefix + path) return;
  throw new Failure('usage', {
    what: 'path would not travel as it was typed; nothing was sent',
    sent: false,
    retryable: false,
  });
}
