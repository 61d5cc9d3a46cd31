import { signUp, TEST_PASSWORD } from '../support/accounts.js';
import { createClient } from '../support/client.js';
import { lagOf, type Sight } from '../support/lag.js';
import { type Pinned, pinToEach } from '../support/pinned.js';
import { scale } from '../support/scale.js';
import { publish, quantile, useServed } from '../support/served.js';
import { type SpawnedHost } from '../support/spawned-host.js';
import { until } from '../support/until.js';
import { endSignIn, hostsMsOf, startOther } from '../support/two-hosts.js';
import type { HttpAnswer } from './suite/http-client.js';

const WORKERS = 2;
const ROUNDS = scale('hostsInvalidationRounds');
/** The longest wait for other hosts: an answer that waited for less says that all of them heard. */
const WAIT_MS = 300;
const FEED = '/v1/feed?sort=latest&limit=5';

describe('two hosts', () => {
  const served = useServed({ HTTP_WORKERS: String(WORKERS), JOBS_ENABLED: 'true' });
  let other: SpawnedHost;
  let otherUrl: string;

  beforeAll(async () => {
    other = await startOther(served);
    otherUrl = await other.url();
  });
  afterAll(async () => {
    await other?.remove();
  });

  it(`show what was changed at the one: what is deleted, hidden or ended is gone at the other with the answer (${ROUNDS * 7} changes)`, async () => {
    const { client, author } = served;
    const { token } = author;
    await publish(served);
    // a connection carries one request at a time: one for each address
    const [forFeed, forPost] = [await pinToEach(otherUrl, WORKERS), await pinToEach(otherUrl, WORKERS)];
    const changes: number[] = [];
    const withdrawals: { lagMs: number; waitedMs: number }[] = [];
    type Write = () => Promise<{ status: number; headers: Headers }>;
    const measure = async (pinned: Pinned[], sight: Sight, status: number, write: Write) => {
      let waitedMs = NaN;
      const { afterAnswer: lagMs } = await lagOf(pinned, sight, async () => {
        const answer = await write();
        expect(answer.status).toBe(status);
        waitedMs = hostsMsOf(answer.headers);
      });
      return { lagMs, waitedMs };
    };
    const change = async (...args: Parameters<typeof measure>) => {
      const { lagMs, waitedMs } = await measure(...args);
      // only what withdraws something waits
      expect(waitedMs).toBeNaN();
      changes.push(lagMs);
    };
    const withdraw = async (...args: Parameters<typeof measure>) => void withdrawals.push(await measure(...args));
    const untilShown = (path: string, text: string) =>
      until(
        async () => (await forPost[0]!.client.send({ method: 'GET', path })).text.includes(text) || null,
        () => `the other host does not show ${text}`,
      );

    for (let round = 0; round < ROUNDS; round++) {
      const [title, edited] = [`Post of round ${round}.`, `Edited in round ${round}.`];
      let id = '';
      await change(forFeed, { path: FEED, isNew: ({ text }) => text.includes(title) }, 201, async () => {
        const body = { title, content: 'The engine weaves patterns.', type: 'article' };
        const answer = await client.post('/v1/posts', { token, body });
        id = answer.body.id;
        return answer;
      });
      const path = `/v1/posts/${id}`;
      const patch = (body: object) => () => client.patch(path, { token, body });
      const isThere = ({ status }: HttpAnswer): boolean => status === 200;
      const isGone = ({ status }: HttpAnswer): boolean => status === 404;
      const isEdited = ({ text }: HttpAnswer): boolean => text.includes(edited);
      await change(forPost, { path, isNew: isEdited }, 200, patch({ title: edited }));
      await withdraw(forPost, { path, isNew: isGone }, 200, patch({ isPublic: false }));
      await change(forPost, { path, isNew: isThere }, 200, patch({ isPublic: true }));
      const content = `Comment of round ${round}.`;
      const comments = `${path}/comments`;
      const comment = await client.post(comments, { token, body: { content } });
      await untilShown(comments, content);
      const isWithout = ({ text }: HttpAnswer): boolean => !text.includes(content);
      await withdraw(forPost, { path: comments, isNew: isWithout }, 204, () =>
        client.delete(`/v1/comments/${comment.body.id}`, { token }),
      );
      await withdraw(forPost, { path, isNew: isGone }, 204, () => client.delete(path, { token }));
      const leaver = await signUp(client);
      const last = `Last words of round ${round}.`;
      await publish({ ...served, client, author: leaver }, { title: last });
      await untilShown(FEED, last);
      await withdraw(forFeed, { path: FEED, isNew: ({ text }) => !text.includes(last) }, 204, () =>
        client.delete('/v1/users/me', { token: leaver.token, body: { password: TEST_PASSWORD } }),
      );
    }
    for (const { client: pinned } of [...forFeed, ...forPost]) pinned.close();
    const show = (values: number[]): string =>
      [0.5, 0.95, 1].map((share) => quantile(values, share).toFixed(1)).join(' / ');
    const heard = withdrawals.filter(({ waitedMs }) => waitedMs < WAIT_MS);
    console.log(
      `${withdrawals.length} withdrawals waited ${show(withdrawals.map(({ waitedMs }) => waitedMs))} ms for the other host (p50 / p95 / max), ` +
        `${heard.length} were heard in time; old answers begun until ${show(withdrawals.map(({ lagMs }) => lagMs))} ms after the answer. ` +
        `${changes.length} other changes: until ${show(changes)} ms after it`,
    );
    expect([withdrawals.length, changes.length]).toEqual([ROUNDS * 4, ROUNDS * 3]);
    for (const { waitedMs } of withdrawals) expect(waitedMs).toBeGreaterThan(0);
    expect(heard.length).toBeGreaterThan(0);
    for (const { lagMs } of heard) expect(lagMs).toBe(0);
  });

  it('take no vote of an account or a sign-in that ended at the one, from the answer on', async () => {
    const { client } = served;
    const { id } = await publish(served);
    const path = `/v1/posts/${id}/vote`;
    let heard = 0;
    let late = 0;
    for (let round = 0; round < 4; round++) {
      const leaver = await signUp(client);
      const pinned = await pinToEach(otherUrl, WORKERS);
      let endedAt = Infinity;
      let before = 0;
      const vote = async ({ client: voter }: Pinned): Promise<void> => {
        for (let turn = 0; ; turn++) {
          const beganAt = performance.now();
          const body = { value: turn % 2 === 0 ? 'like' : 'dislike' };
          const { status } = await voter.send({ method: 'PUT', path, token: leaver.token, body });
          if (status === 401) return;
          expect(status).toBe(200);
          if (beganAt > endedAt) late++;
          else before++;
        }
      };
      const voting = Promise.all(pinned.map(vote));
      await until(() => before > 10 || null);
      const { token, refreshToken } = leaver;
      const ending = await (round % 2 === 0
        ? client.post('/v1/auth/logout', { body: { refreshToken } })
        : client.delete('/v1/users/me', { token, body: { password: TEST_PASSWORD } }));
      if (hostsMsOf(ending.headers) < WAIT_MS) {
        endedAt = performance.now();
        heard++;
      }
      expect(ending.status).toBe(204);
      await voting;
      for (const one of pinned) one.client.close();
    }
    expect(heard).toBeGreaterThan(0);
    expect(late).toBe(0);
  });

  it('show an edit although the process that listens for the other one was killed meanwhile', async () => {
    const { client, author } = served;
    const { id } = await publish(served);
    const path = `/v1/posts/${id}`;
    const reader = createClient(otherUrl);
    for (let round = 0; round < 2; round++) {
      for (let times = 0; times < 20; times++) await reader.get(path);
      const [pid] = other.workers('jobs');
      process.kill(pid!, 'SIGKILL');
      const title = `Edited while nothing listened, round ${round}`;
      expect((await client.patch(path, { token: author.token, body: { title } })).status).toBe(200);
      await until(() => other.readyWorkers('jobs').some((one) => one !== pid) || null);
      await until(async () => {
        const seen = await Promise.all(Array.from({ length: 10 }, () => reader.get(path)));
        return seen.every(({ body }) => body.title === title) || null;
      });
    }
  });

  it('do not wait any more for a host that left', async () => {
    other.signal('SIGTERM');
    await other.exit();
    await until(async () => Number.isNaN(await endSignIn(served)) || null);
  });
});
