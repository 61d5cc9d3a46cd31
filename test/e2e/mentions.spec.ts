import { ObjectId } from 'mongodb';
import { useApp } from '../support/app.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import { scansOf } from '../support/plans.js';
import type { Person } from '../support/world.js';
import { drainActivity, drainTasks, verbsOf } from '../support/verbs.js';

const SITE = 'https://site.example';

describe('mentions', () => {
  const app = useApp({ env: { CLEANUP_DELAY_MS: '0', PUBLIC_SITE_URL: SITE } });
  const { world } = app;

  const { ok } = verbsOf(app);
  const listOf = async (by: Person): Promise<any[]> => {
    await drainActivity(app);
    return (await ok(by, 'GET', 'notifications')).data;
  };
  const kindsOf = async (by: Person) => (await listOf(by)).map(({ kind }) => kind);
  const edit = (by: Person, id: string, content: string) => ok(by, 'PATCH', `comments/${id}`, { content });
  const to = (...people: Person[]): string => people.map(({ username }) => `@${username}`).join(' ');
  const linkTo = ({ username }: Person, text = username): string =>
    `<a href="${SITE}/u/${username}" rel="ugc nofollow noopener">@${text}</a>`;

  it('are links in the HTML of posts and comments, also by an earlier name', async () => {
    const [author, ada] = await world.people(2);
    const earlier = ada.username;
    const { username } = await ok(ada, 'PATCH', 'users/me', { username: `new_${earlier}`.slice(0, 16) });
    const content = `@${earlier.toUpperCase()}, \`@${earlier}\` and @no_such_name`;
    const html = `<p>${linkTo({ ...ada, username }, earlier.toUpperCase())}, <code>@${earlier}</code> and @no_such_name</p>`;

    const post = await world.post({ by: author, content });
    const comment = await world.comment({ by: author, on: post.id, content });

    expect((await ok(author, 'GET', `posts/${post.id}/html`)).html).toBe(html);
    expect((await ok(author, 'POST', 'render', { content })).html).toBe(html);
    expect((await ok(author, 'GET', `comments/html?ids=${comment.id}`)).data).toEqual([{ id: comment.id, html }]);
    expect(await listOf(ada)).toHaveLength(2);
  });

  it('name the post, the comment and the author', async () => {
    const [author, reader, ada] = await world.people(3);
    const post = await world.post({ by: author, content: `For ${to(ada)}.` });
    const comment = await world.comment({ by: reader, on: post.id, content: `See this, ${to(ada)}.` });

    const list = await listOf(ada);

    const about = { id: post.id, slug: post.slug, title: post.title };
    expect(list).toHaveLength(2);
    for (const one of list) expect(one).toMatchObject({ kind: 'mention', post: about, actorsCount: 1, isRead: false });
    const [ofPost, ofComment] = [list.find((one) => one.comment === null), list.find((one) => one.comment !== null)];
    expect(ofPost.actors).toMatchObject([{ id: author.id }]);
    expect(ofComment).toMatchObject({ comment: { id: comment.id }, actors: [{ id: reader.id }] });
    expect((await ok(ada, 'GET', 'notifications?kind=mention')).data).toEqual(list);
    expect(await kindsOf(author)).toEqual(['comment']);
  });

  it('of an edit notify only the accounts that it adds, and those that it removes are not listed', async () => {
    const [author, ada, byron] = await world.people(3);
    const post = await world.post({ by: author, content: to(ada) });
    const comment = await world.comment({ by: author, on: post.id, content: to(ada) });
    const before = await listOf(ada);
    expect(before).toHaveLength(2);
    await ok(ada, 'PUT', 'notifications/read', {});

    await edit(author, comment.id, `Now ${to(ada, byron)}`);
    await world.editPost(post.id, { by: author, content: `Now ${to(ada, byron)}` });

    expect(await listOf(byron)).toHaveLength(2);
    const stateOf = ({ id, updatedAt, isRead }: any) => ({ id, updatedAt, isRead });
    expect((await listOf(ada)).map(stateOf)).toEqual(before.map((one) => stateOf({ ...one, isRead: true })));
    await edit(author, comment.id, `Now ${to(byron)}`);
    await world.editPost(post.id, { by: author, content: `Now ${to(byron)}` });
    expect(await listOf(ada)).toEqual([]);
    expect(await listOf(byron)).toHaveLength(2);
  });

  it('of a hidden post notify when it is published, once', async () => {
    const [author, ada] = await world.people(2);
    const post = await world.post({ by: author, content: to(ada), isPublic: false });
    await world.comment({ by: author, on: post.id, content: to(ada) });
    expect(await listOf(ada)).toEqual([]);

    await world.editPost(post.id, { by: author, isPublic: true });
    const [first, ...others] = await listOf(ada);

    expect([first.post.id, others]).toEqual([post.id, []]);
    for (const isPublic of [false, true]) await world.editPost(post.id, { by: author, isPublic });
    expect(await listOf(ada)).toEqual([first]);
    await world.editPost(post.id, { by: author, isPublic: false });
    expect(await listOf(ada)).toEqual([]);
  });

  it('notify neither the author, nor accounts that muted the post or do not want it', async () => {
    const [author, muting, off, choosy, ada] = await world.people(5);
    const post = await world.post({ by: author, content: to(author) });
    await ok(muting, 'PUT', `posts/${post.id}/watch`, { level: 'muted' });
    await ok(off, 'PATCH', 'notifications/settings', { mention: 'off' });
    await ok(choosy, 'PATCH', 'notifications/settings', { from: 'followed' });

    await world.comment({ by: author, on: post.id, content: to(author, muting, off, choosy, ada) });

    for (const person of [author, muting, off, choosy]) expect(await listOf(person)).toEqual([]);
    expect(await kindsOf(ada)).toEqual(['mention']);
  });

  it('are left out where the comment is a notification of its own', async () => {
    const [author, reader, watcher] = await world.people(3);
    const post = await world.post({ by: author });
    await ok(watcher, 'PUT', `posts/${post.id}/watch`, { level: 'watching' });
    const comment = await world.comment({ by: reader, on: post.id, content: to(author, watcher) });
    await world.comment({ by: author, on: post.id, parentId: comment.id, content: to(reader, watcher) });

    expect(await kindsOf(author)).toEqual(['comment']);
    expect((await kindsOf(watcher)).sort()).toEqual(['mention', 'watched']);
    expect(await kindsOf(reader)).toEqual(['reply']);

    // An edit counts, too. An account that turns comments off gets the mention instead.
    const plain = await world.comment({ by: reader, on: post.id });
    await drainActivity(app);
    await edit(reader, plain.id, to(author));
    expect(await kindsOf(author)).toEqual(['comment']);
    await ok(author, 'PATCH', 'notifications/settings', { comment: 'off' });
    await world.comment({ by: reader, on: post.id, content: to(author) });
    expect((await kindsOf(author)).sort()).toEqual(['comment', 'mention']);
  });

  it('notify 20 others a day for a new account, 200 for others', async () => {
    const [author, ...people] = await world.people(31);
    const post = await world.post({ by: author });
    const mentionAll = async () => {
      for (const from of [0, 10, 20])
        await world.comment({ by: author, on: post.id, content: to(...people.slice(from, from + 10)) });
      await drainActivity(app);
      return app.db.collection('notifications').countDocuments({ kind: 'mention', postId: new ObjectId(post.id) });
    };
    expect(await mentionAll()).toBe(20);
    expect(await mentionAll()).toBe(20);
    const users = app.db.collection('users');
    await users.updateOne({ _id: author._id }, { $set: { createdAt: new Date(Date.now() - 25 * 3_600_000) } });
    expect(await mentionAll()).toBe(50);
    const counted = { $set: { 'mentions.count': 199 } };
    await app.db.collection<{ _id: ObjectId }>('notification_states').updateOne({ _id: author._id }, counted);
    expect(await mentionAll()).toBe(51);
  });

  it('of deleted comments and accounts are not listed', async () => {
    const [author, ada] = [await world.person({ overHttp: true }), await world.person()];
    const post = await world.post({ by: ada, content: 'A text.' });
    const [other] = await world.people(1);
    const first = await world.comment({ by: author, on: post.id, content: to(other) });
    await world.comment({ by: author, on: post.id, content: to(other) });
    expect(await kindsOf(other)).toEqual(['mention', 'mention']);
    await ok(author, 'DELETE', `comments/${first.id}`);
    expect(await kindsOf(other)).toEqual(['mention']);
    await world.comment({ by: author, on: post.id, content: to(other) });
    await ok(author, 'DELETE', 'users/me', { password: TEST_PASSWORD });
    await drainTasks(app);
    expect(await listOf(other)).toEqual([]);
  });

  it('are found, written and read by keys', async () => {
    const [author, ada] = await world.people(2);
    const post = await world.post({ by: author });
    const comment = () => world.comment({ by: author, on: post.id, content: to(ada) });
    expect(await scansOf(app, async () => void (await comment()))).toEqual([]);
    await drainActivity(app);
    expect(await scansOf(app, async () => void (await ok(ada, 'GET', 'notifications')))).toEqual([]);
  });
});
