import { setTimeout as sleep } from 'node:timers/promises';
import { type TestAccount, signUp } from '../support/accounts.js';
import { createClient } from '../support/client.js';
import { pinToEach, type Pinned } from '../support/pinned.js';
import { scale } from '../support/scale.js';
import { publish, quantile, useServer } from '../support/server.js';
import type { SpawnedHost } from '../support/spawned-host.js';
import { until } from '../support/until.js';

const WORKERS = 2;
/** Promise of README and docs/operations.md: this time after its response, no process shows deleted data. */
const BOUND_MS = 1_500;
/** Reads continue for this time after the bound. A stopped process resumes in the middle of this time. */
const LOOK_MS = 1_500;
const POSTS = 3;
const ROUNDS = scale('staleReadRounds');

type Read = { what: string; beganMs: number; isStale: boolean };
type Target = 'jobs' | 'writer' | 'web' | 'primary';

describe('two hosts after a deletion, while a process is killed or stopped', () => {
  const server = useServer({
    processes: WORKERS,
    jobs: true,
    hosts: 2,
    environment: {
      // An event invalidates a response, not its age.
      CACHE_FEED_TTL_MS: '600000',
      // Stopped processes are not replaced.
      PROCESS_SILENCE_TIMEOUT_MS: '120000',
    },
  });

  const pidOf = (host: SpawnedHost, target: Target): number =>
    target === 'primary' ? host.pid : host.workers(target)[0]!;

  const kill = async (host: SpawnedHost, target: Target) => {
    const pid = pidOf(host, target);
    const count = target === 'web' ? WORKERS : 1;
    process.kill(pid, 'SIGKILL');
    return {
      wake: () => {},
      repair: async () => {
        if (target === 'primary') {
          await host.untilGone();
          host.start();
          await host.url();
        } else
          await until(
            () => (!host.workers(target).includes(pid) && host.readyWorkers(target).length === count) || null,
          );
      },
    };
  };
  const stop = async (host: SpawnedHost, target: Target) => {
    const pid = pidOf(host, target);
    process.kill(pid, 'SIGSTOP');
    return { wake: () => void process.kill(pid, 'SIGCONT'), repair: async () => {} };
  };

  const places = [0, 1].flatMap((at) =>
    (['jobs', 'writer', 'web', 'primary'] as const).map((one) => [one, at] as const),
  );
  it.each([
    ['killed', kill],
    ['stopped', stop],
  ] as const)('show nothing deleted 1.5 s after the response: a process is %s', async (how, disturb) => {
    for (const [target, at] of places)
      for (let round = 0; round < ROUNDS; round++) {
        const reads = await readsAround(at, target, disturb);
        const late = reads.filter(({ beganMs }) => beganMs >= BOUND_MS);
        const before = reads
          .filter(({ beganMs, isStale }) => isStale && beganMs < BOUND_MS)
          .map(({ beganMs }) => beganMs);
        console.log(
          `${target} of host ${at} ${how}: ${reads.length} reads, ${before.length} stale ones until ` +
            `${quantile(before, 1).toFixed(0)} ms, ${late.filter(({ isStale }) => isStale).length} of ${late.length} after the bound`,
        );
        expect(late.length).toBeGreaterThan(0);
        expect(late.filter(({ isStale }) => isStale)).toEqual([]);
      }
  });

  /** Deletes posts and revokes a session at the first host. Every web process of both hosts reads them before and after. */
  async function readsAround(at: number, target: Target, disturb: typeof kill): Promise<Read[]> {
    const pinned = (await Promise.all(server.hosts.map(async (host) => pinToEach(await host.url(), WORKERS)))).flat();
    // A restarted host has another address.
    const client = createClient(await server.host.url());
    const { author } = server;
    const posts = await Promise.all(Array.from({ length: POSTS }, () => publish({ client, author })));
    const account = await signUp(client);
    const sights = sightsOf(posts, account);
    for (const one of pinned)
      for (const { path, token, isCached } of sights)
        await until(async () => isCached(await one.client.send({ method: 'GET', path, token })) || null);
    const { wake, repair } = await disturb(server.hosts[at]!, target);
    const deletions = async ({ client }: Pinned): Promise<void> => {
      const confirmTimeoutMs = 5_000;
      for (const { id } of posts) {
        const path = `/v1/posts/${id}`;
        const { status } = await client.send({ method: 'DELETE', path, token: author.token, confirmTimeoutMs });
        expect([204, 404]).toContain(status);
      }
      const end = { method: 'DELETE', path: '/v1/auth/sessions', token: account.token, confirmTimeoutMs };
      expect([204, 401]).toContain((await client.send(end)).status);
    };
    // Uses the first process that responds.
    let isDone = false;
    for (const one of pinned)
      isDone ||= await deletions(one).then(
        () => true,
        () => false,
      );
    expect(isDone).toBe(true);
    const endedAt = performance.now();

    const reads: Read[] = [];
    const readPastBound = async ({ client }: Pinned): Promise<void> => {
      while (performance.now() < endedAt + BOUND_MS + LOOK_MS)
        for (const { path, token, isStale } of sights) {
          const beganMs = performance.now() - endedAt;
          const answer = await client.send({ method: 'GET', path, token }).catch(() => null);
          if (answer === null) await sleep(50);
          else reads.push({ what: path, beganMs, isStale: isStale(answer) });
        }
    };
    // A request waits for a stopped process, so each process gets several requests after the bound.
    const more = sleep(BOUND_MS + LOOK_MS / 3).then(() =>
      Promise.all(pinned.flatMap((one) => [readPastBound(one), readPastBound(one)])),
    );
    void sleep(BOUND_MS + LOOK_MS / 2).then(wake);
    await Promise.all([...pinned.map(readPastBound), more]);
    for (const one of pinned) one.client.close();
    await repair();
    return reads;
  }
});

type Answer = Awaited<ReturnType<Pinned['client']['send']>>;

function sightsOf(posts: { id: string }[], { token }: TestAccount) {
  const isFresh = ({ headers }: Answer): boolean => headers['warning'] === undefined;
  return [
    ...posts.map(({ id }) => ({
      path: `/v1/posts/${id}`,
      token: undefined,
      isCached: ({ headers }: Answer) => headers['x-cache'] === 'HIT',
      isStale: (answer: Answer) => answer.status === 200 && isFresh(answer),
    })),
    {
      path: '/v1/feed?sort=latest&limit=5',
      token: undefined,
      isCached: ({ headers, text }: Answer) =>
        headers['x-cache'] === 'HIT' && posts.every(({ id }) => text.includes(id)),
      isStale: (answer: Answer) => isFresh(answer) && posts.some(({ id }) => answer.text.includes(id)),
    },
    {
      path: '/v1/auth/me',
      token,
      isCached: ({ status }: Answer) => status === 200,
      isStale: ({ status }: Answer) => status === 200,
    },
  ];
}
