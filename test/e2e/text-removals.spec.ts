import { ObjectId } from 'mongodb';
import { AUTHOR_CHANGED } from '../../src/users/users.events.js';
import { useApp } from '../support/app.js';
import type { Answer } from '../support/client.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import { noise, uploadPicture } from '../support/pictures.js';
import { expectProblem } from '../support/problem.js';
import { runTasks } from '../support/tasks.js';
import type { Person } from '../support/world.js';
import { drainTasks, verbsOf } from '../support/verbs.js';

const app = useApp({ env: { CLEANUP_DELAY_MS: '0' } });
const { world } = app;

const { send } = verbsOf(app);
const act = (by: Person, kind: string, targetKind: string, targetId: string, more: object = {}): Promise<Answer> => {
  const reason = { reasonCode: 'harassment', publicReason: 'An insult.' };
  return send(by, 'POST', 'moderation/actions', { kind, targetKind, targetId, ...reason, ...more });
};
const appeal = async (owner: Person, moderator: Person, actionId: string): Promise<void> => {
  expect((await send(owner, 'POST', 'appeals', { actionId, text: 'It is a quotation.' })).status).toBe(201);
  const decision = { isAccepted: true, publicReason: 'Indeed.' };
  expect((await send(moderator, 'POST', `moderation/appeals/${actionId}/decision`, decision)).status).toBe(204);
};

let moderator: Person;
let other: Person;
beforeAll(async () => {
  [moderator, other] = await world.people(2, { role: 'moderator' });
});

const TEXTS = {
  ...{ bio: 'You fools.', headline: 'Fools everywhere', location: 'Foolstown', interests: ['fools'] },
  links: [{ title: 'Fools', url: 'https://fools.example/' }],
};

async function profileOf({ id }: Person) {
  const [user] = (await app.client.get(`/v1/users?ids=${id}`)).body.data;
  return (await app.client.get(`/v1/users/${user.username}`)).body;
}

describe('the removal of a profile', () => {
  it('empties its texts, and an appeal restores them', async () => {
    const owner = await world.person({ fullName: 'Fool of Fools' });
    await send(owner, 'PATCH', 'users/me', TEXTS);

    const removed = await act(moderator, 'remove', 'profile', owner.id);

    const detail = 'fullName, bio, headline, location, interests, links';
    expect(removed.body).toMatchObject({ targetKind: 'profile', targetId: owner.id, ownerId: owner.id, detail });
    const empty = { bio: '', headline: '', location: '', interests: [], links: [], profilePicture: null };
    expect(await profileOf(owner)).toMatchObject({ ...empty, username: owner.username, fullName: owner.username });
    expect((await act(moderator, 'remove', 'profile', owner.id)).body.code).toBe('already_removed');
    const [own] = (await send(owner, 'GET', 'users/me/moderation')).body.data;
    expect(own).toMatchObject({
      canAppeal: true,
      removedTexts: expect.arrayContaining([{ name: 'bio', text: TEXTS.bio }]),
    });

    await appeal(owner, other, removed.body.id);
    expect(await profileOf(owner)).toMatchObject({ ...TEXTS, fullName: 'Fool of Fools' });
    expect((await act(moderator, 'restore', 'profile', owner.id)).body.code).toBe('not_removed');
  });

  it('keeps what the owner has written since, and other removals', async () => {
    const owner = await world.person();
    await send(owner, 'PATCH', 'users/me', TEXTS);
    const bio = await act(moderator, 'remove', 'profile', owner.id, { fields: ['bio', 'location'] });
    await act(moderator, 'remove', 'profile', owner.id, { fields: ['headline'] });
    await send(owner, 'PATCH', 'users/me', { location: 'London' });

    await appeal(owner, other, bio.body.id);

    expect(await profileOf(owner)).toMatchObject({ bio: TEXTS.bio, location: 'London', headline: '' });
    const restored = await act(moderator, 'restore', 'profile', owner.id);
    expect(restored.body.reverses).not.toBeNull();
    expect((await profileOf(owner)).headline).toBe(TEXTS.headline);
  });

  it('keeps its image for 30 days, for moderators and the restoration', async () => {
    const owner = await world.person();
    const { body: image } = await uploadPicture(app, owner.token, await noise(40, 30).png().toBuffer());
    await send(owner, 'PATCH', 'users/me', { profilePictureMediaId: image.id });
    const removed = await act(moderator, 'remove', 'profile', owner.id, { fields: ['profilePicture'] });
    await runTasks(app, [AUTHOR_CHANGED]);
    await send(owner, 'POST', 'appeals', { actionId: removed.body.id, text: 'It is a statue.' });

    const appeals = (await send(other, 'GET', 'moderation/appeals')).body.data;
    const { content } = appeals.find(({ action }: { action: { id: string } }) => action.id === removed.body.id);
    const days = async () => {
      const row = await app.db.collection('media').findOne({ _id: ObjectId.createFromHexString(image.id) });
      return row!['sweepAt'] && Math.round((row!['sweepAt'].getTime() - Date.now()) / 86_400_000);
    };

    expect((await app.client.get(content.imagePath, { token: other.token })).status).toBe(200);
    expect(await days()).toBe(30);
    await act(moderator, 'restore', 'profile', owner.id);
    await runTasks(app, [AUTHOR_CHANGED]);
    expect([(await profileOf(owner)).profilePicture, await days()]).toEqual([image.url, null]);
  });

  it('replaces a username, which the owner cannot take again until it is restored', async () => {
    const owner = await world.person();
    const post = await world.post({ by: owner });

    const removed = await act(moderator, 'remove', 'profile', owner.id, { fields: ['username'] });

    const { username } = await profileOf(owner);
    expect(username).toMatch(/^user_[a-z0-9]{10}$/);
    expect(removed.body.detail).toBe(`username -> ${username}`);
    await runTasks(app, [AUTHOR_CHANGED]);
    expect((await app.client.get(`/v1/posts/${post.id}`)).body.author.username).toBe(username);
    expectProblem(await send(owner, 'PATCH', 'users/me', { username: owner.username }), 400, 'invalid_input');
    expectProblem(await send(other, 'PATCH', 'users/me', { username: owner.username }), 409, 'username_taken');
    await act(moderator, 'restore', 'profile', owner.id);
    expect((await profileOf(owner)).username).toBe(owner.username);
  });

  it('requires the higher role, a free case and fields of a profile', async () => {
    const owner = await world.person();
    const reporter = await world.person();
    await send(owner, 'PATCH', 'users/me', TEXTS);
    await send(reporter, 'POST', 'reports', { targetKind: 'profile', targetId: owner.id, reason: 'hate' });
    const shown = await send(moderator, 'GET', `moderation/cases/profile-${owner.id}`);
    expect(shown.body.reported.text).toContain(TEXTS.headline);
    await send(other, 'PUT', `moderation/cases/profile-${owner.id}/claim`);

    expectProblem(await act(moderator, 'remove', 'profile', owner.id), 409, 'case_claimed');
    expectProblem(await act(moderator, 'remove', 'profile', other.id), 403, 'forbidden');
    expectProblem(await act(owner, 'remove', 'profile', owner.id), 403, 'forbidden');
    expectProblem(await act(moderator, 'warn', 'user', owner.id, { fields: ['bio'] }), 400, 'invalid_input');
    expect((await act(other, 'remove', 'profile', owner.id)).body.caseId).toBe(`profile-${owner.id}`);
  });
});

describe('the removal of notes', () => {
  it('removes one or all notes of a collection, and restores them', async () => {
    const [owner, author] = await world.people(2);
    const posts = [await world.post({ by: author }), await world.post({ by: author })];
    const ids = posts.map(({ id }) => id);
    const { id } = await world.collection({ by: owner, posts: ids });
    const path = `collections/${id}/posts`;
    for (const post of ids) await send(owner, 'PUT', `${path}/${post}`, { note: `The fool of ${post}.` });
    const notes = async () => (await app.client.get(`/v1/${path}`)).body.data.map(({ note }: { note: string }) => note);
    const [first, second] = [`The fool of ${ids[0]}.`, `The fool of ${ids[1]}.`];

    await send(author, 'POST', 'reports', { targetKind: 'note', targetId: id, reason: 'harassment' });
    expect((await send(moderator, 'GET', `moderation/cases/note-${id}`)).body.reported.text).toContain(second);
    const removed = await act(moderator, 'remove', 'note', id, { postIds: [ids[0]] });

    expect(removed.body).toMatchObject({ caseId: `note-${id}`, ownerId: owner.id, detail: `note on post ${ids[0]}` });
    expect(await notes()).toEqual([null, second]);
    expect((await act(moderator, 'remove', 'note', id, { postIds: [ids[0]] })).body.code).toBe('already_removed');
    expect((await act(moderator, 'remove', 'note', id)).body.detail).toBe(`note on post ${ids[1]}`);
    expect(await notes()).toEqual([null, null]);
    await appeal(owner, other, removed.body.id);
    expect(await notes()).toEqual([first, null]);
    await act(moderator, 'restore', 'note', id);
    expect(await notes()).toEqual([first, second]);
    expectProblem(await act(moderator, 'restore', 'note', id), 409, 'not_removed');
  });
});

describe('the removal of an image', () => {
  it('stops its delivery, refuses its bytes, and restores it', async () => {
    const owner = await world.person();
    const bytes = await noise(40, 30).png().toBuffer();
    const upload = () => uploadPicture(app, owner.token, bytes);
    const { body: image } = await upload();
    const file = () => app.client.get(new URL(image.url, 'http://localhost').pathname);
    expect((await file()).status).toBe(200);
    const report = { targetKind: 'media', targetId: image.id, reason: 'sexual' };
    expect((await send(other, 'POST', 'reports', report)).status).toBe(201);

    const removed = await act(moderator, 'remove', 'media', image.id);

    expect(removed.body).toMatchObject({ targetKind: 'media', ownerId: owner.id, caseId: `media-${image.id}` });
    expectProblem(await file(), 404, 'media_not_found');
    expectProblem(await upload(), 422, 'content_rejected');
    expect((await act(moderator, 'remove', 'media', image.id)).body.code).toBe('already_removed');
    await appeal(owner, other, removed.body.id);
    expect((await file()).status).toBe(200);
    expectProblem(await act(moderator, 'restore', 'media', image.id), 409, 'not_removed');
  });
});

describe('a removed image', () => {
  it('is seen by moderators of the case and the appeal, and by no other account', async () => {
    const owner = await world.person();
    const { body: image } = await uploadPicture(app, owner.token, await noise(40, 30).png().toBuffer());
    const file = () => app.client.get(new URL(image.url, 'http://localhost').pathname);
    const stored = await file();
    await send(other, 'POST', 'reports', { targetKind: 'media', targetId: image.id, reason: 'sexual' });
    const removed = await act(moderator, 'remove', 'media', image.id);
    await send(owner, 'POST', 'appeals', { actionId: removed.body.id, text: 'It is a statue.' });

    const { content } = (await send(moderator, 'GET', `moderation/cases/media-${image.id}`)).body;
    const appeals = (await send(other, 'GET', 'moderation/appeals')).body.data;
    const get = (by: Person) => app.client.get(content.imagePath, { token: by.token });
    const shown = await get(other);

    expect(appeals).toContainEqual(expect.objectContaining({ content }));
    expect(shown.status).toBe(200);
    expect(shown.body).toBe(stored.body);
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      'cache-control': 'private, no-store',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-length': stored.headers.get('content-length'),
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
    });
    expectProblem(await get(owner), 403, 'forbidden');
    expectProblem(await app.client.get(content.imagePath), 401, 'unauthorized');
    expectProblem(await file(), 404, 'media_not_found');
    const path = 'moderation/media/6650c3a2f1d2b3c4d5e6f70c/content';
    expectProblem(await send(moderator, 'GET', path), 404, 'media_not_found');
  });
});

describe('the deletion of an account', () => {
  it('deletes its removed texts, and closes the cases', async () => {
    const owner = await world.person({ overHttp: true });
    await send(owner, 'PATCH', 'users/me', TEXTS);
    await act(moderator, 'remove', 'profile', owner.id, { fields: ['username', 'bio'] });
    await send(other, 'POST', 'reports', { targetKind: 'profile', targetId: owner.id, reason: 'hate' });

    expect((await send(owner, 'DELETE', 'users/me', { password: TEST_PASSWORD })).status).toBeLessThan(300);

    await drainTasks(app);

    expect(await app.db.collection('removed_texts').countDocuments({ ownerId: owner._id })).toBe(0);
    expect(await app.db.collection('report_cases').countDocuments({ ownerId: owner._id, state: 'open' })).toBe(0);
  });
});
