import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { fromFeedForm } from '../../src/rendering/feed-form.js';
import { renderPost } from '../../src/rendering/render-markdown.js';
import { describeWith } from '../support/optional.js';
import { until } from '../support/until.js';

const here = (name: string): string => join(import.meta.dirname, name);

/** `\n` is a line break; lines that begin with `%%` describe the next ones. */
const VECTORS = readFileSync(here('xss-vectors.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('%%'))
  .map((line) => line.replaceAll('\\n', '\n'));

/** The page of a client; every other URL is a request that leaves it. */
const CLIENT = 'https://reader.example/posts/1';

/** The author's image in the vectors. */
const IMAGE = '6650c3a2f1d2b3c4d5e6f70c';
const IMAGES = new Map([
  [
    IMAGE,
    {
      ...{ key: `${IMAGE}-9f86d081884c7d65.jpg`, width: 4_032, height: 3_024, widths: [320, 640] },
      placeholder: 'data:image/webp;base64,UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA=',
    },
  ],
]);

type Found = { vector: number; what: string };

describeWith('chromium', 'HTML of hostile texts in a browser', (executablePath) => {
  const documented = JSON.stringify(documentedList());
  let browser: Browser | undefined;
  let page: Page;
  let content = '';
  let dialogs: string[];
  let requests: string[];

  beforeAll(async () => {
    const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];
    browser = await chromium.launch({ executablePath, args });
    page = await browser.newPage();
    page.setDefaultTimeout(90_000);
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await page.route('**/*', (route, request) => {
      if (request.url() === CLIENT) return route.fulfill({ contentType: 'text/html; charset=utf-8', body: content });
      requests.push(`${request.resourceType()} ${request.url()}`);
      return route.abort();
    });
  });
  afterAll(() => browser?.close());

  async function open(body: string): Promise<void> {
    content = `<!doctype html><title>A client</title><body>${body}`;
    dialogs = [];
    requests = [];
    await page.goto(CLIENT, { waitUntil: 'load', timeout: 60_000 });
    await page.addScriptTag({ path: here('page-checks.js') });
  }
  const foreignParts = (formulas?: string): Promise<Found[]> =>
    page.evaluate(`foreignParts(${documented}, ${JSON.stringify(formulas)})`);

  it('would be noticed if it ran, sent, or had other parts', async () => {
    await open('<img src="https://evil.example/a.png" onerror="alert(1)"><script>alert(2)</script>');
    await until(() => (dialogs.length === 2 ? true : null));
    expect(requests).toEqual(['image https://evil.example/a.png']);
    expect(await foreignParts()).toEqual([
      { vector: -1, what: 'img onerror="alert(1)"' },
      { vector: -1, what: 'script' },
    ]);
  });

  it.each(['parsed with the page', 'inserted by a script', 'taken from a feed'])(
    'runs nothing, requests images only and has no part outside the documented list when it is %s',
    async (way) => {
      expect(new Set(VECTORS).size).toBeGreaterThan(250);
      const isFeed = way === 'taken from a feed';
      const texts = VECTORS.map((vector) => renderPost(vector, IMAGES)).map(({ html, feed }) =>
        isFeed ? fromFeedForm(feed, new URL(CLIENT).origin, CLIENT) : html.html,
      );
      if (way !== 'inserted by a script') {
        await open(texts.map((html, index) => `<section data-vector="${index}">${html}</section>`).join('\n'));
      } else {
        await open('');
        await page.evaluate(`insertAll(${JSON.stringify(texts)})`);
      }
      expect(await page.locator('section[data-vector]').count()).toBe(VECTORS.length);
      expect(await foreignParts(isFeed ? 'math, .katex-error' : undefined)).toEqual([]);
      await page.evaluate('touchAll()');
      await page.waitForLoadState('networkidle');
      expect(dialogs).toEqual([]);
      const images = await page
        .locator('img')
        .evaluateAll((all) => all.map((image) => (image as { src?: string }).src));
      const others = requests.filter((request) => !images.some((image) => request === `image ${image}`));
      expect(others).toEqual([]);
    },
    240_000,
  );
});

/** The table of docs/html.md. */
function documentedList(): Record<string, string[]> {
  const document = readFileSync(here('../../docs/html.md'), 'utf8');
  const words = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word!);
  const rows = [...document.matchAll(/^\| (.+) \|(.*)\|$/gm)].map(([, left, right]) => [left!, words(right!)] as const);
  const always = rows.find(([left]) => left === 'every one of these')![1];
  return Object.fromEntries(rows.flatMap(([left, own]) => words(left).map((name) => [name, [...always, ...own]])));
}
