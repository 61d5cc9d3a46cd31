// The audit log of moderators, admins and operators. Other modules call ModerationLog in the transaction of the action, and read rows with
// ModerationHistory; moderators, and visitors of a public log, read them over HTTP. Rows outlive deleted accounts and content: they contain
// ids and the reasons that moderators gave, never names or content.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ModerationAction, ModerationActionSchema } from './moderation-action.schema.js';
import { ModerationHistory } from './moderation-history.service.js';
import { ModerationLogController } from './moderation-log.controller.js';
import { ModerationLog } from './moderation-log.service.js';
import { PublicLogController } from './public-log.controller.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: ModerationAction.name, schema: ModerationActionSchema }])],
  controllers: [ModerationLogController, PublicLogController],
  providers: [ModerationLog, ModerationHistory],
  exports: [ModerationLog, ModerationHistory],
})
export class ModerationModule {}
