// The errors of the fourteen platforms and the cause of each, as their documentation gives them: a hint for people. No
// platform is read by the words of another.

import { googleReadings } from './google-causes.ts';
import { graphReadings } from './graph-causes.ts';
import { codes, type PlatformReading } from './platform-reading.ts';

export const platformReadings: Readonly<Record<string, PlatformReading>> = {
  ...googleReadings,
  ...graphReadings,
  twitter: {
    source: 'docs.x.com/x-api/fundamentals/response-codes-and-errors',
    codes: [
      [codes('88|130|131|420'), 'temporary'],
      [codes('185|226|326|64|261|416|453'), 'platform'],
      [codes('186|187|170|323|324|325|385|386|407|433'), 'content'],
      [codes('32|89|99|135|215|220|37|87|93|179'), 'reconnect'],
      [/problems\/(?:usage-capped|client-forbidden|credits)/, 'platform'],
      [/problems\/unsupported-authentication/, 'reconnect'],
    ],
    words: [
      [
        /duplicate|already (?:said|tweeted|posted)|bit shorter|too long|character|media ?(?:id|type|category)|invalid ?media|(?:video|image|gif|file) (?:\w+ )*(?:too|exceed|invalid|not)|deleted or not visible|(?:tweet|post) (?:[\w ]+ )?(?:was|has been) deleted|invalid url|poll/i,
        'content',
      ],
      [
        /suspended|locked|automated|spam|daily (?:limit|status)|usage.?cap|monthly|credits?.?depleted|enrolled|attached to a project|access level|client.?forbidden|polic(?:y|ies)|not (?:allowed|permitted) to (?:post|tweet|reply)|restricted/i,
        'platform',
      ],
      [
        /could not authenticate|unauthori[sz]ed|invalid or expired token|oauth|authenticat|credentials|app permissions|not authori[sz]ed/i,
        'reconnect',
      ],
      [
        /rate limit|too many requests|over capacity|internal (?:server )?error|service unavailable|something (?:went wrong|is broken)|timed? ?out|bad gateway/i,
        'temporary',
      ],
    ],
  },
  linkedin: {
    source: 'learn.microsoft.com/linkedin/shared/api-guide/concepts/error-handling',
    codes: [[codes('65600|65601|65602|65604'), 'reconnect']],
    words: [
      [/duplicate/i, 'content'],
      [
        /waiting_upload|(?:status:?|is|still|being) process\w+|not (?:yet )?(?:available|ready)/i,
        'temporary',
      ],
      [
        /(?:application|member|day|daily)[\w ]* (?:day )?limit|restricted|suspended|not (?:verified|eligible)|polic(?:y|ies)|spam|violat/i,
        'platform',
      ],
      [
        /token|expired|revoked|not enough permissions|access_?denied|(?:organi[sz]ation|admin\w*|member) (?:permission|rights|role|authorization)|unauthori[sz]ed|does not match|scope|\bauthentication/i,
        'reconnect',
      ],
      [/throttle|rate limit|too many requests/i, 'temporary'],
      [
        /length|characters|too (?:long|large|many)|unprocessable|media|asset|image|video|document|invalid (?:url|urn|content|value|parameter)|field|required|commentary|mention/i,
        'content',
      ],
      [/internal server|service unavailable|gateway|timed? ?out|try again/i, 'temporary'],
      [/forbidden|permission/i, 'reconnect'],
    ],
  },
  tiktok: {
    source: 'developers.tiktok.com/doc/content-posting-api-reference-get-video-status',
    codes: [
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
    words: [
      [/access token|authori[sz]|scope|log ?in|reconnect|expired/i, 'reconnect'],
      [
        /banned|spam|private accounts|audit|verif|daily|too many (?:posts|pending)|cap\b|guidelines|polic(?:y|ies)|draft|inbox|open the app/i,
        'platform',
      ],
      [
        /format|duration|frame rate|resolution|size|caption|title|too (?:long|large|short)|privacy|invalid|codec/i,
        'content',
      ],
      [
        /rate limit|too many requests|try again|timed? ?out|unavailable|server|network|busy/i,
        'temporary',
      ],
    ],
  },
  pinterest: {
    source: 'developers.pinterest.com/docs/reference/error-codes',
    codes: [
      [codes('2|3|29'), 'reconnect'],
      [codes('7|8|12'), 'temporary'],
      [codes('40|50|235|1|2625|2786'), 'content'],
    ],
    words: [
      [
        /trial access|consumer type|spam|blocked|(?:max\w*|limit)[\w ]* (?:pins|boards)|(?:pin|board) limit|suspended|polic(?:y|ies)|guidelines|deactivated/i,
        'platform',
      ],
      [/authenticat|authori[sz]|token|not permitted|permission|scope|log ?in/i, 'reconnect'],
      [
        /rate limit|too many requests|try again|something went wrong|on our end|unavailable|timed? ?out|internal/i,
        'temporary',
      ],
      [
        /board|image|video|media|link|title|description|invalid|url|fetch|too (?:small|large|long)|required|dimension|cover/i,
        'content',
      ],
    ],
  },
  reddit: {
    source: 'github.com/reddit-archive/reddit/blob/master/r2/r2/lib/errors.py',
    codes: [
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
    words: [
      [
        /aren'?t allowed to post|banned|karma|account (?:is )?(?:too new|age|suspended)|private (?:community|subreddit)|moderator|removed|approved|verified email|restricted/i,
        'platform',
      ],
      [/\bflair|already been (?:submitted|posted)|title/i, 'content'],
      [
        /doing that (?:too much|a lot)|try again in|break for|rate limit|too many requests|unavailable|gateway|timed? ?out|internal/i,
        'temporary',
      ],
      [/log ?in|token|unauthori[sz]ed|scope|revoked|forbidden/i, 'reconnect'],
      [/text|link|image|video|too long|url|exist|required|crosspost|allow/i, 'content'],
    ],
  },
  telegram: {
    source: 'core.telegram.org/api/errors',
    codes: [
      [/flood_?wait|slowmode_wait/i, 'temporary'],
      [/PEER_FLOOD|USER_BANNED|TOPIC_CLOSED|FORWARDS_RESTRICTED|PREMIUM|BOOST/, 'platform'],
      [
        /CHAT_(?:WRITE|SEND_\w+)_FORBIDDEN|ADMIN_REQUIRED|PEER_ID_INVALID|CHANNEL_(?:PRIVATE|INVALID)|AUTH_KEY|SESSION_(?:REVOKED|EXPIRED)|USER_DEACTIVATED\b/,
        'reconnect',
      ],
      [/PHOTO_|MEDIA_|WEBPAGE_|MESSAGE_|ENTITY_|BUTTON_/, 'content'],
    ],
    words: [
      [
        /too many requests|retry after|slow ?mode|bad gateway|internal server|timed? ?out/i,
        'temporary',
      ],
      [
        /bot was (?:kicked|blocked)|not a member|bot (?:can'?t|is not)|not enough rights|administrator rights|chat not found|unauthorized|upgraded to a supergroup|user is deactivated|have no rights|bot token/i,
        'reconnect',
      ],
      [/restricted|closed|premium|boost|deleted (?:chat|account)/i, 'platform'],
      [
        /too (?:long|big|large|much)|parse entities|file identifier|url|web ?page|wrong (?:type|file|remote)|is empty|caption|dimensions|invalid|message|poll|button|failed to get|entity/i,
        'content',
      ],
      [/forbidden/i, 'reconnect'],
    ],
  },
  discord: {
    source: 'discord.com/developers/docs/topics/opcodes-and-status-codes',
    codes: [
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
    words: [
      [
        /rate limit|slowmode|unavailable|overloaded|internal server|timed? ?out|cloudflare/i,
        'temporary',
      ],
      [
        /missing (?:access|permission)|unknown (?:channel|guild|webhook)|unauthori[sz]ed|token|kicked/i,
        'reconnect',
      ],
      [
        /verify|banned|maximum number|quarantin|disabled|cannot send messages to this user/i,
        'platform',
      ],
      [
        /empty message|form body|fewer in length|too large|automatic moderation|embed|attachment|invalid|length/i,
        'content',
      ],
    ],
  },
  bluesky: {
    source: 'docs.bsky.app/docs/api/com-atproto-repo-create-record',
    codes: [
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
    words: [
      [
        /invalid identifier or password|token (?:has )?(?:expired|been revoked|could not be verified)/i,
        'reconnect',
      ],
      [
        /taken down|suspended|deactivated|confirm\w* (?:your )?email|daily limit|video upload limit/i,
        'platform',
      ],
      [
        /rate limit|service unavailable|fetch failed|bad gateway|timed? ?out|try again/i,
        'temporary',
      ],
      [
        /graphemes|too large|mime|InvalidRequest|record|blob|facet|embed|handle|could not find|alt text|longer than|characters|video/i,
        'content',
      ],
    ],
  },
  mastodon: {
    source: 'docs.joinmastodon.org/methods/statuses',
    codes: [[/invalid_grant|invalid_client|unauthorized_client|invalid_token/, 'reconnect']],
    words: [
      [/not finished processing|try again in a moment/i, 'temporary'],
      [
        /access token|outside the authorized scopes|not authenticated|\btoken (?:is|was|has)|revoked|requires an authenticated user/i,
        'reconnect',
      ],
      [
        /login is (?:currently )?(?:disabled|pending)|confirmed e-mail|suspended|limited|silenced|not allowed|moderat|blocked|account (?:is|has been)|instance (?:does not|policy)/i,
        'platform',
      ],
      [
        /character limit|validation failed|can'?t be blank|attach|content type|file size|too (?:long|large)|unprocessable|poll|not found|scheduled|visibility|mime|media|image|video|format|aspect|duration|characters/i,
        'content',
      ],
      [
        /throttled|too many requests|rate limit|unavailable|went wrong|gateway|timed? ?out|remote|certificate|could not be fetched|maintenance|connection/i,
        'temporary',
      ],
    ],
  },
};
