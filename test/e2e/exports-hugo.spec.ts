import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { EXPORT_REQUESTED } from '../../src/exports/exports.events.js';
import { useApp } from '../support/app.js';
import { describeWith } from '../support/optional.js';
import { TINY_PNG } from '../support/pictures.js';
import { runTasks } from '../support/tasks.js';
import { unzip } from '../support/unzip.js';
import { verbsOf } from '../support/verbs.js';
import type { Person } from '../support/world.js';

const LAYOUTS = {
  'layouts/_default/single.html': '<h1>{{ .Title }}</h1>{{ .Content }}{{ template "_internal/opengraph.html" . }}',
  'layouts/_default/list.html': '{{ range .Pages }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}',
};

describeWith('hugo', 'an export', (hugo) => {
  const app = useApp();
  const { world } = app;
  const { ok } = verbsOf(app);
  let site: string;

  beforeAll(() => {
    site = mkdtempSync(join(tmpdir(), 'hugo-'));
  });
  afterAll(() => rmSync(site, { recursive: true }));

  const publish = (by: Person, fields: object) =>
    ok(by, 'POST', 'posts', { type: 'article', title: 'Looms', content: 'Words.', ...fields });

  /** Writes the export of an account into the folder of a site. */
  async function unpackExport(of: Person): Promise<void> {
    const { id } = await ok(of, 'POST', 'users/me/exports');
    await runTasks(app, [EXPORT_REQUESTED]);
    const { url } = await ok(of, 'GET', `users/me/exports/${id}`);
    const zip = Buffer.from(await (await fetch(app.url + url)).arrayBuffer());
    for (const [name, content] of Object.entries({ ...(await unzip(zip)), ...LAYOUTS })) {
      mkdirSync(dirname(join(site, name)), { recursive: true });
      writeFileSync(join(site, name), content);
    }
  }

  it('is a site that Hugo builds without a warning, with words, images and links of public posts', async () => {
    const author = await world.person({ overHttp: true });
    const { mediaId, mediaKey } = await world.picture(author);
    const other = await publish(author, { title: 'yes', content: 'Another.' });
    const hidden = await publish(author, { title: 'Hidden', visibility: 'private' });
    const unlisted = await publish(author, { title: 'Unlisted', visibility: 'unlisted' });
    await ok(author, 'POST', 'drafts', { title: 'Draft', content: 'Not finished.' });
    const content = [
      `![by id](media:${mediaId} "the engine") ![by URL](</v1/media/files/${mediaKey}>)`,
      `<figure><img src="https://old.example/v1/media/files/${mediaKey}?x=1" alt="by HTML"></figure>`,
      `[public](/p/${other.slug}) [part](https://any.example/p/old-name-${other.id}#part) [hidden](/p/${hidden.slug})`,
      '```\n{{< ref "looms" >}} {{% raw\n```',
      '| weft | warp |\n| --- | --- |\n| 1 | $x_{i}^2 + y_{j}$ |',
      'first line\nsecond line',
    ].join('\n\n');
    const title = 'Größe "字" \\ of: 😀';
    const fields = { title, subtitle: 'On "looms"', content, tags: ['looms'], thumbnailMediaId: mediaId };
    const post = await publish(author, { ...fields, canonicalUrl: 'https://first.example/looms' });

    await unpackExport(author);
    const output = execFileSync(hugo, ['--source', site, '--baseURL', 'https://new.example/blog/', '--panicOnWarning']);

    const pages = readdirSync(join(site, 'public'), { recursive: true }).map(String);
    const file = (path: string) => readFileSync(join(site, 'public', path));
    expect(output.toString()).not.toMatch(/warn|error/i);
    expect(file(`pictures/${mediaKey}`)).toEqual(TINY_PNG);
    const html = file(`${post.slug}/index.html`).toString();
    expect(html).toContain('<h1>Größe &#34;字&#34; \\ of: 😀</h1>');
    expect(html.match(/<img src="[^"]*"/g)).toEqual(Array(3).fill(`<img src="../pictures/${mediaKey}"`));
    expect(html).toContain(`<a href="../${other.slug}/">public</a> <a href="../${other.slug}/#part">part</a>`);
    expect(html).toContain(`<a href="/p/${hidden.slug}">hidden</a>`);
    expect(html).toContain('{{&lt; ref &#34;looms&#34; &gt;}} {{\u2060% raw');
    expect(html).toMatch(/<td>1<\/td>\s*<td>\$x_\{i\}\^2 \+ y_\{j\}\$<\/td>/);
    expect(html).toMatch(/first line<br>\s*second line/);
    expect(html).toContain('<meta property="og:description" content="On &#34;looms&#34;" />');
    expect(html).toContain(`content="https://new.example/blog/pictures/${mediaKey}"`);
    expect(html).toContain(`article:published_time" content="${post.createdAt.slice(0, 19)}`);
    const list = file('posts/index.html').toString();
    expect(list.match(/>[^<>]+</g)).toEqual(['>Größe &#34;字&#34; \\ of: 😀<', '>yes<']);
    expect(pages.filter((path) => path.includes(hidden.id) || path.includes(unlisted.id))).toEqual([]);
    expect(pages.filter((path) => /\.(json|jsonl|csv|md|toml)$/.test(path))).toEqual([]);
  });
});
