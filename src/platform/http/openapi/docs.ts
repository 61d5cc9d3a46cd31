import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { packageVersion } from '../../../config/package-version.js';
import type { FastifyInstance } from 'fastify';
import { type AnswerWriter, JSON_CONTENT_TYPE } from '../answer-writer.js';
import { etagOf } from '../write-answer.js';
import { completeAnswers } from './document-answers.js';
import { closeBodies, describeRules } from './document-rules.js';
import { describeParameters } from './document-parameters.js';
import { Problem } from '../problems/problem.js';

const DESCRIPTION =
  'The backend of a publishing community. What fits its schema is not refused for its form (`invalid_input`, `invalid_id`, ' +
  '`malformed_body`); an answer with another code says what no schema can: that the cursor belongs to another list, that the ' +
  'post has changed. Lengths count code points, after NFC. Two rules no schema has: a text has at most 30 combining marks ' +
  'in a row, and a name must not look like one of the house. The `content` of a post is raw Markdown: whoever shows it must ' +
  'sanitise what it is rendered to.';

const TAGS = {
  feed: 'Public posts in an order, and those of the people you follow',
  auth: 'Accounts and tokens',
  users: 'Profiles, and the end of one',
  posts: 'Posts, their texts, and what is counted of them',
  follows: 'Who follows whom',
  comments: 'Comments and replies',
  interactions: 'Votes and saves',
  collections: 'Lists of posts in the order of their owner, and series',
  media: 'Pictures, made safe and small',
  drafts: 'Texts before they are published, saved without loss',
  search: 'Posts, people and tags by words',
  syndication: 'Posts for feed readers, search engines and other sites',
  operations: 'For balancers and monitoring',
};

/** The OpenAPI 3.1 document of the whole API. */
export function createOpenApiDocument(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('opencanvas-api')
    .setDescription(DESCRIPTION)
    .setVersion(packageVersion())
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'the server this document came from: production, or your own machine', undefined, {
      'x-internal': false,
    })
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'An access token, signed with HS256 and checked as RFC8725 asks: algorithm, issuer, audience, expiry. Or an API token ' +
        'with the scope that the route names; no API token may do what asks for `account`.',
    })
    // like the access guard: a route that says nothing needs a token
    .addSecurityRequirements('bearer');
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  const config = builder.build();
  describeRules();
  const document = SwaggerModule.createDocument(app, config, {
    extraModels: [Problem],
    operationIdFactory: (_controller, method) => method,
  });
  return completeAnswers(closeBodies(describeParameters(document)));
}

/** Swagger UI at /docs, the document at /openapi.json. */
export function mountDocs(app: INestApplication, writer: AnswerWriter): void {
  let document: OpenAPIObject | undefined;
  const describe = (): OpenAPIObject => (document ??= createOpenApiDocument(app));
  SwaggerModule.setup('docs', app, describe, {
    raw: false,
    customSiteTitle: 'opencanvas-api',
    swaggerOptions: {
      ...{ persistAuthorization: true, displayRequestDuration: true, tryItOutEnabled: true },
      // the rooms at a glance, and addresses of operations to pass on
      ...{ docExpansion: 'none', deepLinking: true },
    },
  });
  serveDocument(app.getHttpAdapter().getInstance() as FastifyInstance, writer, describe);
}

/** The document is made when it is first asked for, and kept. */
export function serveDocument(fastify: FastifyInstance, writer: AnswerWriter, describe: () => object): void {
  let kept: { json: string; etag: string } | undefined;
  fastify.get('/openapi.json', (_request, reply) => {
    if (kept === undefined) {
      const json = JSON.stringify(describe());
      kept = { json, etag: `"${etagOf(json)}"` };
    }
    writer.write(reply.type(JSON_CONTENT_TYPE).header('etag', kept.etag), kept.json);
  });
}
