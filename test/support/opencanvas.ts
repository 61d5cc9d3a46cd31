import type { Answer } from './client.js';
import { ObjectId } from 'mongodb';
import { SessionsService } from '../../src/auth/sessions.service.js';
import { OpenCanvasTokensService } from '../../src/opencanvas/opencanvas-tokens.service.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import type { TestApp } from './app.js';
import type { Person } from './world.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface OpenCanvasClient {
  send: (method: Method, path: string, by?: Person, body?: object) => Promise<Answer>;
  read: (path: string, by?: Person) => Promise<Answer>;
}

/** Sends the headers of axios, like the client of OpenCanvas. Every response has the envelope, and the headers of a deprecated API. */
export function openCanvasClient(app: TestApp, mount = '/oc'): OpenCanvasClient {
  const tokens = new Map<string, Promise<OpenCanvasToken>>();
  const tokenOf = async (by: Person): Promise<string> => {
    if (!tokens.has(by.id)) tokens.set(by.id, openCanvasToken(app, by));
    return (await tokens.get(by.id)!).token;
  };
  const send: OpenCanvasClient['send'] = async (method, path, by, body) => {
    const headers = { accept: 'application/json, text/plain, */*' };
    const answer = await app.patient.request(method, mount + path, {
      ...{ token: by && (await tokenOf(by)), body, headers },
    });
    expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(answer.headers.get('link')).toMatch(/^<\/v1\S*>; rel="successor-version"$/);
    expect(answer.body.success).toBe(answer.status < 400);
    return answer;
  };
  return { send, read: (path, by) => send('GET', path, by) };
}

type OpenCanvasToken = { token: string; signInId: string };

/** Returns a token that was used once. An account without an address gets one, because every account needs an address. */
export async function openCanvasToken(
  app: TestApp,
  { _id, username }: Pick<Person, '_id' | 'username'>,
): Promise<OpenCanvasToken> {
  const now = new Date();
  const fields = { email: `${username}@example.org`, emailVerifiedAt: now, passwordHash: null, updatedAt: now };
  await app.db
    .collection('credentials')
    .updateOne({ _id: new ObjectId(_id) }, { $setOnInsert: fields }, { upsert: true });
  const client = { address: '192.0.2.77', userAgent: 'Firefox' };
  const { signInId } = await app.app
    .get(MongoService)
    .transaction((tx) => app.everyOf(SessionsService)[0]!.open(_id, client, tx));
  return { token: app.everyOf(OpenCanvasTokensService)[0]!.issue(_id, signInId), signInId };
}

export function expectOpenCanvasError(answer: Answer, status: number, message: unknown = expect.any(String)): void {
  expect([answer.status, answer.body]).toEqual([status, { success: false, message }]);
}

const STATS = { viewsCount: 0, readsCount: 0, likesCount: 0, dislikesCount: 0, sharesCount: 0, commentsCount: 0 };

/** Returns the card of a post by `World.post`, as the client reads it. */
export const openCanvasCard = (author: Person, fields: object = {}) => ({
  ...{ _id: expect.any(String), title: 'Notes on the Analytical Engine', slug: 'notes-on-the-analytical-engine' },
  ...{ type: 'article', tags: ['engines'], contentPreview: 'The engine weaves algebraic patterns.' },
  ...{ readTime: '1 min read', thumbnailUrl: '', isPremium: false, isPublic: true, isEdited: false },
  authorId: author.id,
  authorSnapshot: { username: author.username, fullName: expect.any(String), profilePicture: '' },
  stats: STATS,
  ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
  ...fields,
});
