// Mails: a task of the transaction that causes them (MailService), sent after the commit by the jobs process of one host (MailSender)
// over SMTP_URL, or written to files if that is not set. Features write the texts; address and text are encrypted in the task.
// docs/mail.md is the guide.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { MetricsModule } from '../metrics/metrics.module.js';
import { SiteSettingsModule } from '../site-settings/site-settings.module.js';
import { MailCount, MailCountSchema } from './mail-count.schema.js';
import { MailCounts } from './mail-counts.js';
import { MailDay, MailDaySchema } from './mail-day.schema.js';
import { MailSender } from './mail-sender.js';
import { MailTransport } from './mail-transport.js';
import { MailService } from './mail.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: MailCount.name, schema: MailCountSchema },
      { name: MailDay.name, schema: MailDaySchema },
    ]),
    MetricsModule,
    SiteSettingsModule,
  ],
  providers: [MailService, MailCounts, MailTransport, MailSender],
  exports: [MailService, MailCounts],
})
export class MailModule {}
