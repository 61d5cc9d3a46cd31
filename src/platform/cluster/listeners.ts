import { type ChildProcess, spawn } from 'node:child_process';
import type { Server } from 'node:http';

/** Connections a process takes per turn of its event loop. */
const PER_TURN = 16;
const BACKLOG = 511;

/** node's own listening handle: what `net.Server` and `node:cluster` do with it (lib/net.js, lib/internal/cluster/child.js). */
type Handle = {
  onconnection: (error: number, client?: Handle) => void;
  listen(backlog: number): number;
  close(): void;
};
type Listening = Server & { _handle?: Handle | null };
type SendHandle = (message: object, handle: Handle, onSent: (error: Error | null) => void) => boolean;

/** The whole program of the process that sends descriptors back. */
const ECHO = `process.on('message', (message, handle) => process.send(message, handle, () => handle?.close()))`;
/** Descriptors that are not back by then stay away. */
const PATIENCE_MS = 5_000;

/**
 * Lets a process take more than one connection per turn of its event loop. libuv accepts one per turn on each listening handle, so a
 * busy process, whose turns are long, would let everybody who connects wait for seconds, hot reads and health checks too (300 new
 * connections, turns of 20 ms: 7 s with one handle, 0.5 s with sixteen). The only way to another descriptor of an own socket is to
 * send it to another process and back; one that lives for a moment does that. Should node's handles look different one day, or no
 * process start, it stays at one per turn, and `perTurn` says so.
 */
export class Listeners {
  /** The descriptors are there, or will not come, and the process that sent them is gone. */
  readonly settled: Promise<void>;
  private readonly more: Handle[] = [];
  private readonly echo: ChildProcess | undefined;
  private isClosed = false;

  constructor(private readonly server: Server) {
    const handle = (server as Listening)._handle;
    if (typeof handle?.listen !== 'function') {
      this.settled = Promise.resolve();
      return;
    }
    const echo = spawn(process.execPath, ['-e', ECHO], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    this.echo = echo;
    const timer = setTimeout(() => echo.kill('SIGKILL'), PATIENCE_MS);
    let back = 0;
    echo.on('message', (_message, copy) => {
      if (copy !== undefined) this.add(copy as unknown as Handle);
      if (++back === PER_TURN - 1) echo.kill('SIGKILL');
    });
    this.settled = new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        resolve();
      };
      echo.on('error', settle);
      echo.on('exit', settle);
    });
    const send = echo.send.bind(echo) as unknown as SendHandle;
    try {
      for (let count = 1; count < PER_TURN; count++) send({}, handle, () => undefined);
    } catch {
      // not a handle that can be sent
      echo.kill('SIGKILL');
    }
  }

  /** New connections that a turn of the event loop takes; sixteen, unless something is missing. */
  get perTurn(): number {
    return this.more.length + 1;
  }

  get isComplete(): boolean {
    return this.perTurn === PER_TURN;
  }

  /** To be called when the server stops listening. */
  close(): void {
    this.isClosed = true;
    this.echo?.kill('SIGKILL');
    for (const each of this.more.splice(0)) each.close();
  }

  private add(copy: Handle): void {
    if (typeof copy.listen !== 'function') return;
    if (this.isClosed) return copy.close();
    copy.onconnection = (error, client) => {
      const main = (this.server as Listening)._handle;
      if (main) main.onconnection.call(main, error, client);
      else client?.close();
    };
    if (copy.listen(BACKLOG) === 0) this.more.push(copy);
    else copy.close();
  }
}
