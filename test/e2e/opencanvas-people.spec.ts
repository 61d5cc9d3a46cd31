import { ObjectId } from 'mongodb';
import { GUEST_ID } from '../../src/media/media-quota.js';
import { useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import type { Answer } from '../support/client.js';
import { answerOf, OPENCANVAS_ENV, MemberClient, SITE } from '../support/opencanvas-people.js';
import { formOf, noise } from '../support/pictures.js';

const app = useApp({ env: { ...OPENCANVAS_ENV, HTTP_PUBLIC_URL: 'http://127.0.0.1:3000' } });
const client = new MemberClient(app);
const { world } = app;
const sendOc = client.send.bind(client);
const get = client.get.bind(client);
const member = client.member.bind(client);

describe('profiles', () => {
  it('shows an account with featured and newest posts, and whether the viewer follows it', async () => {
    const [ann, ben] = [await member(), await member()];
    const post = await world.post({ by: ann, title: 'On Looms' });
    await app.client.put(`/v1/users/me/featured/${post.id}`, { token: ann.token });
    await sendOc('POST', '/follow-unfollow/user', { token: ben.oc, body: { targetUserId: ann.id } });

    const answers = [await get(`/u/${ann.username}`), await get(`/u/${ann.username}`, ben.oc)];

    expect(answers.map(({ body }) => body.data.isFollowing)).toEqual([false, true]);
    expect(answers[1]!.body).toEqual({
      success: true,
      data: {
        isFollowing: true,
        user: {
          ...{ _id: ann.id, username: ann.username, fullName: expect.any(String), profilePicture: '', designation: '' },
          ...{ aboutMe: '', interestedIn: [], contactInformation: [], createdAt: expect.any(String), posts: [post.id] },
          featuredItems: [{ itemId: post.id, itemType: 'Post', itemTitle: 'On Looms', itemThumbnail: '' }],
          stats: { followersCount: 1, followingCount: 0, postsCount: 1, likesReceivedCount: 0 },
        },
      },
    });
    const unknown = await get('/u/nobody_here');
    expect(answerOf(unknown)).toEqual({ status: 404, body: { success: false, message: 'User not found' } });
  });

  it('lists accounts by id, and the top writers', async () => {
    const ann = await member();
    await world.post({ by: ann });
    const listed = { _id: ann.id, username: ann.username, fullName: expect.any(String), profilePicture: '' };
    const stats = { followersCount: 0, followingCount: 0, postsCount: 1, likesReceivedCount: 0 };
    const byIds = await get(`/u/users/byids?ids=${ann.id},${'0'.repeat(24)}`);
    expect(byIds.body).toEqual({ success: true, results: 1, data: [{ ...listed, designation: '', stats }] });
    const { status, body, headers } = await get('/u/top/writers');
    expect([status, body.success, headers.get('link')]).toEqual([
      ...[200, true, '</v1/users/top>; rel="successor-version"'],
    ]);
    expect(Object.keys(body.data[0]).sort()).toEqual([
      ...['_id', 'designation', 'fullName', 'likesPerPost', 'profilePicture', 'stats', 'username'],
    ]);
    for (const ids of ['', 'undefined']) expect((await get(`/u/users/byids?ids=${ids}`)).status).toBe(400);
  });

  it('changes the given fields of the account alone, and notifications one by one', async () => {
    const { oc, username, token } = await member();
    const update = (body: object) => sendOc('PUT', '/update/user', { token: oc, body });
    const all = {
      ...{ fullName: 'Ada Lovelace', profilePicture: 'https://images.example.org/ada.jpg', designation: 'Reader' },
      ...{ aboutMe: 'Looms.', interestedIn: ['any', 'Machine Learning', 'C++'] },
      contactInformation: [{ title: 'Notebook', url: 'https://example.org/notebook' }],
      notifications: { emailNotification: false, commentNotification: true },
    };
    const first = await update(all);
    const second = await update({ designation: 'Writer', notifications: { pushNotification: false } });
    const third = await update({ profilePicture: '/defaults/profile.jpeg' });

    const kept = { ...all, interestedIn: ['machine-learning', 'c'] };
    const notifications = {
      ...{ emailNotification: false, pushNotification: true, mentionNotification: true },
      ...{ followNotification: true, commentNotification: true, messageNotification: true },
    };
    expect([first.status, first.body.success]).toEqual([200, true]);
    expect(first.body.data).toMatchObject({ username, ...kept, notifications });
    const after = { ...kept, designation: 'Writer', notifications: { ...notifications, pushNotification: false } };
    expect(second.body.data).toMatchObject(after);
    expect(third.body.data).toMatchObject({ ...after, profilePicture: '' });
    expect((await app.client.patch('/v1/users/me', { token, body: { settings: { language: 'de' } } })).status).toBe(
      200,
    );
    expect((await get('/auth/user', oc)).body.user).toMatchObject({ ...after, profilePicture: '' });
  });

  it.each([
    { fullName: '' },
    { aboutMe: 'x'.repeat(501) },
    { interestedIn: 'any' },
    { profilePicture: 'javascript:1' },
  ])('refuses %j', async (body) => {
    const { status, body: answer } = await sendOc('PUT', '/update/user', { token: (await member()).oc, body });
    expect([status, answer.success, typeof answer.message]).toEqual([400, false, 'string']);
  });
});

describe('follows', () => {
  const toggle = (oc: string, targetUserId: unknown) =>
    sendOc('POST', '/follow-unfollow/user', { token: oc, body: { targetUserId } });

  it('follows an account, and no longer at the second time', async () => {
    const [ann, ben] = [await member(), await member()];
    const answers = [await toggle(ann.oc, ben.id), await toggle(ann.oc, ben.id)];
    expect(answers.map(answerOf)).toEqual([
      { status: 201, body: { success: true, message: 'Followed' } },
      { status: 200, body: { success: true, message: 'Unfollowed' } },
    ]);
    const refused = await Promise.all([ann.id, '0'.repeat(24), 'undefined', undefined].map((id) => toggle(ann.oc, id)));
    expect(refused.map(({ status }) => status)).toEqual([400, 404, 400, 400]);
    expect(refused[0]!.body).toEqual({ success: false, message: 'You cannot follow yourself.' });
  });

  it('takes each of 200 concurrent toggles for one change', async () => {
    const [ann, ben] = [await member(), await member()];
    const toggles = await Promise.all(Array.from({ length: 200 }, () => toggle(ann.oc, ben.id)));
    const followed = toggles.filter(({ status }) => status === 201);
    expect([followed.length, toggles.filter(({ status }) => status === 200).length]).toEqual([100, 100]);
    expect((await toggle(ann.oc, ben.id)).body.message).toBe('Followed');
    expect((await get(`/u/${ben.id}/followers`)).body).toMatchObject({ total: 1, data: [{ _id: ann.id }] });
    expect(await differences(app.db)).toEqual([]);
  });

  it('lists both sides by page, latest first, with the count of all', async () => {
    const star = await member();
    const fans = [await member(), await member(), await member()];
    for (const fan of fans) await toggle(fan.oc, star.id);
    await toggle(star.oc, fans[0]!.id);

    const [first, second] = [
      await get(`/u/${star.id}/followers?page=1&limit=2`),
      await get(`/u/${star.id}/followers?page=2&limit=2`),
    ];
    const following = await get(`/u/${star.id}/following?page=1&limit=10`, star.oc);

    expect(first.body).toMatchObject({ success: true, total: 3 });
    expect([...first.body.data, ...second.body.data].map(({ _id }) => _id)).toEqual(fans.map(({ id }) => id).reverse());
    expect(following.body).toEqual({
      ...{ success: true, total: 1 },
      data: [
        {
          ...{ _id: fans[0]!.id, username: fans[0]!.username, fullName: expect.any(String), profilePicture: '' },
          ...{ designation: '', since: expect.any(String) },
        },
      ],
    });
    const paths = [`${star.id}/following`, 'undefined/followers', `${'0'.repeat(24)}/followers`];
    paths.push(`${star.id}/followers?page=101&limit=100`, `${star.id}/followers?page=100&limit=100`);
    const statuses = await Promise.all(paths.map(async (path) => (await get(`/u/${path}`)).status));
    expect(statuses).toEqual([401, 400, 404, 400, 200]);
  });
});

describe('uploads without an account', () => {
  const FROM_SITE = { origin: SITE };
  const upload = (bytes: Buffer, from: Record<string, string> = FROM_SITE): Promise<Answer> => {
    const { body, headers } = formOf({ bytes, field: 'image', name: 'loom.png', type: 'image/png' });
    return sendOc('POST', '/api/uploadImage', { body, headers: { ...headers, ...from } });
  };
  const picture = () => noise(20, 20).png().toBuffer();
  const rowAt = (link: string) =>
    app.db.collection('media').findOne({ _id: new ObjectId(/([0-9a-f]{24})-/.exec(link)![1]) });

  it('gives the address of the image to pages of the site, and refuses others', async () => {
    const { status, body } = await upload(await picture());
    expect([status, Object.keys(body)]).toEqual([200, ['directLink', 'imgDeleteHash']]);
    expect((await app.client.get(new URL(body.directLink).pathname)).status).toBe(200);
    const hours = ((await rowAt(body.directLink))!.sweepAt - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
    for (const from of [{}, { origin: 'https://elsewhere.example' }] as Record<string, string>[]) {
      const refused = await upload(await picture(), from);
      expect([refused.status, Object.keys(refused.body)]).toEqual([403, ['error']]);
    }
    const noImage = await upload(Buffer.from('no image'));
    expect([noImage.status, Object.keys(noImage.body)]).toEqual([415, ['error']]);
  });

  it('become images of the first account with a post that names them', async () => {
    const [ann, ben] = await world.people(2);
    const bytes = await picture();
    const links: string[] = [];
    for (let times = 0; times < 2; times++) {
      const { directLink } = (await upload(bytes)).body;
      links.push(directLink);
      const body = { title: 'Looms', content: `![a loom](${directLink})`, type: 'article', thumbnailUrl: directLink };
      expect((await app.client.post('/v1/posts', { token: ann.token, body })).status).toBe(201);
    }
    await world.post({ by: ben, content: `![a loom](${links[0]})` });

    const rows = await Promise.all(links.map(rowAt));

    expect(new Set(links).size).toBe(2);
    expect(rows.map((row) => [row!.ownerId.equals(ann._id), row!.sweepAt])).toEqual(Array(2).fill([true, null]));
    expect((await app.client.get('/v1/media/mine', { token: ann.token })).body.data).toHaveLength(2);
  });

  it('are refused beyond 200 MB in all, and stay without an owner when the account has no room', async () => {
    const ann = await world.person();
    const { directLink } = (await upload(await picture())).body;
    await world.picture(ann, { bytes: 1_000_000_000 });
    await world.post({ by: ann, content: `![a loom](${directLink})` });
    const { mediaId } = await world.picture({ _id: GUEST_ID }, { bytes: 200_000_000 });

    const refused = await upload(await picture());

    await app.db.collection('media').deleteOne({ _id: new ObjectId(mediaId) });
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['error']]);
    expect((await rowAt(directLink))!.ownerId).toEqual(GUEST_ID);
  });

  it('are accepted as the image of a profile', async () => {
    const { oc } = await member();
    const { directLink } = (await upload(await picture())).body;
    const { status, body } = await sendOc('PUT', '/update/user', { token: oc, body: { profilePicture: directLink } });
    expect([status, body.data?.profilePicture]).toEqual([200, directLink]);
  });
});
