import { hubLinks } from '../../../test/support/hub-links.js';
import { CodedError } from '../../common/errors.js';
import type { GroupCommit } from '../../common/group-commit.js';
import { hostClock } from '../../common/host-clock.js';
import { HostBatches, type Packing } from './host-batches.js';
import { HostTurns } from './host-turns.js';
import type { FromPrimary, ToPrimary } from './messages.js';

type Item = { by: number; number: bigint; staysHere?: boolean };
type Result = { double: bigint; committedBy: number };

/** Bigints, which no JSON holds: what travels must have been packed. */
const PACKING: Packing<Item, Result> = {
  item: ({ by, number, staysHere }) => (staysHere === true ? null : [by, String(number)]),
  unpackItem: ([by, number]: [number, string]) => ({ by, number: BigInt(number) }),
  result: ({ double, committedBy }) => [String(double), committedBy],
  unpackResult: ([double, committedBy]: [string, number]) => ({ double: BigInt(double), committedBy }),
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type Batch = { process: number; items: Item[] };

function processes(count: number, commitMs = 5) {
  const said: { index: number; message: FromPrimary | ToPrimary }[] = [];
  const { hub, members } = hubLinks(count, (index, message) => said.push({ index, message }));
  const batches: Batch[] = [];
  const groups = members.map(({ link }, process) =>
    new HostBatches(new HostTurns(link), link).group<Item, Result>({
      name: 'votes',
      packing: PACKING,
      commit: async (items, stillWanted) => {
        await pause(commitMs);
        await stillWanted();
        batches.push({ process, items });
        if (items.some(({ number }) => number === 666n)) throw new Error('poison');
        return items.map(({ number }) =>
          number < 0n
            ? new CodedError('post_not_found', 'below', { fields: [{ field: 'number', message: 'too small' }] })
            : { double: number * 2n, committedBy: process },
        );
      },
    }),
  );
  return { hub, members, groups, batches, said };
}

const submit = (groups: GroupCommit<Item, Result>[], by: number, number: bigint, more: Partial<Item> = {}) =>
  groups[by]!.submit({ by, number, ...more });

describe('HostBatches', () => {
  it('has the first process that writes commit for all, and brings every caller its own result', async () => {
    const { groups, batches } = processes(3);
    expect(await submit(groups, 1, 1n)).toEqual({ double: 2n, committedBy: 1 });
    const all = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const result = await submit(groups, index % 3, BigInt(index));
        return [index, result] as const;
      }),
    );
    for (const [index, result] of all) expect(result).toEqual({ double: BigInt(2 * index), committedBy: 1 });
    expect(new Set(batches.map(({ process }) => process))).toEqual(new Set([1]));
    // what came together from three processes is not a batch for each of them
    expect(Math.max(...batches.map(({ items }) => new Set(items.map(({ by }) => by)).size))).toBeGreaterThan(1);
    expect(groups.map(({ stats }) => stats.delegated)).toEqual([20, 0, 20]);
  });

  it('merges the batches of processes whose callers come back', async () => {
    const { groups, batches } = processes(2, 20);
    const rounds = 12;
    await Promise.all(
      Array.from({ length: 40 }, async (_, client) => {
        for (let round = 0; round < rounds; round++) await submit(groups, client % 2, BigInt(client));
      }),
    );
    const full = batches.filter(({ items }) => items.length === 40).length;
    expect(full).toBeGreaterThanOrEqual(rounds / 2);
  });

  it('leaves more than a hundred items to the process that has them', async () => {
    const { groups } = processes(2);
    await submit(groups, 0, 1n);
    const many = await Promise.all(Array.from({ length: 101 }, (_, index) => submit(groups, 1, BigInt(index))));
    expect(new Set(many.map(({ committedBy }) => committedBy))).toEqual(new Set([1]));
    const fewer = await Promise.all(Array.from({ length: 100 }, (_, index) => submit(groups, 1, BigInt(index))));
    expect(new Set(fewer.map(({ committedBy }) => committedBy))).toEqual(new Set([0]));
  });

  it('refuses an item of another process with the error it would have had there', async () => {
    const { groups } = processes(2);
    await submit(groups, 0, 1n);
    const [refused, accepted] = await Promise.allSettled([submit(groups, 1, -1n), submit(groups, 1, 3n)]);
    expect((refused as PromiseRejectedResult).reason).toBeInstanceOf(CodedError);
    expect((refused as PromiseRejectedResult).reason).toMatchObject({
      code: 'post_not_found',
      message: 'below',
      fields: [{ field: 'number', message: 'too small' }],
    });
    expect(accepted).toMatchObject({ value: { double: 6n, committedBy: 0 } });
  });

  it('commits in its own process what cannot travel, and what failed with the lead', async () => {
    const { groups, batches } = processes(2);
    await submit(groups, 0, 1n);
    expect(await submit(groups, 1, 2n, { staysHere: true })).toEqual({ double: 4n, committedBy: 1 });
    await expect(submit(groups, 1, 666n)).rejects.toThrow('poison');
    // asked of the lead, which could not, and then tried here: the one who has the client gives the reason
    expect(batches.slice(-2).map(({ process }) => process)).toEqual([0, 1]);
    expect(await submit(groups, 1, 4n)).toEqual({ double: 8n, committedBy: 0 });
  });

  it('commits itself what a lead had when it died, and the next one that asks leads', async () => {
    const { hub, members, groups } = processes(3, 50);
    await submit(groups, 0, 1n);
    await submit(groups, 1, 1n);
    const underway = [submit(groups, 1, 5n), submit(groups, 2, 6n)];
    await pause(20);
    members[0]!.freeze();
    hub.leave(members[0]!.member);
    const startedAt = performance.now();
    const results = await Promise.all(underway);
    expect(results.map(({ double }) => double)).toEqual([10n, 12n]);
    for (const { committedBy } of results) expect(committedBy).not.toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    const [one, other] = await Promise.all([submit(groups, 1, 7n), submit(groups, 2, 8n)]);
    expect(one.committedBy).toBe(other.committedBy);
  });

  it('passes the lead on when its process drains, and loses nothing on the way', async () => {
    const { groups, batches } = processes(2);
    await submit(groups, 0, 1n);
    const steady = Promise.all(
      Array.from({ length: 20 }, async (_, client) => {
        const seen: number[] = [];
        for (let round = 0; round < 20; round++) seen.push((await submit(groups, 1, BigInt(client))).committedBy);
        return seen;
      }),
    );
    await pause(30);
    await groups[0]!.close();
    const seen = (await steady).flat();
    expect(seen).toHaveLength(400);
    expect(new Set(seen)).toEqual(new Set([0, 1]));
    // once it is closed it commits nothing
    expect(batches.at(-1)!.process).toBe(1);
    expect((await submit(groups, 1, 9n)).committedBy).toBe(1);
  });

  it('waits two seconds for a lead that stands still, goes on without it, and trusts it again when it speaks', async () => {
    const { members, groups } = processes(2, 20);
    await submit(groups, 0, 1n);
    await submit(groups, 1, 1n);
    const { link } = members[0]!;
    const held: ToPrimary[] = [];
    const send = link.send.bind(link);
    link.send = (message) => void held.push(message);
    const startedAt = performance.now();
    expect(await submit(groups, 1, 5n)).toEqual({ double: 10n, committedBy: 1 });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(2_000);
    expect(performance.now() - startedAt).toBeLessThan(2_900);
    const again = performance.now();
    expect((await submit(groups, 1, 6n)).committedBy).toBe(1);
    expect(performance.now() - again).toBeLessThan(900);
    // it was asked once
    expect(held.filter(({ type }) => type === 'delegated')).toHaveLength(1);
    link.send = send;
    held.forEach((message) => send(message));
    await pause(20);
    expect((await submit(groups, 1, 7n)).committedBy).toBe(0);
  }, 20_000);

  it('writes nothing for another process after its time, as when it was stopped and goes on', async () => {
    const written: Item[] = [];
    let tell!: (message: FromPrimary) => void;
    const answered: ToPrimary[] = [];
    const link = {
      send: (message: ToPrimary) => void answered.push(message),
      receive: (handler: (message: FromPrimary) => void) => (tell = handler),
    };
    const group = new HostBatches(new HostTurns(), link).group<Item, Result>({
      name: 'votes',
      packing: PACKING,
      commit: async (items, stillWanted) => {
        await pause(5);
        await stillWanted();
        written.push(...items);
        return items.map(({ number }) => ({ double: number * 2n, committedBy: 0 }));
      },
    });
    tell({ type: 'lead', name: 'votes', state: 'yours' });
    const items = [[1, '5']];
    tell({ type: 'delegate', name: 'votes', id: 1, until: hostClock() - 1, items });
    tell({ type: 'delegate', name: 'votes', id: 2, until: hostClock() + 10_000, items });
    expect(await group.submit({ by: 0, number: 8n })).toEqual({ double: 16n, committedBy: 0 });
    await pause(50);
    expect(written).toEqual([
      { by: 1, number: 5n },
      { by: 0, number: 8n },
    ]);
    expect(answered).toEqual([
      { type: 'delegated', id: 1, results: [null] },
      { type: 'delegated', id: 2, results: [{ value: ['10', 0] }] },
    ]);
  });

  it('commits everything itself when it is alone, or under a primary of an earlier version', async () => {
    const commit = async (items: Item[]) => items.map(({ number }) => ({ double: number * 2n, committedBy: 0 }));
    const alone = new HostBatches(new HostTurns()).group({ name: 'votes', packing: PACKING, commit });
    expect((await alone.submit({ by: 0, number: 2n })).double).toBe(4n);
    const said: ToPrimary[] = [];
    const receivers: ((message: FromPrimary) => void)[] = [];
    const link = {
      send: (message: ToPrimary) => {
        said.push(message);
        if (message.type === 'turn')
          receivers.forEach((tell) => tell({ type: 'turn', name: message.name, state: 'granted', isWanted: false }));
      },
      receive: (handler: (message: FromPrimary) => void) => void receivers.push(handler),
    };
    const group = new HostBatches(new HostTurns(link), link).group({ name: 'votes', packing: PACKING, commit });
    expect((await group.submit({ by: 0, number: 2n })).double).toBe(4n);
    expect((await group.submit({ by: 0, number: 3n })).double).toBe(6n);
    expect(said.map(({ type }) => type)).toEqual(['lead', 'turn']);
  }, 10_000);

  it('sends nothing but one question from a process that works alone', async () => {
    const { groups, said } = processes(2);
    for (let round = 0; round < 20; round++) await submit(groups, 0, 1n);
    expect(said.map(({ message }) => message.type)).toEqual(['lead', 'lead', 'turn', 'turn']);
  });
});
