// What moderators, admins and operators did. The rooms whose content they change call ModerationLog in the transaction of the change;
// moderators read the rows over HTTP. Rows stay when an account or its content is deleted: they contain ids, never names or texts.
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
