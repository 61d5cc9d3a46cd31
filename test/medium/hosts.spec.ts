import { packageVersion } from '../../src/config/package-version.js';
import { Fleet } from '../../src/platform/outbox/fleet.js';
import { HostBarrier } from '../../src/platform/outbox/host-barrier.js';
import { Hosts } from '../../src/platform/outbox/hosts.js';
import { startApp, type TestApp } from '../support/app.js';
import { until } from '../support/until.js';
import { hostsMsOf } from '../support/two-hosts.js';
import type { Person } from '../support/world.js';

describe('a host', () => {
  let app: TestApp;
  let other: TestApp | undefined;
  let author: Person;
  const asked = () => app.db.collection('outbox').find({ topic: 'host.asks' }).toArray();

  beforeAll(async () => {
    app = await startApp({ role: 'all' });
    author = await app.world.person();
  });
  afterAll(async () => {
    await other?.close();
    await app.close();
  });

  const deletePost = async () => {
    const { id } = await app.world.post({ by: author });
    const answer = await app.client.delete(`/v1/posts/${id}`, { token: author.token });
    expect(answer.status).toBe(204);
    return answer;
  };

  it('that is alone asks no other host, and does not wait', async () => {
    expect(app.app.get(Hosts).others).toEqual([]);
    expect(await app.app.get(HostBarrier).settled()).toBeUndefined();
    expect(hostsMsOf((await deletePost()).headers)).toBeNaN();
    expect(await asked()).toEqual([]);
  });

  it('hears of another one that starts, asks it with a deletion, and does not ask it about anything else', async () => {
    other = await startApp({ beside: app, role: 'all' });
    const [here, there] = [app.app.get(Hosts), other.app.get(Hosts)];
    expect(there.self).not.toBe(here.self);
    await until(() => (here.others[0]?.host === there.self && there.others[0]?.host === here.self) || null);
    const { id } = await app.world.post({ by: author });
    const { token } = author;
    const edited = await app.client.patch(`/v1/posts/${id}`, { token, body: { title: 'Edited' } });
    expect([edited.status, hostsMsOf(edited.headers)]).toEqual([200, NaN]);
    expect((await app.client.delete(`/v1/posts/${id}`)).status).toBe(401);
    expect(await asked()).toEqual([]);
    // one that a busy machine kept from saying that it lives is not waited for
    await until(async () => hostsMsOf((await deletePost()).headers) > 0 || null);
    const question = await until(async () => (await asked()).find(({ heardBy }) => heardBy !== undefined));
    expect(question).toMatchObject({ payload: { host: here.self }, heardBy: [there.self] });
  });

  it('knows the versions of all, and how many connections they may open together', async () => {
    // one process each, and its whole share
    const [process, host] = [20, 20];
    const fleet = app.app.get(Fleet);
    await until(() => (fleet.state as { hosts: number }).hosts === 2 || null);
    expect(fleet.state).toEqual({
      hosts: 2,
      versions: [packageVersion()],
      connections: { process, host, fleet: 40 },
    });
    const metrics = (await app.client.get<string>('/metrics')).body;
    expect(metrics).toContain('opencanvas_mongo_pool_limit{of="fleet"} 40');
    const { details } = await until(async () => {
      const { status, body } = await app.client.get('/health/ready');
      return status === 200 ? body : null;
    });
    expect(details.fleet.hosts).toBe(2);
  });

  it('names live hosts of earlier versions and of other builds of its own', async () => {
    const fleet = app.app.get(Fleet);
    expect(await fleet.findOlder()).toEqual([]);
    const told = { host: 'b'.repeat(24), sentAt: 1, name: 'web-2', version: '0.0.9', connections: 40 };
    const silent = { host: 'a'.repeat(24), sentAt: 1 };
    const newer = { ...told, host: 'c'.repeat(24), name: 'web-3', version: '10.0.0' };
    const topic = 'host.seen';
    const build = { ...told, host: 'd'.repeat(24), name: 'web-4', version: `${packageVersion()}+another` };
    const rows = [told, silent, newer, build].map((payload) => ({ topic, payload, createdAt: new Date() }));
    await app.db.collection('outbox').insertMany(rows);
    expect((await fleet.findOlder()).sort()).toEqual([
      `${silent.host} (0.0.0)`,
      'web-2 (0.0.9)',
      `web-4 (${packageVersion()}+another)`,
    ]);
  });
});
