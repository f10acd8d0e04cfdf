// The built-in table of causes: codes and words of the errors of platforms, and the cause that each suggests.

import type { TargetCause } from './taught-causes.ts';

/** An error in the forms in which the rows read it. */
export interface ErrorForms {
  readonly platform: string;
  readonly text: string;
  readonly words: string;
  readonly wordsWithoutTypes: string;
}

export interface Row {
  readonly cause: TargetCause;
  /** Returns the part of an error that the row matches, for people. */
  read(error: ErrorForms): string | undefined;
}

function rowsOf(table: string): readonly Row[] {
  const found: Row[] = [];
  // The platforms of the codes below the current heading; `undefined` below `words`.
  let platforms: readonly string[] | undefined;
  // A line that is indented further than a row continues it.
  for (const line of table.replace(/\n {3,}/g, ' ').split('\n')) {
    const [first = '', ...rest] = line.trim().split(/\s+/);
    if (first === '' || first === '#') continue;
    if (line.startsWith(' '))
      found.push({
        cause: first as TargetCause,
        read:
          platforms === undefined
            ? readWords(rest, first === 'content')
            : readCodes(platforms, rest),
      });
    else platforms = first === 'codes' ? rest : undefined;
  }
  return found;
}

function readWords(parts: readonly string[], isOfContent: boolean): Row['read'] {
  const phrases = parts.join(' ').split(' | ').map(starsToPatterns);
  const choice = phrases.join('|').replaceAll(' … ', ' (?:.{0,80} )?');
  const pattern = new RegExp(`\\b(?:${choice})(?!\\w)`, 'i');
  return ({ words, wordsWithoutTypes }) => {
    const [match] = pattern.exec(isOfContent ? wordsWithoutTypes : words) ?? [];
    return match === undefined || match.startsWith('HTTP ') ? match : `"${match}" in the text`;
  };
}

/** The mark before a code, without which a short number is none: `(#190)`, `code 190`, `"error_subcode": 463`. */
const MARK = String.raw`(?:#|(?<!status[ _]?)code['"]?[ :=#]+['"]?|error['"]?[ :=#]+['"]?|[([])-?`;
/** The end of a number that is neither part of a longer one nor an amount such as `500 characters`. */
const NOT_AN_AMOUNT = String.raw`\b(?![.,]?\d|\s*(?:characters|pixels|px|[km]b|bytes|seconds|s)\b)`;

const MATCHES_NOTHING = '(?!)';

function readCodes(platforms: readonly string[], codes: readonly string[]): Row['read'] {
  const choice = (kind: RegExp) =>
    codes
      .filter((code) => kind.test(code))
      .map(starsToPatterns)
      .join('|') || MATCHES_NOTHING;
  // Short numbers after a mark; long numbers, which need none; names, which may have any ending.
  const patterns = [
    new RegExp(`${MARK}(${choice(/^\d{1,4}\*?$/)})${NOT_AN_AMOUNT}`, 'i'),
    new RegExp(`\\b(${choice(/^\d{5,}$/)})${NOT_AN_AMOUNT}`),
    new RegExp(`\\b((?:${choice(/[a-z]/i)})\\w*)`),
  ];
  return ({ platform, text }) => {
    if (!platforms.includes(platform)) return undefined;
    const found = patterns
      .map((pattern) => pattern.exec(text)?.[1])
      .find((code) => code !== undefined);
    return found === undefined ? undefined : `code ${found}`;
  };
}

/** Makes `*` match any ending of a word. */
const starsToPatterns = (part: string): string => part.replaceAll('*', String.raw`\w*`);

/** Makes a function that computes its value at the first call. */
function onDemand<T>(compute: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= compute());
}

/** Parsing the table takes 2 ms, and most commands read no error. */
export const builtInRows = onDemand(() => {
  const [table = '', vagueTable = ''] = causeTable.split(/^# Words that say little\.$/m);
  return { rows: rowsOf(table), vagueRows: rowsOf(`words${vagueTable}`) };
});

/**
 * The built-in table: error texts and the cause that each suggests. The first matching row from the top decides: first
 * codes with one meaning, from the documentation of each platform, then words of any platform, then codes that a
 * platform uses for several things, then vague words.
 *
 * A row is a cause and its patterns; a deeper line continues it. Under `codes` of platforms: numbers that the text
 * marks as a code, and names anywhere. Under `words`: phrases between bars, as whole words. `*` is any ending, `…`
 * stands for some words, `(a|b)` is a choice, and `http 503` is the status of a response.
 */
const causeTable = String.raw`
words
# In an outage of the platform its codes mean nothing.
  temporary  outages? | (platform|service|api|servers?|instance|site) (is|are|may be|might be|could be|seems) (currently |partially |still )?down
# developers.facebook.com/docs/graph-api/guides/error-handling: a subcode says more than the code before it
codes facebook instagram threads
  temporary  2207001 2207003 2207008 2207020 2207027 2207032 2207053 2207082 4279009 1390008 1363047 1609010
  platform   2207042 2207050 2207051 2207069 2207081 1404006 1404102 1346003 459 464
  content    2207004 2207005 2207006 2207009 2207010 2207023 2207026 2207028 2207035 2207036 2207037 2207040 2207052
             2207057 2207085 9004 36000 36003 36004 506 324 352 197 1609005 1609008 1366046 1349125 1363030 1363128
             1363045 2061006
  reconnect  458 460 463 467 492 1404078 190 102
  other      33
  temporary  9007 1200 4 17 32 613 341 8000* 8001*
# developers.google.com/youtube/v3/docs/errors, developers.google.com/my-business/reference/rest/v4/ErrorCode
codes youtube googlebusiness
  reconnect  authError insufficientPermissions authorizationRequired UNAUTHENTICATED ACCESS_TOKEN_SCOPE
  platform   uploadLimitExceeded quotaExceeded dailyLimitExceeded youtubeSignupRequired accessNotConfigured
             authenticatedUserAccount channelSuspended SERVICE_DISABLED LOCATION_DISABLED OPERATION_UNSUPPORTED
  temporary  backendError processingFailure
# docs.x.com/x-api/fundamentals/response-codes-and-errors
codes twitter
  platform   185 226 326 64 261 416 453 usage-capped client-forbidden client-not-enrolled
  content    186 187 170 323 324 325 385 386 407 433
  temporary  88 130 131 420
  reconnect  32 89 99 135 215 220 37 87 93 179 unsupported-authentication
# learn.microsoft.com/linkedin/shared/api-guide/concepts/error-handling
codes linkedin
  reconnect  65600 65601 65602 65604
# developers.tiktok.com/doc/content-posting-api-reference-get-video-status
codes tiktok
  reconnect  access_token_invalid scope_not_authorized token_not_authorized auth_removed scope_permission_missed
  content    spam_risk_text privacy_level_option_mismatch invalid_param
  platform   spam_risk reached_active_user_cap unaudited_client url_ownership_unverified publish_cancelled
# core.telegram.org/api/errors
codes telegram
  temporary  FLOOD_WAIT SLOWMODE_WAIT
  platform   PEER_FLOOD PREMIUM_ BOOST TOPIC_CLOSED
  reconnect  CHAT_WRITE_FORBIDDEN CHAT_SEND_ ADMIN_REQUIRED CHANNEL_PRIVATE CHANNEL_INVALID PEER_ID_INVALID AUTH_KEY
             USER_DEACTIVATED
  content    PHOTO_ MEDIA_ WEBPAGE_ MESSAGE_ ENTITY_ BUTTON_
# discord.com/developers/docs/topics/opcodes-and-status-codes
codes discord
  temporary  20016 20022 20028 20029 130000 40062
  reconnect  10002 10003 10004 10006 10015 40001 50001 50013 50014 50025 50027
  platform   40002 40007 40333 50007 50009 300* 20009 50055 340013 20026
  content    50006 50008 50035 40005 200000 200001 240000 50046 50109 50045 10008 50138 160005 50041
# github.com/reddit-archive/reddit/blob/master/r2/r2/lib/errors.py
codes reddit
  platform   SUBREDDIT_NOTALLOWED USER_MUTED SUBREDDIT_OUTBOUND SR_RULE DOMAIN_BANNED QUOTA_FILLED
  reconnect  USER_REQUIRED INVALID_GRANT WRONG_PASSWORD
  temporary  RATELIMIT IN_TIMEOUT
  content    ALREADY_SUB NO_SELFS NO_LINKS BAD_SR_NAME BAD_CSS TOO_OLD SUBREDDIT_NOEXIST SUBREDDIT_NO_EXIST
# docs.bsky.app/docs/api/com-atproto-repo-create-record
codes bluesky
  reconnect  ExpiredToken InvalidToken AuthMissing AuthenticationRequired BadJwt
  platform   AccountTakedown RepoTakendown
  temporary  UpstreamFailure NotEnoughResources InvalidSwap
words
# The post, or one like it, is out already: no waiting helps, whatever advice comes with it.
  content    duplicate* | identical to | repeats (a|the|an) | the same (text|content|post) |
             already (been )?(submitted|sent|posted|shared|published|retweeted|tweeted|pinned)
# The service asked for what the platform does not know, or got nothing from it: only the service can mend that.
  other      100 ?/ ?33 | version … (not active|deprecated|sunset|no longer supported) | api … deprecated | non ?existing field |
             method … not supported | unsupported (get |post )?request - method | not found on this server |
             cannot read propert* | client (key|secret|id) | redirect uri | unpermitted fields |
             resource … does not exist | (unknown|invalid) (path|endpoint|parameter name) | no (post |media )?id\b |
             firewall | cloudflare | captcha | unexpected token | (not valid|invalid) json |
             entity type … not supported | network security | (api|app|consumer) (key|secret|id) |
             (invalid|unauthorized) client | (unknown|unexpected|invalid) response | did not return | no … returned |
             capability
# An account in trouble: its owner has to act there. Before the advice to log in, to reconnect or to try again.
  platform   suspend* | banned | restrict(|ed|ion|ions) | (temporarily|temporary) (block|blocked|locked) |
             unlock your | not permitted to perform | only (accepts|approved) | account … (locked|disabled|closed|inactive|under review|deactivated|limited|status) |
             login … disabled | (verify|confirm*) (your |you |the )?(account|identity|e-?mail|phone|business) |
             valid e-?mail | un(confirmed|verified) (user|e-?mail|account) | (not verified|not confirmed) |
             (e-?mail|account|phone|identity) … be (confirmed|verified) | (page|location) … not published |
             security check | (phone|identity|account|age|e-?mail) verification | checkpoint* | challenge required | disapproved | limited access | taken ?down |
             deactivated | automated | unusual activity | two-factor |
             not (an? )?(instagram )?(business|professional|creator) | be an? (business|professional|creator) |
             personal account | not eligible | account conditions | for this location | part of a chain | (as|in|to) (a |your )?(draft|drafts|inbox) |
             verified (channel|account|user|creator|business)* | cannot send messages |
             action … blocked
  temporary  per (minute|second)
# The end of a day, a plan or a budget: a retry of today is in vain. Before the advice to try again.
  platform   tomorrow | daily | per day | a day | (24|twenty-four)[- ]?(hour|hours|h) | day limit | today | monthly |
             credits? | cap | capped | spending | billing | payment | subscription | plan limit | upgrade your |
             (posting|publish|publishing|upload|update|usage) limits? | quota | (maximum|limit) … (posts|pins|tweets) |
             exceeded the number | first \d+ days | too new | created (today|less than) | account age | karma | trial access | subset of | access level |
             (api|current|your|free|basic) plan | attached to a project | developer app
  reconnect  http 401
# Too fast, too busy, not done yet. Before the words for sessions and for media, which such errors contain.
  temporary  http (502|503|504|52\d) | (takes|took|taking) too long | timed? ?-?outs? | etimedout | deadline exceeded | taking longer |
             longer than (expected|usual) | over capacity | at capacity | broken pipe | interrupted | please wait |
             at this time | right now | did not (finish|answer|respond|complete) |
             not (yet )?(finished|ready|complete|completed) | (not|*n't) (finished|ready) | is processing |
             still … process* | being processed | in progress | upload session | (container|media) … (has )?expired |
             too fast | slow down | slow ?mode | (that|too) (too )?(much|often|frequently|quickly) |
             take a (rest|break) | too many … (recently|at once|wait) | short (time|period|while) |
             wait (a|an|for|before|until|some|\d+) | limit how often | (rate|request|call|throttle)[- ]?limit* | limited (by|to) |
             throttl* | too many (requests|calls|attempts|links recently|actions|uploads) | temporar* | unavailable |
             overload* | maintenance | resource exhausted | internal (server )?error | server error |
             problem with … servers | gateway | went wrong | something is broken | unexpected error |
             unknown error has | shortly | few (minutes|seconds|moments) | in a moment | reduce the amount | network |
             connection … (reset|refused|closed|lost|aborted|dropped|failed) | closed the connection | resolve host |
             econn* | reset by | socket hang up | epipe | eai again | enotfound | busy | out of memory | no (response|answer|reply) | fetch failed | other side closed | dns | no such host | certificate | error writing |
             (unable to|could not|cannot) reach | unreachable | conflict error
# Access that was withdrawn, or never given.
  reconnect  no longer (connected|linked|logged in) | (re-?)?auth(enticat|oriz|oris)* | (re-?)?auth (failed|failure|error|expired|required|revoked|invalid) | un(authorized|authorised|authenticated|linking|linked) | not linked |
             oauth2? access token | tokens? | permissions? | granted? | scopes? | re-?connect* | connect … again | re-?link* |
             disconnect* | not connected | connections? | revoked | expired | (log|logged|sign|signed)[- ]?(in|out) |
             logins? | credentials? | sessions? | password | (missing|no|lost) access |
             access … (denied|lost|removed) | access to | (admin*|posting|enough|write) rights | no longer an? admin |
             not a member | kicked | chat not found | supergroup | blocked by the user |
             unknown (channel|guild|server|webhook) | upgraded to | app is missing | privileges? | role on |
             (not|be) an? admin* | (threads|instagram|pages) (content|manage|basic)* | connected user
  temporary  http (408|429|5\d\d)
# What the author has to change.
  content    too (long|large|big|small|short|tall|wide|heavy|many) | or (fewer|less|more) | exceed* | at (most|least) |
             (longer|larger|smaller|bigger|shorter|fewer|greater|less|more) than | must (be|not|contain|have|include) |
             must also | should (be|check) | maximum | is required | are required | required field | missing | empty |
             needs? (a|an|to) | invalid | malformed | unsupported | not supported |
             only (allows?|photos?|images?|text) | *n't (allow|parse|exist) | can ?n[o']t (post|attach|parse) |
             mismatch | validation | coerced | characters? | graphemes? | bytes? | \w+ length | size | format | mime |
             codec | frame rate | aspect | resolution | duration | dimensions? | hashtags? | cashtags? | mentions? |
             flair | specifications? | with another | (try|attaching) an? (different|smaller) |
             please (include|provide|use) | something here | (board|entity|playlist|location) … (not found|not be found)
  platform   polic(y|ies) | goes against | ownership | violat* | community standards | guidelines | copyright | spam | abusive | limit reached |
             reached … limit
  reconnect  forbidden | http 403
  platform   http 402
# Codes that their platform uses for several things: the words above say which.
codes facebook instagram threads
  platform   368 3 9 25 36001
  reconnect  10 200 210 230 275 283 294 299
  temporary  1 2
# developers.pinterest.com/docs/reference/error-codes
codes pinterest
  temporary  7 8 12
  reconnect  2 3 29
  content    40 50 235 1 2625 2786
words
# Words that say little.
  content    (fetch|download|retriev|load)* … (404|410|not found)
  temporary  try again | retry (after|in \d+|later|your|this|the) | please retry | retrying | retries | again later |
             later | re-create | (could not|failed to|unable to|cannot|*n't) (be )?(fetch|download|retriev|load)* | unknown … error
  content    content | caption | media | images? | photos? | pictures? | videos? | thumbnails? | carousel | text |
             title | links? | urls? | words | file | attachment | embed | poll option | tags? | deleted
  platform   platform | provider | blocked | removed | rejected | locked | review | verif* |
             not (allowed|approved|audited|permitted) | *n't allowed | draft | closed | remote | upstream | instance |
             boards? | channels? | chat | pages? | app | profile
  content    not (be )?found | could not find | does not exist
  content    http (413|415|422)
`;
