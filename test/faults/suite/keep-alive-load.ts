import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/until.js';
import { type HttpAnswer, HttpClient, type HttpRequest } from './http-client.js';

export type LoadKind = {
  name: string;
  request(turn: number): HttpRequest;
};

export type LoadReport = {
  requests: Record<string, number>;
  /** One line for each request without a response of 200. */
  failures: string[];
  /** Closed connections whose last response had `Connection: close`. */
  announced: number;
  unannounced: number;
  slowestMs: number;
};

/**
 * Clients that hold their connections and never retry, so each dropped request is a failure. Each client rotates through all kinds of
 * requests, with a short pause so that the server is not saturated.
 */
export class KeepAliveLoad {
  private readonly report: LoadReport = { requests: {}, failures: [], announced: 0, unannounced: 0, slowestMs: 0 };
  private readonly loops: Promise<void>[];
  private isOver = false;

  constructor(
    private readonly url: string,
    private readonly kinds: LoadKind[],
    connections: number,
    private readonly pauseMs = 5,
  ) {
    this.loops = Array.from({ length: connections }, (_, at) => this.run(at));
  }

  /** Waits until the clients have sent this number of requests of each kind. */
  async untilSent(count: number): Promise<void> {
    await until(() => this.kinds.every(({ name }) => (this.report.requests[name] ?? 0) >= count) || null);
  }

  async stop(): Promise<LoadReport> {
    this.isOver = true;
    await Promise.all(this.loops);
    return this.report;
  }

  private async run(at: number): Promise<void> {
    const client = new HttpClient(this.url);
    let last: HttpAnswer | undefined;
    for (let turn = at; !this.isOver; turn++) {
      last = await this.ask(client, this.kinds[turn % this.kinds.length]!, turn, last);
      await sleep(this.pauseMs);
    }
    client.close();
  }

  private async ask(
    client: HttpClient,
    kind: LoadKind,
    turn: number,
    last?: HttpAnswer,
  ): Promise<HttpAnswer | undefined> {
    const { report } = this;
    report.requests[kind.name] = (report.requests[kind.name] ?? 0) + 1;
    try {
      const answer = await client.send(kind.request(turn));
      if (answer.status !== 200) report.failures.push(`${kind.name}: ${answer.status} ${answer.text.slice(0, 200)}`);
      if (last !== undefined && !answer.isReused) {
        if (last.headers.connection === 'close') report.announced++;
        else report.unannounced++;
      }
      report.slowestMs = Math.max(report.slowestMs, answer.tookMs);
      return answer;
    } catch (error) {
      report.failures.push(`${kind.name}: ${String(error)}`);
      return undefined;
    }
  }
}
