import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { differences } from '../support/audit.js';
import { scale } from '../support/scale.js';
import { useServer } from '../support/server.js';
import { ROOT } from '../support/spawned-host.js';
import { ChangedMinds, type Disturbance } from './suite/changed-minds.js';

/** Concurrent clients; the stopped worker serves about half of them. */
const CLIENTS = 360;
const STATES = scale('undecidedStates');

describe('clients that give up, retry and change their mind while processes are stopped', () => {
  const served = useServer({
    processes: 2,
    people: 60,
    posts: 60,
    environment: {
      HTTP_MAX_CONNECTIONS_PER_ADDRESS: '10000',
      NODE_OPTIONS: `--import ${join(ROOT, 'test/faults/fixtures/mistakes.mjs')}`,
    },
  });
  let minds: ChangedMinds;

  beforeAll(() => {
    minds = new ChangedMinds(served.url, served.tokens, served.people, served.postIds);
  });

  const freeze = (pid: number, ms: number): Disturbance => {
    process.kill(pid, 'SIGSTOP');
    return { over: sleep(ms).then(() => void process.kill(pid, 'SIGCONT')) };
  };
  const freezeWorker = (round: number): Disturbance => {
    const workers = served.host.workers('web').sort();
    return freeze(workers[round % workers.length]!, [2_500, 4_000, 3_000, 2_000][round % 4]!);
  };
  const freezeWriter = (round: number): Disturbance =>
    freeze(served.host.workers('writer')[0]!, [2_500, 1_500, 4_000][round % 3]!);
  const occupy = async (round: number): Promise<Disturbance> => {
    const turn = get(`${served.url}/mistake/turn/${[3_000, 4_000][round % 2]!}`, { agent: false });
    const over = once(turn, 'response').then(([response]) => void (response as IncomingMessage).resume());
    await once(turn, 'information');
    return { over };
  };
  const both = (one: Disturbance, other: Disturbance): Disturbance => ({
    over: Promise.all([one.over, other.over]).then(() => undefined),
  });

  it.each([
    ['a worker is frozen', freezeWorker],
    ['a worker has a long turn of its event loop', occupy],
    ['the writer is frozen', freezeWriter],
    ['a worker and the writer are frozen', (round: number) => both(freezeWorker(round), freezeWriter(round))],
    [
      'a worker has a long turn and the writer is frozen',
      async (round: number) => both(await occupy(round), freezeWriter(round)),
    ],
  ])('never find their last acknowledged change undone: %s', async (_how, disturb) => {
    const before = minds.givenUp;
    let rounds = 0;
    while (minds.givenUp - before < STATES) {
      if (rounds === 15) throw new Error(`only ${minds.givenUp - before} clients met a process that stood still`);
      await minds.round(CLIENTS, () => disturb(rounds));
      rounds++;
    }
    // By then every process has read the earlier requests.
    await sleep(1_500);
    const undone = await minds.undone(served.db);
    console.log(`${minds.givenUp - before} given up in ${rounds} rounds, ${undone.length} undone`);
    expect(undone).toEqual([]);
    expect(await differences(served.db)).toEqual([]);
    // Drops the requests without a log line.
    const metrics = await (await fetch(`${served.url}/metrics`)).text();
    for (const group of ['interactions', 'follows']) {
      const gone = new RegExp(`^opencanvas_group_commit_total\\{group="${group}",what="gone"\\} (\\d+)`, 'm').exec(
        metrics,
      );
      expect(Number(gone![1])).toBeGreaterThan(0);
    }
    expect(served.host.output).not.toMatch(/error/i);
  });
});
