import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp as createAppOfSources } from '../../src/create-app.js';

type CreateApp = typeof createAppOfSources;

const BUNDLE = join(import.meta.dirname, '../../dist/bundle/create-app.js');

/** Uses the sources, or the bundle with `npm test -- --bundle`. */
export const createApp: CreateApp = process.env.TEST_BUNDLE === 'true' ? await ofBundle() : createAppOfSources;

async function ofBundle(): Promise<CreateApp> {
  const bundle = (await import(BUNDLE)) as { createApp: CreateApp };
  return async (...args) => foundByName(await bundle.createApp(...args));
}

/** Finds providers by name, because specs use the classes of the sources and the bundle has classes of the same names. */
function foundByName(app: NestFastifyApplication): NestFastifyApplication {
  const modules = (
    app as unknown as { container: { getModules: () => Map<string, { providers: Map<unknown, unknown> }> } }
  ).container.getModules();
  const tokens = [...modules.values()].flatMap(({ providers }) => [...providers.keys()]);
  const byName = new Map(tokens.flatMap((token) => (typeof token === 'function' ? [[token.name, token]] : [])));
  const get = app.get.bind(app) as (token: unknown, options: object) => unknown;
  const getByName = (token: unknown, options = { strict: false }): unknown =>
    get(typeof token === 'function' ? (byName.get(token.name) ?? token) : token, options);
  return new Proxy(app, {
    get: (target, name: keyof NestFastifyApplication) => (name === 'get' ? getByName : target[name]),
  });
}
