// Mails: MailService adds a row in the transaction of the caller, and the jobs process of one host (MailWorker) sends it soon after
// the commit over SMTP_URL, or writes it as a file where that is not set. Features write the texts; address and text are encrypted in
// the row and removed with the end of the mail. docs/mail.md is the guide.
import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { MailQueue } from './mail-queue.js';
import { MailTransport } from './mail-transport.js';
import { MailWorker } from './mail-worker.js';
import { QueuedMailSchema, QueuedMail } from './mail.schema.js';
import { MailService } from './mail.service.js';

@Global()
@Module({
  imports: [MongooseModule.forFeature([{ name: QueuedMail.name, schema: QueuedMailSchema }])],
  providers: [MailService, MailQueue, MailTransport, MailWorker],
  exports: [MailService],
})
export class MailModule {}
