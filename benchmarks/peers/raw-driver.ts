import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Db, MongoClient, ObjectId } from 'mongodb';
import { decompressBody } from '../../src/rendering/body-codec.js';
import { closeServer, decodePeerCursor, encodePeerCursor, type Peer, type PeerOptions } from './peer.js';
import {
  CARD_PROJECTION,
  cardJson,
  type CardRow,
  commentJson,
  type CommentRow,
  postIdOf,
  writerJson,
  type WriterRow,
} from './wire.js';

type BodyRow = { _id: ObjectId; codec: 'zstd'; rawLength: number; bytes: { buffer: Uint8Array } };

/**
 * The plain cold read: `node:http`, the driver and `JSON.stringify` on the product's own collections, without a cache. One find per
 * response; a post needs two, for card and body.
 */
export async function startRawDriverPeer(options: PeerOptions): Promise<Peer> {
  const client = await new MongoClient(options.mongoUri, { maxPoolSize: 40 }).connect();
  const database = client.db(options.database);
  const reads = new RawReads(database, options.defaultLimit, await currentSlot(database));
  const server = createServer((request, response) => {
    route(reads, request, response).catch((error: unknown) => {
      response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ message: String(error) }));
    });
  });
  server.keepAliveTimeout = 65_000;
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return {
    server,
    close: async () => {
      await closeServer(server);
      await client.close();
    },
  };
}

async function route(reads: RawReads, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url!, 'http://localhost');
  const parts = url.pathname.split('/');
  let answer: unknown = null;
  if (url.pathname === '/ready') answer = {};
  else if (url.pathname === '/v1/feed') answer = await reads.feed(url.searchParams);
  else if (url.pathname === '/v1/users/top') answer = await reads.topWriters(url.searchParams);
  else if (parts[2] === 'posts' && parts[4] === 'comments') answer = await reads.comments(parts[3]!, url.searchParams);
  else if (parts[2] === 'posts' && parts.length === 4) answer = await reads.post(parts[3]!);
  const body = Buffer.from(JSON.stringify(answer ?? { code: 'not_found' }));
  response.writeHead(answer ? 200 : 404, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  });
  response.end(body);
}

async function currentSlot(database: Db): Promise<'A' | 'B'> {
  const epoch = await database.collection<{ _id: string; slot: 'A' | 'B' }>('score_epochs').findOne({ _id: 'posts' });
  return epoch?.slot ?? 'A';
}

class RawReads {
  private readonly score: string;

  constructor(
    private readonly database: Db,
    private readonly defaultLimit: number,
    slot: 'A' | 'B',
  ) {
    this.score = `rank.hot${slot}`;
  }

  async feed(query: URLSearchParams) {
    const limit = this.limitOf(query);
    const cursor = query.get('cursor');
    const filter: Record<string, unknown> = { isListed: true };
    if (cursor !== null) {
      // One range and the filter on ties need one index scan, where an $or would need two.
      const { value, id } = decodePeerCursor(cursor);
      filter[this.score] = { $lte: value };
      filter.$or = [{ [this.score]: { $lt: value } }, { _id: { $lt: new ObjectId(id) } }];
    }
    const rows = await this.database
      .collection<CardRow & { rank: Record<string, number> }>('posts')
      .find(filter, {
        projection: { ...CARD_PROJECTION, [this.score]: 1 },
        sort: { [this.score]: -1, _id: -1 },
        limit: limit + 1,
      })
      .toArray();
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    const nextCursor = last ? encodePeerCursor(last.rank[this.score.slice(5)]!, String(last._id)) : null;
    return { data: rows.slice(0, limit).map(cardJson), page: { nextCursor } };
  }

  async post(idOrSlug: string) {
    const _id = new ObjectId(postIdOf(idOrSlug));
    const [card, body] = await Promise.all([
      this.database.collection<CardRow>('posts').findOne({ _id, isListed: true }, { projection: CARD_PROJECTION }),
      this.database.collection<BodyRow>('post_bodies').findOne({ _id }),
    ]);
    if (!card || !body) return null;
    return {
      ...cardJson(card),
      content: decompressBody({ ...body, bytes: body.bytes.buffer }),
      canonicalUrl: null,
      isLocked: false,
      isHistoryPublic: false,
      visibility: 'public',
    };
  }

  async comments(idOrSlug: string, query: URLSearchParams) {
    const postId = new ObjectId(postIdOf(idOrSlug));
    const limit = this.limitOf(query);
    const rows = await this.database
      .collection<CommentRow>('comments')
      .find({ postId, parentId: null, isVisible: true }, { sort: { _id: -1 }, limit: limit + 1 })
      .toArray();
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      data: rows.slice(0, limit).map(commentJson),
      page: { nextCursor: last ? encodePeerCursor(0, String(last._id)) : null },
    };
  }

  async topWriters(query: URLSearchParams) {
    const rows = await this.database
      .collection<WriterRow>('users')
      .find(
        { deletedAt: null, 'stats.postsCount': { $gt: 0 } },
        { sort: { likesPerPost: -1, _id: -1 }, limit: Number(query.get('limit') ?? 5) },
      )
      .toArray();
    return { data: rows.map(writerJson) };
  }

  private limitOf(query: URLSearchParams): number {
    return Number(query.get('limit') ?? this.defaultLimit);
  }
}
