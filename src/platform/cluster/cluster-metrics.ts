import { AggregatorRegistry, register } from 'prom-client';
import type { ClusterBus } from './bus.js';

const TOPIC = 'metrics';

type Metrics = Awaited<ReturnType<typeof register.getMetricsAsJSON>>;

/** One Prometheus page for the whole host, from whichever process is asked. */
export class ClusterMetrics {
  constructor(private readonly bus: ClusterBus) {
    bus.answer(TOPIC, () => register.getMetricsAsJSON());
  }

  get contentType(): string {
    return register.contentType;
  }

  /** Counters and histograms are summed over the processes; a process that does not answer within 2 s is left out. */
  async collect(): Promise<string> {
    const { answers } = await this.bus.gather<Metrics>(TOPIC);
    return AggregatorRegistry.aggregate(answers).metrics();
  }
}
