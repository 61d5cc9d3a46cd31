import { ObjectId } from 'mongodb';
import { AuditService } from '../../src/audit/audit.service.js';
import { EngagementJob } from '../../src/ranking/engagement.job.js';
import { ScoreEpochService } from '../../src/ranking/score-epoch.service.js';
import { AccessTokenService } from '../../src/platform/access/access-token.service.js';
import { useApp } from '../support/app.js';
import { forgetReaders } from '../support/ranks.js';
import type { Person } from '../support/world.js';

const KINDS = ['share', 'read', 'view'] as const;
const VISITORS = 60;
const AT_ONCE = 30;

/** The claims of a client without an account. */
type Visitor = { address: string; agent: string };

describe('a visitor without an account', () => {
  const app = useApp({ env: { HTTP_TRUSTED_PROXIES: '127.0.0.1' } });
  const { world } = app;
  let author: Person;
  /** Posts liked by 16 and by 18 people. */
  let liked: string[];
  /** Gain of a post from all kinds of events of one visitor. */
  let gainOfOne: number;

  const publish = async (): Promise<string> => {
    const body = { title: 'Ranks', content: 'Text.', type: 'article' };
    return (await app.client.post('/v1/posts', { token: author.token, body })).body.id;
  };
  const send = async (id: string, kind: string, { address, agent }: Visitor): Promise<boolean> => {
    const headers = { 'x-forwarded-for': address, 'user-agent': agent };
    const answer = await app.patient.post(`/v1/posts/${id}/events`, { headers, body: { kind } });
    expect(answer.status).toBe(200);
    return answer.body.counted as boolean;
  };
  /** Sends every kind of event of every visitor. Returns the number of counted events. */
  const attack = async (id: string, visitors: Visitor[]): Promise<number> => {
    let counted = 0;
    for (let at = 0; at < visitors.length; at += AT_ONCE) {
      const some = visitors.slice(at, at + AT_ONCE);
      const sent = await Promise.all(some.flatMap((visitor) => KINDS.map((kind) => send(id, kind, visitor))));
      counted += sent.filter(Boolean).length;
    }
    return counted;
  };
  const feedAfterRun = async (): Promise<{ id: string; stats: { sharesCount: number } }[]> => {
    await forgetReaders(app.db);
    await app.app.get(EngagementJob).run();
    return (await app.client.get('/v1/feed?limit=100')).body.data;
  };
  const scoreOf = async (id: string): Promise<number> => {
    const { slot } = await app.app.get(ScoreEpochService).current();
    const post = (await app.db.collection('posts').findOne({ _id: new ObjectId(id) }))!;
    // Removes the part that orders equal scores.
    return Math.floor((post['rank'] as Record<string, number>)[`top${slot}`]! * 2) / 2;
  };

  beforeAll(async () => {
    author = await world.person();
    const people = await world.people(18);
    liked = [await publish(), await publish()];
    for (const [index, { token }] of people.entries())
      for (const id of index < 16 ? liked : liked.slice(1))
        await app.client.put(`/v1/posts/${id}/vote`, { token, body: { value: 'like' } });
    const [quiet, seen] = [await publish(), await publish()];
    await attack(seen, [{ address: '192.0.2.77', agent: 'a browser' }]);
    await feedAfterRun();
    gainOfOne = (await scoreOf(seen)) - (await scoreOf(quiet));
  });

  const agents = (address: string): Visitor[] =>
    Array.from({ length: VISITORS }, (_, n) => ({ address, agent: `browser ${n}` }));
  const addresses = (addressOf: (n: number) => string): Visitor[] =>
    Array.from({ length: VISITORS }, (_, n) => ({ address: addressOf(n), agent: 'a browser' }));

  it.each<[string, () => Visitor[], most: number]>([
    ['60 agents at one address', () => agents('203.0.113.5'), 1],
    ['60 addresses of an IPv6 /64', () => addresses((n) => `2001:db8:0:1::${n.toString(16)}`), 1],
    ['60 subnets of an IPv6 /56', () => addresses((n) => `2001:db8:1:${(4 * n).toString(16)}::1`), 1],
    ['60 addresses of a /24', () => addresses((n) => `198.51.100.${4 * n}`), 8],
    [
      '60 subnets of an IPv6 /48',
      () => addresses((n) => `2001:db8:2:${(n * 1_092).toString(16).padStart(4, '0')}::1`),
      8,
    ],
  ])('with %s moves a rank no further than allowed', async (_who, visitors, most) => {
    const id = await publish();
    const counted = await attack(id, visitors());
    const feed = await feedAfterRun();
    expect(feed.slice(0, 2).map((post) => post.id)).toEqual([...liked].reverse());
    expect((await scoreOf(id)) - 1).toBeLessThanOrEqual(most * gainOfOne);
    expect(counted).toBeLessThanOrEqual(most * KINDS.length);
    expect(feed.find((post) => post.id === id)!.stats.sharesCount).toBeLessThanOrEqual(most);
  });

  it('moves a rank by no more than a signed-in view does, for any body', async () => {
    const id = await publish();
    await app.client.post(`/v1/posts/${id}/events`, { token: author.token, body: { kind: 'view' } });
    await feedAfterRun();
    expect(gainOfOne).toBeGreaterThan(0);
    expect(gainOfOne).toBeLessThanOrEqual((await scoreOf(id)) - 1);
  });

  it('moves a rank with 22 unverified accounts as one visitor does', async () => {
    const id = await publish();
    const people = await world.people(22);
    const tokens = app.app.get(AccessTokenService);
    for (const { viewer } of people) {
      const token = tokens.issue({ ...viewer, isEmailVerified: false }).accessToken;
      const headers = { 'x-forwarded-for': '203.0.113.200' };
      for (const kind of KINDS) await app.client.post(`/v1/posts/${id}/events`, { token, headers, body: { kind } });
      const vote = await app.client.put(`/v1/posts/${id}/vote`, { token, headers, body: { value: 'like' } });
      expect(vote.status).toBe(200);
    }
    const feed = await feedAfterRun();
    expect(feed.find((post) => post.id === id)!.stats).toMatchObject({ likesCount: 22, sharesCount: 1 });
    expect((await scoreOf(id)) - 1).toBe(gainOfOne);
  });

  it('leaves every counter equal to its rows', async () => {
    const found: unknown[] = [];
    await app.app.get(AuditService).audit((difference) => void found.push(difference));
    expect(found).toEqual([]);
  });
});

describe('events of visitors', () => {
  const app = useApp({ env: { RATE_LIMIT_ENABLED: 'true', HTTP_TRUSTED_PROXIES: '127.0.0.1' } });
  const { world } = app;

  it('have a limit of their own for each network, with or without the framework', async () => {
    const author = await world.person();
    const body = { title: 'Limits', content: 'Text.', type: 'article' };
    const { id } = (await app.client.post('/v1/posts', { token: author.token, body })).body;
    const path = `/v1/posts/${id}/events`;
    const view = (init: { token?: string; headers?: Record<string, string> } = {}) =>
      app.client.post(path, { ...init, body: { kind: 'view' } });
    const senders: Record<string, string>[] = [{}, { 'x-forwarded-for': '203.0.113.5' }];
    for (const headers of senders) {
      const first = await view({ headers });
      expect(first.headers.get('ratelimit-policy')).toBe('"events";q=60;w=60');
      expect(first.headers.get('ratelimit')).toMatch(/^"events";r=59;/);
      const answers = await Promise.all(Array.from({ length: 99 }, () => view({ headers })));
      const refused = answers.filter(({ status }) => status === 429);
      // Some requests are sent again while the hundred are running.
      expect(refused.length).toBeGreaterThanOrEqual(20);
      expect(refused[0]!.body.code).toBe('rate_limited');
      expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await view({ headers: { 'x-forwarded-for': '203.0.114.5' } })).status).toBe(200);
    const own = await view({ token: author.token });
    expect([own.status, own.headers.get('ratelimit-policy')]).toEqual([200, '"writes";q=600;w=60']);
  });
});
