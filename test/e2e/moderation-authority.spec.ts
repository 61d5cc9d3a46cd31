import { useApp } from '../support/app.js';
import type { Person } from '../support/world.js';
import { verbsOf } from '../support/verbs.js';

const app = useApp();
const { world } = app;
const ROLES = ['user', 'moderator', 'admin'] as const;
type Role = (typeof ROLES)[number];

const rows = (roles: readonly Role[]) => roles.flatMap((role) => ROLES.map((rank) => [role, rank] as const));
const isAbove = (role: Role, rank: Role): boolean => ROLES.indexOf(role) > ROLES.indexOf(rank);

const { send, act } = verbsOf(app);

/** Everything that an account can own, each thing on content of another account. */
async function possessionsOf(owner: Person) {
  const [post, other] = [await world.post({ by: owner }), await world.post({ by: await world.person() })];
  const comment = await world.comment({ by: owner, on: other.id });
  const collection = await world.collection({ by: owner, posts: [other.id] });
  return { owner, post, other, comment, collection };
}

describe('the routes of owners, for moderators and admins', () => {
  it.each(rows(['moderator', 'admin']))('a %s cannot use them on content of a %s', async (role, rank) => {
    const caller = await world.person({ role });
    const { post, other, comment, collection } = await possessionsOf(await world.person({ role: rank }));
    const hidden = await world.post({ by: await world.person({ role: rank }), isPublic: false });

    for (const [method, path, body] of [
      ['PATCH', `posts/${post.id}`, { title: 'Mine' }],
      ['DELETE', `posts/${post.id}`],
      ['DELETE', `posts/${hidden.id}`],
      ['PUT', `posts/${post.id}/lock`],
      ['DELETE', `posts/${post.id}/lock`],
      ['PATCH', `comments/${comment.id}`, { content: 'Mine' }],
      ['DELETE', `comments/${comment.id}`],
      ['DELETE', `comments/${comment.id}?tree=true`],
      ['PATCH', `collections/${collection.id}`, { title: 'Mine' }],
      ['DELETE', `collections/${collection.id}`],
      ['DELETE', `collections/${collection.id}/posts/${other.id}`],
    ] as const) {
      const response = await send(caller, method, path, body);
      expect([path, response.status, response.body.code]).toEqual([path, 403, 'forbidden']);
      expect(response.body.detail).toContain('POST /v1/moderation/actions');
    }
    expect(await app.db.collection('moderation_actions').countDocuments({ actorId: caller._id })).toBe(0);
  });

  it('name no route to users, who cannot call it', async () => {
    const { post } = await possessionsOf(await world.person());

    const { status, body } = await send(await world.person(), 'DELETE', `posts/${post.id}`);

    expect([status, body.detail]).toEqual([403, 'Only the author can change this post.']);
  });
});

describe('POST /v1/moderation/actions', () => {
  it.each(rows(ROLES))('by a %s about a %s requires the higher role', async (role, rank) => {
    const caller = await world.person({ role });
    const { owner, post, comment, collection } = await possessionsOf(await world.person({ role: rank }));
    const expected = isAbove(role, rank) ? 201 : 403;

    for (const [kind, targetKind, id] of [
      ['lock', 'post', post.id],
      ['unlock', 'post', post.id],
      ['remove', 'post', post.id],
      ['restore', 'post', post.id],
      ['remove', 'comment', comment.id],
      ['restore', 'comment', comment.id],
      ['remove', 'collection', collection.id],
      ['restore', 'collection', collection.id],
      ['warn', 'user', owner.id],
      ['limit', 'user', owner.id],
      ['suspend', 'user', owner.id],
      ['ban', 'user', owner.id],
      ['lift', 'user', owner.id],
    ] as const)
      expect([kind, targetKind, (await act(caller, kind, targetKind, id)).status]).toEqual([
        kind,
        targetKind,
        expected,
      ]);
  });

  it('is refused while another moderator has claimed the case', async () => {
    const [claimer, other] = await world.people(2, { role: 'moderator' });
    const { post, collection } = await possessionsOf(await world.person());
    const reporter = await world.person();
    for (const [targetKind, { id }] of Object.entries({ post, collection })) {
      await send(reporter, 'POST', 'reports', { targetKind, targetId: id, reason: 'spam' });
      expect((await send(claimer, 'PUT', `moderation/cases/${targetKind}-${id}/claim`)).status).toBe(200);
      const refused = await act(other, 'remove', targetKind, id);
      expect([refused.status, refused.body.code]).toEqual([409, 'case_claimed']);
      expect((await act(claimer, 'remove', targetKind, id)).status).toBe(201);
    }
  });
});

describe('a lock of a moderator', () => {
  it('is undone by moderators only, and a lock of the author by the author', async () => {
    const [author, moderator] = [await world.person(), await world.person({ role: 'moderator' })];
    const { id } = await world.post({ by: author });
    const unlock = () => send(author, 'DELETE', `posts/${id}/lock`);

    await send(author, 'PUT', `posts/${id}/lock`);
    expect((await unlock()).status).toBe(200);
    await act(moderator, 'lock', 'post', id);
    expect([(await send(author, 'PUT', `posts/${id}/lock`)).status, (await unlock()).status]).toEqual([200, 403]);
    await act(moderator, 'unlock', 'post', id);
    await send(author, 'PUT', `posts/${id}/lock`);
    expect((await unlock()).status).toBe(200);
  });
});

describe('a removed collection', () => {
  it('is private with its removal, cannot be published by its owner, and returns as it was', async () => {
    const [owner, moderator] = [await world.person(), await world.person({ role: 'moderator' })];
    const { id } = await world.collection({ by: owner });
    const readCollection = async (by?: Person) =>
      (await app.client.get(`/v1/collections/${id}`, { token: by?.token })).body;
    const listed = async () => (await app.client.get(`/v1/users/${owner.username}/collections`)).body.data.length;

    const removed = await act(moderator, 'remove', 'collection', id);
    const removal = { actionId: removed.body.id, at: expect.any(String), reason: 'An advertisement.' };
    expect([await readCollection(owner), await readCollection(moderator)]).toMatchObject([
      { removal, isPublic: false },
      { removal },
    ]);
    expect([(await readCollection()).code, await listed()]).toEqual(['collection_not_found', 0]);
    const published = await send(owner, 'PATCH', `collections/${id}`, { isPublic: true });
    expect([published.status, published.body.code]).toEqual([409, 'collection_removed']);
    expect((await act(moderator, 'remove', 'collection', id)).body.code).toBe('already_removed');

    expect((await act(moderator, 'restore', 'collection', id)).status).toBe(201);
    expect([(await readCollection()).isPublic, (await readCollection()).removal, await listed()]).toEqual([
      true,
      undefined,
      1,
    ]);
    expect((await act(moderator, 'restore', 'collection', id)).body.code).toBe('not_removed');
  });
});
