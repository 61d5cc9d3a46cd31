import { loadConfig } from './app-config.js';
import { ENV_NAMES } from './env.schema.js';
import { misspelledVariables } from './misspelled-variables.js';

describe('misspelledVariables', () => {
  it.each([
    ['HTTP_WORKER', 'HTTP_WORKERS'],
    ['MONGODB_URL', 'MONGODB_URI'],
    ['AUTH_TOKENS_SECRET', 'AUTH_TOKEN_SECRET'],
    ['MEDIA_S3_BUKET', 'MEDIA_S3_BUCKET'],
  ])('names %s and the setting %s', (given, meant) => {
    expect(misspelledVariables({ [given]: 'x' })).toEqual([
      `${given} is not a setting and has no effect; did you mean ${meant}?`,
    ]);
  });

  it('is silent about settings and variables of other programs', () => {
    const others = ['PATH', 'HTTP_PROXY', 'REDIS_PORT', 'MONGODB_SERVICE_HOST', 'npm_config_user_agent', 'SMTP_HOST'];
    const environment = Object.fromEntries([...ENV_NAMES, ...others].map((name) => [name, 'x']));
    expect(misspelledVariables(environment)).toEqual([]);
  });
});

describe('loadConfig', () => {
  it.each([
    [{ HTTP_TRUSTED_PROXIES: '0.0.0.0/0' }, 'HTTP_TRUSTED_PROXIES: must list addresses, CIDR ranges (not /0'],
    [{ HTTP_TRUSTED_PROXIES: '::/0' }, 'HTTP_TRUSTED_PROXIES: must list addresses, CIDR ranges (not /0'],
    [{ HTTP_CORS_ORIGINS: 'app.example' }, 'HTTP_CORS_ORIGINS: must be *, or list origins as https://app.example'],
    [{ HTTP_PORT: 'abc' }, 'HTTP_PORT: must be a number\n'],
    [{ HTTP_MAX_IN_FLIGHT: '1,000' }, 'HTTP_MAX_IN_FLIGHT: must be a number\n'],
    [{ MEDIA_S3_BUCKET: 'media' }, 'MEDIA_S3_ENDPOINT: needs MEDIA_S3_BUCKET'],
    [{ MEDIA_S3_SECRET_ACCESS_KEY: 'media' }, 'MEDIA_S3_ENDPOINT: needs MEDIA_S3_BUCKET'],
    [{ EVENTS_KAFKA_PASSWORD: 'x' }, 'EVENTS_KAFKA_SASL: needs EVENTS_KAFKA_USERNAME'],
    [{ HTTP_CORS_ORIGINS: 'https://app.example/' }, 'HTTP_CORS_ORIGINS: must be *'],
    [
      { MONGODB_POOL_SIZE: '2', HTTP_WORKERS: '1' },
      'MONGODB_POOL_SIZE must be at least 3 here: a process takes as many',
    ],
  ])('refuses %j in a sentence', (environment, sentence) => {
    expect(() => loadConfig(environment)).toThrow(sentence);
  });

  it('accepts origins, or a single *', () => {
    const origins = (text: string) => loadConfig({ HTTP_CORS_ORIGINS: text }).http.corsOrigins;
    expect(origins('https://a.example, http://localhost:5173')).toEqual(['https://a.example', 'http://localhost:5173']);
    expect(origins('*')).toEqual(['*']);
    expect(() => origins('*,https://a.example')).toThrow('must be *');
  });
});
