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

/** The registry belongs to the process, and tests start several applications in one: the first to come makes a metric. */
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
