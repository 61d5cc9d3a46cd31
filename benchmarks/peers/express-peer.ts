import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import cors from 'cors';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { createVerifier } from 'fast-jwt';
import helmet from 'helmet';
import morgan from 'morgan';
import { connectCaseA } from './case-a.models.js';
import { ExpressReads, type ListQuery } from './express-reads.js';
import { ExpressWrites } from './express-writes.js';
import { ARTICLES_LIMIT, toArticles, WELCOME } from './opencanvas-wire.js';
import { closeServer, OPTIMISED_STYLE, type Peer, type PeerOptions } from './peer.js';
import { TtlCache } from './ttl-cache.js';
import { postIdOf } from './wire.js';

const FEED_TTL_MS = 30_000;
const TOP_WRITERS_TTL_MS = 300_000;

/** Express 5 + mongoose on the case's own data, in the given style. helmet, cors and morgan as in the case. */
export async function startExpressPeer(options: PeerOptions): Promise<Peer> {
  const style = options.style ?? OPTIMISED_STYLE;
  const { connection, models } = await connectCaseA(options.mongoUri, options.database);
  const reads = new ExpressReads(models, style);
  const writes = new ExpressWrites(models);
  const cache = new TtlCache();
  const app = express();
  app.use(helmet());
  app.use(cors());
  app.use(morgan('combined', { stream: createWriteStream('/dev/null') }));
  app.use(express.json());

  const cached = <T>(key: string, ttlMs: number, load: () => Promise<T>): Promise<T> =>
    style.hasCache ? cache.getOrLoad(key, ttlMs, load) : load();
  const list = (request: Request, defaultLimit = options.defaultLimit): ListQuery => ({
    limit: Number(request.query.limit ?? defaultLimit),
    skip: Number(request.query.skip ?? 0),
    ...(typeof request.query.cursor === 'string' ? { cursor: request.query.cursor } : {}),
  });

  app.get('/ready', (_request, response) => void response.json({}));
  app.get('/v1/feed', async (request, response) => {
    const query = list(request);
    const key = `feed:${query.limit}:${query.cursor ?? ''}:${query.skip}`;
    response.json(await cached(key, FEED_TTL_MS, () => reads.feed(query)));
  });
  // The routes of OpenCanvas's own load.
  app.get('/', (_request, response) => void response.json(WELCOME));
  app.get('/articles', async (request, response) => {
    const query = list(request, ARTICLES_LIMIT);
    const key = `articles:${query.limit}:${query.cursor ?? ''}:${query.skip}`;
    response.json(await cached(key, FEED_TTL_MS, async () => toArticles(await reads.feed(query))));
  });
  app.get('/v1/users/top', async (request, response) => {
    const limit = Number(request.query.limit ?? 5);
    response.json(await cached(`top:${limit}`, TOP_WRITERS_TTL_MS, () => reads.topWriters(limit)));
  });
  app.get('/v1/search', async (request, response) => {
    response.json(await reads.search(request.query.q as string));
  });
  app.get('/v1/posts/:id', async (request, response) => {
    answer(response, 200, await reads.post(request.params.id));
  });
  app.get('/v1/posts/:id/comments', async (request, response) => {
    answer(response, 200, await reads.comments(request.params.id, list(request)));
  });
  addWrites(app, writes, options.tokenSecret);

  const server = createServer(app);
  server.keepAliveTimeout = 65_000;
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return {
    server,
    close: async () => {
      await closeServer(server);
      cache.close();
      await connection.close();
    },
  };
}

type Signed = Response<unknown, { userId: string }>;

function addWrites(app: Express, writes: ExpressWrites, tokenSecret: string): void {
  const verify = createVerifier({ key: tokenSecret, algorithms: ['HS256'], cache: false }) as (token: string) => {
    sub: string;
  };
  const signedIn = (request: Request, response: Signed, next: NextFunction) => {
    try {
      response.locals.userId = verify((request.headers.authorization ?? '').slice('Bearer '.length)).sub;
      next();
    } catch {
      response.status(401).json({ code: 'invalid_token' });
    }
  };
  type VoteBody = { value: 'like' | 'dislike' };
  type CommentBody = { content: string; parentId?: string };

  app.put(
    '/v1/posts/:id/vote',
    signedIn,
    async (request: Request<{ id: string }, unknown, VoteBody>, response: Signed) => {
      answer(response, 200, await writes.vote(response.locals.userId, postIdOf(request.params.id), request.body.value));
    },
  );
  app.delete('/v1/posts/:id/vote', signedIn, async (request: Request<{ id: string }>, response: Signed) => {
    answer(response, 200, await writes.vote(response.locals.userId, postIdOf(request.params.id), null));
  });
  app.put('/v1/posts/:id/save', signedIn, async (request: Request<{ id: string }>, response: Signed) => {
    answer(response, 200, await writes.save(response.locals.userId, postIdOf(request.params.id), true));
  });
  app.delete('/v1/posts/:id/save', signedIn, async (request: Request<{ id: string }>, response: Signed) => {
    answer(response, 200, await writes.save(response.locals.userId, postIdOf(request.params.id), false));
  });
  app.put('/v1/users/:username/follow', signedIn, async (request: Request<{ username: string }>, response: Signed) => {
    answer(response, 200, await writes.follow(response.locals.userId, request.params.username, true));
  });
  app.delete(
    '/v1/users/:username/follow',
    signedIn,
    async (request: Request<{ username: string }>, response: Signed) => {
      answer(response, 200, await writes.follow(response.locals.userId, request.params.username, false));
    },
  );
  app.post(
    '/v1/posts/:id/comments',
    signedIn,
    async (request: Request<{ id: string }, unknown, CommentBody>, response: Signed) => {
      const { content, parentId } = request.body;
      answer(
        response,
        201,
        await writes.comment(response.locals.userId, postIdOf(request.params.id), content, parentId ?? null),
      );
    },
  );
  app.post(
    '/v1/posts/:id/events',
    async (request: Request<{ id: string }, unknown, { kind: 'view' | 'read' | 'share' }>, response) => {
      answer(response, 200, await writes.event(postIdOf(request.params.id), request.body.kind));
    },
  );
}

function answer(response: Response, status: number, body: unknown): void {
  if (body === null) response.status(404).json({ code: 'not_found' });
  else response.status(status).json(body);
}
