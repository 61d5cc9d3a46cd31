import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import type { Stage, Topic } from '../events/event-row.js';

export type HandlerContext<P = ObjectId> = {
  payload: P;
  /** rows one step may touch */
  batchSize: number;
  /**
   * Call after every batch with the rows it touched: keeps the rate. @throws when the worker must stop; the row is taken up again
   * later
   */
  throttle: (rows: number) => Promise<void>;
  /** Removes what matches in bounded batches by `_id`; `filter` must be served by an index. */
  deleteInBatches: (collection: string, filter: Record<string, unknown>) => Promise<void>;
};

export type OutboxHandler<P> = {
  /** for logs: `posts: bodies` */
  name: string;
  /** `background` by default; `both`: soon, and again after the grace. A pass may run again: it must do nothing the second time. */
  stage?: Stage | 'both';
  /** handlers of a topic run from low to high */
  order?: number;
  run: (context: HandlerContext<P>) => Promise<void>;
};

/** Repeats a step, at the rate of the outbox, until it has nothing left to do. @param step returns how many rows it touched */
export async function untilNone(throttle: HandlerContext['throttle'], step: () => Promise<number>): Promise<void> {
  for (let rows = await step(); rows > 0; rows = await step()) await throttle(rows);
}

export const HANDLER_ORDER = { seen: 5, children: 10, middle: 50, target: 90 } as const;

/** Where rooms register, in `onModuleInit`, what they do about a topic; the worker knows no room's collections. */
@Injectable()
export class OutboxHandlers {
  private readonly byTopic = new Map<string, Required<OutboxHandler<unknown>>[]>();

  register<P>({ name }: Topic<P>, handler: OutboxHandler<P>): void {
    const list = this.byTopic.get(name) ?? [];
    list.push({ stage: 'background', order: HANDLER_ORDER.middle, ...(handler as OutboxHandler<unknown>) });
    this.byTopic.set(
      name,
      list.sort((a, b) => a.order - b.order),
    );
  }

  of(topic: string, stage: Stage): Required<OutboxHandler<unknown>>[] {
    return (this.byTopic.get(topic) ?? []).filter((handler) => handler.stage === stage || handler.stage === 'both');
  }
}
