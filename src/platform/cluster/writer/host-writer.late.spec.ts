import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WriterHost } from '../../../../test/support/writer-host.js';
import { MAX_WAIT_MS } from '../../../common/group-commit.js';

const LATE_MS = MAX_WAIT_MS + 1_500;

describe('HostWriter, with a writer slower than the timeout of an item', () => {
  const [host, silentHost] = [new WriterHost(), new WriterHost()];
  const silent = createServer((socket) => socket.resume());
  afterAll(async () => {
    await Promise.all([host.end(), silentHost.end()]);
    silent.close();
  });

  it('returns the result of a running write, and refuses writes that have not started', async () => {
    const { server } = host.writer({
      commit: async (items) => {
        await sleep(LATE_MS);
        return items.map(({ user, value }) => ({ value, seen: user }));
      },
    });
    await server.listen();
    await new Promise<void>((resolve) => silent.listen(silentHost.path, resolve));

    const submit = host.submitOf();
    const begun = submit({ user: 'begun', value: 1 });
    await sleep(500);
    const behind = submit({ user: 'behind', value: 2 });
    const unheard = silentHost.submitOf()({ user: 'unheard', value: 3 });
    await Promise.all([
      expect(begun).resolves.toEqual({ value: 1, seen: 'begun' }),
      expect(behind).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 }),
      // The writer may have written the item.
      expect(unheard).rejects.toMatchObject({ code: 'shutting_down', retryAfterSeconds: 1 }),
    ]);
  });
});
