import { jest } from '@jest/globals';
import type { CommandStartedEvent, Document } from 'mongodb';
import mongoose from 'mongoose';
import { chooseSubjects, hotRoutes } from '../../src/cli/explain-routes.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { indexAll, useApp } from '../support/app.js';
import { askedAgain } from '../support/repeated-requests.js';
import type { Person } from '../support/world.js';

/** A hot read creates no mongoose document and reads only the fields that it needs. */
describe('hot reads', () => {
  const app = useApp({ search: true });
  const { world } = app;
  let reader: Person;
  let reads: Document[] = [];
  const hydrated = jest.spyOn(mongoose.Document.prototype, '$__init' as 'init');

  // Background timers of the process read these collections.
  const OWN = new Set(['score_epochs', 'leases', 'events', 'tasks', 'process_sessions']);
  const note = ({ commandName, command }: CommandStartedEvent): void => {
    if ((commandName === 'find' || commandName === 'aggregate') && !OWN.has(command[commandName])) reads.push(command);
  };

  beforeAll(async () => {
    const [author, other] = await world.people(2);
    reader = other;
    const { token } = author;
    const body = { title: 'A post', content: 'Its text.', type: 'article', tags: ['lean'] };
    const post = (await app.client.post('/v1/posts', { token, body })).body as { id: string };
    const comment = (await app.client.post(`/v1/posts/${post.id}/comments`, { token, body: { content: 'First.' } }))
      .body as { id: string };
    const reply = { content: 'Second.', parentId: comment.id };
    await app.client.post(`/v1/posts/${post.id}/comments`, { token, body: reply });
    await app.client.put(`/v1/posts/${post.id}/save`, { token: reader.token });
    await app.client.put(`/v1/posts/${post.id}/vote`, { token: reader.token, body: { value: 'like' } });
    await app.client.put(`/v1/users/${author.username}/follow`, { token: reader.token });
    await world.collection({ by: author, kind: 'series', tags: ['lean'], posts: [post.id] });
    await indexAll(app);
    app.app.get(MongoService).client.on('commandStarted', note);
  });
  afterAll(() => {
    hydrated.mockRestore();
  });
  beforeEach(() => {
    reads = [];
    hydrated.mockClear();
  });

  it('hydrate nothing and name the fields they read, signed in or not', async () => {
    const unnamed: string[] = [];
    let count = 0;
    for (const { url, isSignedIn } of hotRoutes(await chooseSubjects(app.db))) {
      for (const token of isSignedIn === true ? [reader.token] : [undefined, reader.token]) {
        reads = [];
        const { status } = await askedAgain(
          () => app.client.get(url, { token }),
          (answer) => !(answer instanceof Error) && answer.status === 503,
        );
        expect([url, status]).toEqual([url, isMissing(url) ? 404 : 200]);
        count += reads.length;
        for (const read of reads) if (!namesFields(read)) unnamed.push(`${url}: ${JSON.stringify(read)}`);
      }
    }
    expect(unnamed).toEqual([]);
    expect(count).toBeGreaterThan(40);
    expect(hydrated).not.toHaveBeenCalled();
  });

  it('would be distinguished from a read that hydrates', async () => {
    const users = app.app.get(MongoService).connection.models['User']!;
    await users.findOne({});
    expect(hydrated).toHaveBeenCalled();
    expect(reads.map(namesFields)).toEqual([false]);
  });
});

/** The reader of the dataset has no account, no image was uploaded, no draft is shared and no site is configured. */
function isMissing(url: string): boolean {
  const paths = ['/v1/media/files/', '/v1/shared-drafts/', '/sitemaps/tags.xml'];
  return url === '/v1/auth/me' || paths.some((path) => url.startsWith(path));
}

function namesFields({ projection, pipeline }: Document): boolean {
  if (pipeline !== undefined) return /"\$(?:project|group)"/.test(JSON.stringify(pipeline));
  return Object.keys((projection as object | undefined) ?? {}).length > 0;
}
