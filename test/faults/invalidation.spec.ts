import { signUp, TEST_PASSWORD } from '../support/accounts.js';
import { type Lag, lagOf, type Sight } from '../support/lag.js';
import { type Pinned, pinToEach } from '../support/pinned.js';
import { scale } from '../support/scale.js';
import { publish, quantile, useServed } from '../support/served.js';
import type { HttpAnswer } from './suite/http-client.js';

const WORKERS = 2;
const ROUNDS = scale('invalidationRounds');
const LIMIT_MS = 100;
/** Answered when no worker gives out the old state any longer, unless one has not said so within 100 ms. */
const WITHDRAWALS = ['hide', 'delete', 'end of the account'];
const WITHDRAWN_AT_ONCE = 0.8;
/** what a machine that is busy with something else may add now and then */
const LONGEST_MS = 1_000;

describe('what one worker changed', () => {
  const served = useServed({ HTTP_WORKERS: String(WORKERS) });

  it(`is seen by every worker within ${LIMIT_MS} ms, and what is gone is gone with the answer: create, edit, hide, publish, delete, end of the account`, async () => {
    const { client, url, author } = served;
    const { token } = author;
    const FEED = '/v1/feed?sort=latest&limit=5';
    await publish(served);
    // a connection carries one request at a time: one for each address
    const [forFeed, forPost] = [await pinToEach(url, WORKERS), await pinToEach(url, WORKERS)];
    const measured = new Map<string, Lag[]>();
    const measure = async (what: string, pinned: Pinned[], sight: Sight, write: () => Promise<void>): Promise<void> => {
      measured.set(what, [...(measured.get(what) ?? []), await lagOf(pinned, sight, write)]);
    };
    const patch = async (path: string, body: object): Promise<void> => {
      expect((await client.patch(path, { token, body })).status).toBe(200);
    };
    for (let round = 0; round < ROUNDS; round++) {
      const title = `Post of round ${round}`;
      const edited = `Edited in round ${round}`;
      let id = '';
      await measure('create', forFeed, { path: FEED, isNew: ({ text }) => text.includes(title) }, async () => {
        id = (await publish(served, { title })).id;
      });
      const own = `/v1/posts/${id}`;
      const isFeed = round % 2 === 0;
      const [pinned, path] = isFeed ? [forFeed, FEED] : [forPost, own];
      const isThere = ({ status, text }: HttpAnswer): boolean => status === 200 && text.includes(id);
      const isGone = (answer: HttpAnswer): boolean => (isFeed ? !answer.text.includes(id) : answer.status === 404);
      await measure('edit', pinned, { path, isNew: ({ text }) => text.includes(edited) }, () =>
        patch(own, { title: edited }),
      );
      await measure('hide', pinned, { path, isNew: isGone }, () => patch(own, { isPublic: false }));
      await measure('publish', pinned, { path, isNew: isThere }, () => patch(own, { isPublic: true }));
      await measure('delete', pinned, { path, isNew: isGone }, async () => {
        expect((await client.delete(own, { token })).status).toBe(204);
      });
      const leaver = await signUp(client);
      const last = `Last words of round ${round}`;
      await publish({ ...served, client, author: leaver }, { title: last });
      const isWithout = ({ text }: HttpAnswer): boolean => !text.includes(last);
      await measure('end of the account', forFeed, { path: FEED, isNew: isWithout }, async () => {
        const end = { token: leaver.token, body: { password: TEST_PASSWORD } };
        expect((await client.delete('/v1/users/me', end)).status).toBe(204);
      });
    }
    for (const { client: pinned } of [...forFeed, ...forPost]) pinned.close();
    const all = [...measured.values()].flat();
    for (const [what, lags] of [...measured, ['all', all] as const]) {
      const show = (values: number[]): string =>
        [0.5, 0.95, 1].map((share) => quantile(values, share).toFixed(1)).join(' / ');
      console.log(
        `${what} (${lags.length}): old answers begun until ${show(lags.map(({ afterAnswer }) => afterAnswer))} ms after the write's answer, ` +
          `${show(lags.map(({ afterFirstSight }) => afterFirstSight))} ms after the first new one (p50 / p95 / max)`,
      );
    }
    for (const values of [
      all.map(({ afterAnswer }) => afterAnswer),
      all.map(({ afterFirstSight }) => afterFirstSight),
    ]) {
      expect(values).toHaveLength(ROUNDS * 6);
      expect(quantile(values, 0.95)).toBeLessThanOrEqual(LIMIT_MS);
      expect(Math.max(...values)).toBeLessThanOrEqual(LONGEST_MS);
    }
    for (const what of WITHDRAWALS) {
      const late = measured.get(what)!.filter(({ afterAnswer }) => afterAnswer > 0).length;
      expect([what, late <= ROUNDS * (1 - WITHDRAWN_AT_ONCE)]).toEqual([what, true]);
    }
  });

  it('shows a profile that every worker was asked for before it existed, with the answer to its registration', async () => {
    const { client, url } = served;
    const pinned = await pinToEach(url, WORKERS);
    try {
      for (let round = 0; round < 5; round++) {
        const username = `not_yet_${round}`;
        const statuses = () =>
          Promise.all(
            pinned.map(async (one) => (await one.client.send({ method: 'GET', path: `/v1/users/${username}` })).status),
          );
        expect(await statuses()).toEqual(Array(WORKERS).fill(404));
        await signUp(client, { username });
        expect(await statuses()).toEqual(Array(WORKERS).fill(200));
      }
    } finally {
      for (const one of pinned) one.client.close();
    }
  });
});
