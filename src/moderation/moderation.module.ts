// The audit log of moderators, admins and operators. Other modules call ModerationLog in the transaction of the action; moderators read the
// rows over HTTP. Rows outlive deleted accounts and content: they contain ids, never names or texts.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ModerationAction, ModerationActionSchema } from './moderation-action.schema.js';
import { ModerationLogController } from './moderation-log.controller.js';
import { ModerationLog } from './moderation-log.service.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: ModerationAction.name, schema: ModerationActionSchema }])],
  controllers: [ModerationLogController],
  providers: [ModerationLog],
  exports: [ModerationLog],
})
export class ModerationModule {}
