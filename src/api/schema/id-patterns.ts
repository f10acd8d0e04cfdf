// The patterns of IDs ("Conventions" in the API document). They are apart from the schemas, because completion reads
// them at every TAB.

/** Exactly 16 ASCII letters: `postId`, target `id`, `accountId`, `credentialId`, webhook `id`. */
export const RESOURCE_ID = /^[a-zA-Z]{16}$/;

/** 1 to 20 decimal digits: `channelId`, `messageId`, `guildId` of Discord. */
export const DISCORD_ID = /^[0-9]{1,20}$/;

/** 64 lowercase hexadecimal characters: a Telegram business pairing session. */
export const TELEGRAM_SESSION_ID = /^[0-9a-f]{64}$/;

/**
 * Returns the kind of resource that a field identifies, by its name: `accountId` → `account`, `attachedToProfileId` →
 * `profile`.
 */
export const idKindOf = (name: string): string | undefined =>
  /([A-Z]?[a-z]+)Ids?$/.exec(name)?.[1]?.toLowerCase();
