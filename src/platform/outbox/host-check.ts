import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { within } from '../../common/within.js';
import { AppConfig } from '../../config/app-config.js';
import { secretFingerprint } from '../../config/token-secrets.js';
import { MongoService } from '../mongo/mongo.service.js';
import { exportGauge } from '../prometheus/metric.js';
import { Hosts } from './hosts.js';
import { OutboxStream } from './outbox-stream.js';

const CHECK_EVERY_MS = 10_000;
const START_TIMEOUT_MS = 1_000;
const MAX_CLOCK_OFFSET_MS = 5_000;

/** What all hosts must have in common: the time, and the secret of tokens and cursors. A difference is a warning, not a refusal. */
@Injectable()
export class HostCheck implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('HostCheck');
  private readonly fingerprints: readonly string[];
  /** this host's clock minus that of the primary of MongoDB */
  private clockOffsetMs = 0;
  private logged: string[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly mongo: MongoService,
    private readonly hosts: Hosts,
    private readonly stream: OutboxStream,
    config: AppConfig,
  ) {
    this.fingerprints = config.auth.tokenSecrets.map(secretFingerprint);
  }

  onModuleInit(): void {
    exportGauge({
      name: 'opencanvas_clock_offset_seconds',
      help: 'Clock of this host minus that of MongoDB',
      aggregator: 'max',
      read: () => this.clockOffsetMs / 1_000,
    });
    exportGauge({
      name: 'opencanvas_hosts_with_other_secret',
      help: 'Live hosts that sign with an AUTH_TOKEN_SECRET that this one does not have',
      aggregator: 'max',
      read: () => this.hostsWithOtherSecret.length,
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    this.timer = setInterval(() => void this.check(), CHECK_EVERY_MS).unref();
    await within(START_TIMEOUT_MS, this.check());
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** A detail of readiness: what differs, in a sentence each. */
  get warnings(): string[] {
    const seconds = Math.round(this.clockOffsetMs / 1_000);
    const side = seconds < 0 ? 'behind' : 'ahead of';
    const clock = `The clock of this host is ${Math.abs(seconds)} s ${side} that of MongoDB: tokens, schedules and limits go wrong.`;
    const isOff = Math.abs(this.clockOffsetMs) > MAX_CLOCK_OFFSET_MS;
    const secrets = this.hostsWithOtherSecret.map(
      (host) => `Host ${host} signs with another AUTH_TOKEN_SECRET: its tokens and cursors are refused here.`,
    );
    return isOff ? [clock, ...secrets] : secrets;
  }

  private get hostsWithOtherSecret(): string[] {
    return this.hosts.others
      .filter(({ secret }) => secret !== undefined && !this.fingerprints.includes(secret))
      .map(({ name, host }) => name ?? host);
  }

  private async check(): Promise<void> {
    const askedAt = Date.now();
    const hello = await this.mongo.client
      .db('admin')
      .command({ hello: 1 })
      .catch(() => null);
    const answeredAt = Date.now();
    // what the round trip took may lie before or after the moment of the server's clock
    const offsetMs = hello === null ? 0 : (askedAt + answeredAt) / 2 - Number(hello['localTime']);
    const uncertaintyMs = (answeredAt - askedAt) / 2;
    if (hello !== null) this.clockOffsetMs = Math.sign(offsetMs) * Math.max(0, Math.abs(offsetMs) - uncertaintyMs);
    // one process of each host logs it
    if (!this.stream.isFollower) return;
    const { warnings } = this;
    for (const warning of warnings) if (!this.logged.includes(warning)) this.logger.warn(warning);
    this.logged = warnings;
  }
}
