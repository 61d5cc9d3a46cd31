import { createRequire } from 'node:module';
import { Durations } from './durations.mjs';

const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer');

/** Runs the longest spec first, so that none starts when the others are done. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const durations = new Durations();
    for (const test of tests) test.duration = durations.secondsOf(test.path) * 1_000;
    return [...tests].sort((a, b) => b.duration - a.duration);
  }
}
