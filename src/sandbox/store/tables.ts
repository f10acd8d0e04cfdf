// The tables of the sandbox: one type for each kind of stored value, most of them the API's own resource with what the
// service would know behind it; and a view through which one request reads and writes.

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

/** A running publication: when it ends, in milliseconds since 1970, and why it fails if it does. */
export interface PublishAttempt {
  readonly settlesAt: number;
  readonly failure?: string;
}

export interface StoredPost {
  readonly post: Post;
  /** By target id. */
  readonly underway?: Readonly<Record<string, PublishAttempt>>;
  /** By target id: why its next attempts fail, the next one first. */
  readonly stubborn?: Readonly<Record<string, readonly string[]>>;
}

export interface StoredAccount {
  readonly id: string;
  /** One of the API's platforms, or `metaads`. */
  readonly platform: string;
  readonly providerAccountId: string;
  readonly displayName: string;
  readonly connected: boolean;
  readonly needsReconnect: boolean;
  readonly profileId?: string;
  readonly boardId?: string;
  readonly credentialId?: string;
  readonly guildId?: string;
}

/** A Telegram pairing, by session or by access code. Its clock starts when it is first read. */
export interface Pairing {
  readonly startedAt?: number;
  /** The account that it connects. */
  readonly account: z.output<typeof AccountResult>;
}

export interface StoredKinds {
  account: StoredAccount;
  audience: { readonly id: string; readonly name: string };
  board: { readonly id: string; readonly accountId: string; readonly name: string };
  code: Pairing;
  conversation: { readonly id: string; readonly accountId: string; readonly senderDid: string };
  credential: z.output<typeof Credential> & { readonly id: string };
  discordMessage: { readonly id: string; readonly channelId: string; readonly pinned: boolean };
  guild: {
    readonly id: string;
    readonly channels: readonly z.output<typeof DiscordChannel>[];
    readonly roles: readonly z.output<typeof DiscordRole>[];
  };
  message: z.output<typeof BlueskyMessage>;
  /** The pages of an account, by the account's id. */
  pages: z.output<typeof FacebookPages>;
  post: StoredPost;
  reply: z.output<typeof CommentReply>;
  session: Pairing;
  status: { readonly accountId: string; readonly status: z.output<typeof MastodonStatus> };
  /** By the name in lower case. */
  subreddit: z.output<typeof RedditFlairs>;
  tag: { readonly accountId: string; readonly shared: z.output<typeof SharedAccounts> };
  webhook: z.output<typeof WebhookEndpoint> & { readonly id: string };
}

export type StoredKind = keyof StoredKinds;

/** One value set, or deleted when it is null. */
export type StoredChange = {
  [K in StoredKind]: readonly [kind: K, id: string, value: StoredKinds[K] | null];
}[StoredKind];

/** The view of a handler: the stored values with its own changes, and the time of the request. */
export interface StoredRecords {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** How long a retried target publishes, in milliseconds, where that was set. */
  readonly settleMs: number | undefined;
  get<K extends StoredKind>(kind: K, id: string): StoredKinds[K] | undefined;
  list<K extends StoredKind>(kind: K): readonly StoredKinds[K][];
  count(kind: StoredKind): number;
  put<K extends StoredKind>(kind: K, id: string, value: StoredKinds[K]): void;
  delete(kind: StoredKind, id: string): void;
}

/** Kind → id → value, the value as JSON gave it. */
export type Tables = Map<string, Map<string, unknown>>;

/** Applies changes to the tables, in their order. */
export function apply(tables: Tables, changes: readonly StoredChange[]): Tables {
  for (const [kind, id, value] of changes) {
    const table = tables.get(kind) ?? new Map<string, unknown>();
    tables.set(kind, table);
    if (value === null) table.delete(id);
    else table.set(id, value);
  }
  return tables;
}

/** Every value in the tables, as the changes that would store it. */
export function everything(tables: Tables): readonly StoredChange[] {
  return [...tables].flatMap(([kind, table]) =>
    [...table].map(([id, value]) => [kind, id, value] as unknown as StoredChange),
  );
}

/** A view over the tables; its writes are in `changes` alone: a handler that refuses half-way has changed nothing. */
export function tablesView(
  tables: Tables,
  now: number,
  settleMs?: number,
): { records: StoredRecords; changes: readonly StoredChange[] } {
  const changes: StoredChange[] = [];
  const table = <K extends StoredKind>(kind: K): Map<string, StoredKinds[K]> => {
    const written = changes.filter((change) => change[0] === kind);
    const base = (tables.get(kind) ?? new Map()) as Map<string, StoredKinds[K]>;
    if (written.length === 0) return base;
    const own: Tables = new Map([[kind, new Map(base)]]);
    apply(own, written);
    return own.get(kind) as Map<string, StoredKinds[K]>;
  };
  const records: StoredRecords = {
    now,
    settleMs,
    get: (kind, id) => table(kind).get(id),
    list: (kind) => [...table(kind).values()],
    count: (kind) => table(kind).size,
    put: (kind, id, value) => void changes.push([kind, id, value] as unknown as StoredChange),
    delete: (kind, id) => void changes.push([kind, id, null]),
  };
  return { records, changes };
}
