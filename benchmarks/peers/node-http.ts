import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { closeServer, type Peer, type PeerOptions } from './peer.js';

/** The product's response to one URL, which this peer sends again. */
export type CapturedAnswer = { path: string; status: number; headers: string[]; bodyBase64: string };

/**
 * Bare `node:http` that writes the same Buffer with the same headers as the product: the limit for a Node process. The headers are one
 * ready array, the fastest form for Node. A Map finds the response.
 */
export async function startNodeHttpPeer(options: PeerOptions): Promise<Peer> {
  const captured = options.answersFile
    ? (JSON.parse(readFileSync(options.answersFile, 'utf8')) as CapturedAnswer[])
    : [];
  const answers = new Map(
    captured.map(({ path, status, headers, bodyBase64 }) => [
      path,
      { status, headers, body: Buffer.from(bodyBase64, 'base64') },
    ]),
  );
  answers.set('/ready', { status: 200, headers: [], body: Buffer.alloc(0) });
  const server = createServer((request, response) => {
    if (request.method === 'POST') return void renderInLoop(request, response);
    const answer = answers.get(request.url!);
    if (!answer) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
  });
  server.keepAliveTimeout = 65_000;
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return { server, close: () => closeServer(server) };
}

/** Renders Markdown like the product's threads, on the loop that serves. */
async function renderInLoop(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { run } = await import('../../src/rendering/render.task.js');
  const { content } = (await json(request)) as { content: string };
  const job = { markdown: content, images: new Map(), people: new Map(), filesUrl: '/v1/media/files' };
  response.end(run(job).html.json);
}
