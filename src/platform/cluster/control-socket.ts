import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { StartupError } from '../../common/errors.js';
import { MAX_PROFILE_SECONDS, type ProfileKind, type ProfileOptions } from '../processes/take-profile.js';
import { SocketDirectory } from './socket-directory.js';
import { encodeFrame, readFrames } from './writer/writer-protocol.js';

/** A ready process of the host. */
export type ProfiledProcess = { name: string; pid: number; profile: (options: ProfileOptions) => Promise<void> };

export type ProfileRequest = { process: string; kind: ProfileKind; seconds: number };
type Reply = { pid: number } | { file: string } | { error: string };

const EXTENSIONS = { cpu: 'cpuprofile', heap: 'heapprofile', allocations: 'heapprofile' } as const;

/** A socket of the primary, on which commands of the same user request profiles of processes. */
export class ControlSocket {
  private readonly directory = new SocketDirectory();
  private readonly server = createServer((socket) => {
    socket.on('error', () => undefined);
    readFrames<ProfileRequest>(socket, (request) => void this.handle(request, socket));
  });
  /** the process that is being profiled */
  private busy: string | undefined;
  readonly path = this.directory.pathOf('control');

  private constructor(
    private readonly processes: () => ProfiledProcess[],
    private readonly profiles: string,
  ) {}

  /** Best effort: without a temporary directory there are no profiles. @param profiles their directory */
  static async open(processes: () => ProfiledProcess[], profiles: string): Promise<ControlSocket | undefined> {
    try {
      const control = new ControlSocket(processes, profiles);
      await once(control.server.listen(control.path), 'listening');
      return control;
    } catch {
      return undefined;
    }
  }

  close(): void {
    this.server.close();
    this.directory.delete();
  }

  private async handle(request: ProfileRequest, socket: Socket): Promise<void> {
    const send = (reply: Reply): boolean => socket.write(encodeFrame(JSON.stringify(reply)));
    try {
      send({ file: await this.profile(request, (pid) => send({ pid })) });
    } catch (error) {
      send({ error: (error as Error).message });
    }
    socket.end();
  }

  private async profile({ process, kind, seconds }: ProfileRequest, onStart: (pid: number) => void): Promise<string> {
    if (this.busy !== undefined) throw new Error(`A profile of ${this.busy} is being recorded. Try again after it.`);
    const running = this.processes();
    const chosen = running.find(({ name, pid }) => name === process || String(pid) === process);
    if (chosen === undefined) {
      const names = running.map(({ name }) => name).join(', ');
      throw new Error(`No process ${process} is ready. Choose one of: ${names}.`);
    }
    const { name, pid } = chosen;
    const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
    const file = join(this.profiles, `${name}-${kind}-${time}.${EXTENSIONS[kind]}`);
    this.busy = name;
    try {
      onStart(pid);
      await chosen.profile({ kind, seconds: Math.min(seconds, MAX_PROFILE_SECONDS), file });
    } finally {
      this.busy = undefined;
    }
    return file;
  }
}

/**
 * Requests a profile from the primary that listens on `path`.
 * @param onStart gets the pid of the process
 * @returns the file of the profile
 * @throws StartupError
 */
export function requestProfile(path: string, request: ProfileRequest, onStart: (pid: number) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => reject(new StartupError(reason));
    const socket = connect(path, () => socket.write(encodeFrame(JSON.stringify(request))));
    readFrames<Reply>(socket, (reply) => {
      if ('pid' in reply) onStart(reply.pid);
      else if ('file' in reply) resolve(reply.file);
      else fail(reply.error);
    });
    socket.once('error', ({ message }) => fail(`The server cannot be reached: ${message}.`));
    socket.once('close', () => fail('The server stopped before the profile was complete.'));
  });
}
