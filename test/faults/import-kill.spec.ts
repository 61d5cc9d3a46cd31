import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Document } from 'mongodb';
import { testEnvironment } from '../support/app.js';
import { differences } from '../support/audit.js';
import { useDatabase } from '../support/mongo.js';
import { OpenCanvasSource, type SourceSizes } from '../support/opencanvas-source.js';
import { storedRows } from '../support/opencanvas-stored.js';
import { ROOT } from '../support/spawned-host.js';

const KILLS = 30;
/** Some batches for each kill. */
const SIZES: SourceSizes = {
  users: 12_000,
  posts: 300,
  comments: 9_000,
  collections: 800,
  interactions: 18_000,
  follows: 9_000,
};

describe('an import that is killed again and again', () => {
  const source = useDatabase();
  const killed = useDatabase();
  const whole = useDatabase();

  const start = (database: string): ChildProcess => {
    const own = testEnvironment({ MONGODB_DATABASE: database });
    const command = ['import', 'opencanvas', '--from', source.uri, '--database', source.dbName];
    return spawn(process.execPath, [join(ROOT, 'dist/bundle/cli.js'), ...command], {
      env: { ...process.env, ...own, NODE_ENV: 'development', LOG_LEVEL: 'error' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  };
  const stateOf = async ({ db }: typeof killed): Promise<Document | null> => db.collection('imports').findOne();
  const placeOf = async (): Promise<string> => {
    const state = await stateOf(killed);
    return `${state?.state} ${state?.stage} ${state?.lastId}`;
  };

  beforeAll(async () => {
    await new OpenCanvasSource(SIZES).write(source.db);
    expect(await once(start(whole.dbName), 'exit')).toEqual([0, null]);
  });

  it('continues from another place after each kill', async () => {
    const places = new Set<string>();
    for (let kills = 0; kills < KILLS; kills++) {
      const before = await placeOf();
      const child = start(killed.dbName);
      const exit = once(child, 'exit');
      while ((await placeOf()) === before && child.exitCode === null) await sleep(2);
      await sleep(Math.random() * 30);
      child.kill('SIGKILL');
      await exit;
      places.add(await placeOf());
    }
    expect(places.size).toBe(KILLS);
    expect(await stateOf(killed)).toMatchObject({ state: 'running' });
  });

  it('ends as one that was never killed', async () => {
    expect(await once(start(killed.dbName), 'exit')).toEqual([0, null]);
    const [state, expectedState] = [(await stateOf(killed))!, (await stateOf(whole))!];
    const [rows, expected] = await Promise.all([storedRows(killed.db), storedRows(whole.db)]);
    for (const [name, found] of Object.entries(expected)) {
      expect([name, rows[name]!.size]).toEqual([name, found.size]);
      for (const [id, row] of found) {
        const own = withoutStart(rows[name]!.get(id), state);
        expect([name, id, own]).toEqual([name, id, withoutStart(row, expectedState)]);
      }
    }
    expect(state['report']).toEqual(expectedState['report']);
    expect(await differences(killed.db)).toEqual([]);
  });
});

/** Replaces the start of the import in a row, because the two imports began at different times. */
function withoutStart(row: Document | undefined, { startedAt }: Document): Document {
  const isStart = (value: unknown): boolean => value instanceof Date && value.getTime() === startedAt.getTime();
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, isStart(value) ? 'start' : value]));
}
