// What the sandbox keeps: one shape for each kind of thing, most of them the API's own resource
// with what the service would know behind it. Nothing here but shapes.

import type * as z from 'zod/mini';
import type {
  AccountResult,
  BlueskyMessage,
  MastodonStatus,
  SharedAccounts,
} from '../schema/account.ts';
import type { Credential } from '../schema/credential.ts';
import type { FacebookPages, RedditFlairs } from '../schema/destination.ts';
import type { DiscordChannel, DiscordRole } from '../schema/discord.ts';
import type { CommentReply, Post } from '../schema/post.ts';
import type { WebhookEndpoint } from '../schema/webhook.ts';

/** A publication under way: when it settles, in milliseconds since 1970, and why it fails if it does. */
export interface Attempt {
  readonly settlesAt: number;
  readonly failure?: string;
}

export interface StoredPost {
  readonly post: Post;
  /** By target id. */
  readonly underway?: Readonly<Record<string, Attempt>>;
  /** By target id: the reasons for which its next attempts fail, the nearest first. */
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

/** A Telegram pairing, by session or by access code. Its clock starts when somebody first looks at it. */
export interface Pairing {
  readonly startedAt?: number;
  /** The account that it ends with; without one it expires. */
  readonly account?: z.output<typeof AccountResult>;
}

export interface Kinds {
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

export type Kind = keyof Kinds;

/** One thing set, or gone when the value is null. */
export type Change = { [K in Kind]: readonly [kind: K, id: string, value: Kinds[K] | null] }[Kind];
