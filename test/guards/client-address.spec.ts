import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SRC = join(import.meta.dirname, '../../src');
/** The raw address of a request: as Fastify, Nest or a proxy gives it. */
const RAW_ADDRESS = /\bips?\b|@Ip\(|\bIp\b|remoteAddress|x-forwarded-for|x-real-ip/;
const READERS = [
  // marks requests of the process itself
  'platform/cache/internal-reads.ts',
  // the address that mongod listens at
  'platform/embedded-mongod/mongod-process.ts',
  'platform/http/client-address.ts',
  // counts connections, not requests
  'platform/http/connection-guard.ts',
  // marks requests of the process itself
  'platform/http/request-identity.ts',
  // whether a proxy is involved
  'platform/metrics/metrics.guard.ts',
];

describe('the address of a client', () => {
  it('is read by clientAddress only, which removes the port and accepts only an address', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'),
    );
    const readers = files.filter((file) => RAW_ADDRESS.test(readFileSync(join(SRC, file), 'utf8')));
    expect(readers.sort()).toEqual(READERS);
  });
});
