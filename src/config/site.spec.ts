import { AppConfig } from './app-config.js';
import { ENV_SCHEMA } from './env.schema.js';

const siteOf = (env: Record<string, string>): AppConfig['site'] =>
  new AppConfig(ENV_SCHEMA.parse({ AUTH_TOKEN_SECRET: 'x'.repeat(40), ...env })).site;

describe('links to this server', () => {
  it.each([
    [{}, 'http://localhost:3000'],
    [{ HTTP_PORT: '3100' }, 'http://localhost:3100'],
    [{ HTTP_PORT: '3100', HTTP_PUBLIC_URL: 'https://api.example' }, 'https://api.example'],
  ])('of %j begin with %s', (env, api) => {
    expect(siteOf(env)).toMatchObject({ api, profiles: `${api}/v1/users/` });
  });

  it('lead to profiles of the site where there is one', () => {
    expect(siteOf({ PUBLIC_SITE_URL: 'https://site.example' }).profiles).toBe('https://site.example/u/');
  });
});
