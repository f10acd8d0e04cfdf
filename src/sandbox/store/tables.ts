// The tables of the sandbox: one type for each kind of stored value, most of them the API's resource with what the
// service would know besides; and a view through which one request reads and writes.

import type * as z from 'zod/mini';
import type {
  AccountResult,
  BlueskyMessage,
  MastodonStatus,
  SharedAccounts,
} from '../../api/schema/account.ts';
import type { Credential } from '../../api/schema/credential.ts';
import type {
  DiscordChannel,
  DiscordRole,
  FacebookPages,
  RedditFlairs,
} from '../../api/schema/destination.ts';
import type { CommentReply, Post } from '../../api/schema/post.ts';
import type { WebhookEndpoint } from '../../api/schema/webhook.ts';

/** A publication in progress: when it is done, in milliseconds since 1970, and the error if it fails. */
export interface PublishAttempt {
  readonly endsAt: number;
  readonly failure?: string | undefined;
}

export interface StoredPost {
  readonly post: Post;
  /** Publications in progress, by target ID. */
  readonly underway?: Readonly<Record<string, PublishAttempt>>;
  /** The errors of the next attempts, by target ID, the next one first. */
  readonly stubborn?: Readonly<Record<string, readonly string[]>>;
  /** Failed targets that were published all the same: the answer of the platform was lost. */
  readonly unnoticed?: readonly string[];
}

export interface StoredAccount {
  readonly id: string;
  /** A platform of the API, or `metaads`. */
  readonly platform: string;
  readonly providerAccountId?: string;
  readonly displayName: string;
  /** False if a person must reconnect it before it can act. */
  readonly connected: boolean;
  readonly credentialId?: string;
  readonly guildId?: string;
}

/** A Telegram pairing, by session or by access code. Its clock starts when it is first read. */
export interface Pairing {
  readonly startedAt?: number;
  /** The time that its code is valid, in milliseconds, if it is not the usual one. */
  readonly lastsMs?: number;
  /** The status that it keeps, if it never connects. */
  readonly stays?: string;
  /** The account to connect. */
  readonly account: z.output<typeof AccountResult>;
}

export interface StoredKinds {
  account: StoredAccount;
  audience: { readonly id: string; readonly name: string };
  board: { readonly accountId: string };
  code: Pairing;
  conversation: { readonly accountId: string };
  credential: z.output<typeof Credential> & { readonly id: string };
  discordMessage: { readonly channelId: string; readonly pinned: boolean };
  guild: {
    readonly channels: readonly z.output<typeof DiscordChannel>[];
    readonly roles: readonly z.output<typeof DiscordRole>[];
  };
  message: z.output<typeof BlueskyMessage>;
  /** The pages of an account, by the account's ID. */
  pages: z.output<typeof FacebookPages>;
  post: StoredPost;
  reply: z.output<typeof CommentReply>;
  session: Pairing;
  status: { readonly accountId: string; readonly status: z.output<typeof MastodonStatus> };
  /** Flairs, by the subreddit's name in lower case. */
  subreddit: z.output<typeof RedditFlairs>;
  tag: { readonly accountId: string; readonly shared: z.output<typeof SharedAccounts> };
  webhook: z.output<typeof WebhookEndpoint> & { readonly id: string };
}

export type StoredKind = keyof StoredKinds;

/** One stored value, as the file and the seeds list it. */
export type StoredRecord = {
  [K in StoredKind]: readonly [kind: K, id: string, value: StoredKinds[K]];
}[StoredKind];

/** A handler's view of the stored values during one request. */
export type StoredRecords = Readonly<ReturnType<typeof viewOf>['records']>;

/** Makes the view of one request. `changed` returns all stored values if the request wrote one. */
export function viewOf(stored: readonly StoredRecord[], now: number, publishAfterMs?: number) {
  const byKey = new Map(stored.map((record) => [keyOf(record[0], record[1]), record]));
  let isChanged = false;
  const list = <K extends StoredKind>(kind: K): readonly StoredKinds[K][] =>
    [...byKey.values()]
      .filter(([other]) => other === kind)
      .map(([, , value]) => value as StoredKinds[K]);
  const records = {
    /** The time of the request, in milliseconds since 1970. */
    now,
    /** Milliseconds during which a retried target is publishing, if they were configured. */
    publishAfterMs,
    get: <K extends StoredKind>(kind: K, id: string) =>
      byKey.get(keyOf(kind, id))?.[2] as StoredKinds[K] | undefined,
    list,
    count: (kind: StoredKind) => list(kind).length,
    put<K extends StoredKind>(kind: K, id: string, value: StoredKinds[K]): void {
      isChanged = true;
      byKey.set(keyOf(kind, id), [kind, id, value] as unknown as StoredRecord);
    },
    delete(kind: StoredKind, id: string): void {
      isChanged = true;
      byKey.delete(keyOf(kind, id));
    },
  };
  return { records, changed: () => (isChanged ? [...byKey.values()] : undefined) };
}

const keyOf = (kind: StoredKind, id: string): string => `${kind} ${id}`;
