import { ENV_SCHEMA } from '../../config/env.schema.js';
import { AppConfig } from '../../config/app-config.js';
import { checkBackup, checkClock } from './database-checks.js';
import { checkDescriptors, checkDisk, checkMemory, checkSettings } from './host-checks.js';

const GIB = 2 ** 30;
const HOUR_MS = 3_600_000;
const SECRET = { AUTH_TOKEN_SECRET: 'x'.repeat(40) };
const configOf = (env: Record<string, string>, memoryGib = 4): AppConfig =>
  new AppConfig(ENV_SCHEMA.parse({ ...SECRET, ...env }), undefined, undefined, {
    cpus: 2,
    memoryBytes: memoryGib * GIB,
  });

describe('cli check', () => {
  it.each([
    [0, 'ok', '0 s ahead of MongoDB'],
    [-4_900, 'ok', '4.9 s behind MongoDB'],
    [-312_000, 'fail', 'NTP'],
    [6_000, 'fail', '6 s ahead of MongoDB'],
  ])('judges a clock that is %s ms off', (offsetMs, state, words) => {
    expect(checkClock(offsetMs)).toEqual({ state, text: expect.stringContaining(words) });
  });

  it('asks for a backup, and for a younger one than 36 hours', () => {
    const now = new Date();
    const before = (hours: number): Date => new Date(now.getTime() - hours * HOUR_MS);

    expect(checkBackup(undefined, now)).toMatchObject({ state: 'warn' });
    expect(checkBackup(before(35), now)).toMatchObject({ state: 'ok' });
    expect(checkBackup(before(37), now)).toMatchObject({ state: 'warn' });
  });

  it.each([
    [50, 100, 'ok'],
    [9, 100, 'warn'],
    [0.5, 2, 'fail'],
  ])('judges %s of %s GiB free', (free, total, state) => {
    expect(checkDisk(free * GIB, total * GIB, '/data')).toMatchObject({ state });
  });

  it('compares the limit of open files with HTTP_MAX_CONNECTIONS', () => {
    const limits = (open: number): string =>
      `Limit   Soft Limit  Hard Limit\nMax open files            ${open}    ${open}    files`;

    expect(checkDescriptors(limits(65_536), 20_000)).toMatchObject({ state: 'ok' });
    expect(checkDescriptors(limits(1_024), 20_000)).toEqual({
      state: 'warn',
      text: expect.stringContaining('LimitNOFILE=21000'),
    });
    expect(checkDescriptors('', 20_000)).toMatchObject({ state: 'off' });
  });

  it('compares the processes with the memory', () => {
    expect(checkMemory(configOf({ HTTP_WORKERS: '4' }, 2))).toMatchObject({ state: 'ok' });
    expect(checkMemory(configOf({ HTTP_WORKERS: '8' }, 2))).toMatchObject({ state: 'warn' });
    expect(checkMemory(configOf({ HTTP_WORKERS: '1' }, 0.5))).toMatchObject({ state: 'ok' });
  });

  it('names settings that production needs', () => {
    const production = {
      NODE_ENV: 'production',
      AUTH_ENCRYPTION_KEYS: 'y'.repeat(40),
      PUBLIC_SITE_URL: 'https://a.example',
    };
    const complete = { ...production, HTTP_PUBLIC_URL: 'https://api.a.example' };

    expect(checkSettings(configOf(complete), [])).toMatchObject({ state: 'ok' });
    expect(checkSettings(configOf(production), []).text).toContain('HTTP_PUBLIC_URL');
    expect(checkSettings(configOf({ ...complete, AUTH_ALLOW_DEMO_ACCOUNTS: 'true' }), [])).toMatchObject({
      state: 'fail',
    });
    expect(checkSettings(configOf({}), []).text).toContain('NODE_ENV');
    expect(checkSettings(configOf(complete), ['HTTP_WORKER is not a setting.'])).toMatchObject({ state: 'warn' });
  });
});
