import type { BenchmarkContext } from '../context.js';

/** A question about the product, and how it is put. */
export type Suite = {
  name: string;
  title: string;
  /** one sentence for the report: the load, and the compared subjects */
  question: string;
  run(context: BenchmarkContext): Promise<void>;
};
