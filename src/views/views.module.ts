// Views, reads and shares of posts, each counted once per viewer, post and window. Ended windows are folded into daily sums. Events come
// from requests, and from Kafka if it is configured.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { CounterRegistry } from '../audit/counter-registry.js';
import { PostsModule } from '../posts/posts.module.js';
import { EVENT_SOURCES } from './counter-sources.js';
import { DeadEvent, DeadEventSchema } from '../integrations/kafka/dead-event.schema.js';
import { EventConsumer } from '../integrations/kafka/event-consumer.service.js';
import { PostEventDays } from './post-event-days.service.js';
import { PostEventWriter } from './post-event-writer.service.js';
import { PostEventDay, PostEventDaySchema, RecentPostEventSchema, RecentPostEvent } from './post-event.schema.js';
import { PostEventsController } from './post-events.controller.js';
import { PostEventsService } from './post-events.service.js';
import { ViewsSubscriber } from './views.subscriber.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: RecentPostEvent.name, schema: RecentPostEventSchema },
      { name: PostEventDay.name, schema: PostEventDaySchema },
      { name: DeadEvent.name, schema: DeadEventSchema },
    ]),
    PostsModule,
  ],
  controllers: [PostEventsController],
  providers: [PostEventsService, PostEventWriter, PostEventDays, EventConsumer, ViewsSubscriber],
})
export class ViewsModule {
  constructor(counters: CounterRegistry) {
    counters.addSources('posts', ...EVENT_SOURCES);
  }
}
