import { BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { exportGauge } from '../prometheus/metric.js';

const PROBE_EVERY_MS = 30_000;

type Dependency = {
  /** label of the metric: s3, smtp */
  name: string;
  /** Rejects within seconds while the server is unusable. */
  probe: () => Promise<unknown>;
  /** the affected features, and what to check */
  consequence: string;
};

/** The optional servers that this process uses: probed at the start and every 30 s, exported as `opencanvas_dependency_up`. */
@Injectable()
export class Dependencies implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Dependencies');
  private readonly states = new Map<string, boolean>();
  private readonly timers: NodeJS.Timeout[] = [];

  constructor() {
    exportGauge({
      name: 'opencanvas_dependency_up',
      help: 'Whether an optional server (S3, SMTP) responded to its last probe, in every process of the host that uses it',
      labelNames: ['name'],
      aggregator: 'min',
      read: () => [...this.states].map(([name, isUp]) => [{ name }, Number(isUp)] as const),
    });
  }

  /** Starts the first probe immediately, and logs its result. */
  watch(dependency: Dependency): void {
    void this.probe(dependency);
    this.timers.push(setInterval(() => void this.probe(dependency), PROBE_EVERY_MS));
  }

  /** The state of the probed servers: a detail of readiness. */
  get state(): Record<string, 'up' | 'down'> {
    return Object.fromEntries([...this.states].map(([name, isUp]) => [name, isUp ? 'up' : 'down']));
  }

  beforeApplicationShutdown(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  private async probe({ name, probe, consequence }: Dependency): Promise<void> {
    const wasUp = this.states.get(name);
    try {
      await probe();
      this.states.set(name, true);
      if (wasUp === false) this.logger.log(`${name} responds again`);
    } catch (error) {
      this.states.set(name, false);
      if (wasUp !== false) this.logger.warn(`${name} does not respond: ${(error as Error).message}. ${consequence}`);
    }
  }
}
