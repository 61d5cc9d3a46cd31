import { ObjectId } from 'mongodb';
import { HttpClient, type HttpAnswer } from './http-client.js';
import { flawOf } from './writer.js';

const EVERY_MS = 100;

type Look = 'hot' | 'cold' | 'live' | 'ready';
export type Sighting = {
  look: Look;
  at: number;
  status: number;
  state: string;
  /** Beginning of the error message. */
  said: string;
  tookMs: number;
  flaw: string | null;
};

/**
 * A monitor beside the clients. Ten times a second it requests a cached response, an uncached response and the health of the process,
 * over new connections so that it reaches every worker.
 */
export class Observer {
  sightings: Sighting[] = [];
  /** Connections that ended without a response, with the time. */
  broken: { look: Look; at: number; said: string; tookMs: number }[] = [];
  private readonly client: HttpClient;
  private readonly timer: NodeJS.Timeout;

  constructor(
    url: readonly string[],
    readonly hotPath: string,
  ) {
    this.client = new HttpClient(url, false);
    this.timer = setInterval(() => {
      void this.look('hot', this.hotPath);
      void this.look('cold', `/v1/posts/${new ObjectId().toHexString()}`);
      void this.look('live', '/health/live');
      void this.look('ready', '/health/ready');
    }, EVERY_MS);
  }

  /** Returns the responses to requests sent at or after `start`. */
  since(start: number, look: Look): Sighting[] {
    return this.sightings.filter((sighting) => sighting.look === look && sighting.at >= start);
  }

  forget(): void {
    this.sightings = [];
    this.broken = [];
  }

  stop(): void {
    clearInterval(this.timer);
    this.client.close();
  }

  private async look(look: Look, path: string): Promise<void> {
    const at = Date.now();
    try {
      const answer = await this.client.send({ method: 'GET', path });
      this.sightings.push({
        look,
        at,
        status: answer.status,
        state: stateOf(answer),
        said: answer.status === 200 ? '' : answer.text.slice(0, 300),
        tookMs: answer.tookMs,
        flaw: flaw(answer),
      });
    } catch (error) {
      this.broken.push({ look, at, said: String(error), tookMs: Date.now() - at });
    }
  }
}

function stateOf({ headers }: HttpAnswer): string {
  return String(headers['x-cache'] ?? '');
}

function flaw(answer: HttpAnswer): string | null {
  return answer.status === 503 ? flawOf(answer) : null;
}
