export type SpanOptions = {
  /** of performance.now(); by default now */
  startedAt?: number;
  attributes?: Record<string, string | number>;
  isServer?: boolean;
};

/** A span of a trace: a named time with a parent. */
export interface Span {
  /** W3C Trace Context, for messages, rows and headers */
  readonly traceparent: string;
  child(name: string, options?: SpanOptions): Span;
  set(attributes: Record<string, string | number>): void;
  /** @param error marks the span as failed */
  end(error?: unknown): void;
}

export interface Tracer {
  /**
   * @param causes values of `traceparent`: the first is the parent, the others are links. Invalid ones are ignored.
   * @returns undefined if the trace is not sampled
   */
  start(name: string, causes: readonly string[], options?: SpanOptions): Span | undefined;
}

export const tracing: {
  /** undefined without OTEL_EXPORTER_OTLP_ENDPOINT */
  tracer: Tracer | undefined;
  /** the span of the transaction that `inSpan` begins */
  current: Span | undefined;
} = { tracer: undefined, current: undefined };

/**
 * Makes the transaction that `begin` begins before its first `await` part of a span. There is no asynchronous context, because
 * AsyncLocalStorage adds work to each promise of the process before Node 24, also in requests without a trace.
 */
export function inSpan<T>(span: Span | undefined, begin: () => T): T {
  if (span === undefined) return begin();
  tracing.current = span;
  try {
    return begin();
  } finally {
    tracing.current = undefined;
  }
}

export function endWith<T>(span: Span | undefined, work: Promise<T>): Promise<T> {
  if (span !== undefined)
    void work.then(
      () => span.end(),
      (error: unknown) => span.end(error),
    );
  return work;
}
