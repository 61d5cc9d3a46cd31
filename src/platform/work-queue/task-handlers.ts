import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import type { Topic } from '../../common/topic.js';
import { LANE_NAMES, settingsOf } from './lanes.js';
import type { Lane } from '../mongo/transaction-rows.js';

export type HandlerContext<P = ObjectId> = {
  id: ObjectId;
  /** 1 for the first attempt */
  attempt: number;
  lane: Lane;
  /** Aborts when the worker must stop. */
  signal: AbortSignal;
  payload: P;
  /** of the span of this run, for what it causes */
  traceparent?: string | undefined;
  /** maximum number of rows of one step */
  batchSize: number;
  /** the last position that an earlier attempt passed to `throttle` */
  position?: unknown;
  /**
   * Call this after every batch with its row count, to limit the rate.
   * @param position stored, so that another attempt continues there
   * @throws when the worker must stop; the task runs again later
   */
  throttle: (rows: number, position?: unknown) => Promise<void>;
  /** Deletes matching documents in bounded batches by `_id`. An index must serve `filter`. */
  deleteInBatches: (collection: string, filter: Record<string, unknown>) => Promise<void>;
};

/** A date reschedules the task; `slow` moves it to the slow lane of its lane. Neither counts as an attempt. */
export type TaskOutcome = Date | 'slow' | void;

export type TaskHandler<P> = {
  /** for logs: `posts: bodies` */
  name: string;
  /** `background` by default; `both` runs immediately and again after the delay. Handlers are idempotent, because a task may run again. */
  lane?: Lane | 'both';
  /** handlers of a topic run from low to high */
  order?: number;
  run: (context: HandlerContext<P>) => Promise<TaskOutcome>;
};
type Registered = Required<TaskHandler<unknown>>;

/** Repeats a step, at the rate of the queue, until no rows remain. @param step returns the number of rows it touched */
export async function repeatUntilEmpty(
  throttle: HandlerContext['throttle'],
  step: () => Promise<number>,
): Promise<void> {
  for (let rows = await step(); rows > 0; rows = await step()) await throttle(rows);
}

export const PHASE = { first: 5, children: 10, default: 50, last: 90 } as const;

/** Modules register their handlers of a topic here, in `onModuleInit`. The worker depends on no other module's collections. */
@Injectable()
export class TaskHandlers {
  private readonly byTopic = new Map<string, Registered[]>();

  register<P>({ name }: Topic<P>, handler: TaskHandler<P>): void {
    const list = this.byTopic.get(name) ?? [];
    list.push({ lane: 'background', order: PHASE.default, ...(handler as TaskHandler<unknown>) });
    this.byTopic.set(
      name,
      list.sort((a, b) => a.order - b.order),
    );
  }

  of(topic: string, lane: Lane): Registered[] {
    const { handlersOf = lane } = settingsOf(lane);
    const isOfLane = (own: Lane | 'both'): boolean =>
      own === 'both' ? lane === 'foreground' || lane === 'background' : own === handlersOf;
    return (this.byTopic.get(topic) ?? []).filter((handler) => isOfLane(handler.lane));
  }

  topics(): string[] {
    return [...this.byTopic.keys()];
  }

  /** The lane in which a new task starts. */
  firstLane(topic: string): Lane {
    return this.lanesOf(topic)[0] ?? 'background';
  }

  /** The lane in which a task continues after `lane`, or null. A task of an earlier version may wait in a lane without handlers. */
  nextLane(topic: string, lane: Lane): Lane | null {
    const order = (each: Lane): number => LANE_NAMES.indexOf(each);
    return this.lanesOf(topic).find((each) => order(each) > order(lane)) ?? null;
  }

  private lanesOf(topic: string): Lane[] {
    return LANE_NAMES.filter((lane) => settingsOf(lane).handlersOf === undefined && this.of(topic, lane).length > 0);
  }
}
