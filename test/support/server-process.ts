import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryPort } from '../../src/platform/processes/try-port.js';

const FIRST_PORT = 20_000;
const PORTS = 12_000;
/** Processes of a run have neighboring pids and search from different ports, because a free port is not reserved yet. */
const PORTS_OF_A_PROCESS = 100;
let looks = 0;

/** A real server with its own directory, which can be killed, frozen and restarted at the same address. */
export abstract class ServerProcess {
  protected readonly dir: string;
  private child: ChildProcess | undefined;

  protected constructor(name: string) {
    this.dir = mkdtempSync(join(tmpdir(), `opencanvas-${name}-`));
  }

  async kill(): Promise<void> {
    if (this.child === undefined || this.hasEnded) return;
    const child = this.child;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  freeze(): void {
    this.child!.kill('SIGSTOP');
  }

  thaw(): void {
    this.child!.kill('SIGCONT');
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.dir, { recursive: true, force: true });
  }

  protected get hasEnded(): boolean {
    return this.child!.exitCode !== null || this.child!.signalCode !== null;
  }

  protected spawn(command: string, args: string[], stdio: StdioOptions = 'ignore'): void {
    this.child = spawn(command, args, { stdio });
  }
}

/** Returns ports below those that the system assigns to outgoing connections, so that a restarted server finds them free. */
export async function freePorts(count: number): Promise<number[]> {
  const free: number[] = [];
  while (free.length < count) {
    const port = FIRST_PORT + ((process.pid * PORTS_OF_A_PROCESS + looks++) % PORTS);
    if ((await tryPort('127.0.0.1', port)) === port) free.push(port);
  }
  return free;
}
