import { tracing } from '../../common/tracing.js';
import type { AppConfig } from '../../config/app-config.js';

/**
 * Starts to send spans of this process to OTEL_EXPORTER_OTLP_ENDPOINT, if it is set. Only then the packages of OpenTelemetry are loaded.
 * @param role of the process
 * @returns sends the rest, and stops
 */
export async function startTracing(config: AppConfig, role: string): Promise<() => Promise<void>> {
  const { endpoint } = config.tracing;
  if (endpoint === undefined) return async () => {};
  const { OtlpTracer } = await import('./otlp-tracer.js');
  const tracer = new OtlpTracer({ ...config.tracing, endpoint, role });
  tracing.tracer = tracer;
  return () => tracer.stop();
}
