// The audit log of moderators, admins and operators. Other modules call ModerationLogService in the transaction of the action, and read rows with
// ModerationHistoryService; moderators, and visitors of a public log, read them over HTTP. Rows outlive deleted accounts and content: they contain
// ids and the reasons that moderators gave, never names or content. RemovedTextsService stores what removals of profiles and notes have emptied.
// Modules register in ModerationTargets how moderators act on their content.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ModerationAction, ModerationActionSchema } from './moderation-action.schema.js';
import { ModerationHistoryService } from './moderation-history.service.js';
import { ModerationLogController } from './moderation-log.controller.js';
import { ModerationLogService } from './moderation-log.service.js';
import { ModerationTargets } from './moderation-targets.js';
import { PublicLogController } from './public-log.controller.js';
import { RemovedText, RemovedTextSchema } from './removed-text.schema.js';
import { RemovedTextsService } from './removed-texts.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: ModerationAction.name, schema: ModerationActionSchema },
      { name: RemovedText.name, schema: RemovedTextSchema },
    ]),
  ],
  controllers: [ModerationLogController, PublicLogController],
  providers: [ModerationLogService, ModerationHistoryService, ModerationTargets, RemovedTextsService],
  exports: [ModerationLogService, ModerationHistoryService, ModerationTargets, RemovedTextsService],
})
export class ModerationModule {}
