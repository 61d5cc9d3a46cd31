import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import type { SweepKind, AddedSweepTask } from './outbox.js';

export type SweepContext = {
  task: AddedSweepTask;
  targetId: ObjectId;
  /** rows one step may touch */
  batchSize: number;
  /**
   * Call after every batch with the rows it touched: waits so that the rate is kept.
   * @throws when the sweeper must stop here (shutdown, lease lost); the task is taken up again later
   */
  spend: (rows: number) => Promise<void>;
  /** Removes what matches in bounded batches by `_id`; `filter` must be served by an index. Returns the rows removed. */
  deleteInBatches: (collection: string, filter: Record<string, unknown>) => Promise<number>;
};

export type SweepPass = 'early' | 'final';

export type SweepHandler = {
  /** for logs: `posts: bodies` */
  name: string;
  /**
   * `early`: as soon as the task is there (what readers must not see any longer, what must follow soon). `final` (default): after
   * the grace, when every transaction that began before the mark has ended. Both must do nothing the second time.
   */
  pass?: SweepPass;
  /** handlers of a kind run from low to high: what readers see first, what hangs on the target below 50, the target itself from 90 on */
  order?: number;
  run: (context: SweepContext) => Promise<void>;
};

export const SWEEP_ORDER = { seen: 5, children: 10, middle: 50, target: 90 } as const;

/** Where rooms register their part of a sweep, in `onModuleInit`; the sweeper knows no room's collections. */
@Injectable()
export class SweepHandlers {
  private readonly byKind = new Map<SweepKind, Required<SweepHandler>[]>();

  register(kind: SweepKind, handler: SweepHandler): void {
    const list = this.byKind.get(kind) ?? [];
    list.push({ pass: 'final', order: SWEEP_ORDER.middle, ...handler });
    list.sort((a, b) => a.order - b.order);
    this.byKind.set(kind, list);
  }

  of(kind: SweepKind, pass: SweepPass): Required<SweepHandler>[] {
    return (this.byKind.get(kind) ?? []).filter((handler) => handler.pass === pass);
  }

  /** kinds with something to do before the grace has passed */
  kindsWithEarlyPass(): SweepKind[] {
    return [...this.byKind.keys()].filter((kind) => this.of(kind, 'early').length > 0);
  }
}
