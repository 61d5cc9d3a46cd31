import { randomBytes } from 'node:crypto';
import type { Person } from '../support/world.js';
import { ObjectId } from 'mongodb';
import { IMPORT_EXPIRED, IMPORT_STARTED } from '../../src/imports/imports.events.js';
import { ARCHIVE_LIMITS } from '../../src/imports/open-archive.js';
import { useApp } from '../support/app.js';
import { countedAs, hugoPost, renamed, zipOf } from '../support/zips.js';
import { formOf, TINY_PNG } from '../support/pictures.js';
import { expectProblem } from '../support/problem.js';
import { runTasks } from '../support/tasks.js';
import { drainActivity, drainTasks, verbsOf } from '../support/verbs.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const LONG_AGO = new Date(Date.now() - 30 * 86_400_000);
const PATH = '/v1/users/me/imports';

/** another site, which has images */
const site = await WebhookReceiver.start();

describe('an import of an archive', () => {
  const app = useApp({ env: { CLEANUP_DELAY_MS: '0', NEWCOMER_DAYS: '3', OUTGOING_ALLOWED_PRIVATE: site.host } });
  afterAll(() => site.stop());
  const { world } = app;
  const { ok, walk } = verbsOf(app);

  /** Accounts that the limits of new accounts do not concern. */
  const person = (): Promise<Person> => world.person({ createdAt: LONG_AGO });
  const upload = ({ token }: Person, bytes: Buffer) => app.client.post(PATH, { token, ...formOf({ bytes }) });
  const work = () => runTasks(app, [IMPORT_STARTED]);
  const stateOf = (by: Person, id: string) => ok(by, 'GET', `users/me/imports/${id}`);

  async function imported(by: Person, files: Record<string, string | Buffer>): Promise<any> {
    const { status, body } = await upload(by, await zipOf(files));
    expect([status, body.state]).toEqual([202, 'waiting']);
    await work();
    return stateOf(by, body.id);
  }

  const BLOG = {
    'content/posts/looms.md': hugoPost(
      { title: 'Looms', date: '2019-05-01T09:30:00Z', tags: ['Weaving Machines', 'history'] },
      'An engine weaves.\n\n![a loom](/loom.png) and [the engine](/posts/engine/)',
    ),
    'content/posts/engine.md': hugoPost(
      { title: 'The engine', date: '2020-01-02T00:00:00Z' },
      'After [looms](/posts/looms/ "before"), `![no](/loom.png)` and [elsewhere](https://other.example/posts/looms/).',
    ),
    'content/posts/unfinished.md': hugoPost(
      { title: 'Unfinished', date: '2021-01-01T00:00:00Z', draft: true },
      'Soon.',
    ),
    'static/loom.png': TINY_PNG,
  };

  it('makes drafts with the title, tags, images and dates of the posts', async () => {
    const author = await person();

    const { state, format, counts, problems } = await imported(author, BLOG);
    const drafts = await walk('drafts', 10, author);
    const looms = drafts.find(({ title }) => title === 'Looms');
    const { content } = await ok(author, 'GET', `drafts/${looms.id}`);
    const media = await ok(author, 'GET', 'media/mine');

    expect({ state, format, problems }).toEqual({ state: 'ready', format: 'markdown', problems: [] });
    expect(counts).toEqual({ read: 3, drafts: 3, repeated: 0, images: 1, fetched: 0, published: 0, problems: 0 });
    expect(looms).toMatchObject({ tags: ['weaving-machines', 'history'], importedAt: '2019-05-01T09:30:00.000Z' });
    expect(content).toContain(`![a loom](media:${media.data[0].id})`);
    expect(drafts.find(({ title }) => title === 'Unfinished')).toMatchObject({ importedAt: null });
  });

  it('brings a post once, also in another archive, unless its draft was deleted', async () => {
    const author = await person();
    const first = await imported(author, BLOG);
    const [draft] = await walk('drafts', 10, author);
    await ok(author, 'DELETE', `drafts/${draft.id}`);

    const second = await imported(author, BLOG);

    expect([first.counts.drafts, second.counts]).toMatchObject([3, { drafts: 1, repeated: 2 }]);
    expect(await walk('drafts', 10, author)).toHaveLength(3);
  });

  it('publishes its drafts with their dates: no feed begins with them, and no account is notified', async () => {
    const [author, reader] = [await person(), await person()];
    await ok(reader, 'PUT', `users/${author.username}/follow`);
    await ok(reader, 'PUT', `users/${author.username}/bell`);
    await ok(author, 'POST', 'webhooks', { url: `http://${site.host}/hook`, events: ['post.published'] });
    const other = await world.post({ by: reader, title: 'Of today' });
    const { id } = await imported(author, BLOG);

    const { state } = await ok(author, 'POST', `users/me/imports/${id}/publish`);
    await work();
    await drainTasks(app);
    await drainActivity(app);
    const after = await stateOf(author, id);
    const posts = (await ok(null, 'GET', `users/${author.username}/posts`)).data;
    const [first] = (await ok(null, 'GET', 'feed?sort=latest&limit=1')).data;
    const hot = (await ok(null, 'GET', 'feed?sort=hot&limit=1')).data;
    const notifications = await ok(reader, 'GET', 'notifications');

    expect(state).toBe('publishing');
    expect(after).toMatchObject({ state: 'published', counts: { published: 2, problems: 0 } });
    expect(posts.map(({ title, createdAt }: any) => [title, createdAt])).toEqual([
      ['The engine', '2020-01-02T00:00:00.000Z'],
      ['Looms', '2019-05-01T09:30:00.000Z'],
    ]);
    expect([first.id, hot[0].id]).toEqual([other.id, other.id]);
    expect(notifications.data).toEqual([]);
    expect(await app.db.collection('webhook_deliveries').countDocuments()).toBe(0);
    expect((await walk('drafts', 10, author)).map(({ title }) => title)).toEqual(['Unfinished']);
  });

  it('links its posts with each other, and leaves other links', async () => {
    const author = await person();
    const { id } = await imported(author, BLOG);

    await ok(author, 'POST', `users/me/imports/${id}/publish`);
    await work();
    const [engine, looms] = (await ok(null, 'GET', `users/${author.username}/posts`)).data;
    const textOf = async (post: any) => (await ok(null, 'GET', `posts/${post.id}`)).content;

    expect(await textOf(looms)).toContain(`/p/${engine.id})`);
    expect(await textOf(engine)).toMatch(
      new RegExp(`^After \\[looms\\]\\(\\S+/p/${looms.id} "before"\\), \`!\\[no\\]\\(/loom.png\\)\` and`),
    );
    expect(await textOf(engine)).toContain('(https://other.example/posts/looms/)');
  });

  it('publishes one draft with its date by keepDate, which other drafts do not have', async () => {
    const author = await person();
    await imported(author, BLOG);
    const drafts = await walk('drafts', 10, author);
    const looms = drafts.find(({ title }) => title === 'Looms');
    const unfinished = drafts.find(({ title }) => title === 'Unfinished');
    const publish = (draft: any) =>
      app.client.post(`/v1/drafts/${draft.id}/publish?keepDate=true`, { token: author.token });

    const refused = await publish(unfinished);
    const { status, body } = await publish(looms);

    expect([status, body.createdAt]).toEqual([201, '2019-05-01T09:30:00.000Z']);
    expectProblem(refused, 400, 'invalid_input');
  });

  it('publishes one draft with links to the posts that are published', async () => {
    const author = await person();
    await imported(author, BLOG);
    const drafts = await walk('drafts', 10, author);
    const publish = async (title: string) => {
      const draft = drafts.find((one) => one.title === title);
      return ok(author, 'POST', `drafts/${draft.id}/publish?keepDate=true`);
    };

    const looms = await publish('Looms');
    const engine = await publish('The engine');

    expect(looms.content).toContain('(/posts/engine/)');
    expect(engine.content).toContain(`/p/${looms.id} "before")`);
  });

  it('fetches images of other sites, each once; one that fails keeps its address', async () => {
    const author = await person();
    const [there, gone] = [`http://${site.host}/there.png`, `http://${site.host}/gone.png`];
    site.on('/there.png', (response) => void response.end(TINY_PNG));
    site.on('/gone.png', (response) => void response.writeHead(404).end());
    const text = `![a](${there}) ![b](${there}) ![c](${gone})`;

    const { counts, problems } = await imported(author, { 'posts/a.md': hugoPost({ title: 'A', draft: true }, text) });
    const [draft] = await walk('drafts', 10, author);
    const { content } = await ok(author, 'GET', `drafts/${draft.id}`);

    expect(counts).toMatchObject({ images: 1, fetched: 2, problems: 1 });
    expect(problems).toMatchObject([
      { entry: 'posts/a.md', code: 'import_failed', detail: expect.stringContaining(gone) },
    ]);
    expect(content).toMatch(/^!\[a\]\((media:[0-9a-f]{24})\) !\[b\]\(\1\) !\[c\]\(http:/);
    expect(site.at('/there.png')).toHaveLength(1);
  });

  it('is an entry of the moderation log when it publishes more than 100 posts with dates', async () => {
    const [few, many] = [await person(), await person()];
    const post = (_: unknown, at: number): [string, string] => [
      `posts/${at}.md`,
      hugoPost({ title: `Part ${at}`, date: '2019-05-01T00:00:00Z' }, `It weaves ${at}.`),
    ];
    const archive = Object.fromEntries(Array.from({ length: 101 }, post));
    const { id: ofMany } = await imported(many, archive);
    const { 'posts/0.md': _, ...hundred } = archive;
    const { id: ofFew } = await imported(few, hundred);

    await ok(many, 'POST', `users/me/imports/${ofMany}/publish`);
    await ok(few, 'POST', `users/me/imports/${ofFew}/publish`);
    const logged = await app.db.collection('moderation_actions').find({ kind: 'publish_import' }).toArray();
    await ok(many, 'DELETE', `users/me/imports/${ofMany}`);
    await ok(few, 'DELETE', `users/me/imports/${ofFew}`);

    expect(logged).toMatchObject([
      { targetId: many._id, actorId: null, actorRole: 'system', detail: '101 posts with times in the past' },
    ]);
  });

  it('does not publish with dates for a new account', async () => {
    const newcomer = await world.person();
    const { id } = await imported(newcomer, BLOG);
    const answer = await app.client.post(`${PATH}/${id}/publish`, { token: newcomer.token });

    expectProblem(answer, 429, 'newcomer_limit');
  });

  it('names posts that cannot be published, and publishes the others', async () => {
    const author = await person();
    const untitled = hugoPost({ title: '', date: '2018-01-01T00:00:00Z' }, 'Without a title.');
    const { id, problems } = await imported(author, { ...BLOG, 'content/posts/untitled.md': untitled });

    await ok(author, 'POST', `users/me/imports/${id}/publish`);
    await work();
    const after = await stateOf(author, id);

    expect(problems.map(({ code }: any) => code)).toEqual(['no_title']);
    expect(after).toMatchObject({ state: 'published', counts: { published: 2, problems: 2 } });
    expect(after.problems[1].code).toBe('draft_incomplete');
  });

  it('is unknown to other accounts', async () => {
    const [author, other] = [await person(), await person()];
    const { id } = await imported(author, BLOG);
    const { token } = other;

    expectProblem(await app.client.get(`${PATH}/${id}`, { token }), 404, 'import_not_found');
    expectProblem(await app.client.delete(`${PATH}/${id}`, { token }), 404, 'import_not_found');
    expectProblem(await app.client.post(`${PATH}/${id}/publish`, { token }), 404, 'import_not_found');
    expect((await ok(other, 'GET', 'users/me/imports')).data).toEqual([]);
    expect((await ok(author, 'GET', 'users/me/imports')).data).toHaveLength(1);
  });

  it('deletes its drafts with itself, and brings them again later', async () => {
    const author = await person();
    const { id } = await imported(author, BLOG);
    await ok(author, 'POST', 'drafts', { title: 'My own' });

    await ok(author, 'DELETE', `users/me/imports/${id}`);
    await work();
    const left = await walk('drafts', 10, author);
    const again = await imported(author, BLOG);

    expect(left.map(({ title }) => title)).toEqual(['My own']);
    expectProblem(await app.client.get(`${PATH}/${id}`, { token: author.token }), 404, 'import_not_found');
    expect(again.counts).toMatchObject({ drafts: 3, repeated: 0 });
  });

  it('runs one at a time for an account, and three a day', async () => {
    const author = await person();
    const zip = await zipOf(BLOG);
    const { id } = (await upload(author, zip)).body;
    const beside = await upload(author, zip);
    await work();
    await ok(author, 'DELETE', `users/me/imports/${id}`);
    await imported(author, BLOG);
    await imported(author, BLOG);
    const fourth = await upload(author, zip);

    expectProblem(beside, 409, 'import_running');
    expectProblem(fourth, 409, 'too_many_imports');
  });

  const PLAIN = { 'content/posts/looms.md': BLOG['content/posts/looms.md'] };
  it.each<[string, () => Promise<Buffer> | Buffer, RegExp]>([
    ['an empty file', () => Buffer.alloc(0), /empty/],
    ['a broken ZIP', async () => (await zipOf(PLAIN)).subarray(0, -30), /cannot be read/],
    [
      'a file outside of the archive',
      async () => renamed(await zipOf({ 'aa/b.md': 'x' }), 'aa/b.md', '../b.md'),
      /\.\./,
    ],
    [
      'a file at the root of the machine',
      async () => renamed(await zipOf({ 'aa/b.md': 'x' }), 'aa/b', '/a/b'),
      /absolute/,
    ],
    ['an archive in the archive', () => zipOf({ 'a.zip': 'PK' }), /another archive/],
    ['a bomb', () => zipOf({ 'a.md': Buffer.alloc(5_000_000) }), /100 times/],
    [
      'a file that is too large',
      () => zipOf({ 'posts.jsonl': Buffer.alloc(ARCHIVE_LIMITS.rowsBytes + 1) }),
      /100000000 bytes/,
    ],
    ['too many files', async () => countedAs(await zipOf(PLAIN), ARCHIVE_LIMITS.entries + 1), /20000 files/],
  ])('refuses %s', async (_, bytesOf, detail) => {
    const answer = await upload(await person(), await bytesOf());

    expectProblem(answer, 400, 'invalid_archive');
    expect(answer.body.detail).toMatch(detail);
  });

  it('reads a JSON of more than 10 MB, and leaves out another such file', async () => {
    const author = await person();
    const lexical = randomBytes(ARCHIVE_LIMITS.entryBytes).toString('base64');
    const post = { title: 'Looms', html: '<p>It weaves. <img src="/content/media/loom.mp4"></p>', lexical };

    const { counts, problems } = await imported(author, {
      'content/media/loom.mp4': randomBytes(ARCHIVE_LIMITS.entryBytes + 1),
      'blog.ghost.json': JSON.stringify({ db: [{ data: { posts: [post] } }] }),
    });

    expect(counts).toMatchObject({ read: 2, drafts: 1, problems: 2 });
    expect(problems).toMatchObject([
      { entry: 'content/media/loom.mp4', code: 'too_large' },
      { entry: 'blog.ghost.json', code: 'import_failed' },
    ]);
  });

  it('fails with a reason for an archive of no known platform', async () => {
    const author = await person();

    expect(await imported(author, { 'notes.txt': 'No post.' })).toMatchObject({
      state: 'failed',
      failure: 'unknown_format',
      counts: { read: 0 },
    });
  });

  it('has no file and no row after the account', async () => {
    const author = await world.person({ overHttp: true });
    const { id } = (await upload(author, await zipOf(BLOG))).body;
    const [_id, userId] = [new ObjectId(id), author._id];

    await ok(author, 'DELETE', 'users/me', { password: author.password });
    await drainTasks(app);

    expect(await app.db.collection('archive_imports').countDocuments({ userId })).toBe(0);
    expect(await app.db.collection('archive_entries').countDocuments({ userId })).toBe(0);
    expect(await app.db.collection('blobs.chunks').countDocuments({ files_id: _id })).toBe(0);
  });

  it('is forgotten after 30 days, and its drafts stay', async () => {
    const author = await person();
    const { id } = await imported(author, BLOG);
    const _id = new ObjectId(id);
    await app.db.collection('archive_imports').updateOne({ _id }, { $set: { expiresAt: new Date() } });
    await app.db
      .collection('tasks')
      .updateOne({ topic: IMPORT_EXPIRED.name, payload: _id }, { $set: { runAt: new Date() } });

    await runTasks(app, [IMPORT_EXPIRED]);

    expect((await ok(author, 'GET', 'users/me/imports')).data).toEqual([]);
    expect(await walk('drafts', 10, author)).toHaveLength(3);
  });
});
