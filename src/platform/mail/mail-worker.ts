import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { AppConfig } from '../../config/app-config.js';
import { PROCESS_ROLE, type ProcessRole, runsJobs } from '../cluster/process-role.js';
import { JobsRunner } from '../jobs/jobs-runner.js';
import { Leased } from '../jobs/leased.decorator.js';
import { Dependencies } from '../metrics/dependencies.js';
import { EventStream } from '../events/event-stream.js';
import { waitingMails } from './mail-metrics.js';
import { MailQueue } from './mail-queue.js';
import { MAIL_CONNECTIONS, MailRefused, MailTransport } from './mail-transport.js';
import type { QueuedMail } from './mail.schema.js';
import { MAIL_WAITING, type MailContent, MailService } from './mail.service.js';

const JOB = 'mail';
/** For retries, and for mails whose event was missed. */
const POLL_MS = 5_000;
/** Then the lease is given to another host that may want it. */
const MAX_BATCH = 200;
const SECRET_GONE = new MailRefused('secret changed', true);

/** Sends queued mails, a few at a time. Each is sent at least once: a process killed while sending leaves its mail in the queue. */
@Injectable()
export class MailWorker implements OnModuleInit, OnApplicationBootstrap {
  private readonly logger = new Logger('Mail');
  private readonly isOn: boolean;
  private isWoken = false;
  private isRunning = false;

  constructor(
    private readonly queue: MailQueue,
    private readonly mails: MailService,
    private readonly transport: MailTransport,
    private readonly jobs: JobsRunner,
    private readonly stream: EventStream,
    private readonly dependencies: Dependencies,
    @Inject(PROCESS_ROLE) role: ProcessRole,
    config: AppConfig,
  ) {
    this.isOn = config.jobs.isEnabled && runsJobs(role);
  }

  onModuleInit(): void {
    this.stream.subscribe(MAIL_WAITING, { onEvent: () => void this.wake(), onGap: () => void this.wake() });
  }

  onApplicationBootstrap(): void {
    if (!this.isOn) return;
    const { probe } = this.transport;
    const consequence = 'Mails wait in the queue until it does: check SMTP_URL.';
    if (probe !== undefined) this.dependencies.watch({ name: 'smtp', probe, consequence });
  }

  /** Sends due mails until there are none, or a batch is full. */
  @Interval(POLL_MS)
  @Leased<MailWorker>(JOB, { isDue: (worker) => worker.isDue() })
  async work(signal: AbortSignal): Promise<void> {
    let left = MAX_BATCH;
    let claiming: Promise<QueuedMail | null> = Promise.resolve(null);
    const sender = async (isOver: AbortSignal): Promise<void> => {
      while (left-- > 0 && !signal.aborted && !isOver.aborted) {
        // one after the other, so that two mails to one address are counted
        claiming = claiming.then(() => this.queue.claim());
        const row = await claiming;
        if (row === null) return;
        if (signal.aborted) return this.queue.giveBack(row);
        await this.send(row);
      }
    };
    const failed = new AbortController();
    const endAll = (error: unknown): never => {
      failed.abort();
      throw error;
    };
    // none continues without the lease, which is held until all have ended
    const senders = Array.from({ length: MAIL_CONNECTIONS }, () => sender(failed.signal).catch(endAll));
    for (const end of await Promise.allSettled(senders)) if (end.status === 'rejected') throw end.reason;
  }

  private async isDue(): Promise<boolean> {
    waitingMails.set(await this.queue.waiting());
    return this.queue.isDue();
  }

  private async send(row: QueuedMail): Promise<void> {
    const content = this.mails.contentOf(row);
    const refused = content === null ? SECRET_GONE : await this.deliver(row, content);
    if (refused === null) return this.queue.end(row, 'sent');
    const { code, isFinal } = refused;
    this.logger.warn(`mail ${row._id.toHexString()} was not taken, attempt ${row.attempts}: ${code}`);
    await (isFinal ? this.queue.end(row, 'refused', code) : this.queue.fail(row, code));
  }

  private async deliver({ _id }: QueuedMail, content: MailContent): Promise<MailRefused | null> {
    try {
      await this.transport.deliver(_id, content);
      return null;
    } catch (error) {
      return error instanceof MailRefused ? error : new MailRefused(nameOf(error), false);
    }
  }

  /** Again when one came during the run: it may have looked before the commit. */
  private async wake(): Promise<void> {
    this.isWoken = true;
    if (!this.isOn || this.isRunning) return;
    this.isRunning = true;
    try {
      while (this.isWoken) {
        this.isWoken = false;
        const outcome = await this.jobs.run(JOB, (signal) => this.work(signal));
        if (outcome === 'stopped' || outcome === 'failed') return;
      }
    } finally {
      this.isRunning = false;
    }
  }
}

function nameOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.name : 'unknown');
}
