import { Inject } from '@nestjs/common';
import { JobsRunner, type JobWork } from './jobs-runner.js';

export type LeasedOptions<Provider> = {
  /** Called before the lease is acquired, which costs two journaled writes. */
  isDue?: (provider: Provider) => Promise<boolean>;
  /** how long the run of a killed process blocks others */
  leaseMs?: (provider: Provider) => number;
};

const JOBS = Symbol('jobs');

/**
 * Runs a method below `@Interval` or `@Cron` when it is due, in one process of all hosts at a time, under the lease of this name. A call
 * with a signal runs the method immediately, because its caller holds the lease.
 */
export function Leased<Provider extends object>(name: string, { isDue, leaseMs }: LeasedOptions<Provider> = {}) {
  return <Work extends JobWork>(target: Provider, _: string, descriptor: TypedPropertyDescriptor<Work>): void => {
    Inject(JobsRunner)(target, JOBS);
    const work = descriptor.value!;
    const run = function (this: Provider & { [JOBS]: JobsRunner }, ...args: Parameters<JobWork> | []) {
      if (args.length > 0) return work.apply(this, args as Parameters<JobWork>);
      return this[JOBS].runIfDue(
        name,
        (...workArgs) => work.apply(this, workArgs),
        isDue && (() => isDue(this)),
        leaseMs?.(this),
      );
    };
    descriptor.value = run as unknown as Work;
  };
}
