import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Admin, Producer } from '@platformatic/kafka';
import { freePorts, ServerProcess } from './server-process.js';
import { until } from './until.js';

const START_TIMEOUT_MS = 120_000;
const JVM = ['-Xmx512m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
const CLIENT = { clientId: 'test', retries: 5, retryDelay: 200 } as const;

/** A real Kafka with broker and controller in one process. Stored messages survive a kill. */
export class KafkaServer extends ServerProcess {
  readonly topic = `events.${randomBytes(4).toString('hex')}`;
  /** Credentials for the TLS listener. */
  readonly login = { username: 'canvas', password: randomBytes(8).toString('hex') };
  /** Messages of the topic, as the broker counts them. A repeated send may have stored some messages twice. */
  produced = 0;
  private readonly settings = join(this.dir, 'server.properties');
  private readonly output = join(this.dir, 'output');
  private ports: [plain: number, controller: number, secured: number] | undefined;
  private admin: Admin | undefined;
  private producer: Producer | undefined;

  constructor(
    private readonly libs: string,
    private partitions = 1,
  ) {
    super('kafka');
  }

  get brokers(): string {
    return `127.0.0.1:${this.ports![0]}`;
  }

  /** Brokers with TLS and SCRAM-SHA-512, after `prepare(true)`. */
  get securedBrokers(): string {
    return `localhost:${this.ports![2]}`;
  }

  get certificate(): string {
    return join(this.dir, 'certificate.pem');
  }

  /** Chooses the address. The broker does not listen yet. */
  async prepare(isSecured = false): Promise<void> {
    this.ports = (await freePorts(3)) as [number, number, number];
    const [plain, controller, secured] = this.ports;
    if (isSecured) this.makeCertificate();
    const listeners = [`PLAINTEXT://127.0.0.1:${plain}`, ...(isSecured ? [`SASL_SSL://localhost:${secured}`] : [])];
    writeFileSync(
      this.settings,
      Object.entries({
        'process.roles': 'broker,controller',
        'node.id': '1',
        'controller.quorum.voters': `1@127.0.0.1:${controller}`,
        'controller.listener.names': 'CONTROLLER',
        'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL',
        listeners: [...listeners, `CONTROLLER://127.0.0.1:${controller}`].join(),
        'advertised.listeners': listeners.join(),
        'log.dirs': join(this.dir, 'logs'),
        'auto.create.topics.enable': 'false',
        'offsets.topic.replication.factor': '1',
        'offsets.topic.num.partitions': '1',
        'group.initial.rebalance.delay.ms': '0',
        ...(isSecured && {
          'ssl.keystore.type': 'PEM',
          'ssl.keystore.location': join(this.dir, 'keystore.pem'),
          'sasl.enabled.mechanisms': 'SCRAM-SHA-512',
          'listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config':
            'org.apache.kafka.common.security.scram.ScramLoginModule required;',
        }),
      })
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
    const { username, password } = this.login;
    const users = isSecured ? ['--add-scram', `SCRAM-SHA-512=[name=${username},password=${password}]`] : [];
    const cluster = randomBytes(16).toString('base64url');
    const format = ['kafka.tools.StorageTool', 'format', '-t', cluster, '-c', this.settings, ...users];
    execFileSync('java', [...this.java, ...format], { stdio: 'pipe', timeout: START_TIMEOUT_MS });
  }

  /** The first start creates the topic. */
  async start(): Promise<void> {
    if (this.ports === undefined) await this.prepare();
    const log = openSync(this.output, 'a');
    this.spawn('java', [...this.java, 'kafka.Kafka', this.settings], ['ignore', log, log]);
    const prober = new Admin({ ...CLIENT, bootstrapBrokers: [this.brokers], retries: 0 });
    await until(
      () =>
        prober.listTopics().then(
          () => true,
          () => null,
        ),
      () => `Kafka does not answer:\n${readFileSync(this.output, 'utf8')}`,
    );
    if (!(await prober.listTopics()).includes(this.topic))
      await prober.createTopics({ topics: [this.topic], partitions: this.partitions, replicas: 1 });
    await prober.close();
    this.connect();
  }

  /** Resolves when the broker has stored the messages. Objects become JSON with the post as key. @returns the number of duplicates */
  async produce(values: (object | string | Buffer)[]): Promise<number> {
    const before = this.produced;
    for (let begin = 0; begin < values.length; begin += 1_000) {
      const messages = values.slice(begin, begin + 1_000).map((value) => {
        const bytes =
          value instanceof Buffer ? value : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
        const { postId } = value as { postId?: unknown };
        return { topic: this.topic, value: bytes, ...(typeof postId === 'string' && { key: Buffer.from(postId) }) };
      });
      await this.producer!.send({ messages, acks: -1 });
    }
    this.produced = await this.countMessages();
    return this.produced - before - values.length;
  }

  /** Returns the sum of the offsets that a consumer group has committed. */
  async committed(group = 'opencanvas'): Promise<number> {
    const [found] = await this.admin!.listConsumerGroupOffsets({ groups: [group] });
    const partitions = found!.topics.flatMap((topic) => topic.partitions);
    return partitions.reduce((sum, { committedOffset }) => sum + Math.max(0, Number(committedOffset)), 0);
  }

  /** Deletes all messages. This group has read none of them. */
  async dropUnread(groupId: string): Promise<void> {
    const [name, each] = [this.topic, Array.from({ length: this.partitions }, (_, partition) => partition)];
    const partitionOffsets = each.map((partition) => ({ partition, offset: 0n }));
    await this.admin!.alterConsumerGroupOffsets({ groupId, topics: [{ name, partitionOffsets }] });
    const partitions = each.map((partition) => ({ partition, offset: -1n }));
    await this.admin!.deleteRecords({ topics: [{ name, partitions }] });
  }

  /** Adds partitions to the topic, which get the next messages. Resolves when all partitions have a leader. */
  async grow(partitions: number): Promise<void> {
    await this.admin!.createPartitions({ topics: [{ name: this.topic, count: partitions }] });
    this.partitions = partitions;
    await until(() => this.countMessages().catch(() => null));
    // Only a new client sees the partitions immediately.
    await this.disconnect();
    this.connect();
  }

  override async kill(): Promise<void> {
    await this.disconnect();
    await super.kill();
  }

  private connect(): void {
    this.admin = new Admin({ ...CLIENT, bootstrapBrokers: [this.brokers] });
    this.producer = new Producer({ ...CLIENT, bootstrapBrokers: [this.brokers] });
  }

  private async disconnect(): Promise<void> {
    await this.admin?.close();
    await this.producer?.close();
    this.admin = undefined;
    this.producer = undefined;
  }

  private async countMessages(): Promise<number> {
    const partitions = Array.from({ length: this.partitions }, (_, partitionIndex) => ({
      partitionIndex,
      timestamp: -1n,
    }));
    const listed = await this.admin!.listOffsets({ topics: [{ name: this.topic, partitions }] });
    return listed.flatMap((topic) => topic.partitions).reduce((sum, { offset }) => sum + Number(offset), 0);
  }

  private get java(): string[] {
    return [...JVM, '-cp', join(this.libs, '*')];
  }

  private makeCertificate(): void {
    const key = join(this.dir, 'key.pem');
    // prettier-ignore
    execFileSync('openssl', [
      'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost',
      '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', this.certificate,
    ], { stdio: 'pipe' });
    writeFileSync(join(this.dir, 'keystore.pem'), readFileSync(key, 'utf8') + readFileSync(this.certificate, 'utf8'));
  }
}
