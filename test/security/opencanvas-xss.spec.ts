import { ALLOW_LIST } from '../../src/rendering/allow-list.js';
import { useApp } from '../support/app.js';
import { CLIENT, HostilePage, WAYS } from '../support/hostile-page.js';
import { openCanvasClient } from '../support/opencanvas.js';
import { renderAsOpenCanvas } from '../support/opencanvas-renderer.js';
import { describeWith } from '../support/optional.js';
import { until } from '../support/until.js';
import { VECTORS } from '../support/xss-vectors.js';
import type { Person } from '../support/world.js';

const AT_ONCE = 5;

describeWith('chromium', "hostile posts in a browser, as OpenCanvas's client renders them", (executablePath) => {
  const app = useApp({ env: { OPENCANVAS_API: '/oc' } });
  const { read, send } = openCanvasClient(app);
  /** Returns one half of the vectors. One half is published through `/v1`, the other through the API of OpenCanvas. */
  const ofEvery = (half: number): string[] => VECTORS.filter((_, at) => at % 2 === half);
  /** Text and preview of every post. */
  let texts: string[];
  let hostile: HostilePage | undefined;

  beforeAll(async () => {
    hostile = await HostilePage.launch(executablePath);
    const [ada, bob] = await app.world.people(2);
    const published = await Promise.all([
      inTurns(ofEvery(0), (content) => app.patient.post('/v1/posts', { token: ada.token, body: formOf(content) })),
      inTurns(ofEvery(1), async (content) => {
        const { postId } = (await read('/get-new-post-id', bob)).body.data;
        return send('POST', '/save/post/written', bob, { ...formOf(content), postId });
      }),
    ]);
    const refused = published.flat().filter(({ status }) => status !== 201);
    expect(refused.map(({ body }) => body)).toEqual([]);
    texts = [...(await textsOf(ada)), ...(await textsOf(bob))].map(renderAsOpenCanvas);
  });
  afterAll(() => hostile?.close());

  async function textsOf({ id }: Person): Promise<string[]> {
    const pages = await Promise.all([1, 2].map((page) => read(`/u/${id}/posts?limit=100&page=${page}`)));
    const cards = pages.flatMap(({ body }) => body.data as { _id: string; slug: string; contentPreview: string }[]);
    const posts = await inTurns(cards, ({ slug, _id }) => read(`/p/${slug}-${_id}`));
    return [...posts.map(({ body }) => body.data.content as string), ...cards.map((card) => card.contentPreview)];
  }

  it.each(WAYS)('would be noticed if they ran when they are %s', async (way) => {
    await hostile!.show([renderAsOpenCanvas('a <img src="https://evil.example/a.png" onerror="alert(1)">')], way);

    await until(() => (hostile!.dialogs.length === 1 ? true : null));
    expect(hostile!.requests).toEqual(['image https://evil.example/a.png']);
    expect(await partsOf(hostile!)).toEqual(['img onerror']);
  });

  it.each(WAYS)('run nothing, request images only and lead to the web when they are %s', async (way) => {
    expect(texts.length).toBe(2 * VECTORS.length);

    await hostile!.show(texts, way);
    await hostile!.touch();

    expect(await hostile!.page.locator('section[data-vector]').count()).toBe(texts.length);
    expect(await partsOf(hostile!)).toEqual([]);
    expect(await hostile!.otherRequests()).toEqual([]);
    expect([hostile!.dialogs, hostile!.messages, hostile!.page.url()]).toEqual([[], [], CLIENT]);
  });
});

const formOf = (content: string) => ({ title: 'A post', type: 'article', tags: [], isPublic: true, content });

/** Returns elements, attributes and links that could run something. */
function partsOf({ page }: HostilePage): Promise<string[]> {
  return page.evaluate(`runnableParts(${JSON.stringify(ALLOW_LIST.tagNames)})`);
}

async function inTurns<Item, Result>(items: Item[], run: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(run))));
  return results;
}
