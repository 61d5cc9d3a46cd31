import { setTimeout as sleep } from 'node:timers/promises';
import type { SpawnedHost } from '../../support/spawned-host.js';
import { until, WAIT_MS } from '../../support/until.js';
import type { FaultKind, Stage } from './fault-kinds.js';
import type { Fleet } from './fleet.js';
import type { FaultOutcome } from './fault-run.js';
import { HttpClient, type HttpRequest } from './http-client.js';
import type { Ledger } from './ledger.js';
import type { Observer } from './observer.js';

/** Successes in a row, each over its own connection, because one healthy worker does not count as recovery. */
const IN_A_ROW = 4;
/** One worker of a busy machine may respond to any few connections, but not to this many. */
const CROWD = 64;

/** Injects one fault, removes its cause, times the recovery and checks the observed responses. */
export class Recovery {
  staleReads = 0;
  private readonly client: HttpClient;
  private readonly hosts: HttpClient;
  private likes = 0;
  private hasHealth: boolean | undefined;

  constructor(
    { urls, hostUrls }: Pick<Fleet, 'urls' | 'hostUrls'>,
    private readonly stage: Stage,
    private readonly observer: Observer,
    private readonly ledger: Ledger,
    private readonly token: () => string,
    private readonly postIds: string[],
  ) {
    this.client = new HttpClient(urls, false);
    this.hosts = new HttpClient(hostUrls, false);
  }

  async through(kind: FaultKind): Promise<FaultOutcome> {
    await this.untilWarm();
    this.observer.forget();
    const heal = await kind.hurt(this.stage);
    const hurtAt = Date.now();
    const [causeMs, wroteAt, readAt] = await Promise.all([
      heal().then(() => Date.now() - hurtAt),
      this.untilSuccess(() => this.write()),
      this.untilSuccess(() => this.read()),
    ]);
    await this.untilComplete();
    const fullMs = Date.now() - hurtAt;
    this.judge(kind, hurtAt, hurtAt + causeMs);
    const after = (at: number): number => Math.max(0, at - hurtAt - causeMs);
    const times = { causeMs, writeMs: after(wroteAt), readMs: after(readAt), fullMs };
    return { names: kind.names ?? [kind.name], kills: kind.kills, ...times };
  }

  close(): void {
    this.client.close();
    this.hosts.close();
  }

  /** Resolves when all processes are ready, and each has cached the response that must survive an outage. */
  private async untilWarm(): Promise<void> {
    await this.untilComplete();
    await this.askAllWorkers(this.observer.hotPath);
    const start = Date.now();
    await until(
      () => (this.observer.since(start, 'hot').filter(({ status }) => status === 200).length >= IN_A_ROW ? true : null),
      () => 'a cached read does not answer although everything runs',
    );
    const live = this.observer.since(start, 'live').at(-1);
    this.hasHealth ??= live !== undefined && live.status !== 404;
  }

  /** Opens more concurrent connections than one process accepts in an iteration of its event loop, so that all workers get some. */
  private async askAllWorkers(path: string): Promise<void> {
    for (let round = 0; round < 2; round++) {
      const crowd = CROWD * this.stage.hosts.length;
      const asked = Array.from({ length: crowd }, () => this.hosts.send({ method: 'GET', path }));
      await Promise.allSettled(asked);
    }
  }

  private async untilComplete(): Promise<void> {
    const { hosts } = this.stage;
    const isComplete = (host: SpawnedHost): boolean =>
      host.readyWorkers('web').length === 2 && host.readyWorkers('jobs').length === 1;
    let isStarted = false;
    await until(
      async () => {
        if (isStarted) await sleep(80);
        isStarted = true;
        return hosts.every(isComplete) || null;
      },
      () =>
        `the supervisor did not bring all processes back:\n${hosts.map(({ output }) => output.slice(-2_000)).join('\n')}`,
    );
  }

  /** @returns the send time of the first of enough successes in a row */
  private async untilSuccess(attempt: () => Promise<string | true>): Promise<number> {
    const deadline = Date.now() + WAIT_MS;
    let first = 0;
    let said = '';
    for (let row = 0; row < IN_A_ROW;) {
      if (Date.now() > deadline) throw new Error(`no recovery; the last failure: ${said}`);
      const outcome = await attempt();
      const isGood = outcome === true;
      if (!isGood) said = outcome;
      if (isGood && row === 0) first = Date.now();
      row = isGood ? row + 1 : 0;
      if (!isGood) await sleep(25);
    }
    return first;
  }

  private write(): Promise<string | true> {
    const value = this.likes++ % 2 === 0 ? 'like' : 'dislike';
    const postId = this.postIds[0]!;
    return this.succeeds({ method: 'PUT', path: `/v1/posts/${postId}/vote`, token: this.token(), body: { value } });
  }

  /** Reads an uncached list. */
  private read(): Promise<string | true> {
    return this.succeeds({ method: 'GET', path: '/v1/posts/mine?limit=5', token: this.token() });
  }

  /** Returns true, or the error. */
  private async succeeds(request: HttpRequest): Promise<string | true> {
    try {
      const { status, text, tookMs } = await this.client.send(request);
      return status === 200 || `${status} after ${Math.round(tookMs)} ms, ${text.slice(0, 300)}`;
    } catch (error) {
      return String(error);
    }
  }

  private judge({ name, hits }: FaultKind, hurtAt: number, healedAt: number): void {
    const say = (line: string): void => this.ledger.violated(`${name}: ${line}`);
    const isServing = hits === 'nothing' || hits === 'clock' || hits === 'redis';
    for (const look of ['hot', 'cold', 'live', 'ready'] as const) {
      for (const { status, flaw } of this.observer.since(0, look)) {
        if (flaw !== null) say(`${look} read: 503 ${flaw}`);
        if (status >= 500 && status !== 503) say(`${look} read answered ${status}`);
      }
    }
    if (hits === 'database' || hits === 'network') {
      for (const { status, state, at } of this.observer.since(hurtAt, 'hot')) {
        if (at >= healedAt) continue;
        if (status !== 200) say(`a cached read answered ${status}`);
        if (hits === 'database' && state === 'STALE') this.staleReads++;
      }
    }
    if (this.hasHealth === true) {
      for (const { status } of this.observer.since(0, 'live')) if (status !== 200) say(`liveness answered ${status}`);
      const no = this.observer.since(0, 'ready').find(({ status }) => status !== 200);
      if (isServing && no !== undefined) say(`readiness said no: ${no.said}`);
    }
    // All parts run, if slow. A request that cannot be served gets an error response.
    const isComplete = isServing || hits === 'network' || hits === 'writer';
    if (!isComplete) return;
    for (const { look, at, said, tookMs } of this.observer.broken) {
      say(
        `a connection of a ${look} read, opened ${at - hurtAt} ms after the fault, broke after ${tookMs} ms: ${said}`,
      );
    }
  }
}
