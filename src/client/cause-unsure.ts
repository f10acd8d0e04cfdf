// Reads from a target's error that the target may be published already: something was attempted, and its end is
// unknown. A retry would then post it twice, so these texts are read before all other causes.

/** An error as received, and its words without addresses and markup. */
interface ErrorForms {
  readonly platform: string;
  readonly text: string;
  readonly words: string;
}

/**
 * Returns the part of an error that says that its target may be published already; `undefined` if none does. One phrase
 * may say so; else the text has to say that something was attempted, and that its end is unknown.
 */
export function readUnsure(forms: ErrorForms): string | undefined {
  const { platform, text, words } = forms;
  if (!ATTEMPT.test(text)) return undefined;
  const said = NAMED_POST.exec(text)?.[0] ?? limitAfterPublishing(platform, text);
  if (said !== undefined) return said;
  const maybe = maybeOut.map((partOf) => partOf(words)).find((part) => part !== undefined);
  if (maybe !== undefined) return maybe;
  const going = isOneStep(platform) ? stillInOneStep(words) : stillPublishing(words);
  if (going !== undefined) return going;
  if (notOut(words) !== undefined) return undefined;
  return outBut(words) ?? (isOneStep(platform) ? uploadedBut(words) : undefined) ?? bothOf(forms);
}

/**
 * Returns the part of an error that says that the post was out or on its way, for an error that gives no reason why it
 * should not be.
 */
export function readAttempt({ text, words }: ErrorForms): string | undefined {
  if (!ATTEMPT.test(text)) return undefined;
  if ([notOut, earlyStage, ofAnother].some((reads) => reads(words) !== undefined)) return undefined;
  const attempt = afterAttempt(words) ?? wasOut(words) ?? wasSent(words) ?? inDoubt(words);
  if (attempt !== undefined || ofPart(words) !== undefined) return attempt;
  const lost = noAnswer(words);
  return lost === undefined ? undefined : ofPost(words);
}

/** Returns an attempt and its unknown end, if the text has both. */
function bothOf({ text, words }: ErrorForms): string | undefined {
  const lost = noAnswer(words);
  const end = lost ?? leftOpen(words);
  if (end === undefined) return undefined;
  const out = afterAttempt(words) ?? wasOut(words);
  if (out !== undefined) return out.includes(end) ? out : `${out}" and "${end}`;
  // Otherwise only a lost answer leaves it open: a refusal is the end.
  if (lost === undefined || earlyStage(words) !== undefined) return undefined;
  const attempt = wasSent(words) ?? called(words) ?? ENDPOINT.exec(text)?.[0];
  return attempt && (attempt.includes(lost) ? attempt : `${attempt}" and "${lost}`);
}

/** Without any of these, no text speaks of an attempt. It spares most errors the large patterns, which take 10 ms. */
const ATTEMPT =
  /publish|publication|post|tweet|pin\b|sen[dt]|creat|submi|deliver|attempt|accept|insert|execut|dispatch|writ|live\b|online|visible|out\b|there|exist|reach|receiv|went|gone|outcome|result|still|upload|process|success|duplicate|identical|limit reached|statuses|share|message|video|toot|commit|flight|already|\b(?:may|might|could|check|look|re-?try|before|whether|unverified|ambiguous)\b/i;

type PartOf = (words: string) => string | undefined;

/**
 * Joins phrases to one pattern of whole words, and returns a function that finds its match in texts that match `cue`,
 * which is quick. ` … ` stands for some words of the same clause.
 */
function anyOf(cue: RegExp, ...phrases: readonly string[]): PartOf {
  const choice = phrases.join('|').replaceAll(' … ', '(?:[^.;:]{0,60}?[ ,(]| )');
  const pattern = new RegExp(`(?<![\\w'])(?:${choice})(?!\\w)`, 'i');
  return (words) => (cue.test(words) ? pattern.exec(words)?.[0] : undefined);
}

const ANY = /./;

// Verbs for a post that is out or on its way: those that say so alone, and those that may speak of a part of it.
const PUBLISHED =
  '(?:published|posted|tweeted|re-?posted|(?:went|gone) (?:out|up|live|through)|made (?:public|visible))';
const SENT =
  '(?:sent|created|submitted|accepted|delivered|attempted|transmitted|inserted|executed|dispatched|written|handed (?:over|to))';
const OUT = `(?:${PUBLISHED}|${SENT})`;
const PUBLISHING =
  '(?:publish\\w*|publication|posting|tweeting|sending|submitting|submission|delivery)';
const KIND =
  '(?:(?:local )?post|update|note|tweet|toot|pin|status|share|message|video|reel|story|thread|record|submission|short|carousel)';
const POST = `(?:${KIND}|it)`;
const ID = '(?:id|ids|permalink|uri|urn|url|link|cid|receipt|shortcode)';
const ADVERBS =
  '(?:already |possibly |probably |well |in fact |actually |still |just |successfully |now )*';

/** Parts of a post, which exist before it is published, and things that are no post. */
const PART =
  '(?:containers?|upload|uploads|session|sessions|drafts?|media|images?|photos?|pictures?|files?|attachments?|blobs?|assets?|documents?|embeds?|polls?|thumbnails?|chunks?|parts?|tokens?|accounts?|connections?|boards?|playlists?|headers?|code|e-?mail)';
const NOT_A_PART = `(?! (?:the |a |an |its |your |each |first |of |media |video |image |upload )*${PART}\\b)(?! by (?:another|a|someone|the user)\\b)`;
const OF_NO_PART = `(?<!\\b(?:${PART}|channel|location|page|profile|user|group|album) (?:id |request |was |were |has |have |been |is )*)`;

/** Where a post would be found. */
const PLACE =
  "(?:(?:account|profile|page|channel|feed|timeline|board|subreddit|community|platform|wall|chat|group|server|grid|site|app|instance|repo)(?!'|\\w| (?:settings?|permissions?|status|rules|limits?|id)\\b)|r/\\w+|x\\b|(?:twitter|linkedin|instagram|facebook|threads|tiktok|youtube|pinterest|reddit|bluesky|mastodon|telegram|discord|google)\\b)";

/** A page or a location that is published is no post. */
const PUBLISHED_POST = `(?<!\\b(?:page|location|app|channel|site|profile) (?:is |was |has been )*)${PUBLISHED}`;

/** One phrase that says it all: it may be out. */
const maybeOut: readonly PartOf[] = (() => {
  const may = '(?:may|might|could)(?: or (?:may|might) not)? ';
  const unknown =
    '(?:unknown|unclear|uncertain|unsure|undetermined|indeterminate|inconclusive|ambiguous|unconfirmed|open|not (?:known|clear|sure|certain|confirmed))';
  const find =
    '(?:verify|confirm|learn|rule out|exclude|determine|tell|check|know|establish|ascertain|say|see|find out|be sure)';
  const notKnown = `(?:(?:unable|(?:not|n't) able|failed|impossible|no way|not possible) to ${find}(?: for sure)?|(?:can|could|did|do|does|will)(?: not|not|n't) (?:be able to )?${find}(?: for sure)?|${unknown}|(?:could not|couldn't|cannot|can't|can not) be (?:confirmed|verified|determined|established|told|followed|tracked)(?: for sure)?|no idea|never (?:learned|learnt|found out|heard))`;
  // The doubt may be about an access instead of a publication.
  const doubt =
    '(?:(?!\\b(?:allowed|permitted|eligible|able|can|may|account|tokens?|permissions?|access|domain|e-?mail|url|ownership|page|user|to be)\\b)(?:[^.;:]|\\.(?=\\w))){0,60}?';
  const processed =
    '(?:processed|saved|handled|ingested|stored|registered|recorded|persisted|committed)(?! (?:incorrect|with|too|wrong|badly)\\w*)';
  const isOut = `(?:${OUT}|${processed}|shared|live|online|public|visible|reached|received|arrived|got through|made it|succeeded|succeed|successful|exists?|appeared|went|landed|took effect|(?:put|made) (?:online|public|up)|did not (?:publish|post|send|create))`;
  const look = '(?:check|look|see|inspect|open|visit|verify)';
  const event = `(?:${PUBLISHING}|(?:post|tweet|pin|share|message|thread|video|reel|story|record|status)(?:'s)?(?: creation| status| result| state| outcome)?|outcome|result|success|final (?:status|state))`;
  return [
    anyOf(
      /\b(?:may|might|could)\b/i,
      `${may}${ADVERBS}(?:not )?have ${ADVERBS}(?:been ${ADVERBS})?(?:${OUT}|received|reached|arrived|succeeded|completed|worked|landed|appeared|made it|got through|taken effect|live)(?! (?:by|with|using|too)\\b)`,
      `${may}${ADVERBS}be (?:already )?(?:live|online|visible|out(?! of)|on (?:the|your) (?:platform|page|account|channel|feed|timeline|profile))`,
      `${OF_NO_PART}${may}${ADVERBS}have ${ADVERBS}(?:been )?${processed}`,
      `(?:may|might|could) (?:(?:or (?:may|might) not|already|possibly|well already) be|be already) ${ADVERBS}${OUT}`,
      `(?:may|might|could) be ${OUT} already`,
      `${POST} ${may}${ADVERBS}(?:exist|appear|show up|be (?:sitting |up )?(?:there|(?:on|in|at) (?:(?!an? |another )\\w+ ){0,2}?${PLACE}))`,
      `${POST} ${may}${ADVERBS}(?:become|go|turn|get|come) (?:public|visible|live|out|through)(?! (?:only|once|if|when|after))`,
      `(?<!you )${may}${ADVERBS}(?:show|have|list|carry|hold|contain|include) (?:the|your|this) ${KIND}(?! \\w*(?:limit|permission|id)\\w*)`,
    ),
    anyOf(
      /possibl|perhaps|maybe|probabl|likely|presumabl|apparently|potentially|assumed|chance|odds/i,
      `(?:possibly|perhaps|maybe|probably|likely|presumably|apparently|potentially) (?:already |been |was )*${isOut}(?! (?:by|from|with|using|too)\\b)`,
      `(?:possible|likely|probable|assumed|chances? (?:are |is )?|odds (?:are )?)(?: ?that)? ${doubt}(?:${isOut}|up|there)`,
    ),
    anyOf(
      /seem|appear|look|believed|thought/i,
      `(?:seems?|appears?|looks?|believed|thought) to (?:be|have been) (?:already )?(?:live|online|out there|${OUT})`,
    ),
    anyOf(
      /whether|\bif\b|that|confirm|verif|determin|tell|know|clear|certain|sure|establish|ascertain|ambiguous|conclusive/i,
      `${notKnown}(?: of us| from \\w+)?,? (?:whether|if|that) ${doubt}${isOut}`,
      `${notKnown} (?:the |its |this |of the )*(?:${PUBLISHING}|outcome|(?:post|tweet|pin|share)(?:'s)? creation)(?! (?:permission|limit|right|date|access|account)\\w*)`,
      `${event} ${doubt}(?:could not|couldn't|cannot|can't|can not|was not|wasn't|is not|was never|never|not|(?<!\\ban )un-?) ?(?:be )?(?:confirmed|verified|determined|established|ascertained|known|followed|tracked)`,
      `${event} (?:is |was |remains |stays |still )*${unknown}`,
      `${notKnown} (?:what (?:became|happened) (?:of|to|with) (?:the |this |your |our )?${POST}|how (?:the |this |your |our )?(?:${KIND} )?(?:request |call |attempt )?(?:has )?ended)`,
      `(?:outcome|result|fate) of (?:(?!\\b${PART}\\b)[^;:]){0,40}? (?:is |was |remains |stays )+${unknown}`,
      `${unknown} (?:${PUBLISHING}|publish|post|final|delivery) (?:outcome|result|status|state)`,
      `un(?:confirmed|verified) (?:${PUBLISHING}|publish|post|tweet|outcome)`,
      `(?:unknown|ambiguous|indeterminate|uncertain|inconclusive) (?:outcome|result)`,
    ),
    anyOf(
      /\bof\b|part|incomplete/i,
      `(?:\\d+|one|two|three|some|half|part|first) (?:out )?of (?:the )?(?:\\d+ |\\w+ )?(?:${KIND}|part|segment|message)s? (?:(?:was|were|is|are|has|have|had|been|got|already) )*${OUT}`,
      `(?:thread|album|carousel) (?:is )?(?:incomplete|partial)`,
      `(?:partly|partially|half) ${OUT}`,
      `partial (?:${KIND}|${PUBLISHING}|publish|success)`,
    ),
    anyOf(
      /status/i,
      `(?:publish\\w*|post(?:ing)?) status (?:check|poll|request|lookup|fetch)\\w* … (?:exceeded|timed out|failed|gave up|ran out|limit)`,
    ),
    anyOf(
      /duplicate|twice|second|double|avoid|before|without|again|whether|\bif\b|look/i,
      `(?:retry\\w*|re-?post\\w*|re-?send\\w*|re-?publish\\w*|re-?submit\\w*|again) (?:it )?(?:may|might|could|would|can|will) (?:\\w+ ){0,3}(?:duplicates?|twice|a second|double)(?! content)`,
      `${look} (?:on |at )?(?:the |your |its )?(?:\\w+ ){0,2}?${PLACE}(?: first| manually)?,? (?:for (?:the|this|your|a) (?:\\w+ )?${KIND}|(?:before|to avoid|so as not to) (?:[^.;:]{0,40} )?(?:again|twice|duplicat\\w*|double|second|retry\\w*|re-?(?:try|send|post|publish|submit|upload)\\w*|anything|continu\\w*))`,
      `duplicate\\w* (?:if|when|on|by) (?:re-?(?:try|tried|trie|send|sent|post)\\w*|(?:sent|posted|published) again)`,
      `(?:retried|re-?sent|second (?:try|attempt)|tried (?:it )?again) … (?:duplicate|already)`,
      `look for (?:the|this|your|it|a) (?:${KIND}|on)`,
      `${look} (?:on \\w+ )?(?:first |manually )?(?:whether|if|that) (?:(?:the|your|this) ${KIND}|it) (?:(?:is|was|has|already|now|been|not) ){0,3}(?:there|live|out|online|visible|exists|appeared|went|made it|${PUBLISHED})`,
      `(?:not|n't) (?:re-?try|re-?send|re-?post|re-?publish|re-?submit|(?:post|publish|send|upload) (?:it )?again) (?:it )?(?:blindly|(?:without|before|until|unless) … (?:check|look|verif|confirm)\\w*(?:[.;,)]|$| (?:on|at|with|there|first|whether|if|(?:the )?${PLACE})))`,
    ),
    anyOf(
      /exist|\bkey\b|live|online|\bout\b|already| on | in |try|attempt|run|request|call/i,
      `(?:container|creation id|job) (?:(?:has|is|was|id) )*already (?:been )?(?:published|posted|used)`,
      `idempotency[- ]key … (?:already|used|seen|exists?)`,
      `(?:previous|earlier|prior|first|last) (?:try|attempt|run|request|call) (?:\\w+ ){0,3}?(?:succeeded|worked|${PUBLISHED}|successful)|(?:succeeded|worked) (?:on|in|at|with) (?:an?|the|our) (?:previous|earlier|first|prior)`,
      `(?<!\\b(?:if the|parent|original|quoted) )${KIND} (?:with [^.;:]{0,30}? )?(?:already )?exists (?:on|at|in|there|already|though|although|but)`,
      `(?<!\\b(?:when|before|until|if) (?:the |this |your )?)${KIND}s?(?: itself)? (?:\\d of [\\w ]{0,20} )?(?:is|are|was|went) (?:already |now |in fact |actually )*(?:live|online|up|out(?! of)|(?:on|in) (?:the|your) ${PLACE})(?:[.;,)]|$| (?:but|though|although|yet|despite|on))`,
    ),
  ];
})();

/** On these the upload of a video publishes it, and its processing is a part of that. */
const isOneStep = (platform: string): boolean => platform === 'tiktok' || platform === 'youtube';

/** Makes the pattern of a publication that has not ended; `others` are other things in progress. */
function stillGoing(going: string, others: string): PartOf {
  const length =
    '(?:after|for) (?:over |more than |about |at least |all )?\\d+ ?(?:minutes?|mins?|m|s|seconds?|secs?|hours?|h|attempts|polls|checks|tries)';
  return anyOf(
    /\b(?:after|for)\b/i,
    `${others}(?:still|publish\\w*|publication|posting) (?:\\w+ ){0,3}?(?:${GOING}${going}) … ${length}`,
    `publish\\w* … (?:not|n't|never) (?:\\w+ )?(?:finished?|completed?|done|ended|end) … ${length}`,
  );
}

const GOING = 'in progress|publishing|pending|running|queued|being published|submitting';
const stillPublishing = stillGoing(
  '',
  `(?<!\\b(?:${PART}|transcoding|encoding|download|processing)\\b[^.;]{0,40})`,
);
const stillInOneStep = stillGoing('|processing\\w*|being processed|upload\\w*', '');

/** The text says that nothing is out, or that the end is known. */
const notOut = anyOf(
  ANY,
  `(?<!or )not (?:been |yet |actually |ever )*${OUT}`,
  `(?:n't|n't been|never) (?:been |even |actually )*(?:${PUBLISHED}|${SENT}|publish|post|create|send|started|left)`,
  `(?:nothing|none|no \\w+) (?:was|were|has been|had been|got|is) ${OUT}`,
  `before (?:(?!answer|respon|repl|confirm|ack|return|finish|complet|retry)[\\w']+ ){0,5}?(?:publish\\w*|publication|posting|posted|sending|sent|creat\\w*|submi\\w*|attempt\\w*|tweeting|tweeted)`,
  '(?:prior to|without) (?:publishing|posting|sending|creating)',
  '(?:as|in|to|into) (?:a |your |the )?(?:drafts?|inbox)',
  'draft',
  '(?:rejected|refused|declined|denied|disapproved|taken down|rolled back|reverted|discarded)',
  '(?:was|were|been|got) (?:\\w+ )?(?:removed|deleted|blocked)',
);

/** A part of the post was being made: that is before the publication. */
const earlyStage = anyOf(
  ANY,
  `(?:while|during|when|on|in) (?:the |a |its |it |was |we |were |media |image |video |photo |file )*(?:upload\\w*|download\\w*|fetch\\w*|process\\w*|transcod\\w*|encod\\w*|resiz\\w*|validat\\w*|refresh\\w*|prepar\\w*|convert\\w*)(?! … (?:permalink|post id|response))`,
  `(?:could not|cannot|can't|couldn't|can not) be ${OUT}`,
  `(?:creating|creation of) (?:the |a |an |media )*${PART}`,
);

/** Words of doubt, or of success, beside the post: weak, so they are asked only if nothing else explains the error. */
const inDoubt = (() => {
  const word = "(?:(?!(?:not|never|only|too)\\b)[\\w']+ )";
  return anyOf(
    ANY,
    `(?:${KIND}s?|it|they|write|copy|request|try|attempt) ${word}{0,3}?(?:may|might|could|can|probably|presumably|possibly|likely|often|sometimes|seems?|appears?) ${word}{0,4}?(?:${OUT}|shared|pinned|made|put|committed|live|there|up|out(?! of)|seen|visible|public|online|appear\\w*|show\\w*|exists?|worked|succe\\w+)`,
    `(?:confirmed|acknowledged) (?:the|our|your|this) ${KIND}|(?:${PUBLISHING}|publish|${KIND}) (?:was|is) confirmed|(?:with|http|returned|answered|status|got) (?:a )?20[0-2]|${KIND} (?:already )?(?:appears|shows up|is listed) (?:on|in|at)`,
    `(?:${KIND}|${PUBLISHING}) (?:is |was )?(?:visible|public|live|online|there|up|complete)\\b[^.;:]{0,40}?[ ,]+(?:but|though|yet|however|although)`,
  );
})();

/** Speaks of the post or its publication, and not only of a part of it. */
const ofPost = anyOf(
  ANY,
  `(?:post|tweet|toot|pin|status|share|reel|story|thread|submission|message|publish\\w*|(?:answer|reply|response) (?:was|got|is) lost)`,
);
/** Speaks of a part, or of a step before the publication. */
const ofPart = anyOf(
  ANY,
  `${PART}|upload\\w*|download\\w*|fetch\\w*|refresh\\w*|validat\\w*|regist\\w*|prepar\\w*|process\\w*|transcod\\w*|urls?|links?|videos?|connect|unreachable|refused|resolve`,
);

/** The thing that was sent or created is not this post. */
const OF_ANOTHER =
  ' (?:by (?:an?|another|someone|new|other|the user)|with|as|in an?|you|without)\\b';
const ofAnother = anyOf(
  ANY,
  `${OUT}${OF_ANOTHER}`,
  '(?:too|so) many|(?:replying|forwarded|reshared|quoted|original|parent|invitation|(?:verification|security) (?:code|link|e-?mail)|code)',
);

/** It is out, and something went wrong then. */
const outBut = anyOf(
  ANY,
  `(?:${PUBLISHED_POST}|${OF_NO_PART}(?:created|accepted|delivered|written)${NOT_A_PART})[^.;:]{0,60}?[ ,]+(?:but|yet|however|though|although)(?! (?:needs?|must|awaits?|requires?|is (?:awaiting|waiting))\\b)`,
  `(?:${PUBLISHED_POST}|${OF_NO_PART}${SENT}${NOT_A_PART})[^.;:]{0,40}?[ ,]+without (?:an? |any |the |its |returning |giving )*(?:\\w+ )?(?:${ID}|confirmation|answer|response|reply)`,
  `(?<=^HTTP \\d*\\. )(?:(?:the|this|your) )?(?:${KIND} )?(?:(?:was|is|has been|has) )?(?:${PUBLISHED}|saved|created)(?!${OF_ANOTHER})(?: [^.;:,]{1,60})?[;,.:] … (?:failed|could not|couldn't|cannot|can't|unable|error)`,
  `(?:published|posted|created|accepted|stored) (?:the|our|this) ${KIND} (?:[^.;:]{0,40} )?(?:and then|then|but|yet|however|before)`,
  `after (?:the|this|our|your) (?:${KIND}|media|container) (?:(?:was|has|had|is|been|already) ){1,3}${PUBLISHED}`,
  `(?:${PUBLISHING}|publish|post) (?:was |has |had )?(?:succeeded|successful|worked|completed?|finished)[ ,]+(?:but|yet|however|though|although)`,
  `processing (?:has |is |was )?(?:finished|completed?|done|ended|succeeded)[ ,]+(?:but|yet|however|and) … (?:permalink|post(?:'s)? (?:id|url|link)|publish\\w*)`,
);

/** It is uploaded, on a platform on which that publishes it, and something went wrong then. */
const uploadedBut = anyOf(
  /upload|transfer|bytes|chunk|status/i,
  '(?:uploaded|upload (?:is )?(?:completed?|finished|done))[ ,;]+ … (?:stuck|hangs?|still|never|not (?:yet )?(?:returned|answered|reported|confirmed))',
  'status (?:fetch|check|quer|poll)\\w* (?:failed|fails|returns|returned|gave|errored)',
  'received (?:all|every|the whole|the entire) (?:\\w+ )?(?:bytes|chunks?|file|data|video)',
  '(?:bytes|chunks|(?:file|data|video) (?:was|has been)) (?:(?:were|was|have been|had been) )?(?:all )?(?:transferred|sent|received|delivered)',
  '(?:seems?|appears?|may|might|could) (?:to )?(?:already )?have been uploaded',
  '(?:uploaded|upload(?: was| has| is)* (?:finished|completed?|done|accepted|succeeded|successful))[ ,]+(?:but|yet|however|and then|then)(?! (?:\\w+ ){0,3}?(?:format|size|long|large|supported|invalid))',
);

/** It went wrong after the attempt. */
const afterAttempt = anyOf(
  /after|following|once|since|upon|post-/i,
  'post-(?:publish\\w*|creation|submit\\w*) (?:\\w+ )?(?:step|check|verification|hook|task|job|update)',
  `(?:after|following|once|since|upon) (?:(?!(?:page|location|app|account|channel)\\b)[\\w']+ ){0,4}?(?:(?:publish|create|send|submit|share|insert) (?:call|request|step|command)|create (?:tweet|post|pin|status|record|share)|publish\\w*|publication|posted|posting|tweeting|tweeted|threads publish|attempt|attempted|attempting|${PUBLISHED})(?! (?:too|so|many|several|limit\\w*|permission\\w*|\\d))`,
  `(?:after|following|once|since|upon) (?:(?!${PART}\\b)[\\w']+ ){0,4}?(?:${SENT}|submitting|submission|sending|send|creating|creation|executing|calling|create|insert|submit|delivery|acceptance|accepting)${NOT_A_PART}(?! (?:too|so|many|several|\\d))`,
);

/** It was published, says the text. */
const wasOut = anyOf(
  ANY,
  `(?<!too many \\w+ |\\byou )(?:was|were|is|has|have|had|been|got|and|being) ${ADVERBS}(?:${PUBLISHED})(?! (?:too|by|on behalf)\\b)`,
  `(?<!too many \\w+ (?:were )?)(?<!\\bbe )${OF_NO_PART}${OUT}${NOT_A_PART}(?:[,;:.?]|[^.;:]{0,60}?[ ,]+(?:but|yet|however|though|although|then|and)\\b)`,
  `${PUBLISHED_POST} (?:on|to) \\w+[,;:.]`,
  `(?:${PUBLISHING}|publish) (?:returned|gave|yielded) (?:an? |the )?(?:\\w+ )?${ID}`,
  `(?:took|received|got|accepted) (?:the|our|your) (?:${KIND}|request)\\b`,
  'publish complete',
  `has (?:the|our|your) ${KIND}(?:[.,;)]|$| (?:but|and|yet|now|already)\\b)`,
  `${OF_NO_PART}(?:publish\\w*|post|commit|request|call|submission) (?:succeeded|went through|worked|completed|was successful)[,;]`,
);

/** It was sent: it arrived, or it did not. */
const wasSent = anyOf(
  ANY,
  `(?<!too many \\w+ )${OF_NO_PART}(?:was|were|has|have|had|been|got) (?:been )?${ADVERBS}${SENT}${NOT_A_PART}`,
  `(?:we|it|they) ${SENT}${NOT_A_PART}`,
  `(?:attempted|tried) to (?:publish|post|tweet|submit|send|create)${NOT_A_PART}`,
  `${OF_NO_PART}${SENT}(?:[,;:.]| (?:by|to|at|with) \\w+)`,
  'waiting for … (?:confirm|acknowledge|report|return|answer)',
  'mid-?(?:publish\\w*|post|send)',
  `(?:(?:mid|half|part)-?way through|in the (?:midst|middle|course) of|(?:at|near) the (?:very )?end of|end of) (?:the )?${PUBLISHING}`,
  '(?:publish|post|tweet|share|submission) ?id (?:[^ ]+ ){0,5}?(?:received|returned|issued)',
  `${KIND} saved`,
  'handed (?:over )?(?:to \\w+|for publish\\w*)',
  '(?:publish\\w*|publication|post) (?:(?:was|has|had|been) )*(?:started|initiated|begun)',
  '(?:mid-?|in[- ])flight',
  'left (?:our|the|this) (?:servers?|side|system|queue|host|worker|machine)',
  '(?:request|attempt|call|post|tweet|share|submission) (?:has |had )?reached (?!(?:the|a|an|its|your|our)\\b)\\w+',
  `(?:hear|heard|word|response|reply|answer|acknowledge?ment|confirmation|verdict|receipt)(?: back)? (?:from \\w+ )?(?:for|of|to|about|on) (?:our|this|the|your|a) ${KIND}(?! (?:id|upload|limit|permission|request for))`,
);

/** The call that publishes, by its name. */
const called = anyOf(
  ANY,
  `(?<!(?:before|for|prior to|preparing|prepare) (?:the |a )?)(?:publish\\w*|posting|tweeting|media publish|threads publish|submit|(?:create[- ])?(?:tweet|toot|pin|share|reel)|create[- ](?:post|message|status|record)|send ?(?:message|photo|video)|statuses update|insert|submission) (?:api )?(?:call|request|step|command|action|endpoint|operation|mutation|attempt)`,
  `(?:while|during|when|in the middle of) (?:the |it was |being |we were )*(?:publish\\w*|publication|posting|tweeting|sending|submitting|submission)${NOT_A_PART}(?! (?:the |a |an |your )?videos?\\b)`,
  `(?:while|when) (?:\\w+ ){0,3}?creating (?:the |a |your )?(?:post|tweet|pin|status|record|share|thread|submission|reel|story|message)`,
  `(?:waiting for|awaiting) … (?:publish\\w*|post|posting|tweet|submission) (?:response|result|confirmation|answer|reply|call|request)`,
  'create record',
  '(?:media|threads) publish',
  'create (?:tweet|toot|pin|status)',
  `while (?:the |our |your |this )?(?:\\w+ )?${KIND} (?:was|is)`,
  `(?:while|when) (?:writing|saving|committing) (?:the |a |your )?${KIND}`,
  `(?:call|request) (?:that|which|to) (?:publish|create|send|post)\\w*`,
  `(?:during|in|while|mid) (?:the )?${KIND} (?:creation|publication|submission)`,
  'during (?:the |our )?(?:api )?call to (?!upload|refresh|fetch)\\w+',
);

const ENDPOINT =
  /\b(?:media_publish|threads_publish|statuses\/update|2\/tweets|feed\.createPost|createRecord|api\/v1\/statuses|send(?:Message|MediaGroup|Photo|Video|Document|Animation)|videos\.insert|api\/submit|ugcPosts|rest\/posts|localPosts|v5\/pins)\b/;

const LOST = [
  'timed? ?-?outs?',
  'etimedout|esockettimedout|deadline exceeded',
  'socket hang up|socket closed|hung|froze|unresponsive|stopped (?:respond|answer|reply)ing|econnreset|econnaborted|epipe|broken pipe|premature close|other side closed',
  'network (?:blip|glitch)|(?:connection|socket|stream|network) (?:(?:to|with|from) [\\w.]+ )?(?:was |got |is |has been |had been )*(?:reset|closed|lost|dropped|aborted|terminated|broken?|interrupted|cut|down|died|ended)',
  '(?:lost|dropped|closed|reset|cut|aborted) (?:the |its |our )?(?:connection|contact|line|stream|socket)',
  '(?:response|answer|reply|confirmation|acknowledge?ment|result|receipt) … (?:lost|missing|empty|cut|truncated|unreadable|unpars\\w+|garbled|incomplete|never|malformed|could not be read|not (?:received|returned|available|come))',
  `(?:lost|no|empty|missing|malformed|unreadable|truncated|without an?y?) (?:\\w+ ){0,3}?(?:response|answer|reply|confirmation|acknowledge?ment|receipt|result|status code|${ID}|body)`,
  `never (?:\\w+ )?(?:got|received|saw|seen|heard|told|said|learned|recorded|answered|responded|replied|reported|confirmed|returned|completed|finished|came|arrived)`,
  `(?:did|does|has|had|was|were)(?: not|n't) (?:\\w+ )?(?:return|answer|respond|confirm|ack|repl|report|hear|arriv|show|come back|complete|finish)\\w*`,
  'lost (?:track|sight) of|stuck (?:in|at|while|on)|(?:took|takes|taking) too long',
  'disconnected|gateway error|before (?:\\w+ ){1,3}(?:answered|responded|replied|confirmed)',
  '(?:went|stayed|remained|fell|kept|was) (?:silent|quiet)',
  '(?:returned|answered|gave|sent)(?: back| us)* (?:no|nothing)',
  '(?:http|with|a|answered|returned|got|gave|status) (?:502|504|52[0-4])|bad gateway',
  'eof|unexpected end (?:of|from)|client closed request',
  '(?:pars|decod|read|deserializ)\\w* (?:the |its |an? )?(?:\\w+ )?(?:response|answer|reply|body)|(?:response|answer|reply|body) (?:pars|decod|read|deserializ)ing',
  `${ID} (?:(?:is|was|field|are) )*(?:empty|missing|null|absent|not set)`,
  '(?:status|state|result|outcome) (?:of (?:\\w+ ){1,4})?(?:was |is |has )?not (?:been )?(?:reported|received|seen|recorded)',
  '(?:status|state|result|outcome|fate|end)[:=]? (?:of (?:the |this |its )?\\w+ )?(?:is |was |remains |stays )*(?:unknown|not known|unclear|uncertain)',
  '(?:unknown|unclear|uncertain|indeterminate|ambiguous|inconclusive|undetermined) (?:status|state|result|outcome|response|answer)',
  "(?:status|state|result|outcome|fate) (?:could not|couldn't|cannot|can't) be \\w+",
  '(?:interrupt(?:ed|ion)|restart(?:ed)?|crash(?:ed)?|killed|shut down|stalled|died|went away|gave up|given up|abandoned|lost its lease|stopped (?:waiting|polling|following|tracking|watching|listening|asking))',
];

/** Nothing was heard of the attempt. */
const noAnswer = anyOf(ANY, ...LOST);

/** Anything that leaves open how it ended, if it is out. */
const leftOpen = anyOf(
  ANY,
  "(?:could not|couldn't|cannot|can't|failed to|unable to|not able to|was not able to) (?:be )?(?:fetch|get|read|obtain|retriev|find|found|resolv|load|pars|stor|sav|record|verif|confirm|determin|check|look)\\w*",
  "(?:fetching|reading|loading|getting|retrieving|parsing|storing|saving|finding)(?: [\\w']+){1,5} failed",
  '(?:status|verification|confirmation|permalink|result|state)(?: \\w+)? (?:failed|fails|unavailable)',
  "(?:not|n't) (?:yet )?(?:visible|found|seen|confirmed|verified|listed|there)",
  '(?:http|with|a|answered|returned|got|gave|status) (?:5\\d\\d|429|408)',
  'gateway|limit reached|rate[- ]?limit\\w*|too many requests|internal (?:server )?error|service unavailable|server error|network error',
);

/** A duplicate of a post that the text names: the ID, or the address, of what is on the platform. */
const NAMED_POST = (() => {
  const help = '(?!https?:\\/\\/\\S*(?:help|docs|developer|support|polic|rules|about|legal))';
  const address = `${help}https?:\\/\\/[^\\s/]+\\/\\S*(?:\\d{5,}|status|posts?\\/|comments|\\/p\\/|reel|video|watch|pin\\/|feed|shorts|@)\\S*`;
  const named = `(?:urn:\\w+|at:\\/\\/|${address}|(?:the |an? |your |existing |earlier |previous )*(?:(?:post|tweet|status|share|pin|video|message|activity|media|submission|reel|thread|id)s? ?)+(?:id)?[ :=#"']*\\d{5,}|#?\\d{8,})`;
  const duplicate =
    'duplicate\\w*|identical|(?:already|previously|been) (?:been |was )?(?:posted|published|shared|submitted|created|tweeted|pinned|sent|exists?|live)|same (?:content|text|post)';
  return new RegExp(`\\b(?:${duplicate})\\b[^\\n]{0,80}?[\\s("':](?:${named})`, 'i');
})();

/** Instagram may answer so although the container was published; its limit of posts has a code and words of its own. */
function limitAfterPublishing(platform: string, text: string): string | undefined {
  if (platform !== 'instagram') return undefined;
  if (/2207042|maximum number|\bbefore\b|\bcontainer\b|\bupload/i.test(text)) return undefined;
  return /\b(?:application|app|user|account|page) (?:level )?request limit reached\b/i.exec(
    text,
  )?.[0];
}
