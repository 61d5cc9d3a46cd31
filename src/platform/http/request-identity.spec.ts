import { growth, LINEAR } from '../../../test/support/growth.js';
import { urlError, isHealthCheck, decodeUnreserved } from './request-identity.js';

describe('urlError', () => {
  it.each([
    '/',
    '/v1/feed',
    '/v1/feed?',
    '/v1/feed?&limit=5&',
    '/v1/feed?limit=5&sort=top',
    '/v1/feed?tag=caf%C3%A9',
    '/v1/feed?tag=caf%c3%a9',
    '/v1/feed?tag=a+b&type=a%20b',
    '/v1/feed?cursor=a%2Db%5Fc%2Ed%7Ee',
    '/v1/users?ids=a%2Cb,c',
    '/v1/feed?next=/../x//y\\z',
    '/v1/posts/une-ann%C3%A9e-6650c3a2f1d2b3c4d5e6f708',
    '/v1/posts/50%25-6650c3a2f1d2b3c4d5e6f708',
    '/v1/posts/.well...known',
    '/v1/feed/',
    '/V1/feed',
  ])('finds none in %s, as clients and proxies write addresses', (target) => {
    expect(urlError(target, 'GET')).toBeNull();
  });

  it.each([
    ['http://host/v1/feed', /slash/],
    ['HTTP://host/v1/feed', /slash/],
    ['*', /slash/],
    ['', /slash/],
    ['//v1/feed', /single slash/],
    ['//host/v1/feed', /single slash/],
    ['/v1/feed#x', /fragments/],
    ['/v1/feed?limit=5#x', /fragments/],
    ['/v1\\feed', /backslash/],
    ['/v1/./feed', /segments/],
    ['/v1/x/../feed', /segments/],
    ['/v1/feed/..', /segments/],
    ['/v1/feed/.?limit=5', /segments/],
    ['/v1/auth/%6cogin', /path must not percent-encode/],
    ['/v1/auth/%6Cogin', /path must not percent-encode/],
    ['/%76%31/feed', /path must not percent-encode/],
    ['/v1/x/%2e%2E/feed', /path must not percent-encode/],
    ['/v1/users/ada%5Flovelace', /path must not percent-encode/],
    ['/v1/feed?sort=%74op', /query must not percent-encode/],
    ['/v1/feed?lim%69t=5', /query must not percent-encode/],
    ['/v1/feed?limit=%35', /query must not percent-encode/],
  ])('finds one in %s', (target, fault) => {
    expect(urlError(target, 'GET')).toMatch(fault);
  });

  it('decodes every character that needs no encoding, with upper- and lower-case digits', () => {
    const unreserved = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~';
    for (let code = 0; code < 256; code++) {
      const isUnreserved = unreserved.includes(String.fromCharCode(code));
      const isLetter = isUnreserved && !'-._~'.includes(String.fromCharCode(code));
      const hex = code.toString(16).padStart(2, '0');
      for (const encoded of [`%${hex}`, `%${hex.toUpperCase()}`]) {
        expect([encoded, urlError(`/v1/x${encoded}`, 'GET') !== null]).toEqual([encoded, isUnreserved]);
        expect([encoded, urlError(`/v1/x?a=${encoded}`, 'GET') !== null]).toEqual([encoded, isLetter]);
      }
    }
  });

  it('lets OPTIONS address the server itself', () => {
    expect(urlError('*', 'OPTIONS')).toBeNull();
    expect(urlError('*', 'PUT')).not.toBeNull();
  });

  it.each(['/.', '%', '%%4', '/.%2', '\\', '?%', '/../'])('takes linear time for an address of many %s', (piece) => {
    // Some addresses are refused at once, so that making a long one would take most of the time.
    const ofLength = (length: number) => [length, `/${piece.repeat(length / piece.length)}`] as const;
    const targets = new Map([4_000, 32_000].map(ofLength));

    expect(growth(32_000, (length) => urlError(targets.get(length)!, 'GET'))).toBeLessThan(LINEAR);
  });
});

describe('decodeUnreserved', () => {
  it.each([
    ['/v1/users/ada%5Flovelace', '/v1/users/ada_lovelace'],
    ['/v1/posts/a%2db%7Ec?cursor=a%2Db%5F', '/v1/posts/a-b~c?cursor=a%2Db%5F'],
    ['/v1/x/%2e%2E/%41?%5F', '/v1/x/%2e%2E/%41?%5F'],
    ['/v1/a%255Fb', '/v1/a%255Fb'],
    ['/v1/feed', '/v1/feed'],
  ])('of %s is %s', (target, plain) => expect(decodeUnreserved(target)).toBe(plain));
});

describe('isHealthCheck', () => {
  it('recognizes the two URLs of probes, and no similar ones', () => {
    const probes = ['/health/live', '/health/ready', '/health/ready?from=balancer'];
    const others = [
      '/health/',
      '/health/liveness',
      '/health/live/x',
      '/metrics',
      '/v1/feed?x=/health/live',
      '//health/live',
    ];
    expect([...probes, ...others].filter(isHealthCheck)).toEqual(probes);
  });
});
