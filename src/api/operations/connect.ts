// "Connect" in the API document: choose and check destinations, follow Telegram pairing.

import { AccountResult, TelegramAccessCode, TelegramSession } from '../schema/account.ts';
import { FacebookPages, RedditFlairs } from '../schema/destination.ts';
import {
  accountId,
  ForeignId,
  ProfileId,
  Subreddit,
  subredditName,
  TelegramSessionId,
} from '../schema/ids.ts';
import { described, NonEmpty } from '../schema/rules.ts';
import { operation } from './define-operation.ts';
import { expiryOf, isPaired, waitForPairing } from './waits.ts';

const pairingColumns = [
  'status',
  'expiresAt',
  'account.displayName',
  'account.accountId',
  'account.attachedToProfileId',
] as const;

/** Once it is paired, the end of its code means nothing; once that has passed, its status. */
const outdated = (pairing: unknown, now: number) =>
  isPaired(pairing) ? ['expiresAt'] : (expiryOf(pairing) ?? Infinity) <= now ? ['status'] : [];

/** A code or an ID with what people copy with it: quotes, the message `/start …`, or a link to a bot. */
const PASTED = /^\s*["'`“„‘]?(?:\S*[?&]start=|\/start(?:@\w+)?\s+)?([^\s"'`“”‘’&#]+)["'`”“’]?\s*$/;
const pasted = (text: unknown) => PASTED.exec(String(text))?.[1] ?? String(text);

/** A code without its capitals or its dash. */
const ROUGH_CODE = /^(?:tg)?[\s_–—-]*(\d+)$/i;

export const pinterestSelectBoard = operation({
  command: 'connect pinterest select-board',
  summary: 'Choose the Pinterest board an account publishes to',
  question: 'Select a Pinterest board for account',
  details:
    'Attaches the board to a profile. A profile belongs to the service; it is not a context of this tool.',
  platform: 'pinterest',
  method: 'POST',
  path: '/v1/connect/pinterest/select-board',
  input: {
    accountId,
    profileId: described(ProfileId, 'Profile ID (1 to 255 characters, see posts get)', {
      flag: 'profile',
    }),
    boardId: described(NonEmpty, 'Board ID (any form, from Pinterest)', {
      flag: 'board',
      isId: true,
    }),
  },
  result: AccountResult,
  columns: [
    'platform',
    'accountId',
    'displayName',
    'attachedToProfileId',
    'providerAccountId',
    'returnTo',
  ],
  onlySetsValues: true,
  done: (said) =>
    `Pinterest board selected: ${said('boardId')}, for the account ${said('displayName') ?? said('accountId')}`,
  inspect:
    'Check in the service’s own console: the API cannot show the selected board. Running the command again is probably harmless.',
  examples: {
    'Attach a board':
      'social connect pinterest select-board -a AccountPinterest --profile ProfileMainBrand --board 549755885175',
  },
});

export const facebookPages = operation({
  command: 'connect facebook pages',
  summary: 'List the Facebook pages of an account and whether it can publish',
  platform: 'facebook',
  method: 'GET',
  path: '/v1/connect/facebook/pages',
  input: { accountId },
  result: FacebookPages,
  rows: 'pages',
  header: [
    'readiness.status',
    'readiness.selectedDestinationName',
    'readiness.missingPermissions',
    'readiness.missingScopes',
    'readiness.missingDestinations',
    'readiness.issues',
    'readiness.capabilities',
    'readiness.reconnectRecommended',
    'selectedPageId',
    'fetchedAt',
  ],
  columns: [
    'name',
    'id',
    'canPublish',
    'selected',
    'missingPermissions',
    'connectedInstagramUsername',
    'category',
  ],
  examples: { 'List pages': 'social connect facebook pages -a AccountFacebookA' },
});

export const redditFlairs = operation({
  command: 'connect reddit flairs',
  summary: 'List the post flairs of a subreddit',
  platform: 'reddit',
  method: 'GET',
  path: '/v1/connect/reddit/flairs',
  input: {
    accountId,
    subreddit: described(Subreddit, 'Subreddit name', { placeholder: 'name' }),
  },
  complete: ({ subreddit, ...others }) =>
    typeof subreddit === 'string' ? { ...others, subreddit: subredditName(subreddit) } : others,
  result: RedditFlairs,
  rows: 'flairs',
  columns: ['text', 'id', 'type', 'textEditable'],
  examples: {
    'List flairs': 'social connect reddit flairs -a AccountRedditAaa --subreddit typescript',
  },
});

export const telegramSession = operation({
  command: 'connect telegram session',
  summary: 'Show the state of a Telegram business pairing session',
  method: 'GET',
  path: '/v1/connect/telegram/business/session/{sessionId}',
  input: {
    sessionId: described(
      TelegramSessionId,
      'Session ID (64 characters 0-9 a-f, from the service)',
      {
        argument: 'one',
        sensitive: true,
      },
    ),
  },
  complete: ({ sessionId: typed, ...others }) =>
    typed === undefined ? others : { ...others, sessionId: pasted(typed) },
  meant: () => ({
    hint: 'copy the session ID from the service, where the pairing was started',
  }),
  result: TelegramSession,
  columns: [...pairingColumns, 'sessionId'],
  outdated,
  wait: waitForPairing('session'),
  examples: {
    'Check a pairing':
      'social connect telegram session 5e551011a1b2c3d4e5f60718293a4b5c6d7e8f905e551011a1b2c3d4e5f60718',
  },
});

export const telegramAccessCode = operation({
  command: 'connect telegram access-code',
  summary: 'Show the state of a Telegram access code',
  method: 'GET',
  path: '/v1/connect/telegram/access-code/{code}',
  input: {
    code: described(ForeignId, 'Access code (any form, from the service)', {
      argument: 'one',
      sensitive: true,
    }),
  },
  complete: ({ code, ...others }) =>
    code === undefined ? others : { ...others, code: pasted(code) },
  meant(code) {
    if (/^[\da-f]{64}$/i.test(code))
      return { hint: 'it looks like a session ID: use social connect telegram session' };
    const [, digits] = ROUGH_CODE.exec(code) ?? [];
    const id = digits === undefined || code === `TG-${digits}` ? undefined : `TG-${digits}`;
    return { hint: 'type the code as the service shows it, for example TG-482913', id };
  },
  result: TelegramAccessCode,
  columns: [...pairingColumns, 'code'],
  outdated,
  wait: waitForPairing('access code'),
  examples: { 'Check a code': 'social connect telegram access-code TG-482913' },
});
