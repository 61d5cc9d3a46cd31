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
    expect(siteOf(env)).toMatchObject({ isOn: true, api, url: api, profiles: `${api}/u/` });
    expect(siteOf({ ...env, SITE: 'off' })).toMatchObject({ api, url: undefined, profiles: `${api}/v1/users/` });
  });

  it.each([
    [{ PUBLIC_SITE_URL: 'https://site.example' }, false],
    [{ PUBLIC_SITE_URL: 'https://site.example', SITE: 'on' }, true],
    [{ PUBLIC_SITE_URL: 'https://site.example', HTTP_PUBLIC_URL: 'https://site.example' }, true],
    [{ PUBLIC_SITE_URL: 'https://site.example', HTTP_PUBLIC_URL: 'https://site.example', SITE: 'off' }, false],
    [{ OPENCANVAS_API: '/' }, false],
    [{ OPENCANVAS_API: '/oc' }, true],
  ])('with %j: this server has pages: %j', (env, isOn) => {
    expect(siteOf(env).isOn).toBe(isOn);
  });

  it('lead mails to pages of this server unless the site has another origin', () => {
    const PUBLIC_SITE_URL = 'https://site.example';
    expect(siteOf({ SITE: 'off' })).toMatchObject({ hasMailPages: true, mailPages: 'http://localhost:3000' });
    expect(siteOf({ PUBLIC_SITE_URL, HTTP_PUBLIC_URL: PUBLIC_SITE_URL, SITE: 'off' }).hasMailPages).toBe(true);
    expect(siteOf({ PUBLIC_SITE_URL })).toMatchObject({ hasMailPages: false, mailPages: PUBLIC_SITE_URL });
  });

  it.each<Record<string, string>>([{ OPENCANVAS_API: '/' }, { PUBLIC_SITE_URL: 'https://site.example/community' }])(
    'cannot lead to pages of this server with %j',
    (env) => {
      expect(() => siteOf({ ...env, SITE: 'on' })).toThrow('needs a PUBLIC_SITE_URL without a path');
    },
  );

  it('lead to profiles of the site where there is one', () => {
    expect(siteOf({ PUBLIC_SITE_URL: 'https://site.example' }).profiles).toBe('https://site.example/u/');
  });
});
