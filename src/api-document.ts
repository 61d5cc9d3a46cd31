import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AppModule } from './app.module.js';
import { AppConfig } from './config/app-config.js';
import { ENV_SCHEMA } from './config/env.schema.js';
import { VERSIONING } from './create-app.js';
import { createOpenCanvasDocument } from './opencanvas/document.js';
import { createOpenApiDocument } from './platform/http/openapi/docs.js';

/** Describes the whole API without a server or a database. */
export async function describeApi(): Promise<OpenAPIObject> {
  return createOpenApiDocument(await previewApp({}));
}

/** The same of the OpenCanvas API, at its default path. */
export async function describeOpenCanvasApi(): Promise<OpenAPIObject> {
  return createOpenCanvasDocument(await previewApp({ OPENCANVAS_API: '/' }));
}

/** Creates an app in Nest's preview mode, which starts no provider. */
async function previewApp(environment: Record<string, string>): Promise<INestApplication> {
  const env = ENV_SCHEMA.parse({ AUTH_TOKEN_SECRET: 'nothing is signed while describing', ...environment });
  const app = await NestFactory.create(AppModule.with(new AppConfig(env), 'web'), new FastifyAdapter(), {
    preview: true,
    abortOnError: false,
    logger: false,
  });
  app.enableVersioning(VERSIONING);
  return app;
}
