import { HostBarrier } from '../../src/platform/outbox/host-barrier.js';
import { Hosts } from '../../src/platform/outbox/hosts.js';
import { startApp, type TestApp } from '../support/app.js';
import { insertPeople, type TestPerson } from '../support/people.js';
import { until } from '../support/spawned-host.js';
import { hostsMsOf } from '../support/two-hosts.js';
import { writePost } from '../support/written.js';

describe('a host', () => {
  let app: TestApp;
  let other: TestApp | undefined;
  let author: TestPerson;
  const asked = () => app.db.collection('outbox').find({ topic: 'host.asks' }).toArray();

  beforeAll(async () => {
    app = await startApp({}, 'all');
    [author] = (await insertPeople(app, 1)) as [TestPerson];
  }, 60_000);
  afterAll(async () => {
    await other?.close();
    await app.close();
  });

  const deletePost = async () => {
    const { id } = await writePost(app, author);
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
    other = await startApp({ MONGODB_DATABASE: app.db.databaseName }, 'all');
    const [here, there] = [app.app.get(Hosts), other.app.get(Hosts)];
    expect(there.self).not.toBe(here.self);
    await until(() => (here.others[0] === there.self && there.others[0] === here.self) || null, 30_000);
    const { id } = await writePost(app, author);
    const { token } = author;
    const edited = await app.client.patch(`/v1/posts/${id}`, { token, body: { title: 'Edited' } });
    expect([edited.status, hostsMsOf(edited.headers)]).toEqual([200, NaN]);
    expect((await app.client.delete(`/v1/posts/${id}`)).status).toBe(401);
    expect(await asked()).toEqual([]);
    expect(hostsMsOf((await deletePost()).headers)).toBeGreaterThan(0);
    const question = await until(async () => (await asked()).find(({ heardBy }) => heardBy !== undefined), 10_000);
    expect(question).toMatchObject({ payload: { host: here.self }, heardBy: [there.self] });
  }, 90_000);
});
