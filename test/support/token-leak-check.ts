// The canary: a token that must turn up in nothing that a test captures, neither as it is nor encoded.
// Every wrapper that runs the program, in this process or in one of its own, asks here.

/** A token with characters that each encoding changes. */
export const CANARY = 'canary+T0ken/with=odd~chars';

/** Shorter ones are words of the language. */
const SHORTEST = 12;

/** A text in every form in which it could leak; each is a whole of its own in which nothing else stands. */
export function encodingsOf(secret: string): readonly string[] {
  const base64 = [secret, `Bearer ${secret}`].flatMap((text) => {
    const bytes = Buffer.from(text);
    return [bytes.toString('base64'), bytes.toString('base64url')];
  });
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    encodeURIComponent(secret),
    encodeURIComponent(secret).replace(/%../g, (escape) => escape.toLowerCase()),
    new URLSearchParams({ a: secret }).toString().slice(2),
    ...base64,
    ...base64.map((text) => encodeURIComponent(text)),
    json,
    json.replaceAll('/', '\\/'),
    JSON.stringify(json.replaceAll('/', '\\/')).slice(1, -1),
  ];
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
