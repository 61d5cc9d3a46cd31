import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { ensureCaseACopy } from '../../benchmarks/data/case-a-copy.js';
import { captureAnswers, exchange } from '../../benchmarks/harness/capture.js';
import { startExpressPeer } from '../../benchmarks/peers/express-peer.js';
import { startNodeHttpPeer } from '../../benchmarks/peers/node-http.js';
import { NAIVE_STYLE, OPTIMISED_STYLE, type Peer, type PeerOptions } from '../../benchmarks/peers/peer.js';
import { startRawDriverPeer } from '../../benchmarks/peers/raw-driver.js';
import { createDataset } from '../../seeds/dataset.js';
import { loadDataset } from '../../seeds/load.js';
import { AccessTokenService } from '../../src/platform/access/access-token.service.js';
import { DEFAULT_LIMIT } from '../../src/platform/http/pagination/page.query.js';
import { startApp, type TestApp } from '../support/app.js';
import { useDatabase } from '../support/mongo.js';

type Json = Record<string, unknown>;
type Row = Json & { id: string };
type PageJson = { data: Row[]; page: { nextCursor: string | null } };
type Answer = { status: number; body: Json };

const TOKEN_SECRET = 'a secret of the tests, of forty characters';

describe('the peers of the benchmark', () => {
  const database = useDatabase();
  const peers = new Map<string, { peer: Peer; url: string }>();
  let app: TestApp;
  let directory: string;
  let hotPost: string;

  beforeAll(async () => {
    const { db, client, uri, dbName } = database;
    // The app starts first, because it creates the indexes of the empty database.
    app = await startApp({ env: { MONGODB_DATABASE: dbName, CACHE_FEED_TTL_MS: '600000', OPENCANVAS_API: '/' } });
    const dataset = createDataset({ profile: 'tiny', seed: 7, now: new Date() });
    await loadDataset({ db, dataset, ensureIndexes: async () => {} });
    await ensureCaseACopy(client, uri, dbName, `${dbName}_casea`, () => {});
    directory = await mkdtemp(join(tmpdir(), 'opencanvas-peers-'));

    const product = {
      port: 0,
      mongoUri: uri,
      database: dbName,
      tokenSecret: TOKEN_SECRET,
      defaultLimit: DEFAULT_LIMIT,
    };
    const caseA: PeerOptions = { ...product, database: `${dbName}_casea` };
    const answersFile = join(directory, 'answers.json');
    await writeFile(answersFile, JSON.stringify(await captureAnswers(app.url, ['/v1/feed'])));
    add('node-http', await startNodeHttpPeer({ ...product, answersFile }));
    add('raw-driver', await startRawDriverPeer(product));
    add('express-naive', await startExpressPeer({ ...caseA, style: NAIVE_STYLE }));
    add('express-optimised', await startExpressPeer({ ...caseA, style: OPTIMISED_STYLE }));
    hotPost = ((await get(app.url, '/v1/feed')).body as PageJson).data[0]!.id;
  });
  afterAll(async () => {
    for (const { peer } of peers.values()) await peer.close();
    // The client of useDatabase() is already closed.
    await app.db.client.db(`${database.dbName}_casea`).dropDatabase();
    await app.close();
    await rm(directory, { recursive: true });
  });

  function add(name: string, peer: Peer): void {
    peers.set(name, { peer, url: `http://127.0.0.1:${(peer.server.address() as AddressInfo).port}` });
  }
  async function get(url: string, path: string): Promise<Answer> {
    const response = await fetch(url + path);
    return { status: response.status, body: (await response.json()) as Json };
  }
  const urlOf = (name: string) => peers.get(name)!.url;
  const readers = ['raw-driver', 'express-naive', 'express-optimised'];
  /** Removes the body, which the naive peer sends with every card. */
  const card = ({ content: _content, ...rest }: Row) => rest;

  it('node-http writes the bytes of the product, with its headers', async () => {
    const request = { method: 'GET', path: '/v1/feed' } as const;
    const [ours, theirs] = await Promise.all([app.url, urlOf('node-http')].map((url) => exchange(url, request)));
    expect(theirs!.body.equals(ours!.body)).toBe(true);
    const lasting = ({ rawHeaders }: { rawHeaders: string[] }) =>
      rawHeaders
        .map((text) => text.toLowerCase())
        .filter((_, at) => !/^(date|age|x-request-id)$/i.test(rawHeaders[at - (at % 2)]!));
    expect(lasting(theirs!)).toEqual(lasting(ours!));
  });

  it.each(readers)('%s shows the same first pages of the feed at every limit', async (name) => {
    for (const path of ['/v1/feed', '/v1/feed?limit=1', '/v1/feed?limit=50']) {
      const ours = (await get(app.url, path)).body as PageJson;
      const theirs = (await get(urlOf(name), path)).body as PageJson;
      // The Express case has no sizes of uploaded images.
      expect(theirs.data.map(card)).toEqual(ours.data.map((row) => ({ ...row, thumbnail: null })));
    }
  });

  it.each(['express-naive', 'express-optimised'])(
    '%s shows the same articles to a client of OpenCanvas',
    async (name) => {
      for (const path of ['/', '/articles', '/articles?limit=1', '/articles?limit=50']) {
        // The naive peer has no cursor.
        const [ours, theirs] = await Promise.all(
          [app.url, urlOf(name)].map(async (url) => {
            const { nextCursor: _cursor, hasMore: _hasMore, ...page } = (await get(url, path)).body;
            return page;
          }),
        );
        expect(theirs).toEqual(ours);
      }
    },
  );

  it.each(['raw-driver', 'express-optimised'])('%s pages through the same feed to the same end', async (name) => {
    const idsOnPages = async (url: string): Promise<string[]> => {
      const ids: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = (await get(url, `/v1/feed?limit=30${cursor ? `&cursor=${cursor}` : ''}`)).body as PageJson;
        ids.push(...page.data.map((row) => row.id));
        cursor = page.page.nextCursor;
      }
      return ids;
    };
    expect(await idsOnPages(urlOf(name))).toEqual(await idsOnPages(app.url));
  });

  it('express-naive skips to the same rows', async () => {
    const ours = (await get(app.url, '/v1/feed?limit=60')).body as PageJson;
    const theirs = (await get(urlOf('express-naive'), '/v1/feed?limit=10&skip=50')).body as PageJson;
    expect(theirs.data.map((row) => row.id)).toEqual(ours.data.slice(50).map((row) => row.id));
  });

  it.each(readers)('%s returns the same post, comments and writers', async (name) => {
    const commented = await database.db
      .collection('posts')
      .findOne({ isListed: true, 'stats.commentsCount': { $gt: 2 } }, { sort: { 'stats.commentsCount': -1 } });
    const post = `/v1/posts/${hotPost}`;
    expect((await get(urlOf(name), post)).body).toEqual((await get(app.url, post)).body);
    for (const path of ['/v1/users/top', `/v1/posts/${String(commented!._id)}/comments`]) {
      const ours = (await get(app.url, path)).body as PageJson;
      expect(ours.data.length).toBeGreaterThan(0);
      expect(((await get(urlOf(name), path)).body as PageJson).data).toEqual(ours.data);
    }
  });

  it('express-optimised responds to writes as the product does', async () => {
    const users = await database.db.collection('users').find({ deletedAt: null }, { limit: 8 }).toArray();
    const [actor, other] = [users[6]!, users[7]!];
    const { accessToken } = app.app.get(AccessTokenService).issue({ id: String(actor._id), role: 'user' });
    const sendTo = async (url: string, method: string, path: string, body?: object): Promise<Answer> => {
      const headers = {
        authorization: `Bearer ${accessToken}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      };
      const response = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
      const {
        id: _id,
        savedAt: _savedAt,
        createdAt: _created,
        updatedAt: _updated,
        ...rest
      } = (await response.json()) as Json;
      return { status: response.status, body: rest };
    };
    const steps: [string, string, object?][] = [
      ['PUT', `/v1/posts/${hotPost}/vote`, { value: 'like' }],
      ['PUT', `/v1/posts/${hotPost}/vote`, { value: 'like' }],
      ['PUT', `/v1/posts/${hotPost}/vote`, { value: 'dislike' }],
      ['DELETE', `/v1/posts/${hotPost}/vote`],
      ['PUT', `/v1/posts/${hotPost}/save`],
      ['DELETE', `/v1/posts/${hotPost}/save`],
      ['PUT', `/v1/users/${String(other.username)}/follow`],
      ['DELETE', `/v1/users/${String(other.username)}/follow`],
      ['POST', `/v1/posts/${hotPost}/comments`, { content: 'The argument holds.' }],
      ['POST', `/v1/posts/${hotPost}/events`, { kind: 'view' }],
    ];
    for (const [method, path, body] of steps) {
      expect(await sendTo(urlOf('express-optimised'), method, path, body)).toEqual(
        await sendTo(app.url, method, path, body),
      );
    }
  });
});
