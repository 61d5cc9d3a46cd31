import type { INestApplication, Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { packageVersion } from '../../../config/package-version.js';
import type { FastifyInstance } from 'fastify';
import { type ResponseWriter, JSON_CONTENT_TYPE } from '../response-writer.js';
import { compress, MIN_COMPRESSED_BYTES, OFFERED, preferredEncoding } from '../compression.js';
import { EXAMPLE } from '../../../common/examples.js';
import { routeOf } from '../request-identity.js';
import { TextResponse } from '../text-response.js';
import { etagOf } from '../write-response.js';
import { addCommonResponses } from './document-responses.js';
import { forbidAdditionalProperties, describeRules } from './document-rules.js';
import { describeParameters } from './document-parameters.js';
import { NO_SERVER } from './response-schemas.js';
import { nameSchemas } from './document-schemas.js';
import { SIGN_IN_CSS, signInScript } from './sign-in-form.js';
import { Problem } from '../problems/problem.js';

const DESCRIPTION = [
  'The backend of a publishing community. This document is at [/openapi.json](/openapi.json); the guides are in `docs/` of the repository.',
  '**Sign in**: `POST /v1/auth/login` returns an access token for `Authorization: Bearer …`. With demo data, the account of the example ' +
    'works. Programs use an API token (`POST /v1/auth/tokens`). `x-role` is the lowest role that may call an operation.',
  '**Errors** are problems (RFC 9457) of one form; `x-error-codes` lists the codes of an operation. A request that fits its schema can ' +
    'still break a rule that a schema cannot state: patterns show the ASCII part of a rule (letters and digits of every script are ' +
    'allowed where ASCII ones are; control and invisible characters are not), lengths count code points after NFC, a text has at most 30 ' +
    'combining marks in a row, and names that suggest staff are reserved.',
  '**Responses** to reads have an `ETag`; with `If-None-Match`, an unchanged resource responds with 304. 429 and 503 have `Retry-After`, ' +
    '401 has `WWW-Authenticate`, a page has `Link` with `rel="next"`. `X-Request-Id` identifies a request in problem reports, ' +
    '`RateLimit-Policy` has the limit and its window, `X-Cache` and `Age` mark a cached response, `Idempotent-Replayed` a repeated one, ' +
    '`Server-Timing` has durations.',
  'The `content` of a post is raw Markdown. Use `GET /v1/posts/{idOrSlug}/html`, or sanitize what you render.',
].join('\n\n');

const TAGS = {
  'sign-in': 'Register, sign in, renew tokens, sign out',
  account: 'My account, its password and sessions',
  recovery: 'Password resets and e-mail addresses',
  providers: 'Sign in with Google, GitHub and others',
  'second-factors': 'Codes of an authenticator app, recovery codes',
  passkeys: 'Sign in without a password',
  'api-tokens': 'Tokens for programs',
  webhooks: 'Events for programs of an account',
  feed: 'Public posts, and posts of accounts you follow',
  users: 'Profiles and accounts',
  posts: 'Posts, their texts, versions and views',
  follows: 'Follows between accounts',
  tags: 'Tags, their posts and followers',
  blocks: 'Blocked and muted accounts',
  comments: 'Comments and replies',
  interactions: 'Votes and saves',
  notifications: 'Notifications, watched posts and bells',
  collections: 'Ordered lists of posts, and series',
  media: 'Images: upload, import, files',
  drafts: 'Drafts, autosave, schedules and share links',
  search: 'Full-text search and suggestions',
  reports: 'Reports of content to moderators',
  moderation: 'Cases, actions, appeals, accounts, roles and the log, for moderators',
  syndication: 'Feeds, sitemap, oEmbed and metadata',
  operations: 'Health probes and metrics',
};

/**
 * Creates the OpenAPI 3.1 document of the API.
 * @param server the public address, also for examples
 * @param apart a module with a document of its own
 */
export function createOpenApiDocument(app: INestApplication, server = NO_SERVER, apart?: Type): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('opencanvas-api')
    .setDescription(DESCRIPTION)
    .setVersion(packageVersion())
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(NO_SERVER, 'production, or your own machine: a server names itself in its /openapi.json', undefined, {
      'x-internal': false,
    })
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'An access token of `POST /v1/auth/login`, valid for 15 minutes, or an API token with the scope of the route. ' +
        'Access tokens are checked as RFC8725 requires. A route with the scope `account` accepts no API token.',
    })
    // As in the access guard, routes require a token by default.
    .addSecurityRequirements('bearer');
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  const config = builder.build();
  describeRules();
  const document = SwaggerModule.createDocument(app, config, {
    include: [...app.get(ModulesContainer).values()].map(({ metatype }) => metatype).filter((one) => one !== apart),
    extraModels: [Problem],
    operationIdFactory: (_controller, method) => method,
    autoTagControllers: false,
  });
  const complete = shareResponses(
    nameSchemas(addCommonResponses(forbidAdditionalProperties(describeParameters(document)))),
  );
  if (server === NO_SERVER) return complete;
  return JSON.parse(JSON.stringify(complete).replaceAll(NO_SERVER, server)) as OpenAPIObject;
}

/** The CSP of Swagger UI, which uses inline styles. The browser loads everything else from this server. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type DocsOptions = { server: string; hasDemoAccount: boolean; apart: Type };

/** Serves Swagger UI at /docs and the document at /openapi.json. */
export function mountDocs(
  app: INestApplication,
  writer: ResponseWriter,
  { server, hasDemoAccount, apart }: DocsOptions,
): void {
  const fastify = app.getHttpAdapter().getInstance() as FastifyInstance;
  let document: OpenAPIObject | undefined;
  const describe = (): OpenAPIObject => (document ??= createOpenApiDocument(app, server, apart));
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (routeOf(request).startsWith('/docs')) request.routeHeaders.push('content-security-policy', DOCS_POLICY);
    done();
  });
  compressFiles(fastify);
  const script = signInScript(hasDemoAccount ? { login: EXAMPLE.username, password: EXAMPLE.password } : null);
  fastify.get('/docs/sign-in.js', (_request, reply) => writer.write(reply.type('text/javascript'), script));
  // The page sends its requests to the server that serves the page.
  SwaggerModule.setup('docs', app, () => ({ ...describe(), servers: [{ url: '/' }] }), {
    raw: false,
    customSiteTitle: 'opencanvas-api',
    customCss: SIGN_IN_CSS,
    customJs: '/docs/sign-in.js',
    swaggerOptions: {
      ...{ persistAuthorization: true, displayRequestDuration: true, tryItOutEnabled: true },
      // Collapses tags and enables links to operations.
      ...{ docExpansion: 'none', deepLinking: true, filter: true },
      // Shows the error codes of each operation.
      showExtensions: true,
    },
  });
  serveDocument(fastify, writer, describe);
}

/** Creates the document on the first request and caches it. */
export function serveDocument(
  fastify: FastifyInstance,
  writer: ResponseWriter,
  describe: () => object,
  path = '/openapi.json',
): void {
  let kept: TextResponse | undefined;
  fastify.get(path, (_request, reply) => {
    if (kept === undefined) {
      const json = JSON.stringify(describe());
      kept = new TextResponse(json, { 'content-type': JSON_CONTENT_TYPE, etag: `"${etagOf(json)}"` });
    }
    writer.write(reply, kept);
  });
}

/** The maximum number of compressed Swagger UI files in memory. There are about ten. */
const MAX_FILES = 100;

/** Compresses each file that Fastify serves (Swagger UI, 1.9 MB) once. */
function compressFiles(fastify: FastifyInstance): void {
  const packed = new Map<string, Promise<Buffer>>();
  fastify.addHook('onSend', async (request, reply, payload: unknown) => {
    const encoding = preferredEncoding(String(request.headers['accept-encoding'] ?? ''), OFFERED);
    const isFile = routeOf(request).startsWith('/docs') && reply.statusCode === 200 && request.method === 'GET';
    if (!isFile || payload === null || payload === undefined) return payload;
    void reply.header('vary', 'Accept-Encoding');
    const key = `${encoding} ${request.url.split('?', 1)[0]}`;
    if (encoding === 'identity' || (!packed.has(key) && packed.size >= MAX_FILES)) return payload;
    let body = packed.get(key);
    if (body === undefined) {
      const bytes = payload instanceof Readable ? await buffer(payload) : Buffer.from(payload as string);
      if (bytes.length < MIN_COMPRESSED_BYTES) return bytes;
      body = compress(encoding, bytes);
      packed.set(key, body);
    } else if (payload instanceof Readable) payload.destroy();
    void reply.removeHeader('content-length').removeHeader('accept-ranges').header('content-encoding', encoding);
    return body;
  });
}

type Response = { description: string; content?: Record<string, { schema?: { $ref?: string } }> };
type Use = { responses: Record<string, object>; status: string };

/** Moves responses that several routes share to the components, so that generated clients have one type per response. */
function shareResponses(document: OpenAPIObject): OpenAPIObject {
  const uses = new Map<string, Use[]>();
  for (const item of Object.values(document.paths)) {
    for (const operation of [item.get, item.post, item.put, item.patch, item.delete]) {
      const responses = (operation?.responses ?? {}) as Record<string, object>;
      for (const [status, response] of Object.entries(responses)) {
        if ('$ref' in response) continue;
        const text = JSON.stringify(response);
        uses.set(text, [...(uses.get(text) ?? []), { responses, status }]);
      }
    }
  }
  const shared = document.components!.responses as Record<string, object>;
  for (const [text, places] of uses) {
    const response = JSON.parse(text) as Response;
    const name = nameOf(response);
    if (places.length === 1 || name === undefined) continue;
    if (name in shared) throw new Error(`two responses have one name: ${name}`);
    shared[name] = response;
    for (const { responses, status } of places) responses[status] = { $ref: `#/components/responses/${name}` };
  }
  return document;
}

/** Returns the name of the response's schema, or its description if it has no body. Returns undefined for an unnamed schema. */
function nameOf({ description, content }: Response): string | undefined {
  if (content === undefined)
    return description
      .split(/\W/)
      .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
      .join('');
  const refs = Object.values(content).flatMap(({ schema }) => schema?.$ref ?? []);
  return refs.at(-1)?.split('/').at(-1);
}
