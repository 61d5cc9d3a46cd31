/**
 * All error codes with HTTP status and title. The problem filter, the OpenAPI document and the tests read this table; services throw
 * codes and use no HTTP statuses.
 */
export const ERROR_CODES = {
  malformed_request: [400, 'The request could not be read'],
  malformed_body: [400, 'The body could not be read'],
  invalid_input: [400, 'The request is invalid'],
  invalid_id: [400, 'The id is invalid'],
  invalid_cursor: [400, 'The cursor is invalid'],
  cursor_expired: [400, 'The cursor has expired'],
  invalid_reset_token: [400, 'The password reset token is invalid'],
  invalid_email_token: [400, 'The e-mail token is invalid'],
  invalid_passkey: [400, 'The passkey is invalid'],
  invalid_expiry: [400, 'The expiry is in the past'],
  invalid_webhook_url: [400, 'The URL of the webhook is not allowed'],
  invalid_webhook_events: [400, 'The events are not of this kind of webhook'],
  invalid_schedule: [400, 'The time is out of range'],
  invalid_range: [400, 'The range of days is empty or too long'],
  invalid_alias: [400, 'The tag cannot be this alias'],
  invalid_visibility: [400, 'The fields of the visibility contradict each other'],
  missing_refresh_token: [400, 'The request has no refresh token'],
  follow_self: [400, 'You cannot follow yourself'],
  block_self: [400, 'You cannot block or mute yourself'],
  comment_too_deep: [400, 'The thread is too deep'],
  invalid_code: [400, 'The code is invalid'],
  sign_in_not_begun: [400, 'The sign-in was not started in this browser'],
  invalid_image: [400, 'The file is not a supported image'],
  import_failed: [400, 'The URL cannot be imported'],
  invalid_archive: [400, 'The archive cannot be imported'],
  parent_mismatch: [400, 'The parent comment belongs to another post'],
  unauthorized: [401, 'Sign in first'],
  invalid_token: [401, 'The access token is invalid'],
  invalid_credentials: [401, 'The credentials are invalid'],
  invalid_refresh_token: [401, 'The refresh token is invalid'],
  second_factor_required: [401, 'A second factor is required'],
  recent_sign_in_required: [401, 'A recent sign-in is required'],
  invalid_mfa_token: [401, 'The pending sign-in is invalid'],
  invalid_stream_ticket: [401, 'The stream ticket is invalid'],
  forbidden: [403, 'Not allowed'],
  foreign_origin: [403, 'The request is from another site'],
  blocked: [403, 'One of the two accounts blocks the other'],
  report_self: [403, 'You cannot report your own content'],
  account_suspended: [403, 'The account is suspended'],
  account_banned: [403, 'The account is banned'],
  email_not_verified: [403, 'The e-mail address is not verified'],
  registration_closed: [403, 'Registration is closed'],
  invalid_invite: [403, 'The invite is invalid'],
  invalid_setup_code: [403, 'The setup code is invalid'],
  invalid_export_link: [403, 'The link is invalid'],
  insufficient_scope: [403, 'The API token lacks a scope'],
  not_found: [404, 'Not found'],
  post_not_found: [404, 'Post not found'],
  user_not_found: [404, 'Account not found'],
  export_not_found: [404, 'Export not found'],
  import_not_found: [404, 'Import not found'],
  api_token_not_found: [404, 'API token not found'],
  invite_not_found: [404, 'Invite not found'],
  webhook_not_found: [404, 'Webhook not found'],
  webhook_delivery_not_found: [404, 'Delivery not found'],
  filter_not_found: [404, 'Filter not found'],
  rule_not_found: [404, 'Rule not found'],
  sign_up_not_found: [404, 'Registration not found'],
  session_not_found: [404, 'Session not found'],
  comment_not_found: [404, 'Comment not found'],
  revision_not_found: [404, 'Version not found'],
  media_not_found: [404, 'Image not found'],
  draft_not_found: [404, 'Draft not found'],
  collection_not_found: [404, 'Collection not found'],
  case_not_found: [404, 'Case not found'],
  action_not_found: [404, 'Action not found'],
  appeal_not_found: [404, 'Appeal not found'],
  notification_not_found: [404, 'Notification not found'],
  push_not_configured: [404, 'Web Push is not configured'],
  provider_not_found: [404, 'Provider not found'],
  identity_not_found: [404, 'The account is not linked to the provider'],
  passkey_not_found: [404, 'Passkey not found'],
  method_not_allowed: [405, 'Method not allowed'],
  request_timeout: [408, 'Request timeout'],
  username_taken: [409, 'The username is taken'],
  username_limit: [409, 'The account changed its username too often'],
  email_taken: [409, 'The e-mail address is taken'],
  email_changed_lately: [409, 'The e-mail address was changed recently'],
  identity_taken: [409, 'The identity is already linked'],
  setup_done: [409, 'The site is set up'],
  last_admin: [409, 'The last admin cannot lose the role or be deleted'],
  last_sign_in_method: [409, 'The last sign-in method cannot be removed'],
  second_factor_on: [409, 'The second factor is already enabled'],
  second_factor_off: [409, 'The second factor is not enabled'],
  too_many_passkeys: [409, 'The account has too many passkeys'],
  too_many_featured: [409, 'The profile features too many posts'],
  case_claimed: [409, 'Another moderator has claimed the case'],
  case_closed: [409, 'The case is closed'],
  post_hidden: [409, 'The post is hidden'],
  post_locked: [409, 'The post is locked'],
  post_not_locked: [409, 'The post is not locked'],
  standing_unchanged: [409, 'The standing of the account would not change'],
  not_appealable: [409, 'The action cannot be appealed'],
  already_appealed: [409, 'The action was already appealed'],
  appeal_decided: [409, 'The appeal is already decided'],
  not_personalised: [409, 'The feed of the account is not personal'],
  too_many_follows: [409, 'The account follows too many others'],
  too_many_tags: [409, 'The account follows too many tags'],
  too_many_blocks: [409, 'The account blocks too many others'],
  too_many_mutes: [409, 'The account has muted too many others'],
  filter_exists: [409, 'The account already has a filter of the phrase'],
  rule_exists: [409, 'A rule with the value and action exists'],
  too_many_rules: [409, 'The site has too many rules'],
  too_many_webhooks: [409, 'The account has too many webhooks'],
  webhook_disabled: [409, 'The webhook is disabled'],
  too_many_filters: [409, 'The account has too many filters'],
  too_many_hidden_posts: [409, 'The account hides too many posts'],
  too_many_bells: [409, 'The account has too many bells'],
  too_many_collections: [409, 'The account has too many collections'],
  too_many_exports: [409, 'The account already has an export of today'],
  import_running: [409, 'An import of the account is running'],
  too_many_imports: [409, 'The account has imported enough today'],
  too_many_invites: [409, 'The account has too many invites'],
  too_many_api_tokens: [409, 'The account has too many API tokens'],
  collection_full: [409, 'The collection is full'],
  post_in_other_series: [409, 'The post is in another series'],
  invalid_place: [409, 'The position does not exist in the collection'],
  too_many_drafts: [409, 'The account has too many drafts'],
  media_quota: [409, 'The image quota is exceeded'],
  media_in_use: [409, 'The image is in use'],
  draft_exists: [409, 'The post already has a draft'],
  collection_removed: [409, 'The collection was removed by a moderator'],
  post_removed: [409, 'The post was removed by a moderator'],
  already_removed: [409, 'It is already removed'],
  not_removed: [409, 'It is not removed'],
  draft_incomplete: [409, 'The draft is incomplete'],
  request_in_progress: [409, 'The same request is still running'],
  precondition_failed: [412, 'The resource has changed'],
  body_too_large: [413, 'The body is too large'],
  uri_too_long: [414, 'The URL is too long'],
  unsupported_media_type: [415, 'The content type is not supported'],
  range_not_satisfiable: [416, 'The file is shorter'],
  idempotency_key_reused: [422, 'The idempotency key belongs to another request'],
  content_rejected: [422, 'The site does not accept the text'],
  mail_domain_refused: [422, 'The site does not accept addresses of the domain'],
  newcomer_content: [422, 'A new account cannot publish this'],
  precondition_required: [428, 'If-Match is required'],
  newcomer_limit: [429, 'A new account writes no more today'],
  rate_limited: [429, 'Too many requests'],
  byte_budget_spent: [429, 'The daily byte limit is exceeded'],
  headers_too_large: [431, 'The request headers are too large'],
  internal_error: [500, 'Internal server error'],
  overloaded: [503, 'The server is overloaded'],
  database_unavailable: [503, 'The database is unavailable'],
  database_upgraded: [503, 'The database was upgraded'],
  media_unavailable: [503, 'Image storage is unavailable'],
  search_not_ready: [503, 'The search index is being built'],
  shutting_down: [503, 'The server is restarting'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ErrorCode = keyof typeof ERROR_CODES;

export type FieldError = { field: string; message: string };

/** @field until ISO 8601; null: without an end @field contact where to ask; null if none is configured */
export type BanReason = { reason: string; until: string | null; contact: string | null };

export type ErrorExtras = {
  fields?: FieldError[];
  /** seconds; sent as Retry-After */
  retryAfterSeconds?: number;
  /** the token for the second step; a member of the problem */
  mfaToken?: string;
  /** a member of the problem */
  ban?: BanReason;
  cause?: unknown;
};

/** The error of services: a stable code, a sentence for users, and the invalid fields. */
export class CodedError extends Error {
  readonly fields: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly mfaToken: string | undefined;
  readonly ban: BanReason | undefined;

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
    this.ban = extras.ban;
  }

  get status(): number {
    return ERROR_CODES[this.code][0];
  }
}

/** An error that prevents the start. The process prints one sentence without a stack, and exits with code 1. */
export class StartupError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StartupError';
  }
}
