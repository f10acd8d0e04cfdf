// The errors of Google's two platforms, YouTube and Business Profile: named reasons, and few numbers.

import type { PlatformReading } from './platform-reading.ts';

export const googleReadings: Readonly<Record<string, PlatformReading>> = {
  youtube: {
    source: 'developers.google.com/youtube/v3/docs/errors',
    codes: [
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
    words: [
      [
        /insufficient authentication scopes|required authentication|invalid (?:authentication )?credentials|expired or revoked|unauthenticated|login required|\btoken\b/i,
        'reconnect',
      ],
      [
        /exceeded (?:your|the) (?:daily |upload )?(?:quota|number)|(?:account|channel|uploader\w*)[\w ]*(?:suspended|closed|terminated)|copyright|claim|terms ?of ?use|trademark|inappropriate|legal|strike|not been verified|forbidden/i,
        'platform',
      ],
      [/transcod\w* (?:is|still)|rate limit|backend error|try again/i, 'temporary'],
      [
        /invalid|title|description|tags?\b|category|codec|duplicate|empty|length|too (?:long|large|short|small)|format|thumbnail|playlist|bad ?request|required/i,
        'content',
      ],
      [/backend|internal|unavailable|timed? ?out/i, 'temporary'],
    ],
  },
  googlebusiness: {
    source: 'developers.google.com/my-business/reference/rest/v4/ErrorCode',
    codes: [
      [/\bUNAUTHENTICATED|invalid_grant|ACCESS_TOKEN_SCOPE/i, 'reconnect'],
      [/SERVICE_DISABLED|accessNotConfigured/i, 'platform'],
    ],
    words: [
      [/invalid authentication|expired or revoked|insufficient/i, 'reconnect'],
      [
        /not authori[sz]ed for this location|(?:location|listing|profile)[\w ]*(?:suspended|disabled|not verified|unverified|closed)|disabled for this location|per day|daily|polic(?:y|ies)|rejected|has not been used in project|verification/i,
        'platform',
      ],
      [/PERMISSION_DENIED|does not have permission/i, 'reconnect'],
      [
        /RESOURCE_EXHAUSTED|per minute|UNAVAILABLE|\bINTERNAL\b|DEADLINE_EXCEEDED|ABORTED|try again|timed? ?out|\brate\b/i,
        'temporary',
      ],
      [
        /INVALID_ARGUMENT|FAILED_PRECONDITION|invalid argument|summary|length|image|photo|media|fetch|phone number|call to action|url|event|offer|title|too (?:long|large|small)|characters|schedule/i,
        'content',
      ],
      [/NOT_FOUND|not found/i, 'reconnect'],
    ],
  },
};
