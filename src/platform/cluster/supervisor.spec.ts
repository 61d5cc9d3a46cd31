import cluster from 'node:cluster';
import { jest } from '@jest/globals';
import { AppConfig } from '../../config/app-config.js';
import { ENV_SCHEMA } from '../../config/env.schema.js';
import { Supervisor } from './supervisor.js';

const config = new AppConfig(ENV_SCHEMA.parse({ AUTH_TOKEN_SECRET: 'x'.repeat(40), HTTP_WORKERS: '2' }));

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
      'web 1 ended 5 times within 30 s before it was ready (its reason is printed above); the last one could not be started (spawn ENOMEM).',
    );
    expect(lines).toContain('web 1 could not be started (spawn ENOMEM); starting another in 100 ms');
    expect(fork.mock.calls.length).toBeGreaterThanOrEqual(16);
    fork.mockRestore();
  });
});
