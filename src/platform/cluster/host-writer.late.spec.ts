import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_WAIT_MS } from '../../common/group-commit.js';
import { HostWriter } from './host-writer.js';

const LATE_MS = MAX_WAIT_MS + 1_500;

describe('HostWriter, with a writer that takes longer than an item may wait', () => {
  const directory = mkdtempSync(join(tmpdir(), 'late-writer-'));
  const open: HostWriter[] = [];
  let silent: Server;
  afterAll(async () => {
    await Promise.all(open.map((each) => each.beforeApplicationShutdown()));
    silent.close();
    rmSync(directory, { recursive: true });
  });

  const submitTo = (name: string) => {
    const worker = new HostWriter('web', join(directory, name));
    open.push(worker);
    return worker.group<number, number>({ name: 'things', commit: async (items) => items });
  };

  it('gives the result of what was being written, and refuses what was not begun', async () => {
    const writer = new HostWriter('writer', join(directory, 'slow'));
    open.push(writer);
    writer.group<number, number>({
      name: 'things',
      commit: async (items, checkDeadline) => {
        await checkDeadline(Promise.resolve());
        await sleep(LATE_MS);
        return items;
      },
    });
    await writer.listen();
    silent = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => silent.listen(join(directory, 'silent'), resolve));

    const submit = submitTo('slow');
    const begun = submit(1);
    await sleep(500);
    const behind = submit(2);
    const unheard = submitTo('silent')(3);
    const refused = { code: 'overloaded', retryAfterSeconds: 1 };
    await Promise.all([
      expect(begun).resolves.toBe(1),
      expect(behind).rejects.toMatchObject(refused),
      expect(unheard).rejects.toMatchObject(refused),
    ]);
  }, 60_000);
});
