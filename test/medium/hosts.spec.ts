import { EventPublisher } from '../../src/platform/events/event-publisher.js';
import { Hosts } from '../../src/platform/hosts/hosts.js';
import { FORMAT } from '../../src/platform/mongo/format/database-format.js';
import { startApp, type TestApp } from '../support/app.js';
import { until } from '../support/until.js';

describe('a host', () => {
  let app: TestApp;
  let other: TestApp | undefined;

  beforeAll(async () => {
    app = await startApp({ role: 'all' });
  });
  afterAll(async () => {
    await other?.close();
    await app.close();
  });

  it('lists another one that starts', async () => {
    expect(app.app.get(Hosts).others).toEqual([]);
    other = await startApp({ beside: app, role: 'all' });
    const [here, there] = [app.app.get(Hosts), other.app.get(Hosts)];
    expect(there.own.host).not.toBe(here.own.host);
    await until(() => (here.others[0]?.host === there.own.host && there.others[0]?.host === here.own.host) || null);
  });

  it('lists the versions of all, and the maximum of their connections', async () => {
    // Each host has one process with the whole share.
    const [process, host] = [20, 20];
    const hosts = app.app.get(Hosts);
    await until(() => hosts.state.hosts === 2 || null);
    expect(hosts.state).toEqual({
      hosts: 2,
      versions: [hosts.own.version],
      connections: { process, host, cluster: 40 },
    });
    const metrics = (await app.client.get<string>('/metrics')).body;
    expect(metrics).toContain('opencanvas_mongo_pool_limit{of="cluster"} 40');
    const { details } = await until(async () => {
      const { status, body } = await app.client.get('/health/ready');
      return status === 200 ? body : null;
    });
    expect(details.cluster.hosts).toBe(2);
  });

  it('no longer lists one that has stopped', async () => {
    const hosts = app.app.get(Hosts);
    expect(await hosts.findServing()).toHaveLength(1);

    await other!.close();
    other = undefined;

    await until(() => hosts.others.length === 0 || null);
    expect([hosts.state.hosts, await hosts.findServing()]).toEqual([1, []]);
  });

  it('is listed again at once after one of its processes was replaced', async () => {
    const third = await startApp({ beside: app, role: 'all' });
    const here = app.app.get(Hosts);
    await until(() => here.others.length === 1 || null);

    await app.app.get(EventPublisher).publishNow({ name: 'host.left' }, third.app.get(Hosts).own.host);

    await until(async () => (await app.db.collection('events').countDocuments({ topic: 'host.left' })) > 1 || null);
    await until(() => here.others.length === 1 || null);
    await third.close();
  });

  it('names live hosts whose program knows only an earlier format, also those of 0.1.0', async () => {
    const hosts = app.app.get(Hosts);
    expect(await hosts.findBelow(FORMAT)).toEqual([]);
    const earlier = { host: 'b'.repeat(24), name: 'web-2', version: '0.2.0', connections: 40, secret: 'x' };
    const row = (payload: object, createdAt = new Date()) => ({ topic: 'host.seen', payload, createdAt });
    await app.db.collection('events').insertMany([
      row(earlier),
      row({ ...earlier, host: 'c'.repeat(24), name: 'web-3', version: '10.0.0', format: FORMAT + 1 }),
      // The database was stopped before it deleted this row.
      row({ ...earlier, host: 'e'.repeat(24), name: 'web-5' }, new Date(Date.now() - 30_000)),
    ]);
    await app.db.collection('outbox').insertOne(row({ ...earlier, name: 'web-6', version: '0.1.0' }));

    expect(await hosts.findBelow(FORMAT)).toEqual(['web-2 (0.2.0)', 'web-6 (0.1.0)']);
  });
});
