import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const COMPOSE = readFileSync(join(ROOT, 'deploy/docker/compose.yaml'), 'utf8');

/** The platforms of the table in README.md on which the server runs without Docker. */
const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64'];

type Package = {
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  hasInstallScript?: boolean;
  optionalDependencies?: Record<string, string>;
};
const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Package>;
};
const isFor = (platform: string, { os, cpu, libc }: Package): boolean =>
  (os?.includes(platform.split('-')[0]!) ?? true) &&
  (cpu?.includes(platform.split('-')[1]!) ?? true) &&
  (libc?.includes('glibc') ?? true);

describe('the platforms of README.md', () => {
  it('have a build of every native package of the server', () => {
    const missing: string[] = [];
    const families: string[] = [];
    for (const [name, { dev, os, optionalDependencies = {} }] of Object.entries(packages)) {
      const builds = Object.keys(optionalDependencies).map((build) => packages[`node_modules/${build}`]);
      const native = builds.filter((build) => build?.cpu !== undefined) as Package[];
      if (dev || os !== undefined || native.length === 0) continue;
      families.push(name);
      for (const platform of PLATFORMS)
        if (!native.some((build) => isFor(platform, build))) missing.push(`${name} on ${platform}`);
    }
    expect(families).toEqual(expect.arrayContaining(['node_modules/sharp', 'node_modules/@node-rs/argon2']));
    expect(missing).toEqual([]);
  });

  it('have a build in the packages that contain theirs', () => {
    const withScripts = Object.keys(packages).filter(
      (name) => packages[name]!.hasInstallScript && !packages[name]!.dev,
    );
    const [reporting, ...native] = withScripts.toSorted().toReversed();
    // It only reports installations to its author, and .npmrc ignores its script.
    expect(reporting).toBe('node_modules/@scarf/scarf');
    expect(native).toHaveLength(2);
    for (const name of native)
      for (const platform of PLATFORMS)
        expect([platform, existsSync(join(ROOT, name, 'prebuilds', platform))]).toEqual([platform, true]);
  });
});

describe('the commands for Docker in README.md', () => {
  const commands = /<!-- compose -->\n```sh\n(.*?)```/s.exec(README)![1]!;

  it('set what compose.yaml requires, and nothing else', () => {
    const required = new Set([...COMPOSE.matchAll(/\$\{([A-Z_]+):\?\}/g)].map(([, name]) => name));
    const set = [...commands.matchAll(/echo "([A-Z_]+)=/g)].map(([, name]) => name);
    expect(set.sort()).toEqual([...required].sort());
  });

  it('make the files that compose.yaml mounts, and start the file that exists', () => {
    const { services } = parse(COMPOSE, { merge: true }) as {
      services: Record<string, { volumes?: string[]; ports?: string[] }>;
    };
    const mounted = services['nginx']!.volumes!.flatMap((volume) => /^\.\/([^:]+)/.exec(volume)?.[1] ?? []);
    expect(mounted).toEqual(['certificate.pem', 'certificate.key']);
    for (const file of mounted) expect(commands).toMatch(new RegExp(`-(?:out|keyout) ${file}\\b`));
    const [, directory] = /^cd (\S+)$/m.exec(commands)!;
    const [, file] = /docker compose -f (\S+) up --build$/m.exec(commands)!;
    expect(existsSync(join(ROOT, directory!, file!))).toBe(true);
    expect(COMPOSE).toContain(`docker compose -f ${directory}/${file} up --build`);
    // The addresses that the README names.
    expect(services['nginx']!.ports).toContain('443:443');
    expect(services['mail']!.ports).toEqual(['127.0.0.1:8025:8025']);
  });

  it('work up to the start of Docker', () => {
    const directory = mkdtempSync(join(tmpdir(), 'opencanvas-compose-'));
    try {
      const before = commands.split('\n').filter((line) => !/^(?:cd|docker) /.test(line));
      const { status } = spawnSync('bash', ['-euc', before.join('\n')], { cwd: directory, stdio: 'ignore' });
      expect(status).toBe(0);
      const settings = readFileSync(join(directory, '.env'), 'utf8');
      expect(settings).toMatch(/^AUTH_TOKEN_SECRET=\S{64}\nMONGODB_PASSWORD=[0-9a-f]{48}\n$/);
      for (const file of ['certificate.pem', 'certificate.key']) expect(existsSync(join(directory, file))).toBe(true);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
