import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Db, Document } from 'mongodb';
import { within } from '../../common/within.js';
import { ClusterMetrics } from '../cluster/cluster-metrics.js';
import { type Host, Hosts } from '../hosts/hosts.js';
import { MongoService } from '../mongo/mongo.service.js';
import { BACKGROUND } from '../mongo/slow-query/command-monitor.js';
import { MetricsPage } from '../prometheus/metrics-page.js';
import { LANE_NAMES } from '../work-queue/lanes.js';
import { replicationLagOf } from './replication-lag.js';
import type { DatabaseStateDto, OperationsSummaryDto, ServerHostDto } from './dto/operations-summary.dto.js';

/** All readers share a page of metrics for a second. */
const PAGE_MS = 1_000;
const MAX_PERIOD_SECONDS = 60;
/** The requests of people who look do not count. */
const OWN_ROUTE = 'route="/v1/operations/summary"';
const COMMITS = { command: 'commitTransaction', outcome: 'ok' };
const DATABASE_EVERY_MS = 10_000;
const DATABASE_TIMEOUT_MS = 1_000;

type Period = { before: MetricsPage; now: MetricsPage; seconds: number };
type DatabaseReply = Pick<DatabaseStateDto, 'sizeBytes' | 'replicationLagSeconds'>;

/** Makes the state of this host from two pages of its metrics, on request. */
@Injectable()
export class OperationsSummaryService {
  private pages: [before?: MetricsPage, now?: MetricsPage] = [];
  private database: (DatabaseReply & { readAt: number }) | undefined;

  constructor(
    private readonly metrics: ClusterMetrics,
    private readonly hosts: Hosts,
    private readonly mongo: MongoService,
  ) {}

  /** @throws CodedError `overloaded` when the primary process does not respond */
  async get(): Promise<OperationsSummaryDto> {
    const [period, { sizeBytes, replicationLagSeconds }] = await Promise.all([this.nextPeriod(), this.readDatabase()]);
    const { now, seconds } = period;
    return {
      at: timeFrom(timeOf(now))!,
      seconds,
      host: toServerHost(this.hosts.own),
      otherHosts: this.hosts.others.map(toServerHost),
      requests: requestsOf(period),
      commits: {
        perSecond: rate(period, 'mongo_command_seconds_count', COMMITS),
        queued: now.sum('group_commit_queued'),
      },
      lanes: lanesOf(now),
      tasks: tasksOf(now),
      slowQueries: now.sum('mongo_slow_queries_total'),
      processes: processesOf(period),
      database: {
        sizeBytes,
        connections: now.sum('mongo_pool_connections', { state: 'open' }),
        maxConnections: now.sum('mongo_pool_limit', { of: 'host' }),
        replicationLagSeconds,
      },
      lastBackupAt: timeFrom(now.sum('backup_last_success_timestamp_seconds')),
    };
  }

  /** The time from the page of an earlier request to a new one. Makes both if there was none recently. */
  private async nextPeriod(): Promise<Period> {
    for (;;) {
      const page = new MetricsPage(await this.metrics.collect(), OWN_ROUTE);
      if (timeOf(page) !== timeOf(this.pages[1])) this.pages = [this.pages[1], page];
      const [before, now] = this.pages;
      const seconds = timeOf(now) - timeOf(before);
      if (before !== undefined && now !== undefined && seconds > 0 && seconds <= MAX_PERIOD_SECONDS)
        return { before, now, seconds };
      await sleep(PAGE_MS);
    }
  }

  /** Nulls are what the database does not say, for example during an outage. */
  private async readDatabase(): Promise<DatabaseReply> {
    const now = performance.now();
    if (this.database !== undefined && now - this.database.readAt < DATABASE_EVERY_MS) return this.database;
    const read = (db: Db, command: Document): Promise<Document | undefined> =>
      within(DATABASE_TIMEOUT_MS, db.command({ ...command, comment: BACKGROUND })).catch(() => undefined);
    const [stats, set] = await Promise.all([
      read(this.mongo.db, { dbStats: 1 }),
      // needs the role `clusterMonitor`
      read(this.mongo.client.db('admin'), { replSetGetStatus: 1 }),
    ]);
    const sizeBytes = stats === undefined ? null : Number(stats['totalSize']);
    this.database = { readAt: now, sizeBytes, replicationLagSeconds: replicationLagOf(set) };
    return this.database;
  }
}

const toServerHost = ({ host: id, name, version }: Host): ServerHostDto => ({ id, name, version });
const timeOf = (page: MetricsPage | undefined): number => page?.sum('metrics_timestamp_seconds') ?? 0;
const timeFrom = (seconds: number): string | null => (seconds === 0 ? null : new Date(seconds * 1_000).toISOString());

function rate({ before, now, seconds }: Period, name: string, labels?: Record<string, string>): number {
  return Math.max(0, now.sum(name, labels) - before.sum(name, labels)) / seconds;
}

function requestsOf(period: Period): OperationsSummaryDto['requests'] {
  const ofFramework = (labels?: { status: string }): number => rate(period, 'http_request_seconds_count', labels);
  const [cached, shed] = [rate(period, 'cache_hits_total'), rate(period, 'admission_refused_total')];
  const perSecond = ofFramework() + cached + shed;
  const [p50Ms = null, p99Ms = null] = quantilesMs(period, [0.5, 0.99]);
  return {
    perSecond,
    clientErrorsPerSecond: ofFramework({ status: '4xx' }),
    serverErrorsPerSecond: ofFramework({ status: '5xx' }) + shed,
    p50Ms,
    p99Ms,
    cacheShare: perSecond === 0 ? null : cached / perSecond,
    inFlight: period.now.sum('requests_in_flight'),
  };
}

/** Interpolated within their buckets, as `histogram_quantile` does. None without a request. */
function quantilesMs({ before, now }: Period, shares: number[]): number[] {
  const counts = new Map<number, number>();
  for (const [page, sign] of [
    [before, -1],
    [now, 1],
  ] as const)
    for (const { labels, value } of page.list('http_request_seconds_bucket')) {
      const le = labels['le'] === '+Inf' ? Infinity : Number(labels['le']);
      counts.set(le, (counts.get(le) ?? 0) + sign * value);
    }
  const buckets = [...counts].sort(([a], [b]) => a - b);
  const total = counts.get(Infinity) ?? 0;
  if (total === 0) return [];
  return shares.map((share) => {
    const at = buckets.findIndex(([, count]) => count >= share * total);
    const [[from, below], [to, count]] = [buckets[at - 1] ?? [0, 0], buckets[at]!];
    return 1_000 * (to === Infinity ? from : from + ((to - from) * (share * total - below)) / (count - below));
  });
}

function lanesOf(now: MetricsPage): OperationsSummaryDto['lanes'] {
  return LANE_NAMES.map((lane) => ({
    name: lane,
    waiting: now.sum('tasks_waiting', { lane }),
    done: now.sum('task_runs_total', { lane, outcome: 'done' }),
    failed: now.sum('task_runs_total', { lane, outcome: 'failed' }),
  }));
}

function tasksOf(now: MetricsPage): OperationsSummaryDto['tasks'] {
  return now.list('job_last_run_seconds').map(({ labels: { task = '' }, value: seconds }) => ({
    name: task,
    lastSuccessAt: timeFrom(now.sum('job_last_success_timestamp_seconds', { task })),
    seconds,
    failed: now.sum('job_runs_total', { task, outcome: 'failed' }),
  }));
}

function processesOf({ before, now, seconds }: Period): OperationsSummaryDto['processes'] {
  return now.list('process_memory_bytes').map(({ labels: { role = '', pid = '', version = '' }, value }) => {
    const [earlier, later] = [before, now].map((page) => page.list('process_cpu_seconds', { pid })[0]?.value ?? NaN);
    const cpu = (later! - earlier!) / seconds;
    return { role, pid: Number(pid), version, memoryBytes: value, cpu: Number.isNaN(cpu) ? null : Math.max(0, cpu) };
  });
}
