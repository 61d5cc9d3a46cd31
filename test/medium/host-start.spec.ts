import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/app-config.js';
import { Primary } from '../../src/platform/cluster/primary.js';
import { startHost } from '../../src/platform/cluster/host-start.js';

/** `exitWithReason` prints only the sentence. test/e2e/quickstart.spec and the fault specs start real processes. */
describe('the start of a host', () => {
  const start = (environment: Record<string, string>) =>
    startHost(
      loadConfig({ AUTH_TOKEN_SECRET: 'x'.repeat(40), MONGODB_URI: process.env.TEST_MONGODB_URI!, ...environment }),
      () => {},
    );

  it('names the port of HTTP_PORT when another program has it', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };

    await expect(start({ HTTP_PORT: String(port) })).rejects.toMatchObject({
      name: 'StartupError',
      message: `Port ${port} of 127.0.0.1 (HTTP_PORT) is taken by another program; stop that one or choose another port.`,
    });
    await new Promise((resolve) => other.close(resolve));
  });

  it('names the address without a MongoDB', async () => {
    await expect(
      start({ HTTP_PORT: '0', MONGODB_URI: 'mongodb://127.0.0.1:9/?directConnection=true' }),
    ).rejects.toMatchObject({
      name: 'StartupError',
      message: expect.stringMatching(/^No MongoDB listens at 127\.0\.0\.1:9[^\n]*$/),
    });
  });

  it('names a data directory that cannot be used, also with a MongoDB of its own', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'opencanvas-start-'));
    const file = join(directory, 'file');
    writeFileSync(file, '');

    await expect(start({ HTTP_PORT: '0', DATA_DIR: file })).rejects.toMatchObject({
      name: 'StartupError',
      message: expect.stringMatching(/^The data directory \S+ cannot be used: EEXIST[^\n]*$/),
    });
    rmSync(directory, { recursive: true });
  });

  it('names a data directory below a file, also when it stops', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'opencanvas-start-'));
    const file = join(directory, 'file');
    writeFileSync(file, '');
    const config = loadConfig({ AUTH_TOKEN_SECRET: 'x'.repeat(40), HTTP_PORT: '0', DATA_DIR: join(file, 'below') });
    const create = () => Promise.reject(new Error('not reached'));

    await expect(new Primary({ config, entry: 'none', create }).run()).rejects.toMatchObject({
      name: 'StartupError',
      message: expect.stringMatching(/^The data directory \S+ cannot be used: ENOTDIR[^\n]*$/),
    });
    rmSync(directory, { recursive: true });
  });

  it('names the environment variable that is wrong', () => {
    expect(() => loadConfig({ HTTP_WORKERS: 'many' })).toThrow(/HTTP_WORKERS/);
    expect(() => loadConfig({ HTTP_WORKERS: 'many' })).toThrow(expect.objectContaining({ name: 'StartupError' }));
  });
});
