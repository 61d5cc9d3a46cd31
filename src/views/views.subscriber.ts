import { Injectable, type OnModuleInit } from '@nestjs/common';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { type HandlerContext, TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { POST_DELETED } from '../posts/posts.events.js';
import { daysOf, eventsOf, openWindows } from './event-keys.js';
import { POST_EVENT_DAYS, POST_EVENTS } from './post-event.schema.js';

/** Deletes the events and daily sums of deleted posts. */
@Injectable()
export class ViewsSubscriber implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly handlers: TaskHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register(POST_DELETED, { name: 'views', run: (context) => this.deleteEvents(context) });
  }

  private async deleteEvents({ payload: postId, deleteInBatches }: HandlerContext): Promise<void> {
    // Deletes events before days, so that an event that is concurrently folded into a day is deleted with the day.
    for (const endsAt of await openWindows(this.mongo.collection(POST_EVENTS)))
      await deleteInBatches(POST_EVENTS, eventsOf({ $eq: postId }, endsAt));
    await deleteInBatches(POST_EVENT_DAYS, daysOf({ $eq: postId }));
  }
}
