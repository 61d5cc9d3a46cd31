// Mails: a row in the transaction of what they tell (MailService), sent soon after the commit by the jobs process of one host
// (MailWorker) over SMTP_URL, or written as files where that is not set. Rooms write the words; addresses and words are sealed in
// the row and leave it with the end of the mail. docs/mail.md is the guide.
import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { MailQueue } from './mail-queue.js';
import { MailTransport } from './mail-transport.js';
import { MailWorker } from './mail-worker.js';
import { MAIL_MODEL, MailSchema } from './mail.schema.js';
import { MailService } from './mail.service.js';

@Global()
@Module({
  imports: [MongooseModule.forFeature([{ name: MAIL_MODEL, schema: MailSchema }])],
  providers: [MailService, MailQueue, MailTransport, MailWorker],
  exports: [MailService],
})
export class MailModule {}
