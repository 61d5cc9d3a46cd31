import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { completeAnswers } from './document-answers.js';
import { describeParameters } from './document-parameters.js';
import { Problem } from './problem.js';

/** The OpenAPI 3.1 document of the whole API. */
export function createOpenApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('opencanvas-api')
    .setDescription('The backend of a publishing community: posts, feed, users, follows, interactions, comments.')
    .setVersion('1.0.0')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
    // like the access guard: a route that says nothing needs a token
    .addSecurityRequirements('bearer')
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    extraModels: [Problem],
    operationIdFactory: (_controller, method) => method,
  });
  return completeAnswers(describeParameters(document));
}

/** Swagger UI at /docs, the document at /openapi.json. */
export function mountDocs(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => createOpenApiDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'opencanvas-api',
    swaggerOptions: { persistAuthorization: true, displayRequestDuration: true, tryItOutEnabled: true },
  });
}
