import { jest } from '@jest/globals';
import type { CommandStartedEvent, Document } from 'mongodb';
import mongoose from 'mongoose';
import { describeApi } from '../../src/api-document.js';
import { documentedReads } from '../../src/cli/documented-reads.js';
import { EXAMPLE } from '../../src/common/examples.js';
import { NO_SERVER } from '../../src/platform/http/openapi/response-schemas.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { indexAll, useApp } from '../support/app.js';
import { operationsOf } from '../support/openapi.js';

const document = await describeApi();
const CALLERS = { user: EXAMPLE.username, moderator: 'demo_moderator', admin: 'demo_admin' };

/** A read creates no mongoose document and reads only the fields that it needs. */
describe('every documented read, on the demo data', () => {
  const app = useApp({
    seeded: 'tiny',
    search: true,
    env: { HTTP_PUBLIC_URL: NO_SERVER, MODERATION_LOG: 'public' },
  });
  let reads: Document[] = [];
  const hydrated = jest.spyOn(mongoose.Document.prototype, '$__init' as 'init');

  // Background timers of the process read these collections, and the driver's GridFS whole files.
  const OWN = new Set(['score_epochs', 'leases', 'events', 'tasks', 'process_sessions', 'media.files', 'media.chunks']);
  const note = ({ commandName, command }: CommandStartedEvent): void => {
    if ((commandName === 'find' || commandName === 'aggregate') && !OWN.has(command[commandName])) reads.push(command);
  };

  beforeAll(async () => {
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

  it('hydrates nothing and names the fields it reads, signed in or not', async () => {
    const tokens = new Map<string | null, string>();
    for (const [role, login] of Object.entries(CALLERS)) {
      const { body } = await app.patient.post('/v1/auth/login', { body: { login, password: EXAMPLE.password } });
      tokens.set(role, body.accessToken);
    }
    const unnamed: string[] = [];
    const answered = new Set<string>();
    let count = 0;
    hydrated.mockClear();
    for (const { operation, url, role } of documentedReads(document)) {
      reads = [];
      const { status } = await app.patient.get(url, { token: tokens.get(role) });
      if (status === 200) answered.add(operation);
      count += reads.length;
      for (const read of reads) if (!namesFields(read)) unnamed.push(`${url}: ${JSON.stringify(read)}`);
    }
    expect(unnamed).toEqual([]);
    expect(hydrated).not.toHaveBeenCalled();
    const working = operationsOf(document).filter(
      ({ exampleNeeds, method }) => method === 'GET' && exampleNeeds === undefined,
    );
    const streams = ['streamNotifications'];
    expect(working.map(({ id }) => id).filter((id) => !answered.has(id))).toEqual(streams);
    expect(count).toBeGreaterThan(200);
  });

  it('include each order with each filter, and no stream', () => {
    const urls = documentedReads(document).map(({ url }) => url);
    expect(urls).toContain('/v1/feed?sort=top&window=week&tag=mathematics&type=research-paper');
    expect(urls).toContain('/v1/feed?sort=hot&window=all');
    expect(urls.filter((url) => /stream|event-source|oidc/.test(url))).toEqual([]);
  });

  it('would be distinguished from a read that hydrates', async () => {
    const users = app.app.get(MongoService).connection.models['User']!;
    await users.findOne({});
    expect(hydrated).toHaveBeenCalled();
    expect(reads.map(namesFields)).toEqual([false]);
  });
});

function namesFields({ projection, pipeline }: Document): boolean {
  if (pipeline !== undefined) return /"\$(?:project|group)"/.test(JSON.stringify(pipeline));
  return Object.keys((projection as object | undefined) ?? {}).length > 0;
}
