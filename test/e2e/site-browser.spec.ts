import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { indexAll, useApp } from '../support/app.js';
import { axeProblems } from '../support/axe.js';
import { describeWith } from '../support/optional.js';
import { until } from '../support/until.js';
import { verbsOf } from '../support/verbs.js';
import type { Person } from '../support/world.js';
import { VECTORS } from '../support/xss-vectors.js';

const TEXT = `
# First

A [link](https://example.org), \`code\`, **bold** and $x^2$.

$$\\sum_{i=1}^{n} \\frac{a_i}{b_i} = \\int_0^\\infty e^{-x^2} \\, dx$$

## Second

| a long head of a column | another long head of a column | and a third one |
| --- | --- | --- |
| 1 | 2 | 3 |

\`\`\`js
const aVeryLongLine = 'which does not fit into the width of a phone and has to be scrolled within its own box';
\`\`\`

### Third

> [!NOTE]
> An alert with ${'averylongword'.repeat(20)}.

- [x] done
- [ ] open[^1]

#### Fourth

![An engine](https://images.example/engine.png)

[^1]: A footnote.
`;

describeWith('chromium', 'the site in a browser', (executablePath) => {
  const app = useApp({
    env: { SEARCH_COMMENTS: 'on' },
    search: true,
    oneHost: 'a browser reads pages of one server',
  });
  const { world } = app;
  const { ok } = verbsOf(app);
  let browser: Browser | undefined;
  let paths: string[];

  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath,
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
    const ada = await world.person({ username: 'ada_l', fullName: 'Ada Lovelace' });
    const post = await world.post({ by: ada, title: 'Notes on the engine', content: TEXT, tags: ['engines', 'looms'] });
    const parts = [post, await world.post({ by: ada, title: 'לילה טוב', content: 'שלום עולם', type: 'poem' })];
    const { id } = await world.comment({ by: ada, on: post.id, content: 'It **weaves**.' });
    const reply = await world.comment({ by: ada, on: post.id, parentId: id });
    await world.comment({ by: ada, on: post.id, parentId: reply.id });
    const series = await world.collection({ by: ada, kind: 'series', posts: parts.map((part) => part.id) });
    for (let at = 0; at < 20; at++) await world.post({ by: ada, type: 'article' });
    await indexAll(app);
    paths = [
      ...['/', '/latest', '/top?window=week', '/tags/engines', `/p/${post.slug}`, `/p/${parts[1]!.slug}`],
      ...['/u/ada_l', '/u/ada_l?tab=collections', `/collections/${series.slug}`],
      ...['/tags', '/writers?window=all', '/search', '/search?q=engine', '/search?q=engine&kind=posts'],
      ...['/search?q=weaves&kind=comments', '/nothing'],
    ];
  });
  afterAll(() => browser?.close());

  async function open(options: Parameters<Browser['newContext']>[0] = {}): Promise<[Page, BrowserContext]> {
    const context = await browser!.newContext(options);
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.route(
      (url) => url.origin !== new URL(app.url).origin,
      (route) => route.abort(),
    );
    return [page, context];
  }

  it.each(['light', 'dark'] as const)('has no violations that axe finds, in %s colors', async (colorScheme) => {
    const [page, context] = await open({ colorScheme, reducedMotion: 'reduce' });
    for (const path of paths) {
      await page.goto(app.url + path);
      expect([path, await axeProblems(page)]).toEqual([path, []]);
    }
    await context.close();
  });

  it.each([320, 360, 1_920])('has no horizontal scroll bar at a width of %i pixels', async (width) => {
    const [page, context] = await open({ viewport: { width, height: 800 } });
    for (const path of paths) {
      await page.goto(app.url + path);
      const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect([path, over]).toEqual([path, 0]);
    }
    await context.close();
  });

  it('is read with the keyboard: a link skips to the content, and the focus is visible', async () => {
    const [page, context] = await open();
    await page.goto(app.url);
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    const focused = page.locator('#content :focus');
    expect(await focused.textContent()).toBe('For you');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await context.close();
  });

  it('searches and pages without scripts', async () => {
    const [page, context] = await open({ javaScriptEnabled: false });
    await page.goto(`${app.url}/latest`);
    await page.locator('a[rel=next]').click();
    expect(new URL(page.url()).searchParams.has('cursor')).toBe(true);
    expect(await page.locator('article').count()).toBe(2);
    await page.locator('input[name=q]').fill('engine');
    await page.keyboard.press('Enter');
    await page.locator('h2 mark').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/search');
    await context.close();
  });

  it('offers a post as files to cite it', async () => {
    const [page, context] = await open({ acceptDownloads: true });
    await page.goto(app.url + paths[4]!);
    await page.locator('.cite summary').click();
    expect(await axeProblems(page)).toEqual([]);
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByText('BibTeX').click()]);
    expect(file.suggestedFilename()).toMatch(/^notes-on-the-engine-[0-9a-f]{24}\.bib$/);
    expect(await page.locator('.cite a').allTextContents()).toEqual(['BibTeX', 'RIS', 'CSL-JSON']);
    await context.close();
  });

  it('continues a list on scroll, and completes the words of a search', async () => {
    const [page, context] = await open();
    await page.goto(`${app.url}/latest`);
    await page.locator('.card').nth(19).scrollIntoViewIfNeeded();
    await page.locator('.card').nth(21).waitFor();
    expect(await page.locator('a[rel=next]').count()).toBe(0);
    await page.locator('input[name=q]').pressSequentially('engi');
    await page.locator('datalist option[value=engines]').waitFor({ state: 'attached' });
    await context.close();
  });

  it('draws formulas as KaTeX does, although its policy allows no inline styles', async () => {
    const [page, context] = await open();
    await page.goto(app.url + paths[4]!);
    const heights = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.katex-display .strut')].map((strut) => strut.getBoundingClientRect().height)`,
    );
    expect(heights.length).toBeGreaterThan(1);
    expect(Math.min(...heights)).toBeGreaterThan(5);
    const loaded = `document.fonts.load('16px KaTeX_Main').then(({ length }) => length)`;
    expect(await page.evaluate(loaded)).toBe(1);
    await context.close();
  });

  describe('with hostile texts', () => {
    let eve: Person;
    let page: Page;
    let context: BrowserContext;
    const effects: string[] = [];

    beforeAll(async () => {
      eve = await world.person({ username: 'eve_x', fullName: `<img src=x onerror=alert(1)>` });
      [page, context] = await open();
      page.on('dialog', (dialog) => {
        effects.push(`dialog ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on('console', (message) => {
        if (!message.text().startsWith('Failed to load resource')) effects.push(message.text());
      });
      page.on('pageerror', (error) => effects.push(error.message));
      page.on('request', (request) => {
        const isOwn = new URL(request.url()).origin === new URL(app.url).origin;
        if (!isOwn && request.resourceType() !== 'image') effects.push(`${request.resourceType()} ${request.url()}`);
      });
    });
    afterAll(() => context.close());

    it('would notice a script', async () => {
      await page.goto(app.url);
      await page.evaluate('alert(1)');
      await page.evaluate(
        `document.body.insertAdjacentElement('beforeend', document.createElement('iframe')).src = 'https://evil.example/'`,
      );
      expect(effects[0]).toBe('dialog 1');
      await until(() => (effects.length > 1 ? true : null));
      effects.length = 0;
    });

    it('runs nothing in lists and posts: titles, subtitles, previews, texts, comments', async () => {
      const posts = [];
      for (const vector of VECTORS) {
        const labels = { title: lineOf(vector, 120), subtitle: lineOf(vector, 100), tags: ['xss'] };
        posts.push(await world.post({ by: eve, content: vector, type: 'story', ...labels }));
      }
      const [first] = posts;
      for (const vector of VECTORS.slice(0, 20)) await world.comment({ by: eve, on: first!.id, content: vector });
      let cards = 0;
      for (let path: string | null = '/latest?type=story'; path !== null;) {
        await page.goto(app.url + path);
        cards += await page.locator('.card').count();
        path = await page.evaluate<string | null>(
          `(([link]) => link && link.getAttribute('href'))(document.querySelectorAll('.pager a[rel=next]')) ?? null`,
        );
      }
      expect(cards).toBe(VECTORS.length);
      await page.goto(`${app.url}/p/${first!.slug}`);
      expect(await page.locator('.comment').count()).toBe(20);
      expect(effects).toEqual([]);
    });

    it('runs nothing in profiles, collections and searches', async () => {
      const collection = await world.collection({ by: eve, title: lineOf(VECTORS[0]!, 80) });
      for (const vector of VECTORS.slice(0, 15)) {
        const line = lineOf(vector, 80);
        await ok(eve, 'PATCH', 'users/me', {
          fullName: lineOf(vector, 40),
          bio: line,
          headline: line,
          location: lineOf(vector, 40),
        });
        await ok(eve, 'PATCH', `collections/${collection.id}`, { title: lineOf(vector, 80), description: line });
        for (const path of ['/u/eve_x', '/u/eve_x?tab=collections', `/collections/${collection.slug}`])
          await page.goto(app.url + path);
      }
      for (const vector of VECTORS.slice(0, 40)) {
        const query = `q=${encodeURIComponent(`engine ${vector}`.slice(0, 100)).replace(/%7E/g, '~')}`;
        await page.goto(`${app.url}/search?${query}`);
      }
      expect(effects).toEqual([]);
    });
  });
});

/** A vector on one line. */
function lineOf(vector: string, length: number): string {
  return `A ${vector.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu, ' ')}`.slice(0, length).trim();
}
