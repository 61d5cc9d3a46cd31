import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { StartupError } from '../../common/errors.js';
import type { WindowResult } from './snapshot-window.child.js';

const CHILD = fileURLToPath(new URL('./snapshot-window.child.js', import.meta.url));

/**
 * Makes the server keep the history that a long snapshot read needs (`minSnapshotHistoryWindowInSeconds`). A separate process sets the
 * value and restores it, even if this one is killed. Without the right to set it, the backup uses the history that the server keeps.
 */
export class SnapshotWindow {
  private constructor(private readonly child: ChildProcess) {}

  /** @throws StartupError while another backup runs */
  static async open(uri: string, onNotice: (line: string) => void): Promise<SnapshotWindow> {
    // a session of its own: a Ctrl-C of the terminal does not reach it
    const child = fork(CHILD, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], detached: true });
    const answer = await new Promise<WindowResult>((resolve, reject) => {
      child.once('message', (message) => resolve(message as WindowResult));
      child.once('error', reject);
      child.once('exit', () => reject(new Error('the process that keeps the snapshot ended')));
      // not an argument, which other users could read
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

  /** Resolves when the earlier value is restored; false when the server did not accept it. */
  async close(): Promise<boolean> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode === 0;
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.disconnect();
    return (await ended) === 0;
  }
}
