// Rules for texts and limits of new accounts. Posts, comments and users call TextChecks and NewcomerLimits before they store a text; admins
// edit the rules (ContentRules). Each process matches texts with its own copy of the rules (ActiveRules). A match that moderators must see
// is a task (CONTENT_FLAGGED), for which reports opens a case.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ActivityModule } from '../activity/activity.module.js';
import { ModerationModule } from '../moderation/moderation.module.js';
import { CpuPoolModule } from '../platform/cpu-pool/cpu-pool.module.js';
import { EventsModule } from '../platform/events/events.module.js';
import { ActiveRules } from './active-rules.service.js';
import { ContentRule, ContentRuleSchema, RuleHits, RuleHitsSchema } from './content-rule.schema.js';
import { ContentRulesController } from './content-rules.controller.js';
import { ContentRules } from './content-rules.service.js';
import { NewcomerLimits } from './newcomer-limits.service.js';
import { RuleHitsService } from './rule-hits.service.js';
import { TextChecks } from './text-checks.service.js';

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
  providers: [ActiveRules, ContentRules, NewcomerLimits, RuleHitsService, TextChecks],
  exports: [NewcomerLimits, TextChecks],
})
export class RulesModule {}
