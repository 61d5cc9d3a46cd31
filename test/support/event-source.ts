import { until } from './until.js';

export type SentEvent = { event: string; id: string; data: any };

/** A connection to a stream of server-sent events, as text and as events. */
export class TestEventSource {
  text = '';
  isClosed = false;

  private constructor(
    readonly response: Response,
    private readonly abort: AbortController,
  ) {}

  static async open(url: string, headers: Record<string, string> = {}): Promise<TestEventSource> {
    const abort = new AbortController();
    const source = new TestEventSource(await fetch(url, { headers, signal: abort.signal }), abort);
    void source.read().finally(() => (source.isClosed = true));
    return source;
  }

  get events(): SentEvent[] {
    return [...this.text.matchAll(/event: (.*)\nid: (.*)\ndata: (.*)\n\n/g)].map(([, event, id, data]) => {
      return { event: event!, id: id!, data: JSON.parse(data!) };
    });
  }

  /** Returns the latest event of this name after `count` events of the name have arrived. */
  latest(name: string, count = 1): Promise<SentEvent> {
    const found = (): SentEvent[] => this.events.filter(({ event }) => event === name);
    return until(
      () => (found().length >= count ? found().at(-1) : null),
      () => `${this.response.status}: ${this.text}`,
    );
  }

  async closed(): Promise<this> {
    await until(() => this.isClosed || null);
    return this;
  }

  close(): void {
    this.abort.abort();
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body!) this.text += decoder.decode(chunk, { stream: true });
    } catch {
      // The connection broke, or was closed.
    }
  }
}
