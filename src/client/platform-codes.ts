// The codes by which the fourteen platforms name their errors, with the cause of each, from their documentation: a hint
// for people. What a text says in words instead is read by `causes.ts`.

/** What has to happen before a failed target can succeed, in the order in which a person acts on them. */
export const targetCauses = ['temporary', 'reconnect', 'content', 'platform', 'other'] as const;

export type TargetCause = (typeof targetCauses)[number];

export type Reading = readonly [pattern: RegExp, cause: TargetCause];

/** Numbers where a text gives a code: `(#190)`, `code 190`, `error_subcode: 463`, `"code":10003`, `(187)`. */
function codes(numbers: string): RegExp {
  const number = `-?(?:${numbers})\\b`;
  const label = `(?:#|(?<!status[ _]?)code['"]?[ :=#]+['"]?|error['"]?[ :=#]+['"]?)`;
  const isAmount = `(?![.,]?\\d|\\s*(?:characters|px|mb|seconds|s)\\b)`;
  return new RegExp(`${label}${number}${isAmount}|[([]${number}[)\\]]`, 'i');
}

/** Meta's Graph API: developers.facebook.com/docs/graph-api/guides/error-handling */
const graph: readonly Reading[] = [
  // Subcodes say more than the code before them.
  [/\b22070(?:01|03|08|27|32|53|82)\b|\b4279009\b/, 'temporary'],
  [/\b22070(?:42|50|51|69|81)\b/, 'platform'],
  [/\b22070(?:04|05|06|09|10|20|23|26|28|35|36|37|40|52|57)\b/, 'content'],
  [codes('458|459|460|463|464|467|492'), 'reconnect'],
  [codes('9007'), 'temporary'],
  [codes('368|3|25|36001|80001'), 'platform'],
  [
    codes('9004|36000|36003|36004|506|324|352|389|1609005|1366046|1349125|1363030|1363128'),
    'content',
  ],
  [codes('190|102|10|2\\d\\d'), 'reconnect'],
  [codes('4|17|32|613|341|8000\\d|8001\\d|1|2'), 'temporary'],
  [/"is_transient":\s*true/, 'temporary'],
];

/** The first that matches applies. */
export const platformCodes: Readonly<Record<string, readonly Reading[]>> = {
  facebook: graph,
  instagram: graph,
  threads: graph,
  // developers.google.com/youtube/v3/docs/errors
  youtube: [
    [
      /authError|invalid_grant|insufficientPermissions|authorizationRequired|ACCESS_TOKEN_SCOPE|\bUNAUTHENTICATED/i,
      'reconnect',
    ],
    [
      /uploadLimitExceeded|quotaExceeded|dailyLimitExceeded|youtubeSignupRequired|accessNotConfigured|SERVICE_DISABLED/i,
      'platform',
    ],
    [
      /userRateLimitExceeded|rateLimitExceeded|backendError|internalError|serviceUnavailable|processingFailure/i,
      'temporary',
    ],
    [/mediaBodyRequired|\binvalid[A-Z]|playlistItem/, 'content'],
  ],
  // developers.google.com/my-business/reference/rest/v4/ErrorCode
  googlebusiness: [
    [/\bUNAUTHENTICATED|invalid_grant|ACCESS_TOKEN_SCOPE/i, 'reconnect'],
    [/SERVICE_DISABLED|accessNotConfigured/i, 'platform'],
  ],
  // docs.x.com/x-api/fundamentals/response-codes-and-errors
  twitter: [
    [codes('88|130|131|420'), 'temporary'],
    [codes('185|226|326|64|261|416|453'), 'platform'],
    [codes('186|187|170|323|324|325|385|386|407|433'), 'content'],
    [codes('32|89|99|135|215|220|37|87|93|179'), 'reconnect'],
    [/problems\/(?:usage-capped|client-forbidden|credits)/, 'platform'],
    [/problems\/unsupported-authentication/, 'reconnect'],
  ],
  // learn.microsoft.com/linkedin/shared/api-guide/concepts/error-handling
  linkedin: [[codes('65600|65601|65602|65604'), 'reconnect']],
  // developers.tiktok.com/doc/content-posting-api-reference-get-video-status
  tiktok: [
    [
      /access_token_invalid|scope_not_authorized|token_not_authorized|auth_removed|scope_permission_missed/i,
      'reconnect',
    ],
    [/spam_risk_text/i, 'content'],
    [
      /spam_risk|reached_active_user_cap|unaudited_client|url_ownership_unverified|publish_cancelled|user_banned|app_version_check_failed/i,
      'platform',
    ],
    [
      /(?:file_format|duration|frame_rate|picture_size)_check_failed|privacy_level_option_mismatch|invalid_param|invalid_file_upload|(?:video|photo)_pull_failed/i,
      'content',
    ],
    [/rate_limit_exceeded|internal(?:_error)?\b|upload_not_complete/i, 'temporary'],
  ],
  // developers.pinterest.com/docs/reference/error-codes
  pinterest: [
    [codes('2|3|29'), 'reconnect'],
    [codes('7|8|12'), 'temporary'],
    [/\bboard not found/i, 'content'],
    [codes('40|50|235|1|2625|2786'), 'content'],
  ],
  // github.com/reddit-archive/reddit/blob/master/r2/r2/lib/errors.py
  reddit: [
    [
      /SUBREDDIT_NOTALLOWED|BANNED_FROM|USER_BLOCKED|USER_MUTED|QUOTA_FILLED|THREAD_LOCKED|DOMAIN_BANNED|SUBREDDIT_OUTBOUND|VERIFIED_EMAIL|SR_RULE/i,
      'platform',
    ],
    [/USER_REQUIRED|INVALID_GRANT|WRONG_PASSWORD/i, 'reconnect'],
    [/RATELIMIT|IN_TIMEOUT/i, 'temporary'],
    [
      /ALREADY_SUB|NO_(?:SELFS|LINKS|IMAGES|VIDEOS|TEXT|URL)|BAD_(?!GATEWAY)|TOO_(?:LONG|SHORT|OLD)|SUBREDDIT_NO_?EXIST|SUBMIT_VALIDATION|INVALID_/i,
      'content',
    ],
  ],
  // core.telegram.org/api/errors
  telegram: [
    [/flood_?wait|slowmode_wait/i, 'temporary'],
    [/PEER_FLOOD|USER_BANNED|TOPIC_CLOSED|FORWARDS_RESTRICTED|PREMIUM|BOOST/, 'platform'],
    [
      /CHAT_(?:WRITE|SEND_\w+)_FORBIDDEN|ADMIN_REQUIRED|PEER_ID_INVALID|CHANNEL_(?:PRIVATE|INVALID)|AUTH_KEY|SESSION_(?:REVOKED|EXPIRED)|USER_DEACTIVATED\b/,
      'reconnect',
    ],
    [/PHOTO_|MEDIA_|WEBPAGE_|MESSAGE_|ENTITY_|BUTTON_/, 'content'],
  ],
  // discord.com/developers/docs/topics/opcodes-and-status-codes
  discord: [
    [codes('20016|20022|20028|20029|130000|40062'), 'temporary'],
    [codes('10002|10003|10004|10006|10015|40001|50001|50013|50014|50025|50027'), 'reconnect'],
    [codes('40002|40007|40333|50007|50009|300\\d\\d|20009|50055|340013|20026'), 'platform'],
    [
      codes(
        '50006|50008|50035|40005|200000|200001|240000|50046|50109|50045|10008|50138|160005|50041',
      ),
      'content',
    ],
  ],
  // docs.bsky.app/docs/api/com-atproto-repo-create-record
  bluesky: [
    [
      /ExpiredToken|InvalidToken|AuthMissing|AuthenticationRequired|AuthFactorTokenRequired|BadJwt/i,
      'reconnect',
    ],
    [
      /AccountTakedown|AccountDeactivated|AccountSuspended|RepoDeactivated|RepoTakendown|RepoSuspended|UnconfirmedEmail/i,
      'platform',
    ],
    [
      /RateLimitExceeded|UpstreamFailure|UpstreamTimeout|InternalServerError|NotEnoughResources|InvalidSwap/i,
      'temporary',
    ],
    [/BlobTooLarge|InvalidMimeType|InvalidRecord|RecordNotFound/i, 'content'],
  ],
  // docs.joinmastodon.org/methods/statuses
  mastodon: [[/invalid_grant|invalid_client|unauthorized_client|invalid_token/, 'reconnect']],
};
