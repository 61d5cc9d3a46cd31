import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import type { AppConfig } from './config/app-config.js';
import type { ProcessRole } from './platform/cluster/process-role.js';
import { createLogger } from './platform/http/logger.js';

/** Creates and initializes the application without HTTP: no routes and no Fastify, a fifth of the CPU time of a start. */
export function createServices(config: AppConfig, role: ProcessRole): Promise<INestApplicationContext> {
  return NestFactory.createApplicationContext(AppModule.serving(config, role), {
    abortOnError: false,
    logger: createLogger(config, role),
  });
}
