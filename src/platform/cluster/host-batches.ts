import { CodedError, type ErrorCode } from '../../common/errors.js';
import { GroupCommit, type GroupCommitOptions } from '../../common/group-commit.js';
import { hostClock } from '../../common/host-clock.js';
import type { BusLink } from './bus.js';
import type { HostTurns } from './host-turns.js';
import type { FromPrimary, PackedResult } from './messages.js';

/** How items and results travel between processes: as plain data (JSON). */
export type Packing<Item, Result> = {
  /** null: this one cannot travel, its own process commits it */
  item: (item: Item) => unknown;
  unpackItem: (packed: never) => Item;
  result: (result: Result) => unknown;
  unpackResult: (packed: never, item: Item) => Result;
};

type SharedGroupOptions<Item, Result> = GroupCommitOptions<Item, Result> & { packing: Packing<Item, Result> };

/** After so long without an answer a process commits itself what it had given away. More than a commit that goes well takes. */
const PATIENCE_MS = 2_000;

/** So many share the price of a transaction well enough; with more, two processes at it get further than one. */
const MAX_DELEGATED = 100;

type Role = 'unknown' | 'lead' | 'follower';
type Results = (PackedResult | null)[] | null;
type Served = { unpackItem: (packed: never) => unknown; result: (result: unknown) => unknown };

/**
 * One process of the host, the lead, commits a kind of batch for all: what its other processes (followers) have gathered travels
 * to it through the primary, joins its next batch, and the results travel back. A batch costs about the same however many share it,
 * so this halves its price with two workers, and no two workers of a host ever collide.
 *
 * It is a saving, not a promise: whatever cannot travel, or comes back without a result (the lead has ended, or stands still), is
 * committed by the process that took it from its client. So an item must be one that can be committed twice in a row with the same
 * outcome. That a lead which stood still does not commit it long after (over what its user has done since) is what `stillWanted`
 * of a commit is for.
 */
export class HostBatches {
  private readonly roles = new Map<string, Role>();
  private readonly asking = new Map<string, () => void>();
  private readonly served = new Map<string, Served & { group: GroupCommit<unknown, unknown> }>();
  private readonly underway = new Map<number, (results: Results) => void>();
  private lastId = 0;
  /** a lead let us down, and no answer of any has come since */
  private isDoubted = false;

  /** @param link none: this process is alone, and commits everything itself */
  constructor(
    private readonly turns: HostTurns,
    private readonly link?: BusLink,
  ) {
    link?.receive((message) => {
      if (message.type === 'lead') this.hearOfLead(message);
      else if (message.type === 'delegated') {
        this.isDoubted = false;
        this.underway.get(message.id)?.(message.results);
      } else if (message.type === 'delegate') {
        void this.serve(message).then((results) => link.send({ type: 'delegated', id: message.id, results }));
      }
    });
  }

  /** A group commit of this process, shared with those of the same name in the host's other processes. */
  group<Item, Result>(options: SharedGroupOptions<Item, Result>): GroupCommit<Item, Result> {
    const { name, packing } = options;
    const group = new GroupCommit<Item, Result>({
      // the turn, too, is with the lead that stands still
      turn: async () => (this.isDoubted ? () => undefined : this.turns.take(name, { keepsPlace: true })),
      ...options,
      ...(this.link === undefined ? {} : { delegate: (items: Item[]) => this.delegate(name, items, packing) }),
      onClosed: () => this.resign(name),
    });
    this.served.set(name, { ...(packing as Served), group: group as GroupCommit<unknown, unknown> });
    return group;
  }

  /** @returns by item: its result, the error that refuses it, or undefined when it is left to this process */
  private async delegate<Item, Result>(
    name: string,
    items: Item[],
    packing: Packing<Item, Result>,
  ): Promise<(Result | Error | undefined)[]> {
    const here = items.map(() => undefined);
    if (items.length > MAX_DELEGATED) return here;
    if ((this.roles.get(name) ?? 'unknown') === 'unknown') await this.ask(name);
    if (this.roles.get(name) !== 'follower' || this.isDoubted) return here;
    const packed = items.map((item) => packing.item(item));
    const travelling = packed.filter((each) => each !== null);
    if (travelling.length === 0) return here;
    const results = await this.send(name, travelling);
    if (results === null) return here;
    let next = 0;
    return packed.map((each, index) => {
      const result = each === null ? null : (results[next++] ?? null);
      if (result === null) return undefined;
      if ('code' in result) return new CodedError(result.code as ErrorCode, result.detail, result);
      return packing.unpackResult(result.value as never, items[index]!);
    });
  }

  /** A primary that started as an earlier version says nothing: everything is left to this process then, as it was in that version. */
  private ask(name: string): Promise<void> {
    return new Promise((resolve) => {
      const told = (): void => {
        clearTimeout(timer);
        this.asking.delete(name);
        resolve();
      };
      const timer = setTimeout(() => {
        this.roles.set(name, 'lead');
        told();
      }, PATIENCE_MS);
      this.asking.set(name, told);
      this.link!.send({ type: 'lead', name, action: 'ask' });
    });
  }

  private send(name: string, items: unknown[]): Promise<Results> {
    const id = ++this.lastId;
    const until = hostClock() + PATIENCE_MS;
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout;
      const finish = (results: Results): void => {
        clearTimeout(timer);
        this.underway.delete(id);
        resolve(results);
      };
      const wait = (): void => {
        // a timer may be a little early, and then the lead could still think itself in time
        timer = setTimeout(
          () => {
            if (hostClock() <= until) return wait();
            this.isDoubted = true;
            finish(null);
          },
          until - hostClock() + 1,
        );
      };
      wait();
      this.underway.set(id, finish);
      this.link!.send({ type: 'delegate', name, id, until, items });
    });
  }

  private hearOfLead({ name, state }: FromPrimary & { type: 'lead' }): void {
    this.roles.set(name, ({ yours: 'lead', another: 'follower', gone: 'unknown' } as const)[state]);
    this.isDoubted = false;
    this.asking.get(name)?.();
  }

  private async serve({ name, items, until }: FromPrimary & { type: 'delegate' }): Promise<Results> {
    const served = this.served.get(name);
    if (served === undefined) return null;
    return Promise.all(
      items.map(async (each): Promise<PackedResult | null> => {
        try {
          return { value: served.result(await served.group.submit(served.unpackItem(each as never), { until })) };
        } catch (error) {
          // too late for the process that has the client: it commits the item itself
          return hostClock() < until ? refusalOf(error) : null;
        }
      }),
    );
  }

  private resign(name: string): void {
    if (this.roles.get(name) !== 'lead') return;
    this.roles.delete(name);
    this.link?.send({ type: 'lead', name, action: 'resign' });
  }
}

/** Null for what says something about the lead and not about the item: the process that has the client finds out for itself. */
function refusalOf(error: unknown): PackedResult | null {
  if (!(error instanceof CodedError) || error.code === 'shutting_down') return null;
  const { code, message: detail, fields, retryAfterSeconds } = error;
  return { code, detail, ...(fields && { fields }), ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}
