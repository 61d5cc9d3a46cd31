import { Injectable, type OnModuleInit } from '@nestjs/common';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { type HandlerContext, PHASE, TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { POST_DELETED } from '../posts/posts.events.js';
import { ACCOUNT_ENDED } from '../users/users.events.js';
import { AUTHOR_DAYS } from './author-day.schema.js';
import { daysOf, eventsOf, openWindows } from './event-keys.js';
import { POST_EVENT_DAYS, POST_EVENTS } from './post-event.schema.js';

/** Deletes the events and daily sums of deleted posts, and the daily sums of deleted accounts. */
@Injectable()
export class ViewsSubscriber implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly handlers: TaskHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register(POST_DELETED, { name: 'views', run: (context) => this.deleteEvents(context) });
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'views: author days',
      // After the posts: until then their events can be added.
      order: PHASE.last,
      run: ({ payload, deleteInBatches }) => deleteInBatches(AUTHOR_DAYS, daysOf({ $eq: payload })),
    });
  }

  private async deleteEvents({ payload: postId, deleteInBatches }: HandlerContext): Promise<void> {
    // Deletes events before days, so that an event that is concurrently folded into a day is deleted with the day.
    for (const endsAt of await openWindows(this.mongo.collection(POST_EVENTS)))
      await deleteInBatches(POST_EVENTS, eventsOf({ $eq: postId }, endsAt));
    await deleteInBatches(POST_EVENT_DAYS, daysOf({ $eq: postId }));
  }
}
