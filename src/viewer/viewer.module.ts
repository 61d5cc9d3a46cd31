// The viewer's own state for a page in one request: account, unread notifications, votes, saves, follows, blocks. The module owns no rows:
// the services of other rooms read theirs. No other module calls this one.
import { Module } from '@nestjs/common';
import { FollowsModule } from '../follows/follows.module.js';
import { InteractionsModule } from '../interactions/interactions.module.js';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { TagsModule } from '../tags/tags.module.js';
import { UsersModule } from '../users/users.module.js';
import { ViewerController } from './viewer.controller.js';
import { ViewerService } from './viewer.service.js';

@Module({
  imports: [FollowsModule, InteractionsModule, NotificationsModule, TagsModule, UsersModule],
  controllers: [ViewerController],
  providers: [ViewerService],
})
export class ViewerModule {}
