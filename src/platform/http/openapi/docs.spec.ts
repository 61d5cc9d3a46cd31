import Fastify from 'fastify';
import { serveDocument } from './docs.js';
import { AppConfig } from '../../../config/app-config.js';
import { ENV_SCHEMA } from '../../../config/env.schema.js';
import { ResponseWriter } from '../response-writer.js';
import { ResponseHeaders } from '../response-headers.js';

describe('/openapi.json', () => {
  it('is created once, and its ETag matches the copy of a client', async () => {
    const fastify = Fastify();
    const config = new AppConfig(ENV_SCHEMA.parse({ AUTH_TOKEN_SECRET: 'x'.repeat(40) }));
    const writer = new ResponseWriter(new ResponseHeaders(config));
    let made = 0;
    serveDocument(fastify, writer, () => ({ made: ++made }));
    const url = `${await fastify.listen({ port: 0, host: '127.0.0.1' })}/openapi.json`;
    const first = await fetch(url);
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect([await first.text(), await (await fetch(url)).text(), made]).toEqual(['{"made":1}', '{"made":1}', 1]);
    const etag = first.headers.get('etag')!;
    const again = await fetch(url, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    await fastify.close();
  });
});
