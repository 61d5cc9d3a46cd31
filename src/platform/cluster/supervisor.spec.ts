import cluster, { type Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { AppConfig } from '../../config/app-config.js';
import { ENV_SCHEMA } from '../../config/env.schema.js';
import { Supervisor } from './supervisor.js';

const ENV = ENV_SCHEMA.parse({ AUTH_TOKEN_SECRET: 'x'.repeat(40), HTTP_WORKERS: '2' });
const configOn = (cpus: number) => new AppConfig(ENV, undefined, undefined, { cpus, memoryBytes: 2 ** 32 });
const config = configOn(2);

describe('Supervisor', () => {
  it('retries when a process cannot be started, and logs the reason when retries fail', async () => {
    const lines: string[] = [];
    const fork = jest.spyOn(cluster, 'fork').mockImplementation(() => {
      throw new Error('spawn ENOMEM');
    });
    const supervisor = new Supervisor({
      config,
      environment: {},
      entry: 'none',
      log: (line) => lines.push(line),
      onCrashLoop: () => {},
    });
    await expect(supervisor.start()).rejects.toThrow(
      'writer ended 5 times before it was ready (its reason is printed above); the last one could not be started (spawn ENOMEM).',
    );
    expect(lines).toContain('writer could not be started (spawn ENOMEM); starting another in 100 ms');
    expect(fork).toHaveBeenCalledTimes(5);
    fork.mockRestore();
  });

  it.each([
    [0.2, [['writer'], ['web'], ['web'], ['jobs']]],
    [2, [['writer'], ['web'], ['web'], ['jobs']]],
    [
      4,
      [
        ['writer', 'web'],
        ['web', 'jobs'],
      ],
    ],
  ])('starts one process for every two cores at a time, the writer first: %s cores', async (cpus, rounds) => {
    const launched: { role: string; worker: EventEmitter }[] = [];
    const fork = jest.spyOn(cluster, 'fork').mockImplementation(() => {
      const worker = Object.assign(new EventEmitter(), {
        process: { pid: 1, kill: () => true },
        isConnected: () => false,
      });
      launched.push({ role: cluster.settings.args![0]!, worker });
      return worker as unknown as Worker;
    });
    const options = { environment: {}, entry: 'none', log: () => {}, onCrashLoop: () => {} };
    const supervisor = new Supervisor({ config: configOn(cpus), ...options });
    const started = supervisor.start();

    const seen: string[][] = [];
    while (launched.length > 0) {
      const round = launched.splice(0);
      seen.push(round.map(({ role }) => role));
      for (const { worker } of round) worker.emit('message', { type: 'ready' });
      await setImmediate();
    }

    await started;
    expect(seen).toEqual(rounds);
    // A stop signal during a rolling restart is not a failure of the process that starts.
    const restarted = supervisor.restart({ isReplaced: true, noticeMs: 0, deadlineMs: 0, idleGraceMs: 0 });
    supervisor.kill();
    for (const { worker } of launched) worker.emit('exit', null, 'SIGTERM');
    expect(await restarted).toEqual({ isDone: false, message: 'Restart given up, the server stops.' });
    fork.mockRestore();
  });
});
