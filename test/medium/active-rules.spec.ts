import { availableParallelism } from 'node:os';
import { jest } from '@jest/globals';
import { CpuPool } from '../../src/platform/cpu-pool/cpu-pool.js';
import { ActiveRulesService } from '../../src/rules/active-rules.service.js';
import type { MatchJob } from '../../src/rules/match.task.js';
import { useApp } from '../support/app.js';

const app = useApp();
const LONG = 'well said '.repeat(3_000);

describe('the rules of a process', () => {
  const match = async (text: string): Promise<string[]> => {
    const found = await app.app.get(ActiveRulesService).match('comment', [{ field: 'content', text }], 'author');
    return found.map(({ rule }) => rule._id.toHexString());
  };

  it('match long texts in the CPU pool, which gets them once per thread and change', async () => {
    const run = jest.spyOn(app.app.get(CpuPool), 'run');
    const jobs = (): MatchJob[] => run.mock.calls.map(([, input]) => input as MatchJob);
    const first = await app.world.rule({ value: 'wellsaid' });

    expect([await match('wellsaid'), jobs()]).toEqual([[first], []]);
    for (let at = 0; at < 20; at++) expect(await match(`${LONG} wellsaid`)).toEqual([first]);

    const sent = jobs().filter(({ keys }) => keys !== undefined);
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.length).toBeLessThanOrEqual(Math.max(2, availableParallelism()));
    const second = await app.world.rule({ value: 'said well', kind: 'phrase' });
    expect(new Set(await match(`${LONG} wellsaid`))).toEqual(new Set([first, second]));
    run.mockRestore();
  });

  it('match nothing of other scopes', async () => {
    await app.world.rule({ value: 'profiles', scope: ['profile'] });

    expect([await match('profiles'), await match(`${'x '.repeat(20_000)} profiles`)]).toEqual([[], []]);
  });
});
