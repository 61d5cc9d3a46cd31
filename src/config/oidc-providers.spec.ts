import { oidcProviders } from './env-values.js';

const ISSUER = 'https://idp.example';

/** The parsed setting of a provider called `uni`, or the message of its error. */
function parseProvider(provider: object, name = 'uni'): unknown {
  const { success, data, error } = oidcProviders.safeParse(JSON.stringify({ [name]: { clientId: 'x', ...provider } }));
  return success ? data[name] : error.issues[0]!.message;
}

describe('AUTH_OIDC_PROVIDERS', () => {
  it('needs the domains of a provider', () => {
    expect(parseProvider({ issuer: ISSUER })).toMatch(/^uni needs domains: .*\["uni\.example"\]/);
    expect(parseProvider({ issuer: ISSUER, domains: [] })).toEqual(expect.any(String));
  });

  it('needs no issuer for Google, by name or by URL', () => {
    expect(parseProvider({}, 'google')).toMatchObject({ issuer: 'https://accounts.google.com', domains: 'any' });
    expect(parseProvider({ issuer: 'https://accounts.google.com' })).toMatchObject({ domains: 'any' });
    expect(parseProvider({ issuer: ISSUER }, 'google')).toMatch(/needs domains/);
  });

  it('converts domains to the form in addresses', () => {
    const domains = ['UNI.example', 'm\u00fcller.example'];
    expect(parseProvider({ issuer: ISSUER, domains })).toMatchObject({
      domains: ['uni.example', 'xn--mller-kva.example'],
    });
    expect(parseProvider({ issuer: ISSUER, domains: ['*'] })).toMatchObject({ domains: 'any' });
  });

  it.each(['localhost', '@uni.example', 'uni.example/path', '*.uni.example'])('refuses the domain %s', (domain) => {
    expect(parseProvider({ issuer: ISSUER, domains: [domain] })).toBe('uni has domains that are none');
  });
});
