import { ObjectId } from 'mongodb';
import { describeApi } from '../../src/api-document.js';
import { pairsOf } from '../../src/common/pair-id.js';
import type { PostWatch } from '../../src/notifications/subscription.schema.js';
import { useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { operationsOf } from '../support/openapi.js';
import type { Person } from '../support/world.js';

const app = useApp();
const { world } = app;

type Send = (method: 'put' | 'delete' | 'patch', path: string, by: Person, body?: object) => Promise<number>;

const send: Send = async (method, path, { token }, body) => (await app.patient[method](path, { token, body })).status;

/** A row of a reader on an author's content, deleted after the author or a moderator has closed the content. */
type Case = {
  /** Returns the path that deletes the row, and the ways to close the content. */
  leave: (reader: Person, author: Person) => Promise<{ path: string; closes: Record<string, () => Promise<unknown>> }>;
  /** Counts the rows that must be deleted. */
  row: (reader: Person) => Promise<number>;
  status: number;
};

const rowsOf =
  (kind: string) =>
  ({ _id }: Person) =>
    app.db.collection('interactions').countDocuments({ userId: _id, kind });

function closesOf(author: Person, postId: string): Record<string, () => Promise<unknown>> {
  return {
    'hidden post': () => world.editPost(postId, { by: author, isPublic: false }),
    'trashed post': () => world.trashPost(postId, { by: author }),
    'deleted post': () => world.deletePost(postId, { by: author }),
    'locked post': () => send('put', `/v1/posts/${postId}/lock`, author),
  };
}

async function onPost(reader: Person, author: Person, name: string, body?: object) {
  const { id } = await world.post({ by: author });
  const path = `/v1/posts/${id}/${name}`;
  expect(await send('put', path, reader, body)).toBe(200);
  return { path, closes: closesOf(author, id) };
}

async function onCollection(reader: Person, author: Person, name: string, body?: object) {
  const collection = `/v1/collections/${(await world.collection({ by: author })).id}`;
  const path = `${collection}/${name}`;
  expect(await send('put', path, reader, body)).toBe(200);
  const closes = {
    'private collection': () => send('patch', collection, author, { isPublic: false }),
    'deleted collection': () => send('delete', collection, author),
  };
  return { path, closes };
}

const CASES: Record<string, Case> = {
  unvotePost: {
    leave: (reader, author) => onPost(reader, author, 'vote', { value: 'like' }),
    row: rowsOf('vote'),
    status: 200,
  },
  unsavePost: { leave: (reader, author) => onPost(reader, author, 'save'), row: rowsOf('save'), status: 200 },
  unhidePost: { leave: (reader, author) => onPost(reader, author, 'hide'), row: rowsOf('hide'), status: 200 },
  unvoteComment: {
    leave: async (reader, author) => {
      const post = await world.post({ by: author });
      const comment = await world.comment({ by: author, on: post.id });
      const path = `/v1/comments/${comment.id}/vote`;
      expect(await send('put', path, reader, { value: 'dislike' })).toBe(200);
      const deleted = () => send('delete', `/v1/comments/${comment.id}`, author);
      return { path, closes: { ...closesOf(author, post.id), 'deleted comment': deleted } };
    },
    row: rowsOf('vote'),
    status: 200,
  },
  unwatchPost: {
    leave: async (reader, author) => {
      const { id } = await world.post({ by: author });
      const path = `/v1/posts/${id}/watch`;
      expect(await send('put', path, reader, { level: 'watching' })).toBe(204);
      return { path, closes: closesOf(author, id) };
    },
    row: ({ _id }) => app.db.collection<PostWatch>('post_watches').countDocuments({ _id: pairsOf(_id) }),
    status: 204,
  },
  unvoteCollection: {
    leave: (reader, author) => onCollection(reader, author, 'vote', { value: 'like' }),
    row: rowsOf('vote'),
    status: 200,
  },
  unfollowCollection: {
    leave: (reader, author) => onCollection(reader, author, 'follow'),
    row: rowsOf('follow'),
    status: 200,
  },
  deleteComment: {
    leave: async (reader, author) => {
      const post = await world.post({ by: author });
      const comment = await world.comment({ by: reader, on: post.id });
      const { 'deleted post': _, ...closes } = closesOf(author, post.id);
      return { path: `/v1/comments/${comment.id}`, closes };
    },
    row: ({ _id }) => app.db.collection('comments').countDocuments({ authorId: _id, deletedAt: null }),
    status: 204,
  },
  removeCollectionPost: {
    leave: async (reader, author) => {
      const { id } = await world.post({ by: author });
      const collection = await world.collection({ by: reader, posts: [id] });
      return { path: `/v1/collections/${collection.id}/posts/${id}`, closes: closesOf(author, id) };
    },
    row: async ({ _id }) => {
      const [own] = await app.db.collection('collections').find({ ownerId: _id }).toArray();
      return app.db.collection('collection_items').countDocuments({ collectionId: own!._id });
    },
    status: 200,
  },
};

/** Operations that delete the caller's own content, which no other account can close. */
const OF_OWN_THINGS = new Set(
  [
    'deletePost unlockPost removeFeaturedPost deleteDraft unscheduleDraft unshareDraft deleteCollection deleteMedia',
    'deletePostRevision deleteAccount endSession endSignIns unlinkIdentity deletePasskey disableTotp revokeApiToken',
    // An account cannot be hidden. Its deletion also deletes the follows, blocks and mutes of the account.
    'unfollowUser removeFollower removeBell unblockUser unmuteUser',
    'deleteFilter unfollowTag deleteWebhook deleteImport',
    'markNotificationUnread deleteNotification deletePushSubscription',
    // These rows belong to the server, not to another account.
    'revokeInvite rejectSignUp releaseCase deleteRule',
  ].flatMap((names) => names.split(' ')),
);

describe('the rows of an account on things of another one', () => {
  it('is decided for every DELETE of the document', async () => {
    const deletes = operationsOf(await describeApi()).filter(({ method }) => method === 'DELETE');

    const undecided = deletes.filter(({ id }) => !OF_OWN_THINGS.has(id) && CASES[id] === undefined);

    expect(undecided.map(({ name }) => name)).toEqual([]);
  });

  it.each(Object.keys(CASES))('%s works in every state of the target', async (operation) => {
    const { leave, row, status } = CASES[operation]!;
    const [author] = await world.people(1);
    const { closes } = await leave((await world.people(1))[0], author);

    for (const name of Object.keys(closes)) {
      const [reader] = await world.people(1);
      const left = await leave(reader, author);
      await left.closes[name]!();
      // The cleanup of a deleted target may delete the row first.
      if (!name.startsWith('deleted')) expect([name, await row(reader)]).toEqual([name, 1]);

      expect([name, await send('delete', left.path, reader)]).toEqual([name, status]);
      expect([name, await row(reader)]).toEqual([name, 0]);
    }
    expect(await differences(app.db)).toEqual([]);
  });

  it('returns no counts of a target that the account may not read', async () => {
    const [author, reader, stranger] = await world.people(3);
    const { id } = await world.post({ by: author });
    const path = `/v1/posts/${id}/vote`;
    await send('put', path, reader, { value: 'like' });
    await world.editPost(id, { by: author, isPublic: false });

    const answers = [
      await app.client.delete(path, { token: reader.token }),
      await app.client.delete(path, { token: stranger.token }),
      await app.client.delete(`/v1/posts/${new ObjectId().toHexString()}/vote`, { token: stranger.token }),
    ];

    for (const { status, body } of answers) expect([status, body.value, body.stats]).toEqual([200, null, null]);
  });
});

describe('PATCH /v1/comments/:id', () => {
  it('changes one of my comments on a post that was hidden', async () => {
    const [author, reader] = await world.people(2);
    const { id } = await world.post({ by: author });
    const comment = await world.comment({ by: reader, on: id });
    await world.editPost(id, { by: author, isPublic: false });

    const content = 'On second thought.';
    const answer = await app.client.patch(`/v1/comments/${comment.id}`, { token: reader.token, body: { content } });

    expect([answer.status, answer.body.content]).toEqual([200, content]);
  });

  it('changes no comment on a locked post', async () => {
    const [author, reader] = await world.people(2);
    const { id } = await world.post({ by: author });
    const comment = await world.comment({ by: reader, on: id });
    await send('put', `/v1/posts/${id}/lock`, author);

    const body = { content: 'Something else entirely.' };
    const answer = await app.client.patch(`/v1/comments/${comment.id}`, { token: reader.token, body });

    expect([answer.status, answer.body.code]).toEqual([409, 'post_locked']);
  });
});

describe('GET /v1/users/me/followed-collections', () => {
  it('lists the collections that I follow, the latest first, a private one without its content', async () => {
    const [owner, reader] = await world.people(2);
    const collections = [await world.collection({ by: owner }), await world.collection({ by: owner, title: 'Later' })];
    for (const { id } of collections) await send('put', `/v1/collections/${id}/follow`, reader);
    const [first, second] = collections as [(typeof collections)[0], (typeof collections)[0]];
    await send('patch', `/v1/collections/${first.id}`, owner, { isPublic: false });

    const { body } = await app.client.get('/v1/users/me/followed-collections', { token: reader.token });

    expect(body.data).toEqual([
      { collectionId: second.id, collection: expect.objectContaining({ title: 'Later' }), since: expect.any(String) },
      { collectionId: first.id, collection: null, since: expect.any(String) },
    ]);
  });
});
