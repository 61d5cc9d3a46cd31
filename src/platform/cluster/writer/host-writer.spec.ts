import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Item, never, type Result, untilTrue, useWriterHost } from '../../../../test/support/writer-host.js';
import { ClientDisconnected } from '../../../common/client-disconnected.js';
import { CodedError } from '../../../common/errors.js';
import { HostWriter } from './host-writer.js';
import { encodeFrame, readFrames } from './writer-protocol.js';
const { host, writer, submitOf } = useWriterHost();

describe('HostWriter', () => {
  it('commits the items of all workers and returns each its own result', async () => {
    const { server, batches } = writer();
    await server.listen();
    const workers = [submitOf(), submitOf()];
    const calls = [...Array(40).keys()].map((index) => workers[index % 2]!({ user: `u${index} “ü”`, value: index }));
    expect(await Promise.all(calls)).toEqual(
      [...Array(40).keys()].map((index) => ({ value: index, seen: `u${index} “ü”` })),
    );
    expect(batches.flat().length).toBe(40);
    // Expects one or two batches per worker, a few more on a slow machine.
    expect(batches.length).toBeLessThanOrEqual(10);
  });

  it('commits in this process if it is the only one', async () => {
    const alone = new HostWriter('web', undefined);
    const submit = alone.group<Item, Result>({
      name: 'things',
      commit: async (items) => items.map(({ user, value }) => ({ value, seen: user })),
    });
    expect(await submit({ user: 'a', value: 1 })).toEqual({ value: 1, seen: 'a' });
    await expect(submit({ user: 'a', value: 1 }, () => true)).rejects.toThrow(ClientDisconnected);
    await alone.beforeApplicationShutdown();
  });

  it('rejects one item with its coded error, and keeps the stack of other errors', async () => {
    const { server } = writer({
      commit: async (items) =>
        items.map(({ user, value }) => {
          if (user === 'coded') {
            const fields = [{ field: 'value', message: 'is taken' }];
            return new CodedError('parent_mismatch', 'It is.', { fields, retryAfterSeconds: 3 });
          }
          return user === 'mistake' ? new TypeError('no such thing') : { value, seen: user };
        }),
    });
    await server.listen();
    const submit = submitOf();
    const [fine, coded, mistake] = await Promise.allSettled(
      ['fine', 'coded', 'mistake'].map((user) => submit({ user, value: null })),
    );
    expect(fine).toEqual({ status: 'fulfilled', value: { value: null, seen: 'fine' } });
    const refusal = (coded as PromiseRejectedResult).reason as CodedError;
    expect(refusal).toBeInstanceOf(CodedError);
    expect([refusal.code, refusal.message, refusal.status, refusal.retryAfterSeconds, refusal.fields]).toEqual([
      'parent_mismatch',
      'It is.',
      400,
      3,
      [{ field: 'value', message: 'is taken' }],
    ]);
    const { name, message, stack } = (mistake as PromiseRejectedResult).reason as Error;
    expect([name, message]).toEqual(['TypeError', 'no such thing']);
    expect(stack).toContain('host-writer.spec');
  });

  it('responds with 503 as a coded error when the database fails', async () => {
    const { server } = writer({
      commit: async () => {
        throw Object.assign(new Error('connection 3 to 127.0.0.1 closed'), { name: 'MongoNetworkError' });
      },
    });
    await server.listen();
    await expect(submitOf()({ user: 'a', value: 1 })).rejects.toMatchObject({
      code: 'database_unavailable',
      retryAfterSeconds: 2,
    });
  });

  it('drops an item whose client has disconnected and writes the rest of the batch', async () => {
    let hasLeft = false;
    const read: Item[][] = [];
    const { server, batches } = writer();
    server.group<Item, Result>({
      name: 'slow',
      commit: async (items, checkDeadline) => {
        read.push(items);
        hasLeft = true;
        await checkDeadline(Promise.resolve());
        batches.push(items);
        return items.map(({ user, value }) => ({ value, seen: user }));
      },
    });
    await server.listen();
    const submit = host().make('web').group<Item, Result>({ name: 'slow', commit: never });
    const results = await Promise.allSettled([
      submit({ user: 'stays', value: 1 }),
      submit({ user: 'leaves', value: 2 }, () => hasLeft),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect((results[1] as PromiseRejectedResult).reason).toBeInstanceOf(ClientDisconnected);
    expect(read.map((items) => items.length)).toEqual([2, 1]);
    expect(batches).toEqual([[{ user: 'stays', value: 1 }]]);
  });

  it('holds the items of an unresponsive worker and writes those of the others', async () => {
    const { server, batches } = writer();
    await server.listen();
    // A fake worker sends two items and does not read for a while.
    const socket = connect(host().path);
    await new Promise((resolve) => socket.once('connect', resolve));
    const items = [1, 2].map((id) => [id, 'things', { user: `silent ${id}`, value: id }]);
    socket.write(encodeFrame(JSON.stringify({ items })));
    await sleep(20);
    const submit = submitOf();
    // Items of the unresponsive worker do not block items of other workers.
    expect(await submit({ user: 'other', value: 3 })).toEqual({ value: 3, seen: 'other' });
    expect(await submit({ user: 'other', value: 4 })).toEqual({ value: 4, seen: 'other' });
    expect(batches.flat().map(({ user }) => user)).toEqual(['other', 'other']);

    // The worker responds again. The client of its first item has disconnected.
    const results: unknown[] = [];
    readFrames(socket, (frame: { check?: number; results?: unknown[] }) => {
      if (frame.check !== undefined)
        socket.write(encodeFrame(JSON.stringify({ confirmed: frame.check, disconnectedIds: [1] })));
      results.push(...(frame.results ?? []));
    });
    await untilTrue(() => results.length > 0);
    expect(results).toEqual([[2, { value: 2, seen: 'silent 2' }]]);
    expect(batches.flat().map(({ user }) => user)).toEqual(['other', 'other', 'silent 2']);
    socket.destroy();
  });

  it('commits the items of a worker that replies slowly to every check', async () => {
    const { server, batches } = writer();
    await server.listen();
    const socket = connect(host().path);
    const results: unknown[] = [];
    readFrames(socket, (frame: { check?: number; results?: unknown[] }) => {
      const { check } = frame;
      if (check !== undefined)
        setTimeout(() => socket.write(encodeFrame(JSON.stringify({ confirmed: check, disconnectedIds: [] }))), 350);
      results.push(...(frame.results ?? []));
    });
    socket.write(encodeFrame(JSON.stringify({ items: [[1, 'things', { user: 'slow', value: 1 }]] })));
    await untilTrue(() => results.length > 0);
    expect(results).toEqual([[1, { value: 1, seen: 'slow' }]]);
    expect(batches).toEqual([[{ user: 'slow', value: 1 }]]);
    socket.destroy();
  });
});
