import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

type Bom = {
  metadata: { component: { 'bom-ref': string } };
  components: { 'bom-ref': string; properties: { name: string }[] }[];
  dependencies: { ref: string; dependsOn: string[] }[];
};
type Release = {
  isNext(current: string, version: string): boolean;
  releaseChangelog(text: string, version: string, date: string): { text: string; section: string };
  withVersion(json: string, version: string): string;
  shippedOnly(bom: Bom): Bom;
};

const SECTION = 'To upgrade from 0.2.0: run `migrate up`.\n\n### Added\n\n- A format number.';
const EARLIER = '\n## 0.2.0 - 2026-11-28\n\nTo upgrade from 0.1.0: start.\n\n- Notifications.\n';
const changelog = (unreleased: string) => `# Changelog\n\n## Unreleased\n\n${unreleased}\n${EARLIER}`;

describe('a release', () => {
  let release: Release;
  beforeAll(async () => {
    release = (await import(join(ROOT, 'scripts/lib/release.mjs'))) as Release;
  });

  it.each([
    ['0.2.0', '0.2.1', true],
    ['0.2.3', '0.3.0', true],
    ['0.9.1', '1.0.0', true],
    ['0.2.0', '0.2.0', false],
    ['0.2.0', '0.2.2', false],
    ['0.2.1', '0.3.1', false],
    ['0.2.0', 'v0.3.0', false],
    ['0.2.0', '0.3.0-rc.1', false],
  ])('after %s can be %s: %s', (current, version, isNext) => {
    expect(release.isNext(current, version)).toBe(isNext);
  });

  it('gets the unreleased entries of the changelog', () => {
    const { text, section } = release.releaseChangelog(changelog(SECTION), '0.3.0', '2026-11-29');

    expect(section).toBe(SECTION);
    expect(text).toBe(`# Changelog\n\n## Unreleased\n\n## 0.3.0 - 2026-11-29\n\n${SECTION}\n${EARLIER}`);
  });

  it.each([
    ['entries', '', 'has no entries'],
    ['a way to upgrade', '### Added\n\n- A format number.', 'does not say "To upgrade'],
    ['a version for its breaking change', `${SECTION}\n- **Breaking**: a route.`, 'which 0.2.1 does not announce'],
  ])('is refused without %s', (_, unreleased, message) => {
    expect(() => release.releaseChangelog(changelog(unreleased), '0.2.1', '2026-11-29')).toThrow(message);
  });

  it('writes its version into both places of a lock file', () => {
    const lock = {
      name: 'api',
      version: '0.2.0',
      packages: { '': { version: '0.2.0' }, 'node_modules/a': { version: '1.0.0' } },
    };

    const written = release.withVersion(JSON.stringify(lock), '0.3.0');

    lock.version = lock.packages[''].version = '0.3.0';
    expect(written).toBe(`${JSON.stringify(lock, null, 2)}\n`);
  });

  it('lists dependencies in its SBOM, but no tools', () => {
    const development = [{ name: 'cdx:npm:package:development' }];
    const bom: Bom = {
      metadata: { component: { 'bom-ref': 'api@0.3.0' } },
      components: [
        { 'bom-ref': 'sharp@1.0.0', properties: [] },
        { 'bom-ref': '@nestjs/core@12.0.0', properties: [] },
        { 'bom-ref': 'jest@30.0.0', properties: development },
      ],
      dependencies: [
        { ref: 'api@0.3.0', dependsOn: ['sharp@1.0.0', '@nestjs/core@12.0.0', 'jest@30.0.0'] },
        { ref: 'jest@30.0.0', dependsOn: [] },
      ],
    };

    const shipped = release.shippedOnly(bom);

    expect(shipped.components.map((component) => component['bom-ref'])).toEqual(['sharp@1.0.0', '@nestjs/core@12.0.0']);
    expect(shipped.dependencies).toEqual([{ ref: 'api@0.3.0', dependsOn: ['sharp@1.0.0', '@nestjs/core@12.0.0'] }]);
  });
});

describe('scripts/release.mjs', () => {
  const clone = mkdtempSync(join(tmpdir(), 'opencanvas-clone-'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.org', ...args], {
      cwd: clone,
      encoding: 'utf8',
    });
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(clone, 'scripts/release.mjs'), ...args], { encoding: 'utf8' });
  beforeAll(() => {
    for (const file of ['scripts/release.mjs', 'scripts/lib/release.mjs', 'scripts/lib/prepare.mjs'])
      cpSync(join(ROOT, file), join(clone, file));
    writeFileSync(join(clone, 'package.json'), JSON.stringify({ name: 'api', version: '0.2.0' }));
    writeFileSync(join(clone, 'CHANGELOG.md'), changelog(SECTION));
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'first');
  });
  afterAll(() => rmSync(clone, { recursive: true }));

  it('changes nothing with --dry-run', () => {
    const { stdout, status } = run('0.3.0', '--dry-run');

    expect(status).toBe(0);
    expect(stdout).toContain('would commit "release: 0.3.0"\nwould tag v0.3.0\n\nTo upgrade from 0.2.0');
    expect(git('status', '--porcelain')).toBe('');
    expect(git('tag')).toBe('');
  });

  it('refuses a version that does not follow, a tag that exists, and a working tree with changes', () => {
    expect(run('0.4.0', '--dry-run')).toMatchObject({ status: 1, stderr: '0.4.0 does not follow 0.2.0.\n' });
    git('tag', 'v0.2.1');
    expect(run('0.2.1')).toMatchObject({ status: 1, stderr: 'There is a tag v0.2.1.\n' });
    writeFileSync(join(clone, 'new.txt'), '');
    expect(run('0.3.0')).toMatchObject({ status: 1, stderr: expect.stringContaining('has changes') as string });
  });
});
