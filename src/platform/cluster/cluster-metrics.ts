import { AggregatorRegistry, register } from 'prom-client';
import type { ClusterBus } from './bus.js';

const TOPIC = 'metrics';
/** Gathering takes time of every process of the host. */
const GATHER_EVERY_MS = 1_000;

type Metrics = Awaited<ReturnType<typeof register.getMetricsAsJSON>>;

/** One Prometheus page for the whole host, from whichever process is asked; gathered once a second at most, for all who ask. */
export class ClusterMetrics {
  private last: { at: number; page: string } | undefined;
  private gathering: Promise<string> | undefined;

  constructor(private readonly bus: ClusterBus) {
    bus.answer(TOPIC, () => register.getMetricsAsJSON());
  }

  get contentType(): string {
    return register.contentType;
  }

  /** Counters and histograms are summed over the processes; a process that does not answer within 2 s is left out. */
  async collect(): Promise<string> {
    if (this.last !== undefined && performance.now() - this.last.at < GATHER_EVERY_MS) return this.last.page;
    this.gathering ??= this.gather().finally(() => (this.gathering = undefined));
    return this.gathering;
  }

  private async gather(): Promise<string> {
    const { answers } = await this.bus.gather<Metrics>(TOPIC);
    const page = await AggregatorRegistry.aggregate(answers).metrics();
    this.last = { at: performance.now(), page };
    return page;
  }
}
