import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Received = { path: string; headers: IncomingHttpHeaders; body: string };
type Respond = (response: ServerResponse, received: Received) => void;

/** A program that receives webhooks. Its behavior depends on the path of the webhook; others respond with 204. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  private readonly behaviors = new Map<string, Respond>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { url: path = '', headers } = request;
        const received = { path, headers, body: Buffer.concat(chunks).toString() };
        receiver.received.push(received);
        const respond = receiver.behaviors.get(path);
        if (respond === undefined) response.writeHead(204).end();
        else respond(response, received);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Sets the response to requests of a path. */
  on(path: string, respond: Respond): void {
    this.behaviors.set(path, respond);
  }

  at(path: string): Received[] {
    return this.received.filter((each) => each.path === path);
  }

  stop(): void {
    this.server.close().closeAllConnections();
  }
}

/** The signatures that a receiver expects, by the rules of Standard Webhooks. */
export function expectedSignature({ headers, body }: Received, secret: string): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
