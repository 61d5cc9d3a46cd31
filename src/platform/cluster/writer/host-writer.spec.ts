import { connect } from 'node:net';
import { type Item, type Result, untilTrue, useWriterHost } from '../../../../test/support/writer-host.js';
import { ClientDisconnected } from '../../../common/client-disconnected.js';
import { CodedError } from '../../../common/errors.js';
import { groupTotals } from '../../../common/group-commit.js';
import { HostWriter } from './host-writer.js';
import { encodeFrame, hostClock, readFrames } from './writer-protocol.js';
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

  it('drops an item whose client has disconnected before the worker sends it, and writes the others', async () => {
    const { server, batches } = writer();
    await server.listen();
    const submit = submitOf();
    const { gone } = groupTotals().get('things')!;
    let hasLeft = false;
    const results = Promise.allSettled([
      submit({ user: 'stays', value: 1 }),
      submit({ user: 'leaves', value: 2 }, () => hasLeft),
    ]);
    setImmediate(() => (hasLeft = true));
    const [stays, leaves] = await results;
    expect(stays.status).toBe('fulfilled');
    expect((leaves as PromiseRejectedResult).reason).toBeInstanceOf(ClientDisconnected);
    expect(batches).toEqual([[{ user: 'stays', value: 1 }]]);
    expect(groupTotals().get('things')!.gone).toBe(gone + 1);
  });

  it('refuses items that were sent more than eight seconds ago', async () => {
    const { server, batches } = writer();
    await server.listen();
    const socket = connect(host().path);
    const results: unknown[] = [];
    readFrames(socket, (frame: { results?: unknown[] }) => void results.push(...(frame.results ?? [])));
    const sendFrame = (id: number, ageMs: number): void => {
      const items = [[id, 'things', { user: `sent ${ageMs} ms ago`, value: id }]];
      socket.write(encodeFrame(JSON.stringify({ sentAt: hostClock() - ageMs, items })));
    };
    sendFrame(1, 8_100);
    sendFrame(2, 0);
    await untilTrue(() => results.length === 2);
    expect(results).toEqual([
      [1, null, expect.objectContaining({ code: 'overloaded' })],
      [2, { value: 2, seen: 'sent 0 ms ago' }],
    ]);
    expect(batches).toEqual([[{ user: 'sent 0 ms ago', value: 2 }]]);
    socket.destroy();
  });
});
