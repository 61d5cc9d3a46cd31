import fastify from 'fastify';
import { clientAddress, trustProxies } from './client-address.js';

const PROXY = '127.0.0.1';

/** what the proxy forwards, and the address of the client */
const FORWARDED: [string | undefined, string][] = [
  [undefined, PROXY],
  ['', PROXY],
  ['203.0.113.9', '203.0.113.9'],
  ['203.0.113.9:51234', '203.0.113.9'],
  ['2001:db8::9', '2001:db8::9'],
  ['[2001:db8::9]', '2001:db8::9'],
  ['[2001:db8::9]:51234', '2001:db8::9'],
  ['::ffff:203.0.113.9', '::ffff:203.0.113.9'],
  // The client wrote the first entry.
  ['198.51.100.1, 203.0.113.9:51234', '203.0.113.9'],
  ['198.51.100.1:1, 203.0.113.9:51234, 10.1.2.3:443', '203.0.113.9'],
  ['203.0.113.9:51234,[fd00::1]:443 , 10.1.2.3', '203.0.113.9'],
  ['10.1.2.3:51234', '10.1.2.3'],
  ['unknown', PROXY],
  ['_hidden, 10.1.2.3', PROXY],
  ['203.0.113.999:80', PROXY],
  ['203.0.113.9:', PROXY],
  ['203.0.113.9:80:80', PROXY],
  ['[203.0.113.9', PROXY],
  ['a.example:80', PROXY],
];

describe('clientAddress', () => {
  const seenBy = async (trusted: string[], forwarded: string | undefined): Promise<string> => {
    const app = fastify({ trustProxy: trustProxies(trusted) });
    app.get('/', (request) => clientAddress(request));
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    return (await app.inject({ url: '/', headers })).body;
  };

  it.each(FORWARDED)('of %j is %j', async (forwarded, address) =>
    expect(await seenBy(['loopback', '10.0.0.0/8', 'fd00::/8'], forwarded)).toBe(address),
  );

  it('is that of the connection behind a proxy that is not trusted', async () => {
    for (const trusted of [[], ['10.0.0.0/8']]) expect(await seenBy(trusted, '203.0.113.9:51234')).toBe(PROXY);
  });
});
