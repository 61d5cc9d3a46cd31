import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../support/spawned-host.js';

const KILLS = 30;
const PROGRAM = ['--import', './test/runner/typescript.mjs', 'test/faults/fixtures/index-writer.ts'];

describe('the file of the search index', () => {
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-killed-index-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  it('contains all changes up to its position and no others, after a kill at any time', async () => {
    const positions: number[] = [];
    for (let kill = 0; kill <= KILLS; kill++) {
      const child = spawn(process.execPath, [...PROGRAM, join(directory, 'index.db')], {
        cwd: ROOT,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'exit');
      let output = '';
      child.stdout.on('data', (chunk) => (output += String(chunk)));
      await Promise.race([once(child.stdout, 'data'), ended]);
      await sleep(Math.random() * 100);
      child.kill('SIGKILL');
      const [, signal] = await ended;
      expect({ output, signal }).toEqual({ output: expect.stringMatching(/^equal \d+\n$/), signal: 'SIGKILL' });
      positions.push(Number(output.split(' ')[1]));
    }
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    // Every kill came after a write.
    expect(positions.at(-1)).toBeGreaterThanOrEqual(KILLS);
  });
});
