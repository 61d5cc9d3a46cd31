import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { Durations } from './durations.mjs';

const { default: TestRunner } = createRequire(import.meta.url)('jest-runner');

/**
 * Runs Jest's runner twice: specs that mostly compute share one process per core, and specs that wait for servers and timers share
 * the rest of `maxWorkers`. With no more processes than cores there is one class.
 */
export default class Lanes {
  supportsEventEmitters = true;
  #listeners = [];

  constructor(globalConfig, context) {
    this.globalConfig = globalConfig;
    this.context = context;
  }

  on(event, listener) {
    this.#listeners.push([event, listener]);
    return () => {};
  }

  async runTests(tests, watcher, options) {
    const { maxWorkers } = this.globalConfig;
    const cores = availableParallelism();
    if (options.serial || maxWorkers <= cores) return this.#run(tests, maxWorkers, watcher, options);
    const { computing, waiting } = classify(tests, cores / maxWorkers, new Durations());
    await Promise.all([
      this.#run(computing, cores, watcher, options),
      this.#run(waiting, maxWorkers - cores, watcher, options),
    ]);
  }

  async #run(tests, lanes, watcher, options) {
    if (tests.length === 0) return;
    const runner = new TestRunner({ ...this.globalConfig, maxWorkers: Math.min(lanes, tests.length) }, this.context);
    for (const [event, listener] of this.#listeners) runner.on(event, listener);
    await runner.runTests(tests, watcher, options);
  }
}

/** Specs that mostly compute fill `share` of the seconds, so that both classes end together. The order within a class stays. */
export function classify(tests, share, durations) {
  const seconds = (test) => durations.secondsOf(test.path);
  let left = share * tests.reduce((sum, test) => sum + seconds(test), 0);
  const computing = new Set();
  for (const test of [...tests].sort((a, b) => durations.shareOf(b.path) - durations.shareOf(a.path))) {
    if (left <= 0) break;
    computing.add(test);
    left -= seconds(test);
  }
  return {
    computing: tests.filter((test) => computing.has(test)),
    waiting: tests.filter((test) => !computing.has(test)),
  };
}
