import { jest } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { parse } from 'yaml';
import { ExportArchive } from '../../src/exports/export-archive.js';
import { EXPORT_EXPIRED, EXPORT_REQUESTED } from '../../src/exports/exports.events.js';
import { VISIBILITIES } from '../../src/posts/post-types.js';
import { useApp } from '../support/app.js';
import { queuedMails } from '../support/mails.js';
import { SITE } from '../support/account-mails.js';
import { type TestAccount, TEST_PASSWORD } from '../support/accounts.js';
import { plansOf } from '../support/plans.js';
import { expectProblem } from '../support/problem.js';
import { runTasks } from '../support/tasks.js';
import { unzip } from '../support/unzip.js';
import { drainActivity } from '../support/verbs.js';

const app = useApp({ env: { PUBLIC_SITE_URL: SITE } });
const { world } = app;
const DAY_SECONDS = 86_400;

const work = (signal?: AbortSignal) => runTasks(app, [EXPORT_EXPIRED, EXPORT_REQUESTED], signal);

async function requestExport({ token }: TestAccount): Promise<string> {
  const answer = await app.client.post('/v1/users/me/exports', { token });
  expect([answer.status, answer.body.state, answer.body.url]).toEqual([202, 'waiting', null]);
  return answer.headers.get('location')!;
}

const download = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(app.url + url, { headers });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
};

const textsIn = async (zip: Buffer): Promise<Record<string, string>> =>
  Object.fromEntries(Object.entries(await unzip(zip)).map(([name, bytes]) => [name, bytes.toString()]));

/** Number of chunks of all attempts of an export. */
const chunksOf = (location: string): Promise<number> =>
  app.db.collection('blobs.chunks').countDocuments({ files_id: new RegExp(`^${location.split('/').at(-1)}`) });

const rowsOf = (lines: string) =>
  lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe('an export', () => {
  it('contains the removals of texts and images, of which the account gets mails', async () => {
    const account = await world.person({ overHttp: true });
    const { token } = account;
    await app.client.patch('/v1/users/me', { token, body: { bio: 'You fools.' } });
    const post = await world.post({ by: account });
    const list = await world.collection({ by: account, posts: [post.id] });
    await app.client.put(`/v1/collections/${list.id}/posts/${post.id}`, { token, body: { note: 'For fools.' } });
    const { mediaId } = await world.picture(account);
    const removed = { profile: account.id, note: list.id, media: mediaId } as const;
    for (const targetKind of ['profile', 'note', 'media'] as const)
      await world.moderate({ kind: 'remove', targetKind, targetId: removed[targetKind] });

    const subjects = (await queuedMails(app)).filter(({ to }) => to === account.email).map(({ subject }) => subject);
    const location = await requestExport(account);
    await work();
    const { url } = (await app.client.get(location, { token })).body;
    const rows = rowsOf((await textsIn((await download(url)).bytes))['moderation.jsonl']!);

    const texts = {
      profile: [{ name: 'bio', text: 'You fools.' }],
      note: [{ name: post.id, text: 'For fools.' }],
      media: [],
    };
    expect(rows.map(({ targetKind, targetId, removedTexts }) => ({ targetKind, targetId, removedTexts }))).toEqual(
      (['media', 'note', 'profile'] as const).map((kind) => ({
        targetKind: kind,
        targetId: removed[kind],
        removedTexts: expect.arrayContaining(texts[kind]),
      })),
    );
    expect(subjects.slice(-3)).toEqual([
      ...['Texts of your profile were removed', 'Notes in your collection were removed', 'Your image was removed'],
    ]);
  });

  it('contains the posts byte for byte, the comments, votes and follows of the account', async () => {
    const [account, other] = [await world.person({ overHttp: true }), await world.person({ overHttp: true })];
    const { token } = account;
    const texts = [
      '---\ntitle: "not front matter"\n---\r\nplain\ttext ',
      '# Größe\n\n字 😀\u0000'.replace('\u0000', ''),
      'x'.repeat(70_000),
    ];
    const posts = [];
    for (const [at, content] of texts.entries()) {
      const body = {
        title: `Post "${at}": of mine`,
        ...(at === 0 && { subtitle: 'A "subtitle"' }),
        content,
        type: 'article',
        tags: ['a-tag'],
        visibility: VISIBILITIES[at],
      };
      posts.push((await app.client.post('/v1/posts', { token, body })).body);
    }
    const body = { title: 'Of another', content: 'Not mine.', type: 'article' };
    const theirs = (await app.client.post('/v1/posts', { token: other.token, body })).body;
    await app.client.post(`/v1/posts/${theirs.id}/comments`, { token, body: { content: 'A comment\nof mine.' } });
    const removed = await world.comment({ by: account, on: theirs.id, content: 'Removed.' });
    await world.moderate({ kind: 'remove', targetKind: 'comment', targetId: removed.id });
    await app.client.post(`/v1/posts/${theirs.id}/comments`, { token: other.token, body: { content: 'Not mine.' } });
    await app.client.put(`/v1/posts/${theirs.id}/vote`, { token, body: { value: 'like' } });
    await app.client.put(`/v1/posts/${theirs.id}/save`, { token });
    await app.client.put(`/v1/posts/${theirs.id}/hide`, { token });
    await app.client.put(`/v1/users/${other.username}/follow`, { token });
    const list = (await app.client.post('/v1/collections', { token, body: { title: 'A list', kind: 'list' } })).body;
    await app.client.put(`/v1/collections/${list.id}/posts/${theirs.id}`, { token, body: { note: 'why' } });

    await app.client.put(`/v1/posts/${theirs.id}/watch`, { token, body: { level: 'watching' } });
    await app.client.put(`/v1/users/${other.username}/bell`, { token });
    await app.client.put(`/v1/users/${account.username}/follow`, { token: other.token });
    const blocked = await world.person();
    await app.client.put(`/v1/users/${blocked.username}/block`, { token });
    const muted = await world.person();
    await app.client.put(`/v1/users/${muted.username}/mute`, { token, body: {} });
    await world.contentFilter({ by: account, phrase: 'looms' });
    const webhook = await world.webhook({ by: account });
    await drainActivity(app);

    const drafts = [];
    for (const draft of [{ title: 'Half "done"', content: texts[0]!, tags: ['a-tag'] }, { content: texts[1]! }])
      drafts.push((await app.client.post('/v1/drafts', { token, body: draft })).body);
    await app.client.post('/v1/drafts', { token: other.token, body: { content: 'Not mine.' } });

    await world.invite({ by: account });
    const report = { targetKind: 'post', targetId: theirs.id, reason: 'other', note: 'It is not true.' };
    expect((await app.client.post('/v1/reports', { token, body: report })).status).toBe(201);
    const actionId = await world.moderate({ kind: 'warn', targetKind: 'user', targetId: account.id });
    await world.appeal({ by: account, actionId });

    const location = await requestExport(account);
    await work();
    const ready = (await app.client.get(location, { token })).body;
    expect(ready).toMatchObject({ state: 'ready', bytes: expect.any(Number) });
    const file = await download(ready.url);
    expect([file.status, file.bytes.length]).toEqual([200, ready.bytes]);
    expect(file.headers.get('content-type')).toBe('application/zip');
    const files = await textsIn(file.bytes);

    const names = ['account.json', 'blocks.json', 'comments.jsonl', 'filters.json', 'followed-collections.jsonl']
      .concat([
        'follows.csv',
        'for-you.json',
        'hidden.jsonl',
        'hugo.toml',
        'invites.jsonl',
        'moderation.jsonl',
        'notification-settings.json',
      ])
      .concat([
        'notifications.jsonl',
        'pictures.jsonl',
        'posts.jsonl',
        'reports.jsonl',
        'saved.jsonl',
        'stats.csv',
        'tags.json',
      ])
      .concat(['votes.jsonl', 'webhooks.json']);
    expect(Object.keys(files).filter((name) => !name.includes('/'))).toEqual(names);
    expect(JSON.parse(files['account.json']!)).toMatchObject({ id: account.id, email: account.email });
    const rows = rowsOf(files['posts.jsonl']!);
    expect(rows.map(({ content }) => content)).toEqual(posts.map(({ content }) => content).reverse());
    for (const [at, post] of posts.entries()) {
      const markdown = files[`posts/${post.createdAt.slice(0, 10)}-${post.slug}.md`]!;
      const end = markdown.indexOf('\n---\n', 4) + 5;
      expect(markdown.slice(end)).toBe(post.content);
      const { id, slug, title, tags, content, createdAt, updatedAt } = post;
      const api = { id, thumbnailUrl: null, isPublic: at === 0, visibility: VISIBILITIES[at], createdAt, updatedAt };
      expect(parse(markdown.slice(4, end - 4))).toEqual({
        ...{ title, slug, tags, date: createdAt, lastmod: updatedAt, draft: at > 0, ...api },
        ...(at === 0 && { description: 'A "subtitle"' }),
      });
      expect(rows.find((row) => row.id === id)).toEqual({
        ...{ slug, title, type: 'article', tags, content, ...api },
        ...(at === 0 && { subtitle: 'A "subtitle"' }),
      });
    }
    for (const draft of drafts) {
      const markdown = files[`drafts/${draft.createdAt.slice(0, 10)}-${draft.id}.md`]!;
      const end = markdown.indexOf('\n---\n', 4) + 5;
      expect(markdown.slice(end)).toBe(draft.content);
      const { id, postId, title, type, tags, thumbnailUrl, publishAt, createdAt, savedAt } = draft;
      const head = { id, postId, title, type, tags, thumbnailUrl, publishAt, createdAt, savedAt };
      expect(parse(markdown.slice(4, end - 4))).toEqual(head);
    }
    for (const [folder, count] of [
      ['posts', 3],
      ['drafts', 2],
    ] as const)
      expect(Object.keys(files).filter((name) => name.startsWith(`${folder}/`))).toHaveLength(count);
    expect(rowsOf(files['comments.jsonl']!)).toMatchObject([
      { postId: theirs.id, content: 'Removed.' },
      { postId: theirs.id, content: 'A comment\nof mine.' },
    ]);
    expect(rowsOf(files['votes.jsonl']!)).toMatchObject([{ target: 'post', id: theirs.id, value: 'like' }]);
    expect(rowsOf(files['saved.jsonl']!)).toMatchObject([{ target: 'post', id: theirs.id }]);
    expect(rowsOf(files['hidden.jsonl']!)).toMatchObject([{ target: 'post', id: theirs.id }]);
    expect(rowsOf(files['invites.jsonl']!)).toMatchObject([{ uses: 2, usedCount: 0, note: '' }]);
    expect(rowsOf(files['reports.jsonl']!)).toEqual([{ ...report, createdAt: expect.any(String) }]);
    const [warning] = rowsOf(files['moderation.jsonl']!);
    expect(warning).toMatchObject({ id: actionId, kind: 'warn', publicReason: 'An advertisement.', canAppeal: false });
    expect(warning).toMatchObject({ appeal: { state: 'open', text: 'It was no advertisement.' } });
    expect(rowsOf(files['notifications.jsonl']!)).toMatchObject([
      ...[{ kind: 'moderation' }, { kind: 'follow' }, { kind: 'watched' }],
    ]);
    const wanted = {
      settings: { from: 'everyone' },
      posts: [{ id: theirs.id, level: 'watching' }],
      bells: [other.username],
    };
    expect(JSON.parse(files['notification-settings.json']!)).toMatchObject(wanted);
    expect(files['follows.csv']).toMatch(new RegExp(`^username,since\\r\\n${other.username},\\d{4}-[^\\r]+\\r\\n$`));
    const pairs = { blocks: [blocked.username], mutes: [{ username: muted.username, until: null }] };
    expect(JSON.parse(files['blocks.json']!)).toEqual(pairs);
    expect(JSON.parse(files['filters.json']!)).toMatchObject([{ phrase: 'looms', action: 'hide', until: null }]);
    expect(JSON.parse(files['webhooks.json']!)).toMatchObject([{ id: webhook.id, events: ['post.published'] }]);
    expect(files['webhooks.json']).not.toMatch(/secret|sealed|whsec/);
    const collection = JSON.parse(files[`collections/${list.slug}.json`]!);
    expect(collection).toMatchObject({ title: 'A list', posts: [{ postId: theirs.id, note: 'why' }] });
  });

  it('sends its owner a mail with a link to the page of the site', async () => {
    const account = await world.person({ overHttp: true });
    const location = await requestExport(account);
    await work();
    const sent = (await queuedMails(app))
      .filter(({ to }) => to === account.email)
      .filter(({ subject }) => subject.includes('export'));
    expect(sent.map(({ link }) => link)).toEqual([`${SITE}/exports/${location.split('/').at(-1)}`]);
  });

  it('is listed with the earlier ones, the latest first, until it expires', async () => {
    const account = await world.person({ overHttp: true });
    const { token } = account;
    const list = async () => (await app.client.get('/v1/users/me/exports', { token })).body.data;
    const userId = new ObjectId(account.id);
    const exports = app.db.collection('exports');
    expect(await list()).toEqual([]);
    await requestExport(account);
    await exports.updateOne({ userId }, { $set: { day: '2026-11-01' } });
    const latest = await requestExport(account);
    await work();
    const [first, second] = await list();
    const plans = await plansOf(app, list);
    expect(plans).toMatchObject([{ plan: expect.stringMatching(/^IXSCAN/), docsExamined: 2, nReturned: 2 }]);
    expect(first).toMatchObject({ state: 'ready', url: expect.stringContaining(`${latest}/file?signature=`) });
    expect((await download(first.url)).status).toBe(200);
    await exports.updateOne({ _id: new ObjectId(second.id) }, { $set: { expiresAt: new Date(0) } });
    expect((await list()).map(({ id }: { id: string }) => id)).toEqual([first.id]);
    const stranger = await world.person();
    expect((await app.client.get('/v1/users/me/exports', { token: stranger.token })).body.data).toEqual([]);
  });

  it('is limited to one a day, also for concurrent requests', async () => {
    const { token } = await world.person({ overHttp: true });
    const answers = await Promise.all([1, 2].map(() => app.client.post('/v1/users/me/exports', { token })));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    expect((await app.client.post('/v1/users/me/exports', { token })).body.code).toBe('too_many_exports');
  });

  it('is readable by its owner and by its link only, in ranges too', async () => {
    const [account, stranger] = [await world.person({ overHttp: true }), await world.person({ overHttp: true })];
    const [mine, theirs] = [await requestExport(account), await requestExport(stranger)];
    await work();
    expect((await app.client.get(mine, { token: stranger.token })).body.code).toBe('export_not_found');
    const earliest = Math.floor(Date.now() / 1_000) + DAY_SECONDS;
    const { url, bytes } = (await app.client.get(mine, { token: account.token })).body;
    const [, expires] = /signature=(\d+)\./.exec(url)!;
    // The link expires one day after a time between the request and now.
    const times = [earliest, Number(expires), Math.floor(Date.now() / 1_000) + DAY_SECONDS];
    expect(times).toEqual([...times].sort((a, b) => a - b));
    const { url: theirUrl } = (await app.client.get(theirs, { token: stranger.token })).body;
    const whole = await download(url);
    const part = await download(url, { range: 'bytes=10-19' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${bytes}`]);
    const beyond = await download(url, { range: `bytes=${bytes}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes}`]);
    expect(part.bytes.equals(whole.bytes.subarray(10, 20))).toBe(true);
    const signature = theirUrl.split('signature=')[1];
    for (const wrong of [
      `${mine}/file?signature=${signature}`,
      `${mine}/file?signature=9999999999.${'x'.repeat(43)}`,
      `${mine}/file?signature=1700000000.${signature!.split('.')[1]}`,
    ]) {
      const answer = await app.client.get(wrong, { token: account.token });
      expectProblem(answer, 403, 'invalid_export_link');
    }
  });

  it('starts again after an interrupted attempt, and removes its remains', async () => {
    const account = await world.person({ overHttp: true });
    const location = await requestExport(account);
    const _id = new ObjectId(location.split('/').at(-1));
    // Simulates kill -9: chunks without a file, and a started row.
    await app.db.collection('exports').updateOne({ _id }, { $set: { attempts: 1 } });
    const chunk = { files_id: `${_id.toHexString()}-1`, n: 0, data: Buffer.from('half') };
    await app.db.collection('blobs.chunks').insertMany([chunk, { ...chunk, n: 7 }].map((row) => ({ ...row })));
    await work();
    const { url, bytes } = (await app.client.get(location, { token: account.token })).body;
    expect(Object.keys(await textsIn((await download(url)).bytes))).toContain('account.json');
    expect(await chunksOf(location)).toBe(Math.ceil(bytes / 261_120));
  });

  it('stays complete when a host that has lost its lease fails after another one has finished it', async () => {
    const account = await world.person({ overHttp: true });
    const location = await requestExport(account);
    const late = new AbortController();
    const archive = app.app.get(ExportArchive);
    const write = archive.write.bind(archive);
    const writing = jest.spyOn(archive, 'write').mockImplementationOnce(async (...given) => {
      await work();
      late.abort(new Error('the lease is lost'));
      return write(...given);
    });
    await expect(work(late.signal)).rejects.toThrow('aborted');
    writing.mockRestore();
    const { url, bytes } = (await app.client.get(location, { token: account.token })).body;
    const file = await download(url);
    expect(file.bytes).toHaveLength(bytes);
    expect(Object.keys(await textsIn(file.bytes))).toContain('account.json');
    expect(await chunksOf(location)).toBe(Math.ceil(bytes / 261_120));
  });

  it('leaves nothing when its account is deleted and its process is killed during the write', async () => {
    const account = await world.person({ overHttp: true });
    const location = await requestExport(account);
    const _id = new ObjectId(location.split('/').at(-1));
    await app.db.collection('exports').updateOne({ _id }, { $set: { attempts: 1 } });
    const chunk = { files_id: `${_id.toHexString()}-1`, data: Buffer.from('half') };
    await app.db.collection('blobs.chunks').insertOne({ ...chunk, n: 0 });
    await app.client.delete('/v1/users/me', { token: account.token, body: { password: TEST_PASSWORD } });
    expect(await chunksOf(location)).toBe(0);
    // The last chunk of the attempt.
    await app.db.collection('blobs.chunks').insertOne({ ...chunk, n: 1 });
    await work();
    expect(await chunksOf(location)).toBe(0);
    expect(await app.db.collection('exports').countDocuments({ _id })).toBe(0);
  });

  it('is deleted with its account, and after seven days', async () => {
    const [ending, staying] = [await world.person({ overHttp: true }), await world.person({ overHttp: true })];
    const locations = [await requestExport(ending), await requestExport(staying)];
    await work();
    const { url } = (await app.client.get(locations[1]!, { token: staying.token })).body;
    const endingUrl = (await app.client.get(locations[0]!, { token: ending.token })).body.url;
    await app.client.delete('/v1/users/me', { token: ending.token, body: { password: TEST_PASSWORD } });
    expect((await download(endingUrl)).status).toBe(403);
    expect(await chunksOf(locations[0]!)).toBe(0);
    const _id = new ObjectId(locations[1]!.split('/').at(-1));
    await app.db.collection('exports').updateOne({ _id }, { $set: { expiresAt: new Date() } });
    await app.db.collection('tasks').updateMany({ payload: _id }, { $set: { runAt: new Date() } });
    expect((await download(url)).status).toBe(403);
    await work();
    for (const location of locations) {
      const id = new ObjectId(location.split('/').at(-1));
      expect(await app.db.collection('exports').countDocuments({ _id: id })).toBe(0);
      expect(await chunksOf(location)).toBe(0);
    }
  });
});
