import { AppConfig, loadConfig, parseVariables, readDotEnv } from './app-config.js';
import { ENV_NAMES } from './env.schema.js';

export type Setting = {
  name: string;
  /** null: not set; `(secret)`: set; URLs are without credentials and parameters */
  value: unknown;
  source: 'default' | '.env' | 'environment';
};

export const SECRETS = [
  'WEB_PUSH_PRIVATE_KEY',
  'AUTH_TOKEN_SECRET',
  'AUTH_TOKEN_SECRETS',
  'AUTH_ENCRYPTION_KEYS',
  'MEDIA_S3_ACCESS_KEY_ID',
  'MEDIA_S3_SECRET_ACCESS_KEY',
  'EVENTS_KAFKA_PASSWORD',
  'OPENCANVAS_JWT_SECRET',
];

/** What the server decides when the variable is not set. */
const DECIDED: Record<string, (config: AppConfig) => unknown> = {
  LOG_FORMAT: ({ isLogJson }) => (isLogJson ? 'json' : 'text'),
  HTTP_PORT: ({ http }) => http.port,
  HTTP_WORKERS: ({ http }) => http.workers,
  MONGODB_POOL_SIZE: ({ mongo }) => mongo.hostPoolSize,
  CACHE_MAX_BYTES: ({ cache }) => cache.maxBytes,
  AUTH_HASH_CONCURRENCY: ({ auth }) => auth.hashConcurrency,
  MEDIA_PUBLIC_URL: ({ media }) => media.filesUrl,
  SITE: ({ site }) => (site.isOn ? 'on' : 'off'),
  SEARCH: ({ search }) => search.engine,
  AUTH_PASSKEY_RP_ID: ({ auth }) => auth.passkeys.id,
};

/** Returns the value of every variable, without secrets, and its source. @throws StartupError with every wrong variable */
export function effectiveSettings(environment: NodeJS.ProcessEnv = process.env): Setting[] {
  const file = readDotEnv();
  const given: NodeJS.ProcessEnv = { ...file, ...environment };
  const values = parseVariables(given) as Record<string, unknown>;
  const config = loadConfig(environment);
  const sourceOf = (name: string): Setting['source'] => {
    if (given[name] === undefined || given[name] === '') return 'default';
    return environment[name] === undefined ? '.env' : 'environment';
  };
  return ENV_NAMES.map((name) => {
    const value = values[name] ?? DECIDED[name]?.(config) ?? null;
    return {
      name,
      value: SECRETS.includes(name) && value !== null ? '(secret)' : shown(value),
      source: sourceOf(name),
    };
  });
}

/** Hides credentials and parameters of URLs, and the secrets of providers. */
function shown(value: unknown): unknown {
  if (typeof value === 'string') return withoutCredentials(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(shown);
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, name === 'clientSecret' ? '(secret)' : shown(field)]),
  );
}

function withoutCredentials(text: string): string {
  const [scheme, rest] = text.split('://', 2);
  if (rest === undefined || !/^[a-z+]+$/.test(scheme!)) return text;
  const [at, parameters] = [text.lastIndexOf('@'), text.indexOf('?')];
  // A password with these characters; it is not clear where it ends.
  if (parameters !== -1 && parameters < at) return `${scheme}://…`;
  const start = Math.max(at + 1, scheme!.length + '://'.length);
  return `${scheme}://${text.slice(start, parameters === -1 ? undefined : parameters)}${parameters === -1 ? '' : '?…'}`;
}
