import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GroupCommitOptions } from '../../src/common/group-commit.js';
import { HostWriter } from '../../src/platform/cluster/writer/host-writer.js';

export type Item = { user: string; value: number | null };
export type Result = { value: number | null; seen: string };

/** Writers and workers of one socket, which are closed after each test. */
export class WriterHost {
  private readonly directory = mkdtempSync(join(tmpdir(), 'writer-'));
  path = join(this.directory, 'writer');
  private readonly open: HostWriter[] = [];

  make(role: 'web' | 'writer'): HostWriter {
    const made = new HostWriter(role, this.path);
    this.open.push(made);
    return made;
  }

  /** Returns a writer that records its batches. */
  writer(commit: Partial<GroupCommitOptions<Item, Result>> = {}) {
    const batches: Item[][] = [];
    const server = this.make('writer');
    server.group<Item, Result>({
      name: 'things',
      commit: async (items) => {
        batches.push(items);
        return items.map(({ user, value }) => ({ value, seen: user }));
      },
      ...commit,
    });
    return { server, batches };
  }

  submitOf(worker = this.make('web')) {
    return worker.group<Item, Result>({ name: 'things', commit: never });
  }

  /** Switches to a socket without a listener. */
  moveAway(): void {
    this.path = join(this.directory, 'nowhere');
  }

  async end(): Promise<void> {
    await Promise.all(this.open.splice(0).map((each) => each.beforeApplicationShutdown()));
    rmSync(this.directory, { recursive: true });
  }
}

/** Provides a new host for each test. */
export function useWriterHost() {
  let host: WriterHost;
  beforeEach(() => {
    host = new WriterHost();
  });
  afterEach(() => host.end());
  return {
    host: () => host,
    writer: ((commit) => host.writer(commit)) as WriterHost['writer'],
    submitOf: ((worker) => host.submitOf(worker)) as WriterHost['submitOf'],
  };
}

export const never = async (): Promise<never> => {
  throw new Error('committed in the wrong process');
};

export async function untilTrue(look: () => boolean): Promise<void> {
  for (let tries = 0; !look(); tries++) {
    if (tries === 3_000) throw new Error('it did not happen in time');
    await sleep(10);
  }
}
