import { setTimeout as sleep } from 'node:timers/promises';
import { TestEnvironment } from 'jest-environment-node';

/** Resources that keep a process alive. Open files are ignored. */
const WATCHED = new Set(['ProcessWrap', 'TCPServerWrap', 'TCPSocketWrap', 'PipeWrap', 'Timeout', 'MessagePort']);
const GRACE_MS = 15_000;
const LOOK_EVERY_MS = 50;

/**
 * Fails a spec file whose timers, sockets, servers, threads or child processes outlive its tests. A file that has failed keeps its own
 * error, because Jest would drop it.
 */
export default class LeakEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    // Opens the streams before the count, because they stay open for the rest of the process.
    void [process.stdin, process.stdout, process.stderr];
    this.before = countResources();
  }

  async teardown() {
    await super.teardown();
    const deadline = Date.now() + GRACE_MS;
    let left = difference(this.before);
    while (left.length > 0 && Date.now() < deadline) {
      await sleep(LOOK_EVERY_MS, undefined, { ref: false });
      left = difference(this.before);
    }
    if (left.length > 0 && !this.hasFailed) throw new Error(`This file leaves behind: ${left.join(', ')}.`);
  }
}

function countResources() {
  const counts = new Map();
  for (const type of process.getActiveResourcesInfo()) {
    if (WATCHED.has(type)) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return counts;
}

function difference(before) {
  return [...countResources()].flatMap(([type, count]) => {
    const more = count - (before.get(type) ?? 0);
    return more > 0 ? [`${more} ${type}`] : [];
  });
}
