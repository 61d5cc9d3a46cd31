import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Item, type Result, untilTrue, useWriterHost } from '../../../../test/support/writer-host.js';
import { encodeFrame } from './writer-protocol.js';
const { host, writer, submitOf } = useWriterHost();

describe('HostWriter, with a missing or replaced writer', () => {
  it('waits for a missing writer, and refuses after some seconds', async () => {
    const submit = submitOf();
    const early = submit({ user: 'early', value: 1 });
    await sleep(100);
    const { server } = writer();
    await server.listen();
    expect(await early).toEqual({ value: 1, seen: 'early' });

    host().moveAway();
    await expect(submitOf()({ user: 'a', value: 1 })).rejects.toMatchObject({
      code: 'shutting_down',
      retryAfterSeconds: 1,
    });
  });

  it('refuses pending items when the writer ends, and continues with the next writer', async () => {
    const sockets: Socket[] = [];
    let isSent = false;
    const dead: Server = createServer((socket) => {
      sockets.push(socket);
      socket.once('data', () => (isSent = true));
    });
    await new Promise<void>((resolve) => dead.listen(host().path, resolve));
    const submit = submitOf();
    const lost = submit({ user: 'lost', value: 1 });
    await untilTrue(() => isSent);
    await sleep(50);
    sockets[0]!.destroy();
    dead.close();
    await expect(lost).rejects.toMatchObject({ code: 'shutting_down', retryAfterSeconds: 1 });
    const next = submit({ user: 'next', value: 2 });
    const { server } = writer();
    await server.listen();
    expect(await next).toEqual({ value: 2, seen: 'next' });
  });

  it('loses nothing when a successor replaces a draining writer', async () => {
    const commit = async (items: Item[]): Promise<Result[]> => {
      await sleep(5);
      return items.map(({ user, value }) => ({ value, seen: user }));
    };
    const writers = [writer({ commit }), writer({ commit }), writer({ commit })];
    await writers[0]!.server.listen();
    const submit = submitOf();
    let isDone = false;
    let count = 0;
    const clients = Promise.all(
      [...Array(20).keys()].map(async (client) => {
        while (!isDone) {
          expect(await submit({ user: `c${client}`, value: ++count })).toMatchObject({ seen: `c${client}` });
        }
      }),
    );
    const more = async (): Promise<void> => {
      const before = count;
      await untilTrue(() => count > before + 40);
    };
    for (const at of [1, 2]) {
      await more();
      await writers[at]!.server.listen();
      await writers[at - 1]!.server.drain(5_000);
      await writers[at - 1]!.server.beforeApplicationShutdown();
    }
    await more();
    isDone = true;
    await clients;
    expect(count).toBeGreaterThan(100);
  });

  it('cuts a connection that sends no frames, and serves the others', async () => {
    const { server } = writer();
    await server.listen();
    for (const bytes of [Buffer.alloc(8, 0xff), encodeFrame('no JSON')]) {
      const socket = connect(host().path);
      socket.on('error', () => undefined);
      socket.write(bytes);
      await new Promise((resolve) => socket.once('close', resolve));
    }
    expect(await submitOf()({ user: 'a', value: 1 })).toEqual({ value: 1, seen: 'a' });
  });
});
