import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { packageVersion } from '../config/package-version.js';
import { describeRules } from '../platform/http/openapi/document-rules.js';
import { OpenCanvasModule } from './opencanvas.module.js';

/** Returns the OpenAPI document of the OpenCanvas API only. */
export function createOpenCanvasDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('opencanvas-api for clients of OpenCanvas')
    .setDescription('Frozen, for the client of OpenCanvas. Each operation names the route of /v1 for new clients.')
    .setVersion(packageVersion())
    .addBearerAuth()
    .build();
  describeRules();
  return SwaggerModule.createDocument(app, config, {
    include: [OpenCanvasModule],
    operationIdFactory: (_controller, method) => method,
  });
}
