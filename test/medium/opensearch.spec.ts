import { randomBytes } from 'node:crypto';
import { LeaseService } from '../../src/platform/mongo/lease.service.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { OpenSearchEngine } from '../../src/search/opensearch/opensearch-engine.js';
import { termsOf } from '../../src/common/words.js';
import type { Changes, PostDocument } from '../../src/search/search-index.js';
import { useMongoModule } from '../support/mongo-module.js';
import { OpenSearchServer } from '../support/opensearch/opensearch-server.js';
import { describeWith } from '../support/optional.js';
import { describeMatches } from '../support/search/matches.contract.js';
import { describeQueries } from '../support/search/queries.contract.js';
import { describeSimilar } from '../support/search/similar.contract.js';
import { describeSpellings } from '../support/search/spellings.contract.js';
import { type OpenIndex, postDocument, useIndex } from '../support/search/test-index.js';
import { until, WAIT_MS } from '../support/until.js';
import { describeWrites } from '../support/search/writes.contract.js';

const POSITION = { token: { _data: '82' }, at: 1_000 };
const NONE = { ids: [], documents: [] };

function changeOf(...documents: PostDocument[]): Changes {
  return { posts: { ids: documents.map(({ id }) => id), documents }, users: NONE, comments: NONE };
}

describeWith('opensearch', 'the OpenSearch engine', (libs) => {
  const server = new OpenSearchServer(libs);
  const database = useMongoModule();
  let leases: LeaseService;
  let mongo: MongoService;

  beforeAll(async () => {
    await server.start();
    const module = await database.open();
    leases = module.get(LeaseService);
    mongo = module.get(MongoService);
  });
  afterAll(() => server.remove());

  const prefixes = new Map<string, string>();
  const engineOf = (path: string): OpenSearchEngine => {
    const prefix = prefixes.get(path) ?? `t${randomBytes(4).toString('hex')}`;
    prefixes.set(path, prefix);
    const engine = new OpenSearchEngine({ url: server.url, prefix, hasComments: false }, leases);
    // A busy machine may take longer than a query may.
    engine.reader.deadlineMs = WAIT_MS;
    return engine;
  };
  const open: OpenIndex = (path) => {
    const engine = engineOf(path);
    return { writer: engine.createWriter(), reader: engine.reader };
  };

  for (const contract of [describeQueries, describeMatches, describeWrites, describeSimilar, describeSpellings])
    contract(open);

  describe('an index that is rebuilt', () => {
    const index = useIndex(open);
    const kept = postDocument({ title: 'Number first' });
    const written = postDocument({ title: 'Number second' });

    it('is searched until the new one has all documents, with the changes during the scan', async () => {
      const { writer } = index;
      await index.fill([kept]);
      await engineOf(index.path).requestRebuild();
      await expect(writer.startScan(POSITION)).rejects.toMatchObject({ name: 'IndexLost' });
      expect(await writer.reset()).toMatchObject({ isReady: true, documents: { posts: 1 } });

      const scan = await writer.startScan(POSITION);
      await writer.applyScan({ ...scan, upTo: kept.id, documents: [kept] });
      await writer.apply(changeOf(written), POSITION);
      expect((await index.find('number')).toSorted()).toEqual([kept.id, written.id]);
      for (const kind of ['posts', 'users', 'comments'] as const)
        await writer.applyScan({
          kind,
          after: kind === 'posts' ? kept.id : null,
          upTo: null,
          documents: kind === 'posts' ? [written] : [],
        });

      expect((await index.find('number')).toSorted()).toEqual([kept.id, written.id]);
      expect(await engineOf(index.path).readState()).toMatchObject({
        isReady: true,
        scan: null,
        documents: { posts: 2 },
      });
    });
  });

  describe('a writer whose lease ran out', () => {
    const index = useIndex(open);
    const post = postDocument({ title: 'Number first' });

    it('changes nothing after the next writer', async () => {
      await index.fill([post]);
      const edited = { ...post, title: 'Something else' };
      await mongo.collection('leases').updateMany({}, { $set: { expiresAt: new Date(0) } });
      const next = engineOf(index.path).createWriter();
      await next.open();
      expect(await next.apply(changeOf(edited), POSITION)).toBe(1);

      await expect(index.writer.apply(changeOf(post), POSITION)).rejects.toMatchObject({ name: 'IndexLocked' });
      expect([await index.find('something'), await index.find('number')]).toEqual([[post.id], []]);
      await next.close();
    });
  });

  describe('a server that does not respond', () => {
    const index = useIndex(open);
    const post = postDocument({ title: 'Number first' });

    it('is asked no more after three late queries, until it responds again', async () => {
      await index.fill([post]);
      const { reader } = engineOf(index.path);
      const query = () => reader.query({ terms: termsOf('number'), kinds: ['posts'], sort: 'latest' });
      reader.deadlineMs = 1_000;
      server.freeze();
      const late = (reason: string) => ({ name: 'IndexBusy', message: expect.stringContaining(reason) });
      for (let failed = 0; failed < 3; failed++) await expect(query()).rejects.toMatchObject(late('TimeoutError'));
      await expect(query()).rejects.toMatchObject(late('has failed'));

      server.thaw();
      reader.deadlineMs = WAIT_MS;
      const found = await until(() => query().catch(() => null));
      expect(found.posts.map(({ id }) => id)).toEqual([post.id]);
    });
  });
});
