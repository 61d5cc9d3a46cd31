import type { BenchmarkContext } from '../context.js';

/** A question about the product, and the benchmark for it. */
export type Suite = {
  name: string;
  title: string;
  /** One sentence for the report: the load, and the compared subjects. */
  question: string;
  /** Runs only by name, because a component is installed by hand. */
  isByName?: boolean;
  run(context: BenchmarkContext): Promise<void>;
};
