// Views, reads and shares of posts, each counted once per viewer, post and window. Ended windows are folded into daily sums. Events come
// from requests, and from Kafka (integrations/kafka) if it is configured. Likes, comments and follows are added to the days as the activity
// queue applies them. Authors read the days as stats, and a job lists the top writers by them.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ActivityModule } from '../activity/activity.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { CounterRegistry } from '../audit/counter-registry.js';
import { DailyCounts } from '../audit/daily-counts.js';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module.js';
import { JobsModule } from '../platform/jobs/jobs.module.js';
import { PostsModule } from '../posts/posts.module.js';
import { UsersModule } from '../users/users.module.js';
import { AuthorDay, AuthorDaySchema } from './author-day.schema.js';
import { countLikes, EVENT_SOURCES } from './counter-sources.js';
import { DayFactsService } from './day-facts.service.js';
import { DayWriterService } from './day-writer.service.js';
import { PostEventDaysService } from './post-event-days.service.js';
import { PostEventWriterService } from './post-event-writer.service.js';
import { PostEventDay, PostEventDaySchema, RecentPostEventSchema, RecentPostEvent } from './post-event.schema.js';
import { PostEventsController } from './post-events.controller.js';
import { PostEventsService } from './post-events.service.js';
import { StatMonthsService } from './stat-months.service.js';
import { StatsController } from './stats.controller.js';
import { StatsService } from './stats.service.js';
import { TopWritersController } from './top-writers.controller.js';
import { TopWritersService } from './top-writers.service.js';
import { ViewsSubscriber } from './views.subscriber.js';
import { WriterList, WriterListSchema } from './writer-list.schema.js';
import { WriterListsJob } from './writer-lists.job.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: RecentPostEvent.name, schema: RecentPostEventSchema },
      { name: PostEventDay.name, schema: PostEventDaySchema },
      { name: AuthorDay.name, schema: AuthorDaySchema },
      { name: WriterList.name, schema: WriterListSchema },
    ]),
    ActivityModule,
    PostsModule,
    UsersModule,
    AuditModule,
    IdempotencyModule,
    JobsModule,
  ],
  controllers: [PostEventsController, StatsController, TopWritersController],
  providers: [
    ...[PostEventsService, PostEventWriterService, PostEventDaysService, ViewsSubscriber],
    ...[DayFactsService, DayWriterService, StatMonthsService, StatsService, WriterListsJob, TopWritersService],
  ],
  exports: [PostEventsService, PostEventWriterService],
})
export class ViewsModule {
  constructor(counters: CounterRegistry, days: DailyCounts) {
    counters.addSources('posts', ...EVENT_SOURCES);
    days.add('likes', countLikes);
  }
}
