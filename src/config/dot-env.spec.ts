import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from './app-config.js';

describe('.env', () => {
  const before = process.cwd();
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'opencanvas-dot-env-'));
    process.chdir(directory);
  });
  afterEach(() => {
    process.chdir(before);
    rmSync(directory, { recursive: true });
  });

  const portOf = () => loadConfig({ DATA_DIR: directory }).http.port;

  it('is read, with a mark of its encoding or without, and may be missing', () => {
    const usual = portOf();
    for (const mark of ['', '\ufeff']) {
      writeFileSync('.env', `${mark}HTTP_PORT=${usual + 1}\n`);
      expect(portOf()).toBe(usual + 1);
    }
  });

  it('fails the start when the file exists but cannot be read, because its settings would be missing', () => {
    mkdirSync('.env');
    expect(portOf).toThrow(/^\.env cannot be read: EISDIR/);
  });
});
