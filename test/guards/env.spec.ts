import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ENV_SCHEMA } from '../../src/config/env.schema.js';
import { loadConfig } from '../../src/config/app-config.js';

const lines = readFileSync('.env.example', 'utf8').split('\n');
const documented = lines.flatMap((line) => {
  const match = /^([A-Z0-9_]+)=(.*)$/.exec(line);
  return match ? [[match[1]!, match[2]!] as const] : [];
});

describe('.env.example', () => {
  it('documents exactly the variables the schema reads', () => {
    expect(documented.map(([name]) => name).sort()).toEqual(Object.keys(ENV_SCHEMA.shape).sort());
  });

  it('states the real defaults', () => {
    const parseEnv = (env: object) => ENV_SCHEMA.parse(env) as Record<string, unknown>;
    const defaults = parseEnv({});
    for (const [name, value] of documented) {
      if (value === '') continue;
      expect([name, parseEnv({ [name]: value })[name]]).toEqual([name, defaults[name]]);
    }
  });

  it('is documented completely: only src/config reads process.env in src', () => {
    const found = spawnSync('git', ['grep', '-lE', 'process\\.env\\b', '--', 'src', ':!src/config', ':!*.spec.ts'], {
      encoding: 'utf8',
    });
    expect([0, 1]).toContain(found.status); // 1: no match
    expect(found.stdout).toBe('');
  });

  it('names only metrics and labels that exist', () => {
    const metrics = readFileSync('docs/metrics.md', 'utf8');
    const named = [...lines.join('\n').matchAll(/(opencanvas_\w+)(?:\{(\w+="\w+")\})?/g)];
    expect(named.length).toBeGreaterThan(0);
    for (const [, metric, label] of named) {
      const row = metrics.split('\n').find((line) => line.includes(`\`${metric}\``));
      expect([metric, label, row]).toEqual([metric, label, expect.stringContaining(label ?? metric!)]);
    }
  });

  it('is a valid configuration', () => {
    expect(loadConfig(Object.fromEntries(documented)).http.port).toBe(3000);
  });

  it.each([
    ['HTTP_PORT', '70000'],
    ['HTTP_WORKERS', 'many'],
    ['MONGODB_URI', 'postgres://x'],
    ['AUTH_TOKEN_SECRET', 'short'],
    ['RATE_LIMIT_ENABLED', 'perhaps'],
    ['HTTP_METRICS', 'loopback,prometheus.example'],
    ['HTTP_METRICS', '10.0.0.0/33'],
    ['OUTGOING_ALLOWED_PRIVATE', 'idp.example'],
    ['OUTGOING_ALLOWED_PRIVATE', 'idp.example:70000'],
  ])('a wrong %s is named', (name, value) => {
    expect(() => loadConfig({ [name]: value })).toThrow(new RegExp(`^  ${name}: `, 'm'));
  });
});

describe('quickstart', () => {
  it('counts the installed packages of npm, so that a slow machine shows progress', async () => {
    const { installedPackages } = await import(join(import.meta.dirname, '../../scripts/lib/prepare.mjs'));
    const root = mkdtempSync(join(tmpdir(), 'opencanvas-packages-'));
    const packages = { '': {}, 'node_modules/a': {}, 'node_modules/b': {}, 'node_modules/c': { optional: true } };
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
    mkdirSync(join(root, 'node_modules/b'), { recursive: true });
    writeFileSync(join(root, 'node_modules/b/package.json'), '{}');

    expect(installedPackages(root)).toBe('1 of 2');

    rmSync(root, { recursive: true });
  });

  it('logs less than the server unless the environment or .env sets the level', async () => {
    const { quieten } = await import(join(import.meta.dirname, '../../scripts/lib/quiet.mjs'));
    const environmentOf = (environment: NodeJS.ProcessEnv, dotEnv: string): NodeJS.ProcessEnv => {
      quieten(environment, dotEnv);
      return environment;
    };
    expect(environmentOf({}, '')).toEqual({ LOG_LEVEL: 'warn', MONGODB_SLOW_QUERY_MS: '1000' });
    expect(environmentOf({}, 'LOG_LEVEL=debug # all\nMONGODB_SLOW_QUERY_MS=')).toEqual({
      MONGODB_SLOW_QUERY_MS: '1000',
    });
    const given = { LOG_LEVEL: 'error', MONGODB_SLOW_QUERY_MS: '5' };
    expect(environmentOf({ ...given }, 'LOG_LEVEL=debug')).toEqual(given);
  });
});
