import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { PROCESS_ROLE, type ProcessRole, runsJobs } from '../cluster/process-role.js';
import { Dependencies } from '../metrics/dependencies.js';
import { counter } from '../prometheus/metric.js';
import { type HandlerContext, TaskHandlers } from '../work-queue/task-handlers.js';
import { LANES } from '../work-queue/lanes.js';
import { MailCounts } from './mail-counts.js';
import { SiteSettingsService } from '../site-settings/site-settings.service.js';
import { MailRejected, MailTransport } from './mail-transport.js';
import { MAIL, MailService, type QueuedMail } from './mail.service.js';

const RETRIES = LANES.mail.retrySeconds.length;

const mailsTotal = counter({
  name: 'opencanvas_mails_total',
  help: 'Mails by outcome: sent, refused permanently, to be retried, dropped, or expired before an attempt',
  labelNames: ['outcome'],
});

/** Sends queued mails at least once: a mail remains queued if its process is killed while sending it. */
@Injectable()
export class MailSender implements OnModuleInit, OnApplicationBootstrap {
  private readonly logger = new Logger('Mail');

  constructor(
    private readonly mails: MailService,
    private readonly counts: MailCounts,
    private readonly transport: MailTransport,
    private readonly handlers: TaskHandlers,
    private readonly dependencies: Dependencies,
    @Inject(PROCESS_ROLE) private readonly role: ProcessRole,
    private readonly settings: SiteSettingsService,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    const run = async (context: HandlerContext<QueuedMail>): Promise<Date | undefined> => {
      const outcome = await this.send(context);
      if (outcome instanceof Date) return outcome;
      mailsTotal.inc({ outcome });
      // An error would send the mail again.
      if (outcome === 'sent') await this.counts.addSent().catch(() => {});
      return undefined;
    };
    this.handlers.register(MAIL, { name: 'mail', lane: 'mail', run });
  }

  onApplicationBootstrap(): void {
    const { probe } = this.transport;
    if (probe === undefined || !this.config.jobs.isEnabled || !runsJobs(this.role)) return;
    const consequence = 'Mails wait in the queue until it does: check SMTP_URL.';
    this.dependencies.watch({ name: 'smtp', probe, consequence });
  }

  /** @returns the outcome, or the time at which the limit allows the mail. @throws MailRejected for a retry */
  private async send({ id, attempt, payload }: HandlerContext<QueuedMail>): Promise<string | Date> {
    const { recipient, ifTooMany, goodUntil } = payload;
    const content = this.mails.contentOf(payload);
    if (content !== null && !(await this.mails.isAllowed(content))) return 'dropped';
    const { isExpired, fullUntil } = await this.counts.add(recipient, id, goodUntil);
    if (isExpired) return 'expired';
    if (fullUntil !== null && ifTooMany === 'wait') return fullUntil;
    if (fullUntil !== null && ifTooMany === 'drop') return 'dropped';
    try {
      if (content === null) throw new MailRejected('secret changed', true);
      const { name } = await this.settings.get();
      await this.transport.deliver(id, content, name);
      return 'sent';
    } catch (error) {
      const rejected = error instanceof MailRejected ? error : new MailRejected(nameOf(error), false);
      if (!rejected.isFinal && attempt <= RETRIES) {
        mailsTotal.inc({ outcome: 'retried' });
        throw rejected;
      }
      this.logger.warn(`mail ${id.toHexString()} was dropped after attempt ${attempt}: ${rejected.message}`);
      return 'refused';
    }
  }
}

function nameOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.name : 'unknown');
}
