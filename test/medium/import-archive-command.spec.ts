import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IMPORT_STARTED } from '../../src/imports/imports.events.js';
import { JobsRunner } from '../../src/platform/jobs/jobs-runner.js';
import { TASKS_JOB } from '../../src/platform/work-queue/task.schema.js';
import { useApp } from '../support/app.js';
import { runCli } from '../support/cli.js';
import { formOf } from '../support/pictures.js';
import { runTasks } from '../support/tasks.js';
import { until } from '../support/until.js';
import type { Person } from '../support/world.js';
import { hugoPost, zipOf } from '../support/zips.js';

const PATH = '/v1/users/me/imports';

describe('cli import archive', () => {
  const app = useApp();
  let directory: string;
  let blog: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'archives-'));
    const looms = hugoPost({ title: 'Looms', date: '2019-05-01T09:30:00Z' }, 'An engine weaves.');
    const engines = hugoPost({ title: 'Engines', date: '2019-06-01T09:30:00Z', tags: ['?!'] }, 'An engine waits.');
    blog = await file(
      'blog.zip',
      await zipOf({ 'content/posts/looms.md': looms, 'content/posts/engines.md': engines }),
    );
  });
  afterAll(() => rm(directory, { recursive: true }));

  async function file(name: string, bytes: Buffer): Promise<string> {
    const path = join(directory, name);
    await writeFile(path, bytes);
    return path;
  }
  const run = (path: string, ...options: string[]) => runCli(app, ['import', 'archive', path, ...options]);
  const draftsOf = async ({ token }: Person) => (await app.client.get('/v1/drafts', { token })).body.data;

  it('makes drafts without a server, prints counts and problems, and keeps the file', async () => {
    const author = await app.world.person();

    const { status, text } = await run(blog, '--as', author.username.toUpperCase());

    expect(text).toMatch(/^content\/posts\/engines\.md: tags_dropped: .+$/m);
    expect(text).toContain('markdown: read 2, drafts 2, of an earlier import 0, images 0, problems 1\n');
    expect(status).toBe(0);
    const titles = (await draftsOf(author)).map(({ title }: { title: string }) => title);
    expect(titles.sort()).toEqual(['Engines', 'Looms']);
    expect(existsSync(blog)).toBe(true);
  });

  it('is not bound by the limit of a day, which stays for the account', async () => {
    const author = await app.world.person();
    const note = formOf({ bytes: Buffer.from('just a note') });
    const upload = () => app.client.post(PATH, { token: author.token, ...note });
    for (let at = 0; at < 3; at++) {
      expect((await upload()).status).toBe(202);
      await runTasks(app, [IMPORT_STARTED]);
    }

    const { status, text } = await run(blog, '--as', author.username, '--json');

    const [latest] = (await app.client.get(PATH, { token: author.token })).body.data;
    expect(latest).toMatchObject({ state: 'ready', counts: { drafts: 2 } });
    expect([status, JSON.parse(text)]).toEqual([0, latest]);
    expect((await upload()).body.code).toBe('too_many_imports');
  });

  it('waits for a server that runs the tasks', async () => {
    const author = await app.world.person();
    let command: ReturnType<typeof run> | undefined;
    const outcome = await app.app.get(JobsRunner).run(TASKS_JOB, async () => {
      command = run(blog, '--as', author.username);
      const waiting = { topic: IMPORT_STARTED.name };
      await until(() => app.db.collection('tasks').findOne(waiting));
      await runTasks(app, [IMPORT_STARTED]);
      expect((await command).text).toContain('drafts 2,');
    });

    expect(outcome).toBe('done');
    expect((await command)!.status).toBe(0);
    expect(await draftsOf(author)).toHaveLength(2);
  });

  const HARBOUR = `<rss xmlns:wp="http://wordpress.org/export/1.2/"><channel>${[
    ['Ropes', 'jo'],
    ['Nets', 'mara'],
    ['Knots', 'jo'],
    ['Gulls', 'guest'],
    ['Fog', ''],
  ]
    .map(
      ([title, author]) =>
        `<item><title>${title}</title><guid>${title}</guid><dc:creator>${author}</dc:creator><content:encoded>A text.</content:encoded><wp:post_type>post</wp:post_type></item>`,
    )
    .join('')}</channel></rss>`;
  const titlesOf = async (by: Person): Promise<string[]> =>
    (await draftsOf(by)).map(({ title }: { title: string }) => title).sort();

  it('imports the posts of each author for the account that a CSV names, and lists other authors', async () => {
    const [jo, mara] = await app.world.people(2);
    const harbour = await file('harbour.xml', Buffer.from(HARBOUR));
    const csv = await file('authors.csv', Buffer.from(`author,username\njo, ${jo.username}\nmara,${mara.username}\n`));

    const { status, text } = await run(harbour, '--authors', csv);

    expect(text.split('\n')).toEqual([
      'guest: no_account: 1 posts are left out.',
      '(no author): no_account: 1 posts are left out.',
      `${jo.username}:`,
      'wordpress: read 2, drafts 2, of an earlier import 0, images 0, problems 0',
      `${mara.username}:`,
      'wordpress: read 1, drafts 1, of an earlier import 0, images 0, problems 0',
      '',
    ]);
    expect(status).toBe(0);
    expect([await titlesOf(jo), await titlesOf(mara)]).toEqual([['Knots', 'Ropes'], ['Nets']]);
  });

  it('imports the posts of other authors for the account of --as', async () => {
    const [jo, editor] = await app.world.people(2);
    const harbour = await file('harbour.xml', Buffer.from(HARBOUR));
    const csv = await file('authors.csv', Buffer.from(`author,username\njo,${jo.username}\n,${jo.username}\n`));

    const { text } = await run(harbour, '--authors', csv, '--as', editor.username, '--json');

    expect(JSON.parse(text)).toMatchObject([{ counts: { drafts: 3 } }, { counts: { drafts: 2 } }]);
    expect([await titlesOf(jo), await titlesOf(editor)]).toEqual([
      ['Fog', 'Knots', 'Ropes'],
      ['Gulls', 'Nets'],
    ]);
  });

  it.each([
    ['an unknown account', 'author,username\njo,unknown.account\n', /^Account not found: unknown\.account\.\n$/],
    ['other columns', 'name,account\njo,ada\n', /columns author,username\.?\n$/],
    ['no author of the archive', 'author,username\nnobody,ada\n', /no posts of the authors/],
  ])('imports nothing for a CSV with %s', async (_, rows, reason) => {
    const harbour = await file('harbour.xml', Buffer.from(HARBOUR));
    const before = await app.db.collection('archive_imports').countDocuments();

    const { status, text } = await run(harbour, '--authors', await file('authors.csv', Buffer.from(rows)));

    expect([status, text]).toEqual([1, expect.stringMatching(reason)]);
    expect(await app.db.collection('archive_imports').countDocuments()).toBe(before);
  });

  it('exits with 1 if the import fails, and names the reason', async () => {
    const { username } = await app.world.person();
    const note = await file('note.txt', Buffer.from('just a note'));

    expect(await run(note, '--as', username)).toEqual({
      status: 1,
      text: 'The import has failed: unknown_format.\n',
    });
  });

  it('refuses a wrong file or account in one line', async () => {
    const { username } = await app.world.person();
    const empty = await file('empty.zip', Buffer.alloc(0));

    const refusals = [
      await run(join(directory, 'none.zip'), '--as', username),
      await run(blog, '--as', 'unknown.account'),
      await run(empty, '--as', username),
    ];

    expect(refusals.map(({ status }) => status)).toEqual([1, 1, 1]);
    const [noFile, noAccount, invalid] = refusals.map(({ text }) => text);
    expect(noFile).toMatch(/^File not found: .+none\.zip\.\n$/);
    expect(noAccount).toBe('Account not found: unknown.account.\n');
    expect(invalid).toMatch(/^.+ is empty.*\n$/);
    expect(await app.db.collection('archive_imports').countDocuments({ state: 'storing' })).toBe(0);
  });
});
