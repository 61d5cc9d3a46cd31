import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type * as z from 'zod';
import { StartupError } from '../common/errors.js';
import { ENV_SCHEMA, type Env, LOG_LEVELS } from './env.schema.js';
import { cacheBytesOf, type Machine, readMachine, webWorkersOf } from './machine.js';
import { poolShareOf } from './pool-share.js';
import { openCanvasMountOf } from './opencanvas-mount.js';
import { readOwnStyles } from './own-styles.js';
import { passkeySiteOf } from './passkey-site.js';
import { tokenSecretsOf } from './token-secrets.js';
import { hostIdOf, isMongodEmbedded, writerSocketOf } from './process-variables.js';

const DEFAULT_HTTP_PORT = 3000;

type LogLevel = (typeof LOG_LEVELS)[number];

/** The typed configuration. Only this file and its helpers use names of environment variables. */
export class AppConfig {
  readonly isProduction: boolean;
  /** each log line is a JSON object */
  readonly isLogJson: boolean;
  readonly requestLog;
  /** logs to a terminal have colors */
  readonly hasColors: boolean;
  readonly logLevels: LogLevel[];
  readonly http;
  readonly process;
  readonly tracing;
  readonly mongo;
  readonly import;
  readonly backup;
  readonly redis;
  readonly mail;
  readonly media;
  readonly imports;
  readonly site;
  readonly comments;
  readonly registration;
  readonly moderation;
  readonly newcomers;
  readonly outgoing;
  readonly webPush;
  readonly auth;
  readonly cache;
  readonly rateLimit;
  readonly search;
  readonly events;
  readonly engagement;
  readonly opencanvas;
  readonly jobs;

  constructor(
    env: Env,
    writerSocket?: string,
    hostId = hostIdOf({}),
    readonly machine: Machine = readMachine(),
    isEmbedded = false,
  ) {
    this.isProduction = env.NODE_ENV === 'production';
    this.isLogJson = isJson(env);
    this.hasColors = !this.isLogJson && !env.NO_COLOR;
    this.logLevels = LOG_LEVELS.slice(0, LOG_LEVELS.indexOf(env.LOG_LEVEL) + 1);
    this.requestLog = {
      slowMs: env.LOG_SLOW_REQUEST_MS,
      /** share of the requests that have a line, 0 to 1 */
      share: env.LOG_REQUESTS,
    };
    const dataDir = resolve(env.DATA_DIR);
    const cacheBytes = env.CACHE_MAX_BYTES ?? cacheBytesOf(machine);
    this.http = {
      host: env.HTTP_HOST,
      port: env.HTTP_PORT ?? DEFAULT_HTTP_PORT,
      isPortExplicit: env.HTTP_PORT !== undefined,
      workers: env.HTTP_WORKERS ?? webWorkersOf(machine, cacheBytes),
      isWorkersExplicit: env.HTTP_WORKERS !== undefined,
      bodyLimitBytes: env.HTTP_BODY_LIMIT_BYTES,
      headerLimitBytes: env.HTTP_HEADER_LIMIT_BYTES,
      headersTimeoutMs: env.HTTP_HEADERS_TIMEOUT_MS,
      requestTimeoutMs: env.HTTP_REQUEST_TIMEOUT_MS,
      sendTimeoutMs: env.HTTP_SEND_TIMEOUT_MS,
      keepAliveTimeoutMs: env.HTTP_KEEP_ALIVE_TIMEOUT_MS,
      maxRequestsPerSocket: env.HTTP_MAX_REQUESTS_PER_SOCKET,
      maxConnections: env.HTTP_MAX_CONNECTIONS,
      maxConnectionsPerAddress: env.HTTP_MAX_CONNECTIONS_PER_ADDRESS,
      maxInFlight: env.HTTP_MAX_IN_FLIGHT,
      maxWaitMs: env.HTTP_MAX_WAIT_MS,
      maxEventLoopDelayMs: env.HTTP_MAX_EVENT_LOOP_DELAY_MS,
      shutdownNoticeMs: env.HTTP_SHUTDOWN_NOTICE_MS,
      shutdownTimeoutMs: env.HTTP_SHUTDOWN_TIMEOUT_MS,
      trustedProxies: env.HTTP_TRUSTED_PROXIES,
      corsOrigins: env.HTTP_CORS_ORIGINS,
      publicUrl: env.HTTP_PUBLIC_URL,
      docs: env.HTTP_DOCS,
      metrics: env.HTTP_METRICS,
    };
    this.process = {
      unresponsiveTimeoutMs: env.PROCESS_SILENCE_TIMEOUT_MS,
      /** of password hashing and image processing */
      hasLowPriority: env.PROCESS_LOW_PRIORITY,
      writerSocket,
      hostId,
    };
    this.tracing = {
      endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
      isParentBased: env.OTEL_TRACES_SAMPLER === 'parentbased_traceidratio',
      ratio: env.OTEL_TRACES_SAMPLER_ARG,
      service: env.OTEL_SERVICE_NAME,
    };
    this.mongo = {
      ...poolShareOf(env.MONGODB_POOL_SIZE, this.http.workers, env.JOBS_ENABLED),
      uri: env.MONGODB_URI,
      /** whether the first process of this host has started the mongod of `uri` */
      isEmbedded,
      database: env.MONGODB_DATABASE,
      waitQueueTimeoutMs: env.MONGODB_WAIT_QUEUE_TIMEOUT_MS,
      serverSelectionTimeoutMs: env.MONGODB_SERVER_SELECTION_TIMEOUT_MS,
      socketTimeoutMs: env.MONGODB_SOCKET_TIMEOUT_MS,
      readPreference: env.MONGODB_READ_PREFERENCE,
      maxStalenessSeconds: env.MONGODB_MAX_STALENESS_SECONDS,
      slowQueryMs: env.MONGODB_SLOW_QUERY_MS,
      binary: env.MONGOD_BINARY,
      cacheGb: env.MONGOD_CACHE_GB,
      dataDir,
      /** default: auto with the embedded server, otherwise manual */
      migrate: env.MIGRATE,
    };
    this.import = { uri: env.IMPORT_URI };
    this.backup = { uri: env.BACKUP_MONGODB_URI };
    this.redis = { url: env.REDIS_URL };
    this.mail = {
      smtpUrl: env.SMTP_URL,
      from: env.MAIL_FROM,
      directory: join(dataDir, 'mail'),
    };
    this.media = {
      /** uploads before their processing */
      directory: join(dataDir, 'uploads'),
      /** the prefix of file URLs */
      filesUrl: env.MEDIA_PUBLIC_URL ?? `${env.HTTP_PUBLIC_URL ?? ''}/v1/media/files`,
      s3: s3Of(env),
    };
    /** of archives of other platforms */
    this.imports = { maxBytes: env.IMPORT_MAX_BYTES };
    const ownUrl = env.HTTP_PUBLIC_URL ?? `http://localhost:${this.http.port}`;
    const isSiteOn = env.SITE === undefined ? isSiteDefault(env, ownUrl) : env.SITE === 'on';
    const siteUrl = env.PUBLIC_SITE_URL ?? (isSiteOn ? ownUrl : undefined);
    this.site = {
      /** whether this server has the pages of the site */
      isOn: isSiteOn,
      /** the operator's own styles */
      stylesheet: readOwnStyles(env.SITE_STYLESHEET),
      /** undefined: there is no site */
      url: siteUrl,
      /** origin of the pages that mails link to; this server has them also without a site */
      mailPages: env.PUBLIC_SITE_URL ?? ownUrl,
      hasMailPages: isSiteOn || env.PUBLIC_SITE_URL === undefined || env.PUBLIC_SITE_URL === ownUrl,
      /** undefined: admins choose it (SiteSettingsService) */
      name: env.PUBLIC_SITE_NAME,
      /** URL of this server in mails and feeds */
      api: ownUrl,
      languages: env.PUBLIC_SITE_LANGUAGES,
      /** prefix of profile URLs; of this server if there is no site */
      profiles: siteUrl === undefined ? `${ownUrl}/v1/users/` : `${siteUrl}/u/`,
    };
    /** characters of a new text */
    this.comments = { maxLength: env.COMMENT_MAX_LENGTH };
    this.registration = { mode: env.REGISTRATION, invitesPerUser: env.INVITES_PER_USER };
    this.moderation = {
      isLogPublic: env.MODERATION_LOG === 'public',
      showsNames: env.MODERATION_SHOW_NAMES,
      contact: env.MODERATION_CONTACT,
    };
    this.newcomers = { ms: env.NEWCOMER_DAYS * 86_400_000, reviewedPosts: env.REVIEW_FIRST_POSTS };
    this.outgoing = { allowedPrivate: env.OUTGOING_ALLOWED_PRIVATE };
    this.webPush = webPushOf(env);
    const tokenSecrets = tokenSecretsOf(env, dataDir);
    this.auth = {
      get tokenSecrets() {
        return tokenSecrets();
      },
      oidcProviders: env.AUTH_OIDC_PROVIDERS,
      /** origins of clients, and of this server's own pages */
      returnOrigins: [...env.AUTH_RETURN_ORIGINS, ...(this.site.hasMailPages ? [new URL(ownUrl).origin] : [])],
      /** the first key encrypts secrets that rows store for years; all keys decrypt */
      hasOwnEncryptionKeys: env.AUTH_ENCRYPTION_KEYS !== undefined,
      get encryptionKeys() {
        return env.AUTH_ENCRYPTION_KEYS ?? tokenSecrets();
      },
      passkeys: passkeySiteOf(env, siteUrl),
      allowDemoAccounts: env.AUTH_ALLOW_DEMO_ACCOUNTS,
      accessTokenTtlSeconds: env.AUTH_ACCESS_TOKEN_TTL_SECONDS,
      refreshTokenTtlDays: env.AUTH_REFRESH_TOKEN_TTL_DAYS,
      verifiedEmailFor: env.AUTH_REQUIRE_VERIFIED_EMAIL,
      argon2MemoryKib: env.AUTH_ARGON2_MEMORY_KIB,
      argon2Iterations: env.AUTH_ARGON2_ITERATIONS,
      hashConcurrency: env.AUTH_HASH_CONCURRENCY ?? Math.max(1, Math.floor(machine.cpus / 2)),
    };
    this.cache = {
      maxBytes: cacheBytes,
      feedTtlMs: env.CACHE_FEED_TTL_MS,
      topWritersTtlMs: env.CACHE_TOP_WRITERS_TTL_MS,
      staleMs: env.CACHE_STALE_MS,
      staleIfErrorMs: env.CACHE_STALE_IF_ERROR_MS,
      isShared: env.CACHE_L2,
    };
    this.rateLimit = {
      isEnabled: env.RATE_LIMIT_ENABLED,
      readsPerMinute: env.RATE_LIMIT_READS_PER_MINUTE,
      writesPerMinute: env.RATE_LIMIT_WRITES_PER_MINUTE,
      authPerMinute: env.RATE_LIMIT_AUTH_PER_MINUTE,
      visitorEventsPerMinute: env.RATE_LIMIT_VISITOR_EVENTS_PER_MINUTE,
      searchesPerMinute: env.RATE_LIMIT_SEARCHES_PER_MINUTE,
      visitorSearchesPerMinute: env.RATE_LIMIT_VISITOR_SEARCHES_PER_MINUTE,
      previewsPerMinute: env.RATE_LIMIT_PREVIEWS_PER_MINUTE,
      uploadsPerHour: env.RATE_LIMIT_UPLOADS_PER_HOUR,
      guestUploadsPerHour: env.RATE_LIMIT_GUEST_UPLOADS_PER_HOUR,
      bytesPerDay: env.RATE_LIMIT_BYTES_PER_DAY,
      registrationsPerHour: env.RATE_LIMIT_REGISTRATIONS_PER_HOUR,
      recipientsPerHour: env.RATE_LIMIT_NEW_RECIPIENTS_PER_HOUR,
    };
    const engine = env.SEARCH ?? (env.JOBS_ENABLED ? 'sqlite' : 'off');
    this.search = {
      engine,
      isEnabled: engine !== 'off',
      openSearch: engine === 'opensearch' ? { url: env.OPENSEARCH_URL!, prefix: env.OPENSEARCH_INDEX_PREFIX } : null,
      directory: join(dataDir, 'search'),
      hasComments: env.SEARCH_COMMENTS === 'on',
    };
    this.events = { windowHours: env.EVENTS_WINDOW_HOURS, kafka: kafkaOf(env) };
    this.engagement = { intervalMinutes: env.ENGAGEMENT_INTERVAL_MINUTES };
    this.opencanvas = {
      ...openCanvasMountOf(env.OPENCANVAS_API),
      isRawHtml: env.OPENCANVAS_RAW_HTML,
      jwtSecret: env.OPENCANVAS_JWT_SECRET,
    };
    this.jobs = {
      isEnabled: env.JOBS_ENABLED,
      cleanupRowsPerSecond: env.CLEANUP_ROWS_PER_SECOND,
      cleanupDelayMs: env.CLEANUP_DELAY_MS,
    };
  }
}

/** Clients of OpenCanvas at `/` are a site of their own. */
function isSiteDefault({ PUBLIC_SITE_URL, OPENCANVAS_API }: Env, ownUrl: string): boolean {
  return (PUBLIC_SITE_URL === undefined || PUBLIC_SITE_URL === ownUrl) && OPENCANVAS_API !== '/';
}

/** undefined: no push messages are sent */
function webPushOf({ WEB_PUSH_PRIVATE_KEY: key, WEB_PUSH_SUBJECT: subject }: Env) {
  return key === undefined ? undefined : { privateKey: Buffer.from(key, 'base64url'), subject: subject! };
}

/** The storage of image files; undefined: the database. */
function s3Of(env: Env) {
  if (env.MEDIA_S3_ENDPOINT === undefined) return undefined;
  return {
    endpoint: env.MEDIA_S3_ENDPOINT,
    bucket: env.MEDIA_S3_BUCKET!,
    region: env.MEDIA_S3_REGION,
    accessKeyId: env.MEDIA_S3_ACCESS_KEY_ID!,
    secretAccessKey: env.MEDIA_S3_SECRET_ACCESS_KEY!,
  };
}

/** The source of events; undefined: none. */
function kafkaOf(env: Env) {
  const { EVENTS_KAFKA_BROKERS: brokers, EVENTS_KAFKA_SASL: mechanism } = env;
  if (brokers.length === 0) return undefined;
  return {
    brokers,
    topic: env.EVENTS_KAFKA_TOPIC,
    group: env.EVENTS_KAFKA_GROUP,
    isEncrypted: env.EVENTS_KAFKA_TLS,
    login:
      mechanism === undefined
        ? undefined
        : { mechanism, username: env.EVENTS_KAFKA_USERNAME!, password: env.EVENTS_KAFKA_PASSWORD! },
    maxAgeMs: env.EVENTS_KAFKA_MAX_AGE_HOURS * 3_600_000,
  };
}

/**
 * Reads and checks the environment (`.env` first, if it exists; the process environment takes precedence).
 * @throws StartupError with every wrong variable
 */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): AppConfig {
  return new AppConfig(
    parseVariables({ ...readDotEnv(), ...environment }),
    writerSocketOf(environment),
    hostIdOf(environment),
    readMachine(),
    isMongodEmbedded(environment),
  );
}

/** Parses variables; empty ones count as not set. @throws StartupError with every wrong variable */
export function parseVariables(variables: NodeJS.ProcessEnv): Env {
  const given = Object.entries(variables).filter(([, value]) => value !== undefined && value !== '');
  const parsed = ENV_SCHEMA.safeParse(Object.fromEntries(given));
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${explainIssue(issue)}`);
    throw new StartupError(
      `The configuration is not valid:\n${lines.join('\n')}\n.env.example documents every variable.`,
    );
  }
  return parsed.data;
}

/** Zod converts a text first, and says that it received NaN. */
function explainIssue(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_type' && issue.expected === 'number' ? 'must be a number' : issue.message;
}

/** Works before the configuration is loaded, and with an invalid configuration. */
export function isJsonLog(): boolean {
  try {
    return isJson({ ...readDotEnv(), ...process.env });
  } catch {
    return isJson(process.env);
  }
}

function isJson({ LOG_FORMAT, NODE_ENV }: { LOG_FORMAT?: string; NODE_ENV?: string }): boolean {
  return LOG_FORMAT ? LOG_FORMAT === 'json' : NODE_ENV === 'production';
}

export function readDotEnv(): Record<string, string> {
  try {
    // Some editors begin a file with a byte order mark.
    return parseEnv(readFileSync('.env', 'utf8').replace(/^\ufeff/, '')) as Record<string, string>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    // Without these settings the server would open another database.
    throw new StartupError(`.env cannot be read: ${(error as Error).message}.`, error);
  }
}
