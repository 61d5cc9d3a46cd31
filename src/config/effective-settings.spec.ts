import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effectiveSettings, SECRETS } from './effective-settings.js';
import { ENV_NAMES } from './env.schema.js';

describe('the effective settings', () => {
  const before = process.cwd();
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'opencanvas-settings-'));
    process.chdir(directory);
  });
  afterEach(() => {
    process.chdir(before);
    rmSync(directory, { recursive: true });
  });

  const settingOf = (name: string, environment: NodeJS.ProcessEnv = {}) =>
    effectiveSettings(environment).find((setting) => setting.name === name);

  it('have a value and a source for every variable', () => {
    writeFileSync('.env', 'HTTP_PORT=4000\nHTTP_HOST=127.0.0.2\nCACHE_STALE_MS=1\n');
    const environment = { HTTP_HOST: '127.0.0.3', HTTP_MAX_WAIT_MS: '100', CACHE_STALE_MS: '' };

    const settings = effectiveSettings(environment);

    expect(settings.map(({ name }) => name)).toEqual(ENV_NAMES);
    const byName = Object.fromEntries(settings.map(({ name, value, source }) => [name, [value, source]]));
    expect(byName).toMatchObject({
      HTTP_PORT: [4000, '.env'],
      HTTP_HOST: ['127.0.0.3', 'environment'],
      HTTP_MAX_WAIT_MS: [100, 'environment'],
      // An empty variable of the environment takes precedence, too.
      CACHE_STALE_MS: [30_000, 'default'],
      HTTP_MAX_CONNECTIONS: [20_000, 'default'],
      REDIS_URL: [null, 'default'],
      // decided by the machine, or by other settings
      HTTP_WORKERS: [expect.any(Number), 'default'],
      SEARCH: ['sqlite', 'default'],
    });
  });

  it('contain no secrets', () => {
    const secret = 'do-not-show-'.repeat(4).slice(0, 43);
    const settings = effectiveSettings({
      ...Object.fromEntries(SECRETS.map((name) => [name, secret])),
      // only one of both may be set
      AUTH_TOKEN_SECRETS: '',
      WEB_PUSH_SUBJECT: 'mailto:a@b.example',
      MONGODB_URI: `mongodb+srv://me:${secret}@db.example/x?tlsCertificateKeyFilePassword=${secret}`,
      BACKUP_MONGODB_URI: `mongodb://me:a/${secret}@db.example:1`,
      IMPORT_URI: `mongodb://me:a?${secret}@db.example`,
      REDIS_URL: `rediss://:${secret}@cache.example:2`,
      SMTP_URL: `smtps://me:${secret}@mail.example`,
      MEDIA_PUBLIC_URL: `https://me:${secret}@files.example/x`,
      HTTP_PUBLIC_URL: 'https://api.example',
      AUTH_OIDC_PROVIDERS: JSON.stringify({ google: { clientId: 'id', clientSecret: secret } }),
      MEDIA_S3_ENDPOINT: 'https://s3.example',
      MEDIA_S3_BUCKET: 'pictures',
      EVENTS_KAFKA_SASL: 'PLAIN',
      EVENTS_KAFKA_USERNAME: 'me',
    });

    expect(JSON.stringify(settings)).not.toContain('do-not-show');
    const valueOf = (name: string): unknown => settings.find((setting) => setting.name === name)!.value;
    const hidden = SECRETS.filter((name) => valueOf(name) === '(secret)');
    expect(hidden).toEqual(SECRETS.filter((name) => name !== 'AUTH_TOKEN_SECRETS'));
    const [list] = effectiveSettings({ AUTH_TOKEN_SECRETS: `${secret},${secret}` }).filter(
      ({ name }) => name === 'AUTH_TOKEN_SECRETS',
    );
    expect(list!.value).toBe('(secret)');
    expect(valueOf('MONGODB_URI')).toBe('mongodb+srv://db.example/x?…');
    expect(valueOf('REDIS_URL')).toBe('rediss://cache.example:2');
    expect(valueOf('AUTH_OIDC_PROVIDERS')).toMatchObject({ google: { clientId: 'id', clientSecret: '(secret)' } });
  });

  it('know every variable whose name is that of a secret', () => {
    const NO_SECRETS = ['AUTH_ACCESS_TOKEN_TTL_SECONDS', 'AUTH_REFRESH_TOKEN_TTL_DAYS'];
    const named = ENV_NAMES.filter((name) => /(?:SECRET|PASSWORD|TOKEN|_KEY)/.test(name) && !NO_SECRETS.includes(name));
    expect([...SECRETS].sort()).toEqual(named.sort());
  });

  it('fail for a wrong variable, with its name', () => {
    expect(() => settingOf('HTTP_PORT', { HTTP_PORT: 'many' })).toThrow(/HTTP_PORT: must be a number/);
  });
});
