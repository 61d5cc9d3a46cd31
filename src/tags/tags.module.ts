// Tags: the number of their posts, which a job counts every hour, their followers, and what moderators write about them. TagFollowsService
// has the tags that an account follows, for the following feed and exports. A hook of profiles adds the interests of an account to
// these. The work queue deletes the follows of a deleted account.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuditModule } from '../audit/audit.module.js';
import { CounterRegistry } from '../audit/counter-registry.js';
import { ModerationModule } from '../moderation/moderation.module.js';
import { JobsModule } from '../platform/jobs/jobs.module.js';
import { COUNTED_TAGS, TAG_FOLLOWERS } from './counter-sources.js';
import { TagCountsJob } from './tag-counts.job.js';
import { TagEditsService } from './tag-edits.service.js';
import { TagFollow, TagFollowSchema } from './tag-follow.schema.js';
import { TagFollowsService } from './tag-follows.service.js';
import { Tag, TagSchema } from './tag.schema.js';
import { TagsController } from './tags.controller.js';
import { TagsService } from './tags.service.js';
import { TagsSubscriber } from './tags.subscriber.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: Tag.name, schema: TagSchema },
      { name: TagFollow.name, schema: TagFollowSchema },
    ]),
    AuditModule,
    JobsModule,
    ModerationModule,
  ],
  controllers: [TagsController],
  providers: [TagsService, TagEditsService, TagFollowsService, TagCountsJob, TagsSubscriber],
  exports: [TagFollowsService],
})
export class TagsModule {
  constructor(counters: CounterRegistry) {
    counters.addCollection(COUNTED_TAGS);
    counters.addSources(COUNTED_TAGS.name, TAG_FOLLOWERS);
  }
}
