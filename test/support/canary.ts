// The canary: a token that must turn up in nothing that a test captures, neither as it is nor encoded.
// Every wrapper that runs the program, in this process or in one of its own, asks here.

/** A token with characters that each encoding changes. */
export const CANARY = 'canary+T0ken/with=odd~chars';

/** Shorter ones are words of the language. */
const SHORTEST = 12;

/** A text as it could leak. */
export function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    JSON.stringify(secret).slice(1, -1),
  ];
}

interface Captured {
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Throws when what was captured shows a token. `auth token` may show one, on stdout. */
export function assertNoToken({ argv = [], env = {}, stdout, stderr }: Captured): void {
  const given = env['SOCIAL_TOKEN']?.replace(/^Bearer +/, '').trim() ?? '';
  const secrets = [CANARY, ...(given.length >= SHORTEST ? [given] : [])];
  const mayShow = argv.includes('auth') && argv.includes('token');
  const all = mayShow ? stderr : stdout + stderr;
  if (secrets.flatMap(formsOf).some((form) => all.includes(form)))
    throw new Error(`a token was shown by: social ${argv.join(' ')}`);
}
