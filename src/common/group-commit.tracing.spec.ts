import { GroupCommit } from './group-commit.js';
import { type Span, type SpanOptions, tracing } from './tracing.js';

type Started = { name: string; causes: readonly string[]; options: SpanOptions | undefined };

describe('GroupCommit with tracing', () => {
  const started: Started[] = [];
  const span = { traceparent: 'own', end: () => {} } as unknown as Span;
  beforeAll(() => {
    tracing.tracer = {
      start: (name, causes, options) => {
        started.push({ name, causes, options });
        return span;
      },
    };
  });
  afterAll(() => (tracing.tracer = undefined));

  it('links a batch to the traces of its items, and makes it the span of its transaction', async () => {
    let current: Span | undefined;
    const group = new GroupCommit<number, number>({
      name: 'test',
      commit: async (items) => {
        current = tracing.current;
        return items;
      },
    });

    await Promise.all([
      group.submit(1, { traceparent: 'first' }),
      group.submit(2),
      group.submit(3, { traceparent: 'second' }),
    ]);

    expect(started.map(({ name, causes }) => [name, ...causes])).toEqual([
      ['queue test', 'first'],
      ['queue test', 'second'],
      ['commit test', 'first', 'second'],
    ]);
    expect(started.at(-1)!.options).toEqual({ attributes: { 'opencanvas.items': 3 } });
    expect([current, tracing.current]).toEqual([span, undefined]);
    await group.close();
  });
});
