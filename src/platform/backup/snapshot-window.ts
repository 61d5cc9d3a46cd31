import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { StartupError } from '../../common/errors.js';
import type { WindowResult } from './snapshot-window.child.js';

const CHILD = fileURLToPath(new URL('./snapshot-window.child.js', import.meta.url));

/**
 * Extends the server's history for a long snapshot read (`minSnapshotHistoryWindowInSeconds`), if the user has the right to set it. A
 * separate process sets and restores the value, even if this process is killed.
 */
export class SnapshotWindow {
  private constructor(private readonly child: ChildProcess) {}

  /** @throws StartupError while another backup runs */
  static async open(uri: string, onNotice: (line: string) => void): Promise<SnapshotWindow> {
    // A Ctrl-C of the terminal does not reach a session of its own.
    const child = fork(CHILD, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], detached: true });
    const answer = await new Promise<WindowResult>((resolve, reject) => {
      child.once('message', (message) => resolve(message as WindowResult));
      child.once('error', reject);
      child.once('exit', () => reject(new Error('the process that keeps the snapshot ended')));
      // A message, because other users could read an argument.
      child.send(uri);
    });
    const window = new SnapshotWindow(child);
    if (answer.state === 'refused') {
      await window.close();
      throw new StartupError(answer.reason);
    }
    if (answer.state === 'kept') onNotice(answer.reason);
    return window;
  }

  /** Restores the earlier value. Resolves to false when the server did not accept the value. */
  async close(): Promise<boolean> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode === 0;
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.disconnect();
    return (await ended) === 0;
  }
}
