import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import type { Topic } from '../events/topic.js';
import type { Lane } from './task.schema.js';

export type HandlerContext<P = ObjectId> = {
  id: ObjectId;
  /** 1 for the first */
  attempt: number;
  /** aborts when the worker must stop */
  signal: AbortSignal;
  payload: P;
  /** rows one step may touch */
  batchSize: number;
  /** Call after every batch with the rows it touched: keeps the rate. @throws when the worker must stop; the task runs again later */
  throttle: (rows: number) => Promise<void>;
  /** Deletes what matches in bounded batches by `_id`; `filter` must be served by an index. */
  deleteInBatches: (collection: string, filter: Record<string, unknown>) => Promise<void>;
};

export type TaskHandler<P> = {
  /** for logs: `posts: bodies` */
  name: string;
  /** `background` by default; `both`: at once, and again after the delay. A task may run again: it must do nothing the second time. */
  lane?: Lane | 'both';
  /** handlers of a topic run from low to high */
  order?: number;
  /** A date: not done, run again then, as the same attempt. */
  run: (context: HandlerContext<P>) => Promise<Date | void>;
};
type Registered = Required<TaskHandler<unknown>>;

/** Repeats a step, at the rate of the queue, until it has nothing left to do. @param step returns how many rows it touched */
export async function repeatUntilEmpty(
  throttle: HandlerContext['throttle'],
  step: () => Promise<number>,
): Promise<void> {
  for (let rows = await step(); rows > 0; rows = await step()) await throttle(rows);
}

export const PHASE = { first: 5, children: 10, default: 50, last: 90 } as const;

/** Rooms register here, in `onModuleInit`, what they do about a topic; the worker knows no room's collections. */
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
    const isOfLane = (own: Lane | 'both'): boolean =>
      own === 'both' ? lane === 'foreground' || lane === 'background' : own === lane;
    return (this.byTopic.get(topic) ?? []).filter((handler) => isOfLane(handler.lane));
  }

  /** The lane that a new task begins in. */
  firstLane(topic: string): Lane {
    const lanes = (this.byTopic.get(topic) ?? []).map(({ lane }) => (lane === 'both' ? 'foreground' : lane));
    return lanes.find((lane) => lane !== 'background') ?? 'background';
  }
}
