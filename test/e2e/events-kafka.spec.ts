import { ObjectId } from 'mongodb';
import { AuditService } from '../../src/audit/audit.service.js';
import { PostEventDaysService } from '../../src/views/post-event-days.service.js';
import type { Post } from '../../src/posts/post.schema.js';
import { POST_EVENT_DAYS } from '../../src/views/post-event.schema.js';
import { startApp, type TestApp } from '../support/app.js';
import { createClient } from '../support/client.js';
import { KafkaServer } from '../support/kafka.js';
import { describeWith } from '../support/optional.js';
import { until } from '../support/until.js';
import type { Person } from '../support/world.js';

const DAY_MS = 86_400_000;

describeWith('kafka', 'events over Kafka', (libs) => {
  const kafka = new KafkaServer(libs, 3);
  let app: TestApp;
  let author: Person;
  let readers: Person[];
  const settings = () => ({ EVENTS_KAFKA_BROKERS: kafka.brokers, EVENTS_KAFKA_TOPIC: kafka.topic });

  beforeAll(async () => {
    await kafka.start();
    app = await startApp({ env: { ...settings(), HTTP_TRUSTED_PROXIES: '127.0.0.1' }, role: 'all' });
    author = await app.world.person();
    readers = await app.world.people(20);
  });
  afterAll(async () => {
    await app?.close();
    await kafka.remove();
  });

  const publish = async (isPublic = true): Promise<string> => (await app.world.post({ by: author, isPublic })).id;
  const postOf = async (id: string): Promise<Post> =>
    (await app.db.collection<Post>('posts').findOne({ _id: new ObjectId(id) }))!;
  const dead = () => app.db.collection<{ _id: string; reason: string; value: { buffer: Buffer } }>('events_dead');
  type Ready = { details?: { kafka: { isConsuming: boolean; lag: number | null } } };
  // Reads from the host itself, because a proxy does not pass on the details.
  const kafkaState = async () => (await createClient(app.ownUrl).get<Ready>('/health/ready')).body.details?.kafka;
  const metrics = async () => (await createClient(app.ownUrl).get<string>('/metrics')).body;
  const consumed = async (outcome: string): Promise<number> => {
    const line = new RegExp(`^opencanvas_events_consumed_total{outcome="${outcome}"} (\\d+)$`, 'm');
    return Number(line.exec(await metrics())?.[1] ?? 0);
  };
  /** Waits for the metric, which changes after the commit. @param repeated the maximum of additional deliveries */
  const untilConsumed = (outcome: string, count: number, repeated: number) =>
    until(async () => {
      const more = (await consumed(outcome)) - count;
      return (more >= 0 && more <= repeated) || null;
    });
  /** Resolves when every produced message is processed. */
  const isConsumed = async (group?: string) => {
    let count = 0;
    await until(
      async () => (count = await kafka.committed(group)) === kafka.produced || null,
      () => `${count} of ${kafka.produced} messages`,
    );
  };
  /** Events of unknown posts in all partitions. */
  const ofAllPartitions = () =>
    Array.from({ length: 100 }, () => ({ postId: new ObjectId().toHexString(), kind: 'view', userId: author.id }));
  const differences = async (): Promise<unknown[]> => {
    const found: unknown[] = [];
    await app.app.get(AuditService).audit((difference) => void found.push(difference));
    return found;
  };

  it('are counted once per viewer, post and kind, together with those over HTTP', async () => {
    const id = await publish();
    const [reader] = readers as [Person];
    const sent = await app.client.post(`/v1/posts/${id}/events`, { token: reader.token, body: { kind: 'read' } });
    expect(sent.body).toEqual({ counted: true });
    const byReaders = readers.map((person) => ({ postId: id, kind: 'read', userId: person.id }));
    const byVisitors = ['192.0.2.1', '192.0.2.1', '::ffff:192.0.2.1', '2001:db8::1', '2001:db8:0:1::2'];
    const shares = byVisitors.map((address) => ({ postId: id, kind: 'share', address }));
    await kafka.produce([...byReaders, ...shares, ...byReaders]);
    await isConsumed();
    expect(await postOf(id)).toMatchObject({
      stats: { viewsCount: 0, readsCount: 20, sharesCount: 2 },
      visitors: { reads: 0, shares: 2 },
    });
    const again = await app.client.post(`/v1/posts/${id}/events`, {
      headers: { 'x-forwarded-for': '192.0.2.1' },
      body: { kind: 'share' },
    });
    expect(again.body).toEqual({ counted: false });
    expect(await differences()).toEqual([]);
  });

  it('appear in the metrics of their host', async () => {
    const shown = /^opencanvas_kafka_consuming 1$[^]*^opencanvas_kafka_lag_messages 0$/m;
    await until(async () => shown.test(await metrics()) || null);
  });

  it('do not stop at messages that can never be counted: these are parked with their reason, others are counted', async () => {
    const id = await publish();
    const view = { postId: id, kind: 'view', address: '192.0.2.1' };
    const poisons: [message: object | string | Buffer, reason: RegExp][] = [
      ['{"postId": ', /^is not JSON$/],
      [Buffer.from([0xff, 0xfe, 0x00]), /^is not JSON$/],
      ['null', /expected object/],
      ['', /^is (not JSON|empty)$/],
      [{ ...view, postId: `${id}0` }, /^postId: must be 24 hex digits$/],
      [{ ...view, postId: { $ne: null } }, /^postId: /],
      [{ ...view, kind: 'like' }, /^kind: /],
      [{ ...view, kind: '__proto__' }, /^kind: /],
      [{ ...view, address: '192.0.2' }, /^address: must be an IP address$/],
      [{ ...view, userId: author.id }, /^needs userId or address$/],
      [{ postId: id, kind: 'view' }, /^needs userId or address$/],
      [{ postId: id, kind: 'view', userId: 'demo_writer' }, /^userId: must be 24 hex digits$/],
      [{ ...view, user_id: author.id }, /user_id/],
      [{ ...view, at: 'yesterday' }, /^at: /],
      [{ ...view, at: new Date(Date.now() + DAY_MS).toISOString() }, /^at: is in the future$/],
      [{ ...view, note: 'x'.repeat(2_000) }, /^has 2\d{3} bytes$/],
    ];
    const parkedBefore = await consumed('parked');
    const good = Array.from({ length: poisons.length }, (_, at) => ({ ...view, address: `10.2.${at}.1` }));
    const repeated = await kafka.produce(poisons.flatMap(([poison], at) => [poison, good[at]!]));
    await isConsumed();
    expect((await postOf(id)).stats.viewsCount).toBe(good.length);
    await untilConsumed('parked', parkedBefore + poisons.length, repeated);
    const rows = await dead().find().toArray();
    expect(new Set(rows.map(({ value }) => Buffer.from(value.buffer).toString('hex'))).size).toBe(poisons.length);
    for (const [poison, reason] of poisons) {
      const bytes =
        poison instanceof Buffer ? poison : Buffer.from(typeof poison === 'string' ? poison : JSON.stringify(poison));
      const row = rows.find(({ value }) => bytes.subarray(0, 1_024).equals(value.buffer));
      expect([bytes.toString(), row?.reason]).toEqual([bytes.toString(), expect.stringMatching(reason)]);
    }
    const full = 10_000 - rows.length;
    await dead().insertMany(
      Array.from({ length: full }, (_, at) => ({ _id: `test:${at}`, reason: '', value: { buffer: Buffer.alloc(0) } })),
    );
    const parked = await consumed('parked');
    const repeatedMore = await kafka.produce(['more', 'and more']);
    await isConsumed();
    await untilConsumed('parked', parked + 2, repeatedMore);
    expect(await dead().countDocuments()).toBe(10_000);
    await dead().deleteMany({});
  });

  it('of hidden or deleted posts are neither counted nor dead-lettered', async () => {
    const [hidden, shown] = [await publish(false), await publish()];
    const by = (postId: string, userId: string) => ({ postId, kind: 'view', userId });
    const before = await consumed('unknown_post');
    const [reader] = readers as [Person];
    const repeated = await kafka.produce([
      by(hidden, reader.id),
      by(hidden, author.id),
      by(new ObjectId().toHexString(), reader.id),
      by(shown, reader.id),
    ]);
    await isConsumed();
    expect((await postOf(hidden)).stats.viewsCount).toBe(0);
    expect((await postOf(shown)).stats.viewsCount).toBe(1);
    // The author can see the hidden post, so this view is neither counted nor unknown.
    await untilConsumed('unknown_post', before + 2, repeated);
    expect(await dead().countDocuments()).toBe(0);
  });

  it('count in the window in which they happened, until it ended longer ago than the maximum age', async () => {
    const id = await publish();
    const at = (ms: number) => ({
      postId: id,
      kind: 'view',
      address: '192.0.2.1',
      at: new Date(Date.now() - ms).toISOString(),
    });
    const before = await consumed('late');
    const repeated = await kafka.produce([at(0), at(DAY_MS), at(0), at(DAY_MS), at(4 * DAY_MS)]);
    await isConsumed();
    expect((await postOf(id)).stats.viewsCount).toBe(2);
    await untilConsumed('late', before + 1, repeated);
    const never = new AbortController().signal;
    // A fold waits until Kafka cannot deliver any event of the day again.
    await app.app.get(PostEventDaysService).fold(never, Date.now());
    await kafka.produce([at(DAY_MS)]);
    await isConsumed();
    expect((await postOf(id)).stats.viewsCount).toBe(2);
    await app.app.get(PostEventDaysService).fold(never, Date.now() + 4 * DAY_MS);
    const days = await app.db
      .collection(POST_EVENT_DAYS)
      .find({ postId: new ObjectId(id) })
      .sort({ _id: 1 })
      .toArray();
    expect(days.map(({ views }) => views as number)).toEqual([1, 1]);
    expect(await differences()).toEqual([]);
  });

  it('that are read again are not counted again', async () => {
    const id = await publish();
    await kafka.produce(readers.map(({ id: userId }) => ({ postId: id, kind: 'share', userId })));
    await isConsumed();
    const before = await postOf(id);
    const again = await startApp({ beside: app, env: { ...settings(), EVENTS_KAFKA_GROUP: 'again' }, role: 'all' });
    await isConsumed('again');
    await again.close();
    expect((await postOf(id)).stats).toEqual(before.stats);
    expect(await differences()).toEqual([]);
  });

  it('are read from the first that the topic has when it has deleted unread ones', async () => {
    const id = await publish();
    await kafka.dropUnread('late');
    const late = await startApp({ beside: app, env: { ...settings(), EVENTS_KAFKA_GROUP: 'late' }, role: 'all' });
    await kafka.produce([...ofAllPartitions(), { postId: id, kind: 'view', userId: author.id }]);
    await isConsumed('late');
    await late.close();
    expect((await postOf(id)).stats.viewsCount).toBe(1);
  });

  it('are counted once while a host joins and leaves the group', async () => {
    const id = await publish();
    const eventsOf = (at: number) =>
      Array.from({ length: 300 }, (_, index) => ({ postId: id, kind: 'view', address: `10.${at}.${index % 256}.1` }));
    const other = await startApp({ beside: app, env: settings(), role: 'all' });
    await kafka.produce([...eventsOf(1), ...ofAllPartitions()]);
    await isConsumed();
    await kafka.produce([...eventsOf(2), ...ofAllPartitions()]);
    await other.close();
    await isConsumed();
    expect((await postOf(id)).stats.viewsCount).toBe(512);
    expect(await differences()).toEqual([]);
  });

  it('are consumed from partitions that were added later', async () => {
    await kafka.grow(5);
    await kafka.produce(ofAllPartitions());
    await isConsumed();
  });

  it('wait while the broker is down, and are counted when it is back', async () => {
    const id = await publish();
    const isConsuming = (expected: boolean) =>
      until(
        async () => (await kafkaState())?.isConsuming === expected || null,
        () => `it is not ${expected} that the host consumes`,
      );
    await isConsuming(true);
    kafka.freeze();
    try {
      await isConsuming(false);
    } finally {
      kafka.thaw();
    }
    await isConsuming(true);
    await kafka.kill();
    await isConsuming(false);
    const over = await app.client.post(`/v1/posts/${id}/events`, { token: readers[0]!.token, body: { kind: 'view' } });
    expect(over.body).toEqual({ counted: true });
    await kafka.start();
    await kafka.produce(readers.map(({ id: userId }) => ({ postId: id, kind: 'view', userId })));
    await isConsumed();
    expect((await postOf(id)).stats.viewsCount).toBe(readers.length);
    await until(async () => (await kafkaState())?.lag === 0 || null);
  });
});
