import type { BenchmarkContext } from '../context.js';

/** A question about the product, and how it is put. */
export type Suite = {
  name: string;
  title: string;
  /** one sentence for the report: what is loaded, what is compared */
  question: string;
  run(context: BenchmarkContext): Promise<void>;
};
