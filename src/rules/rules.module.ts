// Rules for texts and limits of new accounts. Posts, comments and users call TextChecksService and NewcomerLimitsService before they store a text; admins
// edit the rules (ContentRulesService). Each process matches texts with its own copy of the rules (ActiveRulesService). A match that moderators must see
// is a task (CONTENT_FLAGGED), for which reports opens a case.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ActivityModule } from '../activity/activity.module.js';
import { ModerationModule } from '../moderation/moderation.module.js';
import { CpuPoolModule } from '../platform/cpu-pool/cpu-pool.module.js';
import { EventsModule } from '../platform/events/events.module.js';
import { ActiveRulesService } from './active-rules.service.js';
import { ContentRule, ContentRuleSchema, RuleHits, RuleHitsSchema } from './content-rule.schema.js';
import { ContentRulesController } from './content-rules.controller.js';
import { ContentRulesService } from './content-rules.service.js';
import { NewcomerLimitsService } from './newcomer-limits.service.js';
import { RuleHitsService } from './rule-hits.service.js';
import { TextChecksService } from './text-checks.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: ContentRule.name, schema: ContentRuleSchema },
      { name: RuleHits.name, schema: RuleHitsSchema },
    ]),
    ActivityModule,
    ModerationModule,
    CpuPoolModule,
    EventsModule,
  ],
  controllers: [ContentRulesController],
  providers: [ActiveRulesService, ContentRulesService, NewcomerLimitsService, RuleHitsService, TextChecksService],
  exports: [NewcomerLimitsService, TextChecksService],
})
export class RulesModule {}
