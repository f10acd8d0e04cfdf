// The canary: a token that must not appear in anything that a test captures, neither as it is nor encoded. Every wrapper
// that runs the program, in this process or in one of its own, checks it here.

/** A token with characters that each encoding changes. */
export const CANARY = 'canary+T0ken/with=odd~chars';

/** Shorter tokens are words of the language. */
const SHORTEST = 12;

/** Returns a secret in every form in which it could leak. */
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

/** Throws if the output shows a token. `auth token` may show one, on stdout. */
export function assertNoToken({ argv = [], env = {}, stdout, stderr }: Captured): void {
  const given = env['SOCIAL_TOKEN']?.replace(/^Bearer +/, '').trim() ?? '';
  const secrets = [CANARY, ...(given.length >= SHORTEST ? [given] : [])];
  const mayShow = argv.includes('auth') && argv.includes('token');
  const all = mayShow ? stderr : stdout + stderr;
  if (secrets.flatMap(encodingsOf).some((form) => all.includes(form)))
    throw new Error(`a token was shown by: social ${argv.join(' ')}`);
}
