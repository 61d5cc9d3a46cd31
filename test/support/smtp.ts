import { randomUUID } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export type ReceivedMail = { to: string; messageId: string; subject: string; source: string };
/** Reply of the server to a recipient. A code from 400 refuses. */
type Verdict = (to: string) => number | null;

/** A real SMTP server on this machine, which stores accepted mails. */
export class TestSmtp {
  readonly received: ReceivedMail[] = [];
  /** Recipients, including refused ones. */
  readonly asked: string[] = [];
  verdict: Verdict = () => null;
  /** Runs before the server responds to the text of a mail. */
  beforeAnswer: (mail: ReceivedMail) => Promise<void> = async () => {};
  private readonly server: SMTPServer;

  constructor() {
    this.server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      disableReverseLookup: true,
      onRcptTo: ({ address }, _session, callback) => {
        this.asked.push(address);
        const code = this.verdict(address);
        callback(code === null ? null : Object.assign(new Error('no'), { responseCode: code }));
      },
      onData: (stream, { envelope }, callback) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const source = Buffer.concat(chunks).toString('utf8');
          const mail = {
            to: envelope.rcptTo[0]!.address,
            messageId: headerOf(source, 'Message-ID'),
            subject: headerOf(source, 'Subject'),
            source,
          };
          this.received.push(mail);
          void this.beforeAnswer(mail).then(() => callback());
        });
      },
    });
    // The client was killed.
    this.server.on('error', () => {});
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve));
  }

  /** Returns the mails received for the address. */
  to(address: string): ReceivedMail[] {
    return this.received.filter(({ to }) => to === address);
  }
}

/** Starts a server that accepts connections and never responds. */
export async function hangingServer(): Promise<{ url: string; server: Server; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, server, sockets };
}

export function anAddress(): string {
  return `${randomUUID()}@example.org`;
}

/** Returns the text of a mail as its reader sees it. */
export function textOf({ source }: ReceivedMail): string {
  const fromHead = source.slice(source.indexOf('Content-Type: text/plain')).replaceAll('\r\n', '\n');
  // A wrapped line of a token may begin with two hyphens as well.
  const boundary = /boundary="([^"]+)"/.exec(source)?.[1] ?? '\0';
  const part = fromHead.slice(fromHead.indexOf('\n\n') + 2).split(`\n--${boundary}`)[0]!;
  const joined = part.replaceAll('=\n', '');
  return joined.replace(/(?:=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString());
}

function headerOf(source: string, name: string): string {
  return new RegExp(`^${name}: (.*)$`, 'mi').exec(source)?.[1]?.trim() ?? '';
}
