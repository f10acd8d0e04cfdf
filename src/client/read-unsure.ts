// Reads from a target's error that the target may be published already: something was attempted, and how it ended is
// not known. A retry would then post it twice, so these texts are read before all other causes.

/** An error as it came, and its words without addresses and markup. */
interface ErrorForms {
  readonly platform: string;
  readonly text: string;
  readonly words: string;
}

/** Returns the part of an error that says that its target may be published already; `undefined` if none does. */
export function readUnsure({ platform, text, words }: ErrorForms): string | undefined {
  const said = partOf(NAMED_POST, text) ?? limitAfterPublishing(platform, text);
  if (said !== undefined) return said;
  const maybe = partOf(MAYBE_OUT, words) ?? partOf(stillGoingOn(platform), words);
  if (maybe !== undefined) return maybe;
  if (NOT_OUT.test(words)) return undefined;
  const out =
    partOf(OUT_BUT, words) ?? (isOneStep(platform) ? partOf(UPLOADED_BUT, words) : undefined);
  if (out !== undefined) return out;
  const wasOut = partOf(AFTER_ATTEMPT, words) ?? partOf(WAS_OUT, words);
  if (wasOut !== undefined) return withEnd(wasOut, partOf(END_UNKNOWN, words));
  if (EARLY_STAGE.test(words)) return undefined;
  const attempted = partOf(WAS_SENT, words) ?? partOf(CALLED, words) ?? partOf(ENDPOINT, text);
  return attempted && withEnd(attempted, partOf(NO_ANSWER, words));
}

const partOf = (pattern: RegExp, text: string): string | undefined => pattern.exec(text)?.[0];

const withEnd = (attempt: string, end: string | undefined): string | undefined =>
  end === undefined || attempt.includes(end) ? end && attempt : `${attempt}" and "${end}`;

/** Joins phrases, in which ` … ` stands for some words of the same clause, to one pattern of whole words. */
function anyOf(...phrases: readonly string[]): RegExp {
  const choice = phrases.join('|').replaceAll(' … ', '(?:[^.;:]{0,60}?[ ,(]| )');
  return new RegExp(`(?<![\\w'])(?:${choice})(?!\\w)`, 'i');
}

// What is out or on its way. Verbs that say so alone, and verbs that may speak of a part of the post as well.
const PUBLISHED =
  '(?:published|posted|tweeted|re-?posted|gone (?:out|live|through)|went (?:out|live|through))';
const SENT =
  '(?:sent|created|submitted|accepted|delivered|attempted|transmitted|inserted|executed|dispatched|handed (?:over|to))';
const PUBLISHING =
  '(?:publish\\w*|publication|posting|tweeting|sending|submitting|submission|delivery)';
const POST =
  '(?:post|tweet|pin|status|share|message|video|reel|story|thread|record|submission|short|it)';
const ID = '(?:id|ids|permalink|uri|urn|url|link|cid|receipt|shortcode)';
const ADVERBS =
  '(?:already |possibly |probably |well |in fact |actually |still |just |successfully |now )*';

/** Parts of a post, which exist before it is published, and things that are no post. */
const PART =
  '(?:containers?|creations?|upload|uploads|session|sessions|drafts?|media|images?|photos?|pictures?|files?|attachments?|blobs?|assets?|thumbnails?|chunks?|parts?|tokens?|accounts?|webhooks?|connections?|boards?|playlists?|headers?|code|e-?mail)';
const NOT_A_PART = `(?! (?:the |a |an |its |your |each |first |of |media |video |image |upload )*${PART}\\b)`;
const OF_NO_PART = `(?<!\\b${PART} (?:id |request |was |were |has |have |been |is )*)`;

/** A page or a location that is published is no post. */
const PUBLISHED_POST = `(?<!\\b(?:page|location|app|channel|site|profile) (?:is |was |has been )*)${PUBLISHED}`;

/** One phrase that says it all: it may be out. */
const MAYBE_OUT = (() => {
  const may = '(?:may|might|could)(?: or (?:may|might) not)? ';
  const unknown =
    '(?:unknown|unclear|uncertain|unsure|undetermined|indeterminate|inconclusive|ambiguous|unconfirmed|not (?:known|clear|sure|certain|confirmed))';
  const find =
    '(?:verify|confirm|determine|tell|check|know|establish|ascertain|say|see|find out|be sure)';
  const notKnown = `(?:unable to ${find}|(?:can|could|did|do|does|will)(?: not|not|n't) (?:be able to )?${find}|(?:failed|impossible|no way|not possible) to ${find}|(?:not|n't) able to ${find}|${unknown}|no idea|never (?:learned|learnt|found out|heard))`;
  // What is in doubt may be an access instead of a publication.
  const doubt =
    '(?:(?!\\b(?:allowed|permitted|eligible|able|can|may|account|tokens?|permissions?|access|domain|e-?mail|url|ownership|page|user|to be)\\b)[^.;:]){0,60}?';
  const isOut = `(?:${PUBLISHED}|${SENT}|live|online|reached|received|arrived|got through|made it|succeeded|succeed|successful|exists?|appeared|went|landed|took effect)`;
  const event = `(?:${PUBLISHING}|(?:post|tweet|pin|share|message|thread|video|reel|story)(?:'s)?(?: creation| status| result| state| outcome)?|outcome|result|success|final (?:status|state))`;
  const again = '(?:retry\\w*|re-?post\\w*|re-?send\\w*|re-?publish\\w*|re-?submit\\w*|again)';
  return anyOf(
    `${may}${ADVERBS}(?:not )?(?:have ${ADVERBS}(?:been ${ADVERBS})?)(?:${PUBLISHED}|${SENT}|received|reached|arrived|succeeded|completed|worked|landed|appeared|made it|got through|taken effect|been live|live)(?! (?:by|with|using|too)\\b)`,
    `${may}${ADVERBS}be (?:already )?(?:live|online|visible|out(?! of)|on (?:the|your) (?:platform|page|account|channel|feed|timeline|profile))`,
    `(?:may|might|could) (?:or (?:may|might) not |already |possibly |well already )be ${ADVERBS}(?:${PUBLISHED}|${SENT})`,
    `(?:may|might|could) be already (?:${PUBLISHED}|${SENT})`,
    `${POST} ${may}(?:already |now |still )?(?:exist|appear|show up|be there|be on)`,
    `(?:may|might) or (?:may|might) not have (?:reached|arrived|got|gotten|gone|made|been|succeeded|worked|${PUBLISHED}|${SENT})`,
    `(?:possibly|perhaps|maybe|probably|likely|presumably|apparently|potentially) (?:already |been |was )*(?:${PUBLISHED}|${SENT}|live|online)(?! (?:by|from|with|using|too)\\b)`,
    `${notKnown}(?: of us)?,? (?:whether|if|that) ${doubt}${isOut}`,
    `${notKnown} (?:the |its |this |of the )*(?:${PUBLISHING}|outcome|(?:post|tweet|pin|share)(?:'s)? creation)(?! (?:permission|limit|right|date|access|account)\\w*)`,
    `${event} ${doubt}(?:could not|couldn't|cannot|can't|can not|was not|wasn't|is not|was never|never|not|un-?) ?(?:be )?(?:confirmed|verified|determined|established|ascertained|known)`,
    `${event} (?:is |was |remains |stays |still )*${unknown}`,
    `(?:outcome|result|fate) of (?:(?!\\b${PART}\\b)[^;:]){0,40}? (?:is |was |remains |stays )+${unknown}`,
    `${unknown} (?:${PUBLISHING}|publish|post|final|delivery) (?:outcome|result|status|state)`,
    `unconfirmed (?:${PUBLISHING}|post|tweet|outcome)`,
    `${again} (?:it )?(?:may|might|could|would|can|will) (?:\\w+ ){0,3}(?:duplicates?|twice|a second|double)(?! content)`,
  );
})();

/** On these the upload of a video publishes it, and its processing is a part of that. */
const isOneStep = (platform: string): boolean => platform === 'tiktok' || platform === 'youtube';

/** The publication itself has not ended. */
function stillGoingOn(platform: string): RegExp {
  const length =
    '(?:after|for) (?:over |more than |about |at least |all )?\\d+ ?(?:minutes?|mins?|m|s|seconds?|secs?|hours?|h|attempts|polls|checks|tries)';
  const going = `(?:in progress|publishing|pending|running|queued|being published|submitting${isOneStep(platform) ? '|processing\\w*|being processed|upload\\w*' : ''})`;
  const others = isOneStep(platform)
    ? ''
    : `(?<!\\b(?:${PART}|transcoding|encoding|download|processing)\\b[^.;]{0,40})`;
  return anyOf(
    `${others}still (?:\\w+ ){0,3}?${going} … ${length}`,
    `${others}still ${going}`.concat(` (?:at|on|by) … ${length}`),
    `publish\\w* … (?:not|n't|never) (?:\\w+ )?(?:finished?|completed?|done|ended|end) … ${length}`,
  );
}

/** The text says that nothing is out, or that the end is known. */
const NOT_OUT = anyOf(
  `(?<!or )not (?:been |yet |actually |ever )*(?:${PUBLISHED}|${SENT})`,
  `(?:n't|n't been|never) (?:been |even |actually )*(?:${PUBLISHED}|${SENT}|publish|post|create|send|started|left)`,
  `(?:nothing|none|no \\w+) (?:was|were|has been|had been|got|is) (?:${PUBLISHED}|${SENT})`,
  `before (?:(?!answer|respon|repl|confirm|ack|return|finish|complet|retry)[\\w']+ ){0,5}?(?:publish\\w*|publication|posting|posted|sending|sent|creat\\w*|submi\\w*|attempt\\w*|tweeting|tweeted)`,
  '(?:prior to|without) (?:publishing|posting|sending|creating)',
  '(?:as|in|to|into) (?:a |your |the )?(?:drafts?|inbox)',
  'draft',
  '(?:rejected|refused|declined|denied|disapproved|taken down|rolled back|reverted|discarded)',
  '(?:was|were|been|got) (?:\\w+ )?(?:removed|deleted|blocked)',
);

/** A part of the post was being made: that is before the publication. */
const EARLY_STAGE = anyOf(
  `(?:while|during|when|on|in) (?:the |a |its |it |was |we |were |media |image |video |photo |file )*(?:upload\\w*|download\\w*|fetch\\w*|process\\w*|transcod\\w*|encod\\w*|resiz\\w*|validat\\w*|refresh\\w*|prepar\\w*|convert\\w*)(?! … (?:permalink|post id|response))`,
  "(?:could not|cannot|can't|couldn't|can not) be (?:published|posted|sent|created)",
  `(?:creating|creation of) ${'(?:the |a |an |media )*'}${PART}`,
);

/** It is out, and something went wrong then. */
const OUT_BUT = anyOf(
  `(?:${PUBLISHED_POST}|${OF_NO_PART}${SENT}${NOT_A_PART})[^.;:]{0,60}?[ ,]+(?:but|yet|however|though|although)(?! (?:needs?|must|awaits?|requires?|is (?:awaiting|waiting))\\b)`,
  `(?:${PUBLISHED_POST}|${OF_NO_PART}${SENT}${NOT_A_PART})[^.;:]{0,40}?[ ,]+without (?:an? |any |the |its |returning |giving )*(?:\\w+ )?(?:${ID}|confirmation|answer|response|reply)`,
  `(?:${PUBLISHING}|publish|post) (?:was |has |had )?(?:succeeded|successful|worked|completed?|finished)[ ,]+(?:but|yet|however|though|although)`,
  `processing (?:has |is |was )?(?:finished|completed?|done|ended|succeeded)[ ,]+(?:but|yet|however|and) … (?:permalink|post(?:'s)? (?:id|url|link)|publish\\w*)`,
);

/** The same of an upload, where it is what publishes. */
const UPLOADED_BUT = anyOf(
  'upload(?:ed)? (?:was |has |is )*(?:finished|completed?|done|accepted|succeeded|successful)?[ ,]+(?:but|yet|however|and then|then)(?! (?:\\w+ ){0,3}?(?:format|size|long|large|supported|invalid))',
);

/** It went wrong after the attempt. */
const AFTER_ATTEMPT = (() => {
  const between =
    '(?:the |it |its |this |that |we |they |he |had |has |was |were |been |being |having |a |an |your |our |successful |successfully |first |action |post |tweet |pin |status |video |message |share |request |\\w+ing the )*';
  return anyOf(
    `(?:after|following|once|since|upon) ${between}(?:(?:publish|create|send|submit|share|insert) (?:call|request|step|command)|publish\\w*|publication|posted|posting|tweeting|tweeted|media publish|threads publish|attempt|attempted|attempting|${PUBLISHED})(?! (?:too|so|many|several|limit\\w*|permission\\w*|\\d))`,
    `(?:after|following|once|since|upon) ${between}(?:${SENT}|submitting|submission|sending|send|creating|creation|insert|delivery|acceptance|accepting)${NOT_A_PART}(?! (?:too|so|many|several|\\d))`,
  );
})();

/** It was published, says the text. */
const WAS_OUT = anyOf(
  `(?:was|were|is|has|have|had|been|got|and|being) ${ADVERBS}(?:${PUBLISHED})(?! (?:too|by|on behalf)\\b)`,
);

/** It was sent: it arrived, or it did not. */
const WAS_SENT = anyOf(
  `${OF_NO_PART}(?:was|were|has|have|had|been|got) (?:been )?${ADVERBS}${SENT}${NOT_A_PART}`,
  `(?:we|it|they) ${SENT}${NOT_A_PART}`,
  '(?:executed|dispatched),',
  `${OF_NO_PART}${SENT}(?:,| (?:by|to|at|with) \\w+)`,
  'waiting for … (?:confirm|acknowledge|report|return|answer)',
  'mid-?(?:publish\\w*|post|send)',
  '(?:publish|post|tweet|share|submission) ?id (?:was )?(?:received|returned|issued)',
);

/** The call that publishes, by its name. */
const CALLED = anyOf(
  `(?<!(?:before|for|prior to|preparing|prepare) (?:the |a )?)(?:publish\\w*|posting|tweeting|media publish|threads publish|submit|create[- ](?:tweet|post|pin|status|record|share)|send ?(?:message|photo|video)|statuses update|insert|submission) (?:api )?(?:call|request|step|command|action|endpoint|operation|mutation|attempt)`,
  `(?:while|during|when|in the middle of) (?:the |it was |being |we were )*(?:publish\\w*|publication|posting|tweeting|sending|submitting|submission)${NOT_A_PART}(?! (?:the |a |an |your )?videos?\\b)`,
  `(?:while|when) creating (?:the |a |your )?(?:post|tweet|pin|status|record|share|thread|submission|reel|story|message)`,
  `(?:waiting for|awaiting) … (?:publish\\w*|post|posting|tweet|submission) (?:response|result|confirmation|answer|reply|call|request)`,
  'create record',
  '(?:media|threads) publish',
);

const ENDPOINT =
  /\b(?:media_publish|threads_publish|statuses\/update|2\/tweets|feed\.createPost|createRecord|sendMessage|sendMediaGroup|videos\.insert|api\/submit|ugcPosts|rest\/posts|localPosts|v5\/pins)\b/;

const LOST = [
  'timed? ?-?outs?',
  'etimedout|esockettimedout|deadline exceeded',
  'socket hang up|socket closed|hung up|econnreset|econnaborted|epipe|broken pipe|premature close|other side closed',
  '(?:connection|socket|stream|network) (?:was |got |is |has been |had been )*(?:reset|closed|lost|dropped|aborted|terminated|broken|interrupted|cut|down)',
  '(?:lost|dropped|closed|reset|cut|aborted) the connection',
  '(?:response|answer|reply|confirmation|acknowledge?ment|result|receipt) … (?:lost|missing|empty|cut|truncated|unreadable|never|malformed|not (?:received|returned|available|come))',
  `(?:lost|no|empty|missing|malformed|unreadable|truncated|without an?y?) (?:\\w+ ){0,3}?(?:response|answer|reply|confirmation|acknowledge?ment|receipt|result|${ID}|body)`,
  `never (?:\\w+ )?(?:got|received|saw|heard|answered|responded|confirmed|returned|completed|finished|came|arrived)`,
  `(?:did|does|has|had|was|were)(?: not|n't) (?:return|answer|respond|confirm|reply|come back|complete|finish|answered|confirmed|returned)\\w*`,
  '(?:status|state|result|outcome|fate|end) (?:is |was |remains |stays )*(?:unknown|not known|unclear|uncertain)',
  'unknown (?:status|state|result|outcome)',
  '(?:interrupted|restarted|crashed|killed|shut down|stalled|died|went away|gave up|given up|stopped (?:waiting|polling))',
];

/** Nothing was heard of the attempt. */
const NO_ANSWER = anyOf(...LOST);

/** Anything that leaves open how it ended, if it is out. */
const END_UNKNOWN = anyOf(
  ...LOST,
  "(?:could not|couldn't|cannot|can't|failed to|unable to|not able to|was not able to) (?:be )?(?:fetch|get|read|obtain|retriev|find|found|resolv|load|pars|stor|sav|record|verif|confirm|determin|check|look)\\w*",
  '(?:status|verification|confirmation|permalink|result|state)(?: \\w+)? (?:failed|fails|unavailable)',
  "(?:not|n't) (?:yet )?(?:visible|found|confirmed|verified|listed|there)",
  '(?:http|with|a|answered|status) (?:5\\d\\d|429|408)',
  'gateway|rate[- ]?limit\\w*|too many requests|internal (?:server )?error|service unavailable|server error|network error',
);

/** A duplicate of a post that the text names: the ID, or the address, of what is on the platform. */
const NAMED_POST = (() => {
  const help = '(?!https?:\\/\\/\\S*(?:help|docs|developer|support|polic|rules|about|legal))';
  const address = `${help}https?:\\/\\/[^\\s/]+\\/\\S*(?:\\d{5,}|status|posts?\\/|comments|\\/p\\/|reel|video|watch|pin\\/|feed|shorts|@)\\S*`;
  const named = `(?:urn:\\w+|at:\\/\\/|${address}|(?:the |an? |your |existing |earlier |previous )*(?:(?:post|tweet|status|share|pin|video|message|activity|media|submission|reel|thread|id)s? ?)+(?:id)?[ :=#"']*\\d{5,}|#?\\d{8,})`;
  const duplicate =
    'duplicate\\w*|identical|(?:already|previously|been) (?:been |was )?(?:posted|published|shared|submitted|tweeted|pinned|sent|exists?|live)|same (?:content|text|post)';
  return new RegExp(`\\b(?:${duplicate})\\b[^\\n]{0,80}?[\\s("':](?:${named})`, 'i');
})();

/** Instagram may answer so although the container was published; its limit of posts has a code and words of its own. */
function limitAfterPublishing(platform: string, text: string): string | undefined {
  if (platform !== 'instagram') return undefined;
  if (/2207042|maximum number|\bbefore\b|\bcontainer\b|\bupload/i.test(text)) return undefined;
  return partOf(
    /\b(?:application|app|user|account|page) (?:level )?request limit reached\b/i,
    text,
  );
}
