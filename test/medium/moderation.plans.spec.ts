import { useApp } from '../support/app.js';
import { plansOf } from '../support/plans.js';
import type { Person } from '../support/world.js';

const app = useApp();
const { world } = app;
let moderator: Person;
let postId: string;

beforeAll(async () => {
  const [author] = await world.people(30, { fullName: 'Author' });
  const moderators = await world.people(12, { role: 'moderator' });
  moderator = moderators[0];
  postId = (await world.post({ by: author })).id;
  for (const { token } of moderators) {
    const other = await world.post({ by: author });
    for (const id of [postId, other.id]) {
      for (const kind of ['lock', 'unlock']) {
        const about = { targetKind: 'post', targetId: id, reasonCode: 'other', publicReason: 'A quarrel.' };
        await app.client.post('/v1/moderation/actions', { token, body: { kind, ...about } });
      }
    }
  }
});

describe('the queries of moderators', () => {
  it.each([
    ['the log', () => 'log', '"_id":'],
    ['the actions of an account', () => `log?actorId=${moderator.id}`, '"actorId":1,"_id":-1'],
    ['the actions on a target', () => `log?targetId=${postId}`, '"targetId":1,"_id":-1'],
    ['accounts by name', () => 'users?q=p', '"username":1'],
    ['the newest accounts', () => 'users', '"_id":1'],
    ['moderators by name', () => 'users?role=moderator&q=p', '"role":1,"username":1'],
    ['the newest moderators', () => 'users?role=moderator', '"role":1,"_id":-1'],
  ])('read %s as one range of an index, page by page', async (_, path, key) => {
    const pathOf = (rest: string) => `/v1/admin/${path()}${path().includes('?') ? '&' : '?'}limit=1${rest}`;
    const { token } = moderator;
    const first = await app.client.get(pathOf(''), { token });
    const cursor = first.body.page.nextCursor as string;
    for (const rest of ['', `&cursor=${cursor}`]) {
      const plans = await plansOf(app, async () =>
        expect((await app.client.get(pathOf(rest), { token })).status).toBe(200),
      );
      expect(plans).toMatchObject([{ docsExamined: 2, nReturned: 2 }]);
      expect(plans[0]!.plan).toMatch(/^IXSCAN/);
      expect(plans[0]!.plan).toContain(key);
    }
  });
});
