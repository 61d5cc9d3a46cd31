/**
 * Every code a client can meet, with the status it travels under and its title. The problem filter, the OpenAPI document and the
 * tests read this table; services throw codes and know no HTTP.
 */
export const ERROR_CODES = {
  malformed_request: [400, 'The request could not be read'],
  malformed_body: [400, 'The body could not be read'],
  invalid_input: [400, 'The request is not valid'],
  invalid_id: [400, 'The id is not valid'],
  invalid_cursor: [400, 'The cursor is not valid'],
  cursor_expired: [400, 'The cursor is too old'],
  invalid_reset_token: [400, 'The link for a new password is not valid'],
  invalid_email_token: [400, 'The link for an e-mail address is not valid'],
  invalid_passkey: [400, 'The passkey is not valid'],
  invalid_expiry: [400, 'The expiry is not in the future'],
  invalid_schedule: [400, 'The time cannot be scheduled'],
  follow_self: [400, 'Nobody follows themselves'],
  comment_too_deep: [400, 'The thread is too deep'],
  invalid_code: [400, 'The code is not valid'],
  sign_in_not_begun: [400, 'No sign-in was begun here'],
  invalid_image: [400, 'The file is no picture that can be used'],
  import_failed: [400, 'The address gives no file'],
  parent_mismatch: [400, 'The parent belongs to another post'],
  unauthorized: [401, 'Sign in first'],
  invalid_token: [401, 'The access token is not valid'],
  invalid_credentials: [401, 'The credentials are not valid'],
  invalid_refresh_token: [401, 'The refresh token is not valid'],
  second_factor_required: [401, 'The account asks for a second factor'],
  recent_sign_in_required: [401, 'The sign-in is too old for this'],
  invalid_mfa_token: [401, 'The sign-in is not under way any more'],
  forbidden: [403, 'Not allowed'],
  email_not_verified: [403, 'The e-mail address is not verified'],
  invalid_export_link: [403, 'The link is not valid'],
  insufficient_scope: [403, 'The API token is not good for this'],
  not_found: [404, 'Nothing is here'],
  post_not_found: [404, 'The post does not exist'],
  user_not_found: [404, 'The user does not exist'],
  export_not_found: [404, 'The export does not exist'],
  api_token_not_found: [404, 'The API token does not exist'],
  session_not_found: [404, 'The sign-in does not exist'],
  comment_not_found: [404, 'The comment does not exist'],
  revision_not_found: [404, 'The version does not exist'],
  media_not_found: [404, 'The picture does not exist'],
  draft_not_found: [404, 'The draft does not exist'],
  collection_not_found: [404, 'The collection does not exist'],
  provider_not_found: [404, 'The provider is not known'],
  identity_not_found: [404, 'The account is not linked'],
  passkey_not_found: [404, 'The passkey does not exist'],
  method_not_allowed: [405, 'The method is not allowed here'],
  request_timeout: [408, 'The request took too long to arrive'],
  username_taken: [409, 'The username is taken'],
  username_limit: [409, 'The account has had too many names'],
  email_taken: [409, 'The e-mail address is taken'],
  email_changed_lately: [409, 'The e-mail address was changed lately'],
  identity_taken: [409, 'The identity is linked already'],
  last_sign_in_method: [409, 'The account would have no way in'],
  second_factor_on: [409, 'The second factor is on already'],
  second_factor_off: [409, 'The second factor is not on'],
  too_many_passkeys: [409, 'The account has too many passkeys'],
  too_many_featured: [409, 'The profile is full'],
  post_hidden: [409, 'The post is hidden'],
  post_locked: [409, 'The post takes no new comments'],
  too_many_follows: [409, 'The account follows too many'],
  too_many_collections: [409, 'The account has too many collections'],
  too_many_exports: [409, 'The account has had an export today'],
  too_many_api_tokens: [409, 'The account has too many API tokens'],
  collection_full: [409, 'The collection is full'],
  post_in_other_series: [409, 'The post is in another series'],
  invalid_place: [409, 'There is no such place in the collection'],
  too_many_drafts: [409, 'The account has too many drafts'],
  media_quota: [409, 'The account has no room for more pictures'],
  media_in_use: [409, 'The picture is in use'],
  draft_exists: [409, 'The post has a draft'],
  draft_incomplete: [409, 'The draft is not complete'],
  request_in_progress: [409, 'The same request is still running'],
  precondition_failed: [412, 'The resource has changed'],
  body_too_large: [413, 'The body is too large'],
  uri_too_long: [414, 'The address is too long'],
  unsupported_media_type: [415, 'The content type is not supported'],
  range_not_satisfiable: [416, 'The file is shorter'],
  idempotency_key_reused: [422, 'The idempotency key belongs to another request'],
  precondition_required: [428, 'If-Match is required'],
  rate_limited: [429, 'Too many requests'],
  byte_budget_spent: [429, 'The account sent too many bytes'],
  headers_too_large: [431, 'The head of the request is too large'],
  internal_error: [500, 'Something went wrong here'],
  overloaded: [503, 'The server is busy'],
  database_unavailable: [503, 'The database does not answer'],
  media_unavailable: [503, 'The storage of images does not answer'],
  search_not_ready: [503, 'The search index is being built'],
  shutting_down: [503, 'The server is restarting'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ErrorCode = keyof typeof ERROR_CODES;

export type FieldError = { field: string; message: string };

export type ErrorExtras = {
  fields?: FieldError[];
  /** seconds; sent as Retry-After */
  retryAfterSeconds?: number;
  /** what the client needs to go on; a member of the problem */
  mfaToken?: string;
  cause?: unknown;
};

/** The one error services throw: a stable code, a sentence for people, and the fields it is about. */
export class CodedError extends Error {
  readonly fields: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly mfaToken: string | undefined;

  constructor(
    readonly code: ErrorCode,
    detail: string,
    extras: ErrorExtras = {},
  ) {
    super(detail, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = 'CodedError';
    this.fields = extras.fields;
    this.retryAfterSeconds = extras.retryAfterSeconds;
    this.mfaToken = extras.mfaToken;
  }

  get status(): number {
    return ERROR_CODES[this.code][0];
  }
}

/** A reason not to start, written for the operator: printed as one sentence without a stack, exit code 1. */
export class StartupError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StartupError';
  }
}
