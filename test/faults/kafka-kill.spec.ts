import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { KafkaServer } from '../support/kafka.js';
import { describeWith } from '../support/optional.js';
import { publish, useServer } from '../support/server.js';
import { scale } from '../support/scale.js';
import { until } from '../support/until.js';
import { runCli } from './suite/server-under-test.js';

const EVENTS = scale('kafkaEvents');
const KILLS = 5;
const POSTS = 20;
/** One event in ten is repeated. */
const REPEATED = 10;

describeWith('kafka', 'a jobs process that consumes events and is killed again and again', (libs) => {
  const kafka = new KafkaServer(libs, 3);
  beforeAll(() => kafka.prepare(true));
  const served = useServer({
    processes: 2,
    jobs: true,
    environment: () => ({
      LOG_LEVEL: 'warn',
      EVENTS_KAFKA_BROKERS: kafka.securedBrokers,
      EVENTS_KAFKA_TOPIC: kafka.topic,
      EVENTS_KAFKA_TLS: 'true',
      EVENTS_KAFKA_SASL: 'SCRAM-SHA-512',
      EVENTS_KAFKA_USERNAME: kafka.login.username,
      EVENTS_KAFKA_PASSWORD: kafka.login.password,
      NODE_EXTRA_CA_CERTS: kafka.certificate,
    }),
  });
  const collection = (name: string) => served.db.collection(name);
  afterAll(() => kafka.remove());

  const isConsuming = async (): Promise<boolean> => {
    const { body } = await served.client.get<{ details: { kafka: { isConsuming: boolean } } }>('/health/ready');
    return body.details.kafka.isConsuming;
  };
  const consumed = () => kafka.committed();
  const untilConsumed = (count: number) =>
    until(
      async () => (await consumed()) >= count || null,
      () => 'events were not consumed',
    );

  it('starts without a broker, logs it once, and consumes when a broker is available', async () => {
    expect(await isConsuming()).toBe(false);
    const { host } = served;
    await host.untilOutput(/No events from Kafka: \S+ at localhost:\d+/);
    // The host retries every second.
    await sleep(3_500);
    expect(host.output.match(/No events from Kafka/g)).toHaveLength(1);
    await kafka.start();
    await until(
      async () => (await isConsuming()) || null,
      () => `it does not consume: ${host.output}`,
    );
    const { id } = await publish(served);
    await kafka.produce([{ postId: id, kind: 'view', address: '192.0.2.1' }]);
    await untilConsumed(1);
  });

  it(`counts each of ${EVENTS} events once: counters are the distinct events, audit 0`, async () => {
    const { host } = served;
    const posts: string[] = [];
    for (let at = 0; at < POSTS; at++) posts.push((await publish(served)).id);
    const eventOf = (at: number) => {
      const network = Math.floor(at / POSTS);
      const address = `10.${network >> 8}.${network & 255}.1`;
      return { postId: posts[at % POSTS]!, kind: 'view', address };
    };
    const part = Math.ceil(EVENTS / (KILLS + 1));
    let sent = 0;
    const produceSome = async (): Promise<void> => {
      const some = Array.from({ length: Math.min(part, EVENTS - sent) }, (_, at) => eventOf(sent + at));
      sent += some.length;
      await kafka.produce([...some, ...some.filter((_, at) => at % REPEATED === 0)]);
    };
    let met = 0;
    for (let count = 0; count < KILLS; count++) {
      const before = await consumed();
      await produceSome();
      await until(async () => (await consumed()) > before || null);
      const [pid] = await until(() => (host.workers('jobs').length > 0 ? host.workers('jobs') : null));
      process.kill(pid!, 'SIGKILL');
      if ((await consumed()) < kafka.produced) met++;
    }
    expect(met).toBeGreaterThan(0);
    await untilConsumed(kafka.produced);

    // The last part is not disturbed.
    const [jobs] = await until(() => (host.workers('jobs').length > 0 ? host.workers('jobs') : null));
    const { pid: mongod } = await served.db.admin().command({ serverStatus: 1 });
    const spent = (): [node: number, mongod: number] => [cpuMs(jobs!), cpuMs(Number(mongod))];
    const [nodeBefore, mongodBefore] = spent();
    const consumedBefore = await consumed();
    await produceSome();
    await untilConsumed(kafka.produced);
    const [nodeAfter, mongodAfter] = spent();
    const messages = kafka.produced - consumedBefore;
    const each = (ms: number): string => `${((ms * 1_000) / messages).toFixed(0)} µs`;
    console.log(
      `${messages} messages: ${each(nodeAfter - nodeBefore)} of node and ${each(mongodAfter - mongodBefore)} of mongod each`,
    );

    expect(sent).toBe(EVENTS);
    const ids = posts.map((id) => new ObjectId(id));
    const rows = await collection('posts')
      .find({ _id: { $in: ids } })
      .toArray();
    const views = rows.reduce((sum, { stats }) => sum + Number((stats as { viewsCount: number }).viewsCount), 0);
    expect(views).toBe(EVENTS);
    expect(await collection('post_recent_events').countDocuments({ postId: { $in: ids } })).toBe(EVENTS);
    expect(await collection('events_dead').countDocuments()).toBe(0);
    const audit = await runCli(host, ['counters', 'audit']);
    expect([audit.code, audit.output]).toEqual([0, expect.stringMatching(/^0 differences among [1-9]/m)]);
  });
});

/** CPU time of all threads of a process. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  // User and system time in ticks of 10 ms.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
