import * as z from 'zod';
import { namedValues } from '../common/named-values.js';
import { openCanvasPath } from './opencanvas-mount.js';
import {
  baseUrl,
  brokers,
  corsOrigins,
  flag,
  int,
  isEndpoint,
  isOrigin,
  list,
  listOf,
  MIN_SECRET_LENGTH,
  networks,
  oidcProviders,
  origin,
  origins,
  proxies,
  SECRET_RULE,
  secretList,
} from './env-values.js';

/** in order of verbosity; each level includes those before it */
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'log', 'debug'] as const;

/** actions that need a verified address: none, publishing, every write of an account */
const VERIFIED_FOR = ['none', 'publish', 'write'] as const;

export const REGISTRATION_MODES = namedValues('RegistrationMode', ['open', 'invite', 'approval', 'closed']);
export type RegistrationMode = (typeof REGISTRATION_MODES)[number];

const LANGUAGE = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/;

const mongodbUri = z.string().regex(/^mongodb(\+srv)?:\/\//, 'must start with mongodb:// or mongodb+srv://');

const VARIABLES = z.object({
  NODE_ENV: z.enum(['development', 'production', 'test']).default('development'),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('log'),
  LOG_FORMAT: z.enum(['json', 'text']).optional(),
  LOG_SLOW_REQUEST_MS: int(1, 600_000, 1_000),
  LOG_REQUESTS: z.coerce.number().min(0).max(1).default(0),
  NO_COLOR: z.string().optional(),

  HTTP_HOST: z.string().min(1).default('127.0.0.1'),
  HTTP_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  HTTP_WORKERS: z.coerce.number().int().min(1).max(256).optional(),
  HTTP_BODY_LIMIT_BYTES: int(1_024, 16 * 1024 * 1024, 2_621_440),
  HTTP_HEADER_LIMIT_BYTES: int(2_048, 65_536, 16_384),
  HTTP_HEADERS_TIMEOUT_MS: int(100, 120_000, 10_000),
  HTTP_REQUEST_TIMEOUT_MS: int(100, 300_000, 30_000),
  HTTP_SEND_TIMEOUT_MS: int(100, 600_000, 30_000),
  HTTP_KEEP_ALIVE_TIMEOUT_MS: int(100, 600_000, 65_000),
  HTTP_MAX_REQUESTS_PER_SOCKET: int(0, 1_000_000, 0),
  HTTP_MAX_CONNECTIONS: int(1, 1_000_000, 20_000),
  HTTP_MAX_CONNECTIONS_PER_ADDRESS: int(1, 1_000_000, 1_000),
  HTTP_MAX_IN_FLIGHT: int(1, 100_000, 1_000),
  HTTP_MAX_WAIT_MS: int(10, 60_000, 500),
  HTTP_MAX_EVENT_LOOP_DELAY_MS: int(10, 60_000, 500),
  HTTP_SHUTDOWN_NOTICE_MS: int(0, 120_000, 0),
  HTTP_SHUTDOWN_TIMEOUT_MS: int(100, 300_000, 10_000),
  PROCESS_SILENCE_TIMEOUT_MS: int(1_000, 600_000, 15_000),
  PROCESS_LOW_PRIORITY: flag(true),
  HTTP_TRUSTED_PROXIES: proxies,
  HTTP_CORS_ORIGINS: corsOrigins,
  HTTP_PUBLIC_URL: origin.optional(),
  HTTP_DOCS: flag(true),
  HTTP_METRICS: networks('loopback'),

  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl,
  OTEL_TRACES_SAMPLER: z.enum(['parentbased_traceidratio', 'traceidratio']).default('parentbased_traceidratio'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  OTEL_SERVICE_NAME: z.string().min(1).max(200).default('opencanvas-api'),

  MONGODB_URI: mongodbUri.optional(),
  MONGODB_DATABASE: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,63}$/, 'must be 1-63 of A-Z a-z 0-9 _ -')
    .default('opencanvas'),
  BACKUP_MONGODB_URI: mongodbUri.optional(),
  MONGODB_POOL_SIZE: z.coerce.number().int().min(1).max(10_000).optional(),
  MONGODB_WAIT_QUEUE_TIMEOUT_MS: int(10, 60_000, 2_000),
  MONGODB_SERVER_SELECTION_TIMEOUT_MS: int(100, 60_000, 5_000),
  MONGODB_SOCKET_TIMEOUT_MS: int(1_000, 600_000, 30_000),
  MONGODB_READ_PREFERENCE: z.enum(['primary', 'secondaryPreferred', 'nearest']).default('primary'),
  // The driver requires at least 90.
  MONGODB_MAX_STALENESS_SECONDS: int(90, 86_400, 90),
  MONGODB_SLOW_QUERY_MS: int(1, 60_000, 100),
  MIGRATE: z.enum(['auto', 'manual']).optional(),
  MONGOD_BINARY: z.string().min(1).optional(),
  MONGOD_CACHE_GB: z.coerce.number().min(0.25).max(64).default(1),
  DATA_DIR: z.string().min(1).default('.data'),

  IMPORT_URI: mongodbUri.optional(),

  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\/[^/]/, 'must start with redis:// or rediss://')
    .optional(),

  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/[^/]/, 'must start with smtp:// or smtps://')
    .optional(),
  MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]{0,200}[^\s@<>]{1,64}@[^\s@<>]{1,200}>?$/, 'must be an address, or a name and <an address>')
    .default('OpenCanvas <no-reply@localhost>'),
  SITE: z.enum(['on', 'off']).optional(),
  SITE_STYLESHEET: z.string().min(1).optional(),
  PUBLIC_SITE_URL: baseUrl,
  PUBLIC_SITE_NAME: z
    .string()
    .regex(/^[^\p{Cc}]{1,100}$/u, 'must be 1 to 100 characters on one line')
    .optional(),
  PUBLIC_SITE_LANGUAGES: listOf('en').refine(
    (tags) => tags.length > 0 && tags.every((tag) => LANGUAGE.test(tag)),
    'must list language tags, as en,de',
  ),

  REGISTRATION: z.enum(REGISTRATION_MODES).optional(),
  INVITES_PER_USER: int(0, 100, 0),

  MODERATION_LOG: z.enum(['private', 'public']).default('private'),
  MODERATION_SHOW_NAMES: flag(false),
  MODERATION_CONTACT: z.string().max(200).optional(),

  COMMENT_MAX_LENGTH: int(1_000, 10_000, 1_000),
  NEWCOMER_DAYS: int(0, 365, 3),
  REVIEW_FIRST_POSTS: int(0, 100, 0),

  WEB_PUSH_PRIVATE_KEY: z
    .string()
    .regex(/^[\w-]{43}$/, 'must be 32 bytes in base64url')
    .optional(),
  WEB_PUSH_SUBJECT: z
    .string()
    .regex(/^(?:mailto:|https:\/\/)\S{1,200}$/, 'must be mailto: or an https address')
    .optional(),

  OUTGOING_ALLOWED_PRIVATE: list.refine((entries) => entries.every(isEndpoint), 'must list host:port'),

  AUTH_TOKEN_SECRET: z.string().min(MIN_SECRET_LENGTH, SECRET_RULE).optional(),
  AUTH_TOKEN_SECRETS: secretList,
  AUTH_ALLOW_DEMO_ACCOUNTS: flag(false),
  AUTH_ACCESS_TOKEN_TTL_SECONDS: int(60, 3_600, 900),
  AUTH_REFRESH_TOKEN_TTL_DAYS: int(1, 365, 30),
  AUTH_ARGON2_MEMORY_KIB: int(8_192, 1_048_576, 19_456),
  AUTH_ARGON2_ITERATIONS: int(1, 10, 2),
  AUTH_REQUIRE_VERIFIED_EMAIL: z.enum(VERIFIED_FOR).default('none'),
  AUTH_ENCRYPTION_KEYS: secretList,
  AUTH_PASSKEY_ORIGINS: origins,
  AUTH_PASSKEY_RP_ID: z
    .string()
    .regex(/^[a-z0-9.-]{1,253}$/, 'must be a domain in lower case')
    .optional(),
  AUTH_HASH_CONCURRENCY: z.coerce.number().int().min(1).max(64).optional(),

  AUTH_OIDC_PROVIDERS: oidcProviders,
  AUTH_RETURN_ORIGINS: origins,

  CACHE_MAX_BYTES: z.coerce.number().int().min(1_048_576).max(17_179_869_184).optional(),
  CACHE_FEED_TTL_MS: int(0, 3_600_000, 30_000),
  CACHE_TOP_WRITERS_TTL_MS: int(0, 86_400_000, 300_000),
  CACHE_STALE_MS: int(0, 86_400_000, 30_000),
  CACHE_STALE_IF_ERROR_MS: int(0, 86_400_000, 600_000),
  CACHE_L2: flag(false),

  RATE_LIMIT_ENABLED: flag(true),
  RATE_LIMIT_READS_PER_MINUTE: int(1, 10_000_000, 6_000),
  RATE_LIMIT_WRITES_PER_MINUTE: int(1, 10_000_000, 600),
  RATE_LIMIT_AUTH_PER_MINUTE: int(1, 1_000_000, 20),
  RATE_LIMIT_VISITOR_EVENTS_PER_MINUTE: int(1, 10_000_000, 60),
  RATE_LIMIT_SEARCHES_PER_MINUTE: int(1, 10_000_000, 300),
  RATE_LIMIT_VISITOR_SEARCHES_PER_MINUTE: int(1, 10_000_000, 60),
  RATE_LIMIT_PREVIEWS_PER_MINUTE: int(1, 10_000_000, 30),
  RATE_LIMIT_UPLOADS_PER_HOUR: int(1, 10_000_000, 60),
  RATE_LIMIT_GUEST_UPLOADS_PER_HOUR: int(1, 10_000_000, 10),
  RATE_LIMIT_BYTES_PER_DAY: int(1, 1_000_000_000_000, 100_000_000),
  RATE_LIMIT_REGISTRATIONS_PER_HOUR: int(1, 10_000_000, 5),
  RATE_LIMIT_NEW_RECIPIENTS_PER_HOUR: int(1, 10_000_000, 20),

  MEDIA_PUBLIC_URL: baseUrl,
  MEDIA_S3_ENDPOINT: origin.optional(),
  MEDIA_S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
    .optional(),
  MEDIA_S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, 'must be the name of a region')
    .default('us-east-1'),
  MEDIA_S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  MEDIA_S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),

  IMPORT_MAX_BYTES: int(1, 200_000_000, 200_000_000),

  SEARCH: z.enum(['sqlite', 'opensearch', 'off']).optional(),
  SEARCH_COMMENTS: z.enum(['on', 'off']).default('off'),
  OPENSEARCH_URL: z
    .string()
    .regex(/^https?:\/\//, 'must begin with http:// or https://')
    .refine((url) => URL.canParse(url), 'must be a URL')
    .optional(),
  OPENSEARCH_INDEX_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,62}$/, 'must be lower-case letters, digits and _')
    .default('opencanvas'),

  EVENTS_WINDOW_HOURS: int(1, 168, 24),
  EVENTS_KAFKA_BROKERS: brokers,
  EVENTS_KAFKA_TOPIC: z
    .string()
    .regex(/^[\w.-]{1,249}$/, 'must be the name of a topic')
    .default('opencanvas.events'),
  EVENTS_KAFKA_GROUP: z
    .string()
    .regex(/^\S{1,249}$/, 'must be the name of a consumer group')
    .default('opencanvas'),
  EVENTS_KAFKA_TLS: flag(false),
  EVENTS_KAFKA_SASL: z.enum(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512']).optional(),
  EVENTS_KAFKA_USERNAME: z.string().min(1).optional(),
  EVENTS_KAFKA_PASSWORD: z.string().min(1).optional(),
  EVENTS_KAFKA_MAX_AGE_HOURS: int(1, 720, 24),
  ENGAGEMENT_INTERVAL_MINUTES: int(1, 1_440, 15),

  OPENCANVAS_API: openCanvasPath,
  OPENCANVAS_RAW_HTML: flag(false),
  OPENCANVAS_JWT_SECRET: z.string().min(1).optional(),

  JOBS_ENABLED: flag(true),
  CLEANUP_ROWS_PER_SECOND: int(10, 1_000_000, 5_000),
  CLEANUP_DELAY_MS: int(0, 3_600_000, 60_000),
});

/**
 * Every environment variable of the project, with its range and default. `.env.example` documents each one; a guard test compares both.
 */
export const ENV_NAMES = Object.keys(VARIABLES.shape);

export const ENV_SCHEMA = VARIABLES.refine((env) => !env.CACHE_L2 || env.REDIS_URL !== undefined, {
  path: ['CACHE_L2'],
  message: 'needs REDIS_URL',
})
  .refine((env) => env.SEARCH !== 'opensearch' || env.OPENSEARCH_URL !== undefined, {
    path: ['SEARCH'],
    message: 'needs OPENSEARCH_URL',
  })
  .refine((env) => (env.WEB_PUSH_PRIVATE_KEY === undefined) === (env.WEB_PUSH_SUBJECT === undefined), {
    path: ['WEB_PUSH_PRIVATE_KEY'],
    message: 'needs WEB_PUSH_SUBJECT, and is needed by it',
  })
  .refine(
    (env) => {
      const given = [env.EVENTS_KAFKA_USERNAME, env.EVENTS_KAFKA_PASSWORD];
      return given.every((value) => (value === undefined) === (env.EVENTS_KAFKA_SASL === undefined));
    },
    {
      path: ['EVENTS_KAFKA_SASL'],
      message: 'needs EVENTS_KAFKA_USERNAME and EVENTS_KAFKA_PASSWORD, and is needed by each of them',
    },
  )
  .refine(
    (env) => {
      const given = [env.MEDIA_S3_BUCKET, env.MEDIA_S3_ACCESS_KEY_ID, env.MEDIA_S3_SECRET_ACCESS_KEY];
      return given.every((value) => (value === undefined) === (env.MEDIA_S3_ENDPOINT === undefined));
    },
    {
      path: ['MEDIA_S3_ENDPOINT'],
      message:
        'needs MEDIA_S3_BUCKET, MEDIA_S3_ACCESS_KEY_ID and MEDIA_S3_SECRET_ACCESS_KEY, and is needed by each of them',
    },
  )
  .refine(
    (env) => env.SITE !== 'on' || (env.OPENCANVAS_API !== '/' && isOrigin(env.PUBLIC_SITE_URL ?? 'http://localhost')),
    {
      path: ['SITE'],
      message: 'needs a PUBLIC_SITE_URL without a path, and an OPENCANVAS_API other than /',
    },
  )
  .refine((env) => Object.keys(env.AUTH_OIDC_PROVIDERS).length === 0 || env.HTTP_PUBLIC_URL !== undefined, {
    path: ['AUTH_OIDC_PROVIDERS'],
    message: 'needs HTTP_PUBLIC_URL',
  });

export type Env = z.output<typeof ENV_SCHEMA>;
