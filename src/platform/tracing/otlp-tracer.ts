import { hostname } from 'node:os';
import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { Span, SpanOptions, Tracer } from '../../common/tracing.js';
import { fullVersion } from '../../config/package-version.js';

export type OtlpOptions = {
  endpoint: string;
  /** whether a client decides that its trace is sampled */
  isParentBased: boolean;
  /** share of the other traces that are sampled */
  ratio: number;
  service: string;
  role: string;
};

const TRACEPARENT = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/;

/** Sends spans with OpenTelemetry's SDK as OTLP over HTTP, in the background. */
export class OtlpTracer implements Tracer {
  private readonly provider: BasicTracerProvider;
  private readonly tracer: OtelTracer;

  constructor({ endpoint, isParentBased, ratio, service, role }: OtlpOptions) {
    const root = new TraceIdRatioBasedSampler(ratio);
    this.provider = new BasicTracerProvider({
      resource: resourceFromAttributes({
        'service.name': service,
        'service.version': fullVersion(),
        'service.instance.id': `${hostname()}-${process.pid}`,
        'host.name': hostname(),
        'process.pid': process.pid,
        'opencanvas.role': role,
      }),
      sampler: isParentBased ? new ParentBasedSampler({ root }) : root,
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }))],
    });
    this.tracer = this.provider.getTracer('opencanvas-api');
  }

  start(name: string, causes: readonly string[], options?: SpanOptions): Span | undefined {
    const [parent, ...others] = causes.flatMap((text) => contextOf(text) ?? []);
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const links = others.map((each) => ({ context: each }));
    const span = this.tracer.startSpan(name, { ...otelOptions(options), links }, context);
    return span.isRecording() ? new OtlpSpan(this.tracer, span) : undefined;
  }

  stop(): Promise<void> {
    return this.provider.shutdown();
  }
}

class OtlpSpan implements Span {
  readonly traceparent: string;
  private readonly context: Context;

  constructor(
    private readonly tracer: OtelTracer,
    private readonly span: OtelSpan,
  ) {
    const { traceId, spanId } = span.spanContext();
    this.traceparent = `00-${traceId}-${spanId}-01`;
    this.context = trace.setSpan(ROOT_CONTEXT, span);
  }

  child(name: string, options?: SpanOptions): Span {
    return new OtlpSpan(this.tracer, this.tracer.startSpan(name, otelOptions(options), this.context));
  }

  set(attributes: Record<string, string | number>): void {
    this.span.setAttributes(attributes);
  }

  end(error?: unknown): void {
    // The message of an error may contain values of a row.
    if (error !== undefined)
      this.span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'Error' });
    this.span.end(performance.now());
  }
}

/** All times are of one clock, because the SDK would end a span with the time of day in ms. */
function otelOptions({ startedAt = performance.now(), attributes, isServer = false }: SpanOptions = {}) {
  const kind = isServer ? SpanKind.SERVER : SpanKind.INTERNAL;
  return { startTime: startedAt, kind, ...(attributes !== undefined && { attributes }) };
}

function contextOf(text: string): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text) ?? [];
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}
