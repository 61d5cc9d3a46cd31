import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AppConfig } from '../config/app-config.js';
import type { ResponseWriter } from '../platform/http/response-writer.js';

/** The folder that `npm run build` writes: beside the bundle, for sources of dist/src, and for TypeScript sources. */
const FOLDERS = ['site', '../../bundle/site', '../../dist/bundle/site'].map((path) => join(import.meta.dirname, path));
const IMMUTABLE = 'public, max-age=31536000, immutable';
export const SITE_FOLDER = FOLDERS.find((folder) => existsSync(join(folder, 'server.js'))) ?? FOLDERS[0]!;

/** Serves styles, scripts and fonts. Their names change with their content. */
export function serveSiteFiles(app: NestFastifyApplication, writer: ResponseWriter, { site }: AppConfig): void {
  const own = site.stylesheet;
  if (own !== undefined)
    app
      .getHttpAdapter()
      .getInstance()
      .get(own.path, (_request, reply) =>
        writer.write(reply.type('text/css; charset=utf-8').header('cache-control', IMMUTABLE), own.text),
      );
  app.useStaticAssets({
    root: join(SITE_FOLDER, 'assets'),
    prefix: '/assets/',
    decorateReply: false,
    index: false,
    immutable: true,
    maxAge: '1y',
    preCompressed: true,
  });
}
