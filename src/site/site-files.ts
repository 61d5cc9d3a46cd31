import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** The folder that `npm run build` writes: beside the bundle, for sources of dist/src, and for TypeScript sources. */
const FOLDERS = ['site', '../../bundle/site', '../../dist/bundle/site'].map((path) => join(import.meta.dirname, path));
export const SITE_FOLDER = FOLDERS.find((folder) => existsSync(join(folder, 'server.js'))) ?? FOLDERS[0]!;

/** Serves styles, scripts and fonts. Their names change with their content. */
export function serveSiteFiles(app: NestFastifyApplication): void {
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
