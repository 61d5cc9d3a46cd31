import { ObjectId } from 'mongodb';
import type { TestAccount } from '../support/accounts.js';
import { startApp, type TestApp, useApp } from '../support/app.js';
import { noise, uploadPicture } from '../support/pictures.js';
import { expectProblem } from '../support/problem.js';

const app = useApp();
const { world } = app;
const ORIGIN = 'http://api.example:8080';

type Media = { id: string; url: string; variants: { url: string }[] };
let author: TestAccount;
let media: Media;
let theirs: Media;
beforeAll(async () => {
  author = await world.person({ overHttp: true });
  media = (await uploadPicture(app, author.token, await noise(700, 400).jpeg().toBuffer())).body;
  const other = await world.person({ overHttp: true });
  theirs = (await uploadPicture(app, other.token, await noise(30, 40).jpeg().toBuffer())).body;
});

const post = { title: 'A post', type: 'article', content: 'Text.' };
const send = async (method: string, path: string, body?: object, headers?: Record<string, string>) => {
  const answer = await app.client.request(method, path, { token: author.token, body, headers });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
};
/** Form of an image in a card. */
const shown = ({ url, width, height, variants, placeholder }: any) => ({ url, width, height, variants, placeholder });
const cardOf = async (from: TestApp, id: string) => {
  const { body } = await from.client.get('/v1/feed?sort=latest&limit=50');
  return body.data.find((card: { id: string }) => card.id === id);
};

/** Ways to reference an image, in a field and in the field for its id. */
const WAYS: [string, (of: Media, field: string) => object][] = [
  ['its id', ({ id }, field) => ({ [`${field === 'thumbnailUrl' ? 'thumbnail' : field}MediaId`]: id })],
  ['its path', ({ url }, field) => ({ [field]: url })],
  ['the path of a smaller one', ({ url, variants }, field) => ({ [field]: variants[0]?.url ?? url })],
  ['an address without TLS', ({ url }, field) => ({ [field]: ORIGIN + url })],
];

describe.each(WAYS)('an own image, named by %s', (_, name) => {
  it('is the thumbnail of a post, with its sizes, in the feed and in the post', async () => {
    const { id, thumbnailUrl, thumbnail } = await send('POST', '/v1/posts', {
      ...post,
      ...name(media, 'thumbnailUrl'),
    });
    expect([thumbnailUrl, thumbnail]).toEqual([media.url, shown(media)]);
    expect(await send('GET', `/v1/posts/${id}`)).toMatchObject({ thumbnailUrl, thumbnail });
    expect(await cardOf(app, id)).toMatchObject({ thumbnailUrl, thumbnail });
  });

  it('replaces another thumbnail, and can be removed', async () => {
    const { id } = await send('POST', '/v1/posts', { ...post, thumbnailUrl: 'https://images.example.org/a.png' });
    const path = `/v1/posts/${id}`;
    expect(await send('GET', path)).toMatchObject({ thumbnail: null });
    expect(await send('PATCH', path, name(media, 'thumbnailUrl'))).toMatchObject({ thumbnail: shown(media) });
    expect(await send('PATCH', path, { thumbnailMediaId: null })).toMatchObject({
      thumbnailUrl: null,
      thumbnail: null,
    });
  });

  it('is the thumbnail of a draft and of the post that it becomes', async () => {
    const { id } = await send('POST', '/v1/drafts', post);
    const saved = await send('PATCH', `/v1/drafts/${id}`, name(media, 'thumbnailUrl'), { 'if-match': '*' });
    expect(saved.thumbnailUrl).toBe(media.url);
    expect(await send('POST', `/v1/drafts/${id}/publish`)).toMatchObject({ thumbnail: shown(media) });
  });

  it('is the thumbnail of a collection', async () => {
    const list = { kind: 'list', title: 'A list' };
    const { id, thumbnailUrl } = await send('POST', '/v1/collections', { ...list, ...name(media, 'thumbnailUrl') });
    expect(thumbnailUrl).toBe(media.url);
    expect((await send('PATCH', `/v1/collections/${id}`, name(media, 'thumbnailUrl'))).thumbnailUrl).toBe(media.url);
  });

  it('is the image of a profile', async () => {
    const { profilePicture } = await send('PATCH', '/v1/users/me', name(media, 'profilePicture'));
    expect(profilePicture).toBe(media.url);
    const written = await send('POST', '/v1/posts', post);
    expect(written.author.profilePicture).toBe(media.url);
    const comment = await send('POST', `/v1/posts/${written.id}/comments`, { content: 'A word.' });
    expect(comment.author.profilePicture).toBe(media.url);
    const listed = await app.client.get(`/v1/posts/${written.id}/comments`);
    expect(listed.body.data[0].author.profilePicture).toBe(media.url);
  });

  it.each([
    ['POST', '/v1/posts', { ...post }, 'thumbnailUrl'],
    ['POST', '/v1/drafts', {}, 'thumbnailUrl'],
    ['POST', '/v1/collections', { kind: 'list', title: 'A list' }, 'thumbnailUrl'],
    ['PATCH', '/v1/users/me', {}, 'profilePicture'],
  ])('is refused in %s %s when it is of another account', async (method, path, body, field) => {
    const named = name(theirs, field);
    const answer = await app.client.request(method, path, { token: author.token, body: { ...body, ...named } });
    expectProblem(answer, 400, 'invalid_input');
    expect(answer.body.errors).toEqual([
      { field: Object.keys(named)[0], message: expect.stringMatching(/of one of your images$/) },
    ]);
  });
});

describe('a thumbnail', () => {
  it.each(['/v1/feed', 'http://images.example.org/a.png', '//images.example.org/a.png', 'a.png', '/v1/media/files/x'])(
    'is refused where it is no https address and no image: %s',
    async (thumbnailUrl) => {
      const answer = await app.client.post('/v1/posts', { token: author.token, body: { ...post, thumbnailUrl } });
      expectProblem(answer, 400, 'invalid_input');
      expect(answer.body.errors[0].field).toBe('thumbnailUrl');
    },
  );

  it('stays while a post shows it by its id', async () => {
    const picture = (await uploadPicture(app, author.token, await noise(60, 40).png().toBuffer())).body;
    await send('POST', '/v1/posts', { ...post, thumbnailMediaId: picture.id });
    const refusal = await app.client.delete(`/v1/media/${picture.id}`, { token: author.token });
    expectProblem(refusal, 409, 'media_in_use');
    const row = await app.db.collection('media').findOne({ _id: ObjectId.createFromHexString(picture.id) });
    expect(row!['sweepAt']).toBeNull();
  });

  it('is restored with an earlier version', async () => {
    const { id } = await send('POST', '/v1/posts', { ...post, thumbnailMediaId: media.id });
    await send('PATCH', `/v1/posts/${id}`, { thumbnailUrl: null });
    const restored = await send('POST', `/v1/posts/${id}/revisions/1/revert`);
    expect(restored).toMatchObject({ thumbnailUrl: media.url, thumbnail: shown(media) });
  });
});

describe('the HTML of a text', () => {
  const htmlOf = async (id: string): Promise<string> => (await send('GET', `/v1/posts/${id}/html`)).html;
  const srcset = () => media.variants.map(({ url }, at) => `${url} ${[320, 640][at]}w`).join(', ');

  it.each([
    ['its id', () => `media:${media.id}`],
    ['its address', () => `https://earlier.example${media.url}`],
  ])('has an own image with its sizes, named by %s, in a post, an edit and a preview', async (_, src) => {
    const content = `![a table](${src()})`;
    const created = await send('POST', '/v1/posts', { ...post, content });
    const edited = await send('POST', '/v1/posts', post);
    await send('PATCH', `/v1/posts/${edited.id}`, { content });
    const { html: preview } = await send('POST', '/v1/render', { content });
    for (const html of [preview, await htmlOf(created.id), await htmlOf(edited.id)]) {
      expect(html).toContain(`src="${media.url}"`);
      expect(html).toContain(`srcset="${srcset()}, ${media.url} 700w"`);
      expect(html).toContain('width="700" height="400"');
    }
  });

  it('has no address for the id of an image of another account', async () => {
    const { id } = await send('POST', '/v1/posts', { ...post, content: `![a table](media:${theirs.id})` });
    expect(await htmlOf(id)).toContain('<img alt="a table"');
  });
});

describe('after a change of HTTP_PUBLIC_URL', () => {
  it('every read has images at the present address', async () => {
    await send('PATCH', '/v1/users/me', { profilePictureMediaId: media.id });
    const content = `![](media:${media.id})`;
    const { id } = await send('POST', '/v1/posts', { ...post, content, thumbnailMediaId: media.id });
    const draft = await send('POST', '/v1/drafts', { postId: id });
    const moved = await startApp({ beside: app, direct: 'at another address', env: { HTTP_PUBLIC_URL: ORIGIN } });
    const { token } = author;
    try {
      const read = async (path: string) => (await moved.client.get(path, { token })).body;
      const expected = JSON.parse(JSON.stringify(shown(media)).replaceAll('/v1/media', `${ORIGIN}/v1/media`));
      for (const card of [await read(`/v1/posts/${id}`), await cardOf(moved, id)]) {
        expect([card.thumbnailUrl, card.thumbnail]).toEqual([expected.url, expected]);
        expect(card.author.profilePicture).toBe(expected.url);
      }
      const others = [
        (await read(`/v1/drafts/${draft.id}`)).thumbnailUrl,
        (await read('/v1/auth/me')).profilePicture,
        (await read('/v1/media/mine')).data.at(-1).url,
      ];
      expect(new Set(others)).toEqual(new Set([expected.url]));
      expect(JSON.stringify(await read(`/v1/posts/${id}/meta`))).toContain(expected.url);
      expect((await read(`/v1/posts/${id}/html`)).html).toContain(`src="${expected.url}"`);
    } finally {
      await moved.close();
    }
  });
});
