// Errors as the platforms' documentation and their responses word them, one for each code and for each kind of words,
// with its cause; where a second cause is as good for the person who reads it, that one too.

import type { TargetCause } from '../../src/client/platform-codes.ts';

const said = `
bluesky
  reconnect: ExpiredToken: Token has expired
  platform: AccountTakedown: Account has been taken down
  temporary: RateLimitExceeded: Rate Limit Exceeded
  content: InvalidRequest: Invalid app.bsky.feed.post record: Record/text must not be longer than 300 graphemes
  content: BlobTooLarge: This file is too large. It is 1.2MB but the maximum size is 976.56KB.
  content: HTTP 400 from bsky.social: {"error":"InvalidRequest","message":"Invalid app.bsky.feed.post record: Record/embed/images/0/alt must be a string"}
  platform: HTTP 400 from video.bsky.app: {"error":"unconfirmed_email","message":"Please confirm your email before uploading videos"}
  platform: Account has been suspended
  reconnect: Token could not be verified
  temporary: HTTP 504 from pds.example: <html><body>Gateway Time-out</body></html>
discord
  reconnect: Missing Permissions (code 50013)
  reconnect: Missing Access
  content: Invalid Form Body: content[BASE_TYPE_MAX_LENGTH]: Must be 2000 or fewer in length.
  temporary: You are being rate limited.
  content: Cannot send an empty message (50006)
  platform: You need to verify your account in order to perform this action (40002)
  temporary: This action cannot be performed due to slowmode rate limit (20016)
  temporary: HTTP 429 from discord.com: {"message":"You are being rate limited.","retry_after":0.529,"global":false}
  reconnect: HTTP 401 from discord.com: {"message":"401: Unauthorized","code":0}
facebook
  reconnect: (#190) Error validating access token: Session has expired on Monday, 04-May-26 09:00:00 PDT.
  reconnect: Error validating access token: The session has been invalidated because the user changed their password
  temporary: (#4) Application request limit reached
  platform: (#368) The action attempted has been deemed abusive or is otherwise disallowed
  content: (#506) Duplicate status message
  content: (#100) Invalid parameter: message is too long
  temporary: An unexpected error has occurred. Please retry your request later.
  reconnect: HTTP 400 from graph.facebook.com: {"error":{"message":"Error validating access token: The user has not authorized application 3812.","type":"OAuthException","code":190,"error_subcode":458,"fbtrace_id":"AbC"}}
  reconnect|content: HTTP 400 from graph.facebook.com: {"error":{"message":"Unsupported post request. Object with ID 1041 does not exist, cannot be loaded due to missing permissions, or does not support this operation.","type":"GraphMethodException","code":100,"error_subcode":33}}
  platform: You are temporarily blocked from posting: your recent activity does not follow our Community Standards. Please try again later.
googlebusiness
  reconnect: UNAUTHENTICATED: Request had invalid authentication credentials. Expected OAuth 2 access token
  reconnect: PERMISSION_DENIED: The caller does not have permission
  temporary: RESOURCE_EXHAUSTED: Quota exceeded for quota metric Requests and limit Requests per minute
  content: INVALID_ARGUMENT: summary must be at most 1500 characters
  platform: Creating/Updating a local post is not authorized for this location.
  content: HTTP 400 from mybusiness.googleapis.com: {"error":{"code":400,"message":"Request contains an invalid argument.","status":"INVALID_ARGUMENT","details":[{"errorDetails":[{"code":3,"field":"summary","message":"Post may not contain phone number"}]}]}}
  platform: HTTP 429 from mybusiness.googleapis.com: {"error":{"code":429,"message":"Quota exceeded for quota metric 'Write requests' and limit 'Write requests per day'","status":"RESOURCE_EXHAUSTED"}}
  temporary: HTTP 500 from mybusiness.googleapis.com: {"error":{"code":500,"message":"Internal error encountered.","status":"INTERNAL"}}
  reconnect|content: HTTP 404 from mybusiness.googleapis.com: {"error":{"code":404,"message":"Requested entity was not found.","status":"NOT_FOUND"}}
instagram
  content: The aspect ratio is not supported. (code 36003, subcode 2207009)
  platform|temporary: Application request limit reached: the maximum number of posts that are allowed to be published via the content publishing API (2207042)
  temporary: code 9007: Media ID is not available. The media is not ready for publishing.
  content: code 9004: Only photo or video can be accepted as media type. The media could not be fetched from this URI.
  temporary: error_subcode 2207003: It takes too long to download the media.
  reconnect: (#190) The access token could not be decrypted
  content: Instagram refused the image: its aspect ratio 9:21 is not between 4:5 and 1.91:1.
  reconnect|platform: The Instagram account is not a business account. Convert it and reconnect.
  platform: User is restricted: try again later
  reconnect: HTTP 400 from graph.facebook.com: {"error":{"message":"The session has been invalidated because the user changed the password.","code":190,"error_subcode":460,"is_transient":false}}
linkedin
  reconnect: The token used in the request has expired
  reconnect: The token used in the request has been revoked by the user (serviceErrorCode 65601)
  content: Content is a duplicate of urn:li:share:7088137839292887040
  platform|temporary: Resource level throttle APPLICATION DAY limit for calls to this resource is reached.
  temporary: Internal Server Error
  content: HTTP 422 from api.linkedin.com: {"message":"Content is a duplicate of urn:li:share:7099","status":422,"code":"DUPLICATE_POST"}
  platform|temporary: HTTP 429 from api.linkedin.com: {"serviceErrorCode":101,"message":"Resource level throttle MEMBER DAY limit for calls to this resource is reached.","status":429}
  reconnect: HTTP 403 from api.linkedin.com: {"status":403,"serviceErrorCode":100,"code":"ACCESS_DENIED","message":"Not enough permissions to access: partnerApiPosts.CREATE.20240401"}
  temporary: HTTP 500 from api.linkedin.com: {"message":"Internal Server Error","status":500}
mastodon
  reconnect: The access token is invalid
  content: Validation failed: Text character limit of 500 exceeded
  temporary: Cannot attach files that have not finished processing. Try again in a moment!
  platform|reconnect: Your login is currently disabled
  reconnect: HTTP 401 from mastodon.example: {"error":"The access token is invalid"}
  content: HTTP 422 from mastodon.example: {"error":"Validation failed: Text character limit of 500 exceeded"}
  platform|reconnect: HTTP 403 from mastodon.example: {"error":"Your login is currently disabled"}
  temporary: HTTP 502 from mastodon.example: <!DOCTYPE html><html><head><title>502 Bad Gateway</title></head></html>
newplatform
  reconnect: HTTP 403 from api.new.example: {"error":"nope"}
  temporary: HTTP 502 from api.new.example: {}
  content: The video is too long
  other: No.
pinterest
  reconnect: Authentication failed. (code 2)
  temporary: code 7: You have exceeded your rate limit. Try again later.
  content: Board not found.
  platform: Apps with Trial access may not create Pins in production
  content: HTTP 404 from api.pinterest.com: {"code":40,"message":"Board not found."}
  reconnect: Access token expired
  temporary: Connection reset by peer
reddit
  temporary: RATELIMIT: Looks like you’ve been doing that a lot. Take a break for 9 minutes before trying again.
  platform: SUBREDDIT_NOTALLOWED: you aren’t allowed to post there.
  content: ALREADY_SUB: that link has already been submitted
  reconnect: USER_REQUIRED: Please log in to do that.
  platform: Your account is too new to post in this community
  temporary: Reddit closed the connection before it answered (ECONNRESET).
  reconnect: HTTP 401 from oauth.reddit.com: {"message":"Unauthorized","error":401}
  temporary: HTTP 500 from oauth.reddit.com: <html><body><h1>our CDN was unable to reach our servers</h1></body></html>
  content: Title is required
telegram
  reconnect: Unauthorized
  content: Bad Request: message is too long
  content: Bad Request: PHOTO_INVALID_DIMENSIONS
  temporary: Too Many Requests: retry after 35
  reconnect: HTTP 403 from api.telegram.org: {"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}
  content: HTTP 400 from api.telegram.org: {"ok":false,"error_code":400,"description":"Bad Request: message text is empty"}
  temporary: HTTP 429 from api.telegram.org: {"ok":false,"error_code":429,"description":"Too Many Requests: retry after 14","parameters":{"retry_after":14}}
  platform: HTTP 400 from api.telegram.org: {"ok":false,"error_code":400,"description":"Bad Request: TOPIC_CLOSED"}
  reconnect: CHAT_WRITE_FORBIDDEN
  temporary: FLOOD_WAIT_42
threads
  content: Param text must be at most 500 characters long.
  reconnect: Error validating access token: session has expired
  platform|temporary: The user has reached the maximum of 250 posts in a 24-hour period and cannot publish
  temporary: (#2) An unexpected error has occurred. Please retry your request later.
  content|temporary: code 24, subcode 4279009: The requested resource does not exist: media not found
  content: HTTP 400 from graph.threads.net: {"error":{"message":"Param text must be at most 500 characters long.","type":"THApiException","code":100,"fbtrace_id":"A"}}
  reconnect: HTTP 400 from graph.threads.net: {"error":{"message":"Application does not have permission for this action","type":"THApiException","code":10}}
  reconnect: HTTP 400 from graph.threads.net: {"error":{"message":"Error validating access token: Session has expired","type":"THApiException","code":190,"error_subcode":463}}
  temporary: Server error. Try again.
tiktok
  reconnect: access_token_invalid: The access token is invalid or not found in the request.
  platform: spam_risk_too_many_posts: The daily post cap from the API is reached for the current user.
  content: file_format_check_failed
  temporary: rate_limit_exceeded
  temporary: TikTok did not answer within 60 seconds.
  platform: TikTok holds the video as a draft: open the app and confirm the music.
  temporary: HTTP 502 from open.tiktokapis.com: <html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>
  content|temporary: The video could not be downloaded from the URL
  reconnect: User has not authorized video.publish
twitter
  content: You are not allowed to create a Tweet with duplicate content.
  content: 403 Forbidden: {"errors":[{"code":187,"message":"Status is a duplicate."}]}
  temporary: Rate limit exceeded (code 88)
  platform|temporary: User is over daily status update limit. (185)
  reconnect: Could not authenticate you. (32)
  reconnect|platform: Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.
  platform: UsageCapExceeded: Usage cap exceeded: Monthly product cap
  temporary: 503 Service Unavailable: something is broken
  content: HTTP 403 from api.x.com: {"detail":"You are not allowed to create a Tweet with duplicate content.","type":"about:blank","title":"Forbidden","status":403}
  reconnect: HTTP 401 from api.x.com: {"title":"Unauthorized","type":"about:blank","status":401,"detail":"Unauthorized"}
  platform: HTTP 403 from api.x.com: {"client_id":"29048111","detail":"When authenticating requests to the Twitter API v2 endpoints, you must use keys and tokens from a Twitter developer App that is attached to a Project.","reason":"client-not-enrolled","required_enrollment":"Appropriate Level of API Access","title":"Client Forbidden","type":"https://api.twitter.com/2/problems/client-forbidden"}
  temporary: HTTP 429 from api.x.com: {"title":"Too Many Requests","detail":"Too Many Requests","type":"about:blank","status":429}
  platform: HTTP 403 from api.x.com: {"errors":[{"message":"You have been restricted from posting due to unusual activity"}]}
youtube
  platform: quotaExceeded: The request cannot be completed because you have exceeded your quota.
  reconnect: invalid_grant: Token has been expired or revoked.
  reconnect: Request had insufficient authentication scopes.
  content: invalidTitle: The request metadata specifies an invalid or empty video title.
  temporary: backendError
  platform: The channel has been suspended
  content: Processing failed: unsupported codec
  temporary: HTTP 503 from www.googleapis.com: {"error":{"code":503,"message":"Service unavailable. Please try again later.","errors":[{"reason":"SERVICE_UNAVAILABLE"}]}}
  reconnect|platform: HTTP 403 from www.googleapis.com: {"error":{"code":403,"message":"The caller does not have permission","status":"PERMISSION_DENIED"}}
any platform
  reconnect: The access token was revoked
  reconnect: LinkedIn answered 401: the access token was revoked by a member of the page.
  reconnect: Riverbank Roasters Linz must be reconnected before it can publish.
  reconnect: Facebook refused the post with code 200: the page Riverbank Linz has not granted pages_manage_posts.
  reconnect: (#200) The user has not authorized the application to publish.
  reconnect: Could not authenticate you
  reconnect: ExpiredToken: Token has expired
  reconnect: scope_not_authorized
  reconnect: Missing Access
  reconnect: Missing Permissions
  reconnect: Forbidden: bot was kicked from the channel chat
  reconnect: need administrator rights in the channel chat
  reconnect: You are logged out of Pinterest
  content: Bluesky refused the post: 341 graphemes, the limit is 300.
  content: Invalid app.bsky.feed.post record: Record/text must not be longer than 300 graphemes
  content: BlobTooLarge
  content: Instagram refused the image: its aspect ratio 9:21 is not between 4:5 and 1.91:1.
  content: Validation failed: Text character limit of 500 exceeded
  content: You are not allowed to create a Tweet with duplicate content.
  content: The Tweet needs to be 280 characters or fewer
  content: TOO_LONG: this is too long (max: 300)
  content: Submission needs a flair
  content: file_format_check_failed
  content: frame_rate_check_failed
  content: BASE_TYPE_MAX_LENGTH: must be 2000 or fewer in length
  content: Bad Request: message is too long
  content: that link has already been submitted
  content: LinkedIn: Content is a duplicate of urn:li:share:1
  content: YouTube: the photo could not be read; the author of it should save it again
  platform: spam_risk_too_frequent
  platform: The request cannot be completed because you have exceeded your quota.
  platform: uploadLimitExceeded
  platform: User is over daily status update limit
  platform: This request looks like it might be automated.
  platform: Your account is suspended
  platform: Member is restricted
  platform: LinkedIn refused it for violating its policies
  platform: TikTok: the app is not audited
  platform: Board not found
  platform: Your account is locked until you review it
  temporary: mastodon.example answered 503 Service Unavailable after 3 attempts.
  temporary: X answered 429 Too Many Requests.
  temporary: X answered 429 Too Many Requests again; its window ends in a minute.
  temporary: LinkedIn answered 500.
  temporary: TikTok did not answer within 60 seconds.
  temporary: Reddit closed the connection before it answered (ECONNRESET).
  temporary: RATELIMIT: you are doing that too much. try again in 9 minutes.
  temporary: RateLimitExceeded
  temporary: Application request limit reached
  temporary: Too Many Requests: retry after 5
  temporary: internal_error
  other: LinkedIn said no.
  other: More information is not there.
  other: Computer says no.
  other:
`;

interface Case {
  readonly platform: string;
  readonly error: string;
  readonly expected: readonly TargetCause[];
}

/** Each line of the text, with the platform above it. */
export const causeCases: readonly Case[] = said
  .trim()
  .split(/\n(?! )/)
  .flatMap((block) => {
    const [name = '', ...lines] = block.split('\n  ');
    const platform = name === 'any platform' ? '' : name;
    return lines.map((line) => {
      const [, causes = '', error = ''] = /^([a-z|]+): ?(.*)$/.exec(line) ?? [];
      return { platform, error, expected: causes.split('|') as TargetCause[] };
    });
  });
