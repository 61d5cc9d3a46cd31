import { useApp } from '../support/app.js';
import type { Person } from '../support/world.js';

const app = useApp({ env: { REGISTRATION: 'approval' } });
const { world } = app;
let moderator: Person;
let author: Person;
let reader: Person;

beforeAll(async () => {
  moderator = await world.person({ role: 'moderator' });
  [author, reader] = await world.people(2);
});

const get = async (path: string) => (await app.client.get(`/v1/${path}`, { token: moderator.token })).body;
const nameOf = ({ id, username }: Person) => ({ id, username });
const report = async (targetKind: string, targetId: string): Promise<void> => {
  const body = { targetKind, targetId, reason: 'spam' };
  expect((await app.client.post('/v1/reports', { token: reader.token, body })).status).toBe(201);
};

describe('GET /v1/moderation/summary', () => {
  it('counts what waits, with the oldest of each', async () => {
    const none = { count: 0, oldestAt: null };
    expect(await get('moderation/summary')).toEqual({ cases: none, appeals: none, signUps: none });
    const post = await world.post({ by: author });
    await report('post', post.id);
    const actionId = await world.moderate({ kind: 'warn', targetKind: 'user', targetId: author.id });
    await world.appeal({ by: author, actionId });
    await world.signUpThatWaits();

    const one = { count: 1, oldestAt: expect.any(String) };
    expect(await get('moderation/summary')).toEqual({ cases: one, appeals: one, signUps: one });
  });
});

describe('the list of cases', () => {
  it('has the owner, the beginning of the text and the post of each target', async () => {
    const [post, thread] = [
      await world.post({ by: author, title: 'Buy this', content: 'A cheap thing.' }),
      await world.post({ by: reader, title: 'A thread' }),
    ];
    const comment = await world.comment({ by: author, on: thread.id, content: 'x'.repeat(600) });
    const collection = await world.collection({ by: author, title: 'Shops' });
    const targets = { post, comment, collection, user: author };
    for (const [kind, { id }] of Object.entries(targets)) await report(kind, id);
    await app.client.put(`/v1/moderation/cases/comment-${comment.id}/claim`, { token: moderator.token });
    const { data } = await get('moderation/cases?limit=100');
    const of = (kind: string, { id }: { id: string }) => data.find((row: { id: string }) => row.id === `${kind}-${id}`);

    for (const [kind, target] of Object.entries(targets)) expect(of(kind, target).owner).toMatchObject(nameOf(author));
    expect(of('post', post).content).toEqual({
      ...{ title: 'Buy this', excerpt: 'A cheap thing.' },
      post: { id: post.id, slug: post.slug, title: 'Buy this' },
      imagePath: null,
    });
    const { title, excerpt, post: shown } = of('comment', comment).content;
    expect([title, excerpt, shown.id]).toEqual(['A thread', 'x'.repeat(500), thread.id]);
    expect(of('comment', comment).claim.moderator).toMatchObject(nameOf(moderator));
    expect(of('collection', collection).content).toMatchObject({ title: 'Shops', post: null });
    expect(of('user', author).content).toMatchObject({ post: null });
    expect((await get(`moderation/cases/post-${post.id}`)).reports[0].reporter).toMatchObject(nameOf(reader));

    await world.deletePost(post.id, { by: author });
    const again = (await get('moderation/cases?limit=100')).data.find(({ id }: any) => id === `post-${post.id}`);
    expect([again?.content ?? null, again?.title ?? 'Buy this']).toEqual([null, 'Buy this']);
  });
});

describe('the list of appeals', () => {
  it('has both names and the removed content', async () => {
    const thread = await world.post({ by: reader });
    const comment = await world.comment({ by: author, on: thread.id, content: 'Buy this.' });
    const body = {
      kind: 'remove',
      targetKind: 'comment',
      targetId: comment.id,
      reasonCode: 'spam',
      publicReason: 'No.',
    };
    const { id } = (await app.client.post('/v1/moderation/actions', { token: moderator.token, body })).body;
    await world.appeal({ by: author, actionId: id });

    const { data } = await get('moderation/appeals?limit=100');
    const found = data.find(({ action }: any) => action.id === id);
    expect(found.account).toMatchObject(nameOf(author));
    expect(found.moderator).toMatchObject(nameOf(moderator));
    expect(found.content).toMatchObject({ excerpt: 'Buy this.', post: { id: thread.id } });
  });
});

describe('the list of accounts', () => {
  it('has the standing of each', async () => {
    const account = await world.person();
    const standing = async () => (await get(`admin/users?q=${account.username}`)).data[0].standing;
    expect(await standing()).toBeNull();
    await world.moderate({ kind: 'suspend', targetKind: 'user', targetId: account.id });
    expect(await standing()).toMatchObject({ level: 'suspended', until: null });
  });
});
