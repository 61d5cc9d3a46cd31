import { Binary, type CommandStartedEvent, ObjectId } from 'mongodb';
import { pairId } from '../../src/common/pair-id.js';
import { DRAFT_DUE } from '../../src/drafts/drafts.events.js';
import type { Follow } from '../../src/follows/follow.schema.js';
import { notificationId } from '../../src/notifications/notification-id.js';
import type { Bell } from '../../src/notifications/subscription.schema.js';
import { type HandlerContext, TaskHandlers } from '../../src/platform/work-queue/task-handlers.js';
import { useApp } from '../support/app.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import { whileListening } from '../support/commands.js';
import { plansOf, scansOf } from '../support/plans.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';
import { drainActivity, drainTasks, verbsOf } from '../support/verbs.js';

describe('notifications', () => {
  const app = useApp({ env: { CLEANUP_DELAY_MS: '0' } });
  const { world } = app;

  const { ok } = verbsOf(app);
  const listOf = async (by: Person): Promise<any[]> => {
    await drainActivity(app);
    return (await ok(by, 'GET', 'notifications')).data;
  };
  const shortOf = async (by: Person) =>
    (await listOf(by)).map(({ kind, actors, actorsCount }) => [kind, actorsCount, actors.map((one: any) => one.id)]);

  it('name the post, the comment and the accounts of comments, replies, likes and follows', async () => {
    const [author, reader] = await world.people(2);
    const post = await world.post({ by: author });
    const comment = await world.comment({ by: reader, on: post.id, content: 'First.' });
    const mine = await world.comment({ by: author, on: post.id });
    const reply = await world.comment({ by: reader, on: post.id, parentId: mine.id, content: 'A reply.' });
    await ok(reader, 'PUT', `posts/${post.id}/vote`, { value: 'like' });
    await ok(reader, 'PUT', `comments/${mine.id}/vote`, { value: 'like' });
    await ok(reader, 'PUT', `users/${author.username}/follow`);
    const list = await listOf(author);
    const byKind = Object.fromEntries(list.map((one) => [one.kind, one]));
    expect(Object.keys(byKind).sort()).toEqual(['comment', 'follow', 'like_comment', 'like_post', 'reply']);
    for (const one of list) {
      expect([one.actors.map(({ id }: any) => id), one.actorsCount, one.isRead]).toEqual([[reader.id], 1, false]);
    }
    const about = { id: post.id, slug: post.slug, title: post.title };
    expect(byKind.comment).toMatchObject({ post: about, comment: { id: comment.id, content: 'First.' } });
    expect(byKind.reply).toMatchObject({ post: about, comment: { id: reply.id, content: 'A reply.' } });
    expect(byKind.like_comment).toMatchObject({ post: about, comment: { id: mine.id } });
    expect(byKind.follow).toMatchObject({ post: null, comment: null, collection: null, draft: null });
    expect(await listOf(reader)).toEqual([]);
  });

  it('have a collection of another account, while it is public', async () => {
    const [author, reader] = await world.people(2);
    const post = await world.post({ by: author });
    await world.collection({ by: reader, posts: [post.id], isPublic: false });
    await world.collection({ by: author, posts: [post.id] });
    expect(await listOf(author)).toEqual([]);
    const { id, slug, title } = await world.collection({ by: reader, posts: [post.id] });
    expect(await listOf(author)).toMatchObject([
      { kind: 'collected', collection: { id, slug, title }, actorsCount: 1, actors: [{ id: reader.id }] },
    ]);
    await ok(reader, 'DELETE', `collections/${id}/posts/${post.id}`);
    expect(await listOf(author)).toEqual([]);
  });

  it('of new posts are for accounts with a bell, once for each post', async () => {
    const [author, reader, other] = await world.people(3);
    await ok(reader, 'PUT', `users/${author.username}/bell`);
    await ok(other, 'PUT', `users/${author.username}/bell`);
    await ok(other, 'DELETE', `users/${author.username}/bell`);
    const post = await world.post({ by: author });
    await drainTasks(app);
    const [first] = await listOf(reader);
    expect(first).toMatchObject({ kind: 'new_post', post: { id: post.id }, actors: [{ id: author.id }] });
    for (const isPublic of [false, true]) await world.editPost(post.id, { by: author, isPublic });
    await drainTasks(app);
    expect(await listOf(reader)).toEqual([first]);
    expect(await listOf(other)).toEqual([]);
    expectProblem(
      await app.client.put(`/v1/users/${author.username}/bell`, { token: author.token }),
      400,
      'follow_self',
    );
  });

  it('of a post or mention that a reader deleted do not return when the post is hidden and shown', async () => {
    const [author, reader] = await world.people(2);
    await ok(reader, 'PUT', `users/${author.username}/bell`);
    const post = await world.post({ by: author, content: `Hello, @${reader.username}.` });
    await drainTasks(app);
    const [first, second] = await listOf(reader);
    expect([first.kind, second.kind].sort()).toEqual(['mention', 'new_post']);

    for (const { id } of [first, second]) await ok(reader, 'DELETE', `notifications/${id}`);
    for (const isPublic of [false, true]) await world.editPost(post.id, { by: author, isPublic });
    await drainTasks(app);

    expect(await listOf(reader)).toEqual([]);
    expect(await ok(reader, 'GET', 'notifications?unread=true')).toMatchObject({ data: [], unread: { count: 0 } });
    expect(await ok(reader, 'PUT', 'notifications/read', {})).toEqual({ count: 0, isCapped: false });
  });

  it('of replies to others are for the author of the post, and for watchers by setting', async () => {
    const [author, watcher, commenter, reader] = await world.people(4);
    const post = await world.post({ by: author });
    await ok(watcher, 'PUT', `posts/${post.id}/watch`, { level: 'watching' });
    const comment = await world.comment({ by: commenter, on: post.id });
    const kinds = async (by: Person) => (await listOf(by)).map(({ kind }) => kind);
    expect([await kinds(author), await kinds(watcher)]).toEqual([['comment'], ['watched']]);

    const reply = await world.comment({ by: reader, on: post.id, parentId: comment.id, content: 'To another.' });
    const [thread] = await listOf(author);
    expect(thread).toMatchObject({ kind: 'thread', post: { id: post.id }, comment: { id: reply.id }, actorsCount: 1 });
    expect([await kinds(commenter), await kinds(watcher)]).toEqual([['reply'], ['watched']]);

    await ok(watcher, 'PATCH', 'notifications/settings', { threads: 'watched' });
    await ok(author, 'PATCH', 'notifications/settings', { thread: 'off' });
    const own = await world.comment({ by: author, on: post.id });
    await ok(author, 'DELETE', `notifications/${thread.id}`);
    await world.comment({ by: reader, on: post.id, parentId: own.id });
    expect([await kinds(author), (await kinds(watcher)).sort()]).toEqual([
      ['reply', 'comment'],
      ['thread', 'watched'],
    ]);
    await ok(reader, 'DELETE', `comments/${reply.id}`);
    expect(await kinds(commenter)).toEqual([]);
  });

  it('has at most 200 bells for an account', async () => {
    const [reader, author, ...others] = await world.people(202);
    const rows = [author, ...others].slice(0, 200).map(({ _id }) => {
      return { _id: pairId(reader._id, _id), authorId: _id };
    });
    await app.db.collection<Bell>('bells').insertMany(rows);
    const last = others.at(-1)!;
    const refused = await app.client.put(`/v1/users/${last.username}/bell`, { token: reader.token });
    expectProblem(refused, 409, 'too_many_bells');
    await ok(reader, 'PUT', `users/${author.username}/bell`);
  });

  it('of comments go to watchers, and not to accounts that mute the post', async () => {
    const [author, watcher, reader] = await world.people(3);
    const post = await world.post({ by: author });
    await ok(watcher, 'PUT', `posts/${post.id}/watch`, { level: 'watching' });
    await ok(author, 'PUT', `posts/${post.slug}/watch`, { level: 'muted' });
    await world.comment({ by: reader, on: post.id });
    expect(await shortOf(watcher)).toEqual([['watched', 1, [reader.id]]]);
    expect(await shortOf(author)).toEqual([]);
    await ok(author, 'DELETE', `posts/${post.id}/watch`);
    await ok(watcher, 'DELETE', `posts/${post.id}/watch`);
    await world.comment({ by: reader, on: post.id });
    expect(await shortOf(author)).toEqual([['comment', 1, [reader.id]]]);
  });

  it('follow the settings of each kind, and of whose actions count', async () => {
    const [author, friend, stranger] = await world.people(3);
    const post = await world.post({ by: author });
    expect(await ok(author, 'GET', 'notifications/settings')).toMatchObject({ like_post: 'app', from: 'everyone' });
    await ok(author, 'PUT', `users/${friend.username}/follow`);
    const changed = await ok(author, 'PATCH', 'notifications/settings', { like_post: 'off', from: 'followed' });
    expect(changed).toMatchObject({ like_post: 'off', comment: 'app', from: 'followed' });
    await ok(friend, 'PUT', `posts/${post.id}/vote`, { value: 'like' });
    await world.comment({ by: stranger, on: post.id });
    expect(await shortOf(author)).toEqual([]);
    await world.comment({ by: friend, on: post.id });
    expect(await shortOf(author)).toEqual([['comment', 1, [friend.id]]]);
  });

  it('of a followed account arrive, although more than a hundred others liked the post before', async () => {
    const [author, friend, ...strangers] = await world.people(122);
    const post = await world.post({ by: author });
    await ok(author, 'PUT', `users/${friend.username}/follow`);
    await ok(author, 'PATCH', 'notifications/settings', { from: 'followed' });
    const like = (by: Person) => ok(by, 'PUT', `posts/${post.id}/vote`, { value: 'like' });
    await Promise.all(strangers.map(like));
    await like(friend);
    expect(await shortOf(author)).toEqual([['like_post', 1, [friend.id]]]);

    const popular = await world.post({ by: friend });
    await Promise.all(strangers.map((by) => ok(by, 'PUT', `posts/${popular.id}/vote`, { value: 'like' })));
    expect(await shortOf(friend)).toMatchObject([
      // The count ends at 100.
      ['like_post', 100, expect.anything()],
      ['follow', 1, [author.id]],
    ]);
  });

  it('of drafts say that the publication was scheduled and done, or why it failed', async () => {
    const author = await world.person();
    const publishDue = async (fields: object): Promise<string> => {
      const { id } = await ok(author, 'POST', 'drafts', { title: 'Looms', content: 'They weave.', ...fields });
      const due = { state: 'scheduled', publishAt: new Date(Date.now() - 1_000) };
      await app.db.collection('drafts').updateOne({ _id: new ObjectId(id) }, { $set: due });
      const [handler] = app.app.get(TaskHandlers).of(DRAFT_DUE.name, 'foreground');
      await handler!.run({ payload: new ObjectId(id) } as HandlerContext);
      return id;
    };
    await publishDue({ type: 'article' });
    expect(await listOf(author)).toMatchObject([{ kind: 'draft_published', post: { title: 'Looms' }, actorsCount: 0 }]);
    const id = await publishDue({});
    const [failed] = await listOf(author);
    expect(failed).toMatchObject({ kind: 'draft_failed', draft: { id, title: 'Looms', failure: 'draft_incomplete' } });
    await ok(author, 'DELETE', `drafts/${id}`).catch(() =>
      app.db.collection('drafts').deleteOne({ _id: new ObjectId(id) }),
    );
    expect((await listOf(author)).map(({ kind }) => kind)).toEqual(['draft_published']);
  });

  it('count no account that was deleted, and are deleted with theirs', async () => {
    const [author, reader] = [await world.person({ overHttp: true }), await world.person({ overHttp: true })];
    const post = await world.post({ by: author });
    for (const [by, to] of [
      [reader, author],
      [author, reader],
    ] as const)
      await ok(by, 'PUT', `users/${to.username}/follow`);
    await ok(reader, 'PUT', `posts/${post.id}/vote`, { value: 'like' });
    expect(await listOf(author)).toHaveLength(2);
    await ok(reader, 'DELETE', 'users/me', { password: TEST_PASSWORD });
    expect(await listOf(author)).toEqual([]);
    await drainTasks(app);
    expect(await app.db.collection('notifications').countDocuments({ userId: reader._id })).toBe(0);
  });

  it('are deleted with their post and comment', async () => {
    const [author, reader] = await world.people(2);
    const post = await world.post({ by: author });
    const mine = await world.comment({ by: author, on: post.id });
    await world.comment({ by: reader, on: post.id, parentId: mine.id });
    await world.comment({ by: reader, on: post.id });
    await drainActivity(app);
    const kinds = () => app.db.collection('notifications').distinct('kind', { userId: author._id });
    expect(await kinds()).toEqual(['comment', 'reply']);
    await ok(author, 'DELETE', `comments/${mine.id}`);
    await drainTasks(app);
    expect(await kinds()).toEqual(['comment']);
    await world.deletePost(post.id, { by: author });
    await drainTasks(app);
    expect(await kinds()).toEqual([]);
  });

  it('are counted as the list shows them, after writes of either side', async () => {
    const [author, reader] = await world.people(2);
    const post = await world.post({ by: author });
    const counts = async (): Promise<number[]> => {
      await drainActivity(app);
      const { data, unread } = await ok(author, 'GET', 'notifications');
      return [data.length, unread.count, (await ok(author, 'GET', 'notifications/unread-count')).count];
    };
    const { id } = await world.comment({ by: reader, on: post.id });
    await ok(reader, 'PUT', `posts/${post.id}/vote`, { value: 'like' });
    expect(await counts()).toEqual([2, 2, 2]);

    await ok(reader, 'DELETE', `comments/${id}`);
    expect(await counts()).toEqual([1, 1, 1]);
    await ok(author, 'PUT', `users/${reader.username}/mute`, {});
    expect(await counts()).toEqual([0, 0, 0]);
    await ok(author, 'DELETE', `users/${reader.username}/mute`);
    expect(await counts()).toEqual([1, 1, 1]);
    await ok(reader, 'PUT', `users/${author.username}/block`);
    expect(await counts()).toEqual([0, 0, 0]);
  });

  it('return with what they are about: reading them in between deletes nothing', async () => {
    const [author, reader] = await world.people(2);
    const post = await world.post({ by: author, content: `Hello, @${reader.username}.` });
    const { id } = await world.comment({ by: author, on: post.id });
    await ok(reader, 'PUT', `comments/${id}/vote`, { value: 'like' });
    const before = [await listOf(author), await listOf(reader)];
    expect(before.map((list) => list.map(({ kind }) => kind))).toEqual([['like_comment'], ['mention']]);

    await world.editPost(post.id, { by: author, isPublic: false });
    await world.moderate({ kind: 'remove', targetKind: 'comment', targetId: id });
    expect([await listOf(author), await listOf(reader)].map((list) => list.map(({ kind }) => kind))).toEqual([
      ['moderation'],
      [],
    ]);

    await world.editPost(post.id, { by: author, isPublic: true });
    await world.moderate({ kind: 'restore', targetKind: 'comment', targetId: id });
    expect((await listOf(author)).filter(({ kind }) => kind === 'like_comment')).toEqual(before[0]);
    expect(await listOf(reader)).toEqual(before[1]);
  });

  it('of a kind that only a newer version knows are skipped', async () => {
    const [author, reader] = await world.people(2);
    await ok(reader, 'PUT', `users/${author.username}/follow`);
    expect(await listOf(author)).toHaveLength(1);
    const groups = app.db.collection<{ _id: Binary }>('notifications');
    const { _id, ...row } = (await groups.findOne({ userId: author._id }))!;
    const key = Buffer.from(_id.buffer);
    key[12] = 0xff;
    const newer = { _id: new Binary(key), ...row, kind: 'of_a_newer_version', seq: new ObjectId() };
    await groups.insertOne(newer, { bypassDocumentValidation: true });
    const { data, unread } = await ok(author, 'GET', 'notifications');
    expect([data.map(({ kind }: any) => kind), unread.count]).toEqual([['follow'], 1]);
  });

  it('reads at most 500 groups for a page, whose cursor continues behind groups that show nothing', async () => {
    const [author, reader] = await world.people(2);
    await ok(reader, 'PUT', `users/${author.username}/follow`);
    const [shown] = await listOf(author);
    const later = [...Array(600)].map(() => {
      const about = { userId: author._id, kind: 'like_post', postId: null, since: new ObjectId(), ownMark: 'none' };
      const times = { createdAt: new Date(), updatedAt: new Date(), expiresAt: new Date(Date.now() + 60_000) };
      const _id = notificationId(author._id, 'like_post', new ObjectId(), new ObjectId());
      return { _id, ...about, seq: new ObjectId(), ...times };
    });
    await app.db.collection<{ _id: Binary }>('notifications').insertMany(later);

    const first = await ok(author, 'GET', 'notifications');
    const second = await ok(author, 'GET', `notifications?cursor=${first.page.nextCursor}`);

    expect([first.data, first.unread]).toEqual([[], { count: 0, isCapped: true }]);
    expect([second.data, second.page.nextCursor]).toEqual([[shown], null]);
  });

  it('refuses ids of other accounts', async () => {
    const [author, reader, other] = await world.people(3);
    await ok(reader, 'PUT', `users/${author.username}/follow`);
    const [{ id }] = (await listOf(author)) as [{ id: string }];
    const { token } = other;
    expectProblem(await app.client.put(`/v1/notifications/${id}/read`, { token }), 404, 'notification_not_found');
    expectProblem(await app.client.put('/v1/notifications/read', { token, body: { upTo: id } }), 400, 'invalid_input');
    expectProblem(await app.client.get('/v1/notifications?kind=wave', { token }), 400, 'invalid_input');
    await ok(author, 'DELETE', `notifications/${id}`);
    await ok(author, 'DELETE', `notifications/${id}`);
    const gone = { token: author.token, body: { upTo: id } };
    expectProblem(await app.client.put('/v1/notifications/read', gone), 404, 'notification_not_found');
  });

  it('caps the accounts of a notification at 100', async () => {
    const [author, reader, ...people] = await world.people(122);
    await ok(reader, 'PUT', `users/${author.username}/follow`);
    await drainActivity(app);
    const follows = app.db.collection<Follow>('follows');
    // An id of the spec may be less than an id of the same second that the bundle made.
    const { seq } = (await follows.findOne({ followingId: author._id }))!;
    const rows = people.map(({ _id: followerId }) => {
      const _id = pairId(followerId, author._id);
      return { _id, followerId, followingId: author._id, seq, since: new Date() };
    });
    await follows.insertMany(rows);
    expect(await listOf(author)).toMatchObject([{ kind: 'follow', actorsCount: 100, isCapped: true }]);
  });

  it('reads a page and the unread count by ranges of indexes', async () => {
    const [author, reader] = await world.people(2);
    const posts = await Promise.all([1, 2, 3].map(() => world.post({ by: author })));
    for (const { id } of posts) {
      await ok(reader, 'PUT', `posts/${id}/vote`, { value: 'like' });
      await world.comment({ by: reader, on: id });
    }
    await drainActivity(app);
    expect(await scansOf(app, () => ok(author, 'GET', 'notifications'))).toEqual([]);
    const commands: string[] = [];
    const onCommand = ({ commandName: name, command }: CommandStartedEvent) =>
      void commands.push(`${name} ${String(command[name])}`);
    await whileListening(app, onCommand, () => ok(author, 'GET', 'notifications'));
    const isOfPage = /^(find|aggregate) (notifications|notification_states|posts|users|comments|interactions)$/;
    const ofPage = commands.filter((command) => isOfPage.test(command));
    expect(ofPage.map((command) => command.replace(/aggregate (comments|interactions)/, 'aggregate ranges'))).toEqual([
      ...['aggregate notifications', 'find posts', 'aggregate ranges', 'find users', 'find comments'],
    ]);
    for (const query of ['', '?kind=comment', '?unread=true']) {
      const plans = await plansOf(app, () => ok(author, 'GET', `notifications${query}`), 'notifications');
      expect(plans.length).toBeGreaterThan(0);
      for (const { plan, docsExamined, nReturned } of plans) {
        expect(plan).toContain('IXSCAN');
        expect(docsExamined).toBeLessThanOrEqual(nReturned);
      }
    }
  });
});
