import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts, ServerProcess } from '../server-process.js';
import { ROOT } from '../spawned-host.js';
import { until } from '../until.js';

const JVM = ['-Xms512m', '-Xmx512m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
const LAUNCHER = join(ROOT, 'test/support/opensearch/Launcher.java');

type Options = {
  /** of its cluster; default: it is the only node */
  settings?: Record<string, string>;
  /** arguments of Java; default: a small heap and a fast start */
  jvm?: string[];
};

type Ports = [http: number, transport: number];

/** A real node of OpenSearch. Its indexes survive a kill. */
export class OpenSearchServer extends ServerProcess {
  private readonly output = join(this.dir, 'output');
  private ports: Ports | undefined;

  /** @param libs directory with the jars of pom.xml */
  constructor(
    private readonly libs: string,
    private readonly options: Options = {},
  ) {
    super('opensearch');
    mkdirSync(join(this.dir, 'config'));
  }

  /** Returns the started nodes of one cluster. */
  static async startCluster(libs: string, count: number): Promise<OpenSearchServer[]> {
    const ports = await Promise.all(Array.from({ length: count }, async () => (await freePorts(2)) as Ports));
    const names = ports.map((_, at) => `node${at}`);
    const nodes = ports.map((own, at) => {
      const settings = {
        'node.name': names[at]!,
        'discovery.seed_hosts': ports.map(([, transport]) => `127.0.0.1:${transport}`).join(),
        'cluster.initial_cluster_manager_nodes': names.join(),
      };
      const node = new OpenSearchServer(libs, { settings });
      node.ports = own;
      return node;
    });
    await Promise.all(nodes.map((node) => node.start()));
    await nodes[0]!.untilHealthy(`wait_for_nodes=${count}`);
    return nodes;
  }

  get url(): string {
    return `http://127.0.0.1:${this.ports![0]}`;
  }

  /** Resolves when the server responds. */
  async start(): Promise<void> {
    this.ports ??= (await freePorts(2)) as Ports;
    const { settings: cluster, jvm = JVM } = this.options;
    const settings = {
      'http.port': this.ports[0],
      'transport.port': this.ports[1],
      'network.host': '127.0.0.1',
      ...(cluster ?? { 'discovery.type': 'single-node' }),
      // the disk of the test machine may be nearly full
      'cluster.routing.allocation.disk.threshold_enabled': 'false',
    };
    const log = openSync(this.output, 'a');
    const pairs = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    this.spawn('java', [...jvm, '-cp', join(this.libs, '*'), LAUNCHER, this.dir, ...pairs], ['ignore', log, log]);
    await this.untilHealthy('wait_for_status=yellow');
  }

  /** @param condition parameters of `_cluster/health`, such as `wait_for_status=green` */
  async untilHealthy(condition: string): Promise<void> {
    await until(
      async () => {
        const health = await fetch(`${this.url}/_cluster/health?${condition}&timeout=5s`).catch(() => null);
        return health?.ok || null;
      },
      () => `OpenSearch does not answer:\n${readFileSync(this.output, 'utf8')}`,
    );
  }
}
