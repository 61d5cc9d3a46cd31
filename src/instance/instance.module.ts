// The site itself: its settings and limits, which clients read before sign-in, changes by admins, and the first run, which creates the
// first admin. The module owns no rows; platform/site-settings has those of the settings.
import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { ModerationModule } from '../moderation/moderation.module.js';
import { SiteSettingsModule } from '../platform/site-settings/site-settings.module.js';
import { UsersModule } from '../users/users.module.js';
import { InstanceController } from './instance.controller.js';
import { InstanceService } from './instance.service.js';

@Module({
  imports: [AuthModule, ModerationModule, SiteSettingsModule, UsersModule],
  controllers: [InstanceController],
  providers: [InstanceService],
})
export class InstanceModule {}
