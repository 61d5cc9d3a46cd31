import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts, ServerProcess } from '../server-process.js';
import { until } from '../until.js';

const JVM = ['-Xms512m', '-Xmx512m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
const LAUNCHER = join(import.meta.dirname, 'Launcher.java');

/** A real OpenSearch of one node. Its indexes survive a kill. */
export class OpenSearchServer extends ServerProcess {
  private readonly output = join(this.dir, 'output');
  private ports: [http: number, transport: number] | undefined;

  /** @param libs directory with the jars of pom.xml */
  constructor(private readonly libs: string) {
    super('opensearch');
    mkdirSync(join(this.dir, 'config'));
  }

  get url(): string {
    return `http://127.0.0.1:${this.ports![0]}`;
  }

  /** Resolves when the server responds. */
  async start(): Promise<void> {
    this.ports ??= (await freePorts(2)) as [number, number];
    const settings = {
      'http.port': this.ports[0],
      'transport.port': this.ports[1],
      'network.host': '127.0.0.1',
      'discovery.type': 'single-node',
      // the disk of the test machine may be nearly full
      'cluster.routing.allocation.disk.threshold_enabled': 'false',
    };
    const log = openSync(this.output, 'a');
    const pairs = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    this.spawn('java', [...JVM, '-cp', join(this.libs, '*'), LAUNCHER, this.dir, ...pairs], ['ignore', log, log]);
    await until(
      async () => {
        const health = await fetch(`${this.url}/_cluster/health?wait_for_status=yellow&timeout=5s`).catch(() => null);
        return health?.ok || null;
      },
      () => `OpenSearch does not answer:\n${readFileSync(this.output, 'utf8')}`,
    );
  }
}
