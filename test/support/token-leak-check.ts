// The canary: a token that must turn up in nothing that a test captures, neither as it is nor encoded.
// Every wrapper that runs the program, in this process or in one of its own, asks here.

/** A token with characters that each encoding changes. */
export const CANARY = 'canary+T0ken/with=odd~chars';

/** Shorter ones are words of the language. */
const SHORTEST = 12;

/** A text in every form in which it could leak; each is a whole of its own in which nothing else stands. */
export function encodingsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const each = (form: (code: string) => string) =>
    Array.from(bytes, (byte) => form(byte.toString(16).padStart(2, '0'))).join('');
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    encodeURIComponent(secret),
    encodeURIComponent(secret).replace(/%../g, (escape) => escape.toLowerCase()),
    encodeURIComponent(encodeURIComponent(secret)),
    each((code) => `%${code}`),
    each((code) => `%${code.toUpperCase()}`),
    ...base64Parts(bytes),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    json,
    json.replaceAll('/', '\\/'),
    JSON.stringify(json.replaceAll('/', '\\/')).slice(1, -1),
    ...(/^[\0-\x7f]*$/.test(secret)
      ? [
          each((code) => `\\u00${code}`),
          each((code) => `\\u00${code.toUpperCase()}`),
          each((code) => `\\x${code}`),
          each((code) => `&#x${code};`),
          each((code) => `&#${Number.parseInt(code, 16)};`),
        ]
      : []),
    secret.replace(/[&<>"'/+=]/g, (c) => `&${ENTITIES[c]!};`),
  ];
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
  '/': 'sol',
  '+': 'plus',
  '=': 'equals',
};

/** What is the same in the base64 of anything that holds the bytes, by where in it they begin. */
function base64Parts(bytes: Buffer): readonly string[] {
  const parts = [0, 1, 2].map((before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return all.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 4) / 3));
  });
  return parts.flatMap((part) => [part, part.replaceAll('+', '-').replaceAll('/', '_')]);
}

interface Captured {
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

const known = new Map<string, readonly string[]>();

/** The same, built once for each: every run of the program asks for those of the canary. */
function knownEncodingsOf(secret: string): readonly string[] {
  const forms = known.get(secret) ?? encodingsOf(secret);
  known.set(secret, forms);
  return forms;
}

/** Throws when what was captured shows a token. `auth token` may show one, on stdout. */
export function assertNoToken({ argv = [], env = {}, stdout, stderr }: Captured): void {
  const given = env['SOCIAL_TOKEN']?.replace(/^Bearer +/, '').trim() ?? '';
  const secrets = [CANARY, ...(given.length >= SHORTEST ? [given] : [])];
  const mayShow = argv.includes('auth') && argv.includes('token');
  const all = mayShow ? stderr : stdout + stderr;
  if (secrets.flatMap(knownEncodingsOf).some((form) => all.includes(form)))
    throw new Error(`a token was shown by: social ${argv.join(' ')}`);
}
