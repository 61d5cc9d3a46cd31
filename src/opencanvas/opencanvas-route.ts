import { applyDecorators, Controller, UseInterceptors, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForAudience } from '../platform/access/access.decorator.js';
import type { ErrorForm, FormedRoute } from '../platform/http/problems/error-form.js';
import { addRouteConfig } from '../platform/http/route-config.js';
import { ENVELOPE, type Envelope, errorFormOf, type OpenCanvasRoute } from './envelope.js';
import { EnvelopeInterceptor } from './envelope.interceptor.js';

/** deprecation date of the API, in the format of RFC 9745 */
const DEPRECATED_SINCE = `@${Date.UTC(2026, 10, 27) / 1_000}`;

/** A controller of the OpenCanvas API, relative to its mount path. Each route needs `@ReplacedBy`. */
export function OpenCanvasController(): ClassDecorator {
  return applyDecorators(
    Controller({ version: VERSION_NEUTRAL }),
    ForAudience('opencanvas'),
    UseInterceptors(EnvelopeInterceptor),
    ApiTags('opencanvas'),
  );
}

/**
 * Names the `/v1` route that replaces this one, in the headers of all responses (errors included) and in the OpenAPI document. A `@Cached`
 * route also needs `headers: () => deprecationHeaders(successor)` in its rule.
 */
export function ReplacedBy(successor: string, envelope: Envelope = ENVELOPE): MethodDecorator {
  const headers = deprecationHeaders(successor);
  const errorForm: ErrorForm = errorFormOf(envelope, headers);
  return applyDecorators(
    addRouteConfig({ errorForm, opencanvas: { envelope, headers } } satisfies FormedRoute & OpenCanvasRoute),
    ApiOperation({ deprecated: true, description: `Use ${successor}.` }),
  );
}

export function deprecationHeaders(successor: string): Record<string, string> {
  return { deprecation: DEPRECATED_SINCE, link: `<${successor}>; rel="successor-version"` };
}
