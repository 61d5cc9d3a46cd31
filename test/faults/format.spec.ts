import { eventRow } from '../../src/platform/events/event.schema.js';
import { FORMAT_RAISED } from '../../src/platform/migrations/format-watch.service.js';
import { FORMAT, writeFormat } from '../../src/platform/mongo/format/database-format.js';
import { useServer } from '../support/server.js';
import { until } from '../support/until.js';

/** A later program migrates the database of a host that it could not see, for example because the host was frozen. */
describe('a host whose database is migrated beyond its program', () => {
  const served = useServer({ processes: 2, jobs: true, environment: { HTTP_SHUTDOWN_NOTICE_MS: '4000' } });

  it('begins no write, is not ready, says why and stops; another start is refused', async () => {
    const { client, author, db, host } = served;
    const body = { title: 'Before', content: 'Written before the migration.', type: 'article' };
    expect((await client.post('/v1/posts', { token: author.token, body })).status).toBe(201);
    const raised = { format: FORMAT + 1, oldestProgram: FORMAT + 1, version: '99.0.0' };
    const refusal = new RegExp(`was migrated to format ${FORMAT + 1} by 99\\.0\\.0, .*install 99\\.0\\.0 or newer`);

    await writeFormat(db, { ...raised, at: new Date() });
    await db.collection('events').insertOne(eventRow(FORMAT_RAISED, raised));

    await host.untilOutput(refusal);
    const refused = await until(async () => {
      const answer = await client.post('/v1/posts', { token: author.token, body }).catch(() => null);
      return answer?.status === 503 ? answer : null;
    });
    expect(refused.body.code).toMatch(/^(database_upgraded|shutting_down)$/);
    expect((await client.get('/health/ready')).status).toBe(503);
    expect(await host.exit()).toBe(0);
    expect(await db.collection('posts').countDocuments()).toBe(1);

    host.start();
    expect(await host.exit()).toBe(1);
    expect(host.output).toMatch(refusal);
  });
});
