import { setTimeout as sleep } from 'node:timers/promises';
import { OpenSearchReader } from '../../src/search/opensearch/opensearch-reader.js';
import { SearchEngine } from '../../src/search/search-index.js';
import { indexAll, useApp } from '../support/app.js';
import { OpenSearchServer } from '../support/opensearch/opensearch-server.js';
import { describeWith } from '../support/optional.js';
import { until } from '../support/until.js';

const FIRST_POSTS = 60;
const READERS = 3;
/** Posts are written this long without a node. */
const DOWN_MS = 5_000;
/** of a query, on a busy machine */
const DEADLINE_MS = 2_000;

describeWith('opensearch', 'OpenSearch with three nodes', (libs) => {
  let nodes: OpenSearchServer[] = [];
  const untilGreen = () => nodes[0]!.untilHealthy('wait_for_status=green&wait_for_nodes=3');
  const ask = async <T>(path: string, body?: object): Promise<T> => {
    const request = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(nodes[0]!.url + path, body === undefined ? {} : request);
    expect(response.status).toBe(200);
    return (await response.json()) as T;
  };
  beforeAll(async () => {
    nodes = await OpenSearchServer.startCluster(libs, 3);
    // Without one of its shards, an index could return a part of the posts.
    const settings = { number_of_shards: 3, number_of_replicas: 1 };
    await ask('/_index_template/nodes', { index_patterns: ['nodes-*'], template: { settings } });
  });
  afterAll(() => Promise.all(nodes.map((node) => node.remove())));

  const app = useApp({
    search: true,
    oneHost: 'a search of one host is enough',
    env: {
      ...{ SEARCH: 'opensearch', OPENSEARCH_INDEX_PREFIX: 'nodes', CACHE_FEED_TTL_MS: '0' },
      get OPENSEARCH_URL() {
        return nodes[0]!.url;
      },
    },
  });
  const search = (q: string, cursor = '') =>
    app.client.get(`/v1/search?kind=posts&sort=latest&limit=100&q=${q}${cursor && `&cursor=${cursor}`}`);

  /** Returns the ids on all pages, or null after a refusal. */
  const findAll = async (q: string): Promise<string[] | null> => {
    const ids: string[] = [];
    for (let cursor = ''; ;) {
      const { status, body } = await search(q, cursor);
      if (status === 503) return null;
      ids.push(...body.data.posts.map(({ id }: { id: string }) => id));
      if (body.page.nextCursor === null) return ids;
      cursor = body.page.nextCursor;
    }
  };

  it('finds all posts or refuses a search while nodes are killed, and all acknowledged posts afterwards', async () => {
    const author = await app.world.person();
    const publish = async (title: string): Promise<string> => (await app.world.post({ by: author, title })).id;
    const first: string[] = [];
    while (first.length < FIRST_POSTS) first.push(await publish('Lighthouse'));
    await indexAll(app);
    await until(async () => (await findAll('lighthouse'))?.length === FIRST_POSTS || null);
    await untilGreen();
    const { reader } = app.app.get(SearchEngine);
    (reader as OpenSearchReader).deadlineMs = DEADLINE_MS;

    const written: string[] = [];
    const wrong: unknown[] = [];
    const counts = { complete: 0, refused: 0 };
    let isOver = false;
    const write = async (): Promise<void> => {
      for (; !isOver; await sleep(50)) written.push(await publish('Harbor'));
    };
    const read = async (): Promise<void> => {
      for (; !isOver; await sleep(10)) {
        const { status, headers, body } = await search('lighthouse');
        const isRefused = status === 503 && headers.get('retry-after') === '1';
        const isComplete = status === 200 && body.data.posts.length === FIRST_POSTS;
        if (isRefused) counts.refused++;
        else if (isComplete) counts.complete++;
        else wrong.push({ status, code: body.code, found: body.data?.posts.length });
      }
    };
    const load = [write(), ...Array.from({ length: READERS }, read)];
    const [, second, third] = nodes as [OpenSearchServer, OpenSearchServer, OpenSearchServer];
    // Without both, the first node has only some of the shards.
    for (const lost of [[second], [third], [second, third]]) {
      await Promise.all(lost.map((node) => node.kill()));
      await sleep(DOWN_MS);
      await Promise.all(lost.map((node) => node.start()));
      await untilGreen();
    }
    isOver = true;
    await Promise.all(load);

    console.log(`${written.length} posts written, ${counts.complete} complete searches, ${counts.refused} refused`);
    expect(wrong).toEqual([]);
    expect(counts.complete).toBeGreaterThan(0);
    expect(counts.refused).toBeGreaterThan(0);
    const found = await until(async () => {
      const ids = await findAll('harbor');
      return ids?.length === written.length ? ids : null;
    });
    expect(found).toEqual(written.toReversed());
    expect((await findAll('lighthouse'))?.toSorted()).toEqual(first.toSorted());
    // The index was never lost, so it was not built again.
    const indexes = await ask<{ index: string }[]>('/_cat/aliases/nodes-*-posts?format=json');
    expect(indexes.map(({ index }) => index)).toEqual([expect.stringMatching(/-posts-1$/)]);
  });
});
