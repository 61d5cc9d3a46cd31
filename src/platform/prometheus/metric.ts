import {
  Counter,
  type CounterConfiguration,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  type Metric,
  register,
} from 'prom-client';

/** Returns an existing metric, because tests start several applications with one registry. */
function once<M extends Metric>(name: string, create: () => M): M {
  return (register.getSingleMetric(name) as M | undefined) ?? create();
}

export function counter<T extends string>(configuration: CounterConfiguration<T>): Counter<T> {
  return once(configuration.name, () => new Counter(configuration));
}

export function gauge<T extends string>(configuration: GaugeConfiguration<T>): Gauge<T> {
  return once(configuration.name, () => new Gauge(configuration));
}

export function histogram<T extends string>(configuration: HistogramConfiguration<T>): Histogram<T> {
  return once(configuration.name, () => new Histogram(configuration));
}

type Exported<L extends string> = {
  name: string;
  help: string;
  labelNames?: L[];
  aggregator?: 'max' | 'min';
  /** undefined: unknown at present, so there is no series */
  read: () => number | undefined | Iterable<readonly [labels: Record<L, string>, value: number]>;
};

/** Exports a total that its owner already counts. Reads the total on scrape, so the export costs the hot path nothing. */
export function exportCounter<L extends string = never>({ read, ...configuration }: Exported<L>): void {
  readOnScrape(counter(configuration), read);
}

/** Exports a value that can decrease. */
export function exportGauge<L extends string = never>({ read, ...configuration }: Exported<L>): void {
  readOnScrape(gauge(configuration), read);
}

/** Reads from the last application of the process. */
function readOnScrape<L extends string>(metric: Counter<L> | Gauge<L>, read: Exported<L>['read']): void {
  const collect = (): void => {
    metric.reset();
    const values = read();
    // A reset metric without labels has the value 0.
    if (values === undefined) metric.remove();
    else if (typeof values === 'number') metric.inc(values);
    else for (const [labels, value] of values) metric.inc(labels, value);
  };
  Object.assign(metric, { collect });
}
