import { ObjectId } from 'mongodb';
import { useApp } from '../support/app.js';
import { plansOf } from '../support/plans.js';
import type { Person } from '../support/world.js';

describe('the queries of drafts and versions', () => {
  const app = useApp();
  const { world } = app;
  let author: Person;
  let draftId: string;
  let postId: string;
  let link: string;

  beforeAll(async () => {
    const people = await world.people(3);
    author = people[0]!;
    for (const person of people) {
      const { token } = person;
      const send = (method: string, path: string, body?: object) =>
        app.client.request(method, path, { token, body, headers: { 'if-match': '*' } });
      const text = { title: 'Notes', content: 'Text.', type: 'article' };
      postId = (await send('POST', '/v1/posts', text)).body.id;
      for (let at = 0; at < 30; at++) {
        draftId = (await send('POST', '/v1/drafts', text)).body.id;
        await send('PATCH', `/v1/drafts/${draftId}`, { content: `Text ${at}.` });
        await send('PATCH', `/v1/posts/${postId}`, { content: `Text ${at}.` });
        await world.trashedDraft(person);
      }
      link = (await send('PUT', `/v1/drafts/${draftId}/share`)).body.path;
      author = people.find((person) => person.token === token)!;
    }
  });

  it.each([
    ['my drafts', () => '/v1/drafts?limit=5', 6],
    ['my deleted posts', () => '/v1/drafts?state=trashed&limit=5', 6],
    ['one of my drafts', () => `/v1/drafts/${draftId}`, 1],
    ['a shared draft', () => link, 1],
    ['the versions of a draft', () => `/v1/drafts/${draftId}/versions?limit=5`, 1],
    ['the versions of a post', () => `/v1/posts/${postId}/revisions?limit=5`, 6],
    ['one version of a post', () => `/v1/posts/${postId}/revisions/3`, 1],
  ])('reads %s as one range of an index', async (_, pathOf, most) => {
    const plans = await plansOf(app, async () =>
      expect((await app.client.get(pathOf(), { token: author.token })).status).toBe(200),
    );
    for (const { plan, docsExamined, nReturned } of plans) {
      expect(plan).toMatch(/IXSCAN|IDHACK/);
      expect(plan).not.toMatch(/COLLSCAN|\bSORT\b/);
      expect(docsExamined).toBe(nReturned);
      expect(nReturned).toBeLessThanOrEqual(most);
    }
  });

  it('reads the second page of drafts at the price of the first', async () => {
    const { body } = await app.client.get('/v1/drafts?limit=5', { token: author.token });
    const path = `/v1/drafts?limit=5&cursor=${body.page.nextCursor}`;
    const [plan] = await plansOf(app, () => app.client.get(path, { token: author.token }));
    expect(plan!.plan).not.toMatch(/COLLSCAN|\bSORT\b/);
    expect(plan!.docsExamined).toBeLessThanOrEqual(7);
  });

  it('finds the draft of a save by an index', async () => {
    const plans = await plansOf(app, () =>
      app.client.patch(`/v1/drafts/${new ObjectId(draftId).toHexString()}`, {
        token: author.token,
        body: { content: 'Once more.' },
        headers: { 'if-match': '*' },
      }),
    );
    for (const { plan } of plans) expect(plan).toMatch(/IXSCAN|IDHACK/);
  });
});
