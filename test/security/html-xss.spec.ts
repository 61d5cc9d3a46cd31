import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromFeedForm } from '../../src/rendering/feed-form.js';
import { renderPost } from '../../src/rendering/render-markdown.js';
import { CLIENT, HostilePage } from '../support/hostile-page.js';
import { describeWith } from '../support/optional.js';
import { until } from '../support/until.js';
import { VECTORS } from '../support/xss-vectors.js';

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
  let hostile: HostilePage | undefined;

  beforeAll(async () => {
    hostile = await HostilePage.launch(executablePath);
  });
  afterAll(() => hostile?.close());

  const foreignParts = (formulas?: string): Promise<Found[]> =>
    hostile!.page.evaluate(`foreignParts(${documented}, ${JSON.stringify(formulas)})`);

  it('would be noticed if it ran, sent, or had other parts', async () => {
    await hostile!.open('<img src="https://evil.example/a.png" onerror="alert(1)"><script>alert(2)</script>');
    await until(() => (hostile!.dialogs.length === 2 ? true : null));
    expect(hostile!.requests).toEqual(['image https://evil.example/a.png']);
    expect(await foreignParts()).toEqual([
      { vector: -1, what: 'img onerror="alert(1)"' },
      { vector: -1, what: 'script' },
    ]);
  });

  it.each(['parsed with the page', 'inserted by a script', 'taken from a feed'] as const)(
    'runs nothing, requests images only and has no part outside the documented list when it is %s',
    async (way) => {
      expect(new Set(VECTORS).size).toBeGreaterThan(250);
      const isFeed = way === 'taken from a feed';
      const texts = VECTORS.map((vector) => renderPost(vector, IMAGES)).map(({ html, feed }) =>
        isFeed ? fromFeedForm(feed, new URL(CLIENT).origin, CLIENT) : html.html,
      );
      await hostile!.show(texts, isFeed ? 'parsed with the page' : way);
      expect(await hostile!.page.locator('section[data-vector]').count()).toBe(VECTORS.length);
      expect(await foreignParts(isFeed ? 'math, .katex-error' : undefined)).toEqual([]);
      await hostile!.touch();
      expect(hostile!.dialogs).toEqual([]);
      expect(await hostile!.otherRequests()).toEqual([]);
    },
  );
});

/** Returns the table of docs/html.md. */
function documentedList(): Record<string, string[]> {
  const document = readFileSync(join(import.meta.dirname, '../../docs/html.md'), 'utf8');
  const words = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word!);
  const rows = [...document.matchAll(/^\| (.+) \|(.*)\|$/gm)].map(([, left, right]) => [left!, words(right!)] as const);
  const always = rows.find(([left]) => left === 'every one of these')![1];
  return Object.fromEntries(rows.flatMap(([left, own]) => words(left).map((name) => [name, [...always, ...own]])));
}
